/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/app/app.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/namefold.h"
#include "base/text.h"
#include "base/units.h"
#include "model/judge/conditions.h"
#include "model/core/past.h"
#include "ui/app/action.h"
#include "ui/app/frame.h"
#include "ui/parts/wall.h"

#define SPAN_START (5 * NSEC_PER_SEC)
#define SAY_NS     (6 * NSEC_PER_SEC)

/* Load the saved views, show the first view, and set the filter. */
static int begin_view(struct app *a, struct err *err)
{
	const struct ui_options *o = &a->options;

	for (unsigned i = 0; i < o->nsaved; i++)
		if (savedview_add(&a->saved, o->saved[i], err))
			return err_option(err, "--saved-view");
	if (o->view && savedview_go(a, o->view, err))
		return err_option(err, "--view");
	return o->filter ? app_set_filter(a, o->filter, err) : 0;
}

struct app *app_create(struct session *s, struct model *m, const struct ui_options *o,
		       struct err *err)
{
	struct app *a = calloc(1, sizeof(*a));

	if (!a) {
		err_set(err, ENOMEM, "out of memory");
		return NULL;
	}
	a->session = s;
	a->own = a->model = m;
	a->clock = clock_ns;
	a->options = *o;
	if (!(a->options.delay > 0))
		a->options.delay = 1;
	a->show_self = o->show_self;
	a->show_idle = o->show_idle;
	a->scene.ascii = o->ascii;
	a->mono = o->mono;
	a->span = SPAN_START;
	a->table[VIEW_FUNCTIONS] = (struct table_state){.group = GROUP_FUNCTION, .sort = SORT_SELF};
	a->table[VIEW_TASKS] = (struct table_state){.group = GROUP_TASK, .sort = SORT_SELF};
	a->table[VIEW_FIELDS].sort = SORT_COUNT;
	if (!scene_resize(&a->scene, 24, 80)) {
		err_set(err, ENOMEM, "out of memory");
		app_free(a);
		return NULL;
	}
	if (begin_view(a, err)) {
		app_free(a);
		return NULL;
	}
	if (s->info.note[0])
		app_say(a, ROLE_WARN, "%s", s->info.note);
	if (o->notice)
		app_say(a, ROLE_WARN, "%s", o->notice);
	app_hurry(a);
	app_follow(a);
	if (o->baseline || o->by_host)
		view_changes_begin(a);
	return a;
}

void app_free(struct app *a)
{
	if (!a)
		return;
	filter_free(a->filter);
	filter_free(a->parts.filter);
	savedview_clear(&a->saved);
	view_tree_free(&a->tree);
	view_flame_free(&a->flame);
	view_code_free(&a->code);
	view_counters_free(&a->counters);
	view_events_free(&a->events);
	view_choose_free(&a->choose);
	grouping_free(&a->grouping);
	view_changes_free(&a->changes);
	callchanges_free(&a->calls);
	seeking_free(&a->seeking);
	scene_free(&a->scene);
	free(a->copy);
	free(a);
}

/* --- slices ----------------------------------------------------------------------------- */

static void say_snapshots(struct app *a, const struct slice *s)
{
	for (size_t i = 0; i < s->nsnapshots; i++)
		if (s->snapshots[i].state == SNAPSHOT_WRITTEN)
			app_say(a, ROLE_STRONG, "snapshot %u is in %s: ringtop -i %s opens it", s->snapshots[i].nr,
				s->snapshots[i].file, s->snapshots[i].file);
}

static void say_logs(struct app *a, const struct slice *s)
{
	for (size_t i = 0; i < s->nlogs; i++)
		if (s->logs[i].level == SLICE_WARNING)
			app_say(a, ROLE_WARN, "%s", s->logs[i].text);
}

static int session_ended(struct app *a, int ret, struct err *err)
{
	a->ended = true;
	if (ret != -ESHUTDOWN)
		return err_set(err, -ret, "the session failed: %s", strerror(-ret));
	if (a->session->ops->end)
		a->session->ops->end(a->session, &a->end);
	if (a->end.text[0])
		app_say(a, a->end.error ? ROLE_BAD : ROLE_STRONG, "%s", a->end.text);
	/* The readable part of a broken file stays on the screen, with the error beside it. */
	if (a->end.error && model_info(a->own)->live)
		return err_set(err, -a->end.error, "%s",
			       a->end.text[0] ? a->end.text : strerror(-a->end.error));
	return ret;
}

int app_take(struct app *a, uint64_t until, bool *rows, struct err *err)
{
	*rows = false;
	/* Bounds, so that a session with a backlog, or with slices of 100 000 rows, cannot keep the keys waiting. */
	for (int i = 0; i < 32 && (!i || clock_ns() < until); i++) {
		struct slice *s = NULL;
		int ret = session_next(a->session, &s);

		if (ret)
			return a->ended ? -ESHUTDOWN : session_ended(a, ret, err);
		if (!s)
			return a->ended ? -ESHUTDOWN : 0;
		lateness_note(&a->lateness, a->clock(), s->start, s->end);
		a->answered |= s->ncodes > 0;
		*rows |= s->nrows > 0;
		say_snapshots(a, s);
		say_logs(a, s);
		ret = model_add(a->own, s);
		if (ret)
			return err_set(err, -ret, "cannot take what was measured: %s",
				       strerror(-ret));
		if (a->options.conditions)
			a->answered |= conditions_serve(a->options.conditions, a->own, a->session);
	}
	return a->ended ? -ESHUTDOWN : 0;
}

void app_hurry(struct app *a)
{
	a->hurry_until = clock_ns() + NSEC_PER_SEC;
}

uint64_t app_now(const struct app *a)
{
	uint64_t last = model_counted(a->model), first = model_first(a->model), now;

	if (!a->paused || seeking_in_file(a))
		return model_now(a->model);
	now = last > a->paused_at ? last : a->paused_at;
	return now > first ? now : first; /* the model may have forgotten all before the pause */
}

/* Return a window of the screen's length that ends at `to`. */
static struct window window_to(const struct app *a, uint64_t to)
{
	return (struct window){a->span && to > a->span ? to - a->span : 0, to};
}

void app_follow(struct app *a)
{
	callpaths_follow(a);
	wall_follow(a);
	questioning_follow(a);
	if (a->held)
		return;
	a->to = app_now(a);
	model_hold(a->model, a->paused ? window_to(a, a->to) : view_changes_hold(a));
}

void app_hold(struct app *a, struct window w)
{
	struct window kept = model_kept(a->model, w);

	a->held = true;
	a->at = kept.from < kept.to ? kept : w;
	model_hold(a->model, a->at);
}

void app_live(struct app *a)
{
	seeking_leave(a);
	a->held = a->frozen = false;
	if (a->picked)
		app_span(a, a->live_span);
	app_follow(a);
}

void app_span(struct app *a, uint64_t span)
{
	a->span = span;
	a->picked = false;
	if (a->held)
		app_hold(a, window_to(a, a->at.to));
}

/* Bounded by the slices that are kept, so that all callers use the same stretch. */
struct window app_window(const struct app *a)
{
	struct window w = a->held ? a->at : window_to(a, a->to), kept;

	if (!a->held && !a->span)
		return WINDOW_ALL;
	kept = model_kept(a->model, w);
	return kept.from < kept.to ? kept : w;
}

bool app_forgotten(const struct app *a)
{
	uint64_t first = model_first(a->model);

	/* A live window with nothing kept at all: no slice has come yet. */
	return app_window(a).to <= first && (a->held || first < model_now(a->model));
}

uint64_t app_behind(const struct app *a)
{
	bool still = a->held || a->paused || a->ended || a->model != a->own || !model_info(a->own)->live;

	return still ? 0 : lateness_of(&a->lateness, a->clock(), a->to, (uint64_t)(a->options.delay * (double)NSEC_PER_SEC));
}

struct query app_query(const struct app *a, const struct table_state *t)
{
	struct query q = {
		.event = a->event,
		.group = t->group,
		.sort = t->sort,
		.reverse = t->reverse,
		.hide_kernel = a->hide_kernel,
		.hide_idle = !a->show_idle,
		.hide_user = a->hide_user,
		.show_self = a->show_self,
		.filter = a->filter,
	};

	wall_query(a, &q);
	return q;
}

const struct session_event *app_event(const struct app *a)
{
	const struct session_info *info = model_info(a->model);

	return a->event < info->nevents ? &info->events[a->event] : NULL;
}

/* --- state ------------------------------------------------------------------------------ */

void app_say(struct app *a, enum role role, const char *fmt, ...)
{
	char raw[APP_MESSAGE];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(raw, sizeof(raw), fmt, ap);
	va_end(ap);
	text_escape(a->message, sizeof(a->message), raw);
	a->message_role = role;
	a->message_until = clock_ns() + SAY_NS;
}

bool app_sure(struct app *a, const char *question)
{
	/* A confirmation is for one question only. */
	if (a->sure && (!a->asked || !strcmp(a->asked, question)))
		return true;
	app_say(a, ROLE_WARN, "%s", question);
	a->asked = question;
	a->asked_until = clock_ns() + SAY_NS;
	return false;
}

int app_set_filter(struct app *a, const char *text, struct err *err)
{
	char words[ZOOM_LEVELS * ZOOM_WORDS], whole[APP_FILTER + sizeof(words)], names[8 * SLICE_FIELD_NAMES];
	struct filter *filter = NULL;
	int ret;

	zoom_words(&a->zoom, words, sizeof(words));
	text_append(whole, sizeof(whole), 0, "%s%s", text, words);
	session_by_names(model_info(a->model), names, sizeof(names));
	ret = filter_compile_keys(whole, names, &filter, err);
	if (ret)
		return ret;
	filter_free(a->filter);
	a->filter = filter;
	view_events_judge(&a->events);
	if (text != a->filter_text)
		text_escape(a->filter_text, sizeof(a->filter_text), text);
	return 0;
}

bool app_step(struct app *a, enum view_step step)
{
	return views[a->view]->step && views[a->view]->step(a, step);
}

void app_show(struct app *a, enum view_id view)
{
	if (view == VIEW_FUNCTIONS && a->changes.on)
		view = VIEW_CHANGES;
	if (view == VIEW_CHANGES)
		a->back = VIEW_FUNCTIONS; /* it is under the tab of Functions */
	else if (!views[view]->digit && views[a->view]->digit)
		a->back = a->view;
	/* Without open code, open that of the selected row. */
	if (view == VIEW_CODE && a->view != VIEW_CODE && !a->code.now.place.object)
		view_code_open(a);
	a->view = view;
	a->panel = false;
}

int app_snapshot(struct app *a, enum session_command command, const char *reason)
{
	struct session_request rq = {.command = command, .text = reason};
	struct err err = {0};
	int ret = a->session->ops->command(a->session, &rq, &err);

	if (ret)
		app_say(a, ROLE_WARN, "%s", err.text[0] ? err.text : strerror(-ret));
	return ret;
}

int app_change(struct app *a, enum session_change change, const char *text, uint64_t number)
{
	const char *const done[] = {
		[SESSION_EVENT_ADD] = "comes: e shows it", [SESSION_EVENT_REPLACE] = "comes in its place: e shows it",
		[SESSION_EVENT_OFF] = "goes; what was measured of it stays",
		[SESSION_EVENT_FILTER] = "has another filter",
		[SESSION_EVENT_BY] = "is summed up by other fields: 0 shows them",
		[SESSION_EVENT_OFFCPU] = number ? "is measured from now on: o has it beside on-cpu"
						: "is measured no more; what was measured of it stays",
		[SESSION_EVENT_BETWEEN] = "is what pairs are made of: 0 shows them",
	};
	struct session_request rq = {.command = SESSION_EVENTS, .change = change, .event = a->event, .text = text,
				     .number = number};
	const struct session_event *e = app_event(a);
	char name[NAMES_BYTES];
	struct err err = {0};
	int ret = a->session->ops->command(a->session, &rq, &err);

	text_escape(name, sizeof(name), change <= SESSION_EVENT_REPLACE || change >= SESSION_EVENT_OFFCPU ? text : e ? e->name : "");
	if (ret)
		app_say(a, ROLE_WARN, "%s", err.text[0] ? err.text : strerror(-ret));
	else if (change == SESSION_EVENT_FREQUENCY)
		app_say(a, ROLE_TEXT, "%s is to have %llu samples a second on each CPU", name, (unsigned long long)number);
	else if (change == SESSION_EVENT_PERIOD)
		app_say(a, ROLE_TEXT, "%s is to have a sample every %llu%s%s", name, (unsigned long long)number,
			e && *e->unit ? " " : "", e ? e->unit : "");
	else if (change == SESSION_EVENT_BETWEEN && !*text)
		app_say(a, ROLE_TEXT, "no pairs are made any more");
	else
		app_say(a, ROLE_TEXT, "%s %s", name, done[change]);
	return ret;
}

#define FETCH_AMONG 64 /* newest snapshots that can be fetched */

/* Return the file of a number, and replace -1 by the number found; NULL: none is written. */
static const char *fetched_file(const struct app *a, long *number)
{
	const struct slice_recording *r = model_recording(a->own);
	const struct slice_snapshot *s[FETCH_AMONG];
	size_t nr = model_snapshots(a->own, s, FETCH_AMONG);

	for (size_t i = 0; i < nr; i++)
		if (s[i]->state == SNAPSHOT_WRITTEN && s[i]->file &&
		    (*number < 0 || *number == (long)s[i]->nr)) {
			*number = (long)s[i]->nr;
			return s[i]->file;
		}
	if (*number > 0 || !r || r->state != RECORDING_DONE)
		return NULL;
	*number = 0;
	return r->file;
}

void app_fetch(struct app *a, long number, const char *directory)
{
	const char *file = fetched_file(a, &number);
	struct session_request rq = {.command = SESSION_FETCH, .snapshot = (uint32_t)number,
				     .text = *directory ? directory : "."};
	struct err err = {0};
	char name[APP_MESSAGE];
	int ret;

	if (!file) {
		app_say(a, ROLE_WARN, number < 0 ? "nothing is written yet: S takes a snapshot, R records"
						 : "nothing of that number is written");
		return;
	}
	text_escape(name, sizeof(name), file);
	ret = a->session->ops->command(a->session, &rq, &err);
	if (!ret)
		app_say(a, ROLE_TEXT, "fetching %s", name);
	else if (ret == -EOPNOTSUPP)
		app_say(a, ROLE_WARN, "%s: %s", err.text, name);
	else
		app_say(a, ROLE_WARN, "%s", err.text[0] ? err.text : strerror(-ret));
}

int app_write(struct app *a, const char *text, struct err *err)
{
	struct query q = app_query(a, &a->table[a->view]);
	const char *const *formats = a->options.formats;
	size_t len = strcspn(text, ":");
	char format[32], name[VIEW_CHANGES_NAME];
	struct window w = app_window(a);
	struct ui_compared was;
	bool compared;
	int ret;

	if (!a->options.write)
		return err_set(err, EOPNOTSUPP, "nothing can be written from here");
	if (!text[len] || !text[len + 1])
		return err_set(err, EINVAL, "FORMAT:FILE is asked for");
	text_append(format, sizeof(format), 0, "%.*s", (int)len, text);
	while (formats && *formats && strcmp(*formats, format) != 0)
		formats++;
	if (!formats || !*formats)
		return err_set(err, EINVAL, "unknown format '%s'; Tab shows them", format);
	compared = view_changes_compared(a, &q, &w, &was, name);
	ret = a->options.write(a->model, &q, w, compared ? &was : NULL, format, text + len + 1, err);
	if (ret >= 0)
		app_say(a, ROLE_GOOD, "%s written%s", text + len + 1,
			!compared ? "" : ret ? ", of now alone: this format has no comparison" : ", with what changed");
	return ret < 0 ? ret : 0;
}

int app_record(struct app *a, const char *file, struct err *err)
{
	const struct slice_recording *r = model_recording(a->own);
	bool on = r && r->state == RECORDING_ON;
	struct session_request rq = {.command = SESSION_RECORD, .text = on ? NULL : file};
	int ret = a->session->ops->command(a->session, &rq, err);

	if (!ret)
		app_say(a, ROLE_TEXT, on ? "the recording ends" : "recording to %s; R ends it", file);
	return ret;
}

int app_save(struct app *a, const char *file, struct err *err)
{
	struct session_past past;
	struct session_request rq = {.command = SESSION_SAVE, .text = file, .past = &past};
	uint64_t first = model_first(a->own), now = model_now(a->own);
	char span[UNITS_LEN], name[APP_MESSAGE / 2];
	int ret = model_past(a->own, &past);

	if (ret)
		err_room(err, -ret, "the time line");
	else
		ret = a->session->ops->command(a->session, &rq, err);
	session_past_clear(&past);
	if (ret)
		return ret;
	text_escape(name, sizeof(name), file);
	app_say(a, ROLE_TEXT, "the time line is saved to %s, with the last %s", name,
		units_span(span, now > first ? (now - first) / NSEC_PER_SEC * NSEC_PER_SEC : 0));
	return 0;
}

void app_zone(struct app *a, struct rect at, enum zone_kind kind, uint64_t value, const char *name)
{
	if (a->nzones < APP_ZONES)
		a->zones[a->nzones++] = (struct zone){at, kind, value, name};
}

void app_draw(struct app *a)
{
	struct list *l = &a->table[a->view].list;

	/*
	 * With much data and little memory the model may have forgotten the window since the last
	 * refresh: then the window moves on.
	 */
	if (!a->held && app_forgotten(a))
		app_follow(a);
	frame_draw(a);
	a->drawn++;
	if (!l->missed)
		return;
	l->missed = false;
	app_say(a, ROLE_WARN, "no row matches '%s'", a->search);
	frame_draw(a);
}

/* --- input ------------------------------------------------------------------------------ */

/*
 * Draw if moves are noted that the action does not add to: they are carried out only with a draw,
 * and until then the action would use the row selected before.
 */
static void settle_selection(struct app *a, const struct action *action)
{
	const struct list *l = &a->table[a->view].list;

	if ((l->move || l->seek) && !action_adds(action, l))
		app_draw(a);
}

static void run_action(struct app *a, const struct action *action, const char *arg)
{
	if (!action)
		return;
	settle_selection(a, action);
	action_run(a, action, arg);
}

static void search_typed(struct app *a)
{
	struct list *l = &a->table[a->view].list;

	*l = a->anchor;
	memcpy(a->search, a->prompt.text, sizeof(a->search));
	if (a->search[0])
		list_seek(l, 1, true);
}

static void prompt_finish(struct app *a)
{
	struct err err = {0};
	char text[PROMPT_MAX];
	enum prompt_kind kind = a->prompt.kind;

	memcpy(text, a->prompt.text, sizeof(text));
	if (kind == PROMPT_FILTER && app_set_filter(a, text, &err)) {
		app_say(a, ROLE_WARN, "%s", err.text);
		return; /* the prompt stays open, to be corrected */
	}
	if (kind == PROMPT_KERNEL && app_change(a, SESSION_EVENT_FILTER, text, 0))
		return;
	if (kind == PROMPT_BY && !grouping_set(a, text))
		return;
	if (kind == PROMPT_WRITE && text[0] && app_write(a, text, &err)) {
		app_say(a, ROLE_WARN, "%s", err.text);
		return;
	}
	if (kind == PROMPT_RECORD && text[0] && app_record(a, text, &err)) {
		app_say(a, ROLE_WARN, "%s", err.text);
		return;
	}
	if (kind == PROMPT_SAVE && text[0] && app_save(a, text, &err)) {
		app_say(a, ROLE_WARN, "%s", err.text);
		return;
	}
	prompt_close(&a->prompt);
	if (kind == PROMPT_MARK)
		marking_set(a, a->marking.time, text);
	a->sure = true; /* a typed command needs no confirmation */
	a->asked = NULL;
	if (kind == PROMPT_COMMAND && action_command(a, text, &err))
		app_say(a, ROLE_WARN, "%s", err.text);
}

/*
 * Complete to the first format that begins with the typed text; a complete one is replaced by the
 * next.
 */
static void complete_format(struct app *a)
{
	const char *const *formats = a->options.formats;
	const char *text = a->prompt.text;
	size_t len = strcspn(text, ":"), n = 0;
	char completed[PROMPT_MAX];

	while (formats && formats[n] &&
	       (strncmp(formats[n], text, len) != 0 || (text[len] && formats[n][len])))
		n++;
	if (!formats || !formats[n])
		return;
	if (text[len])
		n = formats[n + 1] ? n + 1 : 0;
	text_append(completed, sizeof(completed), 0, "%s:%s", formats[n],
		    text[len] ? text + len + 1 : "");
	prompt_set(&a->prompt, completed);
}

static void prompt_input(struct app *a, uint32_t key)
{
	char completed[PROMPT_MAX], hints[200];

	switch (prompt_key(&a->prompt, key)) {
	case PROMPT_EDITED:
		if (a->prompt.kind == PROMPT_SEARCH)
			search_typed(a);
		break;
	case PROMPT_COMPLETE:
		if (a->prompt.kind == PROMPT_WRITE)
			complete_format(a);
		else if (a->prompt.kind == PROMPT_BY)
			grouping_complete(a, 0);
		else if (a->prompt.kind == PROMPT_COMMAND && !strncmp(a->prompt.text, "by ", 3))
			grouping_complete(a, 3);
		if (a->prompt.kind != PROMPT_COMMAND)
			break;
		action_complete(a->prompt.text, completed, sizeof(completed), hints, sizeof(hints));
		prompt_set(&a->prompt, completed);
		break;
	case PROMPT_DONE:
		prompt_finish(a);
		break;
	case PROMPT_CANCEL:
		if (a->prompt.kind == PROMPT_SEARCH) {
			a->table[a->view].list = a->anchor;
			a->search[0] = '\0';
		}
		prompt_close(&a->prompt);
		break;
	case PROMPT_SAME:
	case PROMPT_MOVED:
		break;
	}
}

static const struct zone *zone_at(const struct app *a, int y, int x)
{
	/* The zone drawn last is on top. */
	for (unsigned i = a->nzones; i-- > 0;) {
		const struct rect *r = &a->zones[i].at;

		if (y >= r->y && y < r->y + r->rows && x >= r->x && x < r->x + r->cols)
			return &a->zones[i];
	}
	return NULL;
}

static void click_row(struct app *a, size_t place)
{
	struct list *l = &a->table[a->view].list;

	if (l->touched && l->index == place)
		run_action(a, action_by_name("open"), "");
	else
		list_pick(l, place);
}

static void click_menu(struct app *a, unsigned place)
{
	const char *action = a->menu.action;

	a->menu.at = place;
	a->menu.action = NULL;
	run_action(a, action_by_name(action), a->menu.item[place]);
}

static void click_zone(struct app *a, const struct zone *z, const struct input *in)
{
	switch (z->kind) {
	case ZONE_ROW:
		click_row(a, z->value);
		break;
	case ZONE_SORT:
		run_action(a, action_by_name("sort"), sort_names[z->value]);
		break;
	case ZONE_VIEW:
		app_show(a, (enum view_id)z->value);
		break;
	case ZONE_TIME:
		a->frozen = false;
		if (z->value < app_now(a))
			app_hold(a, window_to(a, z->value));
		else
			app_live(a);
		break;
	case ZONE_ACTION:
		run_action(a, action_by_name(z->name), "");
		break;
	case ZONE_MENU:
		click_menu(a, (unsigned)z->value);
		break;
	case ZONE_BOX:
		views[a->view]->click(a, in->y, in->x);
		break;
	}
}

static void wheel(struct app *a, bool up)
{
	if (!app_step(a, up ? STEP_UP : STEP_DOWN))
		list_move(&a->table[a->view].list, up ? -3 : 3);
}

static void mouse_input(struct app *a, const struct input *in)
{
	const struct zone *z = zone_at(a, in->y, in->x);

	if (in->key == INPUT_WHEEL_UP || in->key == INPUT_WHEEL_DOWN)
		wheel(a, in->key == INPUT_WHEEL_UP);
	else if (a->menu.action && (!z || z->kind != ZONE_MENU))
		a->menu.action = NULL;
	else if (z)
		click_zone(a, z, in);
}

static void key_input(struct app *a, uint32_t key)
{
	const struct action *action = action_by_key(key);
	char name[INPUT_NAME];

	if (action)
		run_action(a, action, "");
	else
		app_say(a, ROLE_TEXT, "%s does nothing here; F1 shows the keys",
			input_name(name, key));
}

/* Pasted text goes to the prompt, without line ends; elsewhere its characters would act as keys. */
static void paste_input(struct app *a, uint32_t key)
{
	if (!a->prompt.kind)
		app_say(a, ROLE_TEXT, "pasted text is left out here: / f and : take it");
	else if (key >= ' ' && key < INPUT_UP)
		prompt_input(a, key);
}

void app_input(struct app *a, const struct input *in)
{
	bool mouse =
	    in->key == INPUT_CLICK || in->key == INPUT_WHEEL_UP || in->key == INPUT_WHEEL_DOWN;
	const char *action = a->menu.action;

	if (in->pasted) {
		paste_input(a, in->key);
		return;
	}
	a->message[0] = '\0';
	a->sure = clock_ns() < a->asked_until;
	a->asked_until = 0;
	if (a->prompt.kind && !mouse) {
		prompt_input(a, in->key);
	} else if (mouse && !(action && in->key != INPUT_CLICK)) {
		mouse_input(a, in);
	} else if (action) {
		if (menu_key(&a->menu, in->key))
			run_action(a, action_by_name(action), a->menu.item[a->menu.at]);
	} else {
		key_input(a, in->key);
	}
}
