/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A remote session whose connection is cut, and comes back or does not; or over which nothing comes. */
#include "tests/remotecase.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "base/sha256.h"

static void test_cut_anew(void **state)
{
	struct session_request pause = {.command = SESSION_PAUSE};
	struct remote_config c = config();
	struct wirepeer *p = open_with(&c);
	const struct slice *gap = NULL;
	struct message_command m;
	uint64_t cut;

	(void)state;
	assert_int_equal(wirepeers.session->ops->command(wirepeers.session, &pause, NULL), 0);
	wirepeer_expect(p, WIRE_COMMAND, NULL);
	wirepeer_send_slice(p, make(0, true));
	wirepeer_send_slice(p, make(1, false));
	wirepeer_until(2);
	assert_int_equal(write(p->err, "Timeout, server web01 not responding.\r\n", 39), 39);
	wirepeer_end(p);
	cut = wirepeer_clock();
	until_state(HOST_CUT);
	assert_string_equal(newest()->hosts[0].why, "Timeout, server web01 not responding.");
	assert_true(said("the connection is lost: Timeout"));
	assert_true(said("it may or may not have been executed"));
	assert_int_equal(newest()->start, newest()->end);
	assert_int_equal(wirepeers.session->ops->command(wirepeers.session, &pause, NULL), -EBUSY);
	p = again(2);
	assert_string_equal(p->token, "");
	assert_true(wirepeer_clock() - cut > 900 * NSEC_PER_MSEC);
	wirepeer_open(p, TOKEN, &info);
	wirepeer_expect(p, WIRE_COMMAND, &m); /* it is paused, as the one before was */
	assert_int_equal(m.command, SESSION_PAUSE);
	wirepeer_send_slice(p, make(0, true));
	until_state(HOST_UP);
	wirepeer_turn();
	for (unsigned i = 2; i < wirepeers.ngot; i++)
		if (wirepeers.got[i]->naccounts && !wirepeers.got[i]->nrows)
			gap = wirepeers.got[i];
	assert_non_null(gap);
	assert_int_equal(gap->accounts[0].lost[LOST_UNKNOWN], 2000000);
	assert_int_equal(gap->accounts[0].lost_samples[LOST_UNKNOWN], 2);
	for (int k = 0; k < DICT_NR; k++) {
		assert_int_equal(gap->dict.nreleased[k], 1);
		assert_int_equal(gap->dict.released[k][0], 1);
	}
	assert_in_range(gap->end - gap->start, 800 * NSEC_PER_MSEC, 20 * NSEC_PER_SEC);
	assert_int_equal(newest()->start, gap->end);
	assert_true(said("reconnected to a new session"));
	check_identity(2000000);
}

/* The agent lived on: nothing is lost, nothing is there twice. */
static void test_cut_resumed(void **state)
{
	struct message_hello hello = {.major = WIRE_MAJOR, .capabilities = CAN_LINGER, .token = TOKEN};
	struct remote_config c = config();
	struct message_resume resume;
	struct wirepeer *p;

	(void)state;
	c.linger = 60;
	p = open_with(&c);
	wirepeer_send_slice(p, make(0, true));
	wirepeer_until(1);
	wirepeer_end(p);
	until_state(HOST_CUT);
	p = again(2);
	assert_string_equal(p->token, TOKEN);
	wirepeer_send(p, WIRE_HELLO, &hello);
	wirepeer_expect(p, WIRE_HELLO, NULL);
	wirepeer_expect(p, WIRE_RESUME, &resume);
	assert_string_equal(resume.token, TOKEN);
	assert_int_equal(resume.seq, 1);
	p->seq = 1;
	for (unsigned i = 1; i < 5; i++)
		wirepeer_send_slice(p, make(i, false));
	until_state(HOST_UP);
	while (newest()->end < 500 * NSEC_PER_MSEC)
		wirepeer_until(wirepeers.ngot + 1);
	check_identity(2000000);
	assert_true(said("reconnected after"));
	assert_false(said("reconnected to a new session"));
}

/* Cut before it has answered, it may not have heard that functions come by line: it hears so again. */
static void test_lines_resumed(void **state)
{
	const struct session_request lines = {.command = SESSION_LINES};
	struct message_hello hello = {.major = WIRE_MAJOR, .capabilities = CAN_LINGER | CAN_LINES, .token = TOKEN};
	struct remote_config c = config();
	struct message_command m;
	struct message_start start;
	struct wirepeer *p;

	(void)state;
	c.linger = 60;
	p = begin(&c);
	wirepeer_send(p, WIRE_HELLO, &hello);
	wirepeer_expect(p, WIRE_HELLO, NULL);
	wirepeer_expect(p, WIRE_START, NULL);
	wirepeer_send(p, WIRE_INFO, &info);
	wirepeer_send_slice(p, make(0, true));
	wirepeer_until(1);
	assert_int_equal(wirepeers.session->ops->command(wirepeers.session, &lines, NULL), 0);
	wirepeer_end(p);
	until_state(HOST_CUT);
	assert_false(said("it may or may not have been executed"));
	p = again(2);
	assert_string_equal(p->token, TOKEN);
	wirepeer_send(p, WIRE_HELLO, &hello);
	wirepeer_expect(p, WIRE_HELLO, NULL);
	wirepeer_expect(p, WIRE_RESUME, NULL);
	wirepeer_expect(p, WIRE_COMMAND, &m);
	assert_int_equal(m.command, SESSION_LINES);
	wirepeer_send(p, WIRE_REPLY, &(struct message_reply){.nr = m.nr});
	/* Nobody lives on there: the session that begins anew sends lines from its start. */
	wirepeer_end(p);
	until_state(HOST_CUT);
	/* as agents of all versions send it */
	err_set(&wirepeers.refuse, ECONNRESET,
		"web01: ringtop: no agent lives on with this token: Connection refused");
	wirepeers.refusals = 1;
	p = again(4);
	memcpy(hello.token, "another", 8);
	wirepeer_send(p, WIRE_HELLO, &hello);
	wirepeer_expect(p, WIRE_HELLO, NULL);
	wirepeer_expect(p, WIRE_START, &start);
	assert_true(start.lines);
	message_clear(WIRE_START, &start);
}

/* Nobody lives on there any more: a new session, without another pause. */
static void test_resume_fails(void **state)
{
	struct remote_config c = config();
	struct wirepeer *p;

	(void)state;
	c.linger = 60;
	p = open_with(&c);
	wirepeer_send_slice(p, make(0, true));
	wirepeer_until(1);
	wirepeer_end(p);
	until_state(HOST_CUT);
	err_set(&wirepeers.refuse, ECONNRESET, "web01: ringtop: " WIRE_NOT_THERE ": Connection refused");
	wirepeers.refusals = 1;
	p = again(3);
	assert_string_equal(wirepeers.peer[1].token, TOKEN);
	assert_string_equal(p->token, "");
	wirepeer_open(p, "another", &info);
	wirepeer_send_slice(p, make(0, true));
	until_state(HOST_UP);
	assert_true(said("reconnected to a new session"));
	check_identity(2000000);
}

static void test_other_events(void **state)
{
	struct session_event other = {.name = "cycles", .unit = "", .frequency = 99};
	struct session_info changed = info;
	struct remote_config c = config();
	struct wirepeer *p = open_with(&c);
	struct session_end end;

	(void)state;
	wirepeer_send_slice(p, make(0, true));
	wirepeer_until(1);
	wirepeer_end(p);
	changed.events = &other;
	p = again(2);
	wirepeer_open(p, TOKEN, &changed);
	wirepeer_until(1000);
	wirepeers.session->ops->end(wirepeers.session, &end);
	assert_string_equal(end.text, "web01: it reconnected with cycles instead of cpu-clock");
	assert_int_equal(newest()->hosts[0].state, HOST_FAILED);
}

/* The agent was told to end, as when its machine restarts. */
static void test_ended_there(void **state)
{
	struct message_end end = {.err = {.code = EINTR, .text = "the agent was terminated: Terminated"}};
	struct remote_config c = config();
	struct wirepeer *p = open_with(&c);

	(void)state;
	wirepeer_send_slice(p, make(0, true));
	wirepeer_until(1);
	wirepeer_send(p, WIRE_END, &end);
	until_state(HOST_CUT);
	p = again(2);
	wirepeer_open(p, "another", &info);
	wirepeer_send_slice(p, make(0, true));
	until_state(HOST_UP);
	check_identity(2000000);
}

/* What must not be done twice is not. */
static void test_once(void **state)
{
	struct remote_config c = config();
	struct session_end end;
	struct wirepeer *p;

	(void)state;
	c.once = true;
	p = open_with(&c);
	wirepeer_send_slice(p, make(0, true));
	wirepeer_until(1);
	wirepeer_end(p);
	wirepeer_until(1000);
	assert_int_equal(wirepeers.over, -ESHUTDOWN);
	wirepeers.session->ops->end(wirepeers.session, &end);
	assert_non_null(strstr(end.text, "the session there ended with it"));
	assert_int_equal(wirepeers.nr, 1);
}

/* Refused again and again: it is tried again, and what is cut can be stopped. */
static void test_refused_later(void **state)
{
	struct remote_config c = config();
	struct wirepeer *p = open_with(&c);
	struct session_end end;

	(void)state;
	wirepeer_send_slice(p, make(0, true));
	wirepeer_until(1);
	wirepeer_end(p);
	until_state(HOST_CUT);
	err_set(&wirepeers.refuse, EACCES, "web01: Permission denied");
	wirepeers.refusals = 100;
	again(3);
	until_state(HOST_CUT);
	assert_string_equal(newest()->hosts[0].why, "web01: Permission denied");
	wirepeers.session->ops->stop(wirepeers.session);
	wirepeer_until(1000);
	assert_int_equal(wirepeers.over, -ESHUTDOWN);
	wirepeers.session->ops->end(wirepeers.session, &end);
	assert_int_equal(end.error, -ENOTCONN);
}

/* Its descriptor is readable when there is something to do, and else not. */
static void check_rest(void)
{
	struct pollfd p = {.fd = wirepeers.session->ops->fd(wirepeers.session), .events = POLLIN};
	uint64_t since = clocksync_now(), gone = 0;
	unsigned turns = 0;

	for (; gone < 400 * NSEC_PER_MSEC; gone = clocksync_now() - since)
		if (poll(&p, 1, 400 - (int)(gone / NSEC_PER_MSEC)) == 1) {
			wirepeer_turn();
			turns++;
		}
	assert_in_range(turns, 0, 12);
}

static void test_rest(void **state)
{
	struct remote_config c = config();
	struct message_end end = {.err = {.code = 0}};
	struct wirepeer *p;

	(void)state;
	p = begin(&c);
	check_rest();
	wirepeer_open(p, TOKEN, &info);
	check_rest();
	wirepeer_send_slice(p, make(0, true));
	check_rest();
	assert_int_equal(wirepeers.ngot, 1);
	close(p->err);
	p->err = -1;
	check_rest();
	wirepeer_end(p);
	check_rest();
	p = again(2);
	wirepeer_open(p, TOKEN, &info);
	wirepeer_send(p, WIRE_END, &end);
	check_rest();
	assert_int_equal(wirepeers.over, -ESHUTDOWN);
	wirepeer_end(p);
	check_rest();
}

/* Nothing comes: it is said about once a second, in slices of no length. */
static void test_late(void **state)
{
	struct remote_config c = config();
	struct wirepeer *p = open_with(&c);

	(void)state;
	wirepeer_send_slice(p, make(0, true));
	wirepeer_until(1);
	wirepeer_until(3);
	assert_int_equal(newest()->hosts[0].state, HOST_LATE);
	assert_int_equal(newest()->start, newest()->end);
	assert_true(newest()->hosts[0].behind_ns >= 3 * NSEC_PER_SEC);
	wirepeer_send_slice(p, make(1, false));
	until_state(HOST_UP);
	check_identity(2000000);
}

/* --- files -------------------------------------------------------------------------------- */

static char directory[64];

static void fetch_snapshot(uint32_t nr)
{
	const struct session_request rq = {.command = SESSION_FETCH, .snapshot = nr, .text = directory};

	assert_int_equal(wirepeers.session->ops->command(wirepeers.session, &rq, NULL), 0);
}

static struct message_file_ask asked_for(struct wirepeer *p, uint64_t offset)
{
	struct message_file_ask ask;

	wirepeer_expect(p, WIRE_FILE_ASK, &ask);
	assert_int_equal(ask.snapshot, 3);
	assert_int_equal(ask.offset, offset);
	assert_true(ask.length >= 4);
	return ask;
}

/* Four bytes of "abcdefg", or what is left of them. */
static void send_piece(struct wirepeer *p, const struct message_file_ask *ask)
{
	struct message_file_part part = {.nr = ask->nr, .offset = ask->offset, .total = 7, .id = 9,
					 .bytes = (uint8_t *)"abcdefg" + ask->offset};
	struct sha256 sha;

	part.nbytes = ask->offset ? 3 : 4;
	part.last = ask->offset;
	sha256_init(&sha);
	sha256_add(&sha, "abcdefg", 7);
	if (part.last)
		sha256_end(&sha, part.sha256);
	wirepeer_send(p, WIRE_FILE_PART, &part);
}

static unsigned files_there(void)
{
	struct dirent **list;
	int nr = scandir(directory, &list, NULL, NULL), files = 0;

	for (int i = 0; i < nr; i++) {
		char path[4200];

		snprintf(path, sizeof(path), "%s/%s", directory, list[i]->d_name);
		files += list[i]->d_type == DT_REG;
		if (list[i]->d_type == DT_REG)
			assert_int_equal(unlink(path), 0);
		free(list[i]);
	}
	free(list);
	assert_int_equal(rmdir(directory), 0);
	return (unsigned)files;
}

/* Cut between two pieces: with the same session again the rest comes, with another one that is told. */
static void fetch_over_cut(bool resumed)
{
	struct message_hello hello = {.major = WIRE_MAJOR, .capabilities = CAN_LINGER, .token = TOKEN};
	struct remote_config c = config();
	struct message_file_ask ask;
	struct wirepeer *p;

	c.linger = 60;
	strcpy(directory, "/tmp/ringtop-fetch.XXXXXX");
	assert_non_null(mkdtemp(directory));
	p = open_with(&c);
	wirepeer_send_slice(p, make(0, true));
	wirepeer_until(1);
	fetch_snapshot(3);
	ask = asked_for(p, 0);
	send_piece(p, &ask);
	asked_for(p, 4);
	wirepeer_end(p);
	until_state(HOST_CUT);
	p = again(2);
	if (resumed) {
		wirepeer_send(p, WIRE_HELLO, &hello);
		wirepeer_expect(p, WIRE_HELLO, NULL);
		wirepeer_expect(p, WIRE_RESUME, NULL);
		p->seq = 1;
		ask = asked_for(p, 4);
		assert_int_equal(ask.id, 9);
		send_piece(p, &ask);
	} else {
		wirepeer_open(p, "another", &info);
		asked_for(p, 4);
		wirepeer_send_slice(p, make(0, true));
	}
	while (!said("napshot 3 is"))
		wirepeer_until(wirepeers.ngot + 1);
	assert_int_equal(said("snapshot 3 is here: /tmp/ringtop-fetch."), resumed);
	assert_int_equal(files_there(), resumed);
}

static void test_fetch_resumed(void **state)
{
	(void)state;
	fetch_over_cut(true);
}

static void test_fetch_lost(void **state)
{
	(void)state;
	fetch_over_cut(false);
}

/* The session is not over before the file is here. */
static void test_fetch_after_end(void **state)
{
	struct message_end end = {.err = {.code = 0}};
	struct remote_config c = config();
	struct slice *last = make(0, true);
	struct message_file_ask ask;
	struct wirepeer *p;

	(void)state;
	strcpy(directory, "/tmp/ringtop-fetch.XXXXXX");
	assert_non_null(mkdtemp(directory));
	c.fetch = directory;
	p = open_with(&c);
	last->last = true;
	slice_add_snapshot(last, &(struct slice_snapshot){.nr = 3, .state = SNAPSHOT_WRITTEN, .file = (char *)"/x/y"});
	wirepeer_send_slice(p, last);
	ask = asked_for(p, 0);
	wirepeer_send(p, WIRE_END, &end);
	send_piece(p, &ask);
	ask = asked_for(p, 4);
	assert_int_equal(wirepeers.over, 0);
	send_piece(p, &ask);
	while (!wirepeers.over)
		wirepeer_until(wirepeers.ngot + 1);
	assert_int_equal(wirepeers.over, -ESHUTDOWN);
	assert_true(said("snapshot 3 is here"));
	assert_int_equal(files_there(), 1);
}

static void assert_failed(const char *text)
{
	struct session_end end;

	wirepeer_until(1000);
	wirepeers.session->ops->end(wirepeers.session, &end);
	assert_true(end.error < 0);
	assert_string_equal(end.text, text);
	assert_int_equal(newest()->hosts[0].state, HOST_FAILED);
	assert_string_equal(newest()->hosts[0].why, text);
}

/* Whoever fails there and says nothing of why: each way has a reason here. */
static void test_no_reason_there(void **state)
{
	struct message_end m = {.err = {.code = EIO}};
	struct remote_config c = config();

	(void)state;
	wirepeer_send(open_with(&c), WIRE_END, &m);
	assert_failed("web01: no reason was given: Input/output error");
}

static void test_no_reason_at_end(void **state)
{
	struct message_end m = {.end = {.error = -ENOMEM}};
	struct remote_config c = config();

	(void)state;
	wirepeer_send(open_with(&c), WIRE_END, &m);
	assert_failed("the session there failed: Cannot allocate memory");
}

/* No session, and no error either: who waits for it to open is told, or would wait for ever. */
static void test_end_before_session(void **state)
{
	struct message_hello hello = {.major = WIRE_MAJOR, .host = "far"};
	struct message_end m = {.err = {.code = 0}};
	struct remote_config c = config();
	struct wirepeer *p = begin(&c);
	uint64_t since = clocksync_now();
	struct err err = {.code = 0};
	int ret;

	(void)state;
	wirepeer_send(p, WIRE_HELLO, &hello);
	wirepeer_expect(p, WIRE_HELLO, NULL);
	wirepeer_expect(p, WIRE_START, NULL);
	wirepeer_send(p, WIRE_END, &m);
	while (ret = remote_ready(wirepeers.session, &err), !ret)
		wirepeer_wait(since, "failure");
	assert_int_equal(ret, -EPROTO);
	assert_string_equal(err.text, "web01: it ended before the session started");
}

/* Blank lines are no last words, and what stands before them is; also without a newline behind it. */
static void test_blank_words(void **state)
{
	struct remote_config c = config();
	struct wirepeer *p = open_with(&c);

	(void)state;
	assert_int_equal(write(p->err, "Killed\r\n\n \t\r\n\n", 14), 14);
	wirepeer_end(p);
	until_state(HOST_CUT);
	assert_string_equal(newest()->hosts[0].why, "Killed");
	p = again(2);
	wirepeer_open(p, TOKEN, &info);
	wirepeer_send_slice(p, make(0, true));
	until_state(HOST_UP);
	assert_int_equal(write(p->err, "no newline", 10), 10);
	wirepeer_end(p);
	until_state(HOST_CUT);
	assert_string_equal(newest()->hosts[0].why, "no newline");
	p = again(3);
	wirepeer_open(p, TOKEN, &info);
	wirepeer_send_slice(p, make(0, true));
	until_state(HOST_UP);
	assert_int_equal(write(p->err, "\n \n", 3), 3);
	wirepeer_end(p);
	until_state(HOST_CUT);
	if (strcmp(newest()->hosts[0].why, strerror(ECONNRESET))) /* what was sent to it may be unread */
		assert_string_equal(newest()->hosts[0].why, "the connection has ended");
}

/* What a failed way leaves unsaid (here the boot) is not left so. */
static void test_refused_without_words(void **state)
{
	struct remote_config c = config();
	struct err err = {.code = 0};
	int ret;

	(void)state;
	wirepeers.refuse = (struct err){.code = ECONNRESET};
	wirepeers.refusals = 1;
	begin(&c);
	while (ret = remote_ready(wirepeers.session, &err), !ret)
		wirepeer_turn();
	assert_int_equal(ret, -ECONNRESET);
	assert_string_equal(err.text, "web01: no reason was given: Connection reset by peer");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH(test_cut_anew), WITH(test_cut_resumed), WITH(test_lines_resumed), WITH(test_resume_fails), WITH(test_other_events),
		WITH(test_ended_there), WITH(test_once), WITH(test_refused_later), WITH(test_rest), WITH(test_late),
		WITH(test_fetch_resumed), WITH(test_fetch_lost), WITH(test_fetch_after_end),
		WITH(test_no_reason_there), WITH(test_no_reason_at_end), WITH(test_end_before_session),
		WITH(test_blank_words), WITH(test_refused_without_words),
	};

	signal(SIGPIPE, SIG_IGN); /* as main does */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
