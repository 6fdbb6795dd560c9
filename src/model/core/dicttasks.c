/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/core/dicttasks.h"

#include "base/hash.h"
#include "model/core/dictkeys.h"

/* --- processes -------------------------------------------------------------------------- */

static bool string_is_set(const struct dict *d, uint32_t name)
{
	return *dict_string(d, name);
}

/* Return the process as it was received before its name was known; 0: never received so. */
static uint32_t process_nameless(const struct dict *d, uint16_t host, int32_t pid)
{
	struct process_key key = {
		.pid = pid, .name = intern_find(d->in[E_STRING], "", 0), .host = host};

	return key.name ? intern_find(d->in[E_PROCESS], &key, sizeof(key)) : 0;
}

/* Give its name to the nameless process, which was this one all the time. 0: it was another one. */
static uint32_t process_named_late(struct dict *d, const struct process_key *key)
{
	uint32_t id = process_nameless(d, (uint16_t)key->host, key->pid);
	struct model_process *p = &d->processes[id];

	if (!id)
		return 0;
	if (!string_is_set(d, p->name) && !intern_find(d->in[E_PROCESS], key, sizeof(*key))) {
		p->name = key->name;
		p->waits = false;
		d->changes++;
	}
	if (p->name != key->name)
		return 0;
	intern_touch(d->in[E_PROCESS], id, d->epoch);
	return id;
}

/* Move threads that arrived before their process's name to the process with its name. */
static void process_gather(struct dict *d, uint32_t to)
{
	uint32_t from = process_nameless(d, d->processes[to].host, d->processes[to].pid);

	if (!from || from == to || !d->processes[from].waits)
		return;
	d->processes[from].waits = false;
	d->changes++;
	for (uint32_t i = 1; i < intern_bound(d->in[E_TASK]); i++)
		if (d->tasks[i].process == from)
			d->tasks[i].process = to;
}

/* name "": not known yet. 0: out of memory. */
static uint32_t process_get(struct dict *d, const struct model_task *task, uint32_t name)
{
	struct process_key key = {.pid = task->pid, .name = name, .host = task->host};
	uint32_t late = string_is_set(d, name) ? process_named_late(d, &key) : 0, id;
	bool fresh;

	if (late)
		return late;
	if (!string_is_set(d, name))
		key.name = intern_get(d->in[E_STRING], "", 0, d->epoch, NULL);
	id = key.name ? dict_entity(d, E_PROCESS, &key, sizeof(key), &fresh) : 0;
	if (!id)
		return 0;
	if (fresh)
		d->processes[id] = (struct model_process){
			.key = hash_mix(
				hash_u64((uint64_t)key.host << 40 | ((uint32_t)key.pid + 1)),
				dict_string_hash(d, name)),
			.name = name,
			.pid = key.pid,
			.host = task->host,
		};
	if (!string_is_set(d, d->processes[id].name)) {
		d->changes += !fresh && !d->processes[id].waits;
		d->processes[id].waits = true;
	} else
		process_gather(d, id);
	return id;
}

/* --- tasks ------------------------------------------------------------------------------ */

/*
 * Set the task's process by this name; while the name is not known the process stays.  False: out
 * of memory.
 */
static bool task_place(struct dict *d, uint32_t task, uint32_t name)
{
	uint32_t process = d->tasks[task].process;

	if (!process || string_is_set(d, name))
		process = process_get(d, &d->tasks[task], name);
	d->changes += d->tasks[task].process && d->tasks[task].process != process;
	d->tasks[task].process = process;
	return process;
}

static uint32_t task_for_key(struct dict *d, const struct task_key *key)
{
	bool fresh;
	uint32_t id = dict_entity(d, E_TASK, key, sizeof(*key), &fresh);

	if (fresh)
		d->tasks[id] = (struct model_task){
			.key = hash_mix(
				hash_u64((uint64_t)(uint32_t)key->pid << 32 | (uint32_t)key->tid),
				dict_string_hash(d, key->comm) + key->host +
					hash_u64((uint64_t)key->user << 32 | key->cgroup) +
					key->parent),
			.comm = key->comm,
			.pid = key->pid,
			.tid = key->tid,
			.host = key->host,
		};
	return id;
}

/* Set the pattern: "worker-*" of worker-12.  Without memory it stays as it was. */
static void task_pattern(struct dict *d, struct model_task *t)
{
	const char *comm = dict_string(d, t->comm);
	char text[64];
	size_t len = 0;
	uint32_t id;

	for (; *comm && len + 1 < sizeof(text); comm++)
		if (*comm < '0' || *comm > '9')
			text[len++] = *comm;
		else if (!len || text[len - 1] != '*')
			text[len++] = '*';
	id = intern_get(d->in[E_STRING], text, len, d->epoch, NULL);
	t->pattern = id ? id : t->pattern ? t->pattern : t->comm;
}

/*
 * Return the thread of key as it was first received, without a name, if it has got this name since.
 */
static uint32_t task_named_late(struct dict *d, const struct task_key *key)
{
	struct task_key nameless = *key;
	uint32_t id;

	nameless.comm = intern_find(d->in[E_STRING], "", 0);
	id = nameless.comm ? intern_find(d->in[E_TASK], &nameless, sizeof(nameless)) : 0;
	return id && d->tasks[id].comm == key->comm ? id : 0;
}

static void key_own(struct task_key *key, const struct task_key *owner)
{
	key->user = owner->user;
	key->cgroup = owner->cgroup;
	key->parent = owner->parent;
}

/* Set the owner, for all of the task's past.  True: it was another one. */
static bool task_own(struct model_task *t, const struct task_key *owner, int32_t ppid)
{
	bool other = t->user != owner->user || t->cgroup != owner->cgroup ||
		     t->parent != owner->parent || t->ppid != ppid;
	t->user = owner->user;
	t->cgroup = owner->cgroup;
	t->parent = owner->parent;
	t->ppid = ppid;
	return other;
}

bool dict_take_task(struct dict *d, const struct dict_task *t)
{
	struct task_key key = {.pid = t->pid, .tid = t->tid, .host = t->host,
			       .comm = dict_translate(d, DICT_STRING, t->comm)};
	const struct task_key owner = {.user = dict_translate(d, DICT_STRING, t->user),
				       .cgroup = dict_translate(d, DICT_STRING, t->cgroup),
				       .parent = dict_translate(d, DICT_STRING, t->parent)};
	uint32_t name = dict_translate(d, DICT_STRING, t->proc_comm);
	uint32_t id = dict_translate(d, DICT_TASK, t->id);
	bool known;

	if (t->pid < 0) /* many folded tasks, one entry for each owner */
		key_own(&key, &owner);
	/* A thread that had no name yet keeps its past. */
	if (id && !string_is_set(d, d->tasks[id].comm) && d->tasks[id].pid == t->pid &&
	    d->tasks[id].tid == t->tid && d->tasks[id].host == t->host) {
		d->changes += d->tasks[id].comm != key.comm;
		d->tasks[id].comm = key.comm;
	} else if (!(id = task_named_late(d, &key))) {
		id = task_for_key(d, &key);
	} else {
		intern_touch(d->in[E_TASK], id, d->epoch);
	}
	known = d->tasks[id].process;
	/* A process is named after its first thread. */
	if (!string_is_set(d, name) && t->tid == t->pid)
		name = key.comm;
	if (!id || !task_place(d, id, name) || !dict_map_set(d, DICT_TASK, t->id, id))
		return false;
	d->exits += d->tasks[id].flags != t->flags;
	d->tasks[id].flags = t->flags;
	d->changes += task_own(&d->tasks[id], &owner, t->ppid) && known;
	task_pattern(d, &d->tasks[id]);
	return true;
}

uint32_t dict_folded_task(struct dict *d, uint32_t task)
{
	const struct model_task *t = &d->tasks[task];
	struct task_key key = {.pid = -1, .tid = -1, .comm = t->comm, .host = t->host, .folded = 1,
			       .user = t->user, .cgroup = t->cgroup, .parent = t->parent};
	uint32_t id = task_for_key(d, &key);

	if (!id || !task_place(d, id, key.comm))
		return 0;
	task_own(&d->tasks[id], &key, 0);
	d->tasks[id].flags = TASK_EXITED | TASK_FOLDED;
	task_pattern(d, &d->tasks[id]);
	return id;
}

uint32_t dict_own_task(struct dict *d, uint32_t name)
{
	const struct task_key key = {.pid = -1, .tid = -1, .comm = name, .folded = 2};
	uint32_t id = task_for_key(d, &key);
	struct model_task *t = &d->tasks[id];

	if (!id || !task_place(d, id, name))
		return 0;
	t->flags = TASK_SELF;
	t->user = t->cgroup = t->parent = name;
	return id;
}
