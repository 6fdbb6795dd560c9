/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perfwrite - structs in, the bytes of a perf.data file out: its header, the descriptions of its
 * events, records that perf itself would synthesize, and the contents of feature sections.
 *
 *   file header ─ ids ─ descriptions of events ─ records ... ─ table of features ─ features
 *
 * Bytes are appended to a growing buffer; without memory `failed` is set and stays, and everything
 * that follows is dropped, so callers check once. Numbers are in our own byte order.
 *
 * Format: tools/perf/Documentation/perf.data-file-format.txt of the kernel, and what perf 6.1
 * reads.
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
	uint64_t trailer; /* sample_type of the sample_id behind records; set by the caller */
};

void perfwrite_clear(struct perfwrite *w);
void perfwrite_bytes(struct perfwrite *w, const void *bytes, size_t len);

/* --- the file ----------------------------------------------------------------------------- */

#define PERFWRITE_HEADER   104 /* size of the file header */
#define PERFWRITE_FEATURES 64  /* limit of feature numbers */

/* Numbers of the feature sections that are written. */
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

/* One event of the file; everything is borrowed. */
struct perfwrite_event {
	const struct perf_event_attr *attr;
	const char *name;
	const uint64_t *ids; /* of its counters */
	size_t nids;
};

/*
 * Append the ids and then the descriptions of the events. `at` is the offset of the first byte in
 * the file; *attrs is set to the place of the descriptions. Attributes are written no longer than
 * their fields need, so that an older perf can read them.
 */
void perfwrite_events(struct perfwrite *w, uint64_t at, const struct perfwrite_event *events,
		      unsigned nr, struct perfwrite_section *attrs);

/*
 * Append the file header. A data size of 0 marks an unfinished recording. `features` is a set of
 * bits by number; their table stands behind the data.
 */
void perfwrite_header(struct perfwrite *w, unsigned nevents, struct perfwrite_section attrs,
		      struct perfwrite_section data, uint64_t features);

/* --- records ------------------------------------------------------------------------------ */

/* A record's sample_id; all zero for synthesized records on what existed before. */
struct perfwrite_id {
	uint32_t pid, tid;
	uint64_t time, id;
	uint32_t cpu;
};

/*
 * Append a copy of a record: its first `body` bytes, which end before its sample_id, with `id` as
 * the new sample_id.
 */
void perfwrite_again(struct perfwrite *w, const struct perf_event_header *h, size_t body,
		     const struct perfwrite_id *id);

/* Append a map of the kernel or of a module; m->pid is -1, for the host's kernel. */
void perfwrite_kernel_map(struct perfwrite *w, const struct record_mmap *m);
void perfwrite_map(struct perfwrite *w, const struct record_mmap *m); /* MMAP2 of a process */
void perfwrite_comm(struct perfwrite *w, const struct record_comm *c);

/* Append a FORK record of a task that existed before: it no longer has its parent's maps. */
void perfwrite_fork(struct perfwrite *w, const struct record_task *t);

/* Append the number of records lost, by a ring or by us, of the event that has id->id. */
void perfwrite_lost(struct perfwrite *w, const struct perfwrite_id *id, uint64_t lost);

/* Append the total of lost samples of an event, once at the end. */
void perfwrite_lost_samples(struct perfwrite *w, const struct perfwrite_id *id, uint64_t lost);

/* End a round: everything before it is older than everything after the next one. */
void perfwrite_round(struct perfwrite *w);

/* CPU and thread that write under an id (-1: not a single one); `idx` is the number of its ring. */
struct perfwrite_index {
	uint64_t id, idx;
	int64_t cpu, tid;
};

/*
 * Append ID_INDEX records. Readers sort AUX samples by CPU with them, and need them before
 * AUXTRACE_INFO.
 */
void perfwrite_id_index(struct perfwrite *w, const struct perfwrite_index *index, size_t nr);

/* Append AUXTRACE_INFO: `type` and the words are for the decoder (1: intel_pt). */
void perfwrite_auxtrace_info(struct perfwrite *w, uint32_t type, const uint64_t *words,
			     unsigned nr);

#define PERFWRITE_AUXTRACE_RECORD 48 /* size of the record without the trace */

/*
 * Head of an AUXTRACE record: `size` bytes of trace follow, which the caller writes and pads with
 * zeros to a multiple of 8 (perfwrite_padding).
 */
struct perfwrite_auxtrace {
	uint64_t size;      /* bytes of trace, unpadded */
	uint64_t offset;    /* in the CPU's stream, unpadded */
	uint64_t reference; /* time stamp counter when the trace was read */
	uint32_t idx;       /* number of the ring */
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

/* Append an object's build-id; nothing if it is unknown, or too long for a record. */
void perfwrite_build_id(struct perfwrite *w, const char *path, const struct build_id *id,
			bool kernel);

#endif
