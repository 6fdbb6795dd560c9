/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jitdumps - jitdump files in memory, in either byte order, for tests.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_TESTS_JITDUMPS_H
#define RINGTOP_TESTS_JITDUMPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct jitdumps {
	uint8_t data[65536];
	size_t len;
	bool swapped;
};

void jitdumps_begin(struct jitdumps *d, bool swapped, uint32_t pad, uint64_t flags);

/* With `size` bytes of code, each of them `fill`. */
void jitdumps_load(struct jitdumps *d, uint64_t time, uint64_t addr, uint32_t size, uint8_t fill,
		   uint64_t index, const char *name);
void jitdumps_move(struct jitdumps *d, uint64_t time, uint64_t from, uint64_t to, uint64_t size,
		   uint64_t index);

/* A DEBUG_INFO record of nr entries; addresses, lines and file names one after another. */
struct jitdumps_line {
	uint64_t addr;
	uint32_t line, column;
	const char *file;
};

void jitdumps_debug(struct jitdumps *d, uint64_t time, uint64_t addr,
		    const struct jitdumps_line *lines, size_t nr);

/* Any record. */
void jitdumps_record(struct jitdumps *d, uint32_t id, uint64_t time, const void *body, size_t len);

/* A record's body. */
size_t jitdumps_put32(const struct jitdumps *d, uint8_t *to, uint32_t v);
size_t jitdumps_put64(const struct jitdumps *d, uint8_t *to, uint64_t v);

#endif
