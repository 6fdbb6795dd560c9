/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perfdata_input - the bytes of a perf.data file, one after the other, and what is unpacked from
 * them.
 *
 * Bounded: a window of a megabyte on the file and one on what zstd unpacks, whatever they hold.
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
	 * Up to len bytes at offset: how many, 0 at the end, -errno.  Where it is not seekable,
	 * offsets come in order and without gaps.
	 */
	ssize_t (*read)(void *arg, void *buf, size_t len, uint64_t offset);
	void *arg;
	bool seekable;
};

struct perfdata_input {
	const struct perfdata_source *source;
	char *buf;
	size_t start, end;  /* of what is held */
	uint64_t offset;    /* of buf[start] in the file */
	uint64_t limit;     /* nothing from here on is ours */
	bool ended;         /* the source has no more */
};

int perfdata_input_init(struct perfdata_input *in, const struct perfdata_source *source);
void perfdata_input_clear(struct perfdata_input *in);

/* Go on at offset (seekable sources). */
void perfdata_input_seek(struct perfdata_input *in, uint64_t offset);

/* Bytes that are here and ours. */
static inline size_t perfdata_input_held(const struct perfdata_input *in)
{
	uint64_t left = in->limit > in->offset ? in->limit - in->offset : 0;
	size_t n = in->end - in->start;

	return n < left ? n : (size_t)left;
}

/* perfdata_input_peek where not all of it is held. */
ssize_t perfdata_input_fill(struct perfdata_input *in, size_t len, char **bytes);

/*
 * Hold `len` (at most 64 KiB) bytes: how many there are, fewer only at the end or the limit, or
 * -errno.  *bytes is 8-byte aligned if the file keeps to 8 bytes, and valid until the next call.
 */
static inline ssize_t perfdata_input_peek(struct perfdata_input *in, size_t len, char **bytes)
{
	if (perfdata_input_held(in) < len)
		return perfdata_input_fill(in, len, bytes);
	*bytes = in->buf + in->start;
	return (ssize_t)len;
}

/* Past bytes that were peeked at. */
static inline void perfdata_input_take(struct perfdata_input *in, size_t len)
{
	in->start += len;
	in->offset += len;
}

/* Past any number.  0, -ENODATA where it ends before, other -errno. */
int perfdata_input_skip(struct perfdata_input *in, uint64_t len);

/* --- zstd --------------------------------------------------------------------------------- */

struct perfdata_unpack {
	void *stream;        /* of zstd, NULL: not used yet */
	char *buf;
	size_t start, end;   /* of what is unpacked and was not taken */
	const char *packed;  /* the rest of what was given */
	size_t npacked;
	uint64_t room, most; /* bytes that the packet may still become, and may become in all */
};

void perfdata_unpack_clear(struct perfdata_unpack *u);

/*
 * A packet, which must stay where it is until all of it was unpacked; it may become at most `most`
 * bytes.  0 or -ENOMEM.
 */
int perfdata_unpack_give(struct perfdata_unpack *u, const char *packed, size_t len, uint64_t most);

/*
 * Hold `len` (at most 64 KiB) unpacked bytes: how many there are, fewer where more needs another
 * packet, or -EBADMSG with err (broken), -EFBIG (more than `most`).
 */
ssize_t perfdata_unpack_peek(struct perfdata_unpack *u, size_t len, char **bytes, struct err *err);
void perfdata_unpack_take(struct perfdata_unpack *u, size_t len);

#endif
