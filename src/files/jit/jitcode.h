/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jitcode - finds the function at an address of a process at a time, from its jitdumps.
 *
 * A function holds its addresses from its LOAD (or MOVE) until another overwrites them, piece by
 * piece, or until it moves away. Recently removed pieces are kept, for samples that come late. The
 * process chooses the addresses, so every step is bounded by the logarithm of the number of pieces,
 * and memory by JITCODE_MAX functions, JITCODE_BYTES and a budget.
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
#define JITCODE_OLD   4096         /* maximum of removed pieces kept */

/*
 * A runtime may write the record of code a little after its first run (the JVM does so from another
 * thread).
 */
#define JITCODE_EARLY_NS 100000000ull

struct jitcode_function {
	uint32_t refs;     /* number of pieces */
	uint64_t serial;   /* unique in the process; from 1 */
	uint64_t start, size, born, index;
	uint64_t code, lines, unwind; /* offsets in the file, 0: none; see jitdump.h */
	uint8_t dump;      /* index of the dump in the process */
	char name[];
};

struct jitcode;

struct jitcode *jitcode_create(void); /* NULL: out of memory */
void jitcode_free(struct jitcode *j);

/*
 * Add a function of `size` bytes at start from `time` on. f's refs, serial and born are ignored.
 * Return 0, -EINVAL (empty, or wraps around), -EFBIG (the bounds above, or the budget; counted in
 * jitcode_refused), -ENOMEM.
 */
int jitcode_load(struct jitcode *j, const struct jitcode_function *f, const char *name,
		 uint64_t time);

/*
 * Move the function with this index from `from` to `to` at `time`. Return 0, -ENOENT (no such
 * function), or an error of jitcode_load.
 */
int jitcode_move(struct jitcode *j, uint64_t from, uint64_t to, uint64_t index, uint64_t time);

/* Forget pieces removed before `time`: there will be no queries for earlier times. */
void jitcode_settle(struct jitcode *j, uint64_t time);

/* Return the function at addr at that time, or NULL; valid until the next change. */
const struct jitcode_function *jitcode_find(const struct jitcode *j, uint64_t addr, uint64_t time);

size_t jitcode_count(const struct jitcode *j);     /* functions kept */
size_t jitcode_bytes(const struct jitcode *j);
uint64_t jitcode_refused(const struct jitcode *j); /* functions refused for lack of room */

#endif
