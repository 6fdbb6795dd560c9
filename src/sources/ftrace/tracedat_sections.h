/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracedat_sections - the head of a trace.dat of version 7: lists of options, each naming the next one, say where the
 * sections are.  A section is opened where an option says, and must be the one that it is said to be.
 *
 * Threads: as tracedat_head.
 */
#ifndef RINGTOP_SOURCES_FTRACE_TRACEDAT_SECTIONS_H
#define RINGTOP_SOURCES_FTRACE_TRACEDAT_SECTIONS_H

#include "sources/ftrace/tracedat_head.h"

/* From behind the size of a page on.  0; -ENODATA, -EBADMSG, -ENOMEM, with err where there is more to say. */
int tracedat_sections_read(struct tracedat_head *h, struct err *err);

#endif
