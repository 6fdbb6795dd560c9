/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When the jitdumps of a process are looked at: not without end, but once more when it ends. */
#include "jit/jit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"

static struct jit_job *look(struct jit *j)
{
	return jit_look(j, getpid(), 1, NULL, false, NULL);
}

/* A look that took so long. */
static void looked(struct jit *j, uint64_t cost)
{
	struct jit_job *jj = look(j);
	struct err complaint;

	assert_non_null(jj);
	assert_int_equal(jj->ndumps, 1);
	jj->dumps_cost = cost;
	jit_take(j, jj, 0, &complaint);
	jit_job_free(jj);
}

static void test_pace(void **state)
{
	struct jit j = {0};

	(void)state;
	jit_mapped(&j, "/nowhere/jit-1.dump", 1, 0x1000, 0x2000);
	assert_int_equal(j.ndumps, 1);
	/* what V8 writes at once is read at once */
	looked(&j, 20 * NSEC_PER_MSEC);
	looked(&j, 20 * NSEC_PER_MSEC);
	/* what never ends is left for a while */
	looked(&j, 10 * NSEC_PER_SEC);
	assert_null(look(&j));
	/* not after the process's end: nobody will write more */
	j.ending = true;
	looked(&j, 0);
	jit_clear(&j);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_pace)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
