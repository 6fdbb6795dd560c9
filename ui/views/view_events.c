/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * While the window is held, the list ends with it; lines that come meanwhile are still taken and
 * counted, and appear when it moves again.
 */
#include "ui/views/view_events.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/namefold.h"
#include "base/search.h"
#include "base/text.h"
#include "base/units.h"
#include "base/vec.h"
#include "model/core/eventlog.h"
#include "model/core/marks.h"
#include "ui/app/app.h"
#include "ui/parts/details.h"
#include "ui/parts/hosttexts.h"
#include "ui/parts/rowlist.h"
#include "ui/parts/widget.h"

#define JUDGED_MOST 8000 /* lines tested during a draw: some 10 ms */

struct events_state {
	uint64_t *number; /* numbers of the lines that pass the filter, ascending */
	size_t nr, cap;
	uint64_t looked;  /* lines below this number have been tested */
	uint64_t filter;  /* app.filters when they were tested */
	bool with_self;   /* ringtop's own records are shown, too */
	bool begun;       /* a line was selected once: if none is now, Home was pressed */
	bool moved;       /* an older row is selected; else the selection follows the newest */
};

static struct events_state *events_state(const struct app *a)
{
	return a->state[VIEW_EVENTS];
}

static void events_state_free(void *state)
{
	struct events_state *s = state;

	free(s->number);
}

/* --- filtering ---------------------------------------------------------------------------------
 */

static void forget_gone(struct events_state *s, uint64_t first)
{
	size_t gone = 0;

	while (gone < s->nr && s->number[gone] < first)
		gone++;
	if (gone)
		memmove(s->number, s->number + gone, (s->nr - gone) * sizeof(*s->number));
	s->nr -= gone;
	s->looked = s->looked > first ? s->looked : first;
}

/* True for records of ringtop itself or its helpers, as in other views. */
static bool is_own_record(const struct app *a, const struct slice_logged *l)
{
	const struct session_info *info = model_info(a->model);
	const struct sandbox_figures *f = model_helpers(a->model);

	if (info->nhosts)
		return l->pid > 0 && l->pid == info->hosts[session_place(info, l->cpu).host].self;
	for (unsigned i = 0; i < SANDBOX_PROCESSES; i++)
		if (l->pid > 0 && l->pid == f[i].pid)
			return true;
	return l->pid > 0 && l->pid == info->self;
}

/* Test new lines against the filter, a limited number.  False: out of memory. */
static bool take_new(struct app *a)
{
	struct events_state *s = events_state(a);
	uint64_t first, next = eventlog_lines(a->model, &first);

	if (s->filter != a->filters || s->with_self != a->show_self || s->looked > next)
		s->nr = s->looked = 0;
	s->filter = a->filters;
	s->with_self = a->show_self;
	forget_gone(s, first);
	for (unsigned i = 0; s->looked < next && (!a->filter || i < JUDGED_MOST);
	     i++, s->looked++) {
		const struct slice_logged *l = eventlog_line(a->model, s->looked);

		if ((!a->show_self && is_own_record(a, l)) ||
		    !eventlog_passes(model_info(a->model), l, a->filter))
			continue;
		if (!VEC_PUSH(s->number, s->nr, s->cap, s->looked))
			return false;
	}
	return true;
}

static const struct slice_logged *logged_line_at(const struct app *a, size_t i)
{
	return eventlog_line(a->model, events_state(a)->number[i]);
}

/* Count the lines to show: up to the end of a held window. */
static size_t count_shown(const struct app *a)
{
	uint64_t end = a->held ? app_window(a).to : UINT64_MAX;

	return SEARCH_WHILE(i, 0, events_state(a)->nr, logged_line_at(a, i)->time <= end);
}

/* --- cells -------------------------------------------------------------------------------------
 */

static const char *logged_event_name(const struct app *a, const struct slice_logged *l)
{
	const struct session_info *info = model_info(a->model);

	return l->event < info->nevents ? info->events[l->event].name : "?";
}

/* Write the time of day with microseconds. */
static void write_time(const struct app *a, uint64_t time, char *buf, size_t size)
{
	char day[MARK_NAME];

	marks_time_of_day(model_info(a->model)->start_wall + time, day, sizeof(day));
	snprintf(buf, size, "%.8s.%06u", day,
		 (unsigned)((model_info(a->model)->start_wall + time) % NSEC_PER_SEC / 1000));
}

static enum role text_logged_time(const struct widget_cell *cell, char *buf, size_t size)
{
	const struct slice_logged *l = cell->row;

	write_time(cell->ctx, l->time, buf, size);
	return l->late ? ROLE_WARN : ROLE_DIM;
}

static enum role text_logged_host(const struct widget_cell *cell, char *buf, size_t size)
{
	const struct slice_logged *l = cell->row;

	hosttexts_cell(cell->ctx, l->cpu, buf, size);
	return ROLE_TEXT;
}

static enum role text_logged_cpu(const struct widget_cell *cell, char *buf, size_t size)
{
	const struct slice_logged *l = cell->row;
	int cpu = session_place(model_info(((const struct app *)cell->ctx)->model), l->cpu).cpu;

	snprintf(buf, size, cpu < 0 ? "-" : "%d", cpu);
	return ROLE_TEXT;
}

static enum role text_logged_tid(const struct widget_cell *cell, char *buf, size_t size)
{
	const struct slice_logged *l = cell->row;

	snprintf(buf, size, l->tid < 0 ? "-" : "%d", l->tid);
	return ROLE_TEXT;
}

static void write_comm(const struct slice_logged *l, char *buf, size_t size)
{
	char comm[sizeof(l->comm) + 1] = "";

	memcpy(comm, l->comm, sizeof(l->comm));
	text_escape(buf, size, *comm ? comm : "?");
}

static enum role search_role(const struct app *a, const char *text)
{
	return *a->search && rowlist_found(text, a->search) ? ROLE_MATCH : ROLE_TEXT;
}

static enum role text_comm(const struct widget_cell *cell, char *buf, size_t size)
{
	write_comm(cell->row, buf, size);
	return search_role(cell->ctx, buf);
}

static enum role text_event(const struct widget_cell *cell, char *buf, size_t size)
{
	enum role role;

	text_escape(buf, size, logged_event_name(cell->ctx, cell->row));
	role = search_role(cell->ctx, buf);
	/* Leave out its subsystem if there is no room for both. */
	if (strlen(buf) > (size_t)cell->width && strchr(buf, ':') && strchr(buf, ':')[1])
		memmove(buf, strchr(buf, ':') + 1, strlen(strchr(buf, ':') + 1) + 1);
	return role == ROLE_MATCH ? role : ROLE_STRONG;
}

static enum role text_logged_record(const struct widget_cell *cell, char *buf, size_t size)
{
	const struct slice_logged *l = cell->row;

	text_escape(buf, size, l->text);
	return search_role(cell->ctx, l->text);
}

enum { COL_TIME, COL_HOST, COL_CPU, COL_COMM, COL_TID, COL_EVENT, COL_TEXT, COL_NR };

static const struct widget_column columns[COL_NR] = {
	[COL_TIME] = {"TIME", 15, 0, 0, 1, false, -1, text_logged_time, NULL},
	[COL_HOST] = {"HOST", 8, 1, 20, 2, false, -1, text_logged_host, NULL},
	[COL_CPU] = {"CPU", 3, 0, 0, 4, true, -1, text_logged_cpu, NULL},
	[COL_COMM] = {"COMMAND", 10, 1, 16, 3, false, -1, text_comm, NULL},
	[COL_TID] = {"TID", 7, 0, 0, 5, true, -1, text_logged_tid, NULL},
	[COL_EVENT] = {"EVENT", 12, 1, 28, 0, false, -1, text_event, NULL},
	[COL_TEXT] = {"RECORD", 32, 8, 0, 0, false, -1, text_logged_record,
	 "its text, as the kernel prints it"},
};

/* --- the list ----------------------------------------------------------------------------------
 */

/* Never 0, which means no row. */
static uint64_t logged_key_at(const void *ctx, size_t i)
{
	return events_state(ctx)->number[i] + 1;
}

static bool logged_line_matches(const void *ctx, size_t i, const char *search)
{
	const struct slice_logged *l = logged_line_at(ctx, i);
	char comm[4 * sizeof(l->comm) + 1];

	write_comm(l, comm, sizeof(comm));
	return rowlist_found(l->text, search) || rowlist_found(logged_event_name(ctx, l), search) ||
	       rowlist_found(comm, search);
}

/* Follow the newest line until the selection is moved, and again when it is moved to the end. */
static void sync_log_list(struct app *a, size_t nr, size_t height)
{
	struct events_state *s = events_state(a);
	struct list *list = &a->table[a->view].list;

	bool home = s->begun && !list->touched, asked = home || list->move || list->seek;

	if (!s->moved && nr && !asked) {
		list->touched = s->begun = true;
		list->key = logged_key_at(a, nr - 1);
	}
	list_sync(list, &(struct list_rows){a, nr, logged_key_at, logged_line_matches, a->search},
		  height);
	s->moved = nr && list->index + 1 < nr;
}

static uint64_t lost_records(const struct app *a)
{
	uint64_t lost = 0;
	struct account of;

	for (unsigned e = 0; e < model_info(a->model)->nevents; e++) {
		model_account(a->model, e, ALL_CPUS, WINDOW_ALL, &of);
		lost += of.lost_samples_all - of.lost_samples[LOST_MULTIPLEXED];
	}
	return lost;
}

/* Draw counts of lines and losses since the start or 'z'. */
static void draw_counts(struct app *a, int y)
{
	struct events_state *s = events_state(a);
	const struct slice_logging *c = eventlog_counts(a->model, false);
	uint64_t lost = lost_records(a);
	struct widget_line l = {.nr = 0};
	char n[UNITS_LEN];

	widget_segment(&l, ROLE_TEXT, 0, 0, "%s lines", units_count(n, (double)c->lines));
	widget_segment(&l, c->unshown ? ROLE_WARN : ROLE_DIM, 0, 2, "not shown %s",
		       units_count(n, (double)c->unshown));
	widget_segment(&l, lost ? ROLE_BAD : ROLE_DIM, 0, 2, "records lost %s",
		       units_count(n, (double)lost));
	if (c->unprinted)
		widget_segment(&l, ROLE_WARN, 3, 2, "not printed %s",
			       units_count(n, (double)c->unprinted));
	if (c->late)
		widget_segment(&l, ROLE_WARN, 4, 2, "late %s", units_count(n, (double)c->late));
	if (a->filter)
		widget_segment(&l, ROLE_DIM, 2, 2, "%zu pass the filter%s", s->nr,
			       s->looked < eventlog_lines(a->model, &(uint64_t){0})
				       ? " so far"
				       : "");
	if (a->held || s->moved)
		widget_segment(&l, ROLE_STRONG, 1, 2,
			       a->held ? "frozen: Space resumes" : "End follows the newest");
	widget_line_draw(&a->scene, y, &l);
}

static void draw_no_records(struct app *a, struct rect at)
{
	static const char *const lines[] = {
		"no record yet: the log has records of sampled tracepoints, if their data may be "
		"read",
		"-e sched:sched_switch      (or E, here) samples one; ringtop --list has them "
		"all",
		"-e 'block:*' -c 1          all hits of several",
		"f event:sched comm:^make   hides other lines",
		"--log-events               lets other hosts (-H) send them",
	};
	const size_t nr = sizeof(lines) / sizeof(lines[0]) - (model_info(a->model)->nhosts ? 0 : 1);

	sync_log_list(a, 0, 0);
	widget_hints(&a->scene, (struct rect){at.y, at.x + 2, at.rows, at.cols - 2}, lines, nr);
}

static void draw_lines(struct app *a, struct rect at, size_t nr)
{
	uint32_t hidden = model_info(a->model)->nhosts < 2 ? 1u << COL_HOST : 0;
	struct widget_table t = {.columns = columns, .nr = COL_NR};
	struct list *list = &a->table[a->view].list;
	int head = at.rows > 2 ? 1 : 0;

	widget_table_layout(&t, at.cols > 20 ? 1 : 0, at.cols, hidden);
	if (head)
		widget_table_head(&a->scene, at.y, at.cols, &t, NULL, -1, false);
	sync_log_list(a, nr, (size_t)(at.rows - head));
	for (size_t i = list->top; i < nr && (int)(i - list->top) < at.rows - head; i++) {
		int y = at.y + head + (int)(i - list->top);

		widget_table_row(&a->scene, y, at.cols, &t, a, logged_line_at(a, i),
				 i == list->index);
		app_zone(a, (struct rect){y, 0, 1, at.cols}, ZONE_ROW, i, NULL);
	}
}

static void draw_event_log(struct app *a, struct rect at)
{
	const struct slice_logging *c = eventlog_counts(a->model, false);
	int counts = at.rows > 1;

	if (!take_new(a)) {
		scene_fit(&a->scene, at.y, 1, -1, ROLE_BAD, "out of memory: no lines");
		return;
	}
	if (!c->lines && !c->unshown && !c->unprinted) {
		draw_no_records(a, at);
		return;
	}
	draw_lines(a, (struct rect){at.y + counts, at.x, at.rows - counts, at.cols},
		   count_shown(a));
	/* Drawn last, as draw_lines finds out whether the list follows the newest. */
	if (counts)
		draw_counts(a, at.y);
}

/* --- the selected row --------------------------------------------------------------------------
 */

static void details_fields(const struct slice_logged *l, struct details *d)
{
	struct slice_logged_field f;
	const char *at = l->fields;

	while (slice_logged_next(&at, &f)) {
		char name[NAMES_BYTES], raw[NAMES_BYTES], value[NAMES_BYTES];

		snprintf(raw, sizeof(raw), "%.*s", (int)f.name_len, f.name);
		text_escape(name, sizeof(name), raw);
		snprintf(raw, sizeof(raw), "%.*s", (int)f.value_len, f.value);
		text_escape(value, sizeof(value), raw);
		details_add(d, strncmp(name, "common_", 7) ? ROLE_TEXT : ROLE_DIM, name, "%s",
			    value);
	}
}

static void logged_details(struct app *a, struct details *d)
{
	size_t i = a->table[a->view].list.index;
	const struct slice_logged *l = i < events_state(a)->nr ? logged_line_at(a, i) : NULL;
	char text[NAMES_BYTES];

	if (!l) {
		details_add(d, ROLE_DIM, "", "no record is selected");
		return;
	}
	text_escape(text, sizeof(text), logged_event_name(a, l));
	details_add(d, ROLE_STRONG, "event", "%s", text);
	write_time(a, l->time, text, sizeof(text));
	details_add(d, ROLE_TEXT, "time", "%s, %llu.%09llu s%s", text,
		    (unsigned long long)(l->time / NSEC_PER_SEC),
		    (unsigned long long)(l->time % NSEC_PER_SEC), l->late ? ", late" : "");
	write_comm(l, text, sizeof(text));
	details_add(d, ROLE_TEXT, "thread", "%s, pid %d, tid %d", text, l->pid, l->tid);
	text_escape(text, sizeof(text), l->text);
	details_add(d, ROLE_TEXT, "record", "%s", text);
	details_fields(l, d);
}

static bool step_event_log(struct app *a, enum view_step step)
{
	if (step != STEP_OPEN)
		return false;
	a->panel = !a->panel;
	return true;
}

const struct view_ops view_events = {
	.state_size = sizeof(struct events_state),
	.state_free = events_state_free,
	.columns = columns,
	.ncolumns = COL_NR,
	.keys = "help search filter open freeze add-event event last zero pause quit",
	.draw = draw_event_log,
	.details = logged_details,
	.step = step_event_log,
};
