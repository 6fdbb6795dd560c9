/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwindcase - a program with a known call chain, built, sampled by cpu-clock with registers and stack, and unwound:
 * every sample whose leaf is the function that burns the time must give the chain, and every sample at all must give
 * the frames that libunwind finds in it.
 *
 * Fails or skips the running cmocka test.
 */
#ifndef RINGTOP_TESTS_UNWINDCASE_H
#define RINGTOP_TESTS_UNWINDCASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "files/elf/elfsym.h"
#include "tests/sampled.h"
#include "files/unwind/unwind.h"

#define UNWINDCASE_CHAIN  8u
#define UNWINDCASE_ENOUGH 20u /* samples with the leaf wanted */

struct unwindcase {
	const char *name, *file, *text, *build;
	const char *before, *libs; /* a command, what follows the file's name */
	uint32_t stack;
	const char *chain[UNWINDCASE_CHAIN]; /* leaf first, with nothing between them */
	enum unwind_end end;  /* end of the samples with that leaf */
	bool guessed, slow;   /* so they were unwound */
	unsigned interrupted; /* frame that a signal interrupted, 0: none */
	unsigned calls;       /* of what the program does, each as long; 0: enough to be sampled by time */
	bool no_reference;    /* libunwind cannot: mostly for want of .eh_frame_hdr */
};


/* The symbols of the program that was sampled. */
struct unwindcase_names {
	const struct sampled_object *object;
	struct elfsym elf;
};

extern const bool unwindcase_slow; /* libunwind is built in */

/* Build it in that directory, run it, and sample it: skips the test where it may not be sampled.  sampled_free. */
void unwindcase_record(const struct unwindcase *p, const char *dir, struct sampled *s);

/* elfsym_clear(&names->elf) */
void unwindcase_load(struct unwindcase_names *names, const struct sampled *s, const char *dir, const char *program);

/* Unwind all samples.  How many had the chain's leaf, and what the unwinder counted. */
unsigned unwindcase_samples(const struct unwindcase *p, struct sampled *s, const struct unwindcase_names *names,
			    struct unwind_counts *counts);

/* All of that; there must be UNWINDCASE_ENOUGH samples with the leaf. */
void unwindcase_check(const struct unwindcase *p, const char *dir, struct unwind_counts *counts);

/*
 * Unwind at each instruction of the chain's functions, in a run of few calls: each must give the functions outwards,
 * and libunwind's frames.  At most 256 instructions a function.
 */
void unwindcase_instructions(const struct unwindcase *p, const char *dir);

#endif
