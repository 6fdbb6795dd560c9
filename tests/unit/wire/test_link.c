/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frames in and out, whatever the pieces they come in; and what is refused. */
#include "link/wire/link.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <cmocka.h>

#define crc_of(data, len, before) (uint32_t)crc32(before, data, (uInt)(len))

struct ends {
	struct link *here, *there;
	int fd[2]; /* there to here */
};

static void ends_open(struct ends *e)
{
	e->here = link_create();
	e->there = link_create();
	assert_non_null(e->here);
	assert_non_null(e->there);
	assert_int_equal(pipe2(e->fd, O_NONBLOCK | O_CLOEXEC), 0);
}

static void ends_close(struct ends *e)
{
	link_free(e->here);
	link_free(e->there);
	close(e->fd[0]);
	if (e->fd[1] >= 0)
		close(e->fd[1]);
}

static struct wire_out payload(size_t len, unsigned seed)
{
	struct wire_out o = {.len = 0};

	for (size_t i = 0; i < len; i++) {
		seed = seed * 1103515245 + 12345;
		wire_put(&o, seed >> 16, 1);
	}
	assert_false(o.failed);
	return o;
}

static int next(struct ends *e, struct link_frame *f, struct err *err)
{
	int ret;

	while (!(ret = link_next(e->here, f, err))) {
		assert_int_equal(link_send(e->there, e->fd[1]), 0);
		assert_int_equal(link_receive(e->here, e->fd[0]), 0);
	}
	return ret;
}

/* Sizes around those of frames, packed and not, in turn on one connection. */
static void test_messages(void **state)
{
	static const size_t sizes[] = {0, 1, 100, 70000, LINK_FRAME_MAX - 1, LINK_FRAME_MAX, LINK_FRAME_MAX + 1,
				       LINK_MESSAGE_MAX - 1};
	struct ends e;

	(void)state;
	ends_open(&e);
	for (unsigned i = 0; i < 2 * sizeof(sizes) / sizeof(*sizes); i++) {
		struct wire_out o = payload(sizes[i / 2], i);
		struct link_frame f;
		struct err err;

		assert_int_equal(link_put(e.there, WIRE_HELLO + i % 12, &o, i % 2), 0);
		assert_int_equal(next(&e, &f, &err), 1);
		assert_int_equal(f.kind, WIRE_HELLO + i % 12);
		assert_int_equal(f.len, o.len);
		assert_memory_equal(f.data, o.len ? o.data : (const uint8_t *)"", o.len);
		wire_clear(&o);
	}
	assert_int_equal(link_unsent(e.there), 0);
	assert_int_equal(link_bytes_in(e.here), link_bytes_out(e.there));
	ends_close(&e);
}

/* The same again is told by what was said before. */
static void test_stream(void **state)
{
	struct wire_out o = payload(3000, 1);
	struct ends e;
	struct link_frame f;
	uint64_t first;

	(void)state;
	ends_open(&e);
	assert_int_equal(link_put(e.there, WIRE_SLICE, &o, true), 0);
	assert_int_equal(next(&e, &f, NULL), 1);
	first = link_bytes_out(e.there);
	assert_true(first > 2900);
	assert_int_equal(link_put(e.there, WIRE_SLICE, &o, true), 0);
	assert_int_equal(next(&e, &f, NULL), 1);
	assert_true(link_bytes_out(e.there) - first < 100);
	assert_memory_equal(f.data, o.data, o.len);
	wire_clear(&o);
	ends_close(&e);
}

static void test_piecewise(void **state)
{
	struct wire_out o = payload(500, 2);
	struct ends e;
	struct link_frame f;

	(void)state;
	ends_open(&e);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(link_put(e.there, WIRE_SLICE, &o, i % 2), 0);
	assert_int_equal(link_send(e.there, e.fd[1]), 0);
	for (unsigned got = 0; got < 4;) {
		char byte;

		if (read(e.fd[0], &byte, 1) == 1)
			assert_int_equal(link_feed(e.here, &byte, 1), 0);
		while (link_next(e.here, &f, NULL) == 1) {
			assert_memory_equal(f.data, o.data, o.len);
			got++;
		}
	}
	wire_clear(&o);
	ends_close(&e);
}

static void test_bounds(void **state)
{
	struct wire_out large = payload(LINK_MESSAGE_MAX, 3), failed = {.failed = true};
	struct ends e;
	static char much[2 * LINK_FRAME_MAX + 100];
	int ret = 0;

	(void)state;
	ends_open(&e);
	assert_int_equal(link_put(e.there, WIRE_SLICE, &large, true), -EFBIG);
	assert_int_equal(link_put(e.there, WIRE_SLICE, &failed, true), -ENOMEM);
	assert_int_equal(link_unsent(e.there), 0);
	large.len--;
	for (unsigned i = 0; i < 4 && !ret; i++)
		ret = link_put(e.there, WIRE_SLICE, &large, false);
	assert_int_equal(ret, -ENOBUFS);
	assert_int_equal(link_feed(e.here, much, sizeof(much)), -ENOBUFS);
	wire_clear(&large);
	ends_close(&e);
}

static void test_end(void **state)
{
	struct wire_out o = payload(10, 4);
	struct ends e;
	struct link_frame f;

	(void)state;
	ends_open(&e);
	assert_int_equal(link_put(e.there, WIRE_END, &o, false), 0);
	assert_int_equal(link_send(e.there, e.fd[1]), 0);
	close(e.fd[1]);
	e.fd[1] = -1;
	assert_int_equal(link_receive(e.here, e.fd[0]), 0); /* what came before the end */
	assert_int_equal(link_next(e.here, &f, NULL), 1);
	assert_int_equal(link_receive(e.here, e.fd[0]), -EPIPE);
	wire_clear(&o);
	ends_close(&e);
}

/* --- refused ------------------------------------------------------------------------------ */

/* A frame whose checksum holds. */
static void put_frame(struct wire_out *o, unsigned kind, unsigned flags, const void *data, size_t len)
{
	uint8_t head[4] = {(uint8_t)kind, (uint8_t)flags, 0, 0};
	uint32_t crc = crc_of(head, 4, 0);

	wire_put(o, len, 4);
	wire_put_bytes(o, head, 4);
	wire_put(o, crc_of(data, len, crc), 4);
	wire_put_bytes(o, data, len);
}

/* Bytes to one end: what it says. */
static int say(const struct wire_out *o, struct err *err)
{
	struct link *l = link_create();
	struct link_frame f;
	size_t done = 0;
	int ret = 0;

	*err = (struct err){.code = 0};
	while (done < o->len && ret >= 0) {
		size_t len = o->len - done < 65536 ? o->len - done : 65536;

		assert_int_equal(link_feed(l, o->data + done, len), 0);
		done += len;
		while ((ret = link_next(l, &f, err)) == 1)
			;
	}
	if (ret < 0)
		assert_int_equal(link_next(l, &f, NULL), ret); /* it stays refused */
	link_free(l);
	return ret;
}

static void assert_refused(struct wire_out *o, const char *why)
{
	struct err err;

	assert_int_equal(say(o, &err), -EPROTO);
	if (!strstr(err.text, why))
		fail_msg("\"%s\" does not say \"%s\"", err.text, why);
	wire_clear(o);
	*o = (struct wire_out){.len = 0};
}

static void test_refused_frames(void **state)
{
	struct wire_out o = {.len = 0};

	(void)state;
	put_frame(&o, WIRE_TIME, 0, "x", 1);
	o.data[o.len - 1] ^= 1;
	assert_refused(&o, "checksum");
	put_frame(&o, WIRE_TIME, 0, "x", 1);
	o.data[5] = 4; /* flags */
	assert_refused(&o, "unknown");
	put_frame(&o, 0, 0, "x", 1);
	assert_refused(&o, "unknown");
	put_frame(&o, WIRE_KINDS, 0, "x", 1);
	assert_refused(&o, "unknown");
	wire_put(&o, LINK_FRAME_MAX + 1, 4);
	wire_put(&o, WIRE_TIME, 8);
	assert_refused(&o, "more than 1 MB");
	put_frame(&o, WIRE_TIME, 2, "x", 1);
	put_frame(&o, WIRE_CREDIT, 0, "x", 1);
	assert_refused(&o, "within");
	put_frame(&o, WIRE_TIME, 2, "", 0);
	assert_refused(&o, "without a payload");
	put_frame(&o, WIRE_TIME, 1, "no zstd", 7);
	assert_refused(&o, "");
}

static void test_optional(void **state)
{
	struct wire_out o = {.len = 0};
	struct link *l = link_create();
	struct link_frame f;

	(void)state;
	put_frame(&o, WIRE_OPTIONAL + 3, 0, "what nobody knows", 17);
	put_frame(&o, WIRE_TIME, 0, "x", 1);
	assert_int_equal(link_feed(l, o.data, o.len), 0);
	assert_int_equal(link_next(l, &f, NULL), 1);
	assert_int_equal(f.kind, WIRE_TIME);
	assert_int_equal(link_next(l, &f, NULL), 0);
	link_free(l);
	wire_clear(&o);
}

/* Much in little: as one frame, and as many frames of one message. */
static void test_refused_bombs(void **state)
{
	struct wire_out o = {.len = 0};
	size_t size = 64u << 20, bound = ZSTD_compressBound(size);
	uint8_t *zeros = calloc(1, size), *packed = malloc(bound);
	size_t len;

	(void)state;
	assert_non_null(zeros);
	assert_non_null(packed);
	len = ZSTD_compress(packed, bound, zeros, 16u << 20, 3); /* its window is larger than it may be */
	put_frame(&o, WIRE_SLICE, 1, packed, len);
	assert_refused(&o, "too much memory");
	for (unsigned i = 0; i < 9; i++)
		put_frame(&o, WIRE_SLICE, 2, zeros, LINK_FRAME_MAX);
	assert_refused(&o, "8 MB");
	{
		ZSTD_CCtx *c = ZSTD_createCCtx();
		ZSTD_inBuffer in = {zeros, size, 0};
		ZSTD_outBuffer out = {packed, bound, 0};

		ZSTD_CCtx_setParameter(c, ZSTD_c_windowLog, LINK_WINDOW_LOG);
		assert_int_equal(ZSTD_compressStream2(c, &out, &in, ZSTD_e_flush), 0);
		ZSTD_freeCCtx(c);
		put_frame(&o, WIRE_SLICE, 1, packed, out.pos);
	}
	assert_refused(&o, "8 MB");
	free(zeros);
	free(packed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_messages),
		cmocka_unit_test(test_stream),
		cmocka_unit_test(test_piecewise),
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_end),
		cmocka_unit_test(test_refused_frames),
		cmocka_unit_test(test_optional),
		cmocka_unit_test(test_refused_bombs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
