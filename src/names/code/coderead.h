/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * coderead - the worker's part of codejob: a function's bytes read and decoded, its source lines
 * found.
 *
 * What is in a file is read from it, and only where it is the file that was mapped; the kernel's code
 * from /proc/kcore, a JIT's from its jitdump or the memory of its process.  Bounded: one page
 * (CODE_PAGE_BYTES) of a function, of which at most CODEREAD_FUNCTION_MAX bytes are read.
 *
 * Threads: one owner at a time; coderead_run on any worker.
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

#define CODEREAD_FUNCTION_MAX (8u << 20) /* longer ones are decoded from the address asked for */
#define CODEREAD_SPAN         512u       /* bytes shown where no function is known to be */

/* What a jitdump has of the function. */
struct coderead_dump {
	int fd; /* of our own; -1: nothing */
	uint64_t start, size, code, lines; /* code, lines: offsets in it, 0: none */
	struct jitdump_place place;
};

struct coderead {
	struct budget budget;
	struct code *code;
	bool with_lines;
	char *path;             /* of the object, as the kernel gave it */
	struct objfile file;    /* where it can be found; its process, too, where it is no file */
	struct coderead_dump dump;
	uint64_t moved;         /* recorded address - address in our kernel */
	/* the worker's */
	struct image image;     /* of the object's file, while its lines are looked for; else its path is NULL */
	uint8_t *bytes;
	size_t nbytes;
	uint16_t machine;
};

/*
 * Set what is read of a function (size 0: not known, from addr on): all of it, or the page that
 * r->code->place.addr lies in.
 */
void coderead_set_range(struct coderead *r, uint64_t addr, uint64_t size);

/* Into r->code: instructions, or why there are none. */
void coderead_run(struct coderead *r);

void coderead_say(char **to, const struct err *err); /* text and advice, malloc'ed */
void coderead_clear(struct coderead *r); /* r->code too */

#endif
