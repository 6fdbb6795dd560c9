/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracedat_sections - the head of a trace.dat of version 7: lists of options, each with the place
 * of the next one, have the places of the sections. A section must have the id that its option
 * names.
 *
 * Threads: like tracedat_head.
 */
#ifndef RINGTOP_SOURCES_FTRACE_TRACEDAT_SECTIONS_H
#define RINGTOP_SOURCES_FTRACE_TRACEDAT_SECTIONS_H

#include "sources/ftrace/tracedat_head.h"

/*
 * Read the rest of the head, which follows the page size. Return 0; -ENODATA, -EBADMSG, -ENOMEM;
 * err has details, if any.
 */
int tracedat_sections_read(struct tracedat_head *h, struct err *err);

#endif
