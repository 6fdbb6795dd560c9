/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Processes and threads by time: fork, exec, names, ends, and numbers given out again. */
#include "names/objects/task.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/budget.h"

static struct dsos *objects;

static int group_setup(void **state)
{
	(void)state;
	objects = dsos_create(NULL);
	return 0;
}

static int group_teardown(void **state)
{
	(void)state;
	dsos_free(objects);
	return 0;
}

#define TEXT 0x400000

/* As an MMAP record: path at TEXT. */
static void map_text(struct tasks *ts, pid_t pid, const char *path, uint64_t time)
{
	struct process *p = tasks_process(ts, pid);
	struct dso *o = dsos_get(objects, &(struct dso_key){.path = path}, 1);

	assert_non_null(p);
	assert_int_equal(maps_add(&p->space->maps, (struct map){.start = TEXT, .end = TEXT + 0x1000,
				  .object = o, .born = time}, tasks_tick(ts)), 0);
}

static const char *text_at(struct tasks *ts, pid_t pid, uint64_t time)
{
	const struct process *p = tasks_process(ts, pid);
	const struct map *m = maps_find(process_space_at(p, time)->maps, TEXT, time);

	return m ? m->object->path : "";
}

static const char *comm_at(struct tasks *ts, pid_t tid, uint64_t time)
{
	return task_comm_at(tasks_find(ts, tid), time)->comm;
}

static void test_before_us(void **state)
{
	struct tasks *ts = tasks_create();
	struct task *t = tasks_get(ts, 10, 11);

	(void)state;
	assert_non_null(t);
	assert_ptr_equal(tasks_get(ts, 10, 11), t);
	assert_ptr_equal(tasks_find(ts, 11), t);
	assert_null(tasks_find(ts, 10));
	assert_int_equal(t->process->pid, 10);
	assert_int_equal(t->process->scan, SCAN_NONE);
	assert_string_equal(t->comm->comm, ""); /* not known yet */
	assert_int_equal(t->comm->start, 0);
	assert_ptr_equal(tasks_get(ts, 10, 10)->process, t->process);
	assert_int_equal(t->process->ntasks, 2);
	assert_int_equal(tasks_count(ts), 2);
	assert_string_equal(tasks_get(ts, 0, 0)->comm->comm, "swapper");
	assert_string_equal(tasks_get(ts, -1, -1)->comm->comm, "[exited]");
	tasks_free(ts);
	tasks_free(NULL);
}

static void test_fork(void **state)
{
	struct tasks *ts = tasks_create();

	(void)state;
	tasks_get(ts, 10, 10);
	tasks_comm(ts, 10, 10, "shell", false, 5);
	map_text(ts, 10, "/bin/sh", 5);
	tasks_fork(ts, 10, 10, 20, 20, 100);
	assert_string_equal(comm_at(ts, 20, 100), "shell");
	assert_string_equal(text_at(ts, 20, 100), "/bin/sh");
	assert_int_equal(tasks_process(ts, 20)->ppid, 10);
	/* The parent goes on: the child has its own. */
	map_text(ts, 10, "/bin/other", 110);
	assert_string_equal(text_at(ts, 20, 120), "/bin/sh");
	assert_string_equal(text_at(ts, 10, 120), "/bin/other");
	/* A thread shares. */
	tasks_fork(ts, 10, 10, 10, 12, 130);
	assert_ptr_equal(tasks_find(ts, 12)->process, tasks_process(ts, 10));
	tasks_comm(ts, 10, 12, "worker", false, 140);
	assert_string_equal(comm_at(ts, 12, 135), "shell");
	assert_string_equal(comm_at(ts, 12, 140), "worker");
	assert_string_equal(comm_at(ts, 10, 140), "shell");
	/* A parent that nobody knows. */
	tasks_fork(ts, 900, 900, 901, 901, 150);
	assert_string_equal(text_at(ts, 901, 150), "");
	assert_int_equal(tasks_process(ts, 901)->scan, SCAN_NONE);
	assert_int_equal(tasks_find(ts, 901)->comm->start, 0); /* /proc may say its name */
	tasks_free(ts);
}

static bool own(struct tasks *ts, pid_t pid, const char *user, const char *cgroup, pid_t parent, const char *parent_comm)
{
	struct owner_seen seen = {.found = true, .cgroup = (char *)cgroup, .parent = parent};

	strcpy(seen.user, user);
	strcpy(seen.parent_comm, parent_comm);
	return process_own(tasks_process(ts, pid), &seen);
}

static void assert_owner(struct tasks *ts, pid_t pid, uint64_t time, const char *user, const char *cgroup)
{
	const struct owner *o = process_space_at(tasks_process(ts, pid), time)->owner;

	assert_string_equal(o->user, user);
	assert_string_equal(o->cgroup ? o->cgroup : "", cgroup);
}

/* A fork is its parent's until it is seen otherwise, also where that becomes known later. */
static void test_owners(void **state)
{
	struct tasks *ts = tasks_create();

	(void)state;
	tasks_get(ts, 10, 10);
	tasks_comm(ts, 10, 10, "shell", false, 5);
	assert_false(tasks_process(ts, 10)->space->owner->known);
	tasks_fork(ts, 10, 10, 20, 20, 100);
	tasks_fork(ts, 20, 20, 30, 30, 101);
	assert_string_equal(tasks_process(ts, 20)->parent, "shell");
	assert_true(own(ts, 10, "root", "/a", 1, "init"));
	assert_string_equal(tasks_process(ts, 10)->parent, "init");
	assert_int_equal(tasks_process(ts, 10)->ppid, 1);
	assert_owner(ts, 30, 101, "root", "/a");
	/* It gives its rights up: it alone, and what it forks from then on. */
	assert_false(own(ts, 20, "www", "/a", 10, "shell"));
	assert_owner(ts, 10, 100, "root", "/a");
	assert_owner(ts, 20, 100, "www", "/a");
	assert_owner(ts, 30, 101, "root", "/a");
	tasks_fork(ts, 20, 20, 31, 31, 102);
	assert_owner(ts, 31, 102, "www", "/a");
	/* An exec is its own until it is looked at; what was before stays so. */
	tasks_comm(ts, 20, 20, "tool", true, 200);
	assert_owner(ts, 20, 201, "www", "/a");
	assert_int_equal(tasks_process(ts, 20)->space->asked, 0);
	assert_false(own(ts, 20, "nobody", "/b", 10, "shell"));
	assert_owner(ts, 20, 201, "nobody", "/b");
	assert_owner(ts, 20, 150, "www", "/a");
	/* Whoever forked it did so for ever, under the name of then. */
	assert_false(own(ts, 20, "nobody", "/b", 1, "init"));
	assert_int_equal(tasks_process(ts, 20)->ppid, 10);
	assert_string_equal(tasks_process(ts, 20)->parent, "shell");
	assert_true(own(ts, 10, "root", "/a", 1, "init") == false);
	tasks_get(ts, 1, 1);
	assert_true(own(ts, 1, "root", NULL, 0, ""));
	assert_string_equal(tasks_process(ts, 1)->parent, "(none)");
	/* Met by a thread that was born in it: nobody is his own parent, and /proc knows who is. */
	tasks_fork(ts, 50, 50, 50, 51, 300);
	assert_int_equal(tasks_process(ts, 50)->ppid, 0);
	assert_string_equal(tasks_process(ts, 50)->parent, "");
	assert_true(own(ts, 50, "root", "/a", 10, "shell"));
	assert_int_equal(tasks_process(ts, 50)->ppid, 10);
	assert_string_equal(tasks_process(ts, 50)->parent, "shell");
	tasks_free(ts);
}

/* Samples from before and after an exec, in any order. */
static void test_exec(void **state)
{
	struct tasks *ts = tasks_create();

	(void)state;
	tasks_get(ts, 10, 10);
	tasks_comm(ts, 10, 10, "shell", false, 5);
	map_text(ts, 10, "/bin/sh", 5);
	tasks_fork(ts, 10, 10, 20, 20, 100);
	tasks_comm(ts, 20, 20, "cat", true, 200);
	map_text(ts, 20, "/bin/cat", 201);
	tasks_comm(ts, 20, 20, "dog", true, 300);
	map_text(ts, 20, "/bin/dog", 301);
	assert_string_equal(text_at(ts, 20, 350), "/bin/dog");
	assert_string_equal(text_at(ts, 20, 150), "/bin/sh");
	assert_string_equal(text_at(ts, 20, 250), "/bin/cat");
	assert_string_equal(comm_at(ts, 20, 150), "shell");
	assert_string_equal(comm_at(ts, 20, 299), "cat");
	assert_string_equal(comm_at(ts, 20, 300), "dog");
	assert_string_equal(comm_at(ts, 20, 1), "shell"); /* older than all: the oldest there is */
	assert_int_equal(tasks_process(ts, 20)->scan, SCAN_DONE);
	assert_string_equal(text_at(ts, 10, 350), "/bin/sh");
	/* Settled: what ended before is dropped, what was in force is not. */
	tasks_settle(ts, 250);
	tasks_comm(ts, 20, 20, "emu", true, 400);
	assert_string_equal(comm_at(ts, 20, 250), "cat");
	assert_string_equal(text_at(ts, 20, 250), "/bin/cat");
	assert_string_equal(comm_at(ts, 20, 150), "cat");
	assert_string_equal(text_at(ts, 20, 350), "/bin/dog");
	tasks_free(ts);
}

static void test_exit(void **state)
{
	struct tasks *ts = tasks_create();

	(void)state;
	tasks_get(ts, 10, 10);
	tasks_fork(ts, 10, 10, 20, 20, 100);
	tasks_fork(ts, 20, 20, 20, 21, 110);
	tasks_exit(ts, 20, 5);
	tasks_exit(ts, 20, 6); /* twice is once */
	tasks_exit(ts, 999, 5); /* nobody */
	tasks_sweep(ts, 5);
	assert_non_null(tasks_find(ts, 20)); /* still there for samples that come late */
	tasks_sweep(ts, 6);
	assert_null(tasks_find(ts, 20));
	assert_non_null(tasks_process(ts, 20)); /* its other thread lives */
	tasks_exit(ts, 21, 7);
	tasks_sweep(ts, 8);
	assert_null(tasks_process(ts, 20));
	assert_int_equal(tasks_count(ts), 1);
	tasks_free(ts);
}

static void test_reuse(void **state)
{
	struct tasks *ts = tasks_create();
	uint64_t serial;

	(void)state;
	tasks_get(ts, 10, 10);
	tasks_comm(ts, 10, 10, "a", false, 5);
	map_text(ts, 10, "/bin/a", 5);
	tasks_get(ts, 11, 11);
	tasks_comm(ts, 11, 11, "b", false, 5);
	map_text(ts, 11, "/bin/b", 5);
	tasks_fork(ts, 10, 10, 20, 20, 100);
	serial = tasks_process(ts, 20)->serial;
	tasks_exit(ts, 20, 1);
	tasks_fork(ts, 11, 11, 20, 20, 200); /* before it was swept */
	assert_int_not_equal(tasks_process(ts, 20)->serial, serial);
	assert_string_equal(comm_at(ts, 20, 200), "b");
	assert_string_equal(text_at(ts, 20, 200), "/bin/b");
	tasks_sweep(ts, 100); /* the old one's grave is not the new one's */
	assert_non_null(tasks_find(ts, 20));
	/* A thread's number becomes a process's, and the other way round. */
	tasks_fork(ts, 10, 10, 10, 30, 300);
	tasks_fork(ts, 11, 11, 30, 30, 310);
	assert_string_equal(text_at(ts, 30, 310), "/bin/b");
	assert_int_equal(tasks_get(ts, 11, 30)->process->pid, 11);
	assert_null(tasks_process(ts, 30));
	tasks_free(ts);
}

/* A process of several threads whose number is given out again while some are still remembered. */
static void test_reuse_threads(void **state)
{
	struct tasks *ts = tasks_create();

	(void)state;
	tasks_get(ts, 11, 11);
	map_text(ts, 11, "/bin/b", 5);
	tasks_get(ts, 20, 20);
	tasks_comm(ts, 20, 20, "old", true, 5);
	map_text(ts, 20, "/bin/old", 5);
	tasks_fork(ts, 20, 20, 20, 21, 50);
	tasks_exit(ts, 21, 1);
	tasks_exit(ts, 20, 1);
	tasks_fork(ts, 11, 11, 20, 20, 200);
	assert_string_equal(text_at(ts, 20, 210), "/bin/b");
	assert_int_equal(tasks_process(ts, 20)->ppid, 11);
	tasks_sweep(ts, 100);
	assert_null(tasks_find(ts, 21));
	assert_non_null(tasks_find(ts, 20));
	assert_string_equal(text_at(ts, 20, 210), "/bin/b");
	tasks_free(ts);
}

static void test_long_names(void **state)
{
	struct tasks *ts = tasks_create();

	(void)state;
	tasks_comm(ts, 5, 5, "a name that is much longer than the kernel's", false, 10);
	assert_string_equal(comm_at(ts, 5, 10), "a name that is ");
	tasks_free(ts);
}

/* Everything at random; what must hold is that nothing breaks and nothing is left. */
static void test_random(void **state)
{
	struct tasks *ts = tasks_create();

	(void)state;
	srandom(4);
	for (unsigned i = 1; i < 200000; i++) {
		pid_t pid = 1 + (pid_t)(random() % 60), tid = pid + (pid_t)(random() % 3 ? 0 : random() % 5);
		char comm[24];

		snprintf(comm, sizeof(comm), "c%u", i);
		switch (random() % 6) {
		case 0:
			tasks_fork(ts, 1 + (pid_t)(random() % 60), pid, pid, tid, i);
			break;
		case 1:
			tasks_comm(ts, pid, tid, comm, random() % 2, i);
			break;
		case 2:
			tasks_exit(ts, tid, i / 100);
			break;
		case 3:
			if (tasks_process(ts, pid))
				map_text(ts, pid, comm, i);
			break;
		case 4:
			assert_int_equal(tasks_get(ts, pid, tid)->process->pid, pid);
			break;
		default:
			if (tasks_process(ts, pid))
				assert_non_null(process_space_at(tasks_process(ts, pid), i - 50));
		}
		if (i % 100 == 0) {
			tasks_settle(ts, i - 100);
			tasks_sweep(ts, i / 100 - 1);
		}
		assert_true(tasks_count(ts) < 70);
	}
	tasks_free(ts);
}

/* A thread renames itself without end: of one tick its newest names are known, and bounded in number. */
static void test_renames(void **state)
{
	struct tasks *ts = tasks_create();
	struct task *t = tasks_get(ts, 5, 5);
	char name[COMM_LEN];

	(void)state;
	for (uint64_t tick = 1; tick <= 20; tick++) {
		for (uint64_t i = 0; i < 1000; i++) {
			uint64_t now = tick * 1000 + i;

			snprintf(name, sizeof(name), "n%u", (unsigned)now);
			tasks_comm(ts, 5, 5, name, false, now);
			assert_in_range(t->ncomms, 1, 64);
			for (uint64_t old = 0; old < 32 && old <= i; old++) {
				snprintf(name, sizeof(name), "n%u", (unsigned)(now - old));
				assert_string_equal(comm_at(ts, 5, now - old), name);
			}
		}
		tasks_settle(ts, tick * 1000 + 999);
	}
	tasks_comm(ts, 5, 5, "a name that is too long", false, 30000);
	assert_string_equal(comm_at(ts, 5, 30000), "a name that is ");
	assert_string_equal(comm_at(ts, 5, 29999), "n20999");
	assert_int_equal(t->ncomms, 2); /* what is settled is forgotten */
	tasks_settle(ts, 30000);
	tasks_comm(ts, 5, 5, "next", false, 30001);
	tasks_comm(ts, 5, 5, "last", false, 30002);
	assert_int_equal(t->ncomms, 3); /* each may still be asked for */
	tasks_free(ts);
}

static uint64_t taken(void)
{
	struct budget_figures f;

	budget_figures(&f);
	return f.of[BUDGET_NAMES];
}

#define STORM 1000000

/* Programs choose how many there are: as many are known as there is memory for, and the others once they go. */
static void test_storm(void **state)
{
	struct tasks *ts;
	size_t most;

	(void)state;
	budget_set_limit(BUDGET_MIN);
	ts = tasks_create();
	for (pid_t pid = 1; pid <= STORM; pid++) {
		tasks_fork(ts, 0, 0, pid, pid, 10);
		tasks_exit(ts, pid, 1);
	}
	most = tasks_count(ts);
	assert_in_range(most, 1000, STORM / 10);
	assert_in_range(taken(), most * 64, BUDGET_MIN / 4);
	tasks_settle(ts, 20);
	tasks_sweep(ts, 5);
	assert_int_equal(tasks_count(ts), 0);
	assert_non_null(tasks_get(ts, STORM, STORM));
	tasks_free(ts);
	assert_int_equal(taken(), 0);
	budget_set_limit(BUDGET_DEFAULT);
}

/* What a thread was called within a moment is let go, also where it is never renamed again. */
static void test_old_names_go(void **state)
{
	struct tasks *ts = tasks_create();
	char name[16];
	uint64_t one;

	(void)state;
	tasks_comm(ts, 1, 1, "first", false, 10);
	one = taken();
	for (unsigned i = 0; i < 50; i++) {
		snprintf(name, sizeof(name), "name-%u", i);
		tasks_comm(ts, 1, 1, name, false, 20 + i);
	}
	assert_true(taken() > one);
	assert_string_equal(comm_at(ts, 1, 20), "name-0");
	tasks_settle(ts, 100);
	tasks_forget(ts);
	assert_true(taken() <= one);
	assert_string_equal(comm_at(ts, 1, 100), "name-49");
	tasks_free(ts);
}

/* Without memory a thread still has its newest name. */
static void test_name_without_memory(void **state)
{
	struct tasks *ts = tasks_create();
	uint64_t rest;

	(void)state;
	tasks_comm(ts, 1, 1, "old", false, 10);
	rest = budget_limit() / 4 - taken();
	assert_true(budget_take(NULL, BUDGET_NAMES, rest));
	tasks_comm(ts, 1, 1, "new", false, 20);
	assert_string_equal(comm_at(ts, 1, 30), "new");
	assert_null(tasks_get(ts, 2, 2));
	budget_give(NULL, BUDGET_NAMES, rest);
	tasks_free(ts);
}

#define MOST	  200000
#define PROCESSES 10000

/* More than there were chains for at first: all are found, by few looks, also when most have ended. */
static void very_many(void **state)
{
	uint64_t before = taken();
	struct tasks *ts = tasks_create();

	(void)state;
	for (pid_t tid = 1; tid <= MOST; tid++)
		assert_non_null(tasks_get(ts, tid % PROCESSES + 1, tid));
	assert_int_equal(tasks_count(ts), MOST);
	assert_in_range(tasks_longest(ts), 1, 32);
	for (pid_t tid = 1; tid <= MOST; tid++) {
		assert_int_equal(tasks_find(ts, tid)->tid, tid);
		assert_ptr_equal(tasks_process(ts, tid % PROCESSES + 1), tasks_find(ts, tid)->process);
		if (tid % 100)
			tasks_exit(ts, tid, 1);
	}
	tasks_sweep(ts, 2);
	assert_int_equal(tasks_count(ts), MOST / 100);
	for (pid_t tid = 1; tid <= MOST; tid++)
		assert_int_equal(tasks_find(ts, tid) != NULL, tid % 100 == 0);
	tasks_free(ts);
	assert_int_equal(taken(), before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_before_us),     cmocka_unit_test(test_fork),
		cmocka_unit_test(test_owners),
		cmocka_unit_test(test_exec),	      cmocka_unit_test(test_exit),
		cmocka_unit_test(test_reuse),	      cmocka_unit_test(test_reuse_threads),
		cmocka_unit_test(test_long_names),    cmocka_unit_test(test_random),
		cmocka_unit_test(test_renames),
		cmocka_unit_test(test_storm),
		cmocka_unit_test(test_old_names_go),
		cmocka_unit_test(test_name_without_memory),
		cmocka_unit_test(very_many),
	};

	return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
