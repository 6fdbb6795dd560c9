/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An entry is marked by setting the epoch of its intern's entry to this collection's, after
 * everything that it refers to: so the interns themselves do the sweep.
 */
#include "model/core/dictgc.h"

#include "model/core/dictkeys.h"

/*
 * Bytes that intern.c needs for a key except a long text's: its entry, slots, the key with malloc's
 * overhead.
 */
#define ENTRY_BYTES (24 + 8 + 32)

/* Texts have no fixed size. */
static size_t string_bytes(const struct dict *d, uint32_t id)
{
	size_t len;

	intern_key(d->in[E_STRING], id, &len);
	return len + 1;
}

/* Return true the first time in this collection. */
static bool mark_entry(struct dict *d, enum entity e, uint32_t id)
{
	if (!id || intern_tick(d->in[e], id) == d->epoch)
		return false;
	intern_touch(d->in[e], id, d->epoch);
	d->marked_bytes +=
		ENTRY_BYTES + dict_arrays[e].size + (e == E_STRING ? string_bytes(d, id) : 0);
	return true;
}

void dict_mark_string(struct dict *d, uint32_t id)
{
	mark_entry(d, E_STRING, id);
}

static void mark_object(struct dict *d, uint32_t id)
{
	if (!mark_entry(d, E_OBJECT, id))
		return;
	mark_entry(d, E_STRING, d->objects[id].name);
	mark_entry(d, E_STRING, d->objects[id].why);
}

static void mark_frame(struct dict *d, uint32_t id)
{
	const struct frame_key *key;

	for (; mark_entry(d, E_FRAME, id); id = d->frames[id].inner) {
		mark_object(d, d->frames[id].object);
		mark_entry(d, E_STRING, d->frames[id].symbol);
		mark_entry(d, E_STRING, d->frames[id].file);
		dict_mark_function(d, d->frames[id].function);
		mark_frame(d, d->frames[id].same);
		key = intern_key(d->in[E_FRAME], id, NULL);
		mark_object(d, key->object); /* as first received */
		mark_entry(d, E_STRING, key->symbol);
	}
}

/* An unnamed function's identity is its frame: it must not go while the function is counted. */
void dict_mark_function(struct dict *d, uint32_t id)
{
	const struct function_key *key;

	if (!mark_entry(d, E_FUNCTION, id))
		return;
	mark_entry(d, E_STRING, d->functions[id].name);
	mark_entry(d, E_STRING, d->functions[id].file);
	mark_entry(d, E_STRING, d->functions[id].also);
	dict_mark_function(d, d->functions[id].whole);
	mark_object(d, d->functions[id].object);
	key = intern_key(d->in[E_FUNCTION], id, NULL);
	if (key->tag == TAG_FRAME)
		mark_frame(d, key->name);
	else if (key->tag != TAG_OURS)
		mark_entry(d, E_STRING, key->object);
}

void dict_mark_path(struct dict *d, uint32_t id)
{
	const struct path_key *key;

	/* The frame may have been named since, but the path is still found by its first frame. */
	for (; mark_entry(d, E_PATH, id); id = d->paths[id].parent) {
		key = intern_key(d->in[E_PATH], id, NULL);
		mark_frame(d, key->frame);
		mark_frame(d, d->paths[id].frame);
	}
}

static void mark_process(struct dict *d, uint32_t id)
{
	const struct process_key *key;

	if (!mark_entry(d, E_PROCESS, id))
		return;
	key = intern_key(d->in[E_PROCESS], id, NULL);
	mark_entry(d, E_STRING, key->name);
	mark_entry(d, E_STRING, d->processes[id].name);
}

void dict_mark_task(struct dict *d, uint32_t id)
{
	const struct task_key *key;

	if (!mark_entry(d, E_TASK, id))
		return;
	key = intern_key(d->in[E_TASK], id, NULL);
	mark_entry(d, E_STRING, key->comm);
	mark_entry(d, E_STRING, key->user);
	mark_entry(d, E_STRING, key->cgroup);
	mark_entry(d, E_STRING, key->parent);
	mark_entry(d, E_STRING, d->tasks[id].comm);
	mark_entry(d, E_STRING, d->tasks[id].user);
	mark_entry(d, E_STRING, d->tasks[id].cgroup);
	mark_entry(d, E_STRING, d->tasks[id].parent);
	mark_entry(d, E_STRING, d->tasks[id].pattern);
	mark_process(d, d->tasks[id].process);
}

static void mark_session_ids(struct dict *d)
{
	static void (*const mark_kind[DICT_MAPS])(struct dict *d, uint32_t id) = {
		[DICT_STRING] = dict_mark_string, [DICT_OBJECT] = mark_object,
		[DICT_SYMBOL] = dict_mark_string, [DICT_FRAME] = mark_frame,
		[DICT_PATH] = dict_mark_path,	  [DICT_TASK] = dict_mark_task,
		[DICT_ALSO] = dict_mark_string,
	};

	for (unsigned k = 0; k < DICT_MAPS; k++)
		for (uint32_t id = 0; (id = idmap_next(&d->map[k], id));)
			mark_kind[k](d, dict_translate(d, k, id));
}

void dict_mark_begin(struct dict *d)
{
	d->epoch++;
	d->marked_bytes = 0;
	dict_mark_function(d, FUNCTION_SELF);
	dict_mark_task(d, TASK_RINGTOP);
	mark_session_ids(d);
}

void dict_collect(struct dict *d)
{
	for (int e = 0; e < E_NR; e++)
		intern_sweep(d->in[e], d->epoch, NULL, NULL);
	dict_new_era(d);
	dict_link_paths(d);
	d->collected_bytes = dict_live(d);
}

/* Ids of collected entries are reused, so the memory held follows this with some slack. */
static size_t with_slack(size_t bytes)
{
	return bytes + bytes / 2;
}

size_t dict_marked(const struct dict *d)
{
	return with_slack(d->marked_bytes);
}

size_t dict_live(const struct dict *d)
{
	size_t bytes = intern_keys(d->in[E_STRING]);

	for (int e = 0; e < E_NR; e++)
		bytes += intern_count(d->in[e]) * (ENTRY_BYTES + dict_arrays[e].size);
	return with_slack(bytes);
}

bool dict_grown(const struct dict *d)
{
	return dict_live(d) > d->collected_bytes + d->collected_bytes / 4 + (128u << 10);
}
