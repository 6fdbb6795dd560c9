/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/parts/rowlist.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/param.h>

#include "base/hash.h"
#include "base/namefold.h"
#include "base/text.h"
#include "ui/app/app.h"
#include "ui/app/callpaths.h"
#include "ui/app/zoom.h"
#include "ui/parts/eventcolumns.h"
#include "ui/parts/linerows.h"
#include "ui/parts/rowcolumns.h"
#include "ui/parts/rowwords.h"
#include "ui/parts/timeline.h"
#include "ui/parts/confidence.h"
#include "ui/parts/wallclock.h"
#include "ui/views/view_tree.h"

#define NAME_MAX_BYTES 600
#define SHOWN_MOST     256 /* rows whose names are compared for looking the same */

bool rowlist_rising(const struct table_state *t)
{
	bool rises = t->sort == SORT_NAME || t->sort == SORT_OBJECT || t->sort == SORT_TASK ||
		     t->sort == SORT_PID || t->sort == SORT_KEY;

	return rises != t->reverse;
}

bool rowlist_found(const char *text, const char *search)
{
	for (const char *c = search; *c; c++)
		if (isupper((unsigned char)*c))
			return strstr(text, search) != NULL;
	return strcasestr(text, search) != NULL;
}

bool rowlist_matches(const struct row *r, const char *search)
{
	char line[NAME_MAX_BYTES];

	if (!search[0])
		return false;
	model_row_name(r, line, sizeof(line));
	return rowlist_found(r->line ? line : r->name, search) ||
	       rowlist_found(r->object, search) || rowlist_found(r->task, search) ||
	       rowlist_found(r->function, search);
}

static int name_columns(const void *scene, const char *text)
{
	return scene_width(scene, text);
}

void rowlist_fit(const struct app *a, char *buf, size_t size, const char *name, const char *other,
	      int width)
{
	const struct namefold_measure measure = {name_columns, &a->scene};
	char whole[NAMES_BYTES], unlike[NAMES_BYTES];

	text_escape(whole, sizeof(whole), name);
	if (other)
		text_escape(unlike, sizeof(unlike), other);
	if (a->whole_names)
		text_append(buf, size, 0, "%s", whole);
	else
		namefold_fit(&measure, buf, size, whole, other ? unlike : NULL, width);
}

/* A long name is cut so that the number has room. */
void rowlist_line(const struct app *a, char *buf, size_t size, const struct row *r, int width)
{
	char number[16], name[NAME_MAX_BYTES];
	int len = r->line ? snprintf(number, sizeof(number), ":%u", r->line) : 0;

	if (!r->line) {
		rowlist_fit(a, buf, size, *r->function ? r->function : r->name, NULL, width);
		return;
	}
	rowlist_fit(a, name, sizeof(name), r->name, NULL, width > len ? width - len : 0);
	text_append(buf, size, 0, "%s%s", name, number);
}

/* --- list ------------------------------------------------------------------------------- */

#define FOUND_PART 1024 /* rows that are made at once during a search */

/* A list whose rows are made only when they are needed. */
struct looked_at {
	struct app *app;
	struct query query;
	struct part {
		const struct row *row; /* NULL: none yet */
		size_t from;
	} *part;
};

static uint64_t row_key_at(const void *rows, size_t i)
{
	return model_row_key(((const struct looked_at *)rows)->app->model, i);
}

static bool row_matches_at(const void *rows, size_t i, const char *search)
{
	const struct looked_at *l = rows;
	struct part *p = l->part;

	if (!p->row || i / FOUND_PART * FOUND_PART != p->from) {
		p->from = i / FOUND_PART * FOUND_PART;
		p->row = model_rows_part(l->app->model, &l->query, app_window(l->app), p->from,
					 FOUND_PART);
	}
	return p->row && rowlist_matches(&p->row[i - p->from], search);
}

static void draw_rows_head(struct app *a, struct rect area, const struct widget_table *t)
{
	widget_table_head(&a->scene, area.y, area.cols, t, NULL, (int)a->table[a->view].sort,
			  rowlist_rising(&a->table[a->view]));
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

const char *rowlist_empty(const struct app *a)
{
	if (!model_now(a->model))
		return "waiting for the first samples ...";
	if (app_forgotten(a))
		return "no longer in memory: a larger --history keeps more";
	if (a->zoom->nr)
		return "no sample of this window is left here (Esc climbs)";
	if (a->filter)
		return "no sample in this window passes the filter (Esc drops it)";
	if (a->hide_kernel || a->hide_user)
		return "all rows are hidden: K and U show them";
	if (!a->show_idle && idle_only(a))
		return "this window has only idle time: I shows it";
	if (a->paused)
		return "the counters are stopped: p starts them";
	if (eventcolumns_measured(a))
		return "no samples of this event in this window, some of others: e";
	return "no samples in this window";
}

/* Return the hint in the line below the rows; NULL: none. */
static const char *rows_hint(const struct app *a, const struct rows *rows, char *buf, size_t size)
{
	struct window w = app_window(a);

	if (a->table[a->view].group == GROUP_LINE)
		return linerows_hint(a, rows, buf, size);
	if (eventcolumns_estimates(a))
		return "~ the events did not share a counter all the time: counts are estimates";
	/* For the whole run there are totals, which are not thinned. */
	if (w.to == UINT64_MAX || a->table[a->view].group != GROUP_FUNCTION)
		return NULL;
	return model_coarsened(a->model, w) & MODEL_THIN_NAMES
		       ? "names thinned here: small functions are one row (--history keeps more)"
		       : NULL;
}

static void note_alike(struct app_apart *p, const struct row *r, const char *other)
{
	if (p->nr < sizeof(p->alike) / sizeof(p->alike[0]))
		p->alike[p->nr++] = (struct app_alike){r, other};
}

/* Find the rows shown whose different names would look the same. */
static void find_alike(struct app *a, const struct row *shown, size_t nr, int width)
{
	uint64_t looks[SHOWN_MOST];
	char buf[WIDGET_TEXT];

	a->apart.nr = 0;
	for (size_t i = 0; i < nr && i < SHOWN_MOST; i++) {
		rowcolumns_name(&(struct widget_cell){a, &shown[i], width, 0}, buf, sizeof(buf));
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

/* Insert the columns of other events behind the first one, by which rows are mostly sorted. */
static void insert_others(struct app *a, struct rowcolumns *c)
{
	bool wall = wallclock_shown(a);
	unsigned more = wall ? WALL_COLUMNS : eventcolumns_choose(a, c->nr);

	memmove(c->column + 1 + more, c->column + 1, (c->nr - 1) * sizeof(*c->column));
	c->hidden = (c->hidden & 1) | c->hidden >> 1 << (1 + more);
	c->nr += more;
	if (!wall) {
		eventcolumns_columns(a, c->column + 1);
		return;
	}
	wallclock_columns(c->column + 1);
	c->column[0].title = "WALL%";
}

/* Draw the hint, or the meaning of 100 %, in the last line. */
static void draw_rows_hint(struct app *a, struct rect *area, const struct rows *rows)
{
	char wall[200], text[200];
	const char *hint = rows_hint(a, rows, text, sizeof(text));

	wallclock_hint(a, rows ? rows->attributed : 0, rows ? rows->other : 0, wall, sizeof(wall));
	if (area->rows > 4 && (hint || wall[0]))
		scene_fit(&a->scene, area->y + --area->rows, 2, -1, hint ? ROLE_WARN : ROLE_DIM,
			  hint ? hint : wall);
}

/*
 * Return the rows in sight, from the list's top on, with trends; NULL: out of memory, or no rows.
 */
static const struct row *take_sight(struct app *a, const struct query *q, size_t height)
{
	size_t top = a->table[a->view].list.top;
	const struct row *shown = model_rows_part(a->model, q, app_window(a), top, height);

	return shown && !model_trends(a->model, q, app_window(a), top, height) ? shown : NULL;
}

/* Return nr rows in sight like take_sight(), and find other events' weights in them. */
static const struct row *take_others(struct app *a, const struct query *q, size_t nr)
{
	const struct row *shown = take_sight(a, q, nr);

	if (!a->beside->nr || !shown)
		return shown;
	eventcolumns_take(a, shown, nr, q, app_window(a));
	return take_sight(a, q, nr);
}

void rowlist_mark(struct app *a, int y, double share, bool selected)
{
	if (a->mono && a->scene.cols > 20)
		scene_text(&a->scene, y, 1, 1, selected ? ROLE_SELECTED : ROLE_HOT,
			   confidence_mark(share, a->scene.ascii));
}

void rowlist_draw(struct app *a, struct rect area)
{
	struct rowcolumns all;
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
	rowcolumns_make(a, area.cols, &all);
	insert_others(a, &all);
	t.nr = all.nr;
	widget_table_layout(&t, area.cols > 20 ? 2 : 1, area.cols, all.hidden);
	if (head)
		draw_rows_head(a, area, &t);
	a->shown = rows && rows->attributed + rows->dropped
			   ? (double)rows->shown / (double)(rows->attributed + rows->dropped)
			   : NAN;
	a->all_samples = rows ? (double)rows->samples : 0;
	draw_rows_hint(a, &area, rows);
	if (!rows) {
		scene_fit(&a->scene, area.y + head, 1, -1, ROLE_BAD, "out of memory: no rows");
		return;
	}
	in_sight = (size_t)(area.rows > head ? area.rows - head : 0);
	list_sync(&state->list,
		  &(struct list_rows){&looked, rows->nr, row_key_at, row_matches_at, a->search},
		  (size_t)(area.rows - head));
	if (!rows->nr)
		scene_fit(&a->scene, area.y + head, 2, -1, ROLE_DIM, rowlist_empty(a));
	in_sight = rows->nr > state->list.top ? MIN(rows->nr - state->list.top, in_sight) : 0;
	shown = take_others(a, &looked.query, in_sight);
	if (!shown)
		return;
	if (state->list.touched && state->list.index - state->list.top < in_sight)
		timeline_choose(a, &shown[state->list.index - state->list.top]);
	find_alike(a, shown, in_sight, rowcolumns_name_width(&t));
	a->sight = shown;
	a->nsight = in_sight;
	for (size_t i = 0; i < in_sight; i++) {
		int y = area.y + head + (int)i;
		bool selected = state->list.top + i == state->list.index;

		widget_table_row(&a->scene, y, area.cols, &t, a, &shown[i], selected);
		rowlist_mark(a, y, shown[i].self_share, selected);
		app_zone(a, (struct rect){y, 0, 1, area.cols}, ZONE_ROW, state->list.top + i, NULL);
	}
	a->nsight = 0;
}

const struct row *rowlist_selected(struct app *a, bool trend)
{
	const struct table_state *t = &a->table[a->view];
	struct query q = app_query(a, t);
	const struct row *r;

	q.in_part = true;
	r = model_rows_part(a->model, &q, app_window(a), t->list.index, 1);
	return r && trend && model_trends(a->model, &q, app_window(a), t->list.index, 1) ? NULL : r;
}

/* Return the selected row if it is a function, else NULL. */
static const struct row *selected_function(struct app *a)
{
	const struct row *r =
		a->table[a->view].group == GROUP_FUNCTION ? rowlist_selected(a, false) : NULL;

	return r && r->flags & (ROW_FOLDED | ROW_LOST) ? NULL : r;
}

bool rowlist_callers(struct app *a)
{
	const struct row *r = callpaths_taken(a) ? selected_function(a) : NULL;

	if (!r)
		return false;
	view_tree_callers(a, r->key, r->name);
	return true;
}

uint64_t rowlist_line_key(struct app *a, char *name, size_t size)
{
	const struct row *r =
		a->table[a->view].group == GROUP_LINE ? rowlist_selected(a, false) : NULL;

	if (!r || r->flags & (ROW_FOLDED | ROW_LOST))
		return 0;
	text_append(name, size, 0, "%s", r->function);
	return r->key;
}

bool rowlist_source(struct app *a, struct editor_file *f)
{
	return a->table[a->view].group == GROUP_LINE &&
	       linerows_source(rowlist_selected(a, false), f);
}

uint64_t rowlist_function(struct app *a, char *name, size_t size)
{
	const struct row *r = selected_function(a);

	if (!r)
		return 0;
	text_append(name, size, 0, "%s", r->name);
	return r->key;
}

bool rowlist_of_hosts(struct app *a)
{
	const struct row *r = rowlist_selected(a, false);

	return r && (a->table[a->view].group == GROUP_HOST || r->nhosts > 1);
}

bool rowlist_words(struct app *a, struct zoom_level *level)
{
	const struct row *r = rowlist_selected(a, false);
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
