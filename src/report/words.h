/* SPDX-License-Identifier: GPL-2.0-or-later */
/* words - figures of a report as people read them. */
#ifndef RINGTOP_REPORT_WORDS_H
#define RINGTOP_REPORT_WORDS_H

#include <stdint.h>

#include "report/out.h"
#include "measure/session/session.h"

/* Of a clock: seconds; of anything else: a count. */
void words_amount(struct out *o, const struct session_event *e, uint64_t n);

/* "98.82%", "-" of nothing; what is not all never looks like all. */
void words_percent(struct out *o, uint64_t part, uint64_t of);

#endif
