/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jitlines - source lines of frames in generated code, from the DEBUG_INFO of a jitdump.
 *
 * Bounded: JITLINES_MAX frames of a process wait, and one pass takes JITLINES_BATCH of them and
 * ends after JITLINES_BYTES of records; the others are left to the next pass.
 *
 * Threads: any worker; one owner of the requests.
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

/* A frame, the place of its function's lines, and its offset in the function. */
struct jitlines_ask {
	uint32_t frame, symbol;
	uint64_t ip, offset, size; /* size: of the function */
	uint64_t record;           /* offset of the lines' record in the dump */
	uint8_t dump;              /* index of the dump */
	bool done;                 /* the look-up has been made */
	uint32_t line;             /* 0: not known */
	size_t file;               /* offset in names */
};

struct jitlines { /* zeroed: empty */
	struct jitlines_ask *ask;
	size_t nr, cap;
	char *names; /* NUL-terminated each */
	size_t nnames, cap_names;
	size_t bytes; /* bytes of records read */
};

/* Add a request. Without room it is dropped: the frame stays without a line. */
void jitlines_add(struct jitlines *l, const struct jitlines_ask *ask);

/*
 * Move up to JITLINES_BATCH requests from `from` to the empty `to`. Return false if there are none,
 * or no memory.
 */
bool jitlines_take(struct jitlines *from, struct jitlines *to);

/* Look up the requests for this dump, up to the pass's bound. */
void jitlines_read(struct jitlines *l, uint8_t dump, const struct jitdump_file *f,
		   const struct jitdump_place *place);

void jitlines_clear(struct jitlines *l);

#endif
