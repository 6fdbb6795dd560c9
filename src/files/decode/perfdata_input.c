/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "files/decode/perfdata_input.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#define WINDOW (1u << 20)
#define RECORD (64u << 10) /* header.size has 16 bits */

/* --- the file ----------------------------------------------------------------------------- */

int perfdata_input_init(struct perfdata_input *in, const struct perfdata_source *source)
{
	*in = (struct perfdata_input){.source = source, .limit = UINT64_MAX};
	in->buf = malloc(WINDOW);
	return in->buf ? 0 : -ENOMEM;
}

void perfdata_input_clear(struct perfdata_input *in)
{
	free(in->buf);
	in->buf = NULL;
}

void perfdata_input_seek(struct perfdata_input *in, uint64_t offset)
{
	in->start = in->end = 0;
	in->offset = offset;
	in->ended = false;
}

static int fill_window(struct perfdata_input *in, size_t len)
{
	memmove(in->buf, in->buf + in->start, in->end - in->start);
	in->end -= in->start;
	in->start = 0;
	while (in->end < len && !in->ended) {
		uint64_t at = in->offset + in->end;
		ssize_t n;

		/* An offset larger than any file comes from a corrupt header. */
		if (at > INT64_MAX - WINDOW) {
			in->ended = true;
			break;
		}
		n = in->source->read(in->source->arg, in->buf + in->end, WINDOW - in->end, at);
		if (n < 0)
			return (int)n;
		in->ended = n == 0;
		in->end += (size_t)n;
	}
	return 0;
}

ssize_t perfdata_input_fill(struct perfdata_input *in, size_t len, char **bytes)
{
	size_t n = perfdata_input_held(in);
	int ret;

	if (n < len && n == in->end - in->start) {
		ret = fill_window(in, len);
		if (ret)
			return ret;
		n = perfdata_input_held(in);
	}
	*bytes = in->buf + in->start;
	return (ssize_t)(n < len ? n : len);
}

int perfdata_input_skip(struct perfdata_input *in, uint64_t len)
{
	char *bytes;

	if (len > in->limit - in->offset)
		return -ENODATA;
	if (in->source->seekable && len > in->end - in->start) {
		perfdata_input_seek(in, in->offset + len);
		return 0;
	}
	while (len) {
		ssize_t n = perfdata_input_peek(in, len < RECORD ? (size_t)len : RECORD, &bytes);

		if (n <= 0)
			return n ? (int)n : -ENODATA;
		perfdata_input_take(in, (size_t)n);
		len -= (uint64_t)n;
	}
	return 0;
}

/* --- zstd --------------------------------------------------------------------------------- */

void perfdata_unpack_clear(struct perfdata_unpack *u)
{
	ZSTD_freeDStream(u->stream);
	free(u->buf);
	*u = (struct perfdata_unpack){0};
}

int perfdata_unpack_give(struct perfdata_unpack *u, const char *packed, size_t len, uint64_t most)
{
	if (!u->stream)
		u->stream = ZSTD_createDStream();
	if (!u->buf)
		u->buf = malloc(WINDOW);
	if (!u->stream || !u->buf)
		return -ENOMEM;
	u->packed = packed;
	u->npacked = len;
	u->room = u->most = most;
	return 0;
}

/* Unpack one step. Return 1 if there was progress, 0 if the packet is used up, or -errno. */
static int unpack(struct perfdata_unpack *u, struct err *err)
{
	ZSTD_inBuffer in = {u->packed, u->npacked, 0};
	ZSTD_outBuffer out = {u->buf + u->end, WINDOW - u->end, 0};
	size_t left = ZSTD_decompressStream(u->stream, &out, &in);

	if (ZSTD_isError(left))
		return err_set(err, EBADMSG, "compressed records are broken: %s",
			       ZSTD_getErrorName(left));
	if (out.pos > u->room)
		return err_set(err, EFBIG, "compressed data unpack to more than %llu bytes",
			       (unsigned long long)u->most);
	u->room -= out.pos;
	u->packed += in.pos;
	u->npacked -= in.pos;
	u->end += out.pos;
	return in.pos || out.pos;
}

ssize_t perfdata_unpack_peek(struct perfdata_unpack *u, size_t len, char **bytes, struct err *err)
{
	int ret;

	if (u->end - u->start < len && u->stream) {
		memmove(u->buf, u->buf + u->start, u->end - u->start);
		u->end -= u->start;
		u->start = 0;
		do
			ret = u->end < WINDOW ? unpack(u, err) : 0;
		while (ret > 0);
		if (ret < 0)
			return ret;
	}
	*bytes = u->buf + u->start;
	len = u->end - u->start < len ? u->end - u->start : len;
	return (ssize_t)len;
}

void perfdata_unpack_take(struct perfdata_unpack *u, size_t len)
{
	u->start += len;
}
