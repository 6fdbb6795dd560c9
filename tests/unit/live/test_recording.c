/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When a recording's queues go: not before the readers that put into them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "kernel/event/event.h"
#include "kernel/event/parse.h"
#include "sources/change/recording.h"
#include "sources/record/recorder.h"

static struct scope scope;
static struct readers readers;
static struct recording recording;
static struct slice *slice;
static char path[64];

static int begin(void **state)
{
	struct err err = {.code = 0};

	(void)state;
	scope = (struct scope){.target = {.kind = TARGET_COMMAND}};
	recording = (struct recording){.on = false};
	assert_int_equal(readers_init(&readers, &scope), 0);
	readers.sideband = sideband_create();
	slice = slice_create();
	assert_non_null(readers.sideband);
	assert_non_null(slice);
	assert_int_equal(event_parse("cpu-clock", &scope.events, &err), 0);
	scope.rings = (struct ringset_config){.events = &scope.events, .sample_bytes = 65536,
					  .sideband_bytes = 65536, .recorded = true};
	scope.now = &scope.rings;
	recording_init(&recording, &scope, &readers, NULL, NULL);
	snprintf(path, sizeof(path), "/tmp/test_recording.%d.data", (int)getpid());
	assert_int_equal(recording_ask(&recording, path, &err), 0);
	assert_int_equal(recording_first(&recording, &err), 0);
	return 0;
}

static int finish(void **state)
{
	(void)state;
	readers_clear(&readers);
	slice_free(slice);
	event_list_clear(&scope.events);
	return unlink(path);
}

static bool is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

/* The session's last slice is made while readers still run: they drain what woke them. */
static void test_queues_outlive_the_last_slice(void **state)
{
	struct recqueue *queue = recorder_queue(recording.recorder, 0);
	int wake = queue->wake_fd;

	(void)state;
	slice->last = true;
	recording_last(&recording, slice);
	assert_int_equal(slice->recording.state, RECORDING_DONE);
	assert_false(recording_busy(&recording));
	assert_int_equal(access(path, R_OK), 0);
	assert_true(is_open(wake));
	recqueue_put(queue, "", 0, NULL, NULL);
	recording_clear(&recording);
	assert_false(is_open(wake));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_queues_outlive_the_last_slice, begin, finish),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
