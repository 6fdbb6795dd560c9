/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perfdata - what `perf record` wrote: a file with a header and sections, or a stream (pipe format)
 * that carries the same as records of its own; of either byte order, compressed or not.
 *
 *   perfdata_open ─▶ info, events, build-ids ─▶ perfdata_next ... perfdata_next ─▶ 0 or an error
 *
 * Records come out one after the other as they stand in the file, in our byte order and unpacked.
 * They are not in order of time: see order.h.  Nothing in the file is trusted: every size is
 * checked, every count bounded, and an error names the offset.  What could not be read but can be
 * done without (a section, a single bad record) is kept in perfdata_problem.
 *
 * Another process may read the file and send what comes out: perfdata_wire.h.
 *
 * Format: tools/perf/Documentation/perf.data-file-format.txt of the kernel.
 * Threads: one owner.  No I/O but by the source's read().
 */
#ifndef RINGTOP_FILES_DECODE_PERFDATA_H
#define RINGTOP_FILES_DECODE_PERFDATA_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buildid.h"
#include "base/err.h"
#include "files/decode/perfdata_ids.h"
#include "files/decode/perfdata_input.h"
#include "files/decode/record.h"

/* perf's own records that a reader of the stream must know. */
#define PERFDATA_FINISHED_ROUND 68
#define PERFDATA_AUXTRACE       71

struct perfdata_event {
	struct perf_event_attr attr; /* what we know of it; the rest zero */
	struct record_layout layout;
	char name[128];
};

struct perfdata_build_id {
	char *path;      /* "[kernel.kallsyms]", "[vdso]", "/usr/bin/..." */
	struct build_id id;
	bool kernel;
};

struct perfdata_format { /* of a tracepoint that is one of the file's events */
	char *system, *text; /* as tracefs had it where it was recorded; of no more than TRACING_FORMAT_MOST bytes */
	size_t len;
	uint64_t id;         /* perf_event_attr.config */
};

struct perfdata_info {
	char host[65], release[65], arch[33], command[256]; /* "" where not known */
	unsigned cpus;           /* 0: not known */
	uint64_t first, last;    /* times of the first and last sample; 0: not known */
	uint64_t clock, wall;    /* perf's clock and CLOCK_REALTIME of one moment; 0: not known */
	uint64_t data, data_end; /* where the records are; end UINT64_MAX: at the file's */
	unsigned long_size;      /* bytes of a long in tracepoints' records: 4 or 8; 0: not known */
	bool pipe, swapped;
	bool lost_shared;        /* losses are not told by event: they were shared out */
	char remark[256];        /* what is to be known of its figures, by who made a stream of something else; or "" */
};

struct perfdata_record {
	const struct perf_event_header *h; /* aligned; until the next call */
	uint32_t event;    /* whose it is, or PERFDATA_NO_EVENT */
	uint64_t time;     /* perf's clock, 0: it has none */
	uint64_t offset;   /* in the file; of a compressed one: of its packet */
};

struct perfdata;

/* The source stays the caller's.  NULL with err: EBADMSG where it is no perf.data file. */
struct perfdata *perfdata_open(const struct perfdata_source *source, struct err *err);
void perfdata_close(struct perfdata *p);

const struct perfdata_info *perfdata_info(const struct perfdata *p);
unsigned perfdata_events(const struct perfdata *p); /* at least one */
const struct perfdata_event *perfdata_event(const struct perfdata *p, unsigned i);
size_t perfdata_build_ids(const struct perfdata *p); /* may grow while a stream is read */
const struct perfdata_build_id *perfdata_build_id(const struct perfdata *p, size_t i);

/*
 * Formats of tracepoints, each id once; all are there from the start.  None of a file of the other byte order: what
 * tracepoints wrote is in that.
 */
size_t perfdata_formats(const struct perfdata *p);
const struct perfdata_format *perfdata_format(const struct perfdata *p, size_t i);

/*
 * Return the copy of /proc/kallsyms, or of tracefs' printk_formats, raw, of *len bytes; NULL: there is none, or another
 * process has it.
 */
const char *perfdata_kallsyms(const struct perfdata *p, size_t *len);
const char *perfdata_printk(const struct perfdata *p, size_t *len);

/*
 * 1 and *rec; 0 at the end; -EBADMSG with err where the file is broken or cut off, -ENOMEM, -EIO
 * and so on: nothing follows.
 */
int perfdata_next(struct perfdata *p, struct perfdata_record *rec, struct err *err);

/* The event that the id was given to, or PERFDATA_NO_EVENT. */
uint32_t perfdata_find(const struct perfdata *p, uint64_t id);

/* Say that a record is not what it says: the first one is kept as the problem. */
void perfdata_complain(struct perfdata *p, uint64_t offset, const char *what);

/* The same of what the source is made of, by who read it: `nr` problems, the first of them; and info's remark and sharing. */
void perfdata_blame(struct perfdata *p, const struct err *problem, uint64_t nr);
void perfdata_remark(struct perfdata *p, const char *remark, bool lost_shared);

/* What was wrong so far but did not end it: code 0 where nothing was. */
const struct err *perfdata_problem(const struct perfdata *p, uint64_t *bad_records);

/* Records so far of types that no one knew when this was written, and the first one's type. */
uint64_t perfdata_unknown(const struct perfdata *p, uint32_t *type);

/* Bytes of hardware trace (AUXTRACE) that were passed over so far. */
uint64_t perfdata_trace(const struct perfdata *p);

#endif
