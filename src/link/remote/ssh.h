/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ssh - the user's own ssh (or another command that leads to a shell), with pipes to it.
 *
 * It is run as it is, so that names, keys, jump hosts, ControlMaster, ProxyCommand and prompts are those of
 * ~/.ssh/config.  Prompts are read from the terminal, which only the foreground's process group may do: it stays in
 * ours, with SIGINT and SIGQUIT ignored, so that a Ctrl-C that ends us lets the session end in order first.  It ends
 * with its pipes, and with the thread that started it (PR_SET_PDEATHSIG).
 *
 * Threads: one owner.  Writing to `out` may raise SIGPIPE: whoever has a transport ignores that.
 */
#ifndef RINGTOP_LINK_REMOTE_SSH_H
#define RINGTOP_LINK_REMOTE_SSH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

struct transport {
	int in, out, err; /* we read its stdout, write its stdin, read its stderr; none of them blocks */
	pid_t pid;        /* 0: none, or it has ended */
	int status;       /* as from waitpid, of one that transport_ended has seen end */
	bool ended;
	uint8_t *early;   /* what was read of `in` already, nearly bytes; owned */
	size_t nearly;
};

/* Whether ssh may be given that name: -EINVAL and why not. */
int ssh_host_check(const char *host, struct err *err);

/*
 * Start it: a shell of `host` at the other end.  `command` is ssh (NULL) or its words, after which our options and
 * the host are put; where one word is %h, they are all there is, and %h is the host ("docker exec -i %h /bin/sh").
 * batch: nobody is asked anything.
 */
int ssh_start(struct transport *t, const char *host, const char *command, bool batch, struct err *err);

/*
 * How it has ended, as words ("ssh ended with status 255"): what is said of a failure that nothing was said of.  Waits `ms`
 * for that, at the most, of one that runs still.  False: it has not, or there is none.
 */
bool transport_ended(struct transport *t, unsigned ms, char *text, size_t size);

/* Close the pipes and end it, if it has not ended by itself, and wait for that.  Nothing where it was closed. */
void transport_close(struct transport *t);

#endif
