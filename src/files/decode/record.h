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
#ifndef RINGTOP_FILES_DECODE_RECORD_H
#define RINGTOP_FILES_DECODE_RECORD_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SAMPLE_STEPS 15 /* fields that can follow those of fixed size */

struct record_layout {
	uint64_t sample_type;
	/* Byte offsets of the fixed fields of a sample, 0: not there. */
	uint16_t identifier, ip, tid, time, addr, id, cpu, period;
	uint16_t fixed;   /* size of header and fixed fields */
	uint16_t trailer; /* size of the sample_id at the end of other records */
	uint16_t trailer_tid, trailer_time, trailer_id, trailer_cpu; /* offsets in it + 1, 0: not there */
	/* What follows in a sample, up to the last field that is wanted. */
	uint64_t wanted; /* PERF_SAMPLE_* bits */
	uint8_t step[SAMPLE_STEPS], nsteps;
	bool raw_first; /* a tracepoint's record follows at once, and nothing that is wanted follows that */
	/* What the fields of varying size depend on. */
	uint64_t read_format, branch_type;
	uint8_t user_regs, intr_regs; /* how many */
	uint16_t max_stack; /* a chain of so many addresses may go on */
	bool both;  /* a copy of the stack, and a chain with the user's part */
	bool calls; /* beside chains, branch records that the processor keeps as a stack of calls */
};

/* With a trailer of everything the sample type has, as events with sample_id_all write it. */
void record_layout_init(struct record_layout *l, uint64_t sample_type);

/* All that an event's attribute says.  Branch records are wanted as calls, registers with a stack. */
void record_layout_init_attr(struct record_layout *l, const struct perf_event_attr *attr);

/* These PERF_SAMPLE_* are not wanted: a sample may be cut off after the last field that is. */
void record_layout_skip(struct record_layout *l, uint64_t fields);

/* The fields of varying size that somebody wants. */
enum sample_field {
	SAMPLE_READ, SAMPLE_RAW, SAMPLE_BRANCH_STACK, SAMPLE_REGS_USER, SAMPLE_STACK_USER, SAMPLE_AUX,
	SAMPLE_FIELDS
};

/* READ whole; RAW a tracepoint's record, with what pads it; BRANCH_STACK its entries; REGS the registers; STACK as much as the kernel could copy. */
struct sample_span {
	uint16_t offset; /* in the record, 0: not there; aligned to nothing */
	uint16_t len;
};

struct sample {
	const struct perf_event_header *h;
	uint64_t ip, time, identifier, period;
	uint32_t pid, tid;
	uint32_t cpu;  /* UINT32_MAX: not there */
	uint8_t mode;  /* PERF_RECORD_MISC_CPUMODE bits */
	uint8_t user_abi; /* PERF_SAMPLE_REGS_ABI_*, of REGS_USER */
	const uint64_t *chain; /* kernel's callchain with PERF_CONTEXT_* marks, NULL: none */
	uint64_t nr_chain;
	struct sample_span span[SAMPLE_FIELDS];
};

static inline const void *sample_at(const struct sample *s, enum sample_field field)
{
	return (const char *)s->h + s->span[field].offset;
}

/* All of a sample.  False where a field up to the last that is wanted does not fit the record. */
bool record_sample(const struct record_layout *l, const struct perf_event_header *h,
		   struct sample *s);

/* The counter values of SAMPLE_READ. */
struct sample_value {
	uint64_t value, id, lost; /* id 0: not there */
};

/* The i-th value; false: no more.  */
bool sample_value(const struct record_layout *l, const struct sample *s, uint64_t i,
		  struct sample_value *v);

/* The times of SAMPLE_READ, ns; of a group those of its leader. */
struct sample_times {
	uint64_t enabled, running;
};

/* False: it does not say both. */
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
	bool unregister, program; /* program: of BPF, no part of the kernel */
	const char *name;
};

struct record_lost {
	uint64_t id, lost;
};

/* PERF_RECORD_AUX: a stretch of the AUX area.  flags: PERF_AUX_FLAG_* of linux/perf_event.h. */
struct record_aux {
	uint64_t offset, size; /* snapshot mode: offset is the driver's head, the stretch's end */
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

/* LOST_SAMPLES: of the event that its sample_id names. */
bool record_lost_samples(const struct record_layout *l, const struct perf_event_header *h,
			 uint64_t *lost);

/* The stream id that a THROTTLE or UNTHROTTLE record names. */
bool record_throttle(const struct record_layout *l, const struct perf_event_header *h,
		     uint64_t *id);

/*
 * READ: what was read of a thread that ends, for sample_value and sample_times; of other fields its pid and
 * tid are set.
 */
bool record_read(const struct record_layout *l, const struct perf_event_header *h,
		 struct sample *read);

bool record_aux(const struct record_layout *l, const struct perf_event_header *h,
		struct record_aux *a);

/*
 * Put the trailer (the sample_id) of a record of the kernel's code to the record's end, where everybody looks for it.
 * Kernels of at least 5.1 to 6.18 make KSYMBOL, BPF_EVENT and TEXT_POKE longer for each event that gets one, and write the
 * trailer behind what the first had: its end is what was in the ring before.  Once, before anything reads the record.
 */
void record_mend(const struct record_layout *l, struct perf_event_header *h);

/* perf's clock of any record that is not a sample, 0 where it carries none. */
uint64_t record_time(const struct record_layout *l, const struct perf_event_header *h);

/* The thread that it is about; false: it does not say. */
bool record_thread(const struct record_layout *l, const struct perf_event_header *h, uint32_t *pid, uint32_t *tid);

/* The same for the id of the event that wrote it, and for the CPU (UINT32_MAX: none). */
uint64_t record_id(const struct record_layout *l, const struct perf_event_header *h);
uint32_t record_cpu(const struct record_layout *l, const struct perf_event_header *h);

/* Any record that is not a sample, with what it says by its type. */
struct record {
	const struct record_layout *l;
	const struct perf_event_header *h;
	uint64_t time; /* as record_time */
	uint32_t cpu;  /* as record_cpu */
	bool whole;    /* its type's fields are there */
	union {
		struct record_mmap mmap; /* MMAP and MMAP2 */
		struct record_comm comm;
		struct record_task task; /* FORK and EXIT */
		struct record_ksymbol ksymbol;
		struct record_lost lost; /* LOST; LOST_SAMPLES with an id of 0 */
	};
};

/* Also of types that are not known to us, of which only that is told. */
void record_open(const struct record_layout *l, const struct perf_event_header *h, struct record *r);

#endif
