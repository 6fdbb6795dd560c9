/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jitcode - which function stood at an address of a process at a time, as its jitdump says.
 *
 * A function holds its addresses from its LOAD (or MOVE) until another is put over them, piece by
 * piece, or until it moves away.  What went lately is remembered, for samples that come late.
 * The addresses are the process's to choose: every step is bounded by the logarithm of what is
 * kept, and what is kept by JITCODE_MAX functions, JITCODE_BYTES and a budget.
 *
 * Threads: the resolver's.  Times: perf's clock.
 */
#ifndef RINGTOP_FILES_JIT_JITCODE_H
#define RINGTOP_FILES_JIT_JITCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JITCODE_MAX   (1u << 20)
#define JITCODE_BYTES (256u << 20) /* of functions with their names */
#define JITCODE_OLD   4096         /* pieces that went, remembered */

/* A runtime may tell of code a little after it first ran (the JVM does so from another thread). */
#define JITCODE_EARLY_NS 100000000ull

struct jitcode_function {
	uint32_t refs;     /* of pieces */
	uint64_t serial;   /* no other function of the process has it; from 1 */
	uint64_t start, size, born, index;
	uint64_t code, lines, unwind; /* offsets in the file, 0: none; see jitdump.h */
	uint8_t dump;      /* which of the process's files */
	char name[];
};

struct jitcode;

struct jitcode *jitcode_create(void); /* NULL: out of memory */
void jitcode_free(struct jitcode *j);

/*
 * A function of `size` bytes stands at start from `time` on.  f's refs, serial and born are
 * not looked at.  0; -EFBIG (the bounds above, or the budget; counted in jitcode_refused); -ENOMEM.
 */
int jitcode_load(struct jitcode *j, const struct jitcode_function *f, const char *name,
		 uint64_t time);

/* The function with this index at `from` stands at `to` from `time` on.  -ENOENT: no such. */
int jitcode_move(struct jitcode *j, uint64_t from, uint64_t to, uint64_t index, uint64_t time);

/* Nobody will ask for times before this. */
void jitcode_settle(struct jitcode *j, uint64_t time);

/* What stood at addr at that time, or NULL; valid until the next change. */
const struct jitcode_function *jitcode_find(const struct jitcode *j, uint64_t addr, uint64_t time);

size_t jitcode_count(const struct jitcode *j);     /* functions kept */
size_t jitcode_bytes(const struct jitcode *j);
uint64_t jitcode_refused(const struct jitcode *j); /* functions that found no room */

#endif
