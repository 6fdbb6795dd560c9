/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record - bytes of one perf record in, structs out.
 *
 * The layout of a sample follows from the event's sample_type (perf_event_open(2),
 * "PERF_RECORD_SAMPLE"); a record_layout holds it precomputed. Every read is checked against
 * header.size; strings are checked to end inside the record. Results point into the record.
 *
 * Threads: pure.  Allocates: never.  Errors: false, for a malformed record.
 */
#ifndef RINGTOP_FILES_DECODE_RECORD_H
#define RINGTOP_FILES_DECODE_RECORD_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Linux 6.19 can write the user's part of a chain later, in a record of its own. */
#define RECORD_CALLCHAIN_DEFERRED 22
#define CONTEXT_USER_DEFERRED ((uint64_t)-640) /* the chain's last mark; its cookie follows */

#define SAMPLE_PIECE 512u /* most bytes of a stack that are but a piece of it */
#define SAMPLE_STEPS 15 /* kinds of fields that can follow those of fixed size */

struct record_layout {
	uint64_t sample_type;
	/* Byte offsets of the fixed fields of a sample, 0: absent. */
	uint16_t identifier, ip, tid, time, addr, id, cpu, period;
	uint16_t fixed;   /* size of header and fixed fields */
	uint16_t trailer; /* size of the sample_id at the end of other records */
	/* offsets in the trailer + 1, 0: absent */
	uint16_t trailer_tid, trailer_time, trailer_id, trailer_cpu;
	/* Fields of varying size in a sample, up to the last one that is wanted. */
	uint64_t wanted; /* PERF_SAMPLE_* bits */
	uint8_t step[SAMPLE_STEPS], nsteps;
	bool raw_first; /* a tracepoint's data come first, and no wanted field after them */
	/* Attribute fields that the sizes depend on. */
	uint64_t read_format, branch_type;
	uint8_t user_regs, intr_regs; /* number of registers */
	uint16_t max_stack; /* a chain of this many addresses may be cut off */
	uint64_t user_mask; /* of the registers beside a copy of the stack */
	bool both;  /* a copy of the stack, and a chain with the user's part */
	bool piece; /* both, and the copy is but a piece that proves the chain's first callers */
	bool at_entry; /* may be hit at the entry of functions, as uprobes are */
	bool calls; /* beside chains, branch records that the processor keeps as a call stack */
};

/* Initialize for a sample type, with a trailer of all its fields (sample_id_all). */
void record_layout_init(struct record_layout *l, uint64_t sample_type);

/*
 * Return true if samples have but a piece of the stack, which proves the first callers of a chain
 * that has the user's part, too.
 */
bool record_is_piece(const struct perf_event_attr *attr);

/*
 * Initialize from an event's attribute. Branch records are wanted if they are call stacks,
 * registers if there is a stack copy.
 */
void record_layout_init_attr(struct record_layout *l, const struct perf_event_attr *attr);

/* Drop PERF_SAMPLE_* from the wanted fields: a sample may be cut off after the last wanted one. */
void record_layout_skip(struct record_layout *l, uint64_t fields);

/* Fields of varying size that are extracted. */
enum sample_field {
	SAMPLE_READ,
	SAMPLE_RAW,
	SAMPLE_BRANCH_STACK,
	SAMPLE_REGS_USER,
	SAMPLE_STACK_USER,
	SAMPLE_AUX,
	SAMPLE_FIELDS
};

/*
 * Part of a sample: READ in whole; RAW a tracepoint's data with padding; BRANCH_STACK the entries;
 * REGS the registers; STACK as much as the kernel could copy.
 */
struct sample_span {
	uint16_t offset; /* in the record, 0: absent; not aligned */
	uint16_t len;
};

struct sample {
	const struct perf_event_header *h;
	uint64_t ip, time, identifier, period;
	uint32_t pid, tid;
	uint32_t cpu;  /* UINT32_MAX: absent */
	uint8_t mode;  /* PERF_RECORD_MISC_CPUMODE bits */
	uint8_t user_abi; /* PERF_SAMPLE_REGS_ABI_* of REGS_USER */
	const uint64_t *chain; /* the kernel's callchain with PERF_CONTEXT_* marks, NULL: none */
	uint64_t nr_chain;
	struct sample_span span[SAMPLE_FIELDS];
};

static inline const void *sample_at(const struct sample *s, enum sample_field field)
{
	return (const char *)s->h + s->span[field].offset;
}

/* Parse a sample. Return false if a field up to the last wanted one does not fit. */
bool record_sample(const struct record_layout *l, const struct perf_event_header *h,
		   struct sample *s);

/* One counter value of SAMPLE_READ. */
struct sample_value {
	uint64_t value, id, lost; /* id 0: absent */
};

/* Get the i-th value. Return false if there are no more. */
bool sample_value(const struct record_layout *l, const struct sample *s, uint64_t i,
		  struct sample_value *v);

/* Times of SAMPLE_READ in ns; in a group those of its leader. */
struct sample_times {
	uint64_t enabled, running;
};

/* Get the times. Return false if read_format does not have both. */
bool sample_times(const struct record_layout *l, const struct sample *s, struct sample_times *t);

struct record_mmap { /* PERF_RECORD_MMAP and MMAP2 */
	uint32_t pid, tid;
	uint64_t addr, len, pgoff;
	uint32_t maj, min, prot; /* MMAP: 0 */
	uint64_t ino;            /* 0: not known */
	const char *filename;
	const uint8_t *build_id; /* NULL: none */
	uint8_t build_id_len;
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
	bool unregister, program; /* program: a BPF program, not part of the kernel */
	const char *name;
};

struct record_lost {
	uint64_t id, lost;
};

/* PERF_RECORD_AUX: new bytes in the AUX area. flags: PERF_AUX_FLAG_* of linux/perf_event.h. */
struct record_aux {
	/* snapshot mode: offset is the driver's head, the end of the bytes */
	uint64_t offset, size;
	uint64_t flags;
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

/* Parse LOST_SAMPLES; the event is named by the record's sample_id. */
bool record_lost_samples(const struct record_layout *l, const struct perf_event_header *h,
			 uint64_t *lost);

/* Get the stream id of a THROTTLE or UNTHROTTLE record. */
bool record_throttle(const struct record_layout *l, const struct perf_event_header *h,
		     uint64_t *id);

/*
 * Parse READ: the counts of a thread that exits, for sample_value and sample_times. Only pid, tid
 * and the span of SAMPLE_READ are set.
 */
bool record_read(const struct record_layout *l, const struct perf_event_header *h,
		 struct sample *read);

bool record_aux(const struct record_layout *l, const struct perf_event_header *h,
		struct record_aux *a);

struct record_deferred { /* the user's part of a thread's chains that have the cookie */
	uint64_t cookie, nr;
	const uint64_t *ips; /* with marks */
};

/* Parse CALLCHAIN_DEFERRED; other types: false. */
bool record_deferred(const struct record_layout *l, const struct perf_event_header *h,
		     struct record_deferred *d);

/* Return true if the chain's user part comes later. cookie: 0 if the chain has none. */
bool sample_defers(const struct sample *s, uint64_t *cookie);

/*
 * Move the trailer (the sample_id) of a record on kernel code to the record's end, where all
 * readers expect it. Kernels of at least 5.1 to 6.18 make KSYMBOL, BPF_EVENT and TEXT_POKE longer
 * for each event that gets one, and write the trailer where the first one had it: the end is left
 * over from older records in the ring. To be called once, before anything reads the record.
 */
void record_mend(const struct record_layout *l, struct perf_event_header *h);

/* Return perf's clock of any record that is not a sample, 0: absent. */
uint64_t record_time(const struct record_layout *l, const struct perf_event_header *h);

/* Get the thread of a record that is not a sample. Return false if it has none. */
bool record_thread(const struct record_layout *l, const struct perf_event_header *h, uint32_t *pid,
		   uint32_t *tid);

/*
 * Return the id of the event that wrote a record that is not a sample (0: absent), and its CPU
 * (UINT32_MAX: absent).
 */
uint64_t record_id(const struct record_layout *l, const struct perf_event_header *h);
uint32_t record_cpu(const struct record_layout *l, const struct perf_event_header *h);

/* Any record that is not a sample, parsed by its type. */
struct record {
	const struct record_layout *l;
	const struct perf_event_header *h;
	uint64_t time; /* see record_time */
	uint32_t cpu;  /* see record_cpu */
	bool whole;    /* the fields of its type are valid */
	union {
		struct record_mmap mmap; /* MMAP and MMAP2 */
		struct record_comm comm;
		struct record_task task; /* FORK and EXIT */
		struct record_ksymbol ksymbol;
		struct record_lost lost; /* LOST; LOST_SAMPLES with an id of 0 */
	};
};

/* Parse any record that is not a sample. Of unknown types only time and CPU are set. */
void record_open(const struct record_layout *l, const struct perf_event_header *h,
		 struct record *r);

#endif
