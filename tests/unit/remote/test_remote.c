/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A remote session against an agent whose every word is the test's: what it hands out, and what it does not take. */
#include "tests/remotecase.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "report/jsonreport.h"
#include "tests/report.h"

/* --- a session from end to end ------------------------------------------------------------ */

static void test_start(void **state)
{
	struct remote_config c = config();
	struct message_hello hello = {.major = WIRE_MAJOR, .host = "far"};
	struct session_info nodes = info;
	struct message_start start;
	struct wirepeer *p;

	(void)state;
	strcpy(nodes.nodes, "0:0;1:1");
	c.linger = 30;
	c.beat_ms = 500;
	p = begin(&c);
	assert_string_equal(p->token, "");
	wirepeer_send(p, WIRE_HELLO, &hello);
	wirepeer_expect(p, WIRE_HELLO, &hello);
	assert_int_equal(hello.major, WIRE_MAJOR);
	wirepeer_expect(p, WIRE_START, &start);
	assert_int_equal(start.nwords, 2);
	assert_string_equal(start.words[1], "99");
	assert_int_equal(start.beat_ms, 500);
	assert_int_equal(start.linger_s, 30);
	assert_int_equal(remote_ready(wirepeers.session, NULL), 0);
	message_clear(WIRE_START, &start);
	wirepeer_send(p, WIRE_INFO, &nodes);
	while (!remote_ready(wirepeers.session, NULL))
		wirepeer_turn();
	assert_int_equal(wirepeers.session->info.nhosts, 1);
	assert_null(wirepeers.session->info.places);
	assert_string_equal(wirepeers.session->info.nodes, "0:0;1:1");
	assert_string_equal(wirepeers.session->info.hosts[0].name, "web01");
	assert_string_equal(wirepeers.session->info.hosts[0].host, "far");
	assert_string_equal(wirepeers.session->info.events[0].name, "cpu-clock");
}

/* Synthetic slices over the wire make the same report as without it. */
static char *report(struct session *s, const struct headless_format *format)
{
	struct headless_options o = {.format = format, .stop_fd = -1, .signal_fd = -1, .show.delay = 1};
	struct headless_result r;
	struct err err = {.code = 0};
	int ret;
	char *text = report_session(s, &o, &r, &err, &ret);

	assert_int_equal(ret, 0);
	return text;
}

/* A session whose slices came already. */
struct replayed {
	struct session base;
	unsigned next;
};

static int replayed_next(struct session *s, struct slice **slice)
{
	struct replayed *r = (struct replayed *)s;

	*slice = r->next < wirepeers.ngot ? wirepeers.got[r->next] : NULL;
	if (*slice)
		wirepeers.got[r->next++] = NULL;
	return *slice ? 0 : -ESHUTDOWN;
}

static int replayed_fd(struct session *s)
{
	(void)s;
	return STDIN_FILENO;
}

static void replayed_end(struct session *s, struct session_end *end)
{
	wirepeers.session->ops->end(wirepeers.session, end);
	(void)s;
}

static void replayed_close(struct session *s)
{
	(void)s;
}

static const struct session_ops replayed_ops = {.name = "replayed", .next = replayed_next, .fd = replayed_fd,
						.stop = replayed_close, .end = replayed_end,
						.close = replayed_close, .abandon = replayed_close};

static void send_synth(struct wirepeer *p, const struct synth_config *sc)
{
	struct session *synth = synth_session_create(sc);
	struct message_end end = {.err = {.code = 0}};
	struct slice *s;

	wirepeer_open(p, TOKEN, &synth->info);
	synth_advance(synth, 1000);
	while (!session_next(synth, &s) && s)
		wirepeer_send_slice(p, s);
	synth->ops->end(synth, &end.end);
	wirepeer_send(p, WIRE_END, &end);
	session_close(synth);
}

static void test_synth(void **state)
{
	struct synth_config sc = {.functions = 40, .tasks = 20, .forks = 3, .losses = true, .callchains = true, .deep = true,
				  .unwind = true, .second_event = 1000, .end_ticks = 40};
	struct remote_config c = config();
	struct session *local = synth_session_create(&sc);
	struct replayed far = {.base = {.ops = &replayed_ops}};
	char *here, *there;

	(void)state;
	synth_advance(local, 1000);
	here = report(local, &json_format);
	send_synth(begin(&c), &sc);
	wirepeer_until(1000);
	assert_int_equal(wirepeers.over, -ESHUTDOWN);
	assert_true(newest()->last);
	assert_int_equal(newest()->hosts[0].state, HOST_ENDED);
	far.base.info = wirepeers.session->info;
	far.base.info.hosts = NULL;
	far.base.info.nhosts = 0;
	there = report(&far.base, &json_format);
	wirepeers.ngot = 0;
	assert_string_equal(there, here);
	free(here);
	free(there);
}

/* Frames come in any pieces. */
static void test_torn(void **state)
{
	struct remote_config c = config();
	struct wirepeer *p = open_with(&c);
	struct message_slice m = {.seq = 1, .slice = make(0, true)};
	struct wire_out o = {.len = 0};
	int pair[2];

	(void)state;
	assert_int_equal(pipe(pair), 0);
	assert_int_equal(message_send(p->link, WIRE_SLICE, &m), 0);
	while (link_unsent(p->link))
		assert_int_equal(link_send(p->link, pair[1]), 0);
	close(pair[1]);
	for (uint8_t byte; read(pair[0], &byte, 1) == 1;) {
		assert_int_equal(wirepeers.ngot, 0);
		assert_int_equal(write(p->fd, &byte, 1), 1);
		wirepeer_turn();
	}
	close(pair[0]);
	wirepeer_until(1);
	assert_int_equal(newest()->nrows, 1);
	slice_free(m.slice);
	wire_clear(&o);
}

static void test_credit_and_clock(void **state)
{
	struct remote_config c = config();
	struct wirepeer *p = open_with(&c);
	const struct slice_host *h;
	struct message_credit m;

	(void)state;
	wirepeer_send_slice(p, make(0, true));
	wirepeer_expect(p, WIRE_CREDIT, &m);
	assert_int_equal(m.seq, 1);
	while (p->times < 4) /* the first few at once */
		wirepeer_expect(p, WIRE_TIME, NULL), p->times++;
	wirepeer_send_slice(p, make(1, false));
	wirepeer_until(2);
	h = &newest()->hosts[0];
	assert_int_equal(h->state, HOST_UP);
	assert_true(h->bytes_in > 0 && h->beat_ms == 100);
	assert_int_equal(h->since, 0);
	assert_in_range(h->round_trip_ns, 0, 20 * NSEC_PER_SEC);
}

static void test_round_trip(void **state)
{
	struct clocksync lc = {.asked = 0};
	struct message_time m;
	struct err err;

	(void)state;
	/* 30 ms there, 10 ms back; it is 7 s ahead and its session began 2 s ago; then one that is slower. */
	assert_true(clocksync_ask(&lc, 1000000000, &m));
	m.t2 = m.t3 = 2030000000;
	m.wall = 60000000000 + 7000000000;
	assert_int_equal(clocksync_answer(&lc, &m, 1040000000, 60010000000, &err), 0);
	assert_false(clocksync_ask(&lc, 1100000000, &m));
	assert_true(clocksync_ask(&lc, 1300000000, &m));
	m.t2 = m.t3 = 2500000000;
	m.wall = 1;
	assert_int_equal(clocksync_answer(&lc, &m, 1600000000, 60010000000, &err), 0);
	assert_int_equal(clocksync_best(&lc)->round_trip, 40000000);
	assert_int_equal(clocksync_best(&lc)->session, 1010000000); /* 1 s, 10 ms of the 20 that it may be wrong by */
	assert_int_equal(clocksync_best(&lc)->wall, 7010000000);
	/* what was answered already, or was never asked, or goes backwards */
	assert_int_equal(clocksync_answer(&lc, &m, 1700000000, 60010000000, &err), -EPROTO);
	assert_true(clocksync_ask(&lc, 9000000000, &m));
	m.t2 = 5, m.t3 = 4;
	assert_int_equal(clocksync_answer(&lc, &m, 9100000000, 60010000000, &err), -EPROTO);
}

/* On a slow line an answer may come when others were asked for long ago. */
static void test_late_answer(void **state)
{
	struct clocksync lc = {.asked = 0};
	struct message_time late, m;
	struct err err;

	(void)state;
	assert_true(clocksync_ask(&lc, 1000000000, &late));
	late.t2 = late.t3 = 2000000000;
	for (uint64_t i = 1; i <= CLOCKSYNC_KEPT; i++)
		assert_true(clocksync_ask(&lc, 1000000000 + i * 6000000000, &m));
	assert_int_equal(clocksync_answer(&lc, &late, 60000000000, 60010000000, &err), 0);
	assert_null(clocksync_best(&lc));
}

/* --- commands ----------------------------------------------------------------------------- */

static void test_commands(void **state)
{
	struct code_place place = {.object = "/bin/true", .addr = 64};
	struct session_request rq = {.command = SESSION_RECORD, .text = "there.data"};
	struct remote_config c = config();
	struct wirepeer *p = open_with(&c);
	struct message_command m;
	struct message_reply r = {.nr = 0};
	struct err err;

	(void)state;
	assert_int_equal(wirepeers.session->ops->command(wirepeers.session, &rq, &err), 0);
	wirepeer_expect(p, WIRE_COMMAND, &m);
	assert_int_equal(m.command, SESSION_RECORD);
	assert_string_equal(m.text, "there.data");
	r.nr = m.nr;
	err_set(&r.err, ENOSPC, "there.data: no room");
	message_clear(WIRE_COMMAND, &m);
	wirepeer_send(p, WIRE_REPLY, &r);
	wirepeer_until(1);
	assert_int_equal(newest()->logs[0].level, SLICE_WARNING);
	assert_string_equal(newest()->logs[0].text, "web01: there.data: no room");
	rq = (struct session_request){.command = SESSION_CODE, .code = &place};
	assert_int_equal(wirepeers.session->ops->command(wirepeers.session, &rq, &err), 0);
	wirepeer_expect(p, WIRE_COMMAND, &m);
	assert_string_equal(m.place->object, "/bin/true");
	r.nr = m.nr;
	err_set(&r.err, EBUSY, "later");
	message_clear(WIRE_COMMAND, &m);
	wirepeer_send(p, WIRE_REPLY, &r);
	wirepeer_until(2);
	assert_int_equal(newest()->ncodes, 1);
	assert_string_equal(newest()->codes[0]->why, "later");
	assert_true(newest()->codes[0]->again);
}

static const struct session_request by_line = {.command = SESSION_LINES};

static void command_comes(struct wirepeer *p, unsigned command)
{
	struct message_command m;

	wirepeer_expect(p, WIRE_COMMAND, &m);
	assert_int_equal(m.command, command);
	message_clear(WIRE_COMMAND, &m);
}

/* Lines are asked for once, of who can send them. */
static void test_lines(void **state)
{
	struct message_hello hello = {.major = WIRE_MAJOR, .capabilities = CAN_LINES, .token = TOKEN};
	struct session_request pause = {.command = SESSION_PAUSE};
	struct remote_config c = config();
	struct wirepeer *p = begin(&c);
	struct message_start start;

	(void)state;
	wirepeer_send(p, WIRE_HELLO, &hello);
	wirepeer_expect(p, WIRE_HELLO, NULL);
	wirepeer_expect(p, WIRE_START, &start);
	assert_false(start.lines);
	message_clear(WIRE_START, &start);
	/* While the session opens there; it is told then. */
	assert_int_equal(wirepeers.session->ops->command(wirepeers.session, &by_line, NULL), 0);
	wirepeer_send(p, WIRE_INFO, &info);
	while (!remote_ready(wirepeers.session, NULL))
		wirepeer_turn();
	command_comes(p, SESSION_LINES);
	assert_int_equal(wirepeers.session->ops->command(wirepeers.session, &by_line, NULL), 0);
	assert_int_equal(wirepeers.session->ops->command(wirepeers.session, &pause, NULL), 0);
	command_comes(p, SESSION_PAUSE); /* the next thing that it hears */
	assert_false(said("too old to send source lines"));
}

/* Wanted from the start they are in START, and that is all. */
static void test_lines_start(void **state)
{
	struct message_hello hello = {.major = WIRE_MAJOR, .capabilities = CAN_LINES, .token = TOKEN};
	struct session_request pause = {.command = SESSION_PAUSE};
	struct remote_config c = config();
	struct message_start start;
	struct wirepeer *p;

	(void)state;
	c.lines = true;
	p = begin(&c);
	wirepeer_send(p, WIRE_HELLO, &hello);
	wirepeer_expect(p, WIRE_HELLO, NULL);
	wirepeer_expect(p, WIRE_START, &start);
	assert_true(start.lines);
	message_clear(WIRE_START, &start);
	wirepeer_send(p, WIRE_INFO, &info);
	while (!remote_ready(wirepeers.session, NULL))
		wirepeer_turn();
	assert_int_equal(wirepeers.session->ops->command(wirepeers.session, &by_line, NULL), 0);
	assert_int_equal(wirepeers.session->ops->command(wirepeers.session, &pause, NULL), 0);
	command_comes(p, SESSION_PAUSE);
}

/* A ringtop that knows nothing of lines is not asked, and the log says so, once. */
static void test_lines_old(void **state)
{
	struct session_request pause = {.command = SESSION_PAUSE};
	struct remote_config c = config();
	struct wirepeer *p = open_with(&c);
	unsigned told = 0;

	(void)state;
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(wirepeers.session->ops->command(wirepeers.session, &by_line, NULL), 0);
	assert_int_equal(wirepeers.session->ops->command(wirepeers.session, &pause, NULL), 0);
	command_comes(p, SESSION_PAUSE);
	wirepeer_send_slice(p, make(0, true));
	wirepeer_until(1);
	for (unsigned i = 0; i < wirepeers.ngot; i++)
		for (size_t j = 0; j < wirepeers.got[i]->nlogs; j++)
			told += !!strstr(wirepeers.got[i]->logs[j].text, "web01: the ringtop there is too old to send source lines");
	assert_int_equal(told, 1);
}

static void test_too_many_commands(void **state)
{
	struct session_request rq = {.command = SESSION_DUMP, .text = "why"};
	struct remote_config c = config();
	struct err err;
	int ret = 0;

	(void)state;
	open_with(&c);
	for (int i = 0; i < 100 && !ret; i++)
		ret = wirepeers.session->ops->command(wirepeers.session, &rq, &err);
	assert_int_equal(ret, -EBUSY);
}

static void test_stop(void **state)
{
	struct message_end end = {.end = {.command = true, .command_status = 0x300, .text = "make ended"}};
	struct remote_config c = config();
	struct wirepeer *p = open_with(&c);
	struct session_end got;
	struct slice *s = make(0, true);

	(void)state;
	wirepeers.session->ops->stop(wirepeers.session);
	wirepeer_expect(p, WIRE_STOP, NULL);
	s->last = true;
	wirepeer_send_slice(p, s);
	wirepeer_send(p, WIRE_END, &end);
	wirepeer_until(1000);
	assert_int_equal(wirepeers.over, -ESHUTDOWN);
	assert_int_equal(wirepeers.ngot, 1);
	wirepeers.session->ops->end(wirepeers.session, &got);
	assert_true(got.command && got.command_status == 0x300 && !got.error);
}

/* --- what fails at the start -------------------------------------------------------------- */

static void test_refused(void **state)
{
	struct remote_config c = config();
	struct err err = {.code = 0};

	(void)state;
	wirepeers.refusals = 1;
	err_set(&wirepeers.refuse, EACCES, "Permission denied (publickey)");
	err_advise(&wirepeers.refuse, "ask somebody");
	assert_null(remote_open(&c, &err));
	assert_int_equal(err.code, EACCES);
	assert_string_equal(err.text, "web01: Permission denied (publickey)");
	assert_string_equal(err.advice, "ask somebody");
}

/* The agent's own error, whole. */
static void test_no_session(void **state)
{
	struct message_hello hello = {.major = WIRE_MAJOR};
	struct message_end end = {.err = {.code = EPERM, .text = "no rights", .advice = "be root"}};
	struct remote_config c = config();
	struct wirepeer *p = begin(&c);
	struct err err = {.code = 0};

	(void)state;
	wirepeer_send(p, WIRE_HELLO, &hello);
	wirepeer_send(p, WIRE_END, &end);
	wirepeer_until(1000);
	assert_int_equal(remote_ready(wirepeers.session, &err), -EPERM);
	assert_string_equal(err.text, "web01: no rights");
	assert_string_equal(err.advice, "be root");
}

static void test_other_major(void **state)
{
	struct message_hello hello = {.major = WIRE_MAJOR + 1, .version = "3.0"};
	struct remote_config c = config();
	struct wirepeer *p = begin(&c);
	struct err err = {.code = 0};

	(void)state;
	wirepeer_send(p, WIRE_HELLO, &hello);
	wirepeer_until(1000);
	assert_int_equal(remote_ready(wirepeers.session, &err), -EPROTO);
	assert_non_null(strstr(err.text, "version 1 here, and 2 there (ringtop 3.0)"));
}

static void test_last_words(void **state)
{
	struct remote_config c = config();
	struct wirepeer *p = begin(&c);
	struct err err = {.code = 0};

	(void)state;
	assert_int_equal(write(p->err, "a banner\nsh: ringtop: gone\n", 27), 27);
	wirepeer_end(p);
	wirepeer_until(1000);
	assert_int_equal(remote_ready(wirepeers.session, &err), -ECONNRESET);
	assert_string_equal(err.text, "web01: sh: ringtop: gone");
}

/* --- what is not believed ----------------------------------------------------------------- */

static void fails_with(const char *text)
{
	struct session_end end;

	wirepeer_until(1000);
	assert_int_equal(wirepeers.over, -ESHUTDOWN);
	assert_true(newest()->last);
	assert_int_equal(newest()->hosts[0].state, HOST_FAILED);
	wirepeers.session->ops->end(wirepeers.session, &end);
	assert_int_equal(end.error, -EPROTO);
	if (!strstr(end.text, text))
		fail_msg("'%s' is not in '%s'", text, end.text);
	assert_int_equal(wirepeers.nr, 1); /* and nobody asks again */
}

static void test_garbage(void **state)
{
	struct remote_config c = config();
	struct wirepeer *p = open_with(&c);
	char bytes[4096];

	(void)state;
	memset(bytes, 0x5a, sizeof(bytes));
	assert_int_equal(write(p->fd, bytes, sizeof(bytes)), sizeof(bytes));
	fails_with("web01: ");
}

static void test_missing_slice(void **state)
{
	struct remote_config c = config();
	struct wirepeer *p = open_with(&c);

	(void)state;
	wirepeer_send_slice(p, make(0, true));
	p->seq++;
	wirepeer_send_slice(p, make(2, false));
	fails_with("slice 3 arrived after slice 1");
}

static void test_time_goes_back(void **state)
{
	struct remote_config c = config();
	struct wirepeer *p = open_with(&c);

	(void)state;
	wirepeer_send_slice(p, make(5, true));
	wirepeer_send_slice(p, make(4, false));
	fails_with("a time that does not advance");
}

static void test_unknown_ids(void **state)
{
	struct remote_config c = config();
	struct wirepeer *p = open_with(&c);

	(void)state;
	wirepeer_send_slice(p, make(0, false));
	fails_with("never sent");
}

static void test_out_of_place(void **state)
{
	struct remote_config c = config();
	struct wirepeer *p = open_with(&c);

	(void)state;
	wirepeer_send(p, WIRE_INFO, &info);
	fails_with("an unexpected message");
}

static void test_unasked(void **state)
{
	struct message_reply r = {.nr = 7};
	struct remote_config c = config();
	struct wirepeer *p = open_with(&c);

	(void)state;
	wirepeer_send(p, WIRE_REPLY, &r);
	fails_with("not made");
}

/* However much there is, next() comes back to its caller, and holds no more than one of them. */
static void test_flood(void **state)
{
	struct remote_config c = config();
	struct wirepeer *p = open_with(&c);
	unsigned in_a_row = 0, most = 0;
	struct slice *s;

	(void)state;
	for (unsigned i = 0; i < 200; i++)
		wirepeer_send_slice(p, make(i, !i));
	for (unsigned taken = wirepeers.ngot; taken < 200;) {
		assert_int_equal(session_next(wirepeers.session, &s), 0);
		in_a_row = s ? in_a_row + 1 : 0;
		most = in_a_row > most ? in_a_row : most;
		taken += s != NULL;
		slice_free(s);
	}
	assert_in_range(most, 1, 64);
}

static void test_words(void **state)
{
	struct remote_config c = config();
	struct wirepeer *p = open_with(&c);

	(void)state;
	for (int i = 0; i < 500; i++)
		assert_true(write(p->err, "hello\033[2J\n", 10) == 10);
	for (int i = 0; i < 20; i++)
		wirepeer_turn();
	assert_true(said("web01: hello"));
	for (unsigned i = 0, lines = 0; i < wirepeers.ngot; i++) {
		lines += (unsigned)wirepeers.got[i]->nlogs;
		assert_true(lines < 64);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH(test_start), WITH(test_synth), WITH(test_torn), WITH(test_credit_and_clock),
		cmocka_unit_test(test_round_trip), cmocka_unit_test(test_late_answer), WITH(test_commands),
		WITH(test_lines), WITH(test_lines_start), WITH(test_lines_old), WITH(test_too_many_commands), WITH(test_stop), WITH(test_refused), WITH(test_no_session),
		WITH(test_other_major), WITH(test_last_words), WITH(test_garbage), WITH(test_missing_slice),
		WITH(test_time_goes_back), WITH(test_unknown_ids), WITH(test_out_of_place), WITH(test_unasked),
		WITH(test_flood), WITH(test_words),
	};

	signal(SIGPIPE, SIG_IGN); /* as main does */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
