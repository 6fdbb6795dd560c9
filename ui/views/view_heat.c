/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The map stands still and fills to the right, like the time line; when it is full it moves by a
 * quarter, so that a refresh sends only a cell or two.  With enough lines it has several strips,
 * the oldest on top.
 */
#include "ui/views/view_heat.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "base/units.h"
#include "model/core/marks.h"
#include "ui/app/app.h"
#include "ui/app/seeking.h"
#include "ui/parts/head.h"
#include "ui/parts/timeline.h"

#define TENTH	(NSEC_PER_SEC / 10)
#define CELLS	(HEAT_SECONDS * 10)
#define NOTES	2 /* lines below the map */
#define STRIPS	4
#define COARSE	(TENTH * 3 / 2) /* slices longer than that are marked */

struct view_heat_state *view_heat_state(const struct app *a)
{
	return a->state[VIEW_HEAT];
}

/* Heat of the map's time, by 100 ms. */
struct known {
	double weight[CELLS];
	uint64_t longest[CELLS];
	double full;
};

static uint64_t floor_to(uint64_t time, uint64_t unit)
{
	return time / unit * unit;
}

/* Start of the last 100 ms that are over. */
static uint64_t newest_tenth(const struct app *a)
{
	uint64_t now = head_now(a), first = model_first(a->model);

	return floor_to(now > first + TENTH ? now - TENTH : first, TENTH);
}

static uint64_t cursor(const struct app *a)
{
	struct view_heat_state *s = view_heat_state(a);
	uint64_t last = newest_tenth(a), first = floor_to(model_first(a->model), TENTH),
		 at = s->touched ? s->at : last;

	return at > last ? last : at < first ? first : at;
}

static struct window selected_window(const struct app *a)
{
	struct view_heat_state *s = view_heat_state(a);
	uint64_t at = cursor(a), from = s->selecting ? s->from : at;

	return from < at ? (struct window){from, at + TENTH} : (struct window){at, from + TENTH};
}

/* --- layout ----------------------------------------------------------------------------- */

/* Lay out the map for the area.  False: there is no room for it. */
static bool lay_out_map(const struct app *a, struct rect area, struct view_heat_map *m)
{
	static const int tenths[] = {1, 2, 5};
	int room = area.rows - NOTES, left = area.cols >= 60 ? 4 : 1;
	uint64_t seconds, quarter, end = newest_tenth(a) / NSEC_PER_SEC + 1,
				   at = cursor(a) / NSEC_PER_SEC;
	size_t i = 0;

	while (i < sizeof(tenths) / sizeof(tenths[0]) && 10 / tenths[i] + 1 > room)
		i++;
	m->seconds = area.cols - left - 1;
	if (i == sizeof(tenths) / sizeof(tenths[0]) || m->seconds < 8)
		return false;
	m->tenths = tenths[i];
	m->seconds = m->seconds > HEAT_SECONDS ? HEAT_SECONDS : m->seconds;
	m->strips = room / (10 / m->tenths + 1);
	while (m->strips > STRIPS || m->strips * m->seconds > HEAT_SECONDS)
		m->strips--;
	seconds = (uint64_t)(m->strips * m->seconds);
	quarter = (uint64_t)m->seconds / 4;
	m->start = model_first(a->model) / NSEC_PER_SEC;
	if (end > m->start + seconds)
		m->start = floor_to(end - seconds + quarter - 1, quarter);
	if (at < m->start)
		m->start = floor_to(at, quarter);
	m->start *= NSEC_PER_SEC;
	m->at = (struct rect){area.y, area.x + left, m->strips * (10 / m->tenths + 1), m->seconds};
	return true;
}

/* Find the start of the 100 ms at a place of the screen.  False: it is no cell of the map. */
static bool time_at_cell(const struct view_heat_map *m, int y, int x, uint64_t *time)
{
	int height = 10 / m->tenths + 1, strip, row;

	y -= m->at.y;
	x -= m->at.x;
	if (y < 0 || x < 0 || y >= m->at.rows || x >= m->at.cols)
		return false;
	strip = y / height;
	row = y % height;
	*time = m->start + (uint64_t)(strip * m->seconds + x) * NSEC_PER_SEC +
		(uint64_t)(row * m->tenths) * TENTH;
	return row < height - 1;
}

/* --- drawing ---------------------------------------------------------------------------- */

static void read_map_heat(const struct app *a, const struct view_heat_map *m, struct known *k)
{
	size_t nr = (size_t)(m->strips * m->seconds) * 10;
	struct heat heat = {k->weight, k->longest};

	model_heat(a->model, a->event, (struct window){m->start, m->start + nr * TENTH}, &heat, nr);
	k->full = timeline_full(a, k->weight, nr, TENTH, false);
}

static int level_of(double share)
{
	int level = (int)lround(share * 8);

	return share <= 0 ? 0 : level < 1 ? 1 : level > 8 ? 8 : level;
}

/* Draw a cell, as bright as the busiest of its tenths. */
static void draw_cell(struct app *a, const struct view_heat_map *m, const struct known *k, int y,
		      int x, size_t i)
{
	static const char *const shades[] = {" ", "░", "░", "▒", "▒", "▓", "▓", "█", "█"};
	static const char *const plain[] = {" ", ".", ":", "-", "=", "+", "*", "#", "@"};
	static const enum role roles[] = {ROLE_DIM,    ROLE_DIM,    ROLE_DIM,  ROLE_TEXT, ROLE_TEXT,
					  ROLE_STRONG, ROLE_STRONG, ROLE_WARN, ROLE_WARN};
	uint64_t begin = m->start + i * TENTH, end = begin + (uint64_t)m->tenths * TENTH;
	struct window w = selected_window(a);
	double most = 0;
	int level;

	for (int t = 0; t < m->tenths; t++)
		most = fmax(most, k->weight[i + (size_t)t]);
	level = level_of(most / k->full);
	scene_text(&a->scene, y, x, 1, w.from < end && w.to > begin ? ROLE_SELECTED : roles[level],
		   a->scene.ascii ? plain[level] : shades[level]);
}

/* Draw the line below a strip: the views' window, seconds kept as a whole, time of day. */
static void draw_axis(struct app *a, const struct view_heat_map *m, const struct known *k, int y,
		      uint64_t start)
{
	uint64_t wall = model_info(a->model)->start_wall, last = newest_tenth(a);
	struct window shown = app_window(a);

	for (int x = 0; x < m->seconds; x++) {
		uint64_t at = start + (uint64_t)x * NSEC_PER_SEC;
		size_t i = (size_t)((at - m->start) / TENTH);
		bool in = shown.from < at + NSEC_PER_SEC && shown.to > at, coarse = false;
		char day[32];

		for (int t = 0; t < 10; t++)
			coarse |= k->longest[i + (size_t)t] > COARSE;
		if (in && at <= last)
			scene_text(&a->scene, y, m->at.x + x, 1, ROLE_WINDOW, "^");
		else if (coarse)
			scene_text(&a->scene, y, m->at.x + x, 1, ROLE_DIM, "─");
		if (in || (at + wall) / NSEC_PER_SEC % 20 || x + 9 > m->seconds)
			continue;
		marks_time_of_day(wall + at, day, sizeof(day));
		scene_text(&a->scene, y, m->at.x + x, 1, ROLE_DIM, "│");
		x += scene_text(&a->scene, y, m->at.x + x + 1, 8, ROLE_DIM, day);
	}
}

static void draw_strip(struct app *a, const struct view_heat_map *m, const struct known *k,
		       int strip)
{
	int height = 10 / m->tenths + 1, y = m->at.y + strip * height;
	uint64_t start = m->start + (uint64_t)(strip * m->seconds) * NSEC_PER_SEC, time;
	char tenth[8];

	for (int row = 0; row < height - 1; row++) {
		snprintf(tenth, sizeof(tenth), ".%d", row * m->tenths);
		if (m->at.x > 3)
			scene_text(&a->scene, y + row, m->at.x - 3, 2, ROLE_DIM, tenth);
		for (int x = 0; x < m->seconds; x++)
			if (time_at_cell(m, y + row, m->at.x + x, &time))
				draw_cell(a, m, k, y + row, m->at.x + x,
					  (size_t)((time - m->start) / TENTH));
	}
	draw_axis(a, m, k, y + height - 1, start);
}

/* Append "11:41:45.3". */
static size_t add_time(const struct app *a, char *buf, size_t size, size_t pos, uint64_t time)
{
	uint64_t wall = model_info(a->model)->start_wall + time;
	char day[32];

	marks_time_of_day(wall, day, sizeof(day));
	return text_append(buf, size, pos, "%s.%u", day, (unsigned)(wall / TENTH % 10));
}

/* Write the selected window, its load, and how coarsely its rows are kept. */
static void write_selected(const struct app *a, const struct view_heat_map *m,
			   const struct known *k, char *buf, size_t size)
{
	struct window w = selected_window(a), kept = model_kept(a->model, w);
	size_t from = (size_t)((w.from - m->start) / TENTH),
	       to = (size_t)((w.to - m->start) / TENTH), pos, nr = 0;
	char rate[UNITS_LEN], length[UNITS_LEN];
	const struct session_event *e = app_event(a);
	double sum = 0, most = 0;

	for (size_t i = w.from < m->start ? 0 : from; i < to && i < CELLS; i++, nr++) {
		sum += k->weight[i];
		most = fmax(most, k->weight[i]);
	}
	pos = add_time(a, buf, size, 0, w.from);
	pos = text_append(buf, size, pos, "–");
	pos = add_time(a, buf, size, pos, w.to);
	pos = text_append(buf, size, pos, ", %s: ", head_whole(length, w.to - w.from));
	sum /= nr ? (double)nr : 1;
	if (e && !strcmp(e->unit, "ns") && timeline_whole(a))
		pos = text_append(buf, size, pos, "%.0f %% busy, most %.0f %%", 100 * sum / k->full,
				  100 * most / k->full);
	else if (e && !strcmp(e->unit, "ns"))
		pos = text_append(buf, size, pos, "%.2f CPUs, most %.2f", sum / (double)TENTH,
				  most / (double)TENTH);
	else
		pos = text_append(buf, size, pos, "%s/s", units_count(rate, sum * 10));
	if (kept.from < kept.to && kept.to - kept.from > w.to - w.from + COARSE)
		text_append(buf, size, pos, "; rows only by %s",
			    head_whole(length, kept.to - kept.from));
}

/* Write the value of a full cell, and the keys. */
static void write_keys(const struct app *a, const struct known *k, char *buf, size_t size)
{
	const struct session_event *e = app_event(a);
	double full = k->full / (double)TENTH;
	char rate[UNITS_LEN];
	size_t pos;

	if (e && !strcmp(e->unit, "ns"))
		pos = text_append(buf, size, 0, "%s %.2g CPU%s   ", a->scene.ascii ? "@" : "█",
				  full, full == 1 ? "" : "s");
	else
		pos = text_append(buf, size, 0, "%s %s/s   ", a->scene.ascii ? "@" : "█",
				  units_count(rate, k->full * 10));
	text_append(
		buf, size, pos, "%s",
		view_heat_state(a)->selecting
			? "arrows, click: to here   Enter: window of all views   Esc: cancel"
			: "v: select from here   Enter: the window of all views   ^ shown   ─ "
			  "whole seconds only");
}

static void draw_heat(struct app *a, struct rect area)
{
	struct view_heat_map *m = &view_heat_state(a)->map;
	static struct known known;
	char text[256];

	if (!a->to || !lay_out_map(a, area, m)) {
		*m = (struct view_heat_map){.strips = 0};
		scene_fit(&a->scene, area.y, area.x + 1, area.cols - 1, ROLE_DIM,
			  a->to ? "no room for the map" : "no data yet");
		return;
	}
	read_map_heat(a, m, &known);
	for (int s = 0; s < m->strips; s++)
		draw_strip(a, m, &known, s);
	app_zone(a, m->at, ZONE_BOX, 0, NULL);
	write_selected(a, m, &known, text, sizeof(text));
	scene_fit(&a->scene, m->at.y + m->at.rows, area.x + 1, area.cols - 1, ROLE_STRONG, text);
	write_keys(a, &known, text, sizeof(text));
	scene_fit(&a->scene, m->at.y + m->at.rows + 1, area.x + 1, area.cols - 1, ROLE_DIM, text);
}

/* --- keys and mouse --------------------------------------------------------------------- */

/* Move the cursor by `by` ns; older time is loaded from the file of a saved time line. */
static void move_cursor(struct app *a, int64_t by)
{
	struct view_heat_state *s = view_heat_state(a);
	uint64_t at = cursor(a), first;

	if (by < 0 && at < floor_to(model_first(a->model), TENTH) + (uint64_t)-by)
		seeking_reach(a);
	first = floor_to(seeking_first(a), TENTH);
	at = by < 0 && at < first + (uint64_t)-by ? first : at + (uint64_t)by;
	if (at < floor_to(model_first(a->model), TENTH) && seeking_bring(a, at))
		app_hold(a, (struct window){at, at + (a->span ? a->span : NSEC_PER_SEC)});
	s->at = at > newest_tenth(a) ? newest_tenth(a) : at;
	s->touched = s->selecting || s->at < newest_tenth(a);
}

static void select_from_here(struct app *a)
{
	struct view_heat_state *s = view_heat_state(a);

	s->selecting = !s->selecting;
	s->from = s->at = cursor(a);
	s->touched = true;
}

static void take_selection(struct app *a)
{
	struct window w = selected_window(a);

	a->frozen = false;
	if (!a->picked)
		a->live_span = a->span;
	a->picked = true;
	a->span = w.to - w.from;
	app_hold(a, w);
	view_heat_state(a)->selecting = false;
	app_show(a, a->back);
}

static bool step_heat(struct app *a, enum view_step step)
{
	struct view_heat_state *s = view_heat_state(a);
	static const int64_t moves[VIEW_STEPS] = {
		[STEP_UP] = -(int64_t)TENTH,
		[STEP_DOWN] = TENTH,
		[STEP_LEFT] = -(int64_t)NSEC_PER_SEC,
		[STEP_RIGHT] = NSEC_PER_SEC,
	};

	if (moves[step])
		move_cursor(a, moves[step]);
	else if (step == STEP_FIRST)
		move_cursor(a, -(int64_t)(cursor(a) - floor_to(model_first(a->model), TENTH)));
	else if (step == STEP_NOW)
		s->touched = s->selecting = false;
	else if (step == STEP_OPEN)
		take_selection(a);
	else if (step == STEP_SOURCE)
		select_from_here(a);
	else if (step == STEP_BACK && s->selecting)
		s->selecting = false;
	else
		return false;
	return true;
}

/* Set one end by the first click, the other by the second; a click into the selection takes it. */
static void click_map(struct app *a, int y, int x)
{
	struct view_heat_state *s = view_heat_state(a);
	struct window w = selected_window(a);
	uint64_t time;

	if (!time_at_cell(&s->map, y, x, &time))
		return;
	if (s->selecting && time >= w.from && time < w.to) {
		take_selection(a);
		return;
	}
	if (!s->selecting || w.to - w.from > TENTH)
		s->from = time;
	s->selecting = s->touched = true;
	s->at = time;
}

const struct view_ops view_heat = {
	.state_size = sizeof(struct view_heat_state),
	.keys = "back help source open earlier later live freeze quit",
	.draw = draw_heat,
	.step = step_heat,
	.click = click_map,
};
