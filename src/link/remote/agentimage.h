/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * agentimage - the agent program to send to a host: one static program for each architecture.
 *
 * Searched for as ARCH/ringtop-agent in the chosen directory (agent_dir, else $RINGTOP_AGENT_DIR),
 * else where this build installs agents, beside a ringtop that was moved (../libexec/ringtop), and,
 * for this machine's architecture, beside ringtop in a build tree.
 *
 * Threads: one owner of all images.  An image stays in memory until the process ends: the next host
 * of many, and the next connection, need it again.
 */
#ifndef RINGTOP_LINK_REMOTE_AGENTIMAGE_H
#define RINGTOP_LINK_REMOTE_AGENTIMAGE_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/sha256.h"

struct agentimage {
	uint8_t *data, *packed; /* the program; the same bytes, gzipped */
	size_t len, npacked;
	char hash[SHA256_TEXT];
};

/*
 * Find the agent for the host's `machine` (uname -m, not trusted).  Borrowed.  NULL with err;
 * ENOENT lists the paths tried.
 */
const struct agentimage *agentimage_get(const char *dir, const char *machine, struct err *err);

/* Write the output of POSIX cksum for the program, for hosts without sha256sum. */
void agentimage_cksum(const struct agentimage *a, char *text, size_t size);

#endif
