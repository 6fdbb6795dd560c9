/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jitlines - source lines of frames in generated code, from the DEBUG_INFO of a jitdump.
 *
 * Bounded: JITLINES_MAX frames of a process wait, and one pass looks at JITLINES_BATCH of them and ends
 * after JITLINES_BYTES of records; the rest is for the next pass.
 *
 * Threads: any worker; one owner of the asks.
 */
#ifndef RINGTOP_FILES_JIT_JITLINES_H
#define RINGTOP_FILES_JIT_JITLINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "files/jit/jitdump.h"

#define JITLINES_MAX   65536u
#define JITLINES_BATCH 512u
#define JITLINES_BYTES (4u << 20)

/* A frame, where its function's lines are, and where in the function it is. */
struct jitlines_ask {
	uint32_t frame, symbol;
	uint64_t ip, offset, size; /* size: of the function */
	uint64_t record;           /* in the dump */
	uint8_t dump;              /* which */
	bool done;                 /* it was looked for */
	uint32_t line;             /* 0: not known */
	size_t file;               /* in names */
};

struct jitlines { /* zeroed: empty */
	struct jitlines_ask *ask;
	size_t nr, cap;
	char *names; /* each ends with a NUL */
	size_t nnames, cap_names;
	size_t bytes; /* of records looked at */
};

/* No room is no error: the frame stays without a line. */
void jitlines_add(struct jitlines *l, const struct jitlines_ask *ask);

/* Up to JITLINES_BATCH of those in `from`, which loses them.  False: none, or no memory. */
bool jitlines_take(struct jitlines *from, struct jitlines *to);

/* Answer those of this dump, until the pass's bound. */
void jitlines_read(struct jitlines *l, uint8_t dump, const struct jitdump_file *f,
		   const struct jitdump_place *place);

void jitlines_clear(struct jitlines *l);

#endif
