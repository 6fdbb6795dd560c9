/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whole conversations with an agent: what home says, message by message or as bare bytes, while a made-up session
 * goes on.  What the agent says must be what a remote session accepts.
 *
 * An input is records: a byte that says what happens, two of how many bytes follow, and these.
 * `fuzz_agent --seeds DIR` writes the corpus.
 */
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "link/agent/agent.h"
#include "tests/fuzz/must.h"
#include "tests/synth.h"
#include "link/wire/message.h"
#include "link/wire/slicecheck.h"

#define HEAD 3u
#define HELD (96u << 20)

enum { BARE = 0, TICKS = 32, CUT }; /* beside the kinds of messages */

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct session *synth;
static struct link *home;
static struct slicecheck *check;
static uint64_t seq;
static int fd;

static const struct synth_config busy = {.functions = 6, .forks = 2, .strangers = 3, .callchains = true, .code = true,
					 .end_ticks = 200};

static struct session *open_synth(void *arg, char *const words[], unsigned nwords, uint32_t beat_ms, struct err *err)
{
	(void)arg;
	for (unsigned i = 0; i < nwords; i++)
		must(words[i] == NULL || strlen(words[i]) < 1 << 20);
	must(beat_ms >= 100 && beat_ms <= 1000);
	if (nwords && words[0] && !strcmp(words[0], "--refused")) {
		err_set(err, EACCES, "no");
		return NULL;
	}
	synth = synth_session_create(&busy);
	return synth;
}

static void leave_synth(void *arg, struct session *s)
{
	(void)arg;
	must(s == synth);
}

/* --- home --------------------------------------------------------------------------------- */

static void take_slice(struct message_slice *m)
{
	struct err err = {.code = 0};

	must(m->seq == ++seq);
	if (slicecheck_take(check, m->slice, &err)) {
		fprintf(stderr, "%s\n", err.text);
		must(!"a slice that home accepts");
	}
}

static void take(const struct link_frame *f)
{
	union {
		struct message_slice slice;
		struct session_info info;
		struct message_hello hello;
		struct message_end end;
		struct message_reply reply;
		struct message_time time;
	} m;
	struct err err = {.code = 0};

	must(!message_get(f, &m, 64 << 20, &err));
	if (f->kind == WIRE_INFO) {
		must(!check && !slicecheck_info(&synth->info, &err));
		check = slicecheck_create(&synth->info, 64 << 20);
	} else if (f->kind == WIRE_SLICE) {
		take_slice(&m.slice);
	} else if (f->kind == WIRE_END) {
		must(!m.end.err.code || *m.end.err.text);
	}
	message_clear(f->kind, &m);
}

static void listen_home(void)
{
	struct err err = {.code = 0};
	struct link_frame f;

	if (fd < 0)
		return;
	link_receive(home, fd);
	while (link_next(home, &f, &err) == 1)
		take(&f);
	must(!err.code);
}

static void turn(struct agent *a)
{
	for (unsigned i = 0; i < 4; i++) {
		agent_turn(a, false);
		listen_home();
	}
	must(mallinfo2().uordblks < HELD);
}

/* What home says goes through a link of its own: it is well formed, whatever it says. */
static void say(struct agent *a, uint8_t kind, const uint8_t *bytes, size_t len)
{
	struct wire_out o = {.len = 0};

	if (kind == BARE) {
		must(write(fd, bytes, len) <= (ssize_t)len);
		return;
	}
	wire_put_bytes(&o, bytes, len);
	must(!link_put(home, kind, &o, false));
	wire_clear(&o);
	for (unsigned i = 0; link_unsent(home) && i < 64 && !link_send(home, fd); i++)
		turn(a);
}

static void happen(struct agent *a, uint8_t what, const uint8_t *bytes, size_t len)
{
	if (what == TICKS && synth)
		synth_advance(synth, len ? bytes[0] % 16 : 1);
	else if (what == CUT && fd >= 0)
		close(fd), fd = -1;
	else if (what < WIRE_KINDS && fd >= 0)
		say(a, what, bytes, len);
	turn(a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct agent_config c = {.version = "fuzz", .open = open_synth, .leave = leave_synth};
	struct agent *a;
	int ends[2];

	must(!socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends));
	fd = ends[0];
	c.in = ends[1];
	c.out = dup(ends[1]);
	home = link_create();
	seq = 0;
	a = agent_begin(&c);
	must(home && a);
	for (size_t at = 0; at + HEAD <= size;) {
		size_t len = data[at + 1] | (size_t)data[at + 2] << 8;

		len = len < size - at - HEAD ? len : size - at - HEAD;
		happen(a, data[at], data + at + HEAD, len);
		at += HEAD + len;
	}
	agent_end(a);
	session_close(synth);
	synth = NULL;
	if (fd >= 0)
		close(fd);
	link_free(home);
	slicecheck_free(check);
	check = NULL;
	return 0;
}

/* --- seeds -------------------------------------------------------------------------------- */

static struct wire_out seed;

static void put_record(uint8_t what, const void *bytes, size_t len)
{
	must(len <= 0xffff);
	wire_put(&seed, what, 1);
	wire_put(&seed, len, 2);
	wire_put_bytes(&seed, bytes, len);
}

static void put_message(enum wire_kind kind, const void *message)
{
	struct wire_out o = {.len = 0};

	message_put(&o, kind, message);
	put_record((uint8_t)kind, o.data, o.len);
	wire_clear(&o);
}

static void write_seed(const char *dir, const char *name)
{
	char path[4096];
	int out;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	out = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	must(out >= 0 && write(out, seed.data, seed.len) == (ssize_t)seed.len);
	close(out);
	wire_clear(&seed);
	seed = (struct wire_out){.len = 0};
}

static void put_start(uint32_t beat_ms, uint64_t window)
{
	char *words[] = {(char *)"-a", (char *)"-g"};
	struct message_hello hello = {.major = WIRE_MAJOR, .version = "fuzz"};
	struct message_start start = {.words = words, .nwords = 2, .beat_ms = beat_ms, .silent_s = 3600, .window = window};

	put_message(WIRE_HELLO, &hello);
	put_message(WIRE_START, &start);
}

static void write_seeds(const char *dir)
{
	char object[] = "/usr/lib/x86_64-linux-gnu/libz.so.1.2.13";
	struct code_place place = {.kind = OBJECT_FILE, .object = object, .addr = 0x3a10};

	put_start(100, 256 << 10);
	for (uint8_t i = 1; i < 6; i++) {
		put_record(TICKS, "\2", 1);
		put_message(WIRE_CREDIT, &(struct message_credit){2 * i});
		put_message(WIRE_TIME, &(struct message_time){.nr = i, .t1 = 77 * i});
	}
	put_message(WIRE_COMMAND, &(struct message_command){.nr = 1, .command = SESSION_CODE, .place = &place});
	put_message(WIRE_COMMAND, &(struct message_command){.nr = 2, .command = SESSION_PAUSE});
	put_message(WIRE_COMMAND, &(struct message_command){.nr = 3, .command = SESSION_RECORD, .text = object});
	put_record(TICKS, "\3", 1);
	put_record(WIRE_STOP, NULL, 0);
	write_seed(dir, "plain");
	put_start(1000, 16 << 10);
	for (unsigned i = 0; i < 12; i++)
		put_record(TICKS, "\17", 1);
	put_message(WIRE_CREDIT, &(struct message_credit){3});
	put_record(TICKS, "\17", 1);
	put_record(CUT, NULL, 0);
	put_record(TICKS, "\17", 1);
	write_seed(dir, "held");
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	signal(SIGPIPE, SIG_IGN);
	if (*argc != 3 || strcmp((*argv)[1], "--seeds") != 0)
		return 0;
	write_seeds((*argv)[2]);
	exit(0);
}
