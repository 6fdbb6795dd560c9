/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dwarfcursor - reads the numbers of debug and unwind information from bytes in memory.
 *
 * The bytes are not trusted: a cursor that runs out sets `failed`, stays at the end and yields
 * zeros, so callers may read on and check once.
 *
 * Threads: a cursor has one owner.  Allocates: never.
 */
#ifndef RINGTOP_FILES_ELF_DWARFCURSOR_H
#define RINGTOP_FILES_ELF_DWARFCURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dwarf_cursor {
	const uint8_t *at, *end;
	bool failed;
};

/* Read a little-endian number of up to 8 bytes. */
static inline uint64_t dwarf_fixed(struct dwarf_cursor *c, unsigned bytes)
{
	uint64_t value = 0;

	if (bytes > (size_t)(c->end - c->at) || bytes > 8) {
		c->failed = true;
		c->at = c->end;
		return 0;
	}
	for (unsigned i = 0; i < bytes; i++)
		value |= (uint64_t)c->at[i] << (8 * i);
	c->at += bytes;
	return value;
}

static inline void dwarf_skip(struct dwarf_cursor *c, uint64_t bytes)
{
	if (bytes > (uint64_t)(c->end - c->at)) {
		c->failed = true;
		c->at = c->end;
		return;
	}
	c->at += bytes;
}

static inline const uint8_t *dwarf_block(struct dwarf_cursor *c, uint64_t bytes)
{
	const uint8_t *block = c->at;

	dwarf_skip(c, bytes);
	return block;
}

/* Read an unsigned LEB128 number. Bits beyond 64 are dropped: padding is legal. */
static inline uint64_t dwarf_uleb(struct dwarf_cursor *c)
{
	uint64_t value = 0;

	for (unsigned shift = 0; c->at < c->end; shift += 7) {
		uint8_t byte = *c->at++;

		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return value;
	}
	c->failed = true;
	return 0;
}

static inline int64_t dwarf_sleb(struct dwarf_cursor *c)
{
	uint64_t value = 0;

	for (unsigned shift = 0; c->at < c->end;) {
		uint8_t byte = *c->at++;

		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
		if (byte & 0x80)
			continue;
		if (byte & 0x40 && shift < 64)
			value |= ~UINT64_C(0) << shift;
		return (int64_t)value;
	}
	c->failed = true;
	return 0;
}

#endif
