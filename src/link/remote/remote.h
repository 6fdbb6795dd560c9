/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * remote - a session on another machine: takes its agent's slices over ssh, and sends commands.
 *
 * A state machine without a thread: next() makes progress without blocking, fd() is readable when
 * there is something to do.  When the connection is lost the session goes on: it is tried again,
 * with growing pauses; an agent that lives on (linger) sends the slices of the meantime, else that
 * time is a gap.  slice_host has the state of the link; while no slices come from the agent, slices
 * of no length carry it.
 *
 * The agent may be hostile: its messages are bounded and checked (wire/), its texts are raw.
 *
 * Threads: as session.h.
 */
#ifndef RINGTOP_LINK_REMOTE_REMOTE_H
#define RINGTOP_LINK_REMOTE_REMOTE_H

#include "link/remote/boot.h"
#include "measure/session/session.h"
#include "link/wire/message.h"

/* The functions that make a connection: those of link/remote/boot.h, or a test's. */
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
	const char *agent_dir; /* NULL: the usual directories */
	bool sudo, keep;
	/* no other host uses the terminal: ssh and sudo may ask for a password, at the start */
	bool alone;
	/* the words must not run twice: they have a COMMAND, or a recording */
	bool once;
	struct password *password;
	unsigned linger;       /* seconds that the agent lives on without a connection */
	uint32_t beat_ms;      /* length of slices; 0: 100 */
	char *const *words;    /* words of the command line that concern the agent */
	unsigned nwords;
	/* bytes of memory for a message, and for the dictionary; 0: REMOTE_BUDGET */
	size_t budget;
	bool lines;            /* request functions by source line, if the agent can */
	int stop_fd;           /* readable: stop waiting for the connection; -1: none */
	int output_fd;         /* for a COMMAND's output; -1: none */
	const struct remote_boot *boot; /* NULL: boot.h's functions */
	uint64_t (*clock)(void); /* NULL: clocksync_now */
	/* directory for all files written there; NULL: only requested ones are fetched */
	const char *fetch;
};

#define REMOTE_BUDGET (64u << 20)

/*
 * Connect, and block until the session there is open.  NULL with err: the text of the program that
 * refused, after "HOST: "; the code is EACCES or EPERM for missing rights, EINVAL for a wrong
 * option.
 */
struct session *remote_open(const struct remote_config *c, struct err *err);

/*
 * Begin to connect without blocking.  Until remote_ready, which makes progress, returns 1, only
 * fd() and close() of the session may be called.  NULL with err.
 */
struct session *remote_begin(const struct remote_config *c, struct err *err);

/* Make progress.  Return 0: connecting; 1: open; -errno with err, as remote_open. */
int remote_ready(struct session *s, struct err *err);

#endif
