/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rates are of the screen's window, counts since the start or 'z'.  Figures that the driver does
 * not report are shown as '-', with the reason below.
 */
#include "ui/views/view_aux.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/text.h"
#include "base/units.h"
#include "model/judge/condition_actions.h"
#include "ui/app/app.h"
#include "ui/parts/details.h"
#include "ui/parts/hosttexts.h"
#include "ui/views/view_aux_pt.h"
#include "ui/parts/widget.h"

#define SNAPSHOTS_MAX 64
#define NOTHING_ROWS  4 /* rows of text where no AUX event is open */

/* An AUX area's figures in the window, and since the start or 'z'. */
struct area {
	struct aux window, all;
};

/* --- cells of an area --------------------------------------------------------------------- */

static enum role text_area_cpu(const struct widget_cell *cell, char *buf, size_t size)
{
	const struct slice_aux *a = &((const struct area *)cell->row)->all.now;
	int cpu = session_place(model_info(((const struct app *)cell->ctx)->model), a->cpu).cpu;

	if (cpu >= 0)
		snprintf(buf, size, "%d", cpu);
	else
		snprintf(buf, size, "t%d", a->tid);
	return ROLE_TEXT;
}

static enum role text_area_host(const struct widget_cell *cell, char *buf, size_t size)
{
	hosttexts_cell(cell->ctx, ((const struct area *)cell->row)->all.now.cpu, buf, size);
	return ROLE_TEXT;
}

static enum role text_area_trend(const struct widget_cell *cell, char *buf, size_t size)
{
	const struct area *a = cell->row;

	*buf = '\0';
	if (a->window.rate >= 0)
		widget_trend(buf, size, a->window.trend, TREND_NR,
			     ((const struct app *)cell->ctx)->scene.ascii);
	return ROLE_GAUGE;
}

static enum role text_area_rate(const struct widget_cell *cell, char *buf, size_t size)
{
	const struct area *a = cell->row;
	char n[UNITS_LEN];

	/* No rate is known, or nothing is traced there: that is no rate of 0. */
	if (a->window.rate < 0 || a->all.now.state == RING_OFFLINE) {
		snprintf(buf, size, "-");
		return ROLE_DIM;
	}
	snprintf(buf, size, "%s/s%s", units_bytes(n, a->window.rate),
		 a->window.measured ? "~" : "");
	return ROLE_STRONG;
}

WIDGET_CELL(text_area_bytes, bytes, struct area, all.sum.bytes)
WIDGET_CELL(text_held, span, struct area, window.held_ns)
WIDGET_CELL(text_age, span, struct area, all.now.age_ns)
WIDGET_CELL(text_truncated, loss, struct area, all.sum.truncated)
WIDGET_CELL(text_collision, loss, struct area, all.sum.collision)
WIDGET_CELL(text_partial, loss, struct area, all.sum.partial)
WIDGET_CELL(text_gaps, loss, struct area, all.sum.gaps)

/* Format the area's current problem. */
static enum role text_area_note(const struct widget_cell *cell, char *buf, size_t size)
{
	const struct area *a = cell->row;
	char n[UNITS_LEN];

	*buf = '\0';
	if (a->all.now.state == RING_OFFLINE)
		snprintf(buf, size, "offline");
	else if (a->window.sum.records == GAUGE_UNKNOWN)
		snprintf(buf, size, "not read");
	else if (a->window.sum.truncated)
		snprintf(buf, size, "← OVERRUN, resumed %s×",
			 units_count(n, (double)a->window.sum.restarts));
	else if (a->window.sum.lost_records)
		snprintf(buf, size, "← records lost");
	else if (a->all.now.snapshots)
		snprintf(buf, size, "copied");
	return ROLE_WARN;
}

#define COL_HOST 1u /* bit of the first column, hidden unless there are several hosts */

static const struct widget_column columns[] = {
	{"HOST", 8, 1, 24, 0, false, -1, text_area_host, NULL},
	{"CPU", 4, 0, 0, 0, true, -1, text_area_cpu, NULL},
	{"TREND", TREND_NR, 0, 0, 8, false, -1, text_area_trend,
	 "bytes in each tenth of the window, oldest first, on its own scale"},
	{"RATE", 8, 0, 0, 0, true, -1, text_area_rate, "trace bytes per second"},
	{"BYTES", 6, 0, 10, 4, true, -1, text_area_bytes, "trace in the window"},
	{"HELD", 7, 0, 10, 1, true, -1, text_held, "time that the area holds"},
	{"TRUNC", 5, 0, 0, 2, true, -1, text_truncated, "times the area was full"},
	{"COLL", 5, 0, 0, 6, true, -1, text_collision, "number of times two events collided"},
	{"PART", 5, 0, 0, 5, true, -1, text_partial, "times a part was missing"},
	{"GAPS", 5, 0, 0, 3, true, -1, text_gaps, "times trace was lost in between"},
	{"LAST", 8, 0, 0, 7, true, -1, text_age, "time since last trace"},
	{"", 8, 1, 40, 9, false, -1, text_area_note, NULL},
};

/* --- cells of a snapshot ------------------------------------------------------------------ */

static enum role text_nr(const struct widget_cell *cell, char *buf, size_t size)
{
	snprintf(buf, size, "%u", ((const struct slice_snapshot *)cell->row)->nr);
	return ROLE_TEXT;
}

static enum role text_taken(const struct widget_cell *cell, char *buf, size_t size)
{
	const struct slice_snapshot *s = cell->row;
	time_t seconds = (time_t)(s->wall / NSEC_PER_SEC);
	struct tm tm;
	size_t n;

	*buf = '\0';
	if (!localtime_r(&seconds, &tm))
		return ROLE_DIM;
	n = strftime(buf, size, "%H:%M:%S", &tm);
	snprintf(buf + n, size - n, ".%03u", (unsigned)(s->wall / NSEC_PER_MSEC % 1000));
	return ROLE_TEXT;
}

WIDGET_CELL(text_snapshot_size, bytes, struct slice_snapshot, bytes)
WIDGET_CELL(text_shared, bytes, struct slice_snapshot, shared)
WIDGET_CELL(text_stopped, span, struct slice_snapshot, stopped_ns)
WIDGET_CELL(text_reason, name, struct slice_snapshot, reason)

static enum role text_snapshot_kind(const struct widget_cell *cell, char *buf, size_t size)
{
	snprintf(buf, size, "%s",
		 snapshot_kind_names[((const struct slice_snapshot *)cell->row)->kind]);
	return ROLE_TEXT;
}

/* Shorten a name at its beginning: its end tells one snapshot from the others. */
static void keep_end(const struct scene *s, char *text, int width)
{
	static const char mark[] = "…";
	char *at = text;

	if (scene_width(s, text) <= width)
		return;
	while (*at && scene_width(s, at) >= width)
		for (at++; ((unsigned char)*at & 0xc0) == 0x80;)
			at++;
	if (at - text < (long)sizeof(mark) - 1)
		return; /* too narrow to distinguish names anyway */
	memmove(text + sizeof(mark) - 1, at, strlen(at) + 1);
	memcpy(text, mark, sizeof(mark) - 1);
}

/* Format the file; a failed snapshot has none, so the room is for the reason. */
static enum role text_file(const struct widget_cell *cell, char *buf, size_t size)
{
	const struct slice_snapshot *s = cell->row;
	enum role role;

	if (s->state == SNAPSHOT_FAILED) {
		widget_name(buf, size, s->error);
		return ROLE_BAD;
	}
	role = widget_name(buf, size, s->file);
	keep_end(&((const struct app *)cell->ctx)->scene, buf, cell->width);
	return role;
}

static enum role text_state(const struct widget_cell *cell, char *buf, size_t size)
{
	const struct slice_snapshot *s = cell->row;
	char n[UNITS_LEN];

	if (s->state == SNAPSHOT_FAILED) {
		snprintf(buf, size, "FAILED");
		return ROLE_BAD;
	}
	snprintf(buf, size, "%s", snapshot_state_names[s->state]);
	if (s->written_ns)
		snprintf(buf, size, "written, %s", units_span(n, s->written_ns));
	return s->state == SNAPSHOT_WRITING ? ROLE_WARN : ROLE_TEXT;
}

static enum role text_taker(const struct widget_cell *cell, char *buf, size_t size)
{
	const struct session_info *info = model_info(((const struct app *)cell->ctx)->model);
	uint16_t host = ((const struct slice_snapshot *)cell->row)->host;

	text_escape(buf, size, host < info->nhosts ? info->hosts[host].name : "");
	return ROLE_TEXT;
}

static const struct widget_column snapshot_columns[] = {
	{"HOST", 8, 1, 24, 0, false, -1, text_taker, NULL},
	{"#", 3, 0, 0, 0, true, -1, text_nr, NULL},
	{"TAKEN", 12, 0, 0, 1, false, -1, text_taken, NULL},
	{"WHAT", 5, 0, 0, 5, false, -1, text_snapshot_kind, NULL},
	{"SIZE", 6, 0, 0, 2, true, -1, text_snapshot_size, NULL},
	{"SHARED", 6, 0, 0, 7, true, -1, text_shared, NULL},
	{"STOOD", 8, 0, 0, 6, true, -1, text_stopped, NULL},
	{"WHY", 8, 2, 30, 4, false, -1, text_reason, NULL},
	{"FILE", 23, 3, 80, 3, false, -1, text_file, NULL},
	{"STATE", 16, 1, 18, 0, false, -1, text_state, NULL},
};

#define NR(array) (sizeof(array) / sizeof((array)[0]))

/* --- the view ----------------------------------------------------------------------------- */

static uint64_t area_key_at(const void *rows, size_t i)
{
	(void)rows;
	return i + 1; /* an area is identified by its index */
}

static void area_get(const struct app *a, size_t i, struct area *area)
{
	model_aux(a->model, i, app_window(a), &area->window);
	model_aux(a->model, i, WINDOW_ALL, &area->all);
}

/* Append the conditions that take snapshots: the first one's text and the number of others. */
static void say_armed(const struct app *a, char *text, size_t size, size_t pos)
{
	const struct conditions *w = a->options.conditions;
	const struct condition *t = NULL;
	char condition[120];
	unsigned nr = 0;

	for (unsigned i = w ? w->nr : 0; i-- > 0;) {
		if (w->of[i].does != CONDITIONS_SNAPSHOT)
			continue;
		t = &w->of[i].trigger;
		nr++;
	}
	if (!t)
		return;
	text_escape(condition, sizeof(condition), t->text);
	pos = text_append(text, size, pos, "  %s %s", t->fired ? "fired:" : "armed:", condition);
	if (nr > 1)
		text_append(text, size, pos, " and %u more", nr - 1);
}

static void say_sampled(const struct app *a, char *text, size_t size)
{
	uint64_t samples = 0, bytes = 0;
	char n[UNITS_LEN], b[UNITS_LEN];

	for (size_t i = 0; i < model_naux(a->model); i++) {
		struct aux x;

		model_aux(a->model, i, WINDOW_ALL, &x);
		samples = gauge_sum(samples, x.sum.samples);
		bytes = gauge_sum(bytes, x.sum.sample_bytes);
	}
	if (samples)
		text_append(text, size, strlen(text), "  %s samples with %s of it",
			    units_count(n, (double)samples), units_bytes(b, (double)bytes));
}

/* Draw a line about the traced event; returns the number of rows used. */
static int draw_aux_title(struct app *a, struct rect at)
{
	const struct session_info *info = model_info(a->model);
	char text[600], name[256], size[UNITS_LEN];
	struct aux first;

	if (at.rows < 3)
		return 0;
	model_aux(a->model, 0, WINDOW_ALL, &first);
	text_escape(name, sizeof(name), info->aux_event);
	snprintf(text, sizeof(text), " %s  %s  %s per %s", name, aux_mode_names[first.now.mode],
		 units_bytes(size, (double)first.now.size),
		 session_place(info, first.now.cpu).cpu < 0 ? "thread" : "CPU");
	say_sampled(a, text, sizeof(text));
	say_armed(a, text, sizeof(text), strlen(text));
	scene_fit(&a->scene, at.y, 0, at.cols, ROLE_STRONG, text);
	return 1;
}

/* Draw the reason why there is no rate, once for all areas; returns the number of rows used. */
static int draw_no_rate_reason(struct app *a, struct rect at)
{
	size_t nr = model_naux(a->model);
	char text[200];

	for (size_t i = 0; i < nr && at.rows > 0; i++) {
		struct aux x;

		model_aux(a->model, i, app_window(a), &x);
		if (!x.why || x.now.state == RING_OFFLINE)
			continue;
		snprintf(text, sizeof(text), " - : %s", x.why);
		scene_fit(&a->scene, at.y, 0, at.cols, ROLE_DIM, text);
		return 1;
	}
	return 0;
}

static void draw_areas(struct app *a, struct rect at)
{
	struct widget_table t = {.columns = columns, .nr = NR(columns)};
	struct list *list = &a->table[a->view].list;
	size_t n = model_naux(a->model);
	int head = at.rows > 1 ? 1 : 0;

	widget_table_layout(&t, 1, at.cols, model_info(a->model)->nhosts > 1 ? 0 : COL_HOST);
	if (head)
		widget_table_head(&a->scene, at.y, at.cols, &t, NULL, -1, false);
	list_sync(list, &(struct list_rows){NULL, n, area_key_at, NULL, NULL},
		  (size_t)(at.rows - head));
	for (size_t i = list->top; i < n && (int)(i - list->top) < at.rows - head; i++) {
		int y = at.y + head + (int)(i - list->top);
		struct area area;

		area_get(a, i, &area);
		widget_table_row(&a->scene, y, at.cols, &t, a, &area,
				 list->touched && i == list->index);
		app_zone(a, (struct rect){y, 0, 1, at.cols}, ZONE_ROW, i, NULL);
	}
}

static void draw_snapshots(struct app *a, struct rect at)
{
	struct widget_table t = {.columns = snapshot_columns, .nr = NR(snapshot_columns)};
	const struct slice_snapshot *snapshots[SNAPSHOTS_MAX];
	size_t n = model_snapshots(a->model, snapshots, SNAPSHOTS_MAX);

	if (at.rows < 2 || !n)
		return;
	widget_table_layout(&t, 1, at.cols, model_info(a->model)->nhosts > 1 ? 0 : COL_HOST);
	widget_table_head(&a->scene, at.y, at.cols, &t, NULL, -1, false);
	for (size_t i = 0; i < n && (int)i < at.rows - 1; i++)
		widget_table_row(&a->scene, at.y + 1 + (int)i, at.cols, &t, a, snapshots[i], false);
}

static void draw_no_aux(struct app *a, struct rect at)
{
	const struct session_info *info = model_info(a->model);
	const char *lines[] = {"no AUX event is open", "-A EVENT adds one to the profile: "
						       "-A intel_pt//u, -A arm_spe//, ...",
			       NULL};
	static const char *const file[] = {"this is a recording",
					   "perf script --itrace decodes its hardware "
					   "trace"};
	char pmus[300], armed[200] = "";

	snprintf(pmus, sizeof(pmus), "PMUs here: %s", info->pmus);
	if (*info->pmus && info->live)
		lines[2] = pmus;
	for (int i = 0; i < (int)NR(file) && !info->live; i++)
		lines[i] = file[i];
	list_sync(&a->table[a->view].list, &(struct list_rows){NULL, 0, area_key_at, NULL, NULL},
		  0);
	say_armed(a, armed, sizeof(armed), 0);
	if (NOTHING_ROWS <= at.rows)
		scene_fit(&a->scene, at.y + NOTHING_ROWS - 1, 0, at.cols, ROLE_STRONG, armed);
	for (int i = 0; i < (int)NR(lines) && lines[i] && i < at.rows; i++)
		scene_fit(&a->scene, at.y + i, 2, at.cols - 2, ROLE_DIM, lines[i]);
}

/* Draw Intel PT's result at the foot, in the room that the list leaves: at least two thirds. */
static void draw_answer(struct app *a, struct rect *at)
{
	const struct slice_snapshot *snapshots[SNAPSHOTS_MAX];
	int list = (int)model_snapshots(a->model, snapshots, SNAPSHOTS_MAX) + 1;
	struct rect answer = *at;

	if (!model_pt(a->model) || at->rows < 6)
		return;
	if (list > at->rows / 3)
		list = at->rows / 3;
	answer.y += list;
	answer.rows -= list;
	at->rows = list;
	view_aux_pt_draw(a, answer);
}

static void draw_aux(struct app *a, struct rect at)
{
	const struct slice_snapshot *any;
	size_t n = model_naux(a->model);
	struct rect areas = at, snapshots = at;
	int title, reason;

	if (!n) {
		draw_no_aux(a, at);
		/* The sample rings can be snapshot without any AUX event. */
		snapshots.y += NOTHING_ROWS;
		snapshots.rows -= NOTHING_ROWS;
		draw_snapshots(a, snapshots);
		return;
	}
	title = draw_aux_title(a, at);
	areas.y += title;
	areas.rows -= title;
	/* Snapshots get the room that the areas leave, at least a third of the view. */
	snapshots.rows = model_snapshots(a->model, &any, 1) ? areas.rows / 3 : 0;
	areas.rows -= snapshots.rows;
	if (areas.rows > (int)n + 2)
		areas.rows = (int)n + 2;
	reason = areas.rows > 3 ? draw_no_rate_reason(
					  a, (struct rect){areas.y + areas.rows - 1, 0, 1, at.cols})
				: 0;
	areas.rows -= reason;
	draw_areas(a, areas);
	snapshots.y = areas.y + areas.rows + reason;
	snapshots.rows = at.y + at.rows - snapshots.y;
	draw_answer(a, &snapshots);
	draw_snapshots(a, snapshots);
}

/* --- details ------------------------------------------------------------------------------ */

static void area_details(struct app *a, struct details *d)
{
	static const char *const heads[] = {"unknown: no snapshot was taken",
					    "a total of all bytes", "a position in the area"};
	size_t i = a->table[a->view].list.index;
	const struct slice_aux *sum, *now;
	char n[UNITS_LEN], host[400];
	struct area area;
	int cpu;
	struct head head;

	if (i >= model_naux(a->model)) {
		details_add(d, ROLE_DIM, "", "no area is selected");
		return;
	}
	area_get(a, i, &area);
	sum = &area.all.sum;
	now = &area.all.now;
	cpu = session_place(model_info(a->model), now->cpu).cpu;
	hosttexts_cell(a, now->cpu, host, sizeof(host));
	details_add(d, ROLE_STRONG, "area", cpu < 0 ? "%s%sthread %d" : "%s%scpu %d", host,
		    host[0] ? " " : "", cpu < 0 ? now->tid : cpu);
	details_add(d, ROLE_TEXT, "size", "%s, %s", units_bytes(n, (double)now->size),
		    aux_mode_names[now->mode]);
	if (now->mode == AUX_SNAPSHOT)
		details_add(d, ROLE_TEXT, "head", "%s", heads[now->head]);
	else
		details_count(d, "unread", now->unread);
	details_count(d, "bytes", sum->bytes);
	if (area.window.why)
		details_add(d, ROLE_WARN, "no rate", "%s", area.window.why);
	details_count(d, "records", sum->records);
	details_count(d, "truncated", sum->truncated);
	details_count(d, "collision", sum->collision);
	details_count(d, "partial", sum->partial);
	details_count(d, "overwrite", sum->overwrite);
	details_count(d, "gaps", sum->gaps);
	details_count(d, "bytes lost", sum->lost_bytes);
	details_count(d, "recorded", sum->consumed);
	details_count(d, "starts", sum->starts);
	details_count(d, "restarts", sum->restarts);
	details_count(d, "recs lost", sum->lost_records);
	details_count(d, "snapshots", sum->snapshots);
	details_count(d, "samples", sum->samples);
	details_count(d, "in samples", sum->sample_bytes);
	model_head(a->model, a->event, WINDOW_ALL, &head);
	details_add(d, ROLE_TEXT, "forgotten", "%s switches (all CPUs) were too old to keep",
		    units_count(n, (double)head.self.switches_forgotten));
}

const struct view_ops view_aux = {
	.columns = columns,
	.ncolumns = sizeof(columns) / sizeof(columns[0]),
	.keys = "help snapshot dump details zero freeze quit pause wider narrower",
	.draw = draw_aux,
	.details = area_details,
};
