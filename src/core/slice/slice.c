/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/slice/slice.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "core/slice/code.h"
#include "core/slice/sliceparts.h"

const char *const lost_cause_names[LOST_CAUSES] = {
	[LOST_OVERWRITTEN] = "overwritten", [LOST_FULL] = "full",
	[LOST_PAUSED] = "paused",	    [LOST_THROTTLED] = "throttled",
	[LOST_DROPPED] = "dropped",	    [LOST_LATE] = "late",
	[LOST_UNKNOWN] = "unknown", [LOST_MULTIPLEXED] = "multiplexed",
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
	[DICT_STRING] = {offsetof(struct dict_delta, strings),
			 sizeof(struct dict_string),
			 {{0}},
			 0, 0},
	[DICT_OBJECT] = {offsetof(struct dict_delta, objects),
			 sizeof(struct dict_object),
			 {{offsetof(struct dict_object, name), DICT_STRING},
			  {offsetof(struct dict_object, why), DICT_STRING}},
			 2, offsetof(struct dict_object, host)},
	[DICT_SYMBOL] = {offsetof(struct dict_delta, symbols),
			 sizeof(struct dict_symbol),
			 {{offsetof(struct dict_symbol, name), DICT_STRING},
			  {offsetof(struct dict_symbol, object), DICT_OBJECT},
			  {offsetof(struct dict_symbol, also), DICT_STRING}},
			 3, 0},
	[DICT_FRAME] = {offsetof(struct dict_delta, frames),
			sizeof(struct dict_frame),
			{{offsetof(struct dict_frame, object), DICT_OBJECT},
			 {offsetof(struct dict_frame, symbol), DICT_SYMBOL},
			 {offsetof(struct dict_frame, file), DICT_STRING},
			 {offsetof(struct dict_frame, inner), DICT_FRAME}},
			4, 0},
	[DICT_PATH] = {offsetof(struct dict_delta, paths),
		       sizeof(struct dict_path),
		       {{offsetof(struct dict_path, parent), DICT_PATH},
			{offsetof(struct dict_path, frame), DICT_FRAME}},
		       2, 0},
	[DICT_TASK] = {offsetof(struct dict_delta, tasks),
		       sizeof(struct dict_task),
		       {{offsetof(struct dict_task, comm), DICT_STRING},
			{offsetof(struct dict_task, proc_comm), DICT_STRING},
			{offsetof(struct dict_task, user), DICT_STRING},
			{offsetof(struct dict_task, cgroup), DICT_STRING},
			{offsetof(struct dict_task, parent), DICT_STRING}},
		       5, offsetof(struct dict_task, host)},
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
	parts_drop(s, 0);
	free(s);
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

bool dict_delta_reserve(struct dict_delta *d, enum dict_kind kind, size_t need)
{
	return vec_reserve((char *)d + dict_shapes[kind].array, &d->cap[kind], need,
			   dict_shapes[kind].size);
}

bool dict_delta_reserve_all(struct dict_delta *d, const struct dict_delta *e)
{
	bool ok = true;

	for (int k = 0; ok && k < DICT_NR; k++)
		ok = dict_delta_reserve(d, k, d->nr[k] + e->nr[k]) &&
		     vec_reserve(&d->released[k], &d->cap_released[k],
				 d->nreleased[k] + e->nreleased[k], sizeof(uint32_t)) &&
		     vec_reserve(&d->moved[k], &d->cap_moved[k], d->nmoved[k] + e->nmoved[k],
				 sizeof(struct dict_move));
	return ok;
}

/* Move nr elements of `size` bytes behind the *to_nr that are there. */
static void append_elements(void *to, size_t *to_nr, const void *from, size_t *nr, size_t size)
{
	if (*nr)
		memcpy((char *)to + *to_nr * size, from, *nr * size);
	*to_nr += *nr;
	*nr = 0;
}

void dict_delta_append(struct dict_delta *d, struct dict_delta *e)
{
	for (int k = 0; k < DICT_NR; k++) {
		append_elements(dict_entries(d, k), &d->nr[k], dict_entries(e, k), &e->nr[k],
				dict_shapes[k].size);
		append_elements(d->released[k], &d->nreleased[k], e->released[k], &e->nreleased[k],
				sizeof(uint32_t));
		append_elements(d->moved[k], &d->nmoved[k], e->moved[k], &e->nmoved[k],
				sizeof(struct dict_move));
		d->ntemps[k] += e->ntemps[k];
	}
}

int slice_upsert(struct slice *s, enum dict_kind kind, const void *entry)
{
	struct dict_delta *d = &s->dict;
	struct dict_string copy;

	if (!dict_delta_reserve(d, kind, d->nr[kind] + 1))
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
	memcpy(dict_entries(d, kind) + d->nr[kind]++ * dict_shapes[kind].size, entry,
	       dict_shapes[kind].size);
	return 0;
}

int slice_release(struct slice *s, enum dict_kind kind, uint32_t id)
{
	struct dict_delta *d = &s->dict;

	return VEC_PUSH(d->released[kind], d->nreleased[kind], d->cap_released[kind], id) ? 0
											  : -ENOMEM;
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
	a->bytes = gauge_sum(was.bytes, b->bytes);
	a->records = gauge_sum(was.records, b->records);
	a->lost = gauge_sum(was.lost, b->lost);
	a->overwritten_bytes = gauge_sum(was.overwritten_bytes, b->overwritten_bytes);
	a->wakeups = gauge_sum(was.wakeups, b->wakeups);
	a->late_ns = known_max(was.late_ns, b->late_ns);
}

void slice_gauge_unread(struct slice_gauge *g)
{
	g->unread = GAUGE_UNKNOWN;
	if (g->records || (g->bytes && g->bytes != GAUGE_UNKNOWN))
		return; /* it was read before it was closed */
	g->unread_max = g->bytes = g->records = g->wakeups = g->overwritten_bytes = g->oldest_ns =
		GAUGE_UNKNOWN;
	g->lost = g->lost ? g->lost : GAUGE_UNKNOWN;
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
	later->proved += before->proved;
	later->inserted += before->inserted;
	later->unproved += before->unproved;
	if (before->bytes_max > later->bytes_max)
		later->bytes_max = before->bytes_max;
}

const char *const self_cause_names[SELF_CAUSES] = {
	"nothing",	 "reading rings",   "resolving",       "unwinding",	"reading symbols",
	"reading lines", "decoding traces", "printing events", "writing files", "showing",
};

void slice_self_quiet(struct slice_self *s)
{
	const struct slice_unwind u = s->unwind;

	*s = (struct slice_self){
		.rss_bytes = s->rss_bytes,
		.table_capacity = s->table_capacity,
		.queued = s->queued,
		.loading = s->loading,
		.budget_bytes = s->budget_bytes,
		.budget_limit = s->budget_limit,
		.cpu_limit = s->cpu_limit,
		.rate_divisor = s->rate_divisor,
		.unwind = {.stack_bytes = u.stack_bytes,
			   .waiting = u.waiting,
			   .bytes = u.bytes,
			   .capacity = u.capacity,
			   .auto_stack = u.auto_stack,
			   .auto_rate = u.auto_rate,
			   .auto_budget = u.auto_budget},
	};
}

void slice_self_add(struct slice_self *later, const struct slice_self *before)
{
	later->cpu_ns += before->cpu_ns;
	later->unresolved += before->unresolved;
	later->merged += before->merged;
	later->maps_forgotten += before->maps_forgotten;
	later->process_maps_forgotten += before->process_maps_forgotten;
	later->names_given_up += before->names_given_up;
	later->births_unsure += before->births_unsure;
	later->budget_refusals += before->budget_refusals;
	later->switches_forgotten += before->switches_forgotten;
	slice_unwind_add(&later->unwind, &before->unwind);
	if (before->table_rows > later->table_rows)
		later->table_rows = before->table_rows;
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
