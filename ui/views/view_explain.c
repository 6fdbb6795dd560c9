/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/views/view_explain.h"

#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "model/judge/explain.h"
#include "ui/app/app.h"

#define LINES_MAX 64
#define STEP	  NSEC_PER_SEC /* a live window is explained again when it has moved by that, */
#define WORTH	  10	       /* or by so many times the cost of explaining it */
#define TEXT_MAX  (4 * sizeof(((struct explain_line *)0)->text))

struct explain_state {
	struct explain_line line[EXPLAIN_MOST];
	size_t nr; /* 0: not made yet */
	struct window window; /* window that the lines are about */
	uint64_t now;	      /* newest slice at that time */
	uint64_t took;	      /* ns of CPU time to make the lines */
	bool held;	      /* app.held at that time */
	struct query query;
};

static struct explain_state *explain_state(const struct app *a)
{
	return a->state[VIEW_EXPLAIN];
}

/* A row of the screen, which holds a piece of a line's text. */
struct piece {
	const struct explain_line *of;
	char text[TEXT_MAX];
	bool first, last;
};

static uint64_t length_of(struct window w)
{
	return w.to - w.from;
}

/* Return true if the lines are valid for this window.  A live one moves by whole steps. */
static bool is_explained(const struct app *a, struct window w)
{
	const struct explain_state *s = explain_state(a);
	uint64_t step = s->took * WORTH > STEP ? s->took * WORTH : STEP, was = length_of(s->window),
		 is = length_of(w);

	if (!s->nr || a->held != s->held || model_now(a->model) < s->now)
		return false;
	if (a->held)
		return !memcmp(&s->window, &w, sizeof(w)) && s->now == model_now(a->model);
	return model_now(a->model) - s->now < step && (is > was ? is - was : was - is) < step;
}

static void refresh_explanation(struct app *a)
{
	struct explain_state *s = explain_state(a);
	struct window w = app_window(a);
	uint64_t began = clock_read(CLOCK_THREAD_CPUTIME_ID);
	const struct query q = {.event = a->event,
				.hide_kernel = a->hide_kernel,
				.hide_user = a->hide_user,
				.hide_idle = !a->show_idle,
				.show_self = a->show_self,
				.filter = a->filter};

	if (is_explained(a, w) && !memcmp(&s->query, &q, sizeof(q)))
		return;
	s->window = w;
	s->now = model_now(a->model);
	memcpy(&s->query, &q, sizeof(q));
	s->held = a->held;
	s->nr = explain(a->model, &q, w, s->line);
	s->took = clock_read(CLOCK_THREAD_CPUTIME_ID) - began;
}

/* Count the bytes of text that fit into `cols`, up to a blank if there is one. */
static size_t fitting_bytes(const struct scene *sc, const char *text, int cols)
{
	char head[TEXT_MAX];
	size_t best = 0, len = strlen(text);

	if (scene_width(sc, text) <= cols)
		return len;
	for (size_t n = 1; n < len; n++) {
		if (text[n] != ' ')
			continue;
		text_append(head, sizeof(head), 0, "%.*s", (int)n, text);
		if (scene_width(sc, head) > cols)
			break;
		best = n;
	}
	return best ? best : len;
}

static size_t wrap(const struct app *a, int cols, struct piece piece[LINES_MAX])
{
	struct explain_state *s = explain_state(a);
	size_t nr = 0;

	for (size_t i = 0; i < s->nr; i++) {
		char text[TEXT_MAX], *at = text;

		text_escape(text, sizeof(text), s->line[i].text);
		for (bool first = true; *at && nr < LINES_MAX; first = false) {
			size_t n = fitting_bytes(&a->scene, at, cols);
			struct piece *p = &piece[nr++];

			p->of = &s->line[i];
			p->first = first;
			p->last = !at[n];
			text_append(p->text, sizeof(p->text), 0, "%.*s", (int)n, at);
			at += n + (at[n] == ' ');
		}
	}
	return nr;
}

static uint64_t explain_top_key(const void *rows, size_t i)
{
	(void)rows;
	return i + 1;
}

static void draw_piece(struct app *a, int y, int cols, const struct piece *p)
{
	int x = 3, used;

	if (p->first)
		scene_text(&a->scene, y, 1, 1, p->of->warns ? ROLE_WARN : ROLE_STRONG,
			   p->of->warns ? "!" : "-");
	scene_fit(&a->scene, y, x, cols - x, p->of->warns ? ROLE_WARN : ROLE_TEXT, p->text);
	used = x + scene_width(&a->scene, p->text) + 2;
	if (p->last && used + scene_width(&a->scene, p->of->key) < cols)
		scene_text(&a->scene, y, used, -1, ROLE_KEY, p->of->key);
}

static void draw_explanation(struct app *a, struct rect area)
{
	struct list *list = &a->table[a->view].list;
	static struct piece piece[LINES_MAX];
	size_t height = (size_t)area.rows, nr;

	refresh_explanation(a);
	/* Leave room for the longest key behind the last piece. */
	nr = wrap(a, area.cols > 60 ? area.cols - 22 : area.cols - 4, piece);
	/* No row is selected, so the list's rows are the possible top rows, as in Help. */
	list_sync(list,
		  &(struct list_rows){NULL, nr > height ? nr - height + 1 : 1, explain_top_key,
				      NULL, NULL},
		  1);
	list->height = height;
	for (size_t i = 0; i < height && list->top + i < nr; i++)
		draw_piece(a, area.y + (int)i, area.cols, &piece[list->top + i]);
}

const struct view_ops view_explain = {
	.state_size = sizeof(struct explain_state),
	.keys = "back help up down freeze wider narrower quit",
	.draw = draw_explanation,
};
