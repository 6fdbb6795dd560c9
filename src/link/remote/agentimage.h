/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * agentimage - the agent to send to a machine: one static program for each architecture, beside ours.
 *
 * Looked for as ARCH/ringtop-agent in the directory that was chosen (agent_dir, else $RINGTOP_AGENT_DIR), else where
 * this build installs them, beside a ringtop that was moved (../libexec/ringtop), and, for our own architecture, beside
 * ours in a build tree.
 *
 * Threads: one owner of all of them.  One that was read stays for the process's life: the next host of many, and the
 * next connection, want it again.
 */
#ifndef RINGTOP_LINK_REMOTE_AGENTIMAGE_H
#define RINGTOP_LINK_REMOTE_AGENTIMAGE_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/sha256.h"

struct agentimage {
	uint8_t *data, *packed; /* the program; as gzip has it */
	size_t len, npacked;
	char hash[SHA256_TEXT];
};

/* `machine` is what uname -m says there, and is not trusted.  NULL: err; ENOENT with the places that were looked at. */
const struct agentimage *agentimage_get(const char *dir, const char *machine, struct err *err);

/* What cksum prints of it, POSIX's: for machines without sha256sum. */
void agentimage_cksum(const struct agentimage *a, char *text, size_t size);

#endif
