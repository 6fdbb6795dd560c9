/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracedat_input - the bytes of a trace.dat, one after the other: of the file itself, or of a section that was
 * compressed.
 *
 * Memory for what is unpacked is the caller's budget's; what a section says that it becomes is believed only as far as
 * that goes, and zstd is held to it.
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

#define TRACEDAT_SECTION_MOST (64u << 20) /* unpacked; a kernel's kallsyms have 10 to 20 */

struct tracedat_input { /* not moved once it is open */
	struct perfdata_input in;
	struct perfdata_source memory; /* of what was unpacked */
	char *unpacked;                /* NULL: it is the file */
	size_t size;
	bool swap; /* the other byte order */
};

/* 0 or -ENOMEM; to be closed in any case. */
int tracedat_input_open(struct tracedat_input *in, const struct perfdata_source *file, bool swap);

/*
 * What zstd packed, at the place where `from` is: two sizes, then the bytes.  0; -ENODATA: the file ends before,
 * -EBADMSG or -ENOMEM, with err where there is more to say.  To be closed in any case.
 */
int tracedat_input_unpack(struct tracedat_input *in, struct tracedat_input *from, struct budget *b, struct err *err);
void tracedat_input_close(struct tracedat_input *in);

/* Where it is. */
static inline uint64_t tracedat_input_at(const struct tracedat_input *in)
{
	return in->in.offset;
}

/* All of these: 0, -ENODATA where it ends before, other -errno. */
int tracedat_take(struct tracedat_input *in, void *to, uint64_t len);
int tracedat_take_number(struct tracedat_input *in, unsigned bytes, uint64_t *n); /* of 2, 4 or 8 */
int tracedat_take_text(struct tracedat_input *in, char *text, size_t size);       /* -EBADMSG: it is longer */
int tracedat_skip(struct tracedat_input *in, uint64_t len); /* behind the file's end too: the next one says so */
int tracedat_seek(struct tracedat_input *in, uint64_t at);

/* A number of 2, 4 or 8 bytes. */
uint64_t tracedat_number(const void *at, unsigned bytes, bool swap);

/* What u makes of `len` packed bytes, exactly `size`.  0, -EBADMSG or -ENOMEM with err. */
int tracedat_unpack(struct perfdata_unpack *u, const char *packed, size_t len, char *to, size_t size, struct err *err);

#endif
