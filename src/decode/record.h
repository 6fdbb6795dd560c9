/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record - bytes of one perf record in, structs out.
 *
 * The layout of a sample follows from the event's sample_type (perf_event_open(2), "PERF_RECORD_SAMPLE");
 * a record_layout holds it worked out.  Every read is checked against header.size; strings are
 * checked to end inside the record.  Results point into the record.
 *
 * Threads: pure.  Allocates: never.  Errors: false, for a record that is not what it says.
 */
#ifndef RINGTOP_DECODE_RECORD_H
#define RINGTOP_DECODE_RECORD_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct record_layout {
	uint64_t sample_type;
	/* Byte offsets of the fixed fields of a sample, 0: not there. */
	uint16_t identifier, ip, tid, time, addr, id, cpu, period;
	uint16_t fixed;   /* size of header and fixed fields */
	uint16_t trailer; /* size of the sample_id at the end of other records */
	uint16_t trailer_tid, trailer_time; /* offsets in it + 1, 0: not there */
};

void record_layout_init(struct record_layout *l, uint64_t sample_type);

struct sample {
	uint64_t ip, time, identifier, period;
	uint32_t pid, tid;
	const uint64_t *chain; /* kernel's callchain with PERF_CONTEXT_* marks, NULL: none */
	uint64_t nr_chain;
};

bool record_sample(const struct record_layout *l, const struct perf_event_header *h,
		   struct sample *s);

struct record_mmap { /* PERF_RECORD_MMAP and MMAP2 */
	uint32_t pid, tid;
	uint64_t addr, len, pgoff;
	uint32_t maj, min, prot; /* MMAP: 0 */
	uint64_t ino;            /* 0: not known */
	const char *filename;
};

struct record_comm {
	uint32_t pid, tid;
	const char *comm;
	bool exec;
};

struct record_task { /* FORK and EXIT */
	uint32_t pid, ppid, tid, ptid;
};

struct record_ksymbol {
	uint64_t addr;
	uint32_t len;
	bool unregister;
	const char *name;
};

struct record_lost {
	uint64_t id, lost;
};

bool record_mmap(const struct record_layout *l, const struct perf_event_header *h,
		 struct record_mmap *m);
bool record_comm(const struct record_layout *l, const struct perf_event_header *h,
		 struct record_comm *c);
bool record_task(const struct record_layout *l, const struct perf_event_header *h,
		 struct record_task *t);
bool record_ksymbol(const struct record_layout *l, const struct perf_event_header *h,
		    struct record_ksymbol *k);
bool record_lost(const struct record_layout *l, const struct perf_event_header *h,
		 struct record_lost *lost);

/* The stream id that a THROTTLE or UNTHROTTLE record names. */
bool record_throttle(const struct record_layout *l, const struct perf_event_header *h,
		     uint64_t *id);

/* perf's clock of any record that is not a sample, 0 where it carries none. */
uint64_t record_time(const struct record_layout *l, const struct perf_event_header *h);

#endif
