/* SPDX-License-Identifier: GPL-2.0-or-later */
/* remotecase - what tests of remote sessions share: a session of one host, small slices, what came of them. */
#ifndef RINGTOP_TESTS_REMOTECASE_H
#define RINGTOP_TESTS_REMOTECASE_H

#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "link/remote/clocksync.h"
#include "tests/wirepeer.h"

#define TOKEN "0123456789abcdef0123456789abcdef"

static char *words[] = {"-F", "99", NULL};

static struct session_event event = {.name = "cpu-clock", .unit = "ns", .period = 1000000};
static const struct session_info info = {.host = "far", .target = "whole machine", .cpus = 2, .nevents = 1,
					 .events = &event, .live = true, .self = 77};

static inline struct remote_config config(void)
{
	return (struct remote_config){.host = "web01", .words = words, .nwords = 2, .stop_fd = -1, .output_fd = -1,
				      .boot = &wirepeer_boot, .clock = wirepeer_clock};
}

static inline struct wirepeer *begin(const struct remote_config *c)
{
	wirepeers.session = remote_begin(c, NULL);
	assert_non_null(wirepeers.session);
	return &wirepeers.peer[0];
}

static inline int finish(void **state)
{
	(void)state;
	for (unsigned i = 0; i < wirepeers.nr; i++)
		wirepeer_end(&wirepeers.peer[i]); /* or its last words are waited for */
	session_close(wirepeers.session);
	wirepeer_reset();
	return 0;
}

/* Open, by the first connection. */
static inline struct wirepeer *open_with(const struct remote_config *c)
{
	struct wirepeer *p = begin(c);
	struct err err;

	wirepeer_open(p, TOKEN, &info);
	while (!remote_ready(wirepeers.session, &err))
		wirepeer_turn();
	assert_int_equal(remote_ready(wirepeers.session, &err), 1);
	return p;
}

/* A slice of 100 ms: one row of one path and task, said where `said`; something is pending at its end. */
static inline struct slice *make(unsigned nr, bool said)
{
	struct slice *s = slice_create();
	struct slice_account *a = slice_add_account(s);
	struct slice_row *r = slice_add_row(s);

	s->start = nr * 100 * NSEC_PER_MSEC;
	s->end = s->start + 100 * NSEC_PER_MSEC;
	*r = (struct slice_row){.path = 1, .task = 1, .samples = 4, .weight = 4000000};
	*a = (struct slice_account){.exact = true, .samples = 4, .counted = nr ? 4000000 : 6000000,
				    .attributed = 4000000, .pending = 2000000};
	if (said) {
		slice_upsert(s, DICT_STRING, &(struct dict_string){.id = 1, .len = 4, .text = "name"});
		slice_upsert(s, DICT_OBJECT, &(struct dict_object){.id = 1, .name = 1, .state = OBJECT_READY});
		slice_upsert(s, DICT_SYMBOL, &(struct dict_symbol){.id = 1, .name = 1, .object = 1, .size = 64});
		slice_upsert(s, DICT_FRAME, &(struct dict_frame){.id = 1, .object = 1, .symbol = 1});
		slice_upsert(s, DICT_PATH, &(struct dict_path){.id = 1, .frame = 1});
		slice_upsert(s, DICT_TASK, &(struct dict_task){.id = 1, .comm = 1, .proc_comm = 1, .pid = 9, .tid = 9});
	}
	return s;
}

static inline const struct slice *newest(void)
{
	assert_true(wirepeers.ngot > 0);
	return wirepeers.got[wirepeers.ngot - 1];
}

/* Until the newest slice says that the host is in this state. */
static inline void until_state(enum host_state state)
{
	do
		wirepeer_until(wirepeers.ngot + 1);
	while (!wirepeers.over && newest()->hosts[0].state != state);
	assert_int_equal(newest()->hosts[0].state, state);
}

static inline bool said(const char *text)
{
	for (unsigned i = 0; i < wirepeers.ngot; i++)
		for (size_t j = 0; j < wirepeers.got[i]->nlogs; j++)
			if (strstr(wirepeers.got[i]->logs[j].text, text))
				return true;
	return false;
}

/* Time goes on, and what is counted is attributed, lost or pending. */
static inline void check_identity(uint64_t pending)
{
	uint64_t counted = 0, attributed = 0, lost = 0, end = 0;

	for (unsigned i = 0; i < wirepeers.ngot; i++) {
		const struct slice *s = wirepeers.got[i];

		assert_true(s->start >= end && s->end >= s->start);
		assert_int_equal(s->nhosts, 1);
		end = s->end;
		for (size_t j = 0; j < s->naccounts; j++) {
			counted += s->accounts[j].counted;
			attributed += s->accounts[j].attributed;
			for (int c = 0; c < LOST_NR; c++)
				lost += s->accounts[j].lost[c];
		}
	}
	assert_int_equal(counted, attributed + lost + pending);
}

/* The next connection, after the pause. */
static inline struct wirepeer *again(unsigned nr)
{
	uint64_t since = clocksync_now();

	for (wirepeer_turn(); wirepeers.nr < nr; wirepeer_turn())
		wirepeer_wait(since, "connection");
	assert_int_equal(wirepeers.nr, nr);
	return &wirepeers.peer[nr - 1];
}

#define WITH(test) cmocka_unit_test_teardown(test, finish)

#endif
