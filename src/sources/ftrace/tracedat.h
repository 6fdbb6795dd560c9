/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracedat - trace-cmd's recordings (trace.dat, versions 6 and 7), as a stream of perf's records
 * (files/decode/perfdata.h).
 *
 *   trace.dat ─▶ head (formats, names, clock) ─▶ pages by CPU ─▶ records by time ─▶ pipe format
 *
 * So all later stages are those of a perf.data file. Each event that has records is a tracepoint
 * "system:name" of period 1; a page that reports how many events before it were missed becomes a
 * LOST record, at the time of the first record behind it; where the page had no room for the
 * number, the kernel's statistics in the file have it. The kernel counts a buffer's losses, not by
 * event: with one event the account is exact, with several the loss is divided in proportion to the
 * records read of each (sources/ftrace/lossshare.h), and tracedat_lost_shared returns true.
 * Functions in tracers' records become KSYMBOL records by the file's kallsyms.
 *
 * The file is read twice: first to find its events, page by page, and everything that is wrong with
 * it.
 *
 * A record has its thread, not its process: a thread appears as a process of its own. Its name is
 * the one in the file's saved_cmdlines, until a record has another one, which is used from there
 * on. If the file is of the other byte order the records' fields are left out, as with such a
 * perf.data file.
 *
 * Format: trace-cmd.dat.v6(5), trace-cmd.dat.v7(5).
 * Threads: one owner. No I/O but by the source's read().
 */
#ifndef RINGTOP_SOURCES_FTRACE_TRACEDAT_H
#define RINGTOP_SOURCES_FTRACE_TRACEDAT_H

#include <stdbool.h>

#include "base/err.h"
#include "files/decode/perfdata_input.h"
#include "sources/ftrace/tracedat_head.h"

struct tracedat;

bool tracedat_is_one(const char bytes[TRACEDAT_MAGIC_BYTES]);

/*
 * Open a trace.dat. The source is seekable and borrowed. NULL with err: EBADMSG (cut off, damaged),
 * EOPNOTSUPP (another version, compressed by something other than zstd, no records), ENOMEM,
 * ENOBUFS (--max-memory).
 */
struct tracedat *tracedat_open(const struct perfdata_source *file, struct err *err);
void tracedat_free(struct tracedat *t);

/* Return the stream for perfdata_open, borrowed; not seekable, can be read once. */
const struct perfdata_source *tracedat_stream(const struct tracedat *t);

/*
 * Return the first problem that did not end the reading, code 0: none; *nr: the number of problems.
 */
const struct err *tracedat_problem(const struct tracedat *t, uint64_t *nr);

/* Return other remarks on the figures, borrowed; or "". */
const char *tracedat_remarks(const struct tracedat *t);
/* True: losses by event are estimates, see above. */
bool tracedat_lost_shared(const struct tracedat *t);

#endif
