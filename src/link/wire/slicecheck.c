/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each kind has an array by id with a fact about each live entry: a string's length, a path's
 * depth, a frame's level of inlining.  Memory follows the highest id (core/slice/idmap.h), so ids
 * have to be dense.
 *
 * Not checked here is what a model checks itself: frames inlined in a circle, numbers of events.
 */
#include "link/wire/slicecheck.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/numanodes.h"
#include "base/vec.h"
#include "core/slice/code.h"
#include "core/slice/idmap.h"
#include "core/slice/sliceparts.h"

#define EVENTS_MOST   4096u         /* a file may have this many */
#define PATHED_MOST   4096u         /* lists of fields with a call path, ever */
#define SPARSE_MOST   65536u        /* ids above twice the number that was ever live at once */
#define DEPTH_MOST    1024u         /* of a path */
#define TIME_MOST     (1ull << 56)  /* ns: two years */
#define SUM_MOST      (1ull << 60)  /* of numbers that are summed as signed */

struct fieldlist {
	uint16_t event, by;
};

struct slicecheck {
	unsigned nevents, ncounters, nhosts;
	unsigned events_most; /* events that the session may have */
	uint16_t *by; /* by event: the highest number of a list of fields so far */
	struct fieldlist *pathed; /* lists of fields that have a call path */
	size_t npathed, cap_pathed;
	bool between; /* there may be times of pairs */
	struct idmap ids[DICT_NR]; /* uint32_t by id: the entry's fact + 1; 0: not live */
	size_t live[DICT_NR], most[DICT_NR]; /* most: that were ever live; temporary ones apart */
	uint32_t temps[DICT_NR]; /* temporary ids of the slice */
	size_t budget, held;
	uint64_t end; /* of the slice before */
	uint64_t sum; /* of the magnitudes of all unsampled numbers so far */
};

static int refuse_slice(struct err *err, const char *what)
{
	return err_set(err, EPROTO, "invalid data received: %s", what);
}

static bool pairs_right(const struct slice_between *b, unsigned nevents)
{
	return !b->wanted || (b->from < nevents && b->to < nevents && b->from != b->to);
}

/* Return true if the kinds of fields are known ones, with one call path at most. */
static bool kinds_right(const char *kinds)
{
	const char *path = strchr(kinds, SLICE_FIELD_PATH);

	return strspn(kinds, "nsp") == strlen(kinds) &&
	       (!path || !strchr(path + 1, SLICE_FIELD_PATH));
}

/* --- info --------------------------------------------------------------------------------- */

int slicecheck_info(const struct session_info *info, struct err *err)
{
	if (!info->nevents || info->nevents > EVENTS_MOST)
		return refuse_slice(err, info->nevents ? "too many events"
						       : "a session without an event");
	for (unsigned i = 0; i < info->nevents; i++)
		if (!info->events[i].unit)
			return refuse_slice(err, "an event without a unit");
	for (unsigned i = 0; i < info->nevents; i++)
		if (!kinds_right(info->events[i].by_kinds))
			return refuse_slice(err, "an event summed up by fields of no kind");
	if (info->ncounters > EVENTS_MOST)
		return refuse_slice(err, "too many counters");
	for (unsigned i = 0; i < info->ncounters; i++)
		if (!isfinite(info->counters[i].scale))
			return refuse_slice(err, "a counter without a scale");
	if (!pairs_right(&info->between, info->nevents))
		return refuse_slice(err, "pairs of unknown events");
	if (info->cpus > SLICECHECK_CPUS)
		return refuse_slice(err, "too many CPUs");
	if (*info->nodes && !numanodes_parse(info->nodes, NULL, 0))
		return refuse_slice(err, "NUMA nodes without valid lists of CPUs");
	if (info->nhosts || info->nplaces || info->length > TIME_MOST)
		return refuse_slice(err, "a session of several hosts, or one that never ends");
	return 0;
}

static bool list_has_path(const struct slicecheck *c, unsigned event, unsigned by)
{
	for (size_t i = 0; i < c->npathed; i++)
		if (c->pathed[i].event == event && c->pathed[i].by == by)
			return true;
	return false;
}

/* Remember a list of fields.  False: out of memory, or too many lists have a call path. */
static bool note_list(struct slicecheck *c, unsigned event, uint16_t by, const char *kinds)
{
	if (by > c->by[event])
		c->by[event] = by;
	return !strchr(kinds, SLICE_FIELD_PATH) || list_has_path(c, event, by) ||
	       (c->npathed < PATHED_MOST && VEC_PUSH(c->pathed, c->npathed, c->cap_pathed,
						     (struct fieldlist){(uint16_t)event, by}));
}

struct slicecheck *slicecheck_create(const struct session_info *info, size_t budget)
{
	struct slicecheck *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->nevents = c->events_most = info->nevents;
	c->ncounters = info->ncounters;
	c->between =
		info->between.wanted || info->between.nr; /* nr: earlier pairs, not wanted now */
	c->nhosts = info->nhosts ? info->nhosts : 1;
	c->budget = budget;
	c->by = calloc(info->nevents + SESSION_EVENTS_MORE, sizeof(*c->by));
	if (!c->by) {
		free(c);
		return NULL;
	}
	for (unsigned i = 0; i < info->nevents; i++)
		if (!note_list(c, i, info->events[i].by_nr, info->events[i].by_kinds)) {
			slicecheck_free(c);
			return NULL;
		}
	return c;
}

void slicecheck_more_events(struct slicecheck *c, unsigned more)
{
	c->events_most = c->nevents + (more < SESSION_EVENTS_MORE ? more : SESSION_EVENTS_MORE);
}

void slicecheck_free(struct slicecheck *c)
{
	for (int k = 0; c && k < DICT_NR; k++)
		idmap_clear(&c->ids[k]);
	if (c) {
		free(c->by);
		free(c->pathed);
	}
	free(c);
}

size_t slicecheck_held(const struct slicecheck *c)
{
	return c->held;
}

/* Only home numbers hosts; a connection has a single one. */
static bool host_right(const struct slicecheck *c, unsigned host)
{
	return host < c->nhosts;
}

/* --- ids ---------------------------------------------------------------------------------- */

static uint32_t *find_live_id(const struct slicecheck *c, enum dict_kind kind, uint32_t id)
{
	uint32_t *what = idmap_find(&c->ids[kind], id, sizeof(*what));

	return what && *what ? what : NULL;
}

/* 0 means none, which is fine everywhere. */
static bool known(const struct slicecheck *c, enum dict_kind kind, uint32_t id)
{
	return !id || find_live_id(c, kind, id);
}

/* Return an entry's bytes in a model, with a copy to find it by; a symbol has two ids there. */
static size_t dict_entry_cost(enum dict_kind kind, uint32_t what)
{
	if (kind == DICT_SYMBOL)
		return 2 * sizeof(uint32_t);
	return 2 * (dict_shapes[kind].size + 2 * sizeof(uint64_t)) +
	       (kind == DICT_STRING ? what : 0);
}

static int charge_budget(struct slicecheck *c, size_t bytes, struct err *err)
{
	if (bytes > c->budget - c->held)
		return err_set(err, ENOMEM, "the data received needs more memory than it may use");
	c->held += bytes;
	return 0;
}

/* Make room for an id, and charge the budget for all slots made, here and in a model. */
static int reach(struct slicecheck *c, enum dict_kind kind, uint32_t id, uint32_t **what,
		 struct err *err)
{
	const struct idmap_page *p = idmap_page(&c->ids[kind], id);
	size_t cap = p->cap;

	*what = idmap_slot(&c->ids[kind], id, sizeof(**what));
	if (!*what)
		return err_room(err, ENOMEM, "the dictionary of another machine");
	return charge_budget(c, 2 * (p->cap - cap) * sizeof(**what), err);
}

static int set(struct slicecheck *c, enum dict_kind kind, uint32_t id, uint32_t what,
	       struct err *err)
{
	bool temp = id >= DICT_TEMP;
	/* Only home numbers sessions. */
	size_t number = temp || c->nhosts > 1 ? idmap_index(id) : id;
	uint32_t *was;
	int ret;

	if (!id || (temp ? number >= c->temps[kind] : number > 2 * c->most[kind] + SPARSE_MOST))
		return refuse_slice(err, "an id is too large");
	ret = reach(c, kind, id, &was, err);
	if (ret)
		return ret;
	if (*was)
		c->held -= dict_entry_cost(kind, *was - 1);
	else if (!temp && ++c->live[kind] > c->most[kind])
		c->most[kind] = c->live[kind];
	*was = what + 1;
	return charge_budget(c, dict_entry_cost(kind, what), err);
}

static void unset(struct slicecheck *c, enum dict_kind kind, uint32_t id)
{
	uint32_t *what = find_live_id(c, kind, id);

	if (!what)
		return;
	c->held -= dict_entry_cost(kind, *what - 1);
	*what = 0;
	c->live[kind] -= id < DICT_TEMP;
}

/* --- dictionary --------------------------------------------------------------------------- */

/* Temporary ids are dense: each is for an entry or a move of this slice. */
static int begin_temps(struct slicecheck *c, const struct dict_delta *d, struct err *err)
{
	for (int k = 0; k < DICT_NR; k++) {
		if (d->ntemps[k] > d->nr[k] + d->nmoved[k])
			return refuse_slice(err, "more temporary ids than entries");
		c->temps[k] = d->ntemps[k];
	}
	return 0;
}

static void end_temps(struct slicecheck *c)
{
	for (int k = 0; k < DICT_NR; k++)
		for (uint32_t i = 0; i < idmap_temps(&c->ids[k]); i++)
			unset(c, k, DICT_TEMP + i);
}

static int take_moved(struct slicecheck *c, const struct dict_delta *d, enum dict_kind kind,
		      struct err *err)
{
	int ret = 0;

	for (size_t i = 0; i < d->nmoved[kind] && !ret; i++) {
		struct dict_move m = d->moved[kind][i];
		const uint32_t *what = find_live_id(c, kind, m.from);

		if (m.from >= DICT_TEMP || m.to < DICT_TEMP)
			return refuse_slice(err, "an invalid move");
		/* merged slices also move ids that first appeared within them */
		if (what)
			ret = set(c, kind, m.to, *what - 1, err);
		unset(c, kind, m.from);
	}
	return ret;
}

static int about_string(struct slicecheck *c, const void *entry, uint32_t *what, struct err *err)
{
	const struct dict_string *s = entry;

	(void)c;
	if (!s->text)
		return refuse_slice(err, "an invalid name");
	*what = s->len;
	return 0;
}

static int about_frame(struct slicecheck *c, const void *entry, uint32_t *what, struct err *err)
{
	(void)c, (void)err;
	*what = ((const struct dict_frame *)entry)->level;
	return 0;
}

/* A path's frame must have level 0: it is not inlined in another one. */
static int about_path(struct slicecheck *c, const void *entry, uint32_t *what, struct err *err)
{
	const struct dict_path *p = entry;

	if (p->frame && *find_live_id(c, DICT_FRAME, p->frame) != 1)
		return refuse_slice(err, "a call path of what is inlined");
	*what = p->parent ? *find_live_id(c, DICT_PATH, p->parent) : 0; /* its depth + 1 */
	return *what < DEPTH_MOST ? 0 : refuse_slice(err, "a call path is too deep");
}

static int (*const about[DICT_NR])(struct slicecheck *c, const void *entry, uint32_t *what,
				   struct err *err) = {
	[DICT_STRING] = about_string, [DICT_FRAME] = about_frame, [DICT_PATH] = about_path,
};

static int admit_entry(struct slicecheck *c, enum dict_kind kind, const char *entry,
		       struct err *err)
{
	const struct dict_shape *shape = &dict_shapes[kind];
	uint32_t id, what = 0;
	int ret;

	for (unsigned r = 0; r < shape->nrefs; r++) {
		memcpy(&id, entry + shape->refs[r].offset, sizeof(id));
		if (!known(c, shape->refs[r].kind, id))
			return refuse_slice(err, "it refers to an entry that was never sent");
	}
	if (shape->host && !host_right(c, *dict_host(entry, kind)))
		return refuse_slice(err, "an object or a thread of another host");
	ret = about[kind] ? about[kind](c, entry, &what, err) : 0;
	memcpy(&id, entry, sizeof(id));
	return ret ? ret : set(c, kind, id, what, err);
}

static int admit_dict(struct slicecheck *c, const struct dict_delta *d, struct err *err)
{
	int ret = begin_temps(c, d, err);

	for (int k = 0; k < DICT_NR && !ret; k++)
		ret = take_moved(c, d, k, err);
	for (int k = 0; k < DICT_NR; k++)
		for (size_t i = 0; i < d->nr[k] && !ret; i++)
			ret = admit_entry(c, k, dict_entries(d, k) + i * dict_shapes[k].size, err);
	return ret;
}

static int admit_released_ids(struct slicecheck *c, const struct dict_delta *d, struct err *err)
{
	for (int k = 0; k < DICT_NR; k++)
		for (size_t i = 0; i < d->nreleased[k]; i++) {
			uint32_t id = d->released[k][i];

			if (id >= DICT_TEMP || !find_live_id(c, k, id))
				return refuse_slice(err, "it releases an entry never sent");
			unset(c, k, id);
		}
	return 0;
}

/* --- what was measured -------------------------------------------------------------------- */

static bool cpu_right(int64_t cpu)
{
	return cpu >= -1 && cpu < (int64_t)SLICECHECK_CPUS;
}

struct checking {
	struct slicecheck *c;
	struct err *err;
};

/* Lists are checked with their keys, and any number of pairs will do. */
#define PLAIN_NUMBERS (~0u & ~(MEMBER_PATH | MEMBER_TASK | MEMBER_LIST | MEMBER_PAIRS))

static int check_number(void *arg, const struct part_place *at, int64_t *number)
{
	const struct checking *check = arg;
	struct slicecheck *c = check->c;
	const char *what = "without a time";
	bool right;

	switch (at->member->is) {
	case MEMBER_EVENT:
		right = *number < c->nevents, what = "of an unknown event";
		break;
	case MEMBER_COUNTER:
		right = *number < c->ncounters, what = "of an unknown counter";
		break;
	case MEMBER_CPU:
	case MEMBER_RAN_ON:
		right = cpu_right(*number), what = "of an unknown CPU";
		break;
	case MEMBER_HOST:
		right = host_right(c, (unsigned)*number), what = "of another host";
		break;
	case MEMBER_PATH:
		right = known(c, DICT_PATH, (uint32_t)*number);
		what = "with a call path never sent";
		break;
	case MEMBER_TASK:
		right = known(c, DICT_TASK, (uint32_t)*number), what = "of a thread never sent";
		break;
	default:
		right = (uint64_t)*number <= TIME_MOST;
	}
	return right ? 0
		     : err_set(check->err, EPROTO, "invalid data received: %s %s", at->part->one,
			       what);
}

/* Numbers of events rise by changes, one after the other, as far as there may be more. */
static int admit_events(struct slicecheck *c, const struct slice *s, struct err *err)
{
	for (size_t i = 0; i < s->nchanges; i++) {
		unsigned event = s->changes[i].event;

		if (event > c->nevents || event >= c->events_most)
			return refuse_slice(err, "a change of an unknown event");
		c->nevents += event == c->nevents;
	}
	return 0;
}

static int check_part_sizes(const struct slice *s, struct err *err)
{
	for (const struct slice_part *p = slice_parts; p < slice_parts + PART_NR; p++) {
		size_t nr;

		part_elements(s, p, &nr);
		if (p->most && nr > p->most)
			return err_set(err, EPROTO, "invalid data received: %s too many", p->one);
	}
	return 0;
}

/* --- one element -------------------------------------------------------------------------- */

static uint64_t magnitude(int64_t n)
{
	return n < 0 ? -(uint64_t)n : (uint64_t)n;
}

/* The sums must fit into a signed number, however long the session goes on. */
static int check_sums(struct slicecheck *c, const struct slice_account *a, struct err *err)
{
	uint64_t parts[UNSAMPLED_NR + 1] = {magnitude(a->unsampled)};

	for (int i = 0; i < UNSAMPLED_NR; i++)
		parts[i + 1] = magnitude(a->unsampled_why[i]);
	for (int i = 0; i <= UNSAMPLED_NR; i++) {
		if (parts[i] > SUM_MOST - c->sum)
			return refuse_slice(err, "more CPU time than possible");
		c->sum += parts[i];
	}
	return a->pending < SUM_MOST ? 0 : refuse_slice(err, "more pending events than possible");
}

static int check_account(struct slicecheck *c, const void *element, struct err *err)
{
	const struct slice_account *a = element;

	if (a->starved > a->enabled || a->enabled > TIME_MOST)
		return refuse_slice(err, "an event starved longer than it was enabled");
	return check_sums(c, a, err);
}

static int check_counter(struct slicecheck *c, const void *element, struct err *err)
{
	const struct slice_counter *n = element;

	(void)c;
	if (n->running > n->enabled)
		return refuse_slice(err, "a counter that ran longer than it was enabled");
	return 0;
}

static int check_pt(struct slicecheck *c, const void *element, struct err *err)
{
	const struct slice_pt *pt = element;

	(void)c;
	for (size_t i = 0; i < pt->nrows; i++)
		if (!pt->rows[i].object || !pt->rows[i].comm)
			return refuse_slice(err, "a function of a trace without an object");
	for (size_t i = 0; i < pt->nstretches; i++)
		if (!cpu_right(pt->stretches[i].cpu))
			return refuse_slice(err, "a trace of an unknown CPU");
	return 0;
}

/* --- code --------------------------------------------------------------------------------- */

static bool text_right(const struct code *c, uint32_t text)
{
	return !text || text < c->ntexts;
}

/* Instructions must be in order, for binary search, and each within the page. */
static int check_insns(const struct code *c, struct err *err)
{
	for (size_t i = 0; i < c->ninsns; i++) {
		const struct code_insn *in = &c->insns[i];

		if (!text_right(c, in->text) || !text_right(c, in->target_name) ||
		    !text_right(c, in->file) || !text_right(c, in->inlined))
			return refuse_slice(err, "code with an unknown text");
		if (in->addr < c->from || in->addr >= c->to || (i && in->addr <= in[-1].addr))
			return refuse_slice(err, "code out of order");
	}
	return 0;
}

static int check_code(struct slicecheck *check, const void *element, struct err *err)
{
	const struct code *c = *(struct code *const *)element;
	int ret;

	if (!c)
		return refuse_slice(err, "an answer without code");
	if (c->from > c->to || c->addr + c->size < c->addr ||
	    c->to - c->from > 2 * CODE_PAGE_BYTES || c->nbytes > CODE_BYTES_MAX)
		return refuse_slice(err, "code that ends before it begins, or is too long");
	if (c->ntexts && (c->texts[0] || c->texts[c->ntexts - 1]))
		return refuse_slice(err, "code with an unterminated text");
	if (!c->place.object || !host_right(check, c->place.host))
		return refuse_slice(err, "code of no object, or of another host");
	ret = check_insns(c, err);
	for (size_t i = 0; i < c->nsources && !ret; i++)
		if (!text_right(c, c->sources[i].file) || !text_right(c, c->sources[i].text))
			ret = refuse_slice(err, "an unknown source line");
	return ret;
}

/* --- the others --------------------------------------------------------------------------- */

static int check_logged(struct slicecheck *c, const void *element, struct err *err)
{
	const struct slice_logged *l = element;

	(void)c;
	return l->text && l->fields ? 0 : refuse_slice(err, "an empty line of an event");
}

static int admit_pairs(struct slicecheck *c, const void *element, struct err *err)
{
	const struct slice_between *b = element;

	c->between |= b->wanted;
	return pairs_right(b, c->nevents) ? 0 : refuse_slice(err, "pairs of unknown events");
}

static int admit_list(struct slicecheck *c, unsigned event, uint16_t by, const char *kinds,
		      struct err *err)
{
	if (!kinds_right(kinds))
		return refuse_slice(err, "an event summed up by fields of no kind");
	if (!note_list(c, event, by, kinds))
		return refuse_slice(err, "too many lists of fields with a call path");
	return 0;
}

static int admit_change(struct slicecheck *c, const void *element, struct err *err)
{
	const struct slice_change *n = element;

	return admit_list(c, n->event, n->by_nr, n->by_kinds, err);
}

static int admit_field_list(struct slicecheck *c, const void *element, struct err *err)
{
	const struct slice_fieldlist *l = element;

	return admit_list(c, l->event, l->by, l->kinds, err);
}

static int check_field(struct slicecheck *c, const void *element, struct err *err)
{
	const struct slice_field *f = element;

	if (f->min > f->max)
		return refuse_slice(err, "invalid fields");
	if (f->by > c->by[f->event])
		return refuse_slice(err, "fields of a list that was never sent");
	if (f->path && (f->rest || !list_has_path(c, f->event, f->by)))
		return refuse_slice(err, "a call path in fields that have none");
	return 0;
}

static int check_throttle(struct slicecheck *c, const void *element, struct err *err)
{
	const struct slice_throttle *t = element;

	(void)c;
	if (t->periods > SUM_MOST || t->throttled > SUM_MOST || t->ns > SUM_MOST)
		return refuse_slice(err, "a cgroup throttled for longer than possible");
	return 0;
}

static int check_latency(struct slicecheck *c, const void *element, struct err *err)
{
	const struct slice_latency *l = element;
	unsigned from = slice_latency_bin(l->min), to = slice_latency_bin(l->max);
	uint64_t nr = 0;

	if (!c->between || l->min > l->max || l->count > TIME_MOST ||
	    (!l->count && (l->sum || l->max)))
		return refuse_slice(err, "times of pairs that were not requested, or invalid ones");
	for (unsigned i = 0; i < SLICE_LATENCY_BINS; i++) {
		if (l->hist[i] > l->count - nr || (l->hist[i] && (i < from || i > to)))
			return refuse_slice(err, "times of pairs whose number is wrong");
		nr += l->hist[i];
	}
	return nr == l->count ? 0 : refuse_slice(err, "times of pairs whose number is wrong");
}

static int check_rest(const struct slicecheck *c, const struct slice *s, struct err *err)
{
	for (unsigned i = 0; i < SANDBOX_PROCESSES; i++) {
		const struct sandbox_figures *f = &s->helpers[i];

		if (!f->name && (f->starts || f->ends || f->refused))
			return refuse_slice(err, "a helper without a name");
	}
	if (!isfinite(s->progress) || s->progress < 0 || s->progress > 1)
		return refuse_slice(err, "a part larger than the whole");
	return s->nhosts > c->nhosts ? refuse_slice(err, "too many hosts") : 0;
}

static int (*const checks[PART_NR])(struct slicecheck *c, const void *element, struct err *err) = {
	[PART_CHANGES] = admit_change, [PART_BETWEEN] = admit_pairs,
	[PART_LISTS] = admit_field_list, [PART_ACCOUNTS] = check_account,
	[PART_COUNTERS] = check_counter, [PART_FIELDS] = check_field,
	[PART_THROTTLES] = check_throttle, [PART_LATENCY] = check_latency,
	[PART_LOGGED] = check_logged, [PART_PT] = check_pt, [PART_CODES] = check_code,
};

/*
 * Check the definitions, or all other parts.  A model keeps definitions: they use the budget for
 * good.
 */
static int check_elements(struct slicecheck *c, const struct slice *s, bool definitions,
			  struct err *err)
{
	int ret = 0;

	for (int id = 0; id < PART_NR && !ret; id++) {
		const struct slice_part *p = &slice_parts[id];
		size_t nr;
		const char *element = part_elements(s, p, &nr);

		if (((p->flags & PART_DEFINES) != 0) != definitions || !checks[id])
			continue;
		for (size_t i = 0; i < nr && !ret; i++)
			ret = checks[id](c, element + i * p->size, err);
		if (!ret && definitions)
			ret = charge_budget(c, nr * p->size, err);
	}
	return ret;
}

int slicecheck_take(struct slicecheck *c, const struct slice *s, struct err *err)
{
	struct checking check = {c, err};
	struct slice *parts = (struct slice *)s; /* no visit changes a number */
	int ret = 0;

	if (s->start < c->end || s->end < s->start || s->end > TIME_MOST)
		ret = refuse_slice(err, "a time that does not advance");
	ret = ret ? ret : check_part_sizes(s, err);
	ret = ret ? ret : admit_events(c, s, err);
	ret = ret ? ret : parts_visit(parts, PLAIN_NUMBERS, check_number, &check);
	ret = ret ? ret : check_elements(c, s, true, err);
	ret = ret ? ret : admit_dict(c, &s->dict, err);
	ret = ret ? ret : parts_visit(parts, MEMBER_PATH | MEMBER_TASK, check_number, &check);
	ret = ret ? ret : check_elements(c, s, false, err);
	ret = ret ? ret : check_rest(c, s, err);
	ret = ret ? ret : admit_released_ids(c, &s->dict, err);
	end_temps(c);
	c->end = s->end;
	return ret;
}

int slicecheck_release(const struct slicecheck *c, struct slice *s)
{
	int ret = 0;

	for (int k = 0; k < DICT_NR; k++)
		for (uint32_t id = 0; !ret && (id = idmap_next(&c->ids[k], id));)
			if (find_live_id(c, k, id))
				ret = slice_release(s, k, id);
	return ret;
}
