/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fieldform - display forms of numbers that samples are summed up by: FIELD.hex, FIELD.log2,
 * FIELD.syscall.
 *
 * Their names are those of the kernel's hist triggers (Documentation/trace/histogram.rst).
 *
 * Threads: pure.
 */
#ifndef RINGTOP_MEASURE_TRACE_FIELDFORM_H
#define RINGTOP_MEASURE_TRACE_FIELDFORM_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum modifier {
	FIELDFORM_NONE,
	FIELDFORM_HEX,     /* a text: "0x1f" */
	FIELDFORM_LOG2,    /* a number: the largest power of two not above it; 0 for 0 */
	FIELDFORM_SYSCALL, /* a text: "openat", or the number if unknown (syscalls.h) */
};

/*
 * Find the modifier behind the last dot of `name`; *len: the length before that dot.  -EINVAL: no
 * such modifier, or no dot.
 */
int fieldform_find(const char *name, size_t *len, enum modifier *m, struct err *err);

/* Return the word to be stored in a key for the number n. */
static inline uint64_t fieldform_word(enum modifier m, uint64_t n)
{
	return m == FIELDFORM_LOG2 && n ? 1ull << (63 - __builtin_clzll(n)) : n;
}

/* Format a key's word for display. */
void fieldform_text(enum modifier m, uint64_t word, char *buf, size_t size);

#endif
