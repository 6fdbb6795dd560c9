/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/rows.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/param.h>

#include "base/hash.h"
#include "base/namefold.h"
#include "base/text.h"
#include "base/units.h"
#include "ui/app.h"
#include "ui/beside.h"
#include "ui/linerows.h"
#include "ui/nodes.h"
#include "ui/rowwords.h"
#include "ui/throttled.h"
#include "ui/trust.h"
#include "ui/wall.h"

#define NAME_MAX_BYTES 600
#define PARTS          6 /* rows of another grouping in the details */
#define SHOWN_MOST     256 /* rows that are kept apart */

/* --- cells ------------------------------------------------------------------------------ */

static enum role role_of(const struct row *r)
{
	return r->flags & ROW_LOST                 ? ROLE_WARN
	       : r->flags & ROW_EXITED             ? ROLE_DIM
	       : r->flags & ROW_LOADING            ? ROLE_LOADING
	       : r->flags & (ROW_KERNEL)           ? ROLE_KERNEL
						   : ROLE_TEXT;
}

/* That a row's total stands for: they are not counted, so as many as its share of all. */
static double total_samples(const struct app *a, const struct row *r)
{
	return r->total == r->self ? (double)r->samples : fmax((double)r->samples, r->total_share * a->all_samples);
}

enum role rows_text_self(const void *ctx, const void *row, char *buf, size_t size, int width)
{
	const struct row *r = row;

	(void)ctx;
	(void)width;
	trust_percent(buf, size, r->self_share, (double)r->samples);
	return trust_role(r->self_share, (double)r->samples);
}

enum role rows_text_total(const void *ctx, const void *row, char *buf, size_t size, int width)
{
	const struct row *r = row;
	double samples = total_samples(ctx, r);

	(void)width;
	trust_percent(buf, size, r->total_share, samples);
	return trust_role(r->total_share, samples);
}

enum role rows_text_half(const void *ctx, const void *row, char *buf, size_t size, int width)
{
	const struct row *r = row;
	double half = trust_half(r->self_share, (double)r->samples);

	(void)ctx;
	(void)width;
	if (!isnan(half))
		snprintf(buf, size, "%.2f", half * 100);
	return ROLE_DIM;
}

bool rows_rising(const struct table_state *t)
{
	bool rises = t->sort == SORT_NAME || t->sort == SORT_OBJECT || t->sort == SORT_TASK || t->sort == SORT_PID ||
		     t->sort == SORT_KEY;

	return rises != t->reverse;
}

enum role rows_text_change(const void *ctx, const void *row, char *buf, size_t size, int width)
{
	double change = ((const struct row *)row)->change;

	(void)ctx;
	(void)width;
	if (isnan(change))
		snprintf(buf, size, "-");
	else
		snprintf(buf, size, "%+.2f", change * 100);
	return ROLE_TEXT;
}

enum role rows_text_peak(const void *ctx, const void *row, char *buf, size_t size, int width)
{
	(void)ctx;
	(void)width;
	widget_percent(buf, size, ((const struct row *)row)->peak);
	return ROLE_TEXT;
}

enum role rows_text_trend(const void *ctx, const void *row, char *buf, size_t size, int width)
{
	const struct app *a = ctx;
	const struct row *r = row;

	(void)width;
	trust_trend(buf, size, r->trend, TREND_NR, (double)r->samples, a->scene.ascii);
	return ROLE_TREND;
}

enum role rows_text_samples(const void *ctx, const void *row, char *buf, size_t size, int width)
{
	char n[UNITS_LEN];

	(void)ctx;
	(void)width;
	snprintf(buf, size, "%s", units_count(n, (double)((const struct row *)row)->samples));
	return ROLE_TEXT;
}

bool rows_found(const char *text, const char *search)
{
	for (const char *c = search; *c; c++)
		if (isupper((unsigned char)*c))
			return strstr(text, search) != NULL;
	return strcasestr(text, search) != NULL;
}

static bool found(const struct row *r, const char *search)
{
	char line[NAME_MAX_BYTES];

	if (!search[0])
		return false;
	model_row_name(r, line, sizeof(line));
	return rows_found(r->line ? line : r->name, search) || rows_found(r->object, search) || rows_found(r->task, search) ||
	       rows_found(r->function, search);
}

static int width_of(const void *scene, const char *text)
{
	return scene_width(scene, text);
}

void rows_fit(const struct app *a, char *buf, size_t size, const char *name, const char *other, int width)
{
	const struct namefold_measure measure = {width_of, &a->scene};
	char whole[NAMES_BYTES], unlike[NAMES_BYTES];

	text_escape(whole, sizeof(whole), name);
	if (other)
		text_escape(unlike, sizeof(unlike), other);
	if (a->whole_names)
		text_append(buf, size, 0, "%s", whole);
	else
		namefold_fit(&measure, buf, size, whole, other ? unlike : NULL, width);
}

/* A long name leaves the number its place. */
void rows_line(const struct app *a, char *buf, size_t size, const struct row *r, int width)
{
	char number[16], name[NAME_MAX_BYTES];
	int len = r->line ? snprintf(number, sizeof(number), ":%u", r->line) : 0;

	if (!r->line) {
		rows_fit(a, buf, size, *r->function ? r->function : r->name, NULL, width);
		return;
	}
	rows_fit(a, name, sizeof(name), r->name, NULL, width > len ? width - len : 0);
	text_append(buf, size, 0, "%s%s", name, number);
}

/* Names of functions are folded; of all else the beginning says most. */
static void fit_name(const struct app *a, const struct row *r, char *buf, size_t size, int width)
{
	const char *other = NULL;

	if (r->line) {
		rows_line(a, buf, size, r, width);
		return;
	}
	if (a->table[a->view].group != GROUP_FUNCTION) {
		text_escape(buf, size, r->name);
		return;
	}
	for (unsigned i = 0; i < a->apart.nr && !other; i++)
		if (a->apart.alike[i].row == r)
			other = a->apart.alike[i].other;
	rows_fit(a, buf, size, r->name, other, width);
}

enum role rows_text_name(const void *ctx, const void *row, char *buf, size_t size, int width)
{
	const struct app *a = ctx;
	const struct row *r = row;
	size_t pos = 0;

	if (r->flags & ROW_KERNEL && a->table[a->view].group == GROUP_FUNCTION)
		pos = text_append(buf, size, 0, "[k] ");
	fit_name(a, r, buf + pos, size - pos, width - (int)pos);
	pos += strlen(buf + pos);
	if (r->flags & ROW_EXITED)
		text_append(buf, size, pos, " (exited)");
	if (found(r, a->search))
		return ROLE_MATCH;
	return role_of(r) == ROLE_TEXT && trust_few(total_samples(a, r)) ? ROLE_FEW : role_of(r);
}

enum role rows_text_object(const void *ctx, const void *row, char *buf, size_t size, int width)
{
	const struct app *a = ctx;
	const struct row *r = row;
	char name[NAME_MAX_BYTES];

	/* "[module]" and paths that end in a slash stay whole. */
	text_escape(name, sizeof(name), rowwords_object(a, r));
	if (!(r->flags & ROW_LOADING)) {
		snprintf(buf, size, "%s%s", r->flags & ROW_DOUBT ? DETAILS_DOUBT : "", name);
		return ROLE_TEXT;
	}
	/* The mark must be seen: before the name where behind it there is no room. */
	snprintf(buf, size, scene_width(&a->scene, name) + 10 > width ? "⧗ %s" : "%s ⧗ loading",
		 name);
	return ROLE_LOADING;
}

enum role rows_text_task(const void *ctx, const void *row, char *buf, size_t size, int width)
{
	char raw[64];

	(void)ctx;
	(void)width;
	model_row_task(row, raw, sizeof(raw));
	text_escape(buf, size, raw);
	return ROLE_TEXT;
}

enum role rows_text_host(const void *ctx, const void *row, char *buf, size_t size, int width)
{
	const struct row *r = row;

	(void)ctx;
	(void)width;
	if (r->host[0])
		text_escape(buf, size, r->host);
	else if (r->nhosts)
		snprintf(buf, size, "(%u)", r->nhosts);
	return ROLE_TEXT;
}

/* --- list ------------------------------------------------------------------------------- */

#define FOUND_PART 1024 /* rows that are made at once while one is looked for */

/* What is shown, of which rows are made as they are looked at. */
struct looked_at {
	struct app *app;
	struct query query;
	struct part {
		const struct row *row; /* NULL: none yet */
		size_t from;
	} *part;
};

static uint64_t key_at(const void *rows, size_t i)
{
	return model_row_key(((const struct looked_at *)rows)->app->model, i);
}

static bool match_at(const void *rows, size_t i, const char *search)
{
	const struct looked_at *l = rows;
	struct part *p = l->part;

	if (!p->row || i / FOUND_PART * FOUND_PART != p->from) {
		p->from = i / FOUND_PART * FOUND_PART;
		p->row = model_rows_part(l->app->model, &l->query, app_window(l->app), p->from, FOUND_PART);
	}
	return p->row && found(&p->row[i - p->from], search);
}

static void draw_head(struct app *a, struct rect area, const struct widget_table *t,
		      const char *const *titles)
{
	widget_table_head(&a->scene, area.y, area.cols, t, titles, (int)a->table[a->view].sort,
			  rows_rising(&a->table[a->view]));
	for (unsigned i = 0; i < t->nr; i++)
		if (t->width[i] && t->columns[i].sort >= 0)
			app_zone(a, (struct rect){area.y, t->x[i], 1, t->width[i]}, ZONE_SORT,
				 (uint64_t)t->columns[i].sort, NULL);
}

static bool idle_only(const struct app *a)
{
	struct account acc;

	model_account(a->model, a->event, ALL_CPUS, app_window(a), &acc);
	return acc.busy.idle && acc.busy.idle == acc.attributed;
}

const char *rows_empty(const struct app *a)
{
	if (!model_now(a->model))
		return "waiting for the first samples ...";
	if (app_forgotten(a))
		return "what was here is forgotten: a larger --history keeps more";
	if (a->zoom.nr)
		return "no sample of this window is left here (Esc climbs)";
	if (a->filter)
		return "no sample in this window passes the filter (Esc drops it)";
	if (a->hide_kernel || a->hide_user)
		return "nothing left: K and U show what is hidden";
	if (!a->show_idle && idle_only(a))
		return "nothing but idle time in this window: I shows it";
	if (a->paused)
		return "the counters are stopped: p starts them";
	if (beside_measured(a))
		return "nothing of this event in this window, but of another: e shows it";
	return "no samples in this window";
}

/* Said below the rows, which give way to it. */
static const char *rows_hint(const struct app *a, const struct rows *rows, char *buf, size_t size)
{
	struct window w = app_window(a);

	if (a->table[a->view].group == GROUP_LINE)
		return linerows_hint(a, rows, buf, size);
	if (beside_estimates(a))
		return "~ events had a counter in different parts of the time: what they count is estimated";
	/* Of the whole run there are totals. */
	if (w.to == UINT64_MAX || a->table[a->view].group != GROUP_FUNCTION)
		return NULL;
	return model_thinned(a->model, w) & MODEL_THIN_NAMES
		       ? "names thinned here: small functions are one row (--history keeps more)"
		       : NULL;
}

static void note_alike(struct app_apart *p, const struct row *r, const char *other)
{
	if (p->nr < sizeof(p->alike) / sizeof(p->alike[0]))
		p->alike[p->nr++] = (struct app_alike){r, other};
}

/* Of the rows that are shown those whose names are others and would look the same. */
static void find_alike(struct app *a, const struct row *shown, size_t nr, int width)
{
	uint64_t looks[SHOWN_MOST];
	char buf[WIDGET_TEXT];

	a->apart.nr = 0;
	for (size_t i = 0; i < nr && i < SHOWN_MOST; i++) {
		rows_text_name(a, &shown[i], buf, sizeof(buf), width);
		looks[i] = hash_bytes(buf, strlen(buf));
		for (size_t j = 0; j < i; j++) {
			if (looks[j] != looks[i] || !strcmp(shown[i].name, shown[j].name))
				continue;
			note_alike(&a->apart, &shown[i], shown[j].name);
			note_alike(&a->apart, &shown[j], shown[i].name);
			break;
		}
	}
}

/* How wide the column of names is; 0: it is not shown. */
static int name_width(const struct widget_table *t)
{
	for (unsigned i = 0; i < t->nr; i++)
		if (t->columns[i].text == rows_text_name)
			return t->width[i];
	return 0;
}

struct columns {
	struct widget_column column[WIDGET_COLUMNS];
	const char *title[WIDGET_COLUMNS];
	uint32_t hidden;
	unsigned nr;
};

/* Those of other events stand behind the first one, which is what rows are sorted by mostly. */
static void columns_with_others(struct app *a, struct columns *c, const struct widget_column *columns, unsigned nr,
				uint32_t hidden, const char *const *titles)
{
	bool wall = wall_shown(a);
	unsigned more = wall ? WALL_COLUMNS : beside_choose(a, nr);

	c->column[0] = columns[0];
	c->title[0] = wall ? "WALL%" : titles[0];
	if (wall)
		wall_columns(c->column + 1);
	else
		beside_columns(a, c->column + 1);
	for (unsigned i = 0; i < more; i++)
		c->title[1 + i] = NULL;
	memcpy(c->column + 1 + more, columns + 1, (nr - 1) * sizeof(*columns));
	memcpy(c->title + 1 + more, titles + 1, (nr - 1) * sizeof(*titles));
	c->hidden = (hidden & 1) | hidden >> 1 << (1 + more);
	c->nr = nr + more;
}

/*
 * Without call paths a row's total is its own, but for what was inlined: the column leaves its room to names, until
 * rows are sorted by it.  Bits of columns.
 */
static uint32_t no_totals(const struct app *a, const struct table_state *state, const struct widget_column *columns,
			  unsigned nr)
{
	uint32_t bits = 0;

	if (callpaths_taken(a) || state->sort == SORT_TOTAL)
		return 0;
	for (unsigned i = 0; i < nr; i++)
		bits |= columns[i].text == rows_text_total ? 1u << i : 0;
	return bits;
}

/* What 100 % is, or why names are missing, in the last line. */
static void draw_hint(struct app *a, struct rect *area, const struct rows *rows)
{
	char wall[200], text[200];
	const char *hint = rows_hint(a, rows, text, sizeof(text));

	wall_hint(a, rows ? rows->attributed : 0, rows ? rows->other : 0, wall, sizeof(wall));
	if (area->rows > 4 && (hint || wall[0]))
		scene_fit(&a->scene, area->y + --area->rows, 2, -1, hint ? ROLE_WARN : ROLE_DIM, hint ? hint : wall);
}

/* The rows in sight, from the list's top on, with their trends; NULL: out of memory, or there is none. */
static const struct row *take_sight(struct app *a, const struct query *q, size_t height)
{
	size_t top = a->table[a->view].list.top;
	const struct row *shown = model_rows_part(a->model, q, app_window(a), top, height);

	return shown && !model_trends(a->model, q, app_window(a), top, height) ? shown : NULL;
}

/* The same, and what other events weigh in them; nr: how many there are. */
static const struct row *take_others(struct app *a, const struct query *q, size_t nr)
{
	const struct row *shown = take_sight(a, q, nr);

	if (!a->beside.nr || !shown)
		return shown;
	beside_take(a, shown, nr, q, app_window(a));
	return take_sight(a, q, nr);
}

void rows_mark(struct app *a, int y, double share, bool selected)
{
	if (a->mono && a->scene.cols > 20)
		scene_text(&a->scene, y, 1, 1, selected ? ROLE_SELECTED : ROLE_HOT, trust_mark(share, a->scene.ascii));
}

void rows_draw(struct app *a, struct rect area, const struct widget_column *columns, unsigned nr,
	       uint32_t hidden, const char *const *titles)
{
	struct columns all;
	struct widget_table t = {.columns = all.column};
	struct table_state *state = &a->table[a->view];
	struct part part = {.row = NULL};
	struct looked_at looked = {a, app_query(a, state), &part};
	int head = area.rows > 2 ? 1 : 0;
	const struct rows *rows;
	const struct row *shown;
	size_t in_sight;

	looked.query.in_part = true;
	rows = model_rows(a->model, &looked.query, app_window(a));
	columns_with_others(a, &all, columns, nr, hidden | no_totals(a, state, columns, nr), titles);
	t.nr = all.nr;
	widget_table_layout(&t, area.cols > 20 ? 2 : 1, area.cols, all.hidden);
	if (head)
		draw_head(a, area, &t, all.title);
	a->shown = rows && rows->attributed + rows->dropped
			   ? (double)rows->shown / (double)(rows->attributed + rows->dropped)
			   : NAN;
	a->all_samples = rows ? (double)rows->samples : 0;
	draw_hint(a, &area, rows);
	if (!rows) {
		scene_fit(&a->scene, area.y + head, 1, -1, ROLE_BAD, "out of memory: no rows");
		return;
	}
	in_sight = (size_t)(area.rows > head ? area.rows - head : 0);
	list_sync(&state->list, &(struct list_rows){&looked, rows->nr, key_at, match_at, a->search}, (size_t)(area.rows - head));
	if (!rows->nr)
		scene_fit(&a->scene, area.y + head, 2, -1, ROLE_DIM, rows_empty(a));
	in_sight = rows->nr > state->list.top ? MIN(rows->nr - state->list.top, in_sight) : 0;
	shown = take_others(a, &looked.query, in_sight);
	if (!shown)
		return;
	if (state->list.touched && state->list.index - state->list.top < in_sight)
		timeline_choose(a, &shown[state->list.index - state->list.top]);
	find_alike(a, shown, in_sight, name_width(&t));
	a->sight = shown;
	a->nsight = in_sight;
	for (size_t i = 0; i < in_sight; i++) {
		int y = area.y + head + (int)i;
		bool selected = state->list.top + i == state->list.index;

		widget_table_row(&a->scene, y, area.cols, &t, a, &shown[i], selected);
		rows_mark(a, y, shown[i].self_share, selected);
		app_zone(a, (struct rect){y, 0, 1, area.cols}, ZONE_ROW, state->list.top + i, NULL);
	}
	a->nsight = 0;
}

/* NULL: there is none. */
static const struct row *selected_row(struct app *a, bool trend)
{
	const struct table_state *t = &a->table[a->view];
	struct query q = app_query(a, t);
	const struct row *r;

	q.in_part = true;
	r = model_rows_part(a->model, &q, app_window(a), t->list.index, 1);
	return r && trend && model_trends(a->model, &q, app_window(a), t->list.index, 1) ? NULL : r;
}

/* The selected row, where it is a function.  NULL: it is not. */
static const struct row *selected_function(struct app *a)
{
	const struct row *r = a->table[a->view].group == GROUP_FUNCTION ? selected_row(a, false) : NULL;

	return r && r->flags & (ROW_FOLDED | ROW_LOST) ? NULL : r;
}

bool rows_callers(struct app *a)
{
	const struct row *r = callpaths_taken(a) ? selected_function(a) : NULL;

	if (!r)
		return false;
	view_tree_callers(a, r->key, r->name);
	return true;
}

uint64_t rows_line_key(struct app *a, char *name, size_t size)
{
	const struct row *r = a->table[a->view].group == GROUP_LINE ? selected_row(a, false) : NULL;

	if (!r || r->flags & (ROW_FOLDED | ROW_LOST))
		return 0;
	text_append(name, size, 0, "%s", r->function);
	return r->key;
}

bool rows_source(struct app *a, struct editor_file *f)
{
	return a->table[a->view].group == GROUP_LINE && linerows_source(selected_row(a, false), f);
}

uint64_t rows_function(struct app *a, char *name, size_t size)
{
	const struct row *r = selected_function(a);

	if (!r)
		return 0;
	text_append(name, size, 0, "%s", r->name);
	return r->key;
}

/* --- details ---------------------------------------------------------------------------- */

/* False: it could not be made. */
static bool parts_filter(struct app *a, const char *text)
{
	if (a->parts.filter && !strcmp(a->parts.text, text))
		return true;
	filter_free(a->parts.filter);
	a->parts.filter = NULL;
	text_append(a->parts.text, sizeof(a->parts.text), 0, "%s", text);
	return !filter_compile(text, &a->parts.filter, NULL);
}

/* What the row consists of, by another grouping: a function's tasks, a task's functions. */
static void parts(struct app *a, struct details *d, const char *filter, enum group_by group,
		  const char *label)
{
	struct table_state by = {.group = group, .sort = SORT_SELF};
	struct query q = app_query(a, &by);
	const struct rows *rows;

	/* The screen's own filter gives way: the panel speaks of all of the row. */
	if (!parts_filter(a, filter))
		return;
	q.filter = a->parts.filter;
	q.trend = false;
	q.limit = PARTS;
	rows = model_rows(a->model, &q, app_window(a));
	for (size_t i = 0; rows && i < rows->nr; i++) {
		const struct row *r = &rows->row[i];
		char name[NAME_MAX_BYTES], share[16], id[24] = "", host[NAME_MAX_BYTES] = "";

		text_escape(name, sizeof(name), r->name);
		widget_percent(share, sizeof(share), r->self_share);
		if (r->pid >= 0)
			snprintf(id, sizeof(id), " %d", group == GROUP_THREAD ? r->tid : r->pid);
		if (group != GROUP_HOST)
			text_escape(host, sizeof(host), r->host);
		details_add(d, ROLE_TEXT, i ? "" : label, "%6s%%  %s%s%s%s", share, name, id,
			    host[0] ? " on " : "", host);
	}
	if (rows && rows->all > rows->nr)
		details_add(d, ROLE_DIM, "", "and %zu more", rows->all - rows->nr);
}

/* What sort of row it is, where its name does not say so. */
static void add_kind(struct details *d, const struct row *r)
{
	static const struct {
		uint32_t flag;
		const char *text;
	} kinds[] = {
		{ROW_LOST, "stands for samples that were dropped: view 6 tells why"},
		{ROW_FOLDED, "stands for many that are too small for rows of their own"},
		{ROW_SELF, "ringtop itself: its samples are a part of 100 %"},
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (r->flags & kinds[i].flag) {
			details_add(d, ROLE_DIM, "", "%s", kinds[i].text);
			return;
		}
}

/* Whose it is, as far as that is known. */
static void add_owner(struct details *d, const struct row *r)
{
	char text[NAME_MAX_BYTES];

	if (*r->user) {
		text_escape(text, sizeof(text), r->user);
		details_add(d, ROLE_TEXT, "user", "%s", text);
	}
	if (*r->cgroup) {
		text_escape(text, sizeof(text), r->cgroup);
		details_add(d, ROLE_TEXT, "cgroup", "%s", text);
	}
	if (*r->parent) {
		text_escape(text, sizeof(text), r->parent);
		details_add(d, ROLE_TEXT, "parent", r->ppid > 0 ? "%s %d" : "%s", text, r->ppid);
	}
}

static void add_names(struct details *d, const struct row *r, enum group_by group)
{
	char text[NAME_MAX_BYTES], name[NAME_MAX_BYTES];

	model_row_name(r, name, sizeof(name));
	text_escape(text, sizeof(text), name);
	details_add(d, ROLE_STRONG, group_names[group], "%s", text);
	details_several(d, r->also);
	add_kind(d, r);
	if (group == GROUP_LINE)
		linerows_details(d, r);
	if (r->flags & ROW_UNRESOLVED)
		details_add(d, ROLE_DIM, "", "%s", r->flags & ROW_LOADING
				? "an address: its object's symbols are being loaded"
				: nodes_unresolved(name, r->object));
	if (r->object[0]) {
		text_escape(text, sizeof(text), r->object);
		details_add(d, ROLE_TEXT, "object", "%s", text);
	}
	details_why(d, r->why, r->flags & ROW_DOUBT);
	if (r->file && r->file[0] && group != GROUP_LINE) {
		text_escape(text, sizeof(text), r->file);
		details_add(d, ROLE_TEXT, "source", "%s", text);
	}
	if (r->host[0] && group != GROUP_HOST) {
		text_escape(text, sizeof(text), r->host);
		details_add(d, ROLE_TEXT, "host", "%s", text);
	}
	if (r->pid >= 0)
		details_add(d, ROLE_TEXT, "pid", "%d%s", r->pid,
			    r->flags & ROW_EXITED ? " (exited)" : "");
	if (r->tid >= 0)
		details_add(d, ROLE_TEXT, "tid", "%d", r->tid);
	add_owner(d, r);
}

/* What 100 % of the shares is, and of a clock the same of one CPU's time. */
static void add_whole(const struct app *a, struct details *d, const struct row *r)
{
	const struct session_event *e = app_event(a);
	struct head h;

	if (wall_shown(a)) /* which says it below the rows */
		return;
	model_head(a->model, a->event, app_window(a), &h);
	if (h.seconds > 0 && e && (!strncmp(e->name, "cpu-clock", 9) || !strncmp(e->name, "task-clock", 10)))
		details_add(d, ROLE_TEXT, "CPU", "self %.1f%%  total %.1f%% of one CPU's time",
			    (double)r->self / h.seconds / 1e7, (double)r->total / h.seconds / 1e7);
	if (!h.account.busy.idle || !h.account.attributed)
		return;
	details_add(d, ROLE_DIM, "100 %", "is all samples%s, idle %.1f%% of them%s",
		    a->show_idle ? "" : " but idle ones",
		    (double)h.account.busy.idle / (double)h.account.attributed * 100,
		    a->show_idle ? " among them (I: apart)" : " (I shows it)");
}

/* What the shares are good for. */
static void add_trust(const struct app *a, struct details *d, const struct row *r)
{
	double half = trust_half(r->self_share, (double)r->samples);
	char n[UNITS_LEN], interval[64] = "";

	if (!isnan(half))
		snprintf(interval, sizeof(interval), "  self %s%.2f%% (95 %%, if drawn by lot)", trust_sign(a->scene.ascii),
			 half * 100);
	details_add(d, ROLE_TEXT, "samples", "%s%s%s", units_count(n, (double)r->samples), interval,
		    trust_few((double)r->samples) ? ": too few to say much" : "");
}

static void add_figures(const struct app *a, struct details *d, const struct row *r)
{
	const struct session_event *e = app_event(a);
	bool time = e && !strcmp(e->unit, "ns");
	char self[16], total[16], w[UNITS_LEN], trend[64];

	widget_percent(self, sizeof(self), r->self_share);
	widget_percent(total, sizeof(total), r->total_share);
	trust_trend(trend, sizeof(trend), r->trend, TREND_NR, (double)r->samples, a->scene.ascii);
	details_add(d, ROLE_TEXT, "share", "self %s%%  total %s%%  %s", self, total, trend);
	add_whole(a, d, r);
	add_trust(a, d, r);
	details_add(d, ROLE_TEXT, details_amount(e), "self %s%s%s",
		    time ? units_span(w, r->self) : units_count(w, (double)r->self),
		    e && !time && e->unit[0] ? " " : "", e && !time ? e->unit : "");
	beside_details(a, d);
	if (e && *e->weight) {
		char text[2 * sizeof(e->weight)];

		text_escape(text, sizeof(text), e->weight);
		details_add(d, ROLE_TEXT, "weighs", "%s of each sample's record", text);
	}
	if (r->ntasks > 1)
		details_add(d, ROLE_TEXT, "processes", "%u", r->ntasks);
	if (e && *e->filter) {
		char text[2 * sizeof(e->filter)];

		text_escape(text, sizeof(text), e->filter);
		details_add(d, ROLE_TEXT, "filter", "%s", text);
	}
}

bool rows_of_hosts(struct app *a)
{
	const struct row *r = selected_row(a, false);

	return r && (a->table[a->view].group == GROUP_HOST || r->nhosts > 1);
}

bool rows_words(struct app *a, struct zoom_level *level)
{
	const struct row *r = selected_row(a, false);
	char words[2 * ZOOM_WORDS];

	if (!r || r->flags & (ROW_FOLDED | ROW_LOST))
		return false;
	level->group = level->was = a->table[a->view].group;
	if (rowwords_filter(level->group, r, words, sizeof(words), 0) >= sizeof(level->words))
		return false;
	memcpy(level->words, words, sizeof(level->words));
	rowwords_crumb(a, level->group, r, level->crumb, sizeof(level->crumb));
	return true;
}

void rows_details(struct app *a, struct details *d)
{
	enum group_by group = a->table[a->view].group;
	const struct row *selected = selected_row(a, true);
	char filter[APP_FILTER] = "";
	struct filter *only = NULL;
	struct row r;

	if (!selected) {
		details_add(d, ROLE_DIM, "", "no row is selected");
		return;
	}
	r = *selected;
	add_names(d, &r, group);
	if (group == GROUP_CGROUP)
		throttled_details(d, &r);
	add_figures(a, d, &r);
	/* r's strings end with the next query: the filter is made of them first. */
	rowwords_filter(group, &r, filter, sizeof(filter), 0);
	if (wall_shown(a) && !filter_compile(filter, &only, NULL))
		wall_details(a, d, only, group == GROUP_FUNCTION ? &r.id : NULL);
	filter_free(only);
	if (r.nhosts > 1)
		parts(a, d, filter, GROUP_HOST, "hosts");
	if (group == GROUP_FUNCTION)
		parts(a, d, filter, r.ntasks == 1 ? GROUP_THREAD : GROUP_TASK, r.ntasks == 1 ? "threads" : "tasks");
	else
		parts(a, d, filter, GROUP_FUNCTION, "functions");
}
