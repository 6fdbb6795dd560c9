/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/core/total.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/vec.h"
#include "model/core/dictgc.h"

static size_t budget_part(size_t budget, size_t bytes)
{
	return budget / bytes > 256 ? budget / bytes : 256;
}

int total_init(struct total *t, const struct session_info *info, size_t budget)
{
	bool live = info->live;

	memset(t, 0, sizeof(*t));
	t->info = info;
	t->nevents = info->nevents + (info->live && info->nhosts < 2 ? SESSION_EVENTS_MORE : 0);
	t->nhosts = info->nhosts ? info->nhosts : 1;
	t->limits = (struct total_limits){
		.paths = budget_part(budget, 4096),
		.addresses = budget_part(budget, live ? 4096 : 256),
		.tasks = budget_part(budget, 2048),
		.functions = budget_part(budget, live ? 1024 : 256),
		.pairs = budget_part(budget, 1024),
	};
	t->fold_functions_at = t->limits.addresses;
	t->fold_tasks_at = t->limits.tasks;
	t->events = calloc(t->nevents + 1, sizeof(*t->events));
	return t->events ? 0 : -ENOMEM;
}

void total_clear(struct total *t)
{
	counts_clear(&t->paths);
	counts_clear(&t->functions);
	counts_clear(&t->objects);
	counts_clear(&t->tasks);
	counts_clear(&t->cpus);
	seen_clear(&t->met_functions);
	seen_clear(&t->met_objects);
	tally_clear(&t->pairs);
	tally_clear(&t->folded);
	free(t->events);
	free(t->who);
	free(t->accounts.span);
	partsums_clear(&t->parts);
	free(t->gauges);
}

static const struct total_gauge unread = {NAN,		 GAUGE_UNKNOWN, GAUGE_UNKNOWN,
					  GAUGE_UNKNOWN, GAUGE_UNKNOWN, GAUGE_UNKNOWN};

void total_reset(struct total *t, uint64_t now)
{
	counts_reset(&t->paths);
	counts_reset(&t->functions);
	counts_reset(&t->objects);
	counts_reset(&t->tasks);
	counts_reset(&t->cpus);
	tally_reset(&t->pairs);
	t->pairs_gone = 0;
	tally_reset(&t->folded);
	memset(t->events, 0, t->nevents * sizeof(*t->events));
	if (t->ninfo)
		memset(t->who, 0, t->ninfo * sizeof(*t->who));
	for (size_t i = 0; i < t->accounts.nr; i++) {
		struct account_span *s = &t->accounts.span[i];

		*s = (struct account_span){
			.before = s->a.pending,
			.a = {.event = s->a.event, .cpu = s->a.cpu, .exact = true,
			      .pending = s->a.pending},
		};
	}
	for (size_t i = 0; i < t->ngauges; i++)
		t->gauges[i] = unread;
	partsums_reset(&t->parts);
	t->self = (struct slice_self){0};
	t->start = t->end = now;
}

/* --- adding ----------------------------------------------------------------------------- */

struct counted {
	uint32_t part;
	const struct slice_row *row;
};

static int count_row(struct counts *c, uint32_t id, const struct counted *n)
{
	struct tally_entry *e = counts_get(c, n->part, id);

	if (!e)
		return -ENOMEM;
	e->self += n->row->weight;
	e->total += n->row->weight;
	e->samples += n->row->samples;
	return 0;
}

static struct function_tasks *info_get(struct total *t, uint32_t function)
{
	if (function >= t->ninfo) {
		if (!vec_reserve(&t->who, &t->cap_info, function + 1, sizeof(*t->who)))
			return NULL;
		memset(t->who + t->ninfo, 0, (function + 1 - t->ninfo) * sizeof(*t->who));
		t->ninfo = function + 1;
	}
	return &t->who[function];
}

static struct tally_entry *pair_get(struct total *t, uint32_t function, uint32_t process)
{
	size_t nr = t->pairs.nr;
	struct tally_entry *pair = tally_get(&t->pairs, tally_key(function, process));

	/* The function was renamed, and is now met by its old id again. */
	if (pair && t->pairs.nr == nr && !pair->samples)
		t->pairs_gone--;
	return pair;
}

/* Note the process of a function's sample. */
static int pair_note(struct total *t, const struct dict *d, uint32_t function, uint32_t task)
{
	const struct tasknames names = dict_task_names(d, task);
	struct function_tasks *info = info_get(t, function);
	struct tally_entry *pair;
	bool met = false;

	if (!info)
		return -ENOMEM;
	if (few_met(&info->tasks, task))
		return 0;
	if (t->pairs.nr - t->pairs_gone < t->limits.pairs) {
		pair = pair_get(t, function, d->tasks[task].process);
		if (!pair)
			return -ENOMEM;
		met = pair->samples;
		info->nr += !met;
		pair->samples = 1;
	}
	/* The only process's present name replaces that of an earlier program. */
	if (met && info->nr == 1)
		info->names.name[TASKNAMES_PROCESS] = names.name[TASKNAMES_PROCESS];
	tasknames_merge(&info->names, &names);
	return 0;
}

static int count_function(struct total *t, uint32_t function, uint32_t object,
			  const struct counted *n)
{
	int ret = count_row(&t->functions, function, n);

	return ret ? ret : count_row(&t->objects, object, n);
}

static int count_row_path(struct total *t, const struct dict *d, const struct counted *n)
{
	const struct model_path *p = &d->paths[n->row->path];

	/* The path may turn out to be idle later: see settle_path(). */
	if (!(p->flags & PATH_FINAL))
		return count_row(&t->paths, n->row->path, &(struct counted){n->part & ~1u, n->row});
	if (n->part & 1) {
		t->events[n->row->event].idle += n->row->weight;
		t->events[n->row->event].idle_samples += n->row->samples;
	}
	return count_function(t, p->function, dict_function_object_name(d, p->function), n);
}

int total_add_row(struct total *t, const struct dict *d, const struct slice_row *r)
{
	bool ours = dict_row_ours(d, r);
	uint32_t function = ours ? FUNCTION_SELF : d->paths[r->path].function;
	uint32_t task = ours ? TASK_RINGTOP : r->task;
	struct total_event *e = &t->events[r->event];
	bool idle = !ours && d->paths[r->path].flags & FRAME_IDLE;
	const struct counted n = {
		(r->event * t->nhosts + session_place(t->info, r->cpu).host) * 2 + idle, r};
	int ret;

	if (d->paths[r->path].flags & FRAME_LOST) {
		e->dropped += r->weight;
		ret = count_row(&t->functions, function, &n);
		return ret ? ret : pair_note(t, d, function, task);
	}
	e->weight += r->weight;
	e->samples += r->samples;
	ret = count_row(&t->cpus, (uint32_t)r->cpu << 1 | ours, &n);
	if (!ret)
		ret = count_row(&t->tasks, task, &n);
	if (!ret)
		ret = pair_note(t, d, function, task);
	if (ret)
		return ret;
	if (!ours)
		return count_row_path(t, d, &n);
	return count_function(t, FUNCTION_SELF, d->functions[FUNCTION_SELF].name, &n);
}

int total_add_gauges(struct total *t, const struct slice_gauge *gauges, size_t nr)
{
	if (!vec_reserve(&t->gauges, &t->cap_gauges, nr, sizeof(*t->gauges)))
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++) {
		const struct slice_gauge *g = &gauges[i];
		struct total_gauge *sum = &t->gauges[i];

		if (i >= t->ngauges)
			*sum = unread;
		if (g->size && g->unread_max != GAUGE_UNKNOWN)
			sum->fill_peak =
				fmax(sum->fill_peak, (double)g->unread_max / (double)g->size);
		sum->bytes = gauge_sum(sum->bytes, g->bytes);
		sum->records = gauge_sum(sum->records, g->records);
		sum->lost = gauge_sum(sum->lost, g->lost);
		sum->overwritten_bytes = gauge_sum(sum->overwritten_bytes, g->overwritten_bytes);
		sum->wakeups = gauge_sum(sum->wakeups, g->wakeups);
	}
	if (nr > t->ngauges)
		t->ngauges = nr;
	return 0;
}

void total_add_self(struct total *t, const struct slice_self *self)
{
	struct slice_self was = t->self;

	t->self = *self;
	slice_self_add(&t->self, &was);
}

/* --- settling --------------------------------------------------------------------------- */

static int move_counts(struct counts *c, uint32_t part, uint32_t from, uint32_t to)
{
	struct tally_entry *e = counts_find(c, part, from), moved;

	if (!e || from == to)
		return 0;
	moved = *e;
	e = counts_get(c, part, to);
	if (!e)
		return -ENOMEM;
	e->self += moved.self;
	e->total += moved.total;
	e->samples += moved.samples;
	e = counts_find(c, part, from);
	e->self = e->total = e->samples = 0;
	return 0;
}

static bool pair_gone(void *arg, const struct tally_entry *e)
{
	(void)arg;
	return !e->samples;
}

/*
 * Turn pairs of renamed functions into pairs of their new ids.  `to_of`: function to its new id;
 * met_functions has the set of its keys, as most pairs are of other functions.
 */
static int pairs_rename(struct total *t, const struct tally *to_of)
{
	size_t nr = t->pairs.nr;

	for (size_t i = 0; i < nr; i++) {
		uint64_t key = t->pairs.entries[i].key;
		struct tally_entry *to, *pair;

		if (!t->pairs.entries[i].samples ||
		    !seen_met(&t->met_functions, (uint32_t)(key >> 32)))
			continue;
		to = tally_find(to_of, key >> 32);
		t->pairs.entries[i].samples = 0;
		t->pairs_gone++;
		pair = pair_get(t, (uint32_t)to->self, (uint32_t)key);
		if (!pair)
			return -ENOMEM;
		if (!pair->samples)
			t->who[to->self].nr++;
		pair->samples = 1;
	}
	/* Removing looks at all pairs, so it is not done each time. */
	if (t->pairs_gone > t->pairs.nr / 4) {
		tally_remove(&t->pairs, pair_gone, NULL);
		t->pairs_gone = 0;
	}
	return 0;
}

int total_rename(struct total *t, const struct dict *d)
{
	struct tally to_of = {0};
	int ret = 0;

	seen_begin(&t->met_functions);
	for (size_t i = 0; i < d->nrenamed && !ret; i++) {
		uint32_t from = d->renamed[i].from, to = d->renamed[i].to;
		struct tally_entry *entry = NULL;

		if (!info_get(t, to > from ? to : from))
			ret = -ENOMEM;
		for (unsigned part = 0; part < t->nevents * t->nhosts * 2 && !ret; part++)
			ret = move_counts(&t->functions, part, from, to);
		/* Most functions have no pair yet; pairs are searched only for the others. */
		if (!ret && t->who[from].nr &&
		    (!(entry = tally_get(&to_of, from)) || seen_meet(&t->met_functions, from) < 0))
			ret = -ENOMEM;
		if (ret)
			break;
		if (entry)
			entry->self = to;
		/* The number of processes follows from the pairs. */
		tasknames_merge(&t->who[to].names, &t->who[from].names);
		t->who[from] = (struct function_tasks){0};
	}
	if (!ret && to_of.nr)
		ret = pairs_rename(t, &to_of);
	tally_clear(&to_of);
	return ret;
}

/* Add a path's weight once to each function or object, however many of its frames are in it. */
static int add_path_once(struct counts *c, struct seen *met, uint32_t id,
			 const struct tally_entry *p, bool leaf)
{
	int fresh = seen_meet(met, id);
	struct tally_entry *e;

	if (!fresh)
		return 0;
	e = fresh > 0 ? counts_get(c, (uint32_t)(p->key >> 32), id) : NULL;
	if (!e)
		return -ENOMEM;
	e->total += p->self;
	if (leaf) {
		e->self += p->self;
		e->samples += p->samples;
	}
	return 0;
}

/* Add up the functions inlined at the path's place. */
static int settle_inlined(struct total *t, const struct dict *d, uint32_t path,
			  const struct tally_entry *p)
{
	uint32_t chain[FRAME_LEVELS_MAX + 1];
	size_t nr = dict_chain(d, path, chain);
	int ret = 0;

	for (size_t i = 1; i < nr && !ret; i++)
		ret = add_path_once(&t->functions, &t->met_functions, d->frames[chain[i]].function,
				    p, false);
	return ret;
}

static int settle_path(struct total *t, const struct dict *d, const struct tally_entry *waiting)
{
	uint32_t leaf = (uint32_t)waiting->key, path = leaf;
	struct tally_entry entry = *waiting, *p = &entry;
	int ret;

	if (d->paths[leaf].flags & FRAME_IDLE) {
		p->key |= 1ull << 32;
		t->events[total_event(t, p)].idle += p->self;
		t->events[total_event(t, p)].idle_samples += p->samples;
	}
	seen_begin(&t->met_functions);
	seen_begin(&t->met_objects);
	do {
		ret = add_path_once(&t->functions, &t->met_functions, d->paths[path].function, p,
				    path == leaf);
		if (!ret)
			ret = add_path_once(&t->objects, &t->met_objects,
					    d->objects[dict_leaf(d, path)->object].name, p,
					    path == leaf);
		if (!ret && d->paths[path].flags & PATH_INLINED)
			ret = settle_inlined(t, d, path, p);
		path = d->paths[path].parent;
	} while (path && !ret);
	return ret;
}

struct settling {
	struct total *t;
	const struct dict *d;
	bool all;
	int ret;
};

static bool settle_entry(void *arg, const struct tally_entry *p)
{
	struct settling *s = arg;

	if (s->ret || (!s->all && dict_path_loading(s->d, (uint32_t)p->key)))
		return false;
	s->ret = settle_path(s->t, s->d, p);
	return true;
}

static bool entry_empty(void *arg, const struct tally_entry *e)
{
	(void)arg;
	return !e->total;
}

struct fold_item {
	uint64_t key, total;
};

COMPARE_BY_TWO(fold_compare, struct fold_item, total, key)

/* Which entries may fold, and into which id (0: out of memory). */
struct fold {
	bool task;
	bool (*may)(const struct dict *d, uint32_t id);
	uint32_t (*into)(struct dict *d, uint32_t id);
};

static bool may_fold_address(const struct dict *d, uint32_t id)
{
	return d->functions[id].flags & FUNCTION_UNRESOLVED;
}

static bool may_fold_function(const struct dict *d, uint32_t id)
{
	return !(d->functions[id].flags & (FUNCTION_FOLDED | FUNCTION_OURS | FUNCTION_LOST));
}

static uint32_t fold_function_into(struct dict *d, uint32_t id)
{
	return dict_folded_function(d, dict_function_object_name(d, id), d->functions[id].object);
}

static bool may_fold_any_task(const struct dict *d, uint32_t id)
{
	return !(d->tasks[id].flags & (TASK_FOLDED | TASK_SELF));
}

static bool may_fold_task(const struct dict *d, uint32_t id)
{
	return may_fold_any_task(d, id) && d->tasks[id].flags & (TASK_EXITED | TASK_GONE);
}

static const struct fold fold_addresses = {false, may_fold_address, fold_function_into};
/* More named functions, or living tasks, than can be kept: these fold too. */
static const struct fold fold_functions = {false, may_fold_function, fold_function_into};
static const struct fold fold_tasks = {true, may_fold_task, dict_folded_task};
static const struct fold fold_any_tasks = {true, may_fold_any_task, dict_folded_task};

static int fold_one(struct total *t, struct counts *in, struct dict *d, const struct fold *f,
		    uint64_t key)
{
	uint32_t to = f->into(d, (uint32_t)key);
	struct tally_entry *e = to ? tally_get(&t->folded, tally_key(f->task, to)) : NULL;

	if (!e)
		return -ENOMEM;
	e->samples++;
	return move_counts(in, (uint32_t)(key >> 32), (uint32_t)key, to);
}

/* If more than `limit` entries may fold, fold the smallest of them until limit / 2 are left. */
static int fold_smallest(struct total *t, struct counts *in, struct dict *d, const struct fold *f,
			 size_t limit)
{
	struct fold_item *may = malloc((in->nr + 1) * sizeof(*may));
	size_t nr = 0;
	int ret = 0;

	if (!may)
		return -ENOMEM;
	for (size_t i = 0; i < in->nr; i++)
		if (f->may(d, (uint32_t)in->entries[i].key))
			may[nr++] = (struct fold_item){in->entries[i].key, in->entries[i].total};
	if (nr > limit) {
		qsort(may, nr, sizeof(*may), fold_compare);
		for (size_t i = 0; i < nr - limit / 2 && !ret; i++)
			ret = fold_one(t, in, d, f, may[i].key);
		counts_remove(in, entry_empty, NULL);
	}
	free(may);
	return ret;
}

/* Return the size for the next folding: half a limit more than could not fold now. */
static size_t fold_next(size_t nr, size_t limit)
{
	return nr + limit / 2;
}

static int total_fold(struct total *t, struct dict *d)
{
	int ret = 0;

	if (t->functions.nr > t->fold_functions_at) {
		ret = fold_smallest(t, &t->functions, d, &fold_addresses, t->limits.addresses);
		if (!ret)
			ret = fold_smallest(t, &t->functions, d, &fold_functions,
					    t->limits.functions);
		t->fold_functions_at = fold_next(t->functions.nr, t->limits.addresses);
	}
	if (!ret && t->tasks.nr > t->fold_tasks_at) {
		ret = fold_smallest(t, &t->tasks, d, &fold_tasks, t->limits.tasks / 2);
		if (!ret)
			ret = fold_smallest(t, &t->tasks, d, &fold_any_tasks, 4 * t->limits.tasks);
		t->fold_tasks_at = fold_next(t->tasks.nr, t->limits.tasks);
	}
	return ret;
}

int total_settle(struct total *t, struct dict *d)
{
	struct settling s = {.t = t, .d = d};

	counts_remove(&t->paths, settle_entry, &s);
	if (!s.ret && t->paths.nr > t->limits.paths / 2) {
		s.all = true;
		counts_remove(&t->paths, settle_entry, &s);
	}
	if (!s.ret)
		s.ret = total_fold(t, d);
	return s.ret;
}

struct total_event total_idle_sums(const struct total *t, const struct dict *d, unsigned event)
{
	struct total_event sums = {.idle = t->events[event].idle,
				   .idle_samples = t->events[event].idle_samples};

	for (size_t i = 0; i < t->paths.nr; i++) {
		const struct tally_entry *e = &t->paths.entries[i];

		if (total_event(t, e) == event && d->paths[(uint32_t)e->key].flags & FRAME_IDLE) {
			sums.idle += e->self;
			sums.idle_samples += e->samples;
		}
	}
	return sums;
}

static bool entry_is_of(const struct total *t, const struct tally_entry *e, unsigned event,
			uint16_t host)
{
	return total_event(t, e) == event && total_host(t, e) == host;
}

struct total_event total_host_sums(const struct total *t, const struct dict *d, unsigned event,
				   uint16_t host)
{
	struct total_event sums = {0};

	for (size_t i = 0; i < t->cpus.nr; i++) {
		const struct tally_entry *e = &t->cpus.entries[i];

		if (!entry_is_of(t, e, event, host))
			continue;
		sums.weight += e->self;
		sums.samples += e->samples;
	}
	for (size_t i = 0; i < t->functions.nr; i++) {
		const struct tally_entry *e = &t->functions.entries[i];

		if (entry_is_of(t, e, event, host) &&
		    d->functions[(uint32_t)e->key].flags & FUNCTION_LOST)
			sums.dropped += e->self;
	}
	return sums;
}

uint64_t total_folded(const struct total *t, bool task, uint32_t id)
{
	const struct tally_entry *e = tally_find(&t->folded, tally_key(task, id));

	return e ? e->samples : 0;
}

static void mark_names(const struct tasknames *n, struct dict *d)
{
	for (int k = 0; k < TASKNAMES_KINDS && n->some; k++)
		if (!(n->many & 1 << k))
			dict_mark_string(d, n->name[k]);
}

void total_mark(const struct total *t, struct dict *d)
{
	for (size_t i = 0; i < t->paths.nr; i++)
		dict_mark_path(d, (uint32_t)t->paths.entries[i].key);
	for (size_t i = 0; i < t->functions.nr; i++)
		dict_mark_function(d, (uint32_t)t->functions.entries[i].key);
	for (size_t i = 0; i < t->objects.nr; i++)
		dict_mark_string(d, (uint32_t)t->objects.entries[i].key);
	for (size_t i = 0; i < t->tasks.nr; i++)
		dict_mark_task(d, (uint32_t)t->tasks.entries[i].key);
	partsums_mark(&t->parts, d);
	for (size_t i = 0; i < t->ninfo; i++)
		mark_names(&t->who[i].names, d);
}

static bool pair_dead(void *arg, const struct tally_entry *e)
{
	const struct dict *d = arg;

	return !e->samples || !dict_alive(d, E_FUNCTION, (uint32_t)(e->key >> 32)) ||
	       !dict_alive(d, E_PROCESS, (uint32_t)e->key);
}

static bool folded_dead(void *arg, const struct tally_entry *e)
{
	return !dict_alive(arg, e->key >> 32 ? E_TASK : E_FUNCTION, (uint32_t)e->key);
}

void total_collect(struct total *t, struct dict *d)
{
	for (size_t i = 0; i < t->ninfo; i++) {
		t->who[i].tasks = (struct few){0}; /* ids may have other meanings from now on */
		if (!dict_alive(d, E_FUNCTION, (uint32_t)i))
			t->who[i] = (struct function_tasks){0};
	}
	tally_remove(&t->pairs, pair_dead, d);
	t->pairs_gone = 0;
	tally_remove(&t->folded, folded_dead, d);
}

size_t total_bytes(const struct total *t)
{
	return counts_bytes(&t->paths) + counts_bytes(&t->functions) + counts_bytes(&t->objects) +
	       counts_bytes(&t->tasks) + counts_bytes(&t->cpus) + seen_bytes(&t->met_functions) +
	       seen_bytes(&t->met_objects) + tally_bytes(&t->pairs) + tally_bytes(&t->folded) +
	       t->cap_info * sizeof(*t->who) + t->accounts.cap * sizeof(*t->accounts.span) +
	       t->cap_gauges * sizeof(*t->gauges) + partsums_bytes(&t->parts);
}
