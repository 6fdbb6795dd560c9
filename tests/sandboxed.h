/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sandboxed - a cmocka group whose questions real helpers answer, by the program that was built, or $RINGTOP_HELPER. */
#ifndef RINGTOP_TESTS_SANDBOXED_H
#define RINGTOP_TESTS_SANDBOXED_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "system/sandbox/sandbox.h"

#define SANDBOX_UID 64242 /* no user of this machine has it */

/* `seconds` of CPU time for a question. */
static inline int sandboxed_start_for(bool distrust, unsigned seconds)
{
	const char *top = getenv("RINGTOP_BUILDDIR"), *name = getenv("RINGTOP_HELPER");
	static char program[4096];

	snprintf(program, sizeof(program), "%s/src/%s", top ? top : ".", name ? name : "ringtop");
	if (access(program, X_OK))
		return -1;
	sandbox_allow(&(struct sandbox_config){.program = program, .seconds = seconds, .distrust = distrust, .uid = SANDBOX_UID});
	return 0;
}

static inline int sandboxed_start(bool distrust)
{
	return sandboxed_start_for(distrust, 1);
}

static inline int sandboxed_setup(void **state)
{
	(void)state;
	return sandboxed_start(false);
}

/* Whoever's files are read. */
static inline int sandboxed_setup_all(void **state)
{
	(void)state;
	return sandboxed_start(true);
}

static inline int sandboxed_teardown(void **state)
{
	(void)state;
	sandbox_end();
	return 0;
}

#endif
