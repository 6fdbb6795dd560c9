/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Appending to slices and merging two of them.
 *
 * The hard part of merging is the dictionary: an id that the first slice released may mean
 * something else in the second.  The first meaning is then renamed to a temporary id, in the first
 * slice only, and a move tells receivers that already know the id under its old name.  Merging
 * never drops an entry and never touches a row's counts other than by adding.
 */
#include "slice/slice.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/vec.h"
#include "slice/code.h"

const char *const lost_cause_names[LOST_NR] = {
	[LOST_OVERWRITTEN] = "overwritten", [LOST_FULL] = "full",
	[LOST_PAUSED] = "paused",	    [LOST_THROTTLED] = "throttled",
	[LOST_DROPPED] = "dropped",	    [LOST_LATE] = "late",
	[LOST_UNKNOWN] = "unknown",
};

const char *const unsampled_why_names[UNSAMPLED_NR] = {
	[UNSAMPLED_IDLE] = "idle",
	[UNSAMPLED_STOLEN] = "stolen",
	[UNSAMPLED_EXCLUDED] = "excluded",
};

const char *const ring_kind_names[] = {
	[RING_SAMPLE] = "sample",
	[RING_SIDEBAND] = "sideband",
	[RING_AUX] = "aux",
	[RING_FTRACE] = "ftrace",
};

const char *const ring_mode_names[] = {
	[RING_OVERWRITE] = "overwrite",
	[RING_FORWARD] = "forward",
};

const char *const recording_state_names[RECORDING_STATES] = {
	[RECORDING_NONE] = "none", [RECORDING_ON] = "on", [RECORDING_ENDING] = "ending",
	[RECORDING_DONE] = "done", [RECORDING_FAILED] = "failed",
};

const char *const host_state_names[HOST_STATES] = {
	[HOST_CONNECTING] = "connecting", [HOST_UP] = "up", [HOST_LATE] = "late",
	[HOST_CUT] = "cut", [HOST_ENDED] = "ended", [HOST_FAILED] = "failed",
};

const struct dict_shape dict_shapes[DICT_NR] = {
	[DICT_STRING] = {offsetof(struct dict_delta, strings), sizeof(struct dict_string), {{0}}, 0},
	[DICT_OBJECT] = {offsetof(struct dict_delta, objects),
			 sizeof(struct dict_object),
			 {{offsetof(struct dict_object, name), DICT_STRING},
			  {offsetof(struct dict_object, why), DICT_STRING}},
			 2},
	[DICT_SYMBOL] = {offsetof(struct dict_delta, symbols),
			 sizeof(struct dict_symbol),
			 {{offsetof(struct dict_symbol, name), DICT_STRING},
			  {offsetof(struct dict_symbol, object), DICT_OBJECT}},
			 2},
	[DICT_FRAME] = {offsetof(struct dict_delta, frames),
			sizeof(struct dict_frame),
			{{offsetof(struct dict_frame, object), DICT_OBJECT},
			 {offsetof(struct dict_frame, symbol), DICT_SYMBOL},
			 {offsetof(struct dict_frame, file), DICT_STRING},
			 {offsetof(struct dict_frame, inner), DICT_FRAME}},
			4},
	[DICT_PATH] = {offsetof(struct dict_delta, paths),
		       sizeof(struct dict_path),
		       {{offsetof(struct dict_path, parent), DICT_PATH},
			{offsetof(struct dict_path, frame), DICT_FRAME}},
		       2},
	[DICT_TASK] = {offsetof(struct dict_delta, tasks),
		       sizeof(struct dict_task),
		       {{offsetof(struct dict_task, comm), DICT_STRING},
			{offsetof(struct dict_task, proc_comm), DICT_STRING},
			{offsetof(struct dict_task, user), DICT_STRING},
			{offsetof(struct dict_task, cgroup), DICT_STRING},
			{offsetof(struct dict_task, parent), DICT_STRING}},
		       5},
};

/* --- making one ------------------------------------------------------------------------- */

struct slice *slice_create(void)
{
	return calloc(1, sizeof(struct slice));
}

struct slice *slice_create_for(size_t accounts, size_t gauges)
{
	struct slice *s = slice_create();

	if (s && vec_reserve(&s->accounts, &s->cap_accounts, accounts, sizeof(*s->accounts)) &&
	    vec_reserve(&s->gauges, &s->cap_gauges, gauges, sizeof(*s->gauges)))
		return s;
	slice_free(s);
	return NULL;
}

void dict_delta_clear(struct dict_delta *d)
{
	for (size_t i = 0; i < d->nr[DICT_STRING]; i++)
		free((char *)d->strings[i].text);
	for (int k = 0; k < DICT_NR; k++) {
		free(dict_entries(d, k));
		free(d->released[k]);
		free(d->moved[k]);
	}
}

void slice_free(struct slice *s)
{
	if (!s)
		return;
	dict_delta_clear(&s->dict);
	for (size_t i = 0; i < s->nlogs; i++)
		free(s->logs[i].text);
	for (size_t i = 0; i < s->ncodes; i++)
		code_free(s->codes[i]);
	free(s->codes);
	free(s->rows);
	free(s->accounts);
	free(s->counters);
	free(s->fields);
	for (size_t i = 0; i < s->nsnapshots; i++)
		slice_snapshot_clear(&s->snapshots[i]);
	free(s->gauges);
	free(s->logs);
	free(s->aux);
	free(s->snapshots);
	free(s->hosts);
	free(s->changes);
	free(s->lists);
	free(s->throttles);
	slice_pt_free(s->pt);
	free(s->latency);
	free(s->between);
	slice_logged_trim(s->logged, &s->nlogged, 0, &s->logging);
	free(s->logged);
	free(s);
}

struct slice_row *slice_add_row(struct slice *s)
{
	return VEC_ADD(s->rows, s->nrows, s->cap_rows);
}

struct slice_account *slice_add_account(struct slice *s)
{
	return VEC_ADD(s->accounts, s->naccounts, s->cap_accounts);
}

struct slice_counter *slice_add_counter(struct slice *s)
{
	return VEC_ADD(s->counters, s->ncounters, s->cap_counters);
}

struct slice_field *slice_add_field(struct slice *s)
{
	return VEC_ADD(s->fields, s->nfields, s->cap_fields);
}

struct slice_fieldlist *slice_add_list(struct slice *s)
{
	return VEC_ADD(s->lists, s->nlists, s->cap_lists);
}

struct slice_throttle *slice_add_throttle(struct slice *s)
{
	return VEC_ADD(s->throttles, s->nthrottles, s->cap_throttles);
}

struct slice_gauge *slice_add_gauge(struct slice *s)
{
	return VEC_ADD(s->gauges, s->ngauges, s->cap_gauges);
}

struct slice_aux *slice_add_aux(struct slice *s)
{
	return VEC_ADD(s->aux, s->naux, s->cap_aux);
}

struct slice_host *slice_add_host(struct slice *s)
{
	return VEC_ADD(s->hosts, s->nhosts, s->cap_hosts);
}

struct slice_change *slice_add_change(struct slice *s)
{
	return VEC_ADD(s->changes, s->nchanges, s->cap_changes);
}

int slice_add_snapshot(struct slice *s, const struct slice_snapshot *snapshot)
{
	int ret = -ENOMEM;

	if (vec_reserve(&s->snapshots, &s->cap_snapshots, s->nsnapshots + 1, sizeof(*s->snapshots)))
		ret = slice_snapshot_copy(&s->snapshots[s->nsnapshots], snapshot);
	s->nsnapshots += !ret;
	return ret;
}

int slice_add_code(struct slice *s, struct code *c)
{
	if (VEC_PUSH(s->codes, s->ncodes, s->cap_codes, c))
		return 0;
	code_free(c);
	return -ENOMEM;
}

int slice_log(struct slice *s, enum slice_log_level level, const char *fmt, ...)
{
	struct slice_log l = {.level = level};
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&l.text, fmt, ap);
	va_end(ap);
	if (n >= 0 && VEC_PUSH(s->logs, s->nlogs, s->cap_logs, l))
		return 0;
	free(n >= 0 ? l.text : NULL);
	return -ENOMEM;
}

static bool delta_reserve(struct dict_delta *d, enum dict_kind kind, size_t need)
{
	return vec_reserve((char *)d + dict_shapes[kind].array, &d->cap[kind], need, dict_shapes[kind].size);
}

int slice_upsert(struct slice *s, enum dict_kind kind, const void *entry)
{
	struct dict_delta *d = &s->dict;
	struct dict_string copy;

	if (!delta_reserve(d, kind, d->nr[kind] + 1))
		return -ENOMEM;
	if (kind == DICT_STRING) {
		char *text;

		copy = *(const struct dict_string *)entry;
		text = malloc((size_t)copy.len + 1);
		if (!text)
			return -ENOMEM;
		if (copy.len)
			memcpy(text, copy.text, copy.len);
		text[copy.len] = '\0';
		copy.text = text;
		entry = &copy;
	}
	memcpy(dict_entries(d, kind) + d->nr[kind]++ * dict_shapes[kind].size, entry, dict_shapes[kind].size);
	return 0;
}

int slice_release(struct slice *s, enum dict_kind kind, uint32_t id)
{
	struct dict_delta *d = &s->dict;

	return VEC_PUSH(d->released[kind], d->nreleased[kind], d->cap_released[kind], id) ? 0 : -ENOMEM;
}

/* --- merging: which ids must be renamed ------------------------------------------------- */

/* Renames in the earlier slice, sorted by `from`. */
struct renames {
	struct dict_move *move;
	size_t nr, cap;
};

struct merge {
	struct renames renames[DICT_NR];
	uint32_t shift[DICT_NR]; /* added to the later slice's temporary ids */
	uint32_t fresh[DICT_NR]; /* temporary ids taken on top of both slices' own */
	bool renaming;
	uint32_t *slots; /* row index + 1 by hash */
	size_t nslots;
};

static int move_compare(const void *a, const void *b)
{
	const struct dict_move *x = a, *y = b;

	return x->from < y->from ? -1 : x->from > y->from;
}

static int id_compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static struct dict_move *move_find(const struct renames *r, uint32_t id)
{
	struct dict_move key = {.from = id};

	return r->nr ? bsearch(&key, r->move, r->nr, sizeof(key), move_compare) : NULL;
}

static uint32_t entry_id(const struct dict_delta *d, enum dict_kind kind, size_t i)
{
	uint32_t id;

	memcpy(&id, dict_entries(d, kind) + i * dict_shapes[kind].size, sizeof(id));
	return id;
}

/* The ids that `d` gives a meaning, sorted.  NULL with *nr not 0: out of memory. */
static uint32_t *delta_ids(const struct dict_delta *d, enum dict_kind kind, size_t *nr)
{
	uint32_t *ids;

	*nr = d->nr[kind];
	ids = *nr ? malloc(*nr * sizeof(*ids)) : NULL;
	if (!ids)
		return NULL;
	for (size_t i = 0; i < *nr; i++)
		ids[i] = entry_id(d, kind, i);
	qsort(ids, *nr, sizeof(*ids), id_compare);
	return ids;
}

static bool renames_add(struct renames *r, uint32_t from, uint32_t to)
{
	return VEC_PUSH(r->move, r->nr, r->cap, (struct dict_move){from, to});
}

/*
 * An id is renamed in dst where it was released there and src gives it out again, or where src,
 * itself merged, has moved what it meant at dst's end.
 */
static int renames_collect(struct merge *m, enum dict_kind kind, const struct dict_delta *dst,
			   const struct dict_delta *src)
{
	struct renames *r = &m->renames[kind];
	size_t nreused = 0, nreleased;
	uint32_t *reused = NULL;
	bool ok = true;

	m->shift[kind] = dst->ntemps[kind];
	if (dst->nreleased[kind]) {
		reused = delta_ids(src, kind, &nreused);
		if (nreused && !reused)
			return -ENOMEM;
	}
	for (size_t i = 0; ok && nreused && i < dst->nreleased[kind]; i++) {
		uint32_t id = dst->released[kind][i];

		if (bsearch(&id, reused, nreused, sizeof(id), id_compare))
			ok = renames_add(r, id, DICT_TEMP + dst->ntemps[kind] + src->ntemps[kind] +
							m->fresh[kind]++);
	}
	free(reused);
	if (r->nr)
		qsort(r->move, r->nr, sizeof(*r->move), move_compare);
	nreleased = r->nr;
	for (size_t i = 0; ok && i < src->nmoved[kind]; i++) {
		struct renames released = {.move = r->move, .nr = nreleased};

		if (!move_find(&released, src->moved[kind][i].from))
			ok = renames_add(r, src->moved[kind][i].from,
					 src->moved[kind][i].to + m->shift[kind]);
	}
	if (r->nr > nreleased)
		qsort(r->move, r->nr, sizeof(*r->move), move_compare);
	m->renaming |= r->nr || m->shift[kind];
	return ok ? 0 : -ENOMEM;
}

static int slots_make(struct merge *m, size_t rows)
{
	for (m->nslots = 64; m->nslots < 2 * rows;)
		m->nslots *= 2;
	m->slots = calloc(m->nslots, sizeof(*m->slots));
	return m->slots ? 0 : -ENOMEM;
}

static int merge_reserve(struct merge *m, struct slice *dst, const struct slice *src)
{
	struct dict_delta *d = &dst->dict;
	const struct dict_delta *e = &src->dict;
	bool ok = true;

	for (int k = 0; ok && k < DICT_NR; k++) {
		ok = delta_reserve(d, k, d->nr[k] + e->nr[k]) &&
		     vec_reserve(&d->released[k], &d->cap_released[k],
				 d->nreleased[k] + e->nreleased[k], sizeof(uint32_t)) &&
		     vec_reserve(&d->moved[k], &d->cap_moved[k], d->nmoved[k] + m->renames[k].nr,
				 sizeof(struct dict_move));
	}
	ok = ok &&
	     vec_reserve(&dst->rows, &dst->cap_rows, dst->nrows + src->nrows, sizeof(*dst->rows)) &&
	     vec_reserve(&dst->accounts, &dst->cap_accounts, dst->naccounts + src->naccounts,
			 sizeof(*dst->accounts)) &&
	     vec_reserve(&dst->counters, &dst->cap_counters, dst->ncounters + src->ncounters,
			 sizeof(*dst->counters)) &&
	     vec_reserve(&dst->fields, &dst->cap_fields, dst->nfields + src->nfields, sizeof(*dst->fields)) &&
	     vec_reserve(&dst->gauges, &dst->cap_gauges, src->ngauges, sizeof(*dst->gauges)) &&
	     vec_reserve(&dst->aux, &dst->cap_aux, src->naux, sizeof(*dst->aux)) &&
	     vec_reserve(&dst->hosts, &dst->cap_hosts, src->nhosts, sizeof(*dst->hosts)) &&
	     vec_reserve(&dst->changes, &dst->cap_changes, dst->nchanges + src->nchanges, sizeof(*dst->changes)) &&
	     vec_reserve(&dst->lists, &dst->cap_lists, dst->nlists + src->nlists, sizeof(*dst->lists)) &&
	     vec_reserve(&dst->throttles, &dst->cap_throttles, dst->nthrottles + src->nthrottles, sizeof(*dst->throttles)) &&
	     vec_reserve(&dst->snapshots, &dst->cap_snapshots, dst->nsnapshots + src->nsnapshots,
			 sizeof(*dst->snapshots)) &&
	     vec_reserve(&dst->logs, &dst->cap_logs, dst->nlogs + src->nlogs, sizeof(*dst->logs)) &&
	     vec_reserve(&dst->logged, &dst->cap_logged, dst->nlogged + src->nlogged, sizeof(*dst->logged)) &&
	     vec_reserve(&dst->codes, &dst->cap_codes, dst->ncodes + src->ncodes,
			 sizeof(*dst->codes));
	if (!ok)
		return -ENOMEM;
	return slots_make(m, dst->nrows + src->nrows);
}

/* --- merging: nothing below fails ------------------------------------------------------- */

static void id_rename(const struct merge *m, enum dict_kind kind, uint32_t *id)
{
	const struct dict_move *move = move_find(&m->renames[kind], *id);

	if (move)
		*id = move->to;
}

static void id_shift(const struct merge *m, enum dict_kind kind, uint32_t *id)
{
	if (*id >= DICT_TEMP)
		*id += m->shift[kind];
}

typedef void id_change(const struct merge *m, enum dict_kind kind, uint32_t *id);

static void slice_change_ids(const struct merge *m, struct slice *s, id_change *change)
{
	for (int k = 0; k < DICT_NR; k++) {
		char *entry = dict_entries(&s->dict, k);

		for (size_t i = 0; i < s->dict.nr[k]; i++, entry += dict_shapes[k].size) {
			change(m, k, (uint32_t *)(void *)entry);
			for (unsigned r = 0; r < dict_shapes[k].nrefs; r++)
				change(m, dict_shapes[k].refs[r].kind,
				       (uint32_t *)(void *)(entry + dict_shapes[k].refs[r].offset));
		}
	}
	for (size_t i = 0; i < s->nrows; i++) {
		change(m, DICT_PATH, &s->rows[i].path);
		change(m, DICT_TASK, &s->rows[i].task);
	}
	for (size_t i = 0; i < s->nfields; i++)
		change(m, DICT_PATH, &s->fields[i].path);
}

/* An id that dst has moved away already means, in the rest of dst, something made inside it. */
static void merge_moves(const struct merge *m, struct dict_delta *d, enum dict_kind kind)
{
	struct renames old = {.move = d->moved[kind], .nr = d->nmoved[kind]};

	for (size_t i = 0; i < m->renames[kind].nr; i++) {
		struct dict_move move = m->renames[kind].move[i];

		if (!move_find(&old, move.from))
			d->moved[kind][d->nmoved[kind]++] = move;
	}
	if (d->nmoved[kind])
		qsort(d->moved[kind], d->nmoved[kind], sizeof(struct dict_move), move_compare);
}

static void merge_dict(const struct merge *m, struct dict_delta *d, struct dict_delta *e)
{
	for (int k = 0; k < DICT_NR; k++) {
		size_t kept = 0;

		merge_moves(m, d, k);
		for (size_t i = 0; i < d->nreleased[k]; i++)
			if (!move_find(&m->renames[k], d->released[k][i]))
				d->released[k][kept++] = d->released[k][i];
		if (e->nreleased[k])
			memcpy(d->released[k] + kept, e->released[k],
			       e->nreleased[k] * sizeof(uint32_t));
		d->nreleased[k] = kept + e->nreleased[k];
		if (e->nr[k])
			memcpy(dict_entries(d, k) + d->nr[k] * dict_shapes[k].size, dict_entries(e, k),
			       e->nr[k] * dict_shapes[k].size);
		d->nr[k] += e->nr[k];
		e->nr[k] = 0; /* the strings' bytes are d's now */
		d->ntemps[k] += e->ntemps[k] + m->fresh[k];
	}
}

static bool row_same(const struct slice_row *a, const struct slice_row *b)
{
	return a->path == b->path && a->task == b->task && a->event == b->event && a->cpu == b->cpu;
}

static void merge_row(struct merge *m, struct slice *dst, const struct slice_row *r)
{
	uint64_t h = hash_mix((uint64_t)r->path << 32 | r->task,
			      (uint64_t)r->event << 16 | r->cpu);
	size_t i = hash_u64(h) & (m->nslots - 1);
	struct slice_row *found;

	for (; m->slots[i]; i = (i + 1) & (m->nslots - 1)) {
		found = &dst->rows[m->slots[i] - 1];
		if (row_same(found, r)) {
			found->samples += r->samples;
			found->weight += r->weight;
			return;
		}
	}
	dst->rows[dst->nrows++] = *r;
	m->slots[i] = (uint32_t)dst->nrows;
}

static void merge_own_rows(struct merge *m, struct slice *s)
{
	size_t nr = s->nrows;

	s->nrows = 0;
	for (size_t i = 0; i < nr; i++) {
		struct slice_row r = s->rows[i];

		merge_row(m, s, &r);
	}
}

static void merge_rows(struct merge *m, struct slice *dst, const struct slice *src)
{
	merge_own_rows(m, dst);
	for (size_t i = 0; i < src->nrows; i++)
		merge_row(m, dst, &src->rows[i]);
}

int slice_combine(struct slice *s)
{
	struct merge m = {.renaming = false};
	int ret = slots_make(&m, s->nrows);

	if (!ret)
		merge_own_rows(&m, s);
	free(m.slots);
	return ret;
}

static void merge_account(struct slice_account *a, const struct slice_account *b)
{
	a->exact &= b->exact;
	a->throttles += b->throttles;
	a->samples += b->samples;
	a->counted += b->counted;
	a->attributed += b->attributed;
	for (int c = 0; c < LOST_NR; c++) {
		a->lost[c] += b->lost[c];
		a->lost_samples[c] += b->lost_samples[c];
	}
	a->unsampled += b->unsampled;
	for (int i = 0; i < UNSAMPLED_NR; i++)
		a->unsampled_why[i] += b->unsampled_why[i];
	a->pending = b->pending;
	a->stat_ns += b->stat_ns;
	a->stat_idle += b->stat_idle;
	a->stat_stolen += b->stat_stolen;
	a->stat_user += b->stat_user;
	a->stat_kernel += b->stat_kernel;
}

static void merge_accounts(struct slice *dst, const struct slice *src)
{
	for (size_t i = 0; i < src->naccounts; i++) {
		const struct slice_account *b = &src->accounts[i];
		size_t j = 0;

		while (j < dst->naccounts &&
		       (dst->accounts[j].event != b->event || dst->accounts[j].cpu != b->cpu))
			j++;
		if (j < dst->naccounts)
			merge_account(&dst->accounts[j], b);
		else
			dst->accounts[dst->naccounts++] = *b;
	}
}

static uint64_t known_sum(uint64_t a, uint64_t b)
{
	return a == GAUGE_UNKNOWN ? b : b == GAUGE_UNKNOWN ? a : a + b;
}

static uint64_t known_max(uint64_t a, uint64_t b)
{
	return a == GAUGE_UNKNOWN ? b : b == GAUGE_UNKNOWN || a > b ? a : b;
}

void slice_gauge_add(struct slice_gauge *a, const struct slice_gauge *b)
{
	struct slice_gauge was = *a;

	*a = *b;
	a->unread_max = known_max(was.unread_max, b->unread_max);
	a->bytes = known_sum(was.bytes, b->bytes);
	a->records = known_sum(was.records, b->records);
	a->lost = known_sum(was.lost, b->lost);
	a->overwritten_bytes = known_sum(was.overwritten_bytes, b->overwritten_bytes);
	a->wakeups = known_sum(was.wakeups, b->wakeups);
	a->late_ns = known_max(was.late_ns, b->late_ns);
}

static void merge_gauges(struct slice *dst, const struct slice *src)
{
	for (size_t i = 0; i < src->ngauges; i++) {
		if (i < dst->ngauges)
			slice_gauge_add(&dst->gauges[i], &src->gauges[i]);
		else
			dst->gauges[dst->ngauges++] = src->gauges[i];
	}
}

static void merge_counters(struct slice *dst, const struct slice *src)
{
	if (!src->ncounters)
		return;
	memcpy(dst->counters + dst->ncounters, src->counters, src->ncounters * sizeof(*src->counters));
	dst->ncounters = slice_counters_fold(dst->counters, dst->ncounters + src->ncounters);
}

static void merge_fields(struct slice *dst, const struct slice *src)
{
	if (!src->nfields)
		return;
	memcpy(dst->fields + dst->nfields, src->fields, src->nfields * sizeof(*src->fields));
	dst->nfields = slice_fields_limit(dst->fields, dst->nfields + src->nfields, SLICE_FIELDS_MOST);
}

static void merge_throttles(struct slice *dst, const struct slice *src)
{
	if (!src->nthrottles)
		return;
	memcpy(dst->throttles + dst->nthrottles, src->throttles, src->nthrottles * sizeof(*src->throttles));
	dst->nthrottles = slice_throttles_fold(dst->throttles, dst->nthrottles + src->nthrottles);
}

void slice_move_latency(struct slice *dst, struct slice *src)
{
	if (dst->latency && src->latency) {
		slice_latency_add(dst->latency, src->latency);
	} else if (src->latency) {
		dst->latency = src->latency;
		src->latency = NULL;
	}
}

static void merge_aux(struct slice *dst, struct slice *src)
{
	for (size_t i = 0; i < src->naux; i++) {
		if (i < dst->naux)
			slice_aux_add(&dst->aux[i], &src->aux[i]);
		else
			dst->aux[dst->naux++] = src->aux[i];
	}
	if (src->nsnapshots)
		memcpy(dst->snapshots + dst->nsnapshots, src->snapshots,
		       src->nsnapshots * sizeof(*src->snapshots));
	dst->nsnapshots += src->nsnapshots;
	src->nsnapshots = 0; /* the texts are dst's now */
	if (!src->pt)
		return;
	slice_pt_free(dst->pt);
	dst->pt = src->pt;
	src->pt = NULL;
}

const char *const slice_unwind_end_names[SLICE_UNWIND_ENDS] = {
	"outermost", "truncated", "limit", "broken",
};

void slice_unwind_add(struct slice_unwind *later, const struct slice_unwind *before)
{
	later->samples += before->samples;
	later->frames += before->frames;
	later->guessed += before->guessed;
	later->slow += before->slow;
	for (int i = 0; i < SLICE_UNWIND_ENDS; i++)
		later->ends[i] += before->ends[i];
	later->compat += before->compat;
	later->dropped += before->dropped;
	later->chained += before->chained;
	later->crowded += before->crowded;
	if (before->bytes_max > later->bytes_max)
		later->bytes_max = before->bytes_max;
}

const char *const self_cause_names[SELF_CAUSES] = {
	"nothing", "reading rings", "resolving", "unwinding", "reading symbols", "reading lines", "decoding traces",
	"printing events", "writing files", "showing",
};

void slice_self_quiet(struct slice_self *s)
{
	const struct slice_unwind u = s->unwind;

	*s = (struct slice_self){
		.rss_bytes = s->rss_bytes, .table_capacity = s->table_capacity, .queued = s->queued,
		.loading = s->loading, .budget_bytes = s->budget_bytes, .budget_limit = s->budget_limit,
		.cpu_limit = s->cpu_limit, .rate_divisor = s->rate_divisor,
		.unwind = {.stack_bytes = u.stack_bytes, .waiting = u.waiting, .bytes = u.bytes, .capacity = u.capacity,
			   .auto_stack = u.auto_stack, .auto_rate = u.auto_rate, .auto_budget = u.auto_budget},
	};
}

void slice_self_add(struct slice_self *later, const struct slice_self *before)
{
	later->cpu_ns += before->cpu_ns;
	later->unresolved += before->unresolved;
	later->merged += before->merged;
	later->maps_forgotten += before->maps_forgotten;
	later->process_maps_forgotten += before->process_maps_forgotten;
	later->births_unsure += before->births_unsure;
	later->budget_refusals += before->budget_refusals;
	later->switches_forgotten += before->switches_forgotten;
	slice_unwind_add(&later->unwind, &before->unwind);
	if (before->table_rows > later->table_rows)
		later->table_rows = before->table_rows;
}

static void merge_self(struct slice_self *a, const struct slice_self *b)
{
	struct slice_self was = *a;

	*a = *b;
	slice_self_add(a, &was);
	a->merged++;
}

void slice_host_add(struct slice_host *later, const struct slice_host *before)
{
	later->bytes_in += before->bytes_in;
	later->bytes_out += before->bytes_out;
	later->merged += before->merged;
	later->folded_samples += before->folded_samples;
	later->folded_rows += before->folded_rows;
	slice_self_add(&later->self, &before->self);
}

static void merge_hosts(struct slice *dst, const struct slice *src)
{
	for (size_t i = 0; i < src->nhosts; i++) {
		struct slice_host was = i < dst->nhosts ? dst->hosts[i] : (struct slice_host){0};

		dst->hosts[i] = src->hosts[i];
		slice_host_add(&dst->hosts[i], &was);
	}
	if (src->nhosts > dst->nhosts)
		dst->nhosts = src->nhosts;
}

static void merge_changes(struct slice *dst, struct slice *src)
{
	if (src->nchanges)
		memcpy(dst->changes + dst->nchanges, src->changes, src->nchanges * sizeof(*src->changes));
	dst->nchanges += src->nchanges;
	if (src->nlists)
		memcpy(dst->lists + dst->nlists, src->lists, src->nlists * sizeof(*src->lists));
	dst->nlists += src->nlists;
	if (!src->between)
		return;
	free(dst->between);
	dst->between = src->between;
	src->between = NULL;
}

static void merge_logs(struct slice *dst, struct slice *src)
{
	if (src->nlogs)
		memcpy(dst->logs + dst->nlogs, src->logs, src->nlogs * sizeof(*src->logs));
	dst->nlogs += src->nlogs;
	src->nlogs = 0; /* the texts are dst's now */
}

static void merge_logged(struct slice *dst, struct slice *src)
{
	if (src->nlogged)
		memcpy(dst->logged + dst->nlogged, src->logged, src->nlogged * sizeof(*src->logged));
	dst->nlogged += src->nlogged;
	src->nlogged = 0; /* the texts are dst's now */
	slice_logging_add(&dst->logging, &src->logging);
	slice_logged_trim(dst->logged, &dst->nlogged, SLICE_LOGGED_MOST, &dst->logging);
}

static void merge_codes(struct slice *dst, struct slice *src)
{
	if (src->ncodes)
		memcpy(dst->codes + dst->ncodes, src->codes, src->ncodes * sizeof(*src->codes));
	dst->ncodes += src->ncodes;
	src->ncodes = 0;
}

int slice_merge(struct slice *dst, struct slice *src)
{
	struct merge m = {.renaming = false};
	int ret = 0;

	for (int k = 0; !ret && k < DICT_NR; k++)
		ret = renames_collect(&m, k, &dst->dict, &src->dict);
	if (!ret)
		ret = merge_reserve(&m, dst, src);
	if (!ret) {
		if (m.renaming) {
			slice_change_ids(&m, dst, id_rename);
			slice_change_ids(&m, src, id_shift);
		}
		merge_dict(&m, &dst->dict, &src->dict);
		merge_rows(&m, dst, src);
		merge_accounts(dst, src);
		merge_counters(dst, src);
		merge_fields(dst, src);
		merge_throttles(dst, src);
		slice_move_latency(dst, src);
		merge_gauges(dst, src);
		merge_aux(dst, src);
		merge_self(&dst->self, &src->self);
		merge_hosts(dst, src);
		merge_changes(dst, src);
		merge_logged(dst, src);
		merge_logs(dst, src);
		merge_codes(dst, src);
		dst->end = src->end;
		dst->wall = src->wall;
		dst->last = src->last;
		memcpy(dst->helpers, src->helpers, sizeof(dst->helpers));
		dst->recording = src->recording;
		dst->progress = src->progress;
		slice_free(src);
	}
	for (int k = 0; k < DICT_NR; k++)
		free(m.renames[k].move);
	free(m.slots);
	return ret;
}
