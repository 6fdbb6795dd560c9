/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * boot - from the name of a host to an agent that runs there and talks: which one is there, sent where it must be.
 *
 * Steps, each waiting for a line with a random mark before the next is sent, since profiles print and shells read
 * ahead (link/remote/bootscript.h has the texts):
 *   ask    what machine, who, which ringtop with which wire, which tools
 *   run    the one that is installed, or kept in the cache; or
 *   send   ours for that machine: into a private directory where files may be run, checked, unlinked, run
 * An agent runs when its first byte is here.
 *
 * Threads: one owner, who lives as long as the session (see ssh.h).  Blocks only to ask for a password.
 */
#ifndef RINGTOP_LINK_REMOTE_BOOT_H
#define RINGTOP_LINK_REMOTE_BOOT_H

#include <poll.h>
#include <stdbool.h>

#include "base/err.h"
#include "link/remote/password.h"
#include "link/remote/ssh.h"

struct boot_config {
	const char *host;
	const char *ssh;           /* NULL: "ssh"; see ssh_start */
	bool sudo;                 /* the agent as root */
	bool keep;                 /* leave what was sent in the cache there */
	bool batch;                /* ask nobody anything: the screen is on, or the terminal is another's */
	const char *resume_token;  /* or NULL: a new session */
	const char *agent_dir;     /* where agents to send are, as AGENT_DIR/ARCH/ringtop-agent; NULL: the usual places */
	struct password *password; /* what sudo there wants, kept by the caller for the next time; NULL: nobody can be asked */
};

struct boot;

/* Start ssh.  The texts must live as long as the boot.  NULL: err. */
struct boot *boot_start(const struct boot_config *c, struct err *err);

/* The same over a connection to a shell that is there; *t is the boot's from here on, on failure too. */
struct boot *boot_begin(const struct boot_config *c, struct transport *t, struct err *err);

#define BOOT_FDS 3

/* What to wait for: how many of p. */
int boot_poll(struct boot *b, struct pollfd p[BOOT_FDS]);

/*
 * Do what can be done without waiting; call it when boot_poll's say so, and once a second for the deadlines.  0: under
 * way.  1: the agent runs, and *t is the caller's.  -errno: err has the words of who refused, EACCES and EPERM as such.
 */
int boot_step(struct boot *b, struct transport *t, struct err *err);

/* What was done that a person may want to know ("sent ..., 1.1 MB"), or "".  Until boot_free. */
const char *boot_note(const struct boot *b);

void boot_free(struct boot *b); /* ends ssh, if it is still the boot's; NULL is allowed */

#endif
