/* SPDX-License-Identifier: GPL-2.0-or-later */
/* must - what holds for every input; where it does not, a fuzz target has found something. */
#ifndef RINGTOP_TESTS_FUZZ_MUST_H
#define RINGTOP_TESTS_FUZZ_MUST_H

#include <stdio.h>
#include <stdlib.h>

static inline void must_say(int holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "it does not hold that %s\n", what);
	abort();
}

#define must(what) must_say((what), #what)

#endif
