/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bootscript - what a /bin/sh over there is told to do: POSIX's language and tools, no more.
 *
 * A script is one compound command, so that the shell has all of it before it runs any.  What it finds out it keeps in
 * its own variables: no name from there comes back in a script.  It answers in lines that begin with the mark:
 *
 *   MARK ask KERNEL MACHINE UID TOOLS [WIRE]   TOOLS with commas
 *   MARK send DIRECTORY                        the agent's bytes, please
 *   MARK none DIRECTORY: WHY; ...              no place for it
 *   MARK bad CHECKSUM                          it is not what was sent
 *   MARK run [kept|unkept]                     the next byte is the agent's, or sudo's prompt on stderr, the mark
 *
 * Whatever it makes lies in DIRECTORY/.boot-NODE-PID-MARK, which goes with it; those of shells that were killed go the
 * next time.
 *
 * Threads: any.
 */
#ifndef RINGTOP_LINK_REMOTE_BOOTSCRIPT_H
#define RINGTOP_LINK_REMOTE_BOOTSCRIPT_H

#include <stdbool.h>
#include <stddef.h>

#define BOOTSCRIPT_MAX 4096

struct bootscript {
	const char *mark;   /* hex digits, random */
	bool sudo;
	const char *resume; /* hex digits or "": a session that waits there */
	/* Of an agent that is sent: */
	const char *hash;
	const char *check, *want; /* a command that reads it from stdin; the first two words it must print */
	const char *take, *unpack; /* commands: so many bytes of stdin; stdin as it was before it was packed */
	size_t len, sent;         /* bytes of it; and of what is sent */
	bool keep;
};

/* Into buf of BOOTSCRIPT_MAX bytes. */
void bootscript_ask(char *buf, const struct bootscript *s);
void bootscript_installed(char *buf, const struct bootscript *s);
void bootscript_send(char *buf, const struct bootscript *s); /* or the cached one, where it is there */

#endif
