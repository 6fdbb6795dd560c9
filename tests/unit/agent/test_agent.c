/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An agent with a made-up session, and a peer that behaves in all the ways there are. */
#include "link/agent/agent.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "link/agent/linger.h"
#include "base/clock.h"
#include "base/thread.h"
#include "model/core/model.h"
#include "tests/synth.h"
#include "link/wire/message.h"

#define PATIENCE_MS 60000 /* a sanitized program on a busy machine */

/* --- the session: the agent's thread takes, the test's makes ------------------------------ */

struct shared {
	struct session base;
	struct session *synth;
	pthread_mutex_t lock;
	unsigned commands, left;
};

#define LOCKED(s, type, call)                                                                            \
	do {                                                                                             \
		struct shared *h = (struct shared *)(s);                                                 \
		pthread_mutex_lock(&h->lock);                                                            \
		type = call;                                                                             \
		pthread_mutex_unlock(&h->lock);                                                          \
	} while (0)

static int shared_next(struct session *s, struct slice **slice)
{
	int ret;

	LOCKED(s, ret, session_next(h->synth, slice));
	return ret;
}

static int shared_fd(struct session *s)
{
	return ((struct shared *)s)->synth->ops->fd(((struct shared *)s)->synth);
}

static int shared_command(struct session *s, const struct session_request *rq, struct err *err)
{
	int ret;

	LOCKED(s, ret, (h->commands++, h->synth->ops->command(h->synth, rq, err)));
	return ret;
}

static void shared_stop(struct session *s)
{
	int ret;

	LOCKED(s, ret, (h->synth->ops->stop(h->synth), 0));
	(void)ret;
}

static void shared_end(struct session *s, struct session_end *end)
{
	int ret;

	LOCKED(s, ret, (h->synth->ops->end(h->synth, end), 0));
	(void)ret;
}

static const struct session_ops shared_ops = {
	.name = "shared", .next = shared_next, .fd = shared_fd, .command = shared_command, .stop = shared_stop,
	.end = shared_end,
};

/* --- the stage ---------------------------------------------------------------------------- */

struct stage {
	struct shared shared;
	struct session *twin; /* what the peer's model should know */
	struct model *full, *small;
	struct agent_config config;
	pthread_t thread;
	int status;
	const char *refusal; /* open fails with this */
	char word[32];       /* the first of START */
	/* the peer */
	struct link *link;
	int fd;
	uint64_t seq, slices, merged, folded;
	bool acks, ended;
	struct message_end end;
	struct message_reply reply;
	struct message_time time;
	struct session_info info;
	size_t ncodes;
	char token[33];
	pid_t relay;
};

static struct session *stage_session(void *arg, char *const words[], unsigned nwords, uint32_t beat_ms, struct err *err)
{
	struct stage *g = arg;

	(void)beat_ms;
	snprintf(g->word, sizeof(g->word), "%s", nwords ? words[0] : "");
	if (g->refusal) {
		err_set(err, EACCES, "%s", g->refusal);
		err_advise(err, "ask root");
		return NULL;
	}
	return &g->shared.base;
}

static void stage_leave(void *arg, struct session *s)
{
	(void)s;
	((struct stage *)arg)->shared.left++;
}

static void *stage_agent(void *arg)
{
	struct stage *g = arg;

	g->status = agent_run(&g->config);
	return NULL;
}

static void open_peer(struct stage *g, int fd)
{
	g->fd = fd;
	assert_int_equal(fcntl(fd, F_SETFL, O_NONBLOCK), 0);
	g->link = link_create();
	assert_non_null(g->link);
}

static void close_peer(struct stage *g)
{
	link_free(g->link);
	g->link = NULL;
	if (g->fd >= 0)
		close(g->fd);
	g->fd = -1;
}

static void stage_open(struct stage *g, const struct synth_config *c)
{
	int fd[2];

	memset(g, 0, sizeof(*g));
	pthread_mutex_init(&g->shared.lock, NULL);
	g->shared.synth = synth_session_create(c);
	g->twin = synth_session_create(c);
	assert_true(g->shared.synth && g->twin);
	g->shared.base = (struct session){.ops = &shared_ops, .info = g->shared.synth->info};
	g->full = model_create(&g->twin->info, MODEL_BUDGET);
	g->small = model_create(&g->twin->info, MODEL_BUDGET);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd), 0);
	open_peer(g, fd[0]);
	g->acks = true;
	g->config = (struct agent_config){.in = fd[1], .out = dup(fd[1]), .version = "test", .open = stage_session,
					  .leave = stage_leave, .arg = g};
	assert_int_equal(thread_start(&g->thread, stage_agent, g), 0);
}

/* The agent has ended, or will now. */
static void stage_close(struct stage *g)
{
	close_peer(g);
	assert_int_equal(pthread_join(g->thread, NULL), 0);
	if (g->relay)
		assert_int_equal(waitpid(g->relay, NULL, 0), g->relay);
	model_free(g->full);
	model_free(g->small);
	message_clear(WIRE_INFO, &g->info);
	session_close(g->shared.synth);
	session_close(g->twin);
	pthread_mutex_destroy(&g->shared.lock);
}

static void take_twin(struct stage *g)
{
	struct slice *s;

	while (!session_next(g->twin, &s) && s)
		assert_int_equal(model_add(g->full, s), 0);
}

static void advance(struct stage *g, unsigned ticks)
{
	int ret;

	LOCKED(&g->shared, ret, (synth_advance(g->shared.synth, ticks), 0));
	(void)ret;
	synth_advance(g->twin, ticks);
	take_twin(g);
}

/* --- the peer ----------------------------------------------------------------------------- */

static void say(struct stage *g, enum wire_kind kind, const void *message)
{
	assert_int_equal(message_send(g->link, kind, message), 0);
}

static void take_slice(struct stage *g, struct message_slice *m)
{
	assert_int_equal(m->seq, g->seq + 1); /* none is missing, none comes twice */
	g->seq = m->seq;
	g->slices++;
	g->ncodes += m->slice->ncodes;
	for (size_t i = 0; i < m->slice->nhosts; i++) {
		g->merged += m->slice->hosts[i].merged;
		g->folded += m->slice->hosts[i].folded_samples;
	}
	assert_int_equal(model_add(g->small, m->slice), 0);
	m->slice = NULL;
	if (g->acks)
		say(g, WIRE_CREDIT, &(struct message_credit){g->seq});
}

static void take(struct stage *g, const struct link_frame *f)
{
	union {
		struct message_hello hello;
		struct message_slice slice;
		struct session_info info;
		struct message_end end;
		struct message_reply reply;
		struct message_time time;
	} m;
	struct err err = {.code = 0};

	if (message_get(f, &m, 64 << 20, &err))
		fail_msg("%s", err.text);
	if (f->kind == WIRE_HELLO)
		memcpy(g->token, m.hello.token, sizeof(g->token));
	else if (f->kind == WIRE_SLICE)
		take_slice(g, &m.slice);
	else if (f->kind == WIRE_END)
		g->ended = true, g->end = m.end;
	else if (f->kind == WIRE_REPLY)
		g->reply = m.reply;
	else if (f->kind == WIRE_TIME)
		g->time = m.time;
	else if (f->kind == WIRE_INFO)
		memcpy(&g->info, &m.info, sizeof(m.info)), memset(&m, 0, sizeof(m));
	message_clear(f->kind, &m);
}

/* Take and send until done, or the other end hangs up: false. */
static bool talk(struct stage *g, bool (*done)(struct stage *g))
{
	uint64_t until = clock_ns() + PATIENCE_MS * NSEC_PER_MSEC;
	struct err err = {.code = 0};
	struct link_frame f;
	int ret = 0, more;

	for (;;) {
		while ((more = link_next(g->link, &f, &err)) == 1)
			take(g, &f);
		if (more < 0)
			fail_msg("%s", err.text);
		if (link_send(g->link, g->fd))
			ret = -EPIPE;
		if (done(g))
			return true;
		if (ret)
			return false;
		assert_true(clock_ns() < until);
		poll(&(struct pollfd){.fd = g->fd, .events = POLLIN}, 1, 100);
		ret = link_receive(g->link, g->fd);
	}
}

static bool greeted(struct stage *g)
{
	return g->token[0];
}

static bool has_info(struct stage *g)
{
	return g->info.nevents;
}

static bool has_ended(struct stage *g)
{
	return g->ended;
}

static bool has_reply(struct stage *g)
{
	return g->reply.nr;
}

static bool never(struct stage *g)
{
	(void)g;
	return false;
}

static bool up_to_date(struct stage *g)
{
	return model_now(g->small) == model_now(g->full);
}

static bool sent_all(struct stage *g)
{
	return !link_unsent(g->link);
}

static void greet(struct stage *g)
{
	struct message_hello h = {.major = WIRE_MAJOR, .minor = WIRE_MINOR, .version = "test"};

	g->token[0] = '\0';
	say(g, WIRE_HELLO, &h);
	assert_true(talk(g, greeted));
	assert_int_equal(strlen(g->token), 32);
}

/* Both make a last tick. */
static void stop(struct stage *g)
{
	say(g, WIRE_STOP, NULL);
	assert_true(talk(g, has_ended));
	g->twin->ops->stop(g->twin);
	take_twin(g);
	assert_true(up_to_date(g));
}

static const struct message_start plain = {.words = (char *[]){(char *)"-g"}, .nwords = 1, .beat_ms = 100,
					   .silent_s = 20, .window = 256 << 10};

static void begin(struct stage *g, const struct message_start *m)
{
	greet(g);
	say(g, WIRE_START, m);
	assert_true(talk(g, has_info));
}

static uint64_t samples(struct model *m)
{
	struct query q = {.group = GROUP_FUNCTION, .show_self = true};

	return model_rows(m, &q, WINDOW_ALL)->samples;
}

static void assert_accounts(struct stage *g)
{
	for (int cpu = ALL_CPUS; cpu < 2; cpu++) {
		struct account a, b;

		if (cpu == -1)
			continue;
		model_account(g->full, 0, cpu, WINDOW_ALL, &a);
		model_account(g->small, 0, cpu, WINDOW_ALL, &b);
		assert_int_equal(a.left_out, 0); /* on a slow link functions are left out, and nothing else is */
		b.left_out = 0;
		assert_memory_equal(&a, &b, sizeof(a));
	}
}

/* Everything is here, of each function and of each account. */
static void assert_same(struct stage *g)
{
	for (int group = 0; group < GROUP_NR; group++) {
		struct query q = {.group = group, .show_self = true};
		const struct rows *a = model_rows(g->full, &q, WINDOW_ALL), *b = model_rows(g->small, &q, WINDOW_ALL);

		assert_int_equal(a->attributed, b->attributed);
		assert_int_equal(a->shown, b->shown);
		if (group == GROUP_LINE) /* a line in a function does not travel */
			continue;
		assert_int_equal(a->nr, b->nr);
		for (size_t i = 0; i < a->nr; i++) {
			assert_string_equal(a->row[i].name, b->row[i].name);
			assert_int_equal(a->row[i].self, b->row[i].self);
			assert_int_equal(a->row[i].total, b->row[i].total);
		}
	}
	assert_accounts(g);
}

static const struct synth_config busy = {.functions = 20, .tasks = 6, .forks = 3, .strangers = 5, .losses = true,
					 .callchains = true, .deep = true};

/* --- the tests ---------------------------------------------------------------------------- */

static void test_conversation(void **state)
{
	struct stage g;
	char object[] = "/usr/bin/gzip";
	struct code_place place = {.kind = OBJECT_FILE, .object = object, .addr = 0x2400};

	(void)state;
	stage_open(&g, &busy);
	begin(&g, &plain);
	assert_string_equal(g.word, "-g");
	assert_int_equal(g.info.nevents, g.twin->info.nevents);
	for (unsigned i = 0; i < 30; i++) {
		advance(&g, 1);
		assert_true(talk(&g, up_to_date));
	}
	assert_int_equal(g.slices, 30);
	say(&g, WIRE_TIME, &(struct message_time){.nr = 7, .t1 = 1234});
	say(&g, WIRE_COMMAND, &(struct message_command){.nr = 9, .command = SESSION_CODE, .place = &place});
	assert_true(talk(&g, has_reply));
	advance(&g, 1);
	assert_true(talk(&g, up_to_date));
	assert_int_equal(g.reply.nr, 9);
	assert_int_equal(g.reply.err.code, 0);
	assert_int_equal(g.time.nr, 7);
	assert_int_equal(g.time.t1, 1234);
	assert_true(g.time.t3 >= g.time.t2);
	assert_int_equal(g.shared.commands, 1);
	assert_int_equal(g.ncodes, 1);
	stop(&g);
	assert_int_equal(g.end.err.code, 0);
	assert_same(&g);
	assert_int_equal(g.merged, 0);
	stage_close(&g);
	assert_int_equal(g.shared.left, 1);
	assert_int_equal(g.status, 0);
}

/* Ten in one is what was asked for: nothing is said to be late. */
static void test_beat(void **state)
{
	struct message_start second = plain;
	struct stage g;

	(void)state;
	second.beat_ms = 1000;
	stage_open(&g, &busy);
	begin(&g, &second);
	advance(&g, 50);
	assert_true(talk(&g, up_to_date));
	assert_int_equal(g.slices, 5 + 5); /* the first half second is not kept waiting */
	assert_int_equal(g.merged, 0);
	assert_same(&g);
	stage_close(&g);
}

static bool window_full(struct stage *g)
{
	/* Nothing came for a while, and something did before. */
	return g->slices && !poll(&(struct pollfd){.fd = g->fd, .events = POLLIN}, 1, 200);
}

/* Who does not acknowledge gets no more, and later all of it in one slice, in which what was met once is folded. */
static void test_window(void **state)
{
	struct message_start narrow = plain;
	struct stage g;
	uint64_t got;

	(void)state;
	narrow.window = 16 << 10;
	stage_open(&g, &busy);
	begin(&g, &narrow);
	g.acks = false;
	for (unsigned i = 0; i < 100; i++)
		advance(&g, 10);
	assert_true(talk(&g, window_full));
	got = g.slices;
	assert_in_range(got, 1, 100);
	assert_true(samples(g.small) < samples(g.full));
	g.acks = true;
	say(&g, WIRE_CREDIT, &(struct message_credit){g.seq});
	assert_true(talk(&g, up_to_date));
	assert_int_equal(samples(g.small), samples(g.full));
	assert_in_range(g.slices, got + 1, got + 2);
	assert_true(g.merged && g.folded);
	assert_accounts(&g);
	stage_close(&g);
}

/* What a child does that ssh starts there: its stdin and stdout are the new connection. */
static void resume(struct stage *g)
{
	struct err err = {.code = 0};
	int fd[2];

	close_peer(g);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd), 0);
	if (g->relay)
		assert_int_equal(waitpid(g->relay, NULL, 0), g->relay);
	g->relay = fork();
	assert_true(g->relay >= 0);
	if (!g->relay) {
		dup2(fd[1], STDIN_FILENO);
		dup2(fd[1], STDOUT_FILENO);
		close_range(STDERR_FILENO + 1, ~0u, 0); /* the agent's, too: it is a thread of ours */
		_exit(linger_resume(g->token, &err) != 0);
	}
	close(fd[1]);
	open_peer(g, fd[0]);
	greet(g);
}

static void test_resume(void **state)
{
	struct message_start lingering = plain;
	struct message_resume m = {.seq = 0};
	struct stage g;

	(void)state;
	lingering.linger_s = 10;
	stage_open(&g, &busy);
	begin(&g, &lingering);
	advance(&g, 10);
	assert_true(talk(&g, up_to_date));
	/* Some arrive and are not acknowledged, some are under way, some are made while nobody is there. */
	for (unsigned round = 0; round < 5; round++) {
		uint64_t seq;

		g.acks = false;
		advance(&g, 3);
		assert_true(talk(&g, up_to_date));
		seq = g.seq;
		advance(&g, 5);
		g.acks = true;
		resume(&g);
		advance(&g, 5);
		assert_int_equal(g.seq, seq);
		m.seq = seq;
		memcpy(m.token, g.token, sizeof(m.token));
		say(&g, WIRE_RESUME, &m);
		assert_true(talk(&g, up_to_date));
		assert_same(&g);
	}
	stop(&g);
	assert_same(&g);
	stage_close(&g);
}

/* Nobody comes back: it ends by itself, in time. */
static void test_linger_ends(void **state)
{
	struct message_start lingering = plain;
	uint64_t start;
	struct stage g;

	(void)state;
	lingering.linger_s = 1;
	stage_open(&g, &busy);
	begin(&g, &lingering);
	start = clock_ns();
	stage_close(&g);
	assert_in_range(clock_ns() - start, 900 * NSEC_PER_MSEC, 5 * NSEC_PER_SEC);
	assert_int_equal(g.shared.left, 1);
}

static void test_silent(void **state)
{
	struct message_start hasty = plain;
	struct stage g;

	(void)state;
	hasty.silent_s = 1;
	stage_open(&g, &busy);
	begin(&g, &hasty);
	assert_false(talk(&g, never)); /* it hangs up */
	stage_close(&g);
	assert_int_equal(g.shared.left, 1);
}

static void test_open_fails(void **state)
{
	struct stage g;

	(void)state;
	stage_open(&g, &busy);
	g.refusal = "no rights";
	greet(&g);
	say(&g, WIRE_START, &plain);
	assert_true(talk(&g, has_ended));
	assert_int_equal(g.end.err.code, EACCES);
	assert_string_equal(g.end.err.text, "no rights");
	assert_string_equal(g.end.err.advice, "ask root");
	assert_false(talk(&g, never));
	stage_close(&g);
	assert_int_equal(g.status, 1);
	assert_int_equal(g.shared.left, 0);
}

/* The session ends by itself; it can still be asked. */
static void test_session_ends(void **state)
{
	struct synth_config c = busy;
	char object[] = "/usr/bin/gzip";
	struct code_place place = {.kind = OBJECT_FILE, .object = object, .addr = 0x2400};
	struct stage g;

	(void)state;
	c.end_ticks = 20;
	c.command = true;
	stage_open(&g, &c);
	begin(&g, &plain);
	advance(&g, 20);
	assert_true(talk(&g, has_ended));
	assert_true(g.end.end.command);
	assert_int_equal(WEXITSTATUS(g.end.end.command_status), 3);
	assert_true(up_to_date(&g));
	assert_same(&g);
	memset(&g.reply, 0, sizeof(g.reply));
	say(&g, WIRE_COMMAND, &(struct message_command){.nr = 1, .command = SESSION_CODE, .place = &place});
	assert_true(talk(&g, sent_all));
	stage_close(&g);
	assert_int_equal(g.status, 0);
	assert_int_equal(g.shared.left, 1);
}

static void assert_refused(struct stage *g, const char *text)
{
	assert_true(talk(g, has_ended));
	assert_int_equal(g->end.err.code, EPROTO);
	assert_non_null(strstr(g->end.err.text, text));
	assert_false(talk(g, never));
	stage_close(g);
	assert_int_equal(g->status, 1);
}

static void test_nonsense(void **state)
{
	struct stage g;

	(void)state;
	stage_open(&g, &busy);
	say(&g, WIRE_HELLO, &(struct message_hello){.major = WIRE_MAJOR + 1});
	assert_refused(&g, "version");

	stage_open(&g, &busy);
	greet(&g);
	say(&g, WIRE_CREDIT, &(struct message_credit){1});
	assert_refused(&g, "unexpected message");

	stage_open(&g, &busy);
	begin(&g, &plain);
	say(&g, WIRE_START, &plain);
	assert_refused(&g, "unexpected message");

	stage_open(&g, &busy);
	begin(&g, &plain);
	say(&g, WIRE_CREDIT, &(struct message_credit){1000});
	assert_refused(&g, "never sent");

	stage_open(&g, &busy);
	assert_int_equal(write(g.fd, "GET / HTTP/1.1\r\n\r\n", 18), 18);
	assert_true(talk(&g, has_ended));
	stage_close(&g);
	assert_int_equal(g.status, 1);
}

/* The pipe's end at every point of a conversation is the agent's. */
static void test_hang_up(void **state)
{
	(void)state;
	for (unsigned point = 0; point < 5; point++) {
		struct stage g;

		stage_open(&g, &busy);
		if (point == 1)
			greet(&g);
		if (point >= 2)
			begin(&g, &plain);
		if (point >= 3)
			advance(&g, 30);
		if (point >= 4)
			assert_true(talk(&g, up_to_date));
		stage_close(&g);
		assert_int_equal(g.shared.left, point >= 2);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_conversation), cmocka_unit_test(test_beat),	  cmocka_unit_test(test_window),
		cmocka_unit_test(test_resume),	     cmocka_unit_test(test_linger_ends), cmocka_unit_test(test_silent),
		cmocka_unit_test(test_open_fails),   cmocka_unit_test(test_session_ends),
		cmocka_unit_test(test_nonsense),     cmocka_unit_test(test_hang_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
