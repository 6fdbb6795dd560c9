/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perfdata - reads the output of `perf record`: a file with a header and sections, or a stream
 * (pipe format) that carries their contents as records; of either byte order, compressed or not.
 *
 *   perfdata_open ─▶ info, events, build-ids ─▶ perfdata_next ... perfdata_next ─▶ 0 or an error
 *
 * Records are returned in file order, in our byte order and unpacked. They are not in order of
 * time: see order.h. Nothing in the file is trusted: every size is checked, every count bounded,
 * and an error names the offset. Problems that do not end the reading (an unreadable section, a
 * single bad record) are kept in perfdata_problem.
 *
 * Another process may read the file and send the result: perfdata_wire.h.
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
	struct perf_event_attr attr; /* the fields that we know; the rest zero */
	struct record_layout layout;
	char name[128];
};

struct perfdata_build_id {
	char *path;      /* "[kernel.kallsyms]", "[vdso]", "/usr/bin/..." */
	struct build_id id;
	bool kernel;
};

struct perfdata_format { /* format of a tracepoint that is one of the file's events */
	/* as in tracefs of the recording machine; at most TRACINGDATA_FORMAT_MOST bytes */
	char *system, *text;
	size_t len;
	uint64_t id;         /* perf_event_attr.config */
};

struct perfdata_info {
	char host[65], release[65], arch[33], command[256]; /* "": not known */
	unsigned cpus;           /* 0: not known */
	uint64_t first, last;    /* times of the first and last sample; 0: not known */
	uint64_t clock, wall;    /* perf's clock and CLOCK_REALTIME at one moment; 0: not known */
	uint64_t data, data_end; /* offsets of the records; end UINT64_MAX: at the file's end */
	unsigned long_size;      /* bytes of a long in tracepoints' records: 4 or 8; 0: not known */
	bool pipe, swapped;
	/* losses are not recorded by event: they were divided among the events */
	bool lost_shared;
	char remark[256];        /* a converter's note on the figures of its stream, or "" */
};

struct perfdata_record {
	const struct perf_event_header *h; /* aligned; valid until the next call */
	uint32_t event;    /* index of its event, or PERFDATA_NO_EVENT */
	uint64_t time;     /* perf's clock, 0: the record has none */
	uint64_t offset;   /* in the file; of a compressed record: its packet's */
};

struct perfdata;

/*
 * Open a file. The source stays the caller's and must outlive the result. Return NULL with err:
 * EBADMSG if it is not a perf.data file.
 */
struct perfdata *perfdata_open(const struct perfdata_source *source, struct err *err);
void perfdata_close(struct perfdata *p);

const struct perfdata_info *perfdata_info(const struct perfdata *p);
unsigned perfdata_events(const struct perfdata *p); /* at least one */
const struct perfdata_event *perfdata_event(const struct perfdata *p, unsigned i);
size_t perfdata_build_ids(const struct perfdata *p); /* may grow while a stream is read */
const struct perfdata_build_id *perfdata_build_id(const struct perfdata *p, size_t i);

/*
 * Formats of the tracepoints among the events, each id once; complete from the start. A file of the
 * other byte order has none: its tracepoint records are not converted.
 */
size_t perfdata_formats(const struct perfdata *p);
const struct perfdata_format *perfdata_format(const struct perfdata *p, size_t i);

/*
 * Return the recorded copy of /proc/kallsyms, or of tracefs' printk_formats, raw, *len bytes long,
 * owned by p; NULL: there is none, or another process reads the file.
 */
const char *perfdata_kallsyms(const struct perfdata *p, size_t *len);
const char *perfdata_printk(const struct perfdata *p, size_t *len);

/*
 * Read the next record. Return 1 with *rec; 0 at the end; -EBADMSG with err if the file is broken
 * or cut off, -ENOMEM, -EIO and so on: nothing follows.
 */
int perfdata_next(struct perfdata *p, struct perfdata_record *rec, struct err *err);

/* Return the index of the event that has this id, or PERFDATA_NO_EVENT. */
uint32_t perfdata_find(const struct perfdata *p, uint64_t id);

/* Count a bad record; the first one is kept as the problem. */
void perfdata_complain(struct perfdata *p, uint64_t offset, const char *what);

/*
 * perfdata_blame records `nr` problems found by a converter of the source (trace.dat), with the
 * text of the first; perfdata_remark sets its remark and lost_shared in the info.
 */
void perfdata_blame(struct perfdata *p, const struct err *problem, uint64_t nr);
void perfdata_remark(struct perfdata *p, const char *remark, bool lost_shared);

/*
 * Return the first problem that did not end the reading so far (code 0: none), and the number of
 * bad records.
 */
const struct err *perfdata_problem(const struct perfdata *p, uint64_t *bad_records);

/* Return the number of records of types newer than this program, and the first one's type. */
uint64_t perfdata_unknown(const struct perfdata *p, uint32_t *type);

/* Return the bytes of hardware trace (AUXTRACE) skipped so far. */
uint64_t perfdata_trace(const struct perfdata *p);

#endif
