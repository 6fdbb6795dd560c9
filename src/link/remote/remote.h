/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * remote - the session of another machine: its agent's slices over ssh, commands back.
 *
 * A state machine without a thread: next() does what can be done without waiting, fd() is readable when there is
 * something to do.  When the connection is lost the session goes on: it is tried again, with growing pauses; an
 * agent that lives on (linger) sends what it measured meanwhile, else that time is a gap.  slice_host tells how the
 * link stands; while nothing comes from there, slices of no length say so.
 *
 * The other side may be hostile: what it sends is bounded and checked (wire/), texts of it are raw.
 *
 * Threads: as session.h.
 */
#ifndef RINGTOP_LINK_REMOTE_REMOTE_H
#define RINGTOP_LINK_REMOTE_REMOTE_H

#include "link/remote/boot.h"
#include "measure/session/session.h"
#include "link/wire/message.h"

/* How to get a connection: link/remote/boot.h, or what a test has. */
struct remote_boot {
	struct boot *(*start)(const struct boot_config *c, struct err *err);
	int (*poll)(struct boot *b, struct pollfd p[BOOT_FDS]);
	int (*step)(struct boot *b, struct transport *t, struct err *err);
	const char *(*note)(const struct boot *b);
	void (*free)(struct boot *b);
	void (*close)(struct transport *t);
};

/* Texts, words and password must live as long as the session. */
struct remote_config {
	const char *host;
	const char *ssh;       /* NULL: "ssh" */
	const char *agent_dir; /* NULL: the usual places */
	bool sudo, keep;
	bool alone;            /* the terminal is ours: ssh and sudo may ask for a password, at the start */
	bool once;             /* words that must not be said twice: a COMMAND, a recording */
	struct password *password;
	unsigned linger;       /* seconds that the agent lives on without us */
	uint32_t beat_ms;      /* how long slices are; 0: 100 */
	char *const *words;    /* of the command line, those that mean something there */
	unsigned nwords;
	size_t budget;         /* bytes of what came in one message; 0: REMOTE_BUDGET */
	bool lines;            /* functions come by source line, where the agent can */
	int stop_fd;           /* readable: do not wait for the connection any longer; -1: none */
	int output_fd;         /* where a COMMAND's output goes, -1: nowhere */
	const struct remote_boot *boot; /* NULL: boot.h */
	uint64_t (*clock)(void); /* NULL: linkclock_now */
	const char *fetch;     /* where all files that are written there are to come, NULL: those that are asked for */
};

#define REMOTE_BUDGET (64u << 20)

/*
 * Connect, and wait until the session there is open.  NULL: err has the words of who refused, after "HOST: "; EACCES
 * and EPERM where rights were missing, EINVAL where an option was wrong.
 */
struct session *remote_open(const struct remote_config *c, struct err *err);

/*
 * The same without waiting: until remote_ready, which does what can be done, says 1, the session is good for fd() and
 * close() alone.
 */
struct session *remote_begin(const struct remote_config *c, struct err *err);
int remote_ready(struct session *s, struct err *err); /* 0: under way; 1: open; -errno: as remote_open */

#endif
