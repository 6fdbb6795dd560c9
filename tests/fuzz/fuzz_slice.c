/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Slices of another machine, as they come, through all that takes them: decoding, the check, the model, and the
 * reports in text and JSON.  An input is slices, each behind its length.  `fuzz_slice --seeds DIR` writes the corpus.
 */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/rows/codes.h"
#include "model/core/model.h"
#include "measure/session/change.h"
#include "tests/fieldfill.h"
#include "tests/fuzz/must.h"
#include "tests/fuzz/reports.h"
#include "tests/synth.h"
#include "link/wire/slicecheck.h"
#include "link/wire/slicecode.h"

#define BUDGET  (4u << 20)
#define HISTORY (4u << 20)

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed);

static int null_fd, ready_fd;
static const struct session_event first[] = {
	{.name = "cpu-clock", .unit = "ns", .frequency = 999, .by = "cpu, stack", .by_kinds = "np"}, {.name = "faults", .unit = "", .period = 7}};

static struct session_event events[2 + SESSION_EVENTS_MORE];

/* --- a session of what there is ----------------------------------------------------------- */

struct fed {
	struct session session;
	struct slicecheck *check;
	const uint8_t *at, *end;
};

static int fed_next(struct session *s, struct slice **slice)
{
	struct fed *f = (struct fed *)s;
	struct err err = {.code = 0};
	uint32_t len;

	*slice = NULL;
	if (f->end - f->at < 4)
		return -ESHUTDOWN;
	memcpy(&len, f->at, 4);
	len = le32toh(len);
	f->at += 4;
	len = len < (size_t)(f->end - f->at) ? len : (uint32_t)(f->end - f->at);
	*slice = slicecode_get(f->at, len, BUDGET, &err);
	f->at += len;
	must(*slice || *err.text);
	if (*slice && slicecheck_take(f->check, *slice, &err)) {
		must(*err.text);
		slice_free(*slice);
		*slice = NULL;
	}
	if (*slice)
		session_changes(&s->info, *slice);
	else
		f->at = f->end;
	must(slicecheck_held(f->check) <= BUDGET);
	return *slice ? 0 : -ESHUTDOWN;
}

static int fed_fd(struct session *s)
{
	(void)s;
	return ready_fd;
}

static int fed_command(struct session *s, const struct session_request *rq, struct err *err)
{
	(void)s, (void)rq;
	return err_set(err, EOPNOTSUPP, "no");
}

static void fed_stop(struct session *s)
{
	struct fed *f = (struct fed *)s;

	f->at = f->end;
}

static void fed_end(struct session *s, struct session_end *end)
{
	(void)s;
	*end = (struct session_end){.command = false};
}

static void fed_close(struct session *s)
{
	slicecheck_free(((struct fed *)s)->check);
}

static void fed_abandon(struct session *s)
{
	(void)s;
}

static const struct session_ops fed_ops = {
	.name = "fed", .next = fed_next, .fd = fed_fd, .command = fed_command, .stop = fed_stop, .end = fed_end,
	.close = fed_close, .abandon = fed_abandon,
};

static void look(struct model *m, unsigned event)
{
	const struct query q = {.event = event, .show_self = true};
	struct code_place place = {.kind = OBJECT_FILE, .object = (char *)"/bin/x", .addr = 4096};
	const struct rows *rows = model_rows(m, &q, WINDOW_ALL);

	must(rows != NULL);
	for (size_t i = 0; i < rows->nr && i < 3; i++)
		if (model_code_place(m, &q, rows->row[i].key, WINDOW_ALL, &place))
			model_code(m, &q, &place, WINDOW_ALL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct headless_options ho = {.show.delay = 5, .show.paths = true, .format = &reports_both, .version = "fuzz",
					    .out_fd = null_fd, .stop_fd = -1, .signal_fd = -1};
	struct fed f = {{&fed_ops, {.nevents = 2, .events = events, .cpus = 2, .live = true}}, NULL, data, data + size};
	struct model *m = model_create(&f.session.info, HISTORY);
	struct headless_result result;
	struct err err = {.code = 0};

	memcpy(events, first, sizeof(first));
	f.check = slicecheck_create(&f.session.info, BUDGET);
	must(m != NULL && f.check != NULL);
	slicecheck_more_events(f.check, SESSION_EVENTS_MORE);
	must(!headless_run(&f.session, m, &ho, &result, &err) || err.code);
	for (unsigned e = 0; e < f.session.info.nevents; e++)
		look(m, e);
	session_close(&f.session);
	model_free(m);
	return 0;
}

/* --- mutations ---------------------------------------------------------------------------- */

/* Where the nth slice is, counted round. */
static struct wire_in slice_at(const uint8_t *data, size_t size, uint64_t nth)
{
	struct wire_in found[32];
	unsigned nr = 0;
	uint32_t len;

	for (size_t at = 0; nr < 32 && size - at >= 4; at += len) {
		memcpy(&len, data + at, 4);
		at += 4;
		len = le32toh(len);
		len = len < size - at ? len : (uint32_t)(size - at);
		found[nr++] = (struct wire_in){data + at, data + at + len, false};
	}
	return nr ? found[nth % nr] : (struct wire_in){data, data, false};
}

/* A slice that is one changes in its members, and is written anew. */
static size_t change(uint8_t *data, size_t size, size_t max, uint64_t seed)
{
	struct wire_in in = slice_at(data, size, seed >> 32);
	size_t was = (size_t)(in.end - in.at), at = (size_t)(in.at - data);
	struct slice *s = slicecode_get(in.at, was, BUDGET, NULL);
	struct wire_out o = {.len = 0};

	if (!s || !was)
		size = 0;
	for (uint64_t nr = 1 + seed % 3; s && nr; nr--)
		fieldfill_change(&slicecode_fields, s, &seed);
	if (s)
		slicecode_put(&o, s);
	if (size && size - was + o.len <= max) {
		uint32_t len = htole32((uint32_t)o.len);

		memmove(data + at + o.len, data + at + was, size - at - was);
		memcpy(data + at, o.data, o.len);
		memcpy(data + at - 4, &len, 4);
		size = size - was + o.len;
	}
	slice_free(s);
	wire_clear(&o);
	return size;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
	size_t n = seed % 8 ? change(data, size, max, (seed + 1) * 0x9e3779b97f4a7c15ull) : 0;

	return n ? n : LLVMFuzzerMutate(data, size, max);
}

/* --- seeds -------------------------------------------------------------------------------- */

static void seed_session(const char *dir, const char *name, const struct synth_config *config, unsigned nr)
{
	struct session *s = synth_session_create(config);
	char path[4096];
	struct slice *slice;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "wb");
	must(s != NULL && f != NULL);
	synth_advance(s, nr);
	while (!session_next(s, &slice) && slice) {
		struct wire_out o = {.len = 0};
		uint32_t len;

		slicecode_put(&o, slice);
		len = htole32((uint32_t)o.len);
		must(fwrite(&len, 4, 1, f) == 1 && fwrite(o.data, o.len, 1, f) == 1);
		wire_clear(&o);
		slice_free(slice);
	}
	must(!fclose(f));
	session_close(s);
}

static void write_seeds(const char *dir)
{
	static const struct {
		const char *name;
		unsigned nr;
		struct synth_config config;
	} seeds[] = {
		{"calls", 6, {.callchains = true, .deep = true, .losses = true, .unwind = true}},
		{"names", 7, {.hostile = true, .doubt = true, .greedy = true, .forks = 2, .addresses = 2, .strangers = 2}},
		{"trace", 12, {.aux = SYNTH_AUX_PT, .code = true, .second_event = 7}},
		{"stacks", 5, {.callchains = true, .deep = true, .hostile = true, .strangers = 2, .fields = true, .stacks = true}},
		{"several", 2, {.several = true}},
		{"full", 4, {.aux = SYNTH_AUX_FULL, .losses = true}},
	};

	for (size_t i = 0; i < sizeof(seeds) / sizeof(*seeds); i++)
		seed_session(dir, seeds[i].name, &seeds[i].config, seeds[i].nr);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	if (*argc > 2 && !strcmp((*argv)[1], "--seeds")) {
		write_seeds((*argv)[2]);
		exit(0);
	}
	null_fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	ready_fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	must(null_fd >= 0 && ready_fd >= 0);
	return 0;
}
