/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When the jitdumps of a process are looked at: not without end, but once more when it ends. */
#include "files/jit/jit.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "tests/sandboxed.h"
#include "tests/jitdumps.h"

static struct jit_paces paces;

static struct jit_job *look(struct jit *j)
{
	return jit_look(j, getpid(), 1, NULL, &paces, NULL);
}

/* A look that took so long. */
static void looked(struct jit *j, uint64_t cost)
{
	struct jit_job *jj = look(j);
	struct err complaint;

	assert_non_null(jj);
	assert_int_equal(jj->ndumps, 1);
	jj->dump[0].dump.tried = true;
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

/* --- the share of all processes' dumps ---------------------------------------------------- */

static struct jitdumps dump;
static char dir[] = "/tmp/test_jit.XXXXXX", path[64];

static int make_dump(void **state)
{
	int fd;

	(void)state;
	memcpy(dir + sizeof(dir) - 7, "XXXXXX", 6);
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/jit-%d.dump", dir, (int)getpid());
	jitdumps_begin(&dump, false, 0, 0);
	jitdumps_load(&dump, 100, 0x1000, 32, 0xc3, 1, "first");
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	assert_int_equal(write(fd, dump.data, dump.len), dump.len);
	close(fd);
	return 0;
}

static int remove_dump(void **state)
{
	(void)state;
	unlink(path);
	return rmdir(dir);
}

static void mapped(struct jit *j)
{
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	jit_mapped(j, path, st.st_ino, 0x1000, 0x2000);
	assert_int_equal(j->ndumps, 1);
	assert_true(jit_wait(j, 1, 0x1008, UINT64_MAX, 1));
}

/* Reads with the next job, if there is one. */
static bool read_on(struct jit *j)
{
	struct jit_job *jj = look(j);
	struct err complaint;

	if (!jj)
		return false;
	jj->job.run(&jj->job);
	jit_take(j, jj, 0, &complaint);
	jit_job_free(jj);
	return true;
}

static bool is_named(const struct jit *j)
{
	struct jit_name n;

	return jit_find(j, 0x1008, UINT64_MAX, &n);
}

/* Another process's dumps took so long that nothing is left, just now or a while ago. */
static void others_read(void)
{
	paces = (struct jit_paces){.dumps.until = clock_ns() + 3600 * NSEC_PER_SEC};
}

static void test_all(void **state)
{
	struct jit j = {0};

	(void)state;
	others_read();
	mapped(&j);
	jit_exit(&j);
	/* it is opened: it may be gone soon */
	assert_true(read_on(&j));
	assert_true(j.dump[0].fd >= 0);
	assert_false(is_named(&j));
	assert_false(read_on(&j));
	unlink(path);
	/* the last look is still owed */
	assert_true(j.ending);
	assert_false(jit_overdue(&j, clock_ns()));
	paces.dumps.until = 0;
	assert_true(read_on(&j));
	assert_true(is_named(&j));
	assert_false(j.ending);
	assert_true(paces.dumps.until > 0);
	jit_clear(&j);
}

/* The share is gone when the worker comes to it. */
static void test_meanwhile(void **state)
{
	struct jit j = {0};
	struct jit_job *jj;
	struct err complaint;

	(void)state;
	paces = (struct jit_paces){0};
	mapped(&j);
	jit_exit(&j);
	jj = look(&j);
	assert_non_null(jj);
	others_read();
	jj->job.run(&jj->job);
	jit_take(&j, jj, 0, &complaint);
	jit_job_free(jj);
	assert_false(is_named(&j));
	assert_true(j.ending);
	jit_clear(&j);
}

/* Not for ever, and then nothing is said of what was not read. */
static void test_given_up(void **state)
{
	struct jit j = {0};

	(void)state;
	others_read();
	mapped(&j);
	jit_exit(&j);
	assert_true(jit_pending(&j, clock_ns()));
	assert_true(jit_overdue(&j, clock_ns() + JIT_LAST_NS));
	jit_give_up(&j);
	assert_false(j.ending);
	assert_false(jit_pending(&j, clock_ns()));
	paces.dumps.until = 0;
	read_on(&j);
	assert_false(is_named(&j));
	jit_clear(&j);
}

/* It ends the helper: it is not asked for again, and that is said. */
static void test_lost(void **state)
{
	struct jit j = {0};
	struct sandbox_figures helper;
	struct jit_job *jj;
	struct err complaint;
	FILE *f;

	(void)state;
	paces = (struct jit_paces){0};
	mapped(&j);
	assert_true(read_on(&j));
	assert_true(is_named(&j));
	f = fopen(path, "a");
	assert_int_equal(fwrite(dump.data + 40, dump.len - 40, 1, f), 1);
	assert_int_equal(fclose(f), 0);
	sandbox_figures(SANDBOX_NAMES, &helper);
	assert_true(helper.pid > 0); /* else it would be us */
	assert_int_equal(kill(helper.pid, SIGSTOP), 0);
	jj = look(&j);
	jj->job.run(&jj->job);
	jit_take(&j, jj, 0, &complaint);
	jit_job_free(jj);
	assert_int_equal(complaint.code, ETIME);
	assert_non_null(strstr(complaint.text, path));
	assert_true(j.dump[0].failed);
	assert_true(is_named(&j));
	assert_true(read_on(&j));
	jit_clear(&j);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pace),
		cmocka_unit_test_setup_teardown(test_all, make_dump, remove_dump),
		cmocka_unit_test_setup_teardown(test_meanwhile, make_dump, remove_dump),
		cmocka_unit_test_setup_teardown(test_given_up, make_dump, remove_dump),
	};
	const struct CMUnitTest helped[] = {
		cmocka_unit_test_setup_teardown(test_lost, make_dump, remove_dump),
	};
	int failed = cmocka_run_group_tests_name("in this process", tests, NULL, NULL);

	failed += cmocka_run_group_tests_name("by a helper", tests, sandboxed_setup_all, NULL);
	return failed + cmocka_run_group_tests_name("lost", helped, NULL, sandboxed_teardown);
}
