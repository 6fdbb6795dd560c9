/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * link - one end of a connection between ringtop here and its agent there: frames in and out of bytes.
 *
 * A frame is a head of 12 bytes and its payload: u32 bytes of payload (little endian) | u8 kind | u8 flags |
 * u16 0 | u32 crc32 of the four bytes before it and the payload, as sent.  A message longer than a frame may be
 * is sent as several.  Packed ones are pieces of one zstd stream for each direction, flushed at each message.
 *
 * The other side may be hostile: nothing is allocated for what it only claims, and no more than a frame, a
 * message and the window of the stream is held of it.  Nothing waits: descriptors are non-blocking.
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
#define LINK_MESSAGE_MAX (8u << 20) /* a message has fewer bytes, unpacked */
#define LINK_UNSENT_MAX  (16u << 20) /* bytes that wait to be sent: then link_put says -ENOBUFS */
#define LINK_WINDOW_LOG  20         /* of the zstd streams */

enum wire_kind {
	WIRE_HELLO = 1, WIRE_START, WIRE_RESUME, WIRE_INFO, WIRE_SLICE, WIRE_COMMAND, WIRE_REPLY, WIRE_CREDIT,
	WIRE_TIME, WIRE_FILE_ASK, WIRE_FILE_PART, WIRE_STOP, WIRE_END,
	WIRE_KINDS,
	WIRE_OPTIONAL = 0x80 /* kinds from here on may be passed over by whoever does not know them: link_next does */
};

struct link;

struct link *link_create(void); /* NULL: out of memory */
void link_free(struct link *l);

/*
 * Into the send buffer; the caller keeps `payload`.  pack: not worth it for what is small and rare.  0; -ENOMEM (also where
 * payload has failed); -EFBIG: LINK_MESSAGE_MAX or longer; -ENOBUFS: too much waits.  Nothing was changed then.
 */
int link_put(struct link *l, enum wire_kind kind, const struct wire_out *payload, bool pack);

/* Bytes that wait to be sent. */
size_t link_unsent(const struct link *l);

/* Send what fd takes now.  0, or -errno: -EPIPE and others. */
int link_send(struct link *l, int fd);

/* Take what is there, up to a bound: 0; -EPIPE at the end; other -errno.  Then link_next until it says 0. */
int link_receive(struct link *l, int fd);

/* Bytes that were read already.  0; -ENOMEM; -ENOBUFS: more than a frame may have, take frames first. */
int link_feed(struct link *l, const void *bytes, size_t len);

struct link_frame {
	enum wire_kind kind;
	const uint8_t *data; /* unpacked; valid until the next call */
	size_t len;
};

/* 1: a message; 0: none is whole yet; -EPROTO, -ENOMEM: err says why, and so does every later call. */
int link_next(struct link *l, struct link_frame *f, struct err *err);

/* Of frames that lie in a file: how long the one is that this head of LINK_HEAD bytes begins; 0: it begins none. */
size_t link_frame_size(const uint8_t *head, enum wire_kind *kind);

/* Is the checksum right of this frame, which is there as a whole? */
bool link_frame_right(const uint8_t *frame);

uint64_t link_bytes_in(const struct link *l);  /* that have come */
uint64_t link_bytes_out(const struct link *l); /* that were sent */

#endif
