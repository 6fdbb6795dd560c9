/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perfwrite - structs in, the bytes of a perf.data file out: its header, the descriptions of its
 * events, records that perf itself would make up, and the contents of feature sections.
 *
 *   file header ─ ids ─ descriptions of events ─ records ... ─ table of features ─ features
 *
 * Bytes go to the end of a growing buffer; where memory ends, `failed` is set and stays, and all
 * that follows is dropped, so that it is asked once.  Numbers are in our own byte order.
 *
 * Format: tools/perf/Documentation/perf.data-file-format.txt of the kernel, and what perf 6.1 reads.
 * Threads: one owner.  Pure.
 */
#ifndef RINGTOP_FILES_DECODE_PERFWRITE_H
#define RINGTOP_FILES_DECODE_PERFWRITE_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buildid.h"
#include "files/decode/record.h"

struct perfwrite {
	char *data;
	size_t len, cap;
	bool failed;
	uint64_t trailer; /* sample_type of the sample_id behind records; the caller's to set */
};

void perfwrite_clear(struct perfwrite *w);
void perfwrite_bytes(struct perfwrite *w, const void *bytes, size_t len);

/* --- the file ----------------------------------------------------------------------------- */

#define PERFWRITE_HEADER   104 /* size of the file header */
#define PERFWRITE_FEATURES 64  /* numbers below it may be used */

/* Numbers of the feature sections that we fill. */
enum perfwrite_feature {
	PERFWRITE_TRACING_DATA = 1, PERFWRITE_BUILD_ID = 2, PERFWRITE_HOSTNAME = 3,
	PERFWRITE_OSRELEASE = 4, PERFWRITE_VERSION = 5, PERFWRITE_ARCH = 6, PERFWRITE_NRCPUS = 7,
	PERFWRITE_CPUDESC = 8, PERFWRITE_CPUID = 9, PERFWRITE_TOTAL_MEM = 10,
	PERFWRITE_CMDLINE = 11, PERFWRITE_EVENT_DESC = 12, PERFWRITE_PMU_MAPPINGS = 16,
	PERFWRITE_AUXTRACE = 18, PERFWRITE_SAMPLE_TIME = 21,
};

struct perfwrite_section {
	uint64_t offset, size;
};

/* One event of the file: borrowed. */
struct perfwrite_event {
	const struct perf_event_attr *attr;
	const char *name;
	const uint64_t *ids; /* of its counters */
	size_t nids;
};

/*
 * The ids and then the descriptions of the events, as they stand from `at` in the file on; *attrs
 * is where the descriptions are.  An attribute is written no longer than its fields need, so that
 * an older perf reads it.
 */
void perfwrite_events(struct perfwrite *w, uint64_t at, const struct perfwrite_event *events,
		      unsigned nr, struct perfwrite_section *attrs);

/*
 * The file header.  A data size of 0 says that the recording is not finished.  `features` is a set
 * of bits by number; their table stands behind the data.
 */
void perfwrite_header(struct perfwrite *w, unsigned nevents, struct perfwrite_section attrs,
		      struct perfwrite_section data, uint64_t features);

/* --- records ------------------------------------------------------------------------------ */

/* What a record's sample_id says; all zero for what was there before. */
struct perfwrite_id {
	uint32_t pid, tid;
	uint64_t time, id;
	uint32_t cpu;
};

/* The first `body` bytes of a record, which stand before its sample_id, with one of ours. */
void perfwrite_again(struct perfwrite *w, const struct perf_event_header *h, size_t body,
		     const struct perfwrite_id *id);

/* Maps of the kernel and its modules; m->pid is that of the host's kernel, -1. */
void perfwrite_kernel_map(struct perfwrite *w, const struct record_mmap *m);
void perfwrite_map(struct perfwrite *w, const struct record_mmap *m); /* MMAP2 of a process */
void perfwrite_comm(struct perfwrite *w, const struct record_comm *c);

/* Of a task that was there before: it has its parent's maps no more. */
void perfwrite_fork(struct perfwrite *w, const struct record_task *t);

/* What a ring, or we, had no room for, of the event that id->id belongs to. */
void perfwrite_lost(struct perfwrite *w, const struct perfwrite_id *id, uint64_t lost);

/* All samples that an event lost, said once at the end. */
void perfwrite_lost_samples(struct perfwrite *w, const struct perfwrite_id *id, uint64_t lost);

/* Whatever came so far is older than what comes after the next of these. */
void perfwrite_round(struct perfwrite *w);

/* Who writes under an id, and -1 where it is no one CPU or thread; `idx` is the number of its ring. */
struct perfwrite_index {
	uint64_t id, idx;
	int64_t cpu, tid;
};

/* ID_INDEX records: AUX samples are sorted into CPUs by them, and they stand before AUXTRACE_INFO. */
void perfwrite_id_index(struct perfwrite *w, const struct perfwrite_index *index, size_t nr);

/* AUXTRACE_INFO: `type` and the words are the decoder's (1: intel_pt). */
void perfwrite_auxtrace_info(struct perfwrite *w, uint32_t type, const uint64_t *words, unsigned nr);

#define PERFWRITE_AUXTRACE_RECORD 48 /* size of the record without its bytes */

/*
 * The head of an AUXTRACE record: `size` bytes follow, padded with zeros to a multiple of 8 (which
 * the caller does too: perfwrite_padding).
 */
struct perfwrite_auxtrace {
	uint64_t size;      /* of the trace, unpadded */
	uint64_t offset;    /* in the CPU's stream, unpadded */
	uint64_t reference; /* cycles when it was read */
	uint32_t idx;       /* which ring */
	int32_t tid, cpu;   /* -1: none */
};

void perfwrite_auxtrace(struct perfwrite *w, const struct perfwrite_auxtrace *a);

static inline unsigned perfwrite_padding(uint64_t size)
{
	return (unsigned)(-size & 7);
}

/* --- contents of features ----------------------------------------------------------------- */

void perfwrite_u32(struct perfwrite *w, uint32_t v);
void perfwrite_u64(struct perfwrite *w, uint64_t v);
void perfwrite_string(struct perfwrite *w, const char *text);
void perfwrite_event_desc(struct perfwrite *w, const struct perfwrite_event *events, unsigned nr);

/* One object; nothing where the id is not known, or too long for a record. */
void perfwrite_build_id(struct perfwrite *w, const char *path, const struct build_id *id, bool kernel);

#endif
