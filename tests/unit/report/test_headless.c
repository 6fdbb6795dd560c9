/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A run whose session always has one more slice ready, as one that is late has: it hears of its end all the same. */
#include "report/headless.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "report/jsonreport.h"
#include "tests/synth.h"

#define SLICES  1000000 /* that come if nobody stops it: more than one run ever takes in a duration's time */
#define CONTROL 5       /* of them are taken before it is told to stop */

struct late {
	struct session s;
	unsigned given, stopped_at;
	int tell_fd; /* told to stop at CONTROL, -1: not */
	uint64_t time, step;
};

static int late_next(struct session *s, struct slice **slice)
{
	struct late *l = (struct late *)s;

	if (l->stopped_at || l->given == SLICES)
		return -ESHUTDOWN;
	*slice = slice_create();
	assert_non_null(*slice);
	(*slice)->start = l->time;
	(*slice)->end = l->time += l->step;
	if (++l->given == CONTROL && l->tell_fd >= 0)
		eventfd_write(l->tell_fd, 1);
	return 0;
}

static int late_fd(struct session *s)
{
	(void)s;
	return -1;
}

static void late_stop(struct session *s)
{
	struct late *l = (struct late *)s;

	assert_int_equal(l->stopped_at, 0);
	l->stopped_at = l->given;
}

static void late_end(struct session *s, struct session_end *end)
{
	(void)s;
	*end = (struct session_end){.error = 0};
}

static const struct session_ops ops = {.name = "late", .next = late_next, .fd = late_fd, .stop = late_stop, .end = late_end};

static void run(struct late *l, int stop_fd, double duration)
{
	struct session_event event = {.name = "cpu-clock", .unit = "ns", .frequency = 1000};
	struct headless_options o = {.format = &json_format, .version = "0.0", .stop_fd = stop_fd, .signal_fd = -1,
				     .show.duration = duration, .show.delay = 3600};
	struct headless_result result;
	struct err err = {.code = 0};
	struct model *m;

	l->s.ops = &ops;
	l->s.info = (struct session_info){.live = true, .cpus = 1, .nevents = 1, .events = &event};
	m = model_create(&l->s.info, 16 << 20);
	assert_non_null(m);
	o.out_fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	assert_int_equal(headless_run(&l->s, m, &o, &result, &err), 0);
	close(o.out_fd);
	model_free(m);
}

static void test_told_to_stop(void **state)
{
	struct late l = {.step = NSEC_PER_MSEC};

	(void)state;
	l.tell_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	run(&l, l.tell_fd, 0);
	assert_int_equal(l.stopped_at, CONTROL);
	close(l.tell_fd);
}

/* The slices' own time stands nearly still: those of the last second have not come yet. */
static void test_duration_over(void **state)
{
	struct late l = {.tell_fd = -1, .step = 1};
	uint64_t begun = clock_ns();

	(void)state;
	run(&l, -1, 0.05);
	assert_in_range(l.stopped_at, 1, SLICES - 1);
	assert_true(clock_ns() - begun >= NSEC_PER_SEC / 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_told_to_stop),
		cmocka_unit_test(test_duration_over),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
