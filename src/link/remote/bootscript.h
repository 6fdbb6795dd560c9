/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bootscript - the scripts for /bin/sh on the host, in POSIX's language and with its tools only.
 *
 * A script is one compound command, so that the shell has read all of it before running any.  It
 * keeps its findings in its own variables: no name from the host is put into a script.  Its output
 * lines begin with the mark:
 *
 *   MARK ask KERNEL MACHINE UID TOOLS [WIRE]   TOOLS with commas
 *   MARK send DIRECTORY                        it waits for the agent's bytes
 *   MARK none DIRECTORY: WHY; ...              no usable directory
 *   MARK bad CHECKSUM                          the agent arrived damaged
 *   MARK run [kept|unkept]                     the next byte is the agent's, or sudo prompts on
 *                                              stderr with the mark
 *
 * All its files are in DIRECTORY/.boot-NODE-PID-MARK, which it removes; the next script removes
 * those of shells that were killed.
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
	const char *resume; /* hex digits: token of a session that waits there; or "" */
	/* For an agent that is sent: */
	const char *hash;
	/* command that checks stdin; the first two words that it must print */
	const char *check, *want;
	/* commands: copy N bytes of stdin (N is appended); decompress stdin */
	const char *take, *unpack;
	size_t len, sent;         /* bytes of the agent; bytes sent */
	bool keep;
};

/* Write the script that asks for the machine and its tools into buf of BOOTSCRIPT_MAX bytes. */
void bootscript_ask(char *buf, const struct bootscript *s);

/* Write the script that runs the installed agent, as bootscript_ask. */
void bootscript_installed(char *buf, const struct bootscript *s);

/* Write the script that runs the cached agent, or receives and runs one, as bootscript_ask. */
void bootscript_send(char *buf, const struct bootscript *s);

#endif
