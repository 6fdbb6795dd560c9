/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events of a remote session that change: asked for, told, and what becomes of them when the session there is another one. */
#include "tests/remotecase.h"

#include "core/slice/sliceparts.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>

static int ask(enum session_change change, unsigned at, const char *text, uint64_t number, struct err *err)
{
	struct session_request rq = {.command = SESSION_EVENTS, .change = change, .event = at, .text = text, .number = number};

	return wirepeers.session->ops->command(wirepeers.session, &rq, err);
}

/* Its text is valid until the next one. */
static struct message_command asked(struct wirepeer *p)
{
	static struct message_command m;

	message_clear(WIRE_COMMAND, &m);
	wirepeer_expect(p, WIRE_COMMAND, &m);
	assert_int_equal(m.command, SESSION_EVENTS);
	return m;
}

static struct slice *changed(struct slice *s, struct slice_change c)
{
	*slice_add_change(s) = c;
	return s;
}

static void list(struct slice *s, unsigned at, unsigned by, const char *names)
{
	struct slice_fieldlist *l = slice_add_list(s);

	*l = (struct slice_fieldlist){.event = (uint16_t)at, .by = (uint16_t)by, .since = by ? s->start + 1 : 0, .kinds = "n"};
	snprintf(l->names, sizeof(l->names), "%s", names);
}

static void sum(struct slice *s, unsigned at, unsigned by, const char *key)
{
	struct slice_field *f = slice_add_field(s);

	*f = (struct slice_field){.event = (uint16_t)at, .by = (uint16_t)by, .count = 1};
	snprintf(f->key, sizeof(f->key), "%s", key);
}

static void pairs(struct slice *s, struct slice_between b)
{
	s->between = malloc(sizeof(*s->between));
	s->latency = calloc(1, sizeof(*s->latency));
	assert_true(s->between && s->latency);
	*s->between = b;
	s->latency->nr = b.nr;
	slice_latency_take(s->latency, 5);
}

/* Every session time in the slice is 1 ns after its start. */
static void times(struct slice *s)
{
	struct slice_logged line = {.text = strdup("a line"), .fields = strdup(""), .cpu = -1};

	assert_int_equal(part_add_all(s, PART_LOGGED, &line, 1), 0);
	assert_int_equal(slice_add_snapshot(s, &(struct slice_snapshot){.nr = 1}), 0);
	s->pt = calloc(1, sizeof(*s->pt));
	assert_non_null(s->pt);
	s->recording = (struct slice_recording){.state = RECORDING_ON, .since = s->start + 1};
	s->logged[0].time = s->snapshots[0].time = s->snapshots[0].changed = s->pt->changed = s->start + 1;
}

static int expect_time(void *arg, const struct part_place *at, int64_t *time)
{
	if (*time != *(const int64_t *)arg)
		fail_msg("%s of another time", at->part->one);
	return 0;
}

static void assert_times(const struct slice *s)
{
	int64_t time = (int64_t)s->start + 1;

	assert_int_equal(s->recording.since, time);
	parts_visit((struct slice *)s, MEMBER_TIME | MEMBER_SINCE, expect_time, &time);
}

static const struct session_info *now(void)
{
	return &wirepeers.session->info;
}

static void test_asked(void **state)
{
	struct remote_config c = config();
	struct wirepeer *p = open_with(&c);
	struct message_reply reply = {.err = {.code = EINVAL, .text = "parse error at 'nosuch'"}};
	struct err err = {.code = 0};
	struct message_command m;

	(void)state;
	wirepeer_send_slice(p, make(0, true));
	wirepeer_until(1);
	assert_int_equal(ask(SESSION_EVENT_FILTER, 0, "nosuch==1", 0, &err), 0);
	m = asked(p);
	assert_int_equal(m.change, SESSION_EVENT_FILTER);
	assert_string_equal(m.text, "nosuch==1");
	reply.nr = m.nr;
	wirepeer_send(p, WIRE_REPLY, &reply);
	wirepeer_until(2);
	assert_true(said("web01: parse error at 'nosuch'"));
	assert_int_equal(ask(SESSION_EVENT_FREQUENCY, 0, NULL, 77, &err), 0);
	m = asked(p);
	assert_int_equal(m.change, SESSION_EVENT_FREQUENCY);
	assert_int_equal(m.number, 77);
	assert_int_equal(ask(SESSION_EVENT_ADD, 0, "faults", 0, &err), 0);
	m = asked(p);
	assert_int_equal(m.number, 1 + SESSION_EVENTS_MORE);
	assert_int_equal(ask(SESSION_EVENT_OFF, 1, NULL, 0, &err), -EINVAL);
	assert_string_equal(err.text, "there is no event 1");
}

/* One that ends when it is asked for what it does not know is not asked. */
static void test_older(void **state)
{
	struct message_hello hello = {.major = WIRE_MAJOR, .token = TOKEN};
	struct message_info old = {.info = info};
	struct remote_config c = config();
	struct wirepeer *p = begin(&c);
	struct err err = {.code = 0};

	(void)state;
	wirepeer_send(p, WIRE_HELLO, &hello);
	wirepeer_expect(p, WIRE_HELLO, NULL);
	wirepeer_expect(p, WIRE_START, NULL);
	wirepeer_send(p, WIRE_INFO, &old);
	while (!remote_ready(wirepeers.session, &err))
		wirepeer_turn();
	assert_int_equal(ask(SESSION_EVENT_FREQUENCY, 0, NULL, 77, &err), -EOPNOTSUPP);
	assert_string_equal(err.text, "the ringtop-agent on web01 is too old to change its events");
}

/* The info follows the slice that tells, when that is handed out. */
static void test_told(void **state)
{
	struct remote_config c = config();
	struct wirepeer *p = open_with(&c);
	struct slice *s = make(1, false);

	(void)state;
	wirepeer_send_slice(p, make(0, true));
	wirepeer_until(1);
	changed(s, (struct slice_change){.event = 0, .on = true, .was_on = true, .was_period = 1000000, .frequency = 99, .filter = "pid==1"});
	changed(s, (struct slice_change){.event = 1, .on = true, .period = 1, .name = "faults"});
	*slice_add_row(s) = (struct slice_row){.path = 1, .task = 1, .event = 1, .samples = 1, .weight = 1};
	wirepeer_send_slice(p, s);
	wirepeer_until(2);
	assert_int_equal(now()->nevents, 2);
	assert_int_equal(now()->events[0].frequency, 99);
	assert_string_equal(now()->events[0].filter, "pid==1");
	assert_string_equal(now()->events[1].name, "faults");
	assert_string_equal(now()->events[1].unit, "");
	s = changed(make(2, false), (struct slice_change){.event = 1, .was_on = true, .period = 1});
	wirepeer_send_slice(p, s);
	wirepeer_until(3);
	assert_true(now()->events[1].off);
}

static void test_too_many(void **state)
{
	struct remote_config c = config();
	struct wirepeer *p = open_with(&c);
	struct slice *s = make(0, true);
	struct session_end end;

	(void)state;
	for (unsigned i = 1; i <= SESSION_EVENTS_MORE + 1; i++)
		changed(s, (struct slice_change){.event = (uint16_t)i, .on = true, .name = "faults"});
	wirepeer_send_slice(p, s);
	wirepeer_until(1000);
	wirepeers.session->ops->end(wirepeers.session, &end);
	assert_non_null(strstr(end.text, "a change of an unknown event"));
}

/* Event 1 and list 1 of the new session are others than those of the one that was lost. */
static void test_anew(void **state)
{
	struct remote_config c = config();
	struct wirepeer *p = open_with(&c);
	struct slice *s = make(0, true);
	struct err err = {.code = 0};
	unsigned gap;

	(void)state;
	changed(s, (struct slice_change){.event = 0, .on = true, .was_on = true, .was_period = 1000000, .period = 5, .by_nr = 1, .by = "tid"});
	changed(s, (struct slice_change){.event = 1, .on = true, .period = 1, .name = "faults"});
	list(s, 0, 0, "id");
	list(s, 0, 1, "tid");
	sum(s, 0, 1, "9");
	pairs(s, (struct slice_between){.wanted = true, .from = 1, .to = 0, .nr = 3});
	wirepeer_send_slice(p, s);
	wirepeer_until(1);
	assert_int_equal(now()->between.nr, 3);
	assert_int_equal(now()->events[0].by_nr, 1);
	wirepeer_end(p);
	until_state(HOST_CUT);
	p = again(2);
	wirepeer_open(p, "another", &info);
	gap = wirepeers.ngot;
	s = changed(make(0, true), (struct slice_change){.event = 0, .on = true, .was_on = true, .period = 1000000, .by_nr = 1, .by = "cpu"});
	changed(s, (struct slice_change){.event = 1, .on = true, .period = 1, .name = "minor-faults"});
	list(s, 0, 1, "cpu");
	sum(s, 0, 0, "3");
	sum(s, 0, 1, "4");
	pairs(s, (struct slice_between){.wanted = true, .from = 0, .to = 1, .nr = 1});
	*slice_add_row(s) = (struct slice_row){.path = 1, .task = 1, .event = 1, .samples = 1, .weight = 1};
	times(s);
	wirepeer_send_slice(p, s);
	until_state(HOST_UP);
	while (gap < wirepeers.ngot && !wirepeers.got[gap]->nchanges)
		gap++;
	assert_int_equal(wirepeers.got[gap]->nchanges, 2);
	assert_int_equal(wirepeers.got[gap]->changes[0].period, 1000000);
	assert_int_equal(wirepeers.got[gap]->changes[0].by_nr, 0);
	assert_false(wirepeers.got[gap]->changes[1].on);
	assert_false(wirepeers.got[gap]->between->wanted);
	assert_int_equal(wirepeers.got[gap]->between->nr, 4);
	assert_true(said("its events are those of the start again"));
	while (!newest()->nrows)
		wirepeer_until(wirepeers.ngot + 1);
	assert_int_equal(newest()->rows[1].event, 2);
	assert_int_equal(newest()->lists[0].by, 2);
	assert_int_equal(newest()->fields[0].by, 0);
	assert_int_equal(newest()->fields[1].by, 2);
	assert_int_equal(newest()->latency->nr, 5);
	assert_true(newest()->start > 0);
	assert_times(newest());
	assert_int_equal(now()->between.nr, 5);
	assert_int_equal(now()->between.to, 2);
	assert_int_equal(now()->nevents, 3);
	assert_true(now()->events[1].off);
	assert_string_equal(now()->events[2].name, "minor-faults");
	assert_int_equal(now()->events[0].by_nr, 2);
	assert_int_equal(ask(SESSION_EVENT_OFF, 2, NULL, 0, &err), 0);
	assert_int_equal(asked(p).event, 1);
	assert_int_equal(ask(SESSION_EVENT_OFF, 1, NULL, 0, &err), -EINVAL);
	assert_string_equal(err.text, "'faults' was lost with a session on web01 before this one");
	assert_int_equal(ask(SESSION_EVENT_ADD, 0, "x", 0, &err), 0);
	assert_int_equal(asked(p).number, SESSION_EVENTS_MORE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH(test_asked), WITH(test_older), WITH(test_told), WITH(test_too_many), WITH(test_anew),
	};

	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
