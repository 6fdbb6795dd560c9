/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sources/ftrace/tracedat_input.h"

#include <byteswap.h>
#include <errno.h>
#include <string.h>

#define PEEK (64u << 10)

uint64_t tracedat_number(const void *at, unsigned bytes, bool swap)
{
	uint64_t eight;
	uint32_t four;
	uint16_t two;

	if (bytes == 8)
		return memcpy(&eight, at, 8), swap ? bswap_64(eight) : eight;
	if (bytes == 4)
		return memcpy(&four, at, 4), swap ? bswap_32(four) : four;
	return memcpy(&two, at, 2), swap ? bswap_16(two) : two;
}

/* --- opening ---------------------------------------------------------------------------------- */

int tracedat_input_open(struct tracedat_input *in, const struct perfdata_source *file)
{
	*in = (struct tracedat_input){.swap = false};
	return perfdata_input_init(&in->in, file);
}

void tracedat_input_close(struct tracedat_input *in)
{
	perfdata_input_clear(&in->in);
	budget_free(in->unpacked);
	in->unpacked = NULL;
}

static ssize_t read_unpacked(void *arg, void *buf, size_t len, uint64_t offset)
{
	const struct tracedat_input *in = arg;

	if (offset >= in->size)
		return 0;
	len = len < in->size - offset ? len : (size_t)(in->size - offset);
	memcpy(buf, in->unpacked + offset, len);
	return (ssize_t)len;
}

int tracedat_unpack(struct perfdata_unpack *u, const char *packed, size_t len, char *to,
		    size_t size, struct err *err)
{
	int ret = perfdata_unpack_give(u, packed, len, size);
	ssize_t n = 1;
	char *bytes;

	for (size_t at = 0; !ret && at < size; at += (size_t)n) {
		n = perfdata_unpack_peek(u, size - at < PEEK ? size - at : PEEK, &bytes, err);
		if (n < 0)
			return -EBADMSG;
		if (!n)
			return err_set(
				err, EBADMSG,
				"compressed data unpack to %zu bytes, not to %zu as they say", at,
				size);
		memcpy(to + at, bytes, (size_t)n);
		perfdata_unpack_take(u, (size_t)n);
	}
	return ret;
}

int tracedat_input_unpack(struct tracedat_input *in, struct tracedat_input *from, struct budget *b,
			  struct err *err)
{
	struct perfdata_unpack u = {.stream = NULL};
	uint64_t packed = 0, size = 0;
	char *bytes = NULL;
	int ret = tracedat_take_number(from, 4, &packed);

	*in = (struct tracedat_input){.swap = from->swap};
	ret = ret ? ret : tracedat_take_number(from, 4, &size);
	if (!ret && (packed > TRACEDAT_SECTION_MOST || size > TRACEDAT_SECTION_MOST))
		ret = err_set(err, EBADMSG, "a compressed section of %llu bytes that become %llu",
			      (unsigned long long)packed, (unsigned long long)size);
	if (ret)
		return ret;
	bytes = budget_alloc(b, BUDGET_READING, packed + 1);
	in->unpacked = budget_alloc(b, BUDGET_READING, size + 1);
	in->size = size;
	ret = bytes && in->unpacked ? tracedat_take(from, bytes, packed) : -ENOMEM;
	ret = ret ? ret : tracedat_unpack(&u, bytes, packed, in->unpacked, size, err);
	perfdata_unpack_clear(&u);
	budget_free(bytes);
	in->memory = (struct perfdata_source){.read = read_unpacked, .arg = in, .seekable = true};
	return ret ? ret : perfdata_input_init(&in->in, &in->memory);
}

/* --- taking ----------------------------------------------------------------------------------- */

int tracedat_take(struct tracedat_input *in, void *to, uint64_t len)
{
	char *bytes;

	while (len) {
		ssize_t n = perfdata_input_peek(&in->in, len < PEEK ? (size_t)len : PEEK, &bytes);

		if (n <= 0)
			return n ? (int)n : -ENODATA;
		memcpy(to, bytes, (size_t)n);
		perfdata_input_take(&in->in, (size_t)n);
		to = (char *)to + n;
		len -= (uint64_t)n;
	}
	return 0;
}

int tracedat_take_number(struct tracedat_input *in, unsigned bytes, uint64_t *n)
{
	uint64_t v = 0;
	int ret = tracedat_take(in, &v, bytes);

	*n = ret ? 0 : tracedat_number(&v, bytes, in->swap);
	return ret;
}

int tracedat_take_text(struct tracedat_input *in, char *text, size_t size)
{
	char *bytes;
	ssize_t n = perfdata_input_peek(&in->in, size, &bytes);
	size_t len = n > 0 ? strnlen(bytes, (size_t)n) : 0;

	if (n < 0)
		return (int)n;
	if (len == (size_t)n)
		return len < size ? -ENODATA : -EBADMSG;
	return tracedat_take(in, text, len + 1);
}

int tracedat_skip(struct tracedat_input *in, uint64_t len)
{
	return len > INT64_MAX - in->in.offset ? -EBADMSG : perfdata_input_skip(&in->in, len);
}

int tracedat_seek(struct tracedat_input *in, uint64_t at)
{
	if (at > INT64_MAX)
		return -EBADMSG;
	perfdata_input_seek(&in->in, at);
	return 0;
}
