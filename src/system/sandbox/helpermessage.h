/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * helpermessage - messages over the socket between ringtop and a helper: a head, bytes, at most one
 * descriptor.
 *
 * Threads: one at each end.
 */
#ifndef RINGTOP_SYSTEM_SANDBOX_HELPERMESSAGE_H
#define RINGTOP_SYSTEM_SANDBOX_HELPERMESSAGE_H

#include <stddef.h>
#include <stdint.h>

#define HELPERMESSAGE_MAX (256u << 20) /* bytes of one */

enum helpermessage_kind {
	HELPERMESSAGE_HELLO,  /* helper: rights that it could not give up, as texts */
	HELPERMESSAGE_ASK,    /* ringtop: a job's request */
	HELPERMESSAGE_WANT,   /* helper: below the root (u8), no link (u8), path */
	HELPERMESSAGE_GIVE,   /* ringtop: -errno (u32); 0: with a descriptor */
	HELPERMESSAGE_NEED,   /* helper: the job's own request */
	HELPERMESSAGE_BYTES,  /* ringtop: the reply to it */
	HELPERMESSAGE_LOG,    /* helper: a text */
	HELPERMESSAGE_ANSWER, /* helper: the job's reply */
	HELPERMESSAGE_KINDS
};

struct message {
	uint32_t kind, job;
	uint64_t len;
};

/*
 * Send all of it: 0, -ETIME (`until`, CLOCK_MONOTONIC ns, has come; 0: no end), -EPIPE and others:
 * the other side is gone.  fd: a descriptor to send, which stays the caller's, or -1.
 */
int helpermessage_post(int socket, const struct message *m, const void *bytes, int fd,
		       uint64_t until);

/*
 * Receive a head.  *fd is a new descriptor or -1.  Errors like helpermessage_post(), and
 * -ECONNRESET: the other side has ended.
 */
int helpermessage_receive(int socket, struct message *m, int *fd, uint64_t until);

/* Receive the m->len bytes after it. */
int helpermessage_receive_bytes(int socket, void *bytes, size_t len, uint64_t until);

#endif
