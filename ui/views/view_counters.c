/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts and rates are of the window, the total is since the start or 'z'.  Where a counter was on
 * the hardware for a part of the time only, counts are scaled estimates (~), with the share of time
 * beside them.
 */
#include "ui/views/view_counters.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/namefold.h"
#include "base/text.h"
#include "base/units.h"
#include "base/vec.h"
#include "model/core/counters.h"
#include "model/core/ratios.h"
#include "ui/app/app.h"
#include "ui/parts/details.h"
#include "ui/parts/hosttexts.h"
#include "ui/parts/rowlist.h"
#include "ui/parts/widget.h"

struct counters_state {
	uint64_t open; /* bit (counter modulo 64): its CPUs or threads are shown, too */
	struct view_counters_row *row; /* owned; see counters_state_free */
	size_t nr, cap;
	double seconds; /* length of the window */
};

static struct counters_state *counters_state(const struct app *a)
{
	return a->state[VIEW_COUNTERS];
}

enum kind { ROW_COUNTER, ROW_PART, ROW_RATIO };

struct view_counters_row {
	enum kind kind;
	unsigned counter;
	int16_t cpu;              /* cpu, tid: of a ROW_PART */
	int32_t tid;
	struct counter_sum sum, all; /* in the window; since the start or 'z' */
	struct ratio ratio;
};

static void counters_state_free(void *state)
{
	struct counters_state *s = state;

	free(s->row);
}

/* --- rows --------------------------------------------------------------------------------- */

static bool is_open(const struct counters_state *s, unsigned counter)
{
	return s->open >> counter % 64 & 1;
}

/* Add a row for each part in the whole run, also if it did not count in the window. */
static bool add_parts(struct counters_state *s, unsigned counter,
		      const struct slice_counter *of, size_t nr, const struct slice_counter *all,
		      size_t nall)
{
	bool ok = true;

	for (size_t i = 0; i < nall && ok; i++) {
		struct view_counters_row r = {.kind = ROW_PART,
					      .counter = counter,
					      .cpu = all[i].cpu,
					      .tid = all[i].tid,
					      .all = counters_sum(&all[i], 1)};

		for (size_t k = 0; k < nr; k++)
			if (of[k].cpu == all[i].cpu && of[k].tid == all[i].tid)
				r.sum = counters_sum(&of[k], 1);
		ok = VEC_PUSH(s->row, s->nr, s->cap, r);
	}
	return ok;
}

static bool add_counter(struct counters_state *s, unsigned counter,
			const struct partsum *window, const struct partsum *whole)
{
	size_t nr, nall;
	const struct slice_counter *of = counters_of(window, counter, &nr),
				   *all = counters_of(whole, counter, &nall);
	const struct view_counters_row r = {.counter = counter, .sum = counters_sum(of, nr),
					    .all = counters_sum(all, nall)};

	return VEC_PUSH(s->row, s->nr, s->cap, r) &&
	       (!is_open(s, counter) || add_parts(s, counter, of, nr, all, nall));
}

static bool add_ratios(struct app *a, const struct partsum *window)
{
	struct counters_state *s = counters_state(a);
	struct ratio ratios[RATIOS_MAX];
	size_t nr;
	bool ok = true;

	nr = ratios_make(model_info(a->model), window, s->seconds, ratios);
	for (size_t i = 0; i < nr && ok; i++) {
		const struct view_counters_row r = {
			.kind = ROW_RATIO, .counter = ratios[i].of, .ratio = ratios[i]};

		ok = VEC_PUSH(s->row, s->nr, s->cap, r);
	}
	return ok;
}

/* Make all rows for the window.  False: out of memory. */
static bool make_counter_rows(struct app *a)
{
	struct counters_state *s = counters_state(a);
	const struct session_info *info = model_info(a->model);
	const struct partsum *whole = model_partsum(a->model, PART_COUNTERS, WINDOW_ALL);
	const struct partsum *window = model_partsum(a->model, PART_COUNTERS, app_window(a));
	struct head head;
	bool ok = window;

	model_head(a->model, a->event, app_window(a), &head);
	s->seconds = head.seconds;
	s->nr = 0;
	for (unsigned i = 0; i < info->ncounters && ok; i++)
		ok = add_counter(s, i, window, whole);
	return ok && add_ratios(a, window);
}

static const struct session_counter *counter_of_row(const struct app *a,
						    const struct view_counters_row *r)
{
	return &model_info(a->model)->counters[r->counter];
}

/* --- cells -------------------------------------------------------------------------------- */

/* Format a value in the counter's unit, with ~ if it is an estimate. */
static enum role put_amount(const struct session_counter *c, const struct counter_sum *s,
			    double value, char *buf, size_t size)
{
	const char *estimate = s->running < s->enabled ? "~" : "";
	char n[UNITS_LEN];

	if (isnan(value))
		snprintf(buf, size, "-");
	else if (!strcmp(c->unit, "ns"))
		snprintf(buf, size, "%s%s", units_span(n, (uint64_t)llround(value)), estimate);
	else if (c->scale != 1.0f)
		snprintf(buf, size, "%.2f%s", value, estimate);
	else
		snprintf(buf, size, "%s%s", units_count(n, value), estimate);
	return isnan(value) ? ROLE_DIM : ROLE_TEXT;
}

static enum role text_counter_count(const struct widget_cell *cell, char *buf, size_t size)
{
	const struct view_counters_row *r = cell->row;
	const struct session_counter *c = counter_of_row(cell->ctx, r);

	if (r->kind != ROW_RATIO)
		return put_amount(c, &r->sum, counter_scaled(c, &r->sum), buf, size);
	if (isnan(r->ratio.value))
		snprintf(buf, size, "-");
	else
		snprintf(buf, size, "%.2f", r->ratio.value);
	return isnan(r->ratio.value) ? ROLE_DIM : ROLE_STRONG;
}

static enum role text_counter_rate(const struct widget_cell *cell, char *buf, size_t size)
{
	const struct view_counters_row *r = cell->row;
	const struct session_counter *c = counter_of_row(cell->ctx, r);
	double s = counters_state(cell->ctx)->seconds;

	*buf = '\0';
	if (r->kind == ROW_RATIO)
		return ROLE_TEXT;
	return put_amount(c, &r->sum, s > 0 ? counter_scaled(c, &r->sum) / s : NAN, buf, size);
}

static enum role text_counter_total(const struct widget_cell *cell, char *buf, size_t size)
{
	const struct view_counters_row *r = cell->row;
	const struct session_counter *c = counter_of_row(cell->ctx, r);

	*buf = '\0';
	return r->kind == ROW_RATIO ? ROLE_TEXT
				    : put_amount(c, &r->all, counter_scaled(c, &r->all), buf, size);
}

static enum role text_counter_share(const struct widget_cell *cell, char *buf, size_t size)
{
	const struct view_counters_row *r = cell->row;
	double share = counter_share(&r->sum);

	*buf = '\0';
	if (r->kind == ROW_RATIO)
		return ROLE_TEXT;
	widget_percent(buf, size, share);
	return share < 1 ? ROLE_WARN : ROLE_DIM;
}

static enum role text_counter_trend(const struct widget_cell *cell, char *buf, size_t size)
{
	const struct view_counters_row *r = cell->row;
	const struct app *a = cell->ctx;
	float trend[TREND_NR];

	*buf = '\0';
	if (r->kind != ROW_COUNTER)
		return ROLE_TREND;
	model_counter_trend(a->model, r->counter, app_window(a), trend);
	widget_trend(buf, size, trend, TREND_NR, a->scene.ascii);
	return ROLE_TREND;
}

static void counter_part_name(const struct app *a, const struct view_counters_row *r, char *buf,
			      size_t size)
{
	int cpu = session_place(model_info(a->model), r->cpu).cpu;
	char host[NAMES_BYTES];
	size_t pos;

	hosttexts_cell(a, r->cpu, host, sizeof(host));
	pos = text_append(buf, size, 0, "    %s%s", host, *host ? " " : "");
	if (cpu >= 0)
		pos = text_append(buf, size, pos, "cpu %d%s", cpu, r->tid ? " " : "");
	if (r->tid)
		text_append(buf, size, pos, "thread %d", r->tid);
}

/* Format the name with a mark whether it can be unfolded, its group and its unit. */
static enum role text_counter_name(const struct widget_cell *cell, char *buf, size_t size)
{
	const struct view_counters_row *r = cell->row;
	const struct app *a = cell->ctx;
	const struct session_counter *c = counter_of_row(a, r);
	size_t pos;

	if (r->kind == ROW_PART) {
		counter_part_name(a, r, buf, size);
		return ROLE_DIM;
	}
	if (r->kind == ROW_RATIO) {
		text_append(buf, size, 0, "= %s%s%s", r->ratio.name, *r->ratio.unit ? ", " : "",
			    r->ratio.unit);
		return rowlist_found(r->ratio.name, a->search) && *a->search ? ROLE_MATCH
									  : ROLE_STRONG;
	}
	pos = text_append(buf, size, 0, "%s ", is_open(counters_state(a), r->counter) ? "▾" : "▸");
	if (c->group)
		pos = text_append(buf, size, pos, "{%u} ", c->group);
	pos += text_escape(buf + pos, size - pos, c->name);
	if (*c->unit && strcmp(c->unit, "ns") != 0) {
		pos = text_append(buf, size, pos, ", ");
		text_escape(buf + pos, size - pos, c->unit);
	}
	return *a->search && rowlist_found(c->name, a->search) ? ROLE_MATCH
	       : *c->why				    ? ROLE_DIM
							    : ROLE_TEXT;
}

/* Write why a figure is missing or only an estimate; "": no reason. */
static void write_counter_reason(const struct app *a, const struct view_counters_row *r, char *buf,
				 size_t size)
{
	const struct session_counter *c = counter_of_row(a, r);

	*buf = '\0';
	if (r->kind == ROW_RATIO)
		text_append(buf, size, 0, "%s", r->ratio.why ? r->ratio.why : "");
	else
		text_escape(buf, size, counter_why(c, &r->sum));
}

static enum role text_why(const struct widget_cell *cell, char *buf, size_t size)
{
	write_counter_reason(cell->ctx, cell->row, buf, size);
	return ROLE_WARN;
}

enum { COL_COUNT, COL_RATE, COL_SHARE, COL_TREND, COL_TOTAL, COL_NAME, COL_WHY, COL_NR };

static const struct widget_column columns[COL_NR] = {
	[COL_COUNT] = {"COUNT", 9, 0, 0, 0, true, -1, text_counter_count, NULL},
	[COL_RATE] = {"PER SEC", 9, 0, 0, 1, true, -1, text_counter_rate, NULL},
	[COL_SHARE] = {"RUN%", 6, 0, 0, 2, true, -1, text_counter_share,
	 "share of the time that the counter was on the hardware: below 100 % the count is scaled"},
	[COL_TREND] = {"TREND", TREND_NR, 0, 0, 4, false, -1, text_counter_trend,
	 "its rate in each tenth of the window, oldest first, on its own scale"},
	[COL_TOTAL] = {"TOTAL", 9, 0, 0, 3, true, -1, text_counter_total,
	 "since the start or z"},
	[COL_NAME] = {"COUNTER", 20, 1, 48, 0, false, -1, text_counter_name,
	 "the event, and ratios of several events"},
	[COL_WHY] = {"", 10, 2, 0, 5, false, -1, text_why, NULL},
};

/* --- the list ----------------------------------------------------------------------------- */

static uint64_t counter_row_key(const void *rows, size_t i)
{
	const struct view_counters_row *r = &((const struct counters_state *)rows)->row[i];

	if (r->kind == ROW_RATIO)
		return 1ull << 62 | (uint64_t)r->ratio.of << 24 | (uint64_t)r->ratio.by << 8 |
		       (unsigned char)r->ratio.unit[0];
	return (uint64_t)r->counter << 48 | (uint64_t)(uint16_t)(r->cpu + 2) << 32 |
	       (uint32_t)r->tid | (r->kind == ROW_COUNTER ? 1ull << 63 : 0);
}

static bool counter_matches(const void *ctx, size_t i, const char *search)
{
	const struct app *a = ctx;
	const struct view_counters_row *r = &counters_state(a)->row[i];

	return r->kind != ROW_PART &&
	       rowlist_found(r->kind == ROW_RATIO ? r->ratio.name : counter_of_row(a, r)->name,
			  search);
}

static uint64_t counter_key_at(const void *ctx, size_t i)
{
	return counter_row_key(counters_state(ctx), i);
}

static void draw_no_counters(struct app *a, struct rect at)
{
	static const char *const lines[] = {
		"no event is only counted, all are sampled: use -S EVENTS",
		"-S default                 events of perf stat, as far as supported here",
		"-S '{cycles,instructions}' a group: counted together, with their ratios",
		"-S 'sched:*'               tracepoints; ringtop --list has them all",
	};

	list_sync(&a->table[a->view].list, &(struct list_rows){a, 0, counter_key_at, NULL, NULL},
		  0);
	widget_hints(&a->scene, (struct rect){at.y, at.x + 2, at.rows, at.cols - 2}, lines,
		     sizeof(lines) / sizeof(lines[0]));
}

/* Draw the row's reason; returns the number of lines used. */
static int draw_counter_reason(struct app *a, const struct view_counters_row *r, struct rect at)
{
	char text[2 * NAMES_BYTES];
	size_t pos = text_escape(text, sizeof(text),
				 r->kind == ROW_RATIO ? r->ratio.name : counter_of_row(a, r)->name);
	size_t name = text_append(text, sizeof(text), pos, ": ");

	write_counter_reason(a, r, text + name, sizeof(text) - name);
	return r->kind != ROW_PART && text[name] ? widget_text(&a->scene, at, ROLE_DIM, text) : 0;
}

/* Draw the reasons below the rows if they have no column; of: for this row only, or NULL. */
static void draw_reasons(struct app *a, const struct widget_table *t, struct rect at,
			 const struct view_counters_row *of)
{
	struct counters_state *s = counters_state(a);
	struct rect line = {at.y, at.x + 2, at.rows, at.cols - 2};

	for (size_t i = 0; i < s->nr && !t->width[COL_WHY] && at.cols > 20; i++) {
		const struct view_counters_row *r = &s->row[i];
		int took = !of || of == r ? draw_counter_reason(a, r, line) : 0;

		line.y += took;
		line.rows -= took;
	}
}

static void draw_counters(struct app *a, struct rect at)
{
	struct counters_state *s = counters_state(a);
	struct widget_table t = {.columns = columns, .nr = COL_NR};
	struct list *list = &a->table[a->view].list;
	int head = at.rows > 2 ? 1 : 0, rows;
	char why[NAMES_BYTES];
	bool full;

	if (!model_info(a->model)->ncounters) {
		draw_no_counters(a, at);
		return;
	}
	if (!make_counter_rows(a)) {
		scene_fit(&a->scene, at.y, 1, -1, ROLE_BAD, "out of memory: no counters");
		return;
	}
	widget_table_layout(&t, at.cols > 20 ? 2 : 1, at.cols, 0);
	if (head)
		widget_table_head(&a->scene, at.y, at.cols, &t, NULL, -1, false);
	rows = at.rows - head;
	full = s->nr >= (size_t)rows;
	list_sync(
		list,
		&(struct list_rows){a, s->nr, counter_key_at, counter_matches, a->search},
		(size_t)rows);
	if (full && rows > 3 && !t.width[COL_WHY]) {
		write_counter_reason(a, &s->row[list->index], why, sizeof(why));
		rows -= *why != '\0';
		list_sync(list,
			  &(struct list_rows){a, s->nr, counter_key_at, counter_matches,
					      a->search},
			  (size_t)rows);
	}
	for (size_t i = list->top; i < s->nr && (int)(i - list->top) < rows; i++) {
		int y = at.y + head + (int)(i - list->top);

		widget_table_row(&a->scene, y, at.cols, &t, a, &s->row[i], i == list->index);
		app_zone(a, (struct rect){y, 0, 1, at.cols}, ZONE_ROW, i, NULL);
	}
	if (full)
		draw_reasons(
			a, &t,
			(struct rect){at.y + head + rows, at.x, at.rows - head - rows, at.cols},
			&s->row[list->index]);
	else
		draw_reasons(a, &t, (struct rect){at.y + head + (int)s->nr, at.x,
						  rows - (int)s->nr, at.cols}, NULL);
}

/* --- the selected row --------------------------------------------------------------------- */

static const struct view_counters_row *selected_counter(struct app *a)
{
	struct counters_state *s = counters_state(a);
	size_t i = a->table[a->view].list.index;

	return model_info(a->model)->ncounters && make_counter_rows(a) && i < s->nr
		       ? &s->row[i]
		       : NULL;
}

static bool step_counters(struct app *a, enum view_step step)
{
	const struct view_counters_row *r = step == STEP_OPEN ? selected_counter(a) : NULL;

	if (!r || r->kind == ROW_RATIO)
		return false;
	counters_state(a)->open ^= 1ull << r->counter % 64;
	return true;
}

static void details_ratio(const struct app *a, const struct ratio *r, struct details *d)
{
	const struct session_counter *counters = model_info(a->model)->counters;
	char of[NAMES_BYTES], by[NAMES_BYTES];

	text_escape(of, sizeof(of), counters[r->of].name);
	text_escape(by, sizeof(by), counters[r->by].name);
	details_add(d, ROLE_STRONG, "ratio", "%s", r->name);
	details_add(d, ROLE_TEXT, "of", "%s / %s", of, r->of == r->by ? "the window's time" : by);
	if (r->why)
		details_add(d, ROLE_WARN, "none", "%s", r->why);
}

static void counter_details(struct app *a, struct details *d)
{
	const struct view_counters_row *r = selected_counter(a);
	const struct session_counter *c = r ? counter_of_row(a, r) : NULL;
	char text[NAMES_BYTES], n[UNITS_LEN];

	if (!r) {
		details_add(d, ROLE_DIM, "", "no counter is selected");
		return;
	}
	if (r->kind == ROW_RATIO) {
		details_ratio(a, &r->ratio, d);
		return;
	}
	text_escape(text, sizeof(text), c->name);
	details_add(d, ROLE_STRONG, "counter", "%s", text);
	details_add(d, ROLE_TEXT, "count", "%llu as read, %llu since the start",
		    (unsigned long long)r->sum.count, (unsigned long long)r->all.count);
	details_add(d, ROLE_TEXT, "enabled", "%s", units_span(n, r->sum.enabled));
	details_add(d, r->sum.running < r->sum.enabled ? ROLE_WARN : ROLE_TEXT, "running", "%s",
		    units_span(n, r->sum.running));
	if (*c->filter) {
		text_escape(text, sizeof(text), c->filter);
		details_add(d, ROLE_TEXT, "filter", "%s", text);
	}
	if (c->group)
		details_add(d, ROLE_TEXT, "group", "%u: counted together", c->group);
	write_counter_reason(a, r, text, sizeof(text));
	if (*text)
		details_add(d, ROLE_WARN, "why", "%s", text);
}

const struct view_ops view_counters = {
	.state_size = sizeof(struct counters_state),
	.state_free = counters_state_free,
	.columns = columns,
	.ncolumns = COL_NR,
	.keys = "help search open details freeze wider narrower earlier later zero pause quit",
	.draw = draw_counters,
	.details = counter_details,
	.step = step_counters,
};
