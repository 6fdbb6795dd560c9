/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of a directory as one time line: copies among them, and files that are missing. */
#include "link/timeline/timechain.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "model/core/model.h"
#include "tests/synth.h"
#include "link/timeline/timefile.h"
#include "link/timeline/timewriter.h"

static const struct synth_config busy = {
	.functions = 20, .tasks = 9, .forks = 6, .second_event = 3, .losses = true, .callchains = true,
};

static char dir[64];

static const char *ring_file(const char *in, unsigned hour);

static int make_dir(void **state)
{
	(void)state;
	strcpy(dir, "/tmp/test_timechain.XXXXXX");
	return !mkdtemp(dir);
}

static int remove_dir(void **state)
{
	(void)state;
	for (unsigned hour = 0; hour < 10; hour++)
		unlink(ring_file(dir, hour));
	return rmdir(dir);
}

static void write_ticks(struct timewriter *w, struct session *s, unsigned ticks)
{
	struct slice *slice;

	for (; ticks; ticks--) {
		synth_advance(s, 1);
		assert_int_equal(session_next(s, &slice), 0);
		assert_int_equal(timewriter_add(w, slice), 0);
	}
}

/* All that is ready into m; 1: the session has ended. */
static int pump(struct session *s, struct model *m)
{
	struct slice *slice;
	int ret;

	while (!(ret = session_next(s, &slice)) && slice)
		assert_int_equal(model_add(m, slice), 0);
	return ret == -ESHUTDOWN;
}

/* Read all that a file or a directory has, whatever is missing of it: the sums add up.  Return its samples. */
static uint64_t adds_up(const char *file)
{
	struct err err = {.code = 0};
	struct session *s = timefile_open(&(struct timefile_config){.path = file}, &err);
	uint64_t samples = 0;
	struct account a;
	struct model *m;

	if (!s)
		fail_msg("%s", err.text);
	m = model_create(&s->info, MODEL_BUDGET);
	assert_int_equal(pump(s, m), 1);
	for (unsigned e = 0; e < s->info.nevents; e++) {
		model_account(m, e, ALL_CPUS, WINDOW_ALL, &a);
		assert_int_equal(a.counted, a.attributed + a.lost_all + a.pending);
		samples += a.samples;
	}
	model_free(m);
	session_close(s);
	return samples;
}

/* Copy the file, or its first `most` bytes, to another one. */
static void copy_file(const char *from, const char *to, size_t most)
{
	char bytes[4096];
	int in = open(from, O_RDONLY | O_CLOEXEC), out = open(to, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	ssize_t n;

	assert_true(in >= 0 && out >= 0);
	while (most && (n = read(in, bytes, most < sizeof(bytes) ? most : sizeof(bytes))) > 0) {
		assert_int_equal(write(out, bytes, (size_t)n), n);
		most -= (size_t)n;
	}
	close(in);
	close(out);
}

static const char *ring_file(const char *in, unsigned hour)
{
	static char name[200];

	snprintf(name, sizeof(name), "%s/ringtop-20261124T%02u0000.000000Z.tl", in, hour);
	return name;
}

/* Three files of a directory, as a ring's saver turns from one to the next. */
static void save_ring(void)
{
	struct session *s = synth_session_create(&busy);
	struct err err = {.code = 0};
	struct timewriter *w;

	w = timewriter_create(ring_file(dir, 1), &s->info, &(struct timewriter_config){.day = 0}, &err);
	assert_non_null(w);
	for (unsigned hour = 1; hour <= 3; hour++) {
		if (hour > 1 && timewriter_turn(w, ring_file(dir, hour), &err))
			fail_msg("%s", err.text);
		write_ticks(w, s, 100);
	}
	assert_int_equal(timewriter_finish(w, &err), 0);
	timewriter_free(w);
	session_close(s);
}

/* Return true if that is said of files that are not read. */
static bool says(const char *what)
{
	struct err err = {.code = 0};
	struct session *s = timefile_open(&(struct timefile_config){.path = dir}, &err);
	struct slice *slice;
	bool said = false;

	assert_non_null(s);
	assert_int_equal(session_next(s, &slice), 0);
	for (size_t i = 0; i < slice->nlogs; i++)
		said |= strstr(slice->logs[i].text, what) != NULL;
	slice_free(slice);
	session_close(s);
	return said;
}

/* A file stands there twice, under another name, whole or as far as it had been written: it counts once. */
static void test_copies(void **state)
{
	char from[200];
	uint64_t samples;
	struct stat st;

	(void)state;
	save_ring();
	samples = adds_up(dir);
	assert_true(samples > 0);
	assert_false(says("copies"));
	strcpy(from, ring_file(dir, 1));
	assert_int_equal(stat(from, &st), 0);
	copy_file(from, ring_file(dir, 7), SIZE_MAX);
	assert_int_equal(adds_up(dir), samples);
	assert_true(says("1 files of the directory are copies of others"));
	copy_file(from, ring_file(dir, 0), (size_t)st.st_size / 2);
	assert_int_equal(adds_up(dir), samples);
	assert_true(says("2 files of the directory are copies of others"));
	unlink(from); /* the whole copy, whatever it is called, is the session's first file now */
	assert_int_equal(adds_up(dir), samples);
	assert_true(says("1 files of the directory are copies of others"));
}

/* A file is missing in the middle: what was pending then is lost, and what comes behind adds up. */
static void test_file_missing(void **state)
{
	uint64_t samples;

	(void)state;
	save_ring();
	samples = adds_up(dir);
	unlink(ring_file(dir, 2));
	assert_in_range(adds_up(dir), 1, samples - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_copies, make_dir, remove_dir),
		cmocka_unit_test_setup_teardown(test_file_missing, make_dir, remove_dir),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
