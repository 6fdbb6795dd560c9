/* SPDX-License-Identifier: GPL-2.0-or-later */
/* formatwire - encoding of a tracepoint's format for another process.  Threads: one owner. */
#ifndef RINGTOP_MEASURE_TRACE_FORMATWIRE_H
#define RINGTOP_MEASURE_TRACE_FORMATWIRE_H

#include "base/wire.h"
#include "measure/trace/format.h"

void formatwire_put(const struct trace_format *f, struct wire_out *out);

/*
 * Decode into *f, to be cleared in any case.  Sets in->failed if it is no format or there is no
 * memory.
 */
void formatwire_get(struct trace_format *f, struct wire_in *in);

#endif
