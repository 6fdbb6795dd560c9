/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Both buffers are plain arrays: bytes that were sent or taken are moved away when room is needed.
 * A zstd stream, with its window of recent bytes, is made for the first packed message: a link
 * without any has none.
 */
#include "link/wire/link.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "base/vec.h"

#define HEAD         LINK_HEAD
#define RECEIVE_MAX  (HEAD + LINK_FRAME_MAX)
#define RECEIVE_STEP (64u << 10) /* bytes per read() */
#define RECEIVE_CALL (256u << 10) /* bytes per link_receive() */
#define PACK_LEVEL   3
#define UNPACK_STEP  (16u << 10)
#define KEEP_MAX     (1u << 20) /* bytes of message buffer that are kept for the next message */

/* FLAG_MORE: the message goes on in the next frame. */
enum { FLAG_PACKED = 1, FLAG_MORE = 2, FLAGS = 3 };

struct bytes {
	uint8_t *data;
	size_t from, to, cap; /* from..to: the bytes that are held */
};

struct head {
	uint32_t len, crc;
	uint8_t kind, flags;
	const uint8_t *payload;
};

struct link {
	struct bytes in, out, message;
	size_t taken;       /* bytes of `in` that the last frame took */
	uint8_t under_way;  /* the kind whose further frames are awaited, or 0 */
	bool whole;         /* `message` was returned: the next one begins anew */
	bool broken;        /* the outgoing stream is: no message can follow */
	ZSTD_CCtx *pack;
	ZSTD_DCtx *unpack;
	uint64_t bytes_in, bytes_out;
	struct err error;
};

struct link *link_create(void)
{
	return calloc(1, sizeof(struct link));
}

void link_free(struct link *l)
{
	if (!l)
		return;
	ZSTD_freeCCtx(l->pack);
	ZSTD_freeDCtx(l->unpack);
	free(l->in.data);
	free(l->out.data);
	free(l->message.data);
	free(l);
}

/* --- bytes -------------------------------------------------------------------------------- */

static size_t bytes_left(const struct bytes *b)
{
	return b->to - b->from;
}

/* Make room for `more` bytes at the end.  False: out of memory. */
static bool bytes_reserve(struct bytes *b, size_t more)
{
	if (b->from && b->cap - b->to < more) {
		memmove(b->data, b->data + b->from, bytes_left(b));
		b->to -= b->from;
		b->from = 0;
	}
	return vec_reserve(&b->data, &b->cap, b->to + more, 1);
}

static void bytes_take(struct bytes *b, size_t len)
{
	b->from += len;
	if (b->from == b->to)
		b->from = b->to = 0;
}

static void put_le32(uint8_t *at, uint32_t n)
{
	for (unsigned i = 0; i < 4; i++)
		at[i] = (uint8_t)(n >> 8 * i);
}

static uint32_t get_le32(const uint8_t *at)
{
	return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static uint32_t frame_crc(const uint8_t *head, const uint8_t *payload, size_t len)
{
	return (uint32_t)crc32(crc32(0, head + 4, 4), payload, (uInt)len);
}

/* --- out ---------------------------------------------------------------------------------- */

/*
 * Write the head of a frame whose payload is at the end of `out` already, behind room for the head.
 */
static void end_frame(struct link *l, enum wire_kind kind, unsigned flags, size_t len)
{
	uint8_t *head = l->out.data + l->out.to;

	put_le32(head, (uint32_t)len);
	head[4] = (uint8_t)kind;
	head[5] = (uint8_t)flags;
	head[6] = head[7] = 0;
	put_le32(head + 8, frame_crc(head, head + HEAD, len));
	l->out.to += HEAD + len;
}

static size_t frame_room(const struct link *l)
{
	size_t room = l->out.cap - l->out.to - HEAD;

	return room < LINK_FRAME_MAX ? room : LINK_FRAME_MAX;
}

static void put_plain(struct link *l, enum wire_kind kind, const struct wire_out *payload)
{
	size_t done = 0;

	do {
		size_t left = payload->len - done,
		       len = left < LINK_FRAME_MAX ? left : LINK_FRAME_MAX;

		if (len)
			memcpy(l->out.data + l->out.to + HEAD, payload->data + done, len);
		done += len;
		end_frame(l, kind, done < payload->len ? FLAG_MORE : 0, len);
	} while (done < payload->len);
}

static bool pack_open(struct link *l)
{
	if (l->pack)
		return true;
	l->pack = ZSTD_createCCtx();
	return l->pack &&
	       !ZSTD_isError(
		       ZSTD_CCtx_setParameter(l->pack, ZSTD_c_compressionLevel, PACK_LEVEL)) &&
	       !ZSTD_isError(ZSTD_CCtx_setParameter(l->pack, ZSTD_c_windowLog, LINK_WINDOW_LOG));
}

static int put_packed(struct link *l, enum wire_kind kind, const struct wire_out *payload)
{
	ZSTD_inBuffer in = {payload->data, payload->len, 0};
	size_t left;

	do {
		ZSTD_outBuffer out = {l->out.data + l->out.to + HEAD, frame_room(l), 0};

		left = ZSTD_compressStream2(l->pack, &out, &in, ZSTD_e_flush);
		if (ZSTD_isError(left) || (left && !out.pos)) {
			/* the peer would miss bytes that are in the stream but in no frame */
			l->broken = true;
			return -ENOMEM;
		}
		end_frame(l, kind, FLAG_PACKED | (left ? FLAG_MORE : 0), out.pos);
	} while (left);
	return 0;
}

int link_put(struct link *l, enum wire_kind kind, const struct wire_out *payload, bool pack)
{
	size_t len = payload->len, bound = ZSTD_compressBound(len) + HEAD;

	if (payload->failed || l->broken)
		return -ENOMEM;
	if (len >= LINK_MESSAGE_MAX)
		return -EFBIG;
	if (bytes_left(&l->out) > LINK_UNSENT_MAX)
		return -ENOBUFS;
	if (!bytes_reserve(&l->out, bound + (bound / LINK_FRAME_MAX + 2) * HEAD) ||
	    (pack && !pack_open(l)))
		return -ENOMEM;
	if (pack && len)
		return put_packed(l, kind, payload);
	put_plain(l, kind, payload);
	return 0;
}

size_t link_unsent(const struct link *l)
{
	return bytes_left(&l->out);
}

int link_send(struct link *l, int fd)
{
	while (bytes_left(&l->out)) {
		ssize_t n = write(fd, l->out.data + l->out.from, bytes_left(&l->out));

		if (n < 0 && errno != EINTR)
			return errno == EAGAIN ? 0 : -errno;
		if (n < 0)
			continue;
		bytes_take(&l->out, (size_t)n);
		l->bytes_out += (uint64_t)n;
	}
	return 0;
}

/* --- in ----------------------------------------------------------------------------------- */

static void drop_taken(struct link *l)
{
	bytes_take(&l->in, l->taken);
	l->taken = 0;
}

int link_feed(struct link *l, const void *bytes, size_t len)
{
	drop_taken(l);
	if (bytes_left(&l->in) + len > RECEIVE_MAX + LINK_FRAME_MAX)
		return -ENOBUFS;
	if (!bytes_reserve(&l->in, len))
		return -ENOMEM;
	if (len)
		memcpy(l->in.data + l->in.to, bytes, len);
	l->in.to += len;
	l->bytes_in += len;
	return 0;
}

int link_receive(struct link *l, int fd)
{
	size_t got = 0, room, want;

	drop_taken(l);
	while (got < RECEIVE_CALL && (room = RECEIVE_MAX - bytes_left(&l->in)) > 0) {
		ssize_t n;

		want = room < RECEIVE_STEP ? room : RECEIVE_STEP;
		if (!bytes_reserve(&l->in, want))
			return -ENOMEM;
		n = read(fd, l->in.data + l->in.to, want);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno == EAGAIN ? 0 : -errno;
		if (!n)
			return got ? 0 : -EPIPE; /* bytes before the end are taken first */
		l->in.to += (size_t)n;
		l->bytes_in += (uint64_t)n;
		got += (size_t)n;
	}
	return 0;
}

static int refuse_message(struct link *l, const char *what)
{
	return err_set(&l->error, EPROTO, "the data received is not a ringtop message: %s", what);
}

static void read_frame_head(struct head *h, const uint8_t *at)
{
	*h = (struct head){get_le32(at), get_le32(at + 8), at[4], at[5], at + HEAD};
}

static bool head_known(const struct head *h)
{
	return h->kind && (h->kind < WIRE_KINDS || h->kind >= WIRE_OPTIONAL) && h->flags <= FLAGS;
}

size_t link_frame_size(const uint8_t *head, enum wire_kind *kind)
{
	struct head h;

	read_frame_head(&h, head);
	*kind = h.kind;
	return head_known(&h) && h.len <= LINK_FRAME_MAX ? HEAD + h.len : 0;
}

bool link_frame_right(const uint8_t *frame)
{
	struct head h;

	read_frame_head(&h, frame);
	return h.crc == frame_crc(frame, h.payload, h.len);
}

/* Read the next frame's head.  Return 1: the frame is complete; 0: it is not yet; -errno. */
static int frame_next(struct link *l, struct head *h)
{
	size_t there = bytes_left(&l->in);
	const uint8_t *head;

	if (there < HEAD)
		return 0;
	head = l->in.data + l->in.from;
	read_frame_head(h, head);
	if (h->len > LINK_FRAME_MAX)
		return refuse_message(l, "a frame of more than 1 MB");
	if (!head_known(h) || head[6] || head[7])
		return refuse_message(l, "a frame of an unknown kind");
	if (l->under_way && h->kind != l->under_way)
		return refuse_message(l, "a frame of another message within one");
	if (there < HEAD + h->len)
		return 0;
	if (h->crc != frame_crc(head, h->payload, h->len))
		return refuse_message(l, "the checksum of a frame is wrong");
	if (!h->len && h->flags)
		return refuse_message(l, "a frame without a payload");
	return 1;
}

/* Make room for `more` bytes, or as many as a message may still have: at least one. */
static int message_reserve(struct link *l, size_t more)
{
	size_t to = l->message.to, most = LINK_MESSAGE_MAX - to;

	if (!most || more > LINK_MESSAGE_MAX)
		return refuse_message(l, "a message of 8 MB or more");
	if (!vec_reserve(&l->message.data, &l->message.cap, to + (more < most ? more : most), 1))
		return err_room(&l->error, ENOMEM, "a message of %zu bytes", to + more);
	return 0;
}

static bool unpack_open(struct link *l)
{
	if (l->unpack)
		return true;
	l->unpack = ZSTD_createDCtx();
	return l->unpack && !ZSTD_isError(ZSTD_DCtx_setParameter(l->unpack, ZSTD_d_windowLogMax,
								 LINK_WINDOW_LOG));
}

static int append_packed(struct link *l, const struct head *h)
{
	ZSTD_inBuffer in = {h->payload, h->len, 0};
	ZSTD_outBuffer out;
	size_t left;
	int ret;

	if (!unpack_open(l))
		return err_room(&l->error, ENOMEM, "decompressing received data");
	do {
		ret = message_reserve(l, UNPACK_STEP);
		if (ret)
			return ret;
		out = (ZSTD_outBuffer){l->message.data, l->message.cap, l->message.to};
		left = ZSTD_decompressStream(l->unpack, &out, &in);
		l->message.to = out.pos;
		if (ZSTD_isError(left))
			return refuse_message(l, ZSTD_getErrorName(left));
	} while (in.pos < in.size || out.pos == out.size);
	return 0;
}

static int append_plain(struct link *l, const struct head *h)
{
	int ret = h->len ? message_reserve(l, h->len) : 0;

	if (ret || !h->len)
		return ret;
	if (h->len >= LINK_MESSAGE_MAX - l->message.to)
		return refuse_message(l, "a message of 8 MB or more");
	memcpy(l->message.data + l->message.to, h->payload, h->len);
	l->message.to += h->len;
	return 0;
}

/* Drop the message that was returned last, if the next one begins anew. */
static void message_begin(struct link *l)
{
	drop_taken(l);
	if (!l->whole)
		return;
	l->whole = false;
	l->message.to = 0;
	if (l->message.cap <= KEEP_MAX)
		return;
	free(l->message.data);
	l->message = (struct bytes){.data = NULL};
}

/* Append a frame to its message.  Return 1: it is complete, and not optional; 0; -errno. */
static int message_add(struct link *l, const struct head *h)
{
	int ret = h->flags & FLAG_PACKED ? append_packed(l, h) : append_plain(l, h);

	l->taken = HEAD + h->len;
	drop_taken(l);
	l->under_way = h->flags & FLAG_MORE ? h->kind : 0;
	if (ret || l->under_way)
		return ret;
	l->whole = true;
	return h->kind < WIRE_OPTIONAL;
}

int link_next(struct link *l, struct link_frame *f, struct err *err)
{
	struct head h;
	int ret = 1;

	while (!l->error.code && ret > 0) {
		message_begin(l);
		ret = frame_next(l, &h);
		if (ret > 0 && message_add(l, &h) > 0) {
			*f = (struct link_frame){
				h.kind, l->message.data ? l->message.data : (const uint8_t *)"",
				l->message.to};
			return 1;
		}
	}
	if (l->error.code && err)
		*err = l->error;
	return -l->error.code;
}

uint64_t link_bytes_in(const struct link *l)
{
	return l->bytes_in;
}

uint64_t link_bytes_out(const struct link *l)
{
	return l->bytes_out;
}
