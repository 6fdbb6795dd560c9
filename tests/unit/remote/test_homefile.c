/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of an agent on their way home, the two sides with nothing between them but what the test does. */
#include "link/remote/homefile.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "link/agent/agentfile.h"

static char there[4096], here[4096]; /* directories */
static char said[8192];
static enum slice_log_level level;

struct ends {
	struct agentfile *agent;
	struct homefile *home;
	uint64_t now;
	unsigned pieces;
};

static void note_said(void *arg, enum slice_log_level l, const char *text)
{
	(void)arg;
	level = l;
	snprintf(said, sizeof(said), "%s", text);
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st, (void)type, (void)ftw;
	return remove(path);
}

static int make_directories(void **state)
{
	(void)state;
	strcpy(there, "/tmp/ringtop-there.XXXXXX");
	strcpy(here, "/tmp/ringtop-here.XXXXXX");
	said[0] = '\0';
	return !mkdtemp(there) || !mkdtemp(here);
}

static int remove_directories(void **state)
{
	(void)state;
	return nftw(there, remove_entry, 8, FTW_DEPTH | FTW_PHYS) | nftw(here, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

/* --- files -------------------------------------------------------------------------------- */

static void make_file(char path[4200], const char *name, size_t size, unsigned seed)
{
	FILE *f;

	snprintf(path, 4200, "%s/%s", there, name);
	f = fopen(path, "w");
	assert_non_null(f);
	for (size_t i = 0; i < size; i++) {
		seed = seed * 1103515245 + 12345;
		putc((int)(seed >> 16 & 0xff), f);
	}
	assert_int_equal(fclose(f), 0);
}

/* The names in the directory here, one behind the other. */
static unsigned list_here(char *names, size_t size)
{
	struct dirent **list;
	int nr = scandir(here, &list, NULL, alphasort);
	unsigned found = 0;
	size_t pos = 0;

	names[0] = '\0';
	for (int i = 0; i < nr; i++) {
		if (strcmp(list[i]->d_name, ".") != 0 && strcmp(list[i]->d_name, "..") != 0) {
			pos += (size_t)snprintf(names + pos, size - pos, "%s%s", found ? " " : "", list[i]->d_name);
			found++;
		}
		free(list[i]);
	}
	free(list);
	return found;
}

static void assert_equal_files(const char *a, const char *b)
{
	char command[20000];

	snprintf(command, sizeof(command), "cmp '%s' '%s'", a, b);
	assert_int_equal(system(command), 0);
}

/* --- the two sides ------------------------------------------------------------------------ */

static struct ends ends_open(const char *host, const char *all)
{
	const struct homefile_config c = {.host = host, .all = all, .say = note_said};
	struct ends e = {agentfile_create(), homefile_create(&c), 0, 0};

	assert_non_null(e.agent);
	assert_non_null(e.home);
	return e;
}

static void ends_close(struct ends *e)
{
	agentfile_free(e->agent);
	homefile_free(e->home);
}

static void note_snapshot(struct ends *e, uint32_t nr, char *path)
{
	struct slice *s = slice_create();

	assert_int_equal(slice_add_snapshot(s, &(struct slice_snapshot){.nr = nr, .state = SNAPSHOT_WRITTEN,
									.file = path}), 0);
	agentfile_note(e->agent, s);
	homefile_note(e->home, s);
	slice_free(s);
}

/* Up to so many pieces there and back, each within 100 ms. */
static void run(struct ends *e, unsigned most)
{
	struct message_file_part part;
	struct message_file_ask ask;
	struct err err;

	for (; most && homefile_ask(e->home, e->now, &ask); most--) {
		agentfile_answer(e->agent, &ask, &part);
		e->now += 100000000;
		assert_int_equal(homefile_take(e->home, e->now, &part, &err), 0);
		message_clear(WIRE_FILE_PART, &part);
		e->pieces++;
	}
}

static void want(struct ends *e, uint32_t snapshot)
{
	assert_int_equal(homefile_want(e->home, snapshot, here, NULL), 0);
}

static void test_whole(void **state)
{
	static const size_t sizes[] = {0, 1, 4096, 5000000};
	struct ends e = ends_open("root@web01", NULL);
	char path[4200], names[4096], got[9000];

	(void)state;
	for (uint32_t i = 0; i < 4; i++) {
		make_file(path, "snapshot", sizes[i], i);
		note_snapshot(&e, i + 1, path);
		want(&e, i + 1);
		run(&e, UINT32_MAX);
		assert_false(homefile_busy(e.home));
		assert_int_equal(level, SLICE_INFO);
		assert_int_equal(list_here(names, sizeof(names)), 1);
		assert_true(!strncmp(names, "root@web01-snapshot-", 20) && strstr(names, ".data"));
		assert_non_null(strstr(said, names));
		snprintf(got, sizeof(got), "%s/%s", here, names);
		assert_equal_files(path, got);
		unlink(got);
		unlink(path);
	}
	assert_true(e.pieces < 30); /* they grew */
	ends_close(&e);
}

/* Cut anywhere: what is here is not asked for again, but for the piece that was under way. */
static void test_cut(void **state)
{
	struct ends e = ends_open("web01", NULL);
	char path[4200], names[4096], got[9000];
	struct message_file_part part;
	struct message_file_ask ask;

	(void)state;
	make_file(path, "snapshot", 3000000, 5);
	note_snapshot(&e, 1, path);
	want(&e, 1);
	for (unsigned i = 0; homefile_busy(e.home); i++) {
		if (homefile_ask(e.home, e.now, &ask)) {
			agentfile_answer(e.agent, &ask, &part); /* and lost */
			message_clear(WIRE_FILE_PART, &part);
		}
		homefile_cut(e.home);
		run(&e, 2);
		if (i == 1) {
			assert_int_equal(list_here(names, sizeof(names)), 1);
			assert_true(names[0] == '.' && strstr(names, ".part"));
		}
	}
	list_here(names, sizeof(names));
	snprintf(got, sizeof(got), "%s/%s", here, names);
	assert_equal_files(path, got);
	ends_close(&e);
}

/* Whatever is fetched first, nothing here is overwritten; and all that is written comes where that was asked for. */
static void test_names(void **state)
{
	struct ends e = ends_open("../../etc/x\n\033[2J;rm -rf", here);
	char path[4200], names[4096];

	(void)state;
	make_file(path, "snapshot", 10, 1);
	note_snapshot(&e, 1, path);
	note_snapshot(&e, 1, path);
	run(&e, UINT32_MAX);
	assert_int_equal(list_here(names, sizeof(names)), 1);
	assert_null(strpbrk(names, "/\n\033; "));
	assert_true(names[0] != '.' && names[0] != '-');
	for (unsigned i = 2; i < 5; i++) {
		want(&e, 1);
		run(&e, UINT32_MAX);
		assert_int_equal(list_here(names, sizeof(names)), i);
	}
	ends_close(&e);
}

static void assert_given_up(struct ends *e, const char *why)
{
	char names[4096];

	assert_false(homefile_busy(e->home));
	assert_int_equal(level, SLICE_WARNING);
	if (!strstr(said, why))
		fail_msg("\"%s\" does not say \"%s\"", said, why);
	assert_int_equal(list_here(names, sizeof(names)), 0);
}

static void test_agent_refuses(void **state)
{
	struct ends e = ends_open("web01", NULL);
	char path[4200], other[4200];

	(void)state;
	want(&e, 7);
	run(&e, UINT32_MAX);
	assert_given_up(&e, "has not written it");
	make_file(path, "snapshot", 100000, 1);
	note_snapshot(&e, 1, path);
	snprintf(other, sizeof(other), "%s/link", there);
	assert_int_equal(symlink(path, other), 0);
	note_snapshot(&e, 2, other);
	want(&e, 2);
	run(&e, UINT32_MAX);
	assert_given_up(&e, "cannot read");
	want(&e, 1);
	run(&e, 1);
	agentfile_free(e.agent); /* a new session, that knows a file of the same number */
	e.agent = agentfile_create();
	make_file(path, "another", 100000, 2);
	note_snapshot(&e, 1, path);
	run(&e, UINT32_MAX);
	assert_given_up(&e, "another file");
	ends_close(&e);
}

/* --- a hostile agent ---------------------------------------------------------------------- */

static uint8_t bytes[1 << 20];

static const struct {
	const char *why;
	struct message_file_part part;
	int ret;
} hostile[] = {
	{"another piece", {.nr = 1, .offset = 1, .total = 100, .nbytes = 10}, 0},
	{"another piece", {.nr = 1, .total = 5, .nbytes = 10}, 0},
	{"another piece", {.nr = 1, .total = 100, .nbytes = 10, .last = true}, 0},
	{"another piece", {.nr = 1, .total = 100}, 0},
	{"another piece", {.nr = 1, .total = 2 << 20, .nbytes = 1 << 20}, 0},
	{"another piece", {.nr = 1, .total = UINT64_MAX, .nbytes = 10}, 0},
	{"no space", {.nr = 1, .total = 1ull << 60, .nbytes = 10}, 0},
	{"SHA-256", {.nr = 1, .total = 10, .nbytes = 10, .last = true}, 0},
	{"a [2J", {.nr = 1, .err = {.code = 5, .text = "a [2J"}}, 0},
	{"", {.nr = 2, .total = 10, .nbytes = 10, .last = true}, -EPROTO},
};

static void test_hostile(void **state)
{
	struct message_file_ask ask;
	struct err err;

	(void)state;
	for (size_t i = 0; i < sizeof(hostile) / sizeof(*hostile); i++) {
		struct ends e = ends_open("web01", NULL);
		struct message_file_part part = hostile[i].part;

		part.bytes = bytes;
		assert_int_equal(homefile_take(e.home, 0, &part, &err), -EPROTO); /* before it was asked */
		want(&e, 1);
		assert_true(homefile_ask(e.home, 0, &ask));
		assert_int_equal(homefile_take(e.home, 0, &part, &err), hostile[i].ret);
		if (!hostile[i].ret)
			assert_given_up(&e, hostile[i].why);
		ends_close(&e);
	}
}

static void test_want(void **state)
{
	struct ends e = ends_open("web01", NULL);
	struct err err;
	char path[4200];

	(void)state;
	snprintf(path, sizeof(path), "%s/none", here);
	assert_int_equal(homefile_want(e.home, 1, path, &err), -ENOENT);
	make_file(path, "file", 1, 1);
	assert_int_equal(homefile_want(e.home, 1, path, &err), -ENOTDIR);
	want(&e, 1);
	assert_int_equal(homefile_want(e.home, 1, here, &err), -EALREADY);
	homefile_gone(e.home, "it is gone");
	assert_given_up(&e, "it is gone");
	ends_close(&e);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_directories, remove_directories)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_whole),   TEST(test_cut),  TEST(test_names), TEST(test_agent_refuses),
		TEST(test_hostile), TEST(test_want),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
