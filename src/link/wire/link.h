/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * link - one end of a connection between ringtop and a remote agent: turns messages into bytes and
 * back.
 *
 * A frame is a head of 12 bytes and its payload: u32 bytes of payload (little endian) | u8 kind |
 * u8 flags | u16 0 | u32 crc32 of the four bytes before it and the payload, as sent.  A message
 * longer than a frame may be is sent as several.  Packed ones are pieces of one zstd stream for
 * each direction, flushed at each message.
 *
 * The peer may be hostile: a length that it claims allocates nothing, and at most one frame, one
 * message and the window of the stream are held of it.  No call blocks: descriptors are
 * non-blocking.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_LINK_WIRE_LINK_H
#define RINGTOP_LINK_WIRE_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/wire.h"

#define LINK_HEAD	 12u	     /* bytes */
#define LINK_FRAME_MAX   (1u << 20) /* bytes of payload in a frame */
#define LINK_MESSAGE_MAX (8u << 20) /* bytes of a message, unpacked: fewer than this */
/* bytes waiting to be sent, above which link_put returns -ENOBUFS */
#define LINK_UNSENT_MAX  (16u << 20)
#define LINK_WINDOW_LOG  20         /* log2 of the zstd streams' window in bytes */

enum wire_kind {
	WIRE_HELLO = 1,
	WIRE_START,
	WIRE_RESUME,
	WIRE_INFO,
	WIRE_SLICE,
	WIRE_COMMAND,
	WIRE_REPLY,
	WIRE_CREDIT,
	WIRE_TIME,
	WIRE_FILE_ASK,
	WIRE_FILE_PART,
	WIRE_STOP,
	WIRE_END,
	WIRE_KINDS,
	/* kinds from here on may be skipped by a peer that does not know them, as link_next does */
	WIRE_OPTIONAL = 0x80
};

struct link;

struct link *link_create(void); /* NULL: out of memory */
void link_free(struct link *l);

/*
 * Append a message to the send buffer; the caller keeps `payload`.  pack: compress, which small and
 * rare messages are not worth.  Return 0; -ENOMEM (also if payload->failed); -EFBIG:
 * LINK_MESSAGE_MAX bytes or more; -ENOBUFS: more than LINK_UNSENT_MAX bytes wait.  On failure the
 * buffer is unchanged.
 */
int link_put(struct link *l, enum wire_kind kind, const struct wire_out *payload, bool pack);

/* Return the number of bytes that wait to be sent. */
size_t link_unsent(const struct link *l);

/* Write waiting bytes until fd would block.  Return 0 or -errno, such as -EPIPE. */
int link_send(struct link *l, int fd);

/*
 * Read what fd has, up to a bound.  Return 0; -EPIPE at its end; other -errno.  Then call link_next
 * until it returns 0.
 */
int link_receive(struct link *l, int fd);

/* Take bytes that were read already.  Return 0; -ENOMEM; -ENOBUFS: call link_next first. */
int link_feed(struct link *l, const void *bytes, size_t len);

struct link_frame {
	enum wire_kind kind;
	const uint8_t *data; /* unpacked; valid until the next call */
	size_t len;
};

/* Take the next message.  Return 1; 0: none is complete; -EPROTO, -ENOMEM with err, for good. */
int link_next(struct link *l, struct link_frame *f, struct err *err);

/*
 * Return the bytes, head included, of a frame in a file from its head of LINK_HEAD bytes; 0: it is
 * no frame's head.
 */
size_t link_frame_size(const uint8_t *head, enum wire_kind *kind);

/* Return true if the checksum of this complete frame is right. */
bool link_frame_right(const uint8_t *frame);

uint64_t link_bytes_in(const struct link *l);  /* bytes received so far */
uint64_t link_bytes_out(const struct link *l); /* bytes sent so far */

#endif
