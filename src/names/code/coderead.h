/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * coderead - the worker's part of codejob: reads and decodes a function's bytes, and finds its
 * source lines.
 *
 * Code in a file is read from it, and only if it is the file that was mapped; the kernel's code
 * from /proc/kcore, a JIT's from its jitdump or the memory of its process.  Bounded: one page
 * (CODE_PAGE_BYTES) of a function, of which at most CODEREAD_FUNCTION_MAX bytes are read.
 *
 * Threads: one owner at a time; coderead_run() on any worker.
 */
#ifndef RINGTOP_NAMES_CODE_CODEREAD_H
#define RINGTOP_NAMES_CODE_CODEREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/budget.h"
#include "base/err.h"
#include "files/elf/image.h"
#include "files/jit/jitdump.h"
#include "core/slice/code.h"

#define CODEREAD_FUNCTION_MAX (8u << 20) /* longer ones are decoded from the requested address */
#define CODEREAD_SPAN         512u       /* bytes shown where no function is known */

/* Offsets of the function's code and line records in a jitdump. */
struct coderead_dump {
	int fd; /* our own descriptor; -1: none */
	uint64_t start, size, code, lines; /* code, lines: offsets in the dump, 0: none */
	struct jitdump_place place;
};

struct coderead {
	struct budget budget;
	struct code *code;
	bool with_lines;
	char *path;             /* of the object, as in the kernel's records */
	struct objfile file;    /* where it can be found; else its process */
	struct coderead_dump dump;
	uint64_t moved;         /* recorded address - address in our kernel */
	/* used by the worker */
	struct image image;     /* the object's file, while lines are looked for; else no path */
	uint8_t *bytes;
	size_t nbytes;
	uint16_t machine;
};

/*
 * Set the range to read of a function (size 0: not known, it begins at addr): all of it, or the
 * page that r->code->place.addr is in.
 */
void coderead_set_range(struct coderead *r, uint64_t addr, uint64_t size);

/* Read and decode into r->code: instructions, or the reason why there are none. */
void coderead_run(struct coderead *r);

void coderead_say(char **to, const struct err *err); /* replace *to by text and advice, malloc'ed */
void coderead_clear(struct coderead *r); /* frees r->code too */

#endif
