/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whole conversations with a remote session: what an agent says, message by message or as bare bytes, connections
 * that end, what is asked here meanwhile, and time.  What comes out goes to a model.
 *
 * An input is records: a byte that says what happens, two of how many bytes follow, and these.
 * `fuzz_remote --seeds DIR` writes the corpus.
 */
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "model/core/model.h"
#include "tests/fuzz/must.h"
#include "tests/synth.h"
#include "tests/wirepeer.h"

#define BUDGET	 (4u << 20)
#define HISTORY	 (4u << 20)
#define HELD	 (64u << 20) /* by all there is: twice both, buffers of both links, messages under way */
#define HEAD	 3u
#define CONNECTIONS 8u
#define TOKEN	 "0123456789abcdef0123456789abcdef"

/* Above the kinds of messages. */
enum { BARE = 0, CUT = 32, WORDS, WAIT, COMMAND, STOP, PACKED = 0x80 };

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed);

static uint64_t now;
static uint64_t newest;
static struct model *model;

static uint64_t clock_now(void)
{
	return now;
}

/* --- here --------------------------------------------------------------------------------- */

static void take(struct session *s, struct slice *slice)
{
	must(slice->start >= newest && slice->end >= slice->start);
	must(slice->nhosts == 1 && slice->hosts[0].state < HOST_STATES);
	newest = slice->end;
	if (!model)
		model = model_create(&s->info, HISTORY);
	if (model)
		model_add(model, slice);
	else
		slice_free(slice);
}

/* It comes back, whatever was said. */
static void turn(struct session *s)
{
	struct slice *slice;
	struct err err;

	for (unsigned i = 0; i < 8; i++) {
		if (session_next(s, &slice) && remote_ready(s, &err) < 0)
			must(*err.text);
		if (slice)
			take(s, slice);
	}
	must(mallinfo2().uordblks < HELD);
}

static void command(struct session *s, const uint8_t *bytes, size_t len)
{
	const struct code_place place = {.object = "/bin/true", .addr = len > 1 ? bytes[1] : 0};
	struct session_request rq = {.command = len ? bytes[0] % SESSION_COMMANDS : SESSION_PAUSE, .text = "x"};
	struct err err = {.code = 0};
	struct message_end end;

	if (rq.command == SESSION_CODE)
		rq.code = &place;
	if (s->ops->command(s, &rq, &err))
		must(*err.text);
	s->ops->end(s, &end.end);
}

/* --- there -------------------------------------------------------------------------------- */

static void send_off(struct session *s, struct wirepeer *p)
{
	for (unsigned i = 0; link_unsent(p->link) && i < 64; i++) {
		if (p->fd < 0 || link_send(p->link, p->fd))
			return;
		turn(s);
	}
}

static void say(struct session *s, struct wirepeer *p, uint8_t what, const uint8_t *bytes, size_t len)
{
	struct wire_out o = {.len = 0};
	char drop[4096];

	if (p->fd < 0)
		return;
	while (read(p->fd, drop, sizeof(drop)) > 0)
		;
	if (what == BARE) {
		must(write(p->fd, bytes, len) <= (ssize_t)len);
		return;
	}
	wire_put_bytes(&o, bytes, len);
	if (!link_put(p->link, what & ~PACKED, &o, what & PACKED))
		send_off(s, p);
	wire_clear(&o);
}

static void happen(struct session *s, uint8_t what, const uint8_t *bytes, size_t len)
{
	struct wirepeer *p = &wirepeers.peer[wirepeers.nr - 1];

	if (what == CUT)
		wirepeer_end(p);
	else if (what == WORDS && p->err >= 0)
		must(write(p->err, bytes, len) <= (ssize_t)len);
	else if (what == WAIT)
		now += (len ? bytes[0] : 1) * 100 * NSEC_PER_MSEC;
	else if (what == COMMAND)
		command(s, bytes, len);
	else if (what == STOP)
		s->ops->stop(s);
	else if ((what & ~PACKED) < 32)
		say(s, p, what, bytes, len);
	wirepeers.refusals = wirepeers.nr < CONNECTIONS ? 0 : UINT32_MAX;
	turn(s);
}

static const struct remote_config config = {.host = "h", .linger = 60, .budget = BUDGET, .stop_fd = -1, .output_fd = -1,
					    .boot = &wirepeer_boot, .clock = clock_now};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct session *s;

	now = NSEC_PER_SEC;
	newest = 0;
	s = remote_begin(&config, NULL);
	must(s != NULL);
	for (size_t at = 0; at + HEAD <= size && wirepeers.nr <= CONNECTIONS;) {
		size_t len = data[at + 1] | (size_t)data[at + 2] << 8;

		len = len < size - at - HEAD ? len : size - at - HEAD;
		happen(s, data[at], data + at + HEAD, len);
		at += HEAD + len;
	}
	for (unsigned i = 0; i < wirepeers.nr; i++)
		wirepeer_end(&wirepeers.peer[i]);
	session_close(s);
	model_free(model);
	model = NULL;
	wirepeer_reset();
	return 0;
}

/* --- changes ------------------------------------------------------------------------------ */

static size_t record_at(const uint8_t *data, size_t size, unsigned nr, size_t *len)
{
	size_t at = 0, records = 0, ends[256] = {0};

	while (at + HEAD <= size && records < 255) {
		at += HEAD + (data[at + 1] | (size_t)data[at + 2] << 8);
		ends[++records] = at < size ? at : size;
	}
	if (!records)
		return *len = size, 0;
	nr %= (unsigned)records;
	*len = ends[nr + 1] - ends[nr];
	return ends[nr];
}

/* One record's bytes, its kind, or that it is there; lengths stay right. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
	size_t len, at = record_at(data, size, seed >> 8, &len), body, room;

	if (len < HEAD || seed % 16 == 0)
		return LLVMFuzzerMutate(data, size, max);
	if (seed % 16 == 1) { /* gone */
		memmove(data + at, data + at + len, size - at - len);
		return size - len;
	}
	if (seed % 16 == 2 && size + len <= max) { /* twice */
		memmove(data + at + len, data + at, size - at);
		return size + len;
	}
	if (seed % 16 == 3) {
		data[at] = (uint8_t)(seed >> 16);
		return size;
	}
	body = len - HEAD;
	room = max - size + body < 0xffff ? max - size + body : 0xffff;
	if (size - at - len) { /* the rest stays where it is */
		room = body;
		if (!room)
			return size;
	}
	body = LLVMFuzzerMutate(data + at + HEAD, body, room);
	if (size - at - len)
		memmove(data + at + HEAD + body, data + at + len, size - at - len);
	data[at + 1] = (uint8_t)body;
	data[at + 2] = (uint8_t)(body >> 8);
	return size - (len - HEAD) + body;
}

/* --- seeds -------------------------------------------------------------------------------- */

struct seed {
	struct wire_out o;
};

static void put_record(struct seed *s, uint8_t what, const void *bytes, size_t len)
{
	must(len <= 0xffff);
	wire_put(&s->o, what, 1);
	wire_put(&s->o, len, 2);
	wire_put_bytes(&s->o, bytes, len);
}

static void put_message(struct seed *s, enum wire_kind kind, const void *message)
{
	struct wire_out o = {.len = 0};

	message_put(&o, kind, message);
	put_record(s, (uint8_t)(kind | (message_packed(kind) ? PACKED : 0)), o.data, o.len);
	wire_clear(&o);
}

static void put_hello(struct seed *s)
{
	struct message_hello hello = {.major = WIRE_MAJOR, .host = "far", .token = TOKEN, .capabilities = CAN_LINGER | CAN_CHANGE};

	put_message(s, WIRE_HELLO, &hello);
}

/* The time of the last one's end. */
static uint64_t put_slices(struct seed *s, struct session *synth, unsigned nr, uint64_t *seq)
{
	struct message_slice m = {.sent_ns = 0};

	synth_advance(synth, nr);
	while (!session_next(synth, &m.slice) && m.slice) {
		m.seq = ++*seq;
		m.sent_ns = m.slice->end;
		put_message(s, WIRE_SLICE, &m);
		put_record(s, WAIT, "\1", 1);
		slice_free(m.slice);
	}
	return m.sent_ns;
}

/* An event that comes, and another list of fields of the first one. */
static void put_changes(struct seed *s, uint64_t *seq, const struct session *synth, uint64_t at)
{
	struct message_slice m = {.seq = ++*seq, .slice = slice_create()};
	unsigned nr = synth->info.nevents;

	must(m.slice != NULL);
	m.slice->start = m.slice->end = at;
	*slice_add_change(m.slice) = (struct slice_change){.event = (uint16_t)nr, .on = true, .period = 1, .name = "faults"};
	*slice_add_change(m.slice) = (struct slice_change){.on = true, .was_on = true, .period = 1, .by_nr = 1, .by = "id", .by_kinds = "n"};
	*slice_add_list(m.slice) = (struct slice_fieldlist){.names = "comm", .kinds = "s"};
	*slice_add_list(m.slice) = (struct slice_fieldlist){.by = 1, .since = 1, .names = "id", .kinds = "n"};
	*slice_add_row(m.slice) = (struct slice_row){.event = (uint16_t)nr, .samples = 1, .weight = 1};
	*slice_add_field(m.slice) = (struct slice_field){.by = 1, .count = 1, .key = "7"};
	put_message(s, WIRE_SLICE, &m);
	put_record(s, WAIT, "\1", 1);
	slice_free(m.slice);
}

/* Each of what can happen. */
static void put_conversation(struct seed *s, const struct synth_config *c, bool resumed)
{
	struct session *synth = synth_session_create(c), *other = synth_session_create(c);
	struct message_time time = {.nr = 1, .t1 = NSEC_PER_SEC, .t2 = 5, .t3 = 9, .wall = 77};
	struct message_reply reply = {.nr = 1, .err = {.code = EBUSY, .text = "busy"}};
	struct message_end end = {.end = {.command = true}};
	uint64_t seq = 0, end_ns;

	put_hello(s);
	put_message(s, WIRE_INFO, &synth->info);
	put_message(s, WIRE_TIME, &time);
	end_ns = put_slices(s, synth, 4, &seq);
	put_record(s, COMMAND, (uint8_t[]){SESSION_CODE, 5}, 2);
	put_message(s, WIRE_REPLY, &reply);
	put_record(s, COMMAND, (uint8_t[]){SESSION_RECORD, 0}, 2);
	put_record(s, COMMAND, (uint8_t[]){SESSION_EVENTS, 0}, 2);
	put_changes(s, &seq, synth, end_ns);
	put_record(s, WORDS, "bye\r\n", 5);
	put_record(s, CUT, NULL, 0);
	put_record(s, WAIT, "\20", 1);
	put_hello(s);
	if (!resumed) {
		put_message(s, WIRE_END, &(struct message_end){.err = {.code = ENOENT, .text = "none"}});
		put_record(s, WAIT, "\1", 1);
		put_hello(s);
		put_message(s, WIRE_INFO, &other->info);
		seq = 0;
	}
	end_ns = put_slices(s, resumed ? synth : other, 4, &seq);
	put_changes(s, &seq, synth, end_ns);
	put_record(s, STOP, NULL, 0);
	put_message(s, WIRE_END, &end);
	session_close(synth);
	session_close(other);
}

static void write_seed(const char *dir, const char *name, const struct synth_config *c, bool resumed)
{
	struct seed s = {.o = {.len = 0}};
	char path[4096];
	int fd;

	put_conversation(&s, c, resumed);
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	must(fd >= 0 && write(fd, s.o.data, s.o.len) == (ssize_t)s.o.len);
	close(fd);
	wire_clear(&s.o);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	signal(SIGPIPE, SIG_IGN);
	if (*argc != 3 || strcmp((*argv)[1], "--seeds") != 0)
		return 0;
	write_seed((*argv)[2], "resumed", &(struct synth_config){.functions = 4, .losses = true}, true);
	write_seed((*argv)[2], "stacks", &(struct synth_config){.functions = 4, .callchains = true, .second_event = 7, .fields = true, .stacks = true}, true);
	write_seed((*argv)[2], "anew", &(struct synth_config){.functions = 4, .callchains = true, .forks = 1, .nodes = 1}, false);
	exit(0);
}
