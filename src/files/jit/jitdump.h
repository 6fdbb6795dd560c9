/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jitdump - reads jit-PID.dump as a JIT writes it: code generated, code moved, source lines.
 *
 * Source of the format: Linux, tools/perf/Documentation/jitdump-specification.txt (version 2).
 * Either byte order. The file grows while it is read, so one pass takes all complete records and
 * jitdump_place tells where the next continues. Of code, lines and unwinding information only the
 * places in the file are kept. The profiled process chooses the contents: a pass is bounded in
 * bytes and records, a record's sizes are checked against the file, and nothing is mapped. A helper
 * reads a file that is not root's: files/jit/jitdump_sandbox.h.
 *
 * Threads: pure, except for the file; any worker.
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
#define JITDUMP_LINES_BYTES  (4u << 20) /* bytes read of one function's lines */

/*
 * A file of `size` bytes: fd, or in memory if mem is not NULL. path: its path in our own file
 * system, if it may be root's own (sandbox_trusts).
 */
struct jitdump_file {
	int fd;
	const uint8_t *mem;
	uint64_t size;
	const char *path;
};

/* Progress of reading a file; zeroed: nothing read. */
struct jitdump_place {
	uint64_t offset;
	uint64_t lines;       /* offset of the DEBUG_INFO record for the next LOAD; 0: none */
	uint64_t lines_of;    /* its code address */
	uint64_t unwind;      /* offset of the UNWINDING_INFO record for the next LOAD; 0: none */
	uint32_t machine;     /* ELF e_machine */
	bool swapped;         /* of the other byte order */
	bool arch_time;       /* times are of the machine's counter, not CLOCK_MONOTONIC */
	bool skewed;          /* V8: lines' addresses are 64 bytes (an ELF header) too high */
	bool closed;          /* the runtime has closed the file */
};

enum jitdump_kind { JITDUMP_LOAD, JITDUMP_MOVE };

struct jitdump_event {
	enum jitdump_kind kind;
	uint64_t time;        /* as in the file */
	uint64_t addr, size;  /* new place of the code */
	uint64_t from;        /* MOVE: old place of the code */
	uint64_t index;       /* the runtime's number of the code */
	uint64_t code;        /* LOAD: offset of its bytes; 0: not in the file */
	uint64_t lines, unwind; /* LOAD: offsets of records, 0: none */
	size_t name;          /* LOAD: offset in the batch's names, demangled; NUL-terminated */
};

struct jitdump_batch { /* to be zeroed first, and not moved */
	struct budget budget; /* memory of the members below */
	struct jitdump_event *event;
	char *names;
	size_t nr, cap, nnames, cap_names;
	struct demangle_work readable; /* cost of demangling */
	uint64_t bad;  /* malformed records */
	bool more;     /* the pass ended at its bounds, not at the end of the data */
};

/*
 * Read the records since *at. Return 0, -EPROTO (not a jitdump, or an unknown version), -EIO,
 * -ENOMEM or -ENOBUFS (the batch is valid, and *at matches it).
 */
int jitdump_read(const struct jitdump_file *f, struct jitdump_place *at, struct jitdump_batch *b,
		 struct err *err);
void jitdump_batch_clear(struct jitdump_batch *b);

/* A source line, of the code from this offset to the next line's. */
struct jitdump_line {
	uint32_t offset; /* from the function's start */
	uint32_t line;   /* from 1 */
	uint32_t column; /* 0: not known */
	uint32_t file;   /* offset in names; NUL-terminated */
};

struct jitdump_lines { /* to be zeroed first */
	struct jitdump_line *line; /* by offset */
	char *names;
	size_t nr, cap, nnames, cap_names;
};

/*
 * Read the lines of a function of size bytes from the DEBUG_INFO record at `offset`. Lines outside
 * of the function are left out. Return 0, -EINVAL (no such record there, or files without names),
 * -EIO, -ENOMEM.
 */
int jitdump_read_lines(const struct jitdump_file *f, const struct jitdump_place *at,
		       uint64_t offset, uint64_t size, struct jitdump_lines *lines);
void jitdump_lines_clear(struct jitdump_lines *lines);

/* Return true, and the number as *pid, for a path whose last part is "jit-NUMBER.dump". */
bool jitdump_is_name(const char *path, uint32_t *pid);

#endif
