/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fenced - a cmocka group whose questions real helpers answer, by the program that was built, or $RINGTOP_HELPER. */
#ifndef RINGTOP_TESTS_FENCED_H
#define RINGTOP_TESTS_FENCED_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "system/fence/fence.h"

#define FENCED_UID 64242 /* no user of this machine has it */

/* `seconds` of CPU time for a question. */
static inline int fenced_start_for(bool distrust, unsigned seconds)
{
	const char *top = getenv("RINGTOP_BUILDDIR"), *name = getenv("RINGTOP_HELPER");
	static char program[4096];

	snprintf(program, sizeof(program), "%s/src/%s", top ? top : ".", name ? name : "ringtop");
	if (access(program, X_OK))
		return -1;
	fence_allow(&(struct fence_config){.program = program, .seconds = seconds, .distrust = distrust, .uid = FENCED_UID});
	return 0;
}

static inline int fenced_start(bool distrust)
{
	return fenced_start_for(distrust, 1);
}

static inline int fenced_setup(void **state)
{
	(void)state;
	return fenced_start(false);
}

/* Whoever's files are read. */
static inline int fenced_setup_all(void **state)
{
	(void)state;
	return fenced_start(true);
}

static inline int fenced_teardown(void **state)
{
	(void)state;
	fence_end();
	return 0;
}

#endif
