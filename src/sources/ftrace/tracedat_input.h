/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracedat_input - sequential reader of a trace.dat: of the file itself, or of an unpacked section.
 *
 * Memory for unpacked sections comes from the caller's budget. A section's unpacked size in the
 * file is accepted only within the budget, and zstd may not exceed it.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_SOURCES_FTRACE_TRACEDAT_INPUT_H
#define RINGTOP_SOURCES_FTRACE_TRACEDAT_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/budget.h"
#include "base/err.h"
#include "files/decode/perfdata_input.h"

#define TRACEDAT_SECTION_MOST (64u << 20) /* unpacked bytes; a kernel's kallsyms have 10 to 20 MB */

struct tracedat_input { /* not moved once it is open */
	struct perfdata_input in;
	struct perfdata_source memory; /* source of the unpacked bytes */
	char *unpacked;                /* NULL: reads the file */
	size_t size;
	bool swap; /* the file has the other byte order */
};

/* Open; file is borrowed. Return 0 or -ENOMEM; close in any case. */
int tracedat_input_open(struct tracedat_input *in, const struct perfdata_source *file);

/*
 * Unpack what zstd packed at the place of `from`: two sizes, then the bytes. Return 0; -ENODATA:
 * the file ends before; -EBADMSG or -ENOMEM; err has details, if any. Close in any case.
 */
int tracedat_input_unpack(struct tracedat_input *in, struct tracedat_input *from, struct budget *b,
			  struct err *err);
void tracedat_input_close(struct tracedat_input *in);

/* Return the offset of the next byte. */
static inline uint64_t tracedat_input_at(const struct tracedat_input *in)
{
	return in->in.offset;
}

/* Read functions. All return 0, -ENODATA at the end of the input, other -errno. */
int tracedat_take(struct tracedat_input *in, void *to, uint64_t len);
/* Bytes: 2, 4 or 8. */
int tracedat_take_number(struct tracedat_input *in, unsigned bytes, uint64_t *n);
/* -EBADMSG: longer than size */
int tracedat_take_text(struct tracedat_input *in, char *text, size_t size);
/* May pass the end: the next read fails. */
int tracedat_skip(struct tracedat_input *in, uint64_t len);
int tracedat_seek(struct tracedat_input *in, uint64_t at);

/* Decode a number of 2, 4 or 8 bytes. */
uint64_t tracedat_number(const void *at, unsigned bytes, bool swap);

/*
 * Unpack `len` packed bytes with u to exactly `size` bytes. Return 0, -EBADMSG or -ENOMEM with err.
 */
int tracedat_unpack(struct perfdata_unpack *u, const char *packed, size_t len, char *to,
		    size_t size, struct err *err);

#endif
