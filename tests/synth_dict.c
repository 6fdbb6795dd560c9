/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/synth_dict.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

uint32_t synth_id(struct synth_dict *d, enum dict_kind kind)
{
	struct synth_ids *ids = &d->ids[kind];

	return ids->nfree ? ids->free[--ids->nfree] : ++ids->next;
}

void synth_dict_clear(struct synth_dict *d)
{
	for (int k = 0; k < DICT_NR; k++)
		free(d->ids[k].free);
}

void synth_release(struct synth_dict *d, struct slice *s, enum dict_kind kind, uint32_t id)
{
	if (slice_release(s, kind, id))
		d->broken = true;
}

void synth_reuse(struct synth_dict *d, const struct slice *s)
{
	for (enum dict_kind kind = 0; kind < DICT_NR; kind++) {
		struct synth_ids *ids = &d->ids[kind];
		size_t nr = s->dict.nreleased[kind];

		if (!vec_reserve(&ids->free, &ids->cap, ids->nfree + nr, 4)) {
			d->broken = true;
			return;
		}
		for (size_t j = 0; j < nr; j++)
			ids->free[ids->nfree++] = s->dict.released[kind][j];
	}
}

void synth_put(struct synth_dict *d, struct slice *s, enum dict_kind kind, const void *entry)
{
	if (slice_upsert(s, kind, entry))
		d->broken = true;
}

uint32_t synth_put_string(struct synth_dict *d, struct slice *s, const char *text)
{
	struct dict_string e = {.id = synth_id(d, DICT_STRING), .text = text};

	e.len = (uint32_t)strlen(text);
	synth_put(d, s, DICT_STRING, &e);
	return e.id;
}

uint32_t synth_put_symbol_named(struct synth_dict *d, struct slice *s, uint32_t name, uint32_t object,
				uint64_t addr)
{
	struct dict_symbol e = {.name = name, .object = object, .addr = addr, .size = 256};

	e.id = synth_id(d, DICT_SYMBOL);
	synth_put(d, s, DICT_SYMBOL, &e);
	return e.id;
}

uint32_t synth_put_symbol(struct synth_dict *d, struct slice *s, const char *name, uint32_t object,
			  uint64_t addr)
{
	return synth_put_symbol_named(d, s, synth_put_string(d, s, name), object, addr);
}

uint32_t synth_put_frame(struct synth_dict *d, struct slice *s, uint32_t object, uint32_t symbol,
			 uint64_t addr, uint32_t flags)
{
	struct dict_frame e = {.object = object, .symbol = symbol, .addr = addr, .flags = flags};

	e.id = synth_id(d, DICT_FRAME);
	synth_put(d, s, DICT_FRAME, &e);
	return e.id;
}

uint32_t synth_put_frame_at(struct synth_dict *d, struct slice *s, const struct dict_frame *frame, const char *file, uint32_t line)
{
	struct dict_frame e = *frame;

	e.file = synth_put_string(d, s, file);
	e.line = line;
	e.id = synth_id(d, DICT_FRAME);
	synth_put(d, s, DICT_FRAME, &e);
	return e.id;
}

uint32_t synth_put_path(struct synth_dict *d, struct slice *s, uint32_t parent, uint32_t frame)
{
	struct dict_path e = {.parent = parent, .frame = frame};

	e.id = synth_id(d, DICT_PATH);
	synth_put(d, s, DICT_PATH, &e);
	return e.id;
}

/* Of every fifth nobody knows it. */
static void put_owner(struct synth_dict *d, struct slice *s, struct dict_task *e)
{
	static const char *const cgroups[] = {
		"/system.slice/web.service", "/",
		"/system.slice/docker-0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef.scope",
	};

	e->user = synth_put_string(d, s, e->pid % 2 ? "www-data" : "root");
	e->cgroup = synth_put_string(d, s, cgroups[e->pid % 3]);
	e->parent = synth_put_string(d, s, e->pid % 7 % 2 ? "sh" : "systemd");
	e->ppid = e->pid / 2;
}

uint32_t synth_put_task(struct synth_dict *d, struct slice *s, uint32_t comm, int32_t pid, int32_t tid,
			uint32_t flags)
{
	struct dict_task e = {.host = d->host, .comm = comm, .pid = pid, .tid = tid, .flags = flags};

	if (d->owned && pid % 5)
		put_owner(d, s, &e);
	/* Its first thread names a process, and is told before the others. */
	if (tid == pid)
		d->leader = e;
	if (d->leader.pid == pid)
		e.proc_comm = d->leader.comm;
	e.id = synth_id(d, DICT_TASK);
	synth_put(d, s, DICT_TASK, &e);
	return e.id;
}
