/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Takes slices, and keeps to the budget.  A slice is translated once, counted into the total and
 * put into the history; samples that memory fails for are still counted in the total's sums.
 */
#include "model/core/model.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "model/rows/codes.h"
#include "model/core/dictgc.h"
#include "model/fields/fieldquery.h"
#include "model/rows/rows.h"
#include "model/core/slicerows.h"
#include "model/core/state.h"
#include "model/tree/tree.h"

/* Add the marks that came with a file. */
static int take_marks(struct model *m)
{
	int ret = 0;

	for (size_t i = 0; i < m->info->nmarks && !ret; i++)
		ret = marks_add(&m->marks, m->info->marks[i].time, m->info->marks[i].name);
	return ret;
}

struct model *model_create(const struct session_info *info, size_t budget)
{
	struct model *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->info = info;
	m->budget = budget ? budget : MODEL_BUDGET;
	m->limit = m->budget;
	m->log.most = m->budget / 8;
	m->fieldkeys.limit = m->budget / 4;
	m->history.keys = &m->fieldkeys;
	if (dict_init(&m->dict) || total_init(&m->total, info, m->budget) ||
	    rows_works_create(m) || take_marks(m)) {
		model_free(m);
		return NULL;
	}
	return m;
}

void model_free(struct model *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < MODEL_LOGS; i++)
		free(m->logs[i].text);
	eventlog_clear(&m->log);
	slice_pt_free(m->pt);
	dict_clear(&m->dict);
	auxtotals_clear(&m->aux);
	hostlinks_clear(&m->hosts);
	history_clear(&m->history);
	total_clear(&m->total);
	rows_works_free(m);
	linegroups_clear(&m->lines);
	tree_work_free(m->tree);
	codes_work_free(m->codes);
	fields_work_free(m->fields);
	fieldkeys_free(&m->fieldkeys);
	fieldpaths_free(&m->fieldpaths);
	free(m->state.span);
	free(m->gauges);
	partsums_clear(&m->parts);
	rates_clear(&m->rates);
	marks_clear(&m->marks);
	alerts_clear(&m->alerts);
	free(m->cpus);
	free(m);
}

/* --- taking a slice --------------------------------------------------------------------- */

/* Sum up the event's counts before its first change. */
static void sum_before(const struct model *m, unsigned event, struct rate_before *b)
{
	*b = (struct rate_before){.from = m->total.start};
	for (size_t i = 0; i < m->total.accounts.nr; i++) {
		const struct slice_account *a = &m->total.accounts.span[i].a;

		if (a->event != event)
			continue;
		b->counted += a->counted;
		b->attributed += a->attributed;
		b->samples += a->samples;
		for (int c = 0; c < LOST_NR; c++)
			b->lost += a->lost[c];
		b->enabled += a->enabled;
		b->starved += a->starved;
	}
}

static int take_event_changes(struct model *m, const struct slice *s)
{
	int ret = 0;

	for (size_t i = 0; i < s->nchanges && !ret; i++) {
		struct rate_before before;

		sum_before(m, s->changes[i].event, &before);
		ret = rates_change(&m->rates, &s->changes[i], s->start, &before);
	}
	return ret;
}

/*
 * Sum up the rows for the accounts of s into *span, in their order.  While the kernel's symbols are
 * not read yet its idle task is taken as idle: anything else it does (interrupts) is little.
 */
static void sum_rows(const struct model *m, const struct slice *s, struct accounts *span)
{
	const struct dict *d = &m->dict;
	size_t hint = 0;

	for (size_t i = 0; i < s->nrows; i++) {
		const struct slice_row *r = &s->rows[i];
		uint32_t path = dict_translate(d, DICT_PATH, r->path),
			 task = dict_translate(d, DICT_TASK, r->task);
		uint32_t flags = d->paths[path].flags;
		bool swapper = !d->tasks[task].pid && !d->tasks[task].tid && flags & FRAME_KERNEL;
		struct account_span *to =
			flags & FRAME_LOST ? NULL : accounts_find(span, r->event, r->cpu, hint);

		if (!to)
			continue;
		hint = (size_t)(to - span->span);
		if (d->functions[d->paths[path].function].flags & FUNCTION_LEFT_OUT)
			to->left_out += r->samples;
		if (flags & FRAME_IDLE || (swapper && dict_path_loading(d, path)))
			to->busy.idle += r->weight;
		else if (flags & FRAME_KERNEL)
			to->busy.kernel += r->weight;
		else
			to->busy.user += r->weight;
	}
}

/*
 * Add the accounts with the weight pending before them; the newest pending is kept for the next
 * slice.
 */
static int take_accounts(struct model *m, const struct slice *s, struct history_slice *h)
{
	struct accounts now = {.span = calloc(s->naccounts + 1, sizeof(*now.span)),
			       .nr = s->naccounts};
	int ret = now.span ? 0 : -ENOMEM;

	for (size_t i = 0; i < s->naccounts && !ret; i++)
		now.span[i].a = s->accounts[i];
	if (!ret)
		sum_rows(m, s, &now);
	for (size_t i = 0; i < s->naccounts; i++) {
		struct account_span span =
			now.span ? now.span[i] : (struct account_span){.a = s->accounts[i]};
		struct account_span *state;

		if (span.a.event >= m->info->nevents)
			continue;
		rates_add(&m->rates, &span.a);
		state = accounts_find(&m->state, span.a.event, span.a.cpu, i);
		/*
		 * Nothing is counted in a slice of no length: its pending weight was pending
		 * before.
		 */
		if (state)
			span.before = state->a.pending;
		else if (s->start == s->end && !span.a.counted)
			span.before = span.a.pending;
		if (accounts_add(&m->state, &span, i) ||
		    accounts_add(&m->total.accounts, &span, i) ||
		    (h && accounts_add(&h->accounts, &span, i)))
			ret = -ENOMEM;
	}
	free(now.span);
	m->incomplete |= ret != 0;
	return ret;
}

/* Compute the slice's sums: the increase of the total's.  Call before and after adding its rows. */
static void sums_take(struct model *m, struct history_slice *h, bool before)
{
	for (uint32_t e = 0; e < h->nsums; e++) {
		const struct total_event *t = &m->total.events[e];
		struct history_sum *sum = &h->sums[e];

		sum->weight = before ? t->weight : t->weight - sum->weight;
	}
}

static int take_slice_rows(struct model *m, const struct slice *s, struct history_slice *h)
{
	int ret = 0;

	if (h)
		sums_take(m, h, true);

	for (size_t i = 0; i < s->nrows; i++) {
		struct slice_row r = s->rows[i];

		if (r.event >= m->info->nevents)
			continue;
		r.path = dict_translate(&m->dict, DICT_PATH, r.path);
		r.task = dict_translate(&m->dict, DICT_TASK, r.task);
		if (total_add_row(&m->total, &m->dict, &r)) {
			m->unlisted += r.samples;
			ret = -ENOMEM;
		}
		if (h)
			h->rows[h->nrows++] = r;
	}
	if (!h)
		return ret;
	sums_take(m, h, false);
	slicerows_sort(&m->dict, h->rows, h->nrows);
	return ret;
}

static int take_gauges(struct model *m, const struct slice *s, struct history_slice *h)
{
	if (!s->ngauges)
		return 0;
	if (!vec_reserve(&m->gauges, &m->cap_gauges, s->ngauges, sizeof(*m->gauges)))
		return -ENOMEM;
	memcpy(m->gauges, s->gauges, s->ngauges * sizeof(*m->gauges));
	if (s->ngauges > m->ngauges)
		m->ngauges = s->ngauges;
	if (h) {
		memcpy(h->gauges, s->gauges, s->ngauges * sizeof(*h->gauges));
		h->ngauges = (uint32_t)s->ngauges;
	}
	return total_add_gauges(&m->total, s->gauges, s->ngauges);
}

static int take_aux_areas(struct model *m, const struct slice *s, struct history_slice *h)
{
	if (h && h->aux) {
		memcpy(h->aux, s->aux, s->naux * sizeof(*h->aux));
		h->naux = (uint32_t)s->naux;
	}
	return auxtotals_take(&m->aux, s);
}

static void log_put(struct model *m, struct slice_log *line)
{
	struct slice_log *to = &m->logs[m->nlogs++ % MODEL_LOGS];

	free(to->text);
	*to = *line;
	line->text = NULL;
}

static void take_pt(struct model *m, struct slice *s)
{
	if (!s->pt)
		return;
	slice_pt_free(m->pt);
	m->pt = s->pt;
	s->pt = NULL;
}

static int take_contents(struct model *m, struct slice *s, struct history_slice *h)
{
	int ret = dict_apply(&m->dict, &s->dict), r;

	r = h ? history_slice_reserve(h, s->naux, s->nhosts) : 0;
	ret = ret ? ret : r;
	r = total_rename(&m->total, &m->dict);
	ret = ret ? ret : r;
	r = take_event_changes(m, s);
	ret = ret ? ret : r;
	r = fields_lists(m, s);
	ret = ret ? ret : r;
	r = take_accounts(m, s, h);
	ret = ret ? ret : r;
	r = take_slice_rows(m, s, h);
	ret = ret ? ret : r;
	r = take_gauges(m, s, h);
	ret = ret ? ret : r;
	r = fields_take(m, s, h);
	ret = ret ? ret : r;
	r = partsums_take(m, s, h);
	ret = ret ? ret : r;
	r = eventlog_take(&m->log, s);
	ret = ret ? ret : r;
	r = take_aux_areas(m, s, h);
	ret = ret ? ret : r;
	if (h && h->links)
		hostlinks_links(h, s);
	r = hostlinks_take(&m->hosts, s);
	ret = ret ? ret : r;
	dict_release(&m->dict, &s->dict);
	total_add_self(&m->total, &s->self);
	if (total_full(&m->total)) {
		r = total_settle(&m->total, &m->dict);
		ret = ret ? ret : r;
	}
	return ret;
}

/* --- the budget ------------------------------------------------------------------------- */

#define COLLECT_NS   10000000000ull /* at least so often memory freed by merging is returned */
#define COLLECT_FILE_NS 60000000000ull /* a minute of a file comes in less than a tick, and hardly
					* any of it is returned */
#define COLLECT_FILE_PART 2 /* so not before 1/2 of the budget is used */
#define PRESS_NS     1000000000ull  /* at most this often over budget */

/* Return the bytes of data that is kept for ever. */
static size_t whole_bytes(const struct model *m)
{
	return total_bytes(&m->total) + fieldkeys_bytes(&m->fieldkeys);
}

static void model_collect(struct model *m)
{
	struct seen paths = {.now = 1}, tasks = {.now = 1};
	struct dict *d = &m->dict;

	dict_mark_begin(d);
	total_mark(&m->total, d);
	fieldkeys_mark(&m->fieldkeys, d);
	m->base = dict_marked(d) + whole_bytes(m);
	for (size_t i = 0; i < m->history.nr; i++) {
		const struct history_slice *s = history_at(&m->history, i);

		for (uint32_t r = 0; r < s->nrows; r++) {
			if (seen_meet(&paths, s->rows[r].path))
				dict_mark_path(d, s->rows[r].path);
			if (seen_meet(&tasks, s->rows[r].task))
				dict_mark_task(d, s->rows[r].task);
		}
		partsums_mark(&s->parts, d);
	}
	seen_clear(&paths);
	seen_clear(&tasks);
	dict_collect(d);
	total_collect(&m->total, d);
	m->collected = m->now;
	m->collections++;
}

/*
 * Return the bytes held for the timeline alone: its rows, and dictionary entries only they refer
 * to.
 */
static size_t history_cost(const struct model *m)
{
	size_t live = dict_live(&m->dict) + whole_bytes(m);

	return history_bytes(&m->history) + (live > m->base ? live - m->base : 0);
}

/*
 * Return the history's part: half of the budget at least, however much totals and session ids need.
 */
static size_t history_part(const struct model *m)
{
	size_t budget = m->budget - m->log.bytes;

	return m->base < budget / 2 ? budget - m->base : budget / 2;
}

/* A collection looks at every row: so not each tick, however far over budget. */
static bool collect_due(const struct model *m)
{
	uint64_t since = m->now - m->collected;

	if (since >= PRESS_NS && history_cost(m) > history_part(m))
		return true;
	if (!m->info->live && dict_live(&m->dict) < m->budget / COLLECT_FILE_PART)
		return false;
	return dict_grown(&m->dict) || since >= (m->info->live ? COLLECT_NS : COLLECT_FILE_NS);
}

/*
 * Keep the model within its budget.
 *
 * The dictionary's bytes per byte of history depend on the workload: under a storm of short-lived
 * tasks or nameless addresses they are a multiple.  So the history's limit is adjusted after each
 * collection until both fit, with an eighth to spare until the next collection: lowered by the
 * excess, as a larger step would drop minutes that there is room for, and raised only if it is what
 * bounds the history.
 */
static void model_keep_budget(struct model *m)
{
	uint64_t did = history_done(&m->history);
	size_t cost, part;

	history_shrink(&m->history, &m->dict, m->limit);
	if (!collect_due(m))
		return;
	/*
	 * So that no tick takes long, merging and collecting are not done in the same one; a
	 * collection waits only once.
	 */
	m->put_off = !m->put_off && did != history_done(&m->history);
	if (m->put_off)
		return;
	model_collect(m);
	cost = history_cost(m);
	part = history_part(m) / 8 * 7;
	if (cost > part) {
		m->limit = (size_t)((double)history_bytes(&m->history) * (double)part /
				    (double)cost * 15 / 16);
	} else if (cost < part - part / 8 && m->limit < m->budget &&
		   history_bytes(&m->history) > m->limit - m->limit / 8) {
		m->limit += m->limit / 16;
	}
}

static bool counted(const struct slice *s)
{
	for (size_t i = 0; i < s->naccounts; i++)
		if (s->accounts[i].counted)
			return true;
	return s->nrows;
}

bool model_incomplete(const struct model *m)
{
	return m->incomplete;
}

int model_add(struct model *m, struct slice *s)
{
	struct history_slice *h = history_slice_create(s->nrows, s->naccounts, s->ngauges,
						       m->info->nevents);
	int ret = h ? 0 : -ENOMEM, r = take_contents(m, s, h);

	ret = ret ? ret : r;
	m->added++;
	for (size_t i = 0; i < s->nlogs; i++)
		if (s->logs[i].text)
			log_put(m, &s->logs[i]);
	take_pt(m, s);
	codes_take(m, s);
	memcpy(m->helpers, s->helpers, sizeof(m->helpers));
	m->recording = s->recording;
	m->progress = (double)s->progress;
	if (!m->total.end)
		m->total.start = s->start;
	m->now = m->total.end = s->end;
	if (counted(s))
		m->counted = s->end;
	if (h) {
		h->start = s->start;
		h->end = s->end;
		h->self = s->self;
		if (history_append(&m->history, h)) {
			history_slice_free(h);
			ret = -ENOMEM;
		}
	}
	slice_free(s);
	model_keep_budget(m);
	return ret;
}

void model_zero(struct model *m)
{
	history_clear(&m->history);
	total_reset(&m->total, m->now);
	eventlog_clear(&m->log);
	fields_reset(m);
	rows_forget(m);
	tree_forget(m);
	auxtotals_reset(&m->aux);
	hostlinks_reset(&m->hosts);
	rates_reset(&m->rates, m->now);
	marks_clear(&m->marks);
	alerts_clear(&m->alerts);
}

void model_rewind(struct model *m)
{
	struct marks marks = m->marks;

	m->marks = (struct marks){.nr = 0};
	model_zero(m);
	m->marks = marks;
	m->state.nr = 0;
	m->now = m->counted = m->collected = m->total.end = 0;
}

int model_mark(struct model *m, uint64_t time, const char *name)
{
	return marks_add(&m->marks, time, name);
}

size_t model_marks(const struct model *m, const struct mark **marks)
{
	*marks = m->marks.mark;
	return m->marks.nr;
}

struct alerts *model_alerts(struct model *m)
{
	return &m->alerts;
}

/* --- what is there ---------------------------------------------------------------------- */

uint64_t model_now(const struct model *m)
{
	return m->now;
}

uint64_t model_counted(const struct model *m)
{
	return m->counted;
}

double model_progress(const struct model *m)
{
	return m->progress;
}

const struct sandbox_figures *model_helpers(const struct model *m)
{
	return m->helpers;
}

const struct rate *model_next_rate(const struct model *m, unsigned event, const struct rate *last)
{
	return rates_next(&m->rates, event, last);
}

const struct slice_recording *model_recording(const struct model *m)
{
	return m->recording.state == RECORDING_NONE ? NULL : &m->recording;
}

uint64_t model_first(const struct model *m)
{
	return m->history.nr ? history_at(&m->history, 0)->start : m->now;
}

const struct session_info *model_info(const struct model *m)
{
	return m->info;
}

size_t model_logs(const struct model *m, const struct slice_log **logs, size_t nr)
{
	size_t held = m->nlogs < MODEL_LOGS ? m->nlogs : MODEL_LOGS, i;

	for (i = 0; i < nr && i < held; i++)
		logs[i] = &m->logs[(m->nlogs - 1 - i) % MODEL_LOGS];
	return i;
}

const struct slice_pt *model_pt(const struct model *m)
{
	return m->pt;
}

bool model_unlined(const struct model *m)
{
	return m->lines.unlined;
}

void model_memory(const struct model *m, struct model_memory *mem)
{
	*mem = (struct model_memory){
		.bytes = history_bytes(&m->history) + dict_bytes(&m->dict) +
			 total_bytes(&m->total) + codes_bytes(m->codes) + m->log.bytes +
			 fieldkeys_bytes(&m->fieldkeys) + fields_work_bytes(m->fields) +
			 fieldpaths_bytes(&m->fieldpaths) + rows_works_bytes(m) +
			 linegroups_bytes(&m->lines),
		.slices = m->history.nr,
		.merged = m->history.merged,
		.forgotten = m->history.forgotten,
	};
}
