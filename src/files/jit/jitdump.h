/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jitdump - what a JIT writes to jit-PID.dump: code it made, code it moved, lines of its source.
 *
 * Source of the format: Linux, tools/perf/Documentation/jitdump-specification.txt (version 2).
 * Either byte order.  The file grows while it is read, so one pass takes what is whole by now and
 * jitdump_place says where the next goes on.  Of code, lines and unwinding information only their
 * places in the file are kept.  The file is the profiled process's to choose: a pass is bounded in bytes
 * and records, a record's sizes are believed only inside the file, and nothing is mapped.  One that is not
 * root's is read by a helper: files/jit/jitdump_fence.h.
 *
 * Threads: pure, but for the file; any worker.
 */
#ifndef RINGTOP_FILES_JIT_JITDUMP_H
#define RINGTOP_FILES_JIT_JITDUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/budget.h"
#include "base/err.h"
#include "files/elf/demangle.h"

#define JITDUMP_PASS_RECORDS 65536u     /* records of one pass */
#define JITDUMP_PASS_BYTES   (16u << 20) /* bytes read in one pass */
#define JITDUMP_NAME_MAX     4096u      /* longer names are cut */
#define JITDUMP_LINES_MAX    65536u     /* lines of one function */
#define JITDUMP_LINES_BYTES  (4u << 20) /* looked at of one function's lines */

/*
 * Where the file is: behind fd, or in memory where mem is not NULL.  Size bytes.  path: where it is in our own
 * file system, if it may be root's own (fence_trusts).
 */
struct jitdump_file {
	int fd;
	const uint8_t *mem;
	uint64_t size;
	const char *path;
};

/* How far a file was read; zeroed: not at all. */
struct jitdump_place {
	uint64_t offset;
	uint64_t lines;       /* offset of the DEBUG_INFO record for the next LOAD; 0: none */
	uint64_t lines_of;    /* the code address it is for */
	uint64_t unwind;      /* offset of its UNWINDING_INFO record; 0: none */
	uint32_t machine;     /* ELF e_machine */
	bool swapped;         /* of the other byte order */
	bool arch_time;       /* timestamps are the machine's counter, not CLOCK_MONOTONIC */
	bool skewed;          /* V8: lines stand 64 bytes (an ELF header) after the code they are for */
	bool closed;          /* the runtime has said that no more will come */
};

enum jitdump_kind { JITDUMP_LOAD, JITDUMP_MOVE };

struct jitdump_event {
	enum jitdump_kind kind;
	uint64_t time;        /* as in the file */
	uint64_t addr, size;  /* where the code is from now on */
	uint64_t from;        /* MOVE: where it was */
	uint64_t index;       /* the runtime's number of it */
	uint64_t code;        /* LOAD: offset of its bytes; 0: not in the file */
	uint64_t lines, unwind; /* LOAD: offsets of records, 0: none */
	size_t name;          /* LOAD: in the batch's names, readable; ends with a NUL */
};

struct jitdump_batch { /* to be zeroed first, and not moved */
	struct budget budget; /* what the rest takes */
	struct jitdump_event *event;
	char *names;
	size_t nr, cap, nnames, cap_names;
	struct demangle_work readable; /* what it took to make names so */
	uint64_t bad;  /* records that were not what they said */
	bool more;     /* the pass ended at its bounds, not at the end of what is there */
};

/*
 * Read what came since *at.  0; -EPROTO (not a jitdump, or a version we do not know); -EIO; -ENOMEM, -ENOBUFS
 * (what is in the batch counts, and *at fits it).
 */
int jitdump_read(const struct jitdump_file *f, struct jitdump_place *at, struct jitdump_batch *b,
		 struct err *err);
void jitdump_batch_clear(struct jitdump_batch *b);

/* A line of source from this offset in the code on, until the next line. */
struct jitdump_line {
	uint32_t offset; /* of the function's start */
	uint32_t line;   /* from 1 */
	uint32_t column; /* 0: not known */
	uint32_t file;   /* in names; ends with a NUL */
};

struct jitdump_lines { /* to be zeroed first */
	struct jitdump_line *line; /* by offset */
	char *names;
	size_t nr, cap, nnames, cap_names;
};

/*
 * The lines of a function of size bytes, out of the DEBUG_INFO record at `offset`.  0; -EINVAL (no
 * such record there, or files that have no names); -EIO; -ENOMEM.  What lies outside the function is left out.
 */
int jitdump_read_lines(const struct jitdump_file *f, const struct jitdump_place *at, uint64_t offset,
		       uint64_t size, struct jitdump_lines *lines);
void jitdump_lines_clear(struct jitdump_lines *lines);

/* True and *pid for a path whose last part is "jit-NUMBER.dump". */
bool jitdump_is_name(const char *path, uint32_t *pid);

#endif
