/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * boot - starts an agent on a host: runs one that is there, or sends one.
 *
 * Each step waits for a line with a random mark before the next one is sent, since profiles print
 * text and shells read ahead (link/remote/bootscript.h has the texts):
 *   ask    for the machine, the user, the installed ringtop and its wire version, and the tools
 *   run    the agent that is installed, or kept in the cache; or
 *   send   an agent for that machine, to a private directory where files may be run: checked,
 *          unlinked, run
 * An agent counts as running when its first byte has arrived.
 *
 * Threads: one owner, which lives as long as the session (see ssh.h).  Blocks only to ask for a
 * password.
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
	bool sudo;                 /* run the agent as root */
	bool keep;                 /* leave the agent that was sent in the cache there */
	/* no prompts: the screen is on, or another host uses the terminal */
	bool batch;
	const char *resume_token;  /* or NULL: a new session */
	/* directory of agents to send, as ARCH/ringtop-agent; NULL: the usual ones */
	const char *agent_dir;
	/* for sudo there, kept by the caller for the next time; NULL: no prompt possible */
	struct password *password;
};

struct boot;

/* Start ssh and the boot.  The config's texts must live as long as the boot.  NULL with err. */
struct boot *boot_start(const struct boot_config *c, struct err *err);

/* Start the boot on a connection to a shell; it owns *t, also on failure.  NULL with err. */
struct boot *boot_begin(const struct boot_config *c, struct transport *t, struct err *err);

#define BOOT_FDS 3

/* Fill p with the descriptors to wait for.  Return their number. */
int boot_poll(struct boot *b, struct pollfd p[BOOT_FDS]);

/*
 * Make progress without blocking; call it when one of boot_poll's is ready, and once a second for
 * the deadlines.  Return 0: in progress; 1: the agent runs, and *t is the caller's; -errno with
 * err, which has the text of the program that refused, with code EACCES or EPERM for missing
 * rights.
 */
int boot_step(struct boot *b, struct transport *t, struct err *err);

/* Return a note for the user, such as "sent ... KB", or "".  Valid until boot_free. */
const char *boot_note(const struct boot *b);

/* Free the boot, and end ssh if the boot still owns it; NULL is allowed. */
void boot_free(struct boot *b);

#endif
