/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * message - what goes over the socket between us and a helper: a head, bytes, at most one descriptor.
 *
 * Threads: one at each end.
 */
#ifndef RINGTOP_SYSTEM_FENCE_MESSAGE_H
#define RINGTOP_SYSTEM_FENCE_MESSAGE_H

#include <stddef.h>
#include <stdint.h>

#define MESSAGE_MAX (256u << 20) /* bytes of one */

enum message_kind {
	MESSAGE_HELLO,  /* helper: which rights it could not give up, as texts */
	MESSAGE_ASK,    /* us: a job's question */
	MESSAGE_WANT,   /* helper: below the root (u8), no link (u8), path */
	MESSAGE_GIVE,   /* us: -errno (u32); 0: with a descriptor */
	MESSAGE_NEED,   /* helper: the job's own question */
	MESSAGE_BYTES,  /* us: the answer to it */
	MESSAGE_LOG,    /* helper: a text */
	MESSAGE_ANSWER, /* helper: of the job */
	MESSAGE_KINDS
};

struct message {
	uint32_t kind, job;
	uint64_t len;
};

/*
 * Send all of it: 0, -ETIME (`until`, CLOCK_MONOTONIC ns, has come; 0: no end), -EPIPE and others: the other
 * side is gone.  fd: -1, none.
 */
int message_post(int socket, const struct message *m, const void *bytes, int fd, uint64_t until);

/* A head: *fd is a new descriptor or -1.  Errors as above; -ECONNRESET: the other side has ended. */
int message_receive(int socket, struct message *m, int *fd, uint64_t until);

/* m->len bytes after it. */
int message_receive_bytes(int socket, void *bytes, size_t len, uint64_t until);

#endif
