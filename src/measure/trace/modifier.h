/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * modifier - what is made of a number that samples are summed up by: FIELD.hex, FIELD.log2, FIELD.syscall.
 *
 * The names are those of the kernel's hist triggers (Documentation/trace/histogram.rst).
 *
 * Threads: pure.
 */
#ifndef RINGTOP_MEASURE_TRACE_MODIFIER_H
#define RINGTOP_MEASURE_TRACE_MODIFIER_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum modifier {
	MODIFIER_NONE,
	MODIFIER_HEX,     /* a text: "0x1f" */
	MODIFIER_LOG2,    /* a number: the power of two below or equal; 0 of 0 */
	MODIFIER_SYSCALL, /* a text: "openat", or the number where none is known (measure/trace/syscalls.h) */
};

/* What `name`, which is no field's, has behind its last dot; *len: of the field's name.  -EINVAL: no such, or no dot. */
int modifier_find(const char *name, size_t *len, enum modifier *m, struct err *err);

/* As it is kept in a key. */
static inline uint64_t modifier_word(enum modifier m, uint64_t n)
{
	return m == MODIFIER_LOG2 && n ? 1ull << (63 - __builtin_clzll(n)) : n;
}

/* As a person reads it. */
void modifier_text(enum modifier m, uint64_t word, char *buf, size_t size);

#endif
