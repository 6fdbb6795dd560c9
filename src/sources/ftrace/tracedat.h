/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracedat - what trace-cmd recorded (trace.dat, versions 6 and 7), as a stream of perf's records (files/decode/perfdata.h).
 *
 *   trace.dat ─▶ head (formats, names, clock) ─▶ pages of each CPU ─▶ records in order of time ─▶ perf's pipe format
 *
 * So all behind it is a perf.data file's.  Each event that has records is a tracepoint "system:name" of period 1; a page
 * that says how many events before it were missed is a LOST record, at the time of the first record behind it; where it
 * had no room for the number, the kernel's statistics in the file tell.  The kernel counts what a buffer lost, not of which
 * event: with one event the account is exact, with several the loss is shared out by what was read of each
 * (sources/ftrace/share.h), and tracedat_lost_shared says so.  Functions that tracers tell of are KSYMBOL records by the file's
 * kallsyms.
 *
 * The file is read twice: first to see what is in it, page by page, with all that is wrong with it.
 *
 * A record tells its thread, not its process: a thread stands as a process of its own.  It is called what the file's
 * saved_cmdlines say, from the first record on that says something else what that says.  Of a file of the other byte
 * order the records' fields are left out, as of such a perf.data file.
 *
 * Format: trace-cmd.dat.v6(5), trace-cmd.dat.v7(5).
 * Threads: one owner.  No I/O but by the source's read().
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
 * The source is seekable and stays the caller's.  NULL with err: EBADMSG (cut off, damaged), EOPNOTSUPP (another version,
 * compressed by something else than zstd, no records), ENOMEM, ENOBUFS (--max-memory).
 */
struct tracedat *tracedat_open(const struct perfdata_source *file, struct err *err);
void tracedat_free(struct tracedat *t);

/* For perfdata_open; not seekable, once. */
const struct perfdata_source *tracedat_stream(const struct tracedat *t);

/* The first thing that is wrong but did not end it, code 0: nothing; *nr: how many there are. */
const struct err *tracedat_problem(const struct tracedat *t, uint64_t *nr);

/* What else is to be known of its figures; or "". */
const char *tracedat_remarks(const struct tracedat *t);
bool tracedat_lost_shared(const struct tracedat *t); /* what was lost is an estimate, see above */

#endif
