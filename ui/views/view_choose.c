/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/views/view_choose.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/namefold.h"
#include "base/text.h"
#include "base/vec.h"
#include "measure/session/question.h"
#include "ui/app/app.h"
#include "ui/app/questions.h"
#include "ui/app/request.h"
#include "ui/parts/rowlist.h"
#include "ui/parts/widget.h"

#define KIND_QUESTION "question"

struct choose_state {
	struct session_choice *list; /* questions, then events; owned, see choose_state_free */
	size_t nr;
	size_t nquestions; /* the first nquestions entries are questions */
	bool events; /* the session can list its events; else the list has questions only */
	uint32_t *shown; /* indices into list of the entries that pass the search */
	size_t nshown, cap_shown;
};

static struct choose_state *choose_state(const struct app *a)
{
	return a->state[VIEW_CHOOSE];
}

/* True if the event is in the list. */
static bool has_event(const struct session_choice *list, size_t nr, const char *name)
{
	for (size_t i = 0; i < nr; i++)
		if (!strcmp(list[i].name, name))
			return true;
	return false;
}

/*
 * True if the question's event is here.  Without a complete list (`all`) it may be: then the
 * session reports an error.
 */
static bool can_be_asked(const struct question *q, const struct session_choice *events, size_t nr,
			 bool all)
{
	return !all || !q->needs || has_event(events, nr, q->needs);
}

/* Put the questions before the events; `all`: the list of events is complete.  0 or -ENOMEM. */
static int put_questions(struct choose_state *s, bool all)
{
	struct session_choice *list = calloc(s->nr + questions_nr, sizeof(*list));
	size_t n = 0;

	if (!list)
		return -ENOMEM;
	for (size_t i = 0; i < questions_nr; i++) {
		const struct question *q = &questions[i];

		if (!can_be_asked(q, s->list, s->nr, all))
			continue;
		text_append(list[n].name, sizeof(list[n].name), 0, "%s", q->name);
		text_append(list[n].kind, sizeof(list[n].kind), 0, KIND_QUESTION);
		question_text(q, list[n++].text, sizeof(list[0].text));
	}
	if (s->nr)
		memcpy(list + n, s->list, s->nr * sizeof(*list));
	free(s->list);
	s->list = list;
	s->nquestions = n;
	s->nr += n;
	return 0;
}

static void choose_state_free(void *state)
{
	struct choose_state *s = state;

	free(s->list);
	free(s->shown);
	*s = (struct choose_state){.nr = 0};
}

int view_choose_open(struct app *a, struct err *err)
{
	struct choose_state *s = choose_state(a);
	int ret = 0;

	if (!model_info(a->own)->live)
		return err_set(err, EOPNOTSUPP,
			       "this is a recording, its events cannot be changed");
	choose_state_free(s);
	s->events = a->session->ops->choices;
	if (s->events)
		ret = a->session->ops->choices(a->session, &s->list, &s->nr, err);
	if (!ret && put_questions(s, s->events && !err->code))
		ret = err_room(err, ENOMEM, "the list of events");
	if (ret)
		return ret;
	app_show(a, VIEW_CHOOSE);
	if (err->code) /* the list is incomplete for lack of rights */
		app_say(a, ROLE_WARN, "%s", err->text);
	else if (!s->events)
		app_say(a, ROLE_TEXT,
			"the events of this host are not listed: :add-event NAME adds one");
	return 0;
}

/* Apply the search text.  False: out of memory. */
static bool narrow(struct app *a)
{
	struct choose_state *s = choose_state(a);

	s->nshown = 0;
	for (size_t i = 0; i < s->nr; i++)
		if ((!*a->search || rowlist_found(s->list[i].name, a->search) ||
		     rowlist_found(s->list[i].text, a->search)) &&
		    !VEC_PUSH(s->shown, s->nshown, s->cap_shown, (uint32_t)i))
			return false;
	return true;
}

static const struct session_choice *choice_at(const struct choose_state *s, size_t i)
{
	return i < s->nshown ? &s->list[s->shown[i]] : NULL;
}

static bool is_question(const struct choose_state *s, const struct session_choice *c)
{
	return c && (size_t)(c - s->list) < s->nquestions;
}

const struct question *view_choose_question(const struct app *a)
{
	struct choose_state *s = choose_state(a);
	const struct session_choice *c = choice_at(s, a->table[VIEW_CHOOSE].list.index);

	return is_question(s, c) ? question_find(c->name, NULL) : NULL;
}

const char *view_choose_name(const struct app *a)
{
	struct choose_state *s = choose_state(a);
	const struct session_choice *c = choice_at(s, a->table[VIEW_CHOOSE].list.index);

	return c && !is_question(s, c) ? c->name : NULL;
}

/* --- drawing ------------------------------------------------------------------------------ */

static bool is_measured(const struct app *a, const char *name)
{
	const struct session_info *info = model_info(a->model);

	for (unsigned i = 0; i < info->nevents; i++)
		if (!info->events[i].off && !strcmp(info->events[i].name, name))
			return true;
	return false;
}

static enum role text_choice_name(const struct widget_cell *cell, char *buf, size_t size)
{
	const struct session_choice *c = cell->row;

	text_escape(buf, size, c->name);
	return is_measured(cell->ctx, c->name) ? ROLE_STRONG : ROLE_TEXT;
}

static enum role text_choice_kind(const struct widget_cell *cell, char *buf, size_t size)
{
	const struct session_choice *c = cell->row;

	text_append(buf, size, 0, "%s", c->kind);
	return ROLE_DIM;
}

static enum role text_about(const struct widget_cell *cell, char *buf, size_t size)
{
	const struct session_choice *c = cell->row;
	const char *measured = is_measured(cell->ctx, c->name) ? "measured now; " : "";
	size_t pos = text_append(buf, size, 0, "%s", measured);

	if (*c->unit)
		pos = text_append(buf, size, pos, "%s: ", c->unit);
	text_escape(buf + pos, size - pos, c->text);
	return ROLE_DIM;
}

static const struct widget_column columns[] = {
	{"EVENT", 20, 2, 44, 0, false, -1, text_choice_name, NULL},
	{"KIND", 10, 0, 0, 2, false, -1, text_choice_kind,
	 "source: hardware, software, a PMU, a tracepoint"},
	{"WHAT IT COUNTS", 12, 4, 0, 1, false, -1, text_about,
	 "description, if there is one"},
};

static uint64_t choice_key_at(const void *ctx, size_t i)
{
	return choose_state(ctx)->shown[i] + 1;
}

static void draw_choices_head(struct app *a, struct rect at)
{
	struct choose_state *s = choose_state(a);
	const struct session_event *e = app_event(a);
	char text[NAMES_BYTES], name[NAMES_BYTES];
	size_t pos;

	if (s->events)
		pos = text_append(text, sizeof(text), 0,
				  "%zu of %zu questions and events: Enter adds one",
				  s->nshown, s->nr);
	else
		pos = text_append(text, sizeof(text), 0, "%zu questions: Enter runs it", s->nshown);
	if (e) {
		text_escape(name, sizeof(name), e->name);
		pos = text_append(text, sizeof(text), pos, ", X instead of %s", name);
	}
	text_append(text, sizeof(text), pos, ", / narrows");
	scene_fit(&a->scene, at.y, 1, at.cols - 1, ROLE_TEXT, text);
}

static void draw_choices(struct app *a, struct rect at)
{
	struct choose_state *s = choose_state(a);
	struct widget_table t = {.columns = columns, .nr = sizeof(columns) / sizeof(columns[0])};
	struct list *list = &a->table[VIEW_CHOOSE].list;
	int head = at.rows > 3 ? 2 : 0;

	if (!narrow(a)) {
		scene_fit(&a->scene, at.y, 1, -1, ROLE_BAD, "out of memory: no events");
		return;
	}
	widget_table_layout(&t, at.cols > 20 ? 2 : 1, at.cols, 0);
	if (head) {
		draw_choices_head(a, at);
		widget_table_head(&a->scene, at.y + 1, at.cols, &t, NULL, -1, false);
	}
	list_sync(list, &(struct list_rows){a, s->nshown, choice_key_at, NULL, NULL},
		  (size_t)(at.rows - head));
	for (size_t i = list->top; i < s->nshown && (int)(i - list->top) < at.rows - head; i++) {
		int y = at.y + head + (int)(i - list->top);

		widget_table_row(&a->scene, y, at.cols, &t, a, choice_at(s, i), i == list->index);
		app_zone(a, (struct rect){y, 0, 1, at.cols}, ZONE_ROW, i, NULL);
	}
}

static bool step_choices(struct app *a, enum view_step step)
{
	const struct question *q = step == STEP_OPEN ? view_choose_question(a) : NULL;
	const char *name = step == STEP_OPEN ? view_choose_name(a) : NULL;

	if (q)
		questions_begin(a, q, false);
	else if (name)
		request_change(a, SESSION_EVENT_ADD, name, 0);
	return step == STEP_OPEN;
}

const struct view_ops view_choose = {
	.state_size = sizeof(struct choose_state),
	.state_free = choose_state_free,
	.columns = columns,
	.ncolumns = sizeof(columns) / sizeof(columns[0]),
	.keys = "open replace-event search back up down page-up page-down quit",
	.draw = draw_choices,
	.step = step_choices,
};
