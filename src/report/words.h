/* SPDX-License-Identifier: GPL-2.0-or-later */
/* words - figures of a report formatted to be read by people. */
#ifndef RINGTOP_REPORT_WORDS_H
#define RINGTOP_REPORT_WORDS_H

#include <stdint.h>

#include "report/out.h"
#include "measure/session/session.h"

/*
 * Append an amount in the event's unit: seconds for a clock, else a count, shortened from 1e6 on.
 */
void words_amount(struct out *o, const struct session_event *e, uint64_t n);

/* Append "98.82%"; "-" if `of` is 0; at most 99.99% if part < of. */
void words_percent(struct out *o, uint64_t part, uint64_t of);

#endif
