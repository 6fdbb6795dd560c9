/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An own instance of ftrace: in a made-up tracefs, which is a directory, and in this machine's. */
#include "sources/ftrace/instance.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernel/event/tracepoint.h"
#include "system/proc/procscan.h"
#include "tests/skip.h"

static char fake[64];

static void path_in(char *path, size_t size, const char *dir, const char *file)
{
	snprintf(path, size, "%s/%s", dir, file);
}

static void put(const char *dir, const char *file, const char *text)
{
	char path[512];
	FILE *f;

	path_in(path, sizeof(path), dir, file);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void has(const char *dir, const char *file, const char *text)
{
	char path[512], is[256] = "";
	FILE *f;

	path_in(path, sizeof(path), dir, file);
	f = fopen(path, "r");
	assert_non_null(f);
	is[fread(is, 1, sizeof(is) - 1, f)] = '\0';
	fclose(f);
	assert_string_equal(is, text);
}

static bool exists(const char *dir, const char *name)
{
	char path[512];

	path_in(path, sizeof(path), dir, name);
	return !access(path, F_OK);
}

static void make(const char *name)
{
	char path[512];

	path_in(path, sizeof(path), fake, name);
	assert_int_equal(mkdir(path, 0700), 0);
}

static int make_fake(void **state)
{
	(void)state;
	snprintf(fake, sizeof(fake), "/tmp/ringtop-instance-XXXXXX");
	return !mkdtemp(fake);
}

static int remove_fake(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf '%s'", fake);
	return system(command);
}

static void test_files(void **state)
{
	struct instance *i;
	struct err err = {.code = 0};
	char buf[8], events[256];
	int fd;

	(void)state;
	make("instances");
	assert_int_equal(instance_create(fake, &i, &err), 0);
	assert_int_equal(access(instance_path(i), F_OK), 0);
	path_in(events, sizeof(events), instance_path(i), "events");
	assert_int_equal(mkdir(events, 0700), 0);
	put(instance_path(i), "tracing_on", "1\n");
	put(instance_path(i), "current_tracer", "function\n");
	put(instance_path(i), "events/enable", "1");
	put(instance_path(i), "trigger", "# none\n");

	assert_int_equal(instance_write(i, "trigger", "hist:keys=a", &err), 0);
	assert_int_equal(instance_append(i, "trigger", " if b", &err), 0);
	has(instance_path(i), "trigger", "hist:keys=a if b");
	assert_int_equal(instance_read(i, "trigger", buf, sizeof(buf), &err), 7);
	assert_string_equal(buf, "hist:ke");
	fd = instance_open(i, "trigger", O_RDONLY, &err);
	assert_true(fd >= 0);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	close(fd);

	assert_int_equal(instance_write(i, "no/file", "1", &err), -ENOENT);
	assert_non_null(strstr(err.text, "no/file"));
	assert_true(*err.advice);
	assert_int_equal(instance_read(i, "nothing", buf, sizeof(buf), &err), -ENOENT);
	assert_int_equal(instance_open(i, "nothing", O_RDONLY, NULL), -ENOENT);

	/* A directory with files in it is none that the kernel makes: it stays, switched off. */
	path_in(events, sizeof(events), instance_path(i), "");
	assert_int_equal(instance_free(i), -ENOTEMPTY);
	has(events, "tracing_on", "0\n");
	has(events, "current_tracer", "nopction\n"); /* tracefs takes a write as a whole */
	has(events, "events/enable", "0");
}

static void test_two(void **state)
{
	struct instance *a, *b;
	char path[512];

	(void)state;
	make("instances");
	assert_int_equal(instance_create(fake, &a, NULL), 0);
	assert_int_equal(instance_create(fake, &b, NULL), 0);
	assert_string_not_equal(instance_path(a), instance_path(b));
	snprintf(path, sizeof(path), "%s", instance_path(a));
	assert_int_equal(instance_free(a), 0);
	assert_int_equal(access(path, F_OK), -1);
	assert_int_equal(access(instance_path(b), F_OK), 0);
	assert_int_equal(instance_free(b), 0);
	assert_int_equal(instance_free(NULL), 0);
}

static void test_none(void **state)
{
	struct instance *i = (struct instance *)1;
	struct err err = {.code = 0};

	(void)state;
	assert_int_equal(instance_create(fake, &i, &err), -ENOENT);
	assert_null(i);
	assert_non_null(strstr(err.text, "instances"));
	assert_non_null(strstr(err.advice, fake));
	assert_int_equal(instance_sweep(fake), 0);
}

/* Who is dead, who only seems to be, and what is not ours. */
static void test_sweep(void **state)
{
	unsigned long long start = procscan_start(getpid());
	char name[5][64];
	char path[512];
	pid_t dead = fork();
	int lock;

	(void)state;
	assert_true(start > 0);
	if (!dead)
		_exit(0);
	assert_int_equal(waitpid(dead, NULL, 0), dead);
	make("instances");
	snprintf(name[0], sizeof(name[0]), "instances/ringtop-%d-%llu-0", dead, start);
	snprintf(name[1], sizeof(name[1]), "instances/ringtop-%d-%llu-0", getpid(), start + 1); /* its pid, reused */
	snprintf(name[2], sizeof(name[2]), "instances/ringtop-%d-%llu-7", getpid(), start);
	snprintf(name[3], sizeof(name[3]), "instances/ringtop-filter-%d", dead);
	snprintf(name[4], sizeof(name[4]), "instances/ringtop-%d-%llu-9", dead, start + 5); /* unseen: it has the lock */
	for (unsigned n = 0; n < 5; n++)
		make(name[n]);
	make("instances/ringtop-mine");
	make("instances/other");
	make("instances/ringtop-1x-2-3");
	path_in(path, sizeof(path), fake, name[4]);
	lock = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(flock(lock, LOCK_EX), 0);

	assert_int_equal(instance_sweep(fake), 3);
	assert_false(exists(fake, name[0]));
	assert_false(exists(fake, name[1]));
	assert_true(exists(fake, name[2]));
	assert_false(exists(fake, name[3]));
	assert_true(exists(fake, name[4]));
	assert_true(exists(fake, "instances/ringtop-mine"));
	assert_true(exists(fake, "instances/other"));
	assert_true(exists(fake, "instances/ringtop-1x-2-3"));
	close(lock);
	assert_int_equal(instance_sweep(fake), 1);
}

static void test_log(void **state)
{
	static const struct {
		const char *text, *why;
		int at;
	} rows[] = {
		{"[ 1164.290501] hist:sched:sched_switch: error: Couldn't find field\n"
		 "  Command: hist:keys=pixd\n"
		 "                     ^\n", "Couldn't find field", 10},
		{"[ 1.0] event filter parse error: error: Unknown field\n  Command: x==1\n           ^\n"
		 "[ 2.0] hist:a:b: error: Duplicate key\n  Command: hist:keys=a,a\n           ^\n", "Duplicate key", 0},
		{"[ 2.0] hist:a:b: error: Cut", "Cut", -1},
		{"[ 2.0] hist:a:b: error: No command\nsomething\n   ^\n", "No command", -1},
		{"[ 2.0] hist:a:b: error: No caret\n  Command: x\n", "No caret", -1},
		{"[ 2.0] a: error: \033[2J\n", "\\x1b[2J", -1},
	};
	struct instance_reason r;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		assert_true(instance_parse_log(rows[i].text, &r));
		assert_string_equal(r.why, rows[i].why);
		assert_int_equal(r.at, rows[i].at);
	}
	assert_false(instance_parse_log("", &r));
	assert_false(instance_parse_log("error: none\n", &r));
}

/* --- this machine's -------------------------------------------------------------------------- */

static const char *real(void)
{
	const char *tracefs = tracepoint_mounted();

	if (!tracefs || access(tracefs, W_OK))
		SKIP("tracefs cannot be written here (root, and mount -t tracefs tracefs /sys/kernel/tracing)");
	return tracefs;
}

static void test_real(void **state)
{
	struct instance *i;
	struct err err = {.code = 0};
	char buf[64], path[256];
	int held;

	(void)state;
	real();
	if (instance_create(NULL, &i, &err))
		fail_msg("%s: %s", err.text, err.advice);
	assert_int_equal(instance_write(i, "events/sched/sched_switch/enable", "1", &err), 0);
	assert_int_equal(instance_read(i, "events/sched/sched_switch/enable", buf, sizeof(buf), &err), 2);
	assert_string_equal(buf, "1\n");
	/* Why a trigger is refused, as the kernel says it: no kernel has this one. */
	assert_true(instance_write(i, "events/sched/sched_switch/filter", "nosuch == 1", &err) < 0);
	assert_non_null(strstr(err.text, "nosuch == 1"));
	instance_sweep(tracepoint_mounted());
	assert_int_equal(access(instance_path(i), F_OK), 0);
	snprintf(path, sizeof(path), "%s", instance_path(i));
	/* While a buffer is open the kernel refuses to remove it; the next sweep does not take it either: we live. */
	held = instance_open(i, "per_cpu/cpu0/trace_pipe_raw", O_RDONLY, &err);
	assert_true(held >= 0);
	assert_int_equal(instance_free(i), -EBUSY);
	close(held);
	assert_int_equal(access(path, F_OK), 0);
	assert_int_equal(rmdir(path), 0);
}

static void test_killed(void **state)
{
	char path[256] = "";
	int from[2];
	pid_t child;
	struct instance *i;

	(void)state;
	real();
	assert_int_equal(pipe(from), 0);
	child = fork();
	if (!child) {
		if (instance_create(NULL, &i, NULL) || instance_write(i, "events/sched/sched_switch/enable", "1", NULL) ||
		    write(from[1], instance_path(i), strlen(instance_path(i))) < 0)
			_exit(1);
		pause();
		_exit(0);
	}
	assert_true(read(from[0], path, sizeof(path) - 1) > 0);
	assert_int_equal(access(path, F_OK), 0);
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_int_equal(access(path, F_OK), 0);
	assert_int_equal(instance_create(NULL, &i, NULL), 0);
	assert_int_equal(access(path, F_OK), -1);
	assert_int_equal(instance_free(i), 0);
	close(from[0]);
	close(from[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_files, make_fake, remove_fake),
		cmocka_unit_test_setup_teardown(test_two, make_fake, remove_fake),
		cmocka_unit_test_setup_teardown(test_none, make_fake, remove_fake),
		cmocka_unit_test_setup_teardown(test_sweep, make_fake, remove_fake),
		cmocka_unit_test(test_log),
		cmocka_unit_test(test_real),
		cmocka_unit_test(test_killed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
