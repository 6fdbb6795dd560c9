/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/hand.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/vec.h"

#define PART " > " /* between a caller and what it calls */

/* A thing of the dictionary by the text that it was made of. */
struct hand_name {
	enum dict_kind kind;
	char *text;
	uint32_t id;
};

void hand_begin(struct hand *h, unsigned cpus)
{
	*h = (struct hand){.addr = 0x1000};
	h->info = (struct session_info){.target = "whole machine", .cpus = cpus, .events = h->events, .live = true};
	assert_in_range(cpus, 1, HAND_CPUS);
	hand_event(h, "cpu-clock");
	h->m = model_create(&h->info, MODEL_BUDGET);
	assert_non_null(h->m);
}

void hand_free(struct hand *h)
{
	for (size_t i = 0; i < h->nnames; i++)
		free(h->names[i].text);
	free(h->names);
	slice_free(h->s);
	synth_dict_clear(&h->dict);
	model_free(h->m);
}

unsigned hand_event(struct hand *h, const char *name)
{
	unsigned e = h->info.nevents++;

	assert_true(e < HAND_EVENTS);
	h->events[e] = (struct session_event){.unit = "ns", .period = 1000000};
	snprintf(h->events[e].name, sizeof(h->events[e].name), "%s", name);
	return e;
}

static struct slice *slice_of(struct hand *h)
{
	if (h->s)
		return h->s;
	h->s = slice_create();
	assert_non_null(h->s);
	h->s->start = model_now(h->m);
	h->s->end = h->s->start + HAND_TICK_NS;
	return h->s;
}

/* --- the dictionary ------------------------------------------------------------------------- */

/* The id that the text has, 0: none yet. */
static uint32_t known(const struct hand *h, enum dict_kind kind, const char *text)
{
	for (size_t i = 0; i < h->nnames; i++)
		if (h->names[i].kind == kind && !strcmp(h->names[i].text, text))
			return h->names[i].id;
	return 0;
}

static uint32_t keep(struct hand *h, enum dict_kind kind, const char *text, uint32_t id)
{
	struct hand_name n = {kind, strdup(text), id};

	assert_non_null(n.text);
	assert_true(VEC_PUSH(h->names, h->nnames, h->cap_names, n));
	assert_false(h->dict.broken);
	return id;
}

static uint32_t string_of(struct hand *h, const char *text)
{
	uint32_t id = known(h, DICT_STRING, text);

	return id ? id : keep(h, DICT_STRING, text, synth_put_string(&h->dict, slice_of(h), text));
}

static uint32_t object_of(struct hand *h, const char *path, bool nameless)
{
	uint32_t id = known(h, DICT_OBJECT, path);
	struct dict_object o = {.name = string_of(h, path), .state = nameless ? OBJECT_NAMELESS : OBJECT_READY};

	if (id)
		return id;
	o.id = synth_id(&h->dict, DICT_OBJECT);
	o.kind = !strcmp(path, "[kernel]") ? OBJECT_KERNEL : OBJECT_FILE;
	o.why = nameless ? string_of(h, "no symbols are in it") : 0;
	synth_put(&h->dict, slice_of(h), DICT_OBJECT, &o);
	return keep(h, DICT_OBJECT, path, o.id);
}

/* "work@/bin/app" */
static uint32_t frame_of(struct hand *h, const char *text)
{
	uint32_t id = known(h, DICT_FRAME, text), object, symbol = 0;
	const char *at = strrchr(text, '@');
	char name[1024];

	if (id)
		return id;
	assert_non_null(at);
	snprintf(name, sizeof(name), "%.*s", (int)(at - text), text);
	object = object_of(h, at + 1, !strcmp(name, "?"));
	h->addr += 0x1000;
	if (strcmp(name, "?") != 0)
		symbol = synth_put_symbol(&h->dict, slice_of(h), name, object, h->addr);
	return keep(h, DICT_FRAME, text,
		    synth_put_frame(&h->dict, slice_of(h), object, symbol, h->addr,
				    !strcmp(at + 1, "[kernel]") ? FRAME_KERNEL : 0));
}

uint32_t hand_path(struct hand *h, const char *text)
{
	uint32_t id = known(h, DICT_PATH, text), parent = 0;
	const char *leaf = text;
	char callers[4096];

	if (id)
		return id;
	for (const char *at; (at = strstr(leaf, PART));)
		leaf = at + strlen(PART);
	if (leaf != text) {
		snprintf(callers, sizeof(callers), "%.*s", (int)(leaf - text - (ptrdiff_t)strlen(PART)), text);
		parent = hand_path(h, callers);
	}
	return keep(h, DICT_PATH, text, synth_put_path(&h->dict, slice_of(h), parent, frame_of(h, leaf)));
}

uint32_t hand_task(struct hand *h, const char *comm, int32_t pid, int32_t tid, const char *cgroup)
{
	struct dict_task t = {.pid = pid, .tid = tid};
	char text[64];

	snprintf(text, sizeof(text), "%d", tid);
	t.id = known(h, DICT_TASK, text);
	if (t.id)
		return t.id;
	t.comm = t.proc_comm = string_of(h, comm);
	t.cgroup = cgroup ? string_of(h, cgroup) : 0;
	t.id = synth_id(&h->dict, DICT_TASK);
	synth_put(&h->dict, slice_of(h), DICT_TASK, &t);
	return keep(h, DICT_TASK, text, t.id);
}

/* --- rows ----------------------------------------------------------------------------------- */

void hand_add(struct hand *h, const struct hand_row *row)
{
	struct slice_account *a = hand_account(h, row->event, row->cpu);
	struct slice_row *r = slice_add_row(slice_of(h));

	assert_non_null(r);
	*r = (struct slice_row){.event = (uint16_t)row->event, .cpu = (uint16_t)row->cpu, .path = row->path, .task = row->task,
				.samples = row->samples, .weight = row->ns};
	a->samples += row->samples;
	a->attributed += row->ns;
}

struct slice_account *hand_account(struct hand *h, unsigned event, unsigned cpu)
{
	assert_true(event < h->info.nevents && cpu < h->info.cpus);
	return &h->accounts[event][cpu];
}

/* Pending counts are a state, the rest is of this slice alone. */
static void put_account(struct hand *h, unsigned event, unsigned cpu)
{
	struct slice_account *a = &h->accounts[event][cpu], *to = slice_add_account(slice_of(h));

	assert_non_null(to);
	a->event = (uint16_t)event;
	a->cpu = (int16_t)cpu;
	a->exact = true;
	a->counted = a->attributed + a->pending - h->pending[event][cpu] + (uint64_t)a->unsampled;
	for (int i = 0; i < LOST_NR; i++)
		a->counted += a->lost[i];
	*to = *a;
	h->pending[event][cpu] = a->pending;
	*a = (struct slice_account){.pending = a->pending};
}

void hand_end(struct hand *h)
{
	for (unsigned e = 0; e < h->info.nevents; e++)
		for (unsigned cpu = 0; cpu < h->info.cpus; cpu++)
			put_account(h, e, cpu);
	assert_int_equal(model_add(h->m, slice_of(h)), 0);
	h->s = NULL;
}

void hand_throttle(struct hand *h, const char *cgroup, uint64_t periods, uint64_t throttled, uint64_t ns)
{
	struct slice_throttle *t = slice_add_throttle(slice_of(h));

	assert_non_null(t);
	*t = (struct slice_throttle){.periods = periods, .throttled = throttled, .ns = ns};
	snprintf(t->cgroup, sizeof(t->cgroup), "%s", cgroup);
}
