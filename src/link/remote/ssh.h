/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ssh - runs the user's own ssh (or another command that leads to a shell), with pipes to it.
 *
 * Names, keys, jump hosts, ControlMaster, ProxyCommand and prompts are those of ~/.ssh/config.  ssh
 * reads prompts from the terminal, which only the foreground process group may do: it stays in
 * ringtop's group, with SIGINT and SIGQUIT ignored, so that after a Ctrl-C ringtop can end the
 * session in order.  ssh ends with its pipes, and with the thread that started it
 * (PR_SET_PDEATHSIG).
 *
 * Threads: one owner.  Writing to `out` may raise SIGPIPE: the owner of a transport must ignore it.
 */
#ifndef RINGTOP_LINK_REMOTE_SSH_H
#define RINGTOP_LINK_REMOTE_SSH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

struct transport {
	/* ssh's stdout (read), stdin (write), stderr (read); non-blocking; -1: closed */
	int in, out, err;
	pid_t pid;        /* 0: none, or it has ended */
	int status;       /* from waitpid, where `ended` */
	bool ended;
	uint8_t *early;   /* bytes read from `in` already, `nearly` of them; owned */
	size_t nearly;
};

/* Check that the name can be passed to ssh.  Return 0, or -EINVAL with err. */
int ssh_host_check(const char *host, struct err *err);

/*
 * Start a shell on `host`.  `command` is NULL for ssh, or its words, after which options and the
 * host are put; if one word is %h, no options are added, and %h is replaced by the host ("docker
 * exec -i %h /bin/sh").  batch: no prompts.  Return 0, or -errno with err.
 */
int ssh_start(struct transport *t, const char *host, const char *command, bool batch,
	      struct err *err);

/*
 * Describe how the process has ended ("ssh ended with status 255"), for a failure without any other
 * message.  If it still runs, wait for its end up to `ms`.  False: it has not ended, or there is
 * none.
 */
bool transport_ended(struct transport *t, unsigned ms, char *text, size_t size);

/* Close the pipes, and end the process.  Does nothing on a closed transport. */
void transport_close(struct transport *t);

#endif
