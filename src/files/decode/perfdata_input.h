/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perfdata_input - buffered reading of a perf.data file's bytes, and of data unpacked from them.
 *
 * Memory is bounded: a window of a megabyte on the file and one on zstd's output, whatever they
 * hold.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_FILES_DECODE_PERFDATA_INPUT_H
#define RINGTOP_FILES_DECODE_PERFDATA_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

struct perfdata_source {
	/*
	 * Read up to len bytes at offset. Return their number, 0 at the end, -errno. If the source
	 * is not seekable, offsets come in order and without gaps.
	 */
	ssize_t (*read)(void *arg, void *buf, size_t len, uint64_t offset);
	void *arg;
	bool seekable;
};

struct perfdata_input {
	const struct perfdata_source *source;
	char *buf;
	size_t start, end;  /* of the bytes held, in buf */
	uint64_t offset;    /* offset of buf[start] in the file */
	uint64_t limit;     /* file offset at which reading ends */
	bool ended;         /* the source has no more */
};

int perfdata_input_init(struct perfdata_input *in, const struct perfdata_source *source);
void perfdata_input_clear(struct perfdata_input *in);

/* Continue at offset (seekable sources). */
void perfdata_input_seek(struct perfdata_input *in, uint64_t offset);

/* Return the number of buffered bytes below the limit. */
static inline size_t perfdata_input_held(const struct perfdata_input *in)
{
	uint64_t left = in->limit > in->offset ? in->limit - in->offset : 0;
	size_t n = in->end - in->start;

	return n < left ? n : (size_t)left;
}

/* Slow path of perfdata_input_peek, for bytes that are not all buffered. */
ssize_t perfdata_input_fill(struct perfdata_input *in, size_t len, char **bytes);

/*
 * Make `len` (at most 64 KiB) bytes available. Return their number, fewer only at the end or the
 * limit, or -errno. *bytes is 8-byte aligned if the file's records are, and valid until the next
 * call.
 */
static inline ssize_t perfdata_input_peek(struct perfdata_input *in, size_t len, char **bytes)
{
	if (perfdata_input_held(in) < len)
		return perfdata_input_fill(in, len, bytes);
	*bytes = in->buf + in->start;
	return (ssize_t)len;
}

/* Consume bytes that were peeked at. */
static inline void perfdata_input_take(struct perfdata_input *in, size_t len)
{
	in->start += len;
	in->offset += len;
}

/* Skip any number of bytes. Return 0, -ENODATA if the file ends before, other -errno. */
int perfdata_input_skip(struct perfdata_input *in, uint64_t len);

/* --- zstd --------------------------------------------------------------------------------- */

struct perfdata_unpack {
	void *stream;        /* zstd's; NULL: not used yet */
	char *buf;
	size_t start, end;   /* unpacked bytes not consumed yet, in buf */
	const char *packed;  /* rest of the packet; borrowed */
	size_t npacked;
	uint64_t room, most; /* bytes that the packet may still unpack to, and in all */
};

void perfdata_unpack_clear(struct perfdata_unpack *u);

/*
 * Start a packet, borrowed until all of it is unpacked; it may unpack to at most `most` bytes.
 * Return 0 or -ENOMEM.
 */
int perfdata_unpack_give(struct perfdata_unpack *u, const char *packed, size_t len, uint64_t most);

/*
 * Make `len` (at most 64 KiB) unpacked bytes available. Return their number, fewer if another
 * packet is needed, or -EBADMSG with err (broken), -EFBIG (more than `most`).
 */
ssize_t perfdata_unpack_peek(struct perfdata_unpack *u, size_t len, char **bytes, struct err *err);
void perfdata_unpack_take(struct perfdata_unpack *u, size_t len);

#endif
