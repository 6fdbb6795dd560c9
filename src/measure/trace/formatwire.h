/* SPDX-License-Identifier: GPL-2.0-or-later */
/* formatwire - a tracepoint's format as bytes for another process, and back.  Threads: one owner. */
#ifndef RINGTOP_MEASURE_TRACE_FORMATWIRE_H
#define RINGTOP_MEASURE_TRACE_FORMATWIRE_H

#include "base/wire.h"
#include "measure/trace/format.h"

void formatwire_put(const struct trace_format *f, struct wire_out *out);

/* Into *f, to be cleared in any case.  in->failed: it is none, or there was no memory. */
void formatwire_get(struct trace_format *f, struct wire_in *in);

#endif
