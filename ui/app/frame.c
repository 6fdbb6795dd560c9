/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/app/frame.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "model/rows/rowfilter.h"
#include "ui/app/action.h"
#include "ui/app/app.h"
#include "ui/app/menu.h"
#include "ui/app/zoom.h"
#include "ui/parts/details.h"
#include "ui/parts/head.h"
#include "ui/parts/panel.h"
#include "ui/parts/timeline.h"
#include "ui/parts/widget.h"
#include "ui/term/input.h"

/* Rows from which on all parts are drawn; with fewer the view gets most of them. */
#define ROWS_FULL  8
#define ROWS_SMALL 4

/* Return a field of the filter that the view's rows do not have; NULL: none. */
static const char *unheard(const struct app *a)
{
	const struct session_event *e = app_event(a);

	if (a->view != VIEW_FIELDS)
		return a->view <= VIEW_FLAME ? rowfilter_unheard(a->filter, NULL) : NULL;
	return e && e->by[0] ? rowfilter_unheard(a->filter, e->by) : NULL;
}

/* Write what the view leaves out, and the text searched for. */
static void write_note(const struct app *a, bool brief, char *note, size_t size)
{
	const char *no = unheard(a);
	size_t pos = 0;

	zoom_crumbs(a, note, size);
	pos = strlen(note);
	pos = text_append(note, size, pos, "%s", pos ? "  " : "");
	if (a->filter_text[0])
		pos = text_append(note, size, pos, "filter: %s%s%s%s  ", a->filter_text,
				  no ? " (no " : "", no ? no : "", no ? " here)" : "");
	if (a->hide_kernel || a->hide_user)
		pos = text_append(note, size, pos, "%s hidden  ",
				  a->hide_kernel ? "kernel" : "user");
	if (pos && isfinite(a->shown))
		pos = text_append(note, size, pos, "shown %.1f %%%s  ", a->shown * 100,
				  brief ? "" : " of all");
	if (a->search[0])
		pos = text_append(note, size, pos, "/%s", a->search);
	while (pos && note[pos - 1] == ' ')
		note[--pos] = '\0';
}

/* Return true if the tab is on; comparing is under the tab of Functions. */
static bool is_on(const struct app *a, int v)
{
	return (int)a->view == v || (v == VIEW_FUNCTIONS && a->view == VIEW_CHANGES);
}

/* Write a tab's key and name; in a brief line only the key, unless the tab is on. */
static void write_tab(const struct app *a, int v, bool brief, char *text, size_t size)
{
	bool whole = !brief || is_on(a, v);

	snprintf(text, size, "%c%s%s", view_digit((enum view_id)v), whole ? " " : "",
		 whole ? view_names[v] : "");
}

static int width_of_tabs(struct app *a, bool brief, int gap)
{
	char text[40];
	int width = 1;

	for (int v = 0; v < VIEW_NR; v++) {
		if (!view_has_tab(a, (enum view_id)v))
			continue;
		write_tab(a, v, brief, text, sizeof(text));
		width += scene_width(&a->scene, text) + gap;
	}
	return width;
}

/*
 * Return the columns left beside the note; without a note the gap behind the last tab may be cut.
 */
static int room_for_tabs(struct app *a, const char *note, int gap)
{
	return a->scene.cols + (note[0] ? -1 - scene_width(&a->scene, note) : gap);
}

static void draw_tabs(struct app *a, int y)
{
	char note[PROMPT_MAX + APP_FILTER], text[40];
	int x = 1, gap;
	bool brief;

	write_note(a, a->scene.cols < 100, note, sizeof(note));
	if (width_of_tabs(a, true, 1) > room_for_tabs(a, note, 1))
		write_note(a, true, note, sizeof(note));
	gap = width_of_tabs(a, false, 2) <= room_for_tabs(a, note, 2) ? 2 : 1;
	brief = width_of_tabs(a, false, gap) > room_for_tabs(a, note, gap);
	for (int v = 0; v < VIEW_NR; v++) {
		int w;

		if (!view_has_tab(a, (enum view_id)v))
			continue;
		write_tab(a, v, brief, text, sizeof(text));
		w = scene_text(&a->scene, y, x, -1, is_on(a, v) ? ROLE_TAB_ON : ROLE_TAB, text);
		app_zone(a, (struct rect){y, x - 1, 1, w + gap}, ZONE_VIEW, (uint64_t)v, NULL);
		x += w + gap;
	}
	scene_fit(&a->scene, y, x + 1, -1, ROLE_WARN, note);
}

static void draw_key_hint(struct app *a, int y, int *x, const struct action *action)
{
	char name[INPUT_NAME], text[64];
	int start = *x, room = a->scene.cols - *x;
	bool resumes = a->paused && !strcmp(action->name, "pause");
	const char *label = resumes ? "Resume" : action->label;

	snprintf(text, sizeof(text), "%s %s", input_name(name, action->keys[0]), label);
	if (scene_width(&a->scene, text) > room)
		return;
	*x += scene_text(&a->scene, y, *x, -1, ROLE_KEY, input_name(name, action->keys[0]));
	*x += scene_text(&a->scene, y, *x, -1, ROLE_LABEL, " ");
	*x += scene_text(&a->scene, y, *x, -1, ROLE_LABEL, label);
	app_zone(a, (struct rect){y, start, 1, *x - start}, ZONE_ACTION, 0, action->name);
	*x += 1;
}

static bool names_action(const char *words, const char *word)
{
	size_t len = strlen(word);

	while (*words && !(!strncmp(words, word, len) && (words[len] == ' ' || !words[len]))) {
		words += strcspn(words, " ");
		words += strspn(words, " ");
	}
	return *words;
}

/* Return false for an action that only works while windows are compared, if they are not. */
static bool has_use(const struct app *a, const struct action *action)
{
	return action && (a->comparing || strcmp(action->name, "baseline") != 0);
}

/* Draw the keys of the actions in `names` that are not in `others`. */
static void draw_named(struct app *a, int y, int *x, const char *names, const char *others)
{
	while (*names) {
		size_t len = strcspn(names, " ");
		char name[32];

		text_append(name, sizeof(name), 0, "%.*s", (int)len, names);
		if (has_use(a, action_by_name(name)) && !names_action(others, name))
			draw_key_hint(a, y, x, action_by_name(name));
		names += len + strspn(names + len, " ");
	}
}

/* Draw the key line; if the screen stands still the keys that resume it come first. */
static void draw_keys(struct app *a, int y)
{
	const char *back = a->held && a->paused ? "live pause" : a->held ? "live"
			   : a->paused		? "pause"
						: "";
	char others[40];
	int x = 1;

	if (a->view == VIEW_HELP)
		back = "";
	text_append(others, sizeof(others), 0, "%s%s", back, a->held ? " freeze" : "");
	draw_named(a, y, &x, back, "");
	draw_named(a, y, &x, views[a->view]->keys, others);
}

static const char *const prompt_heads[PROMPT_NR] = {
	[PROMPT_SEARCH] = "/", [PROMPT_FILTER] = "filter: ", [PROMPT_COMMAND] = ":",
	[PROMPT_WRITE] = "write (FORMAT:FILE): ",
					   [PROMPT_RECORD] = "record to: ",
					   [PROMPT_KERNEL] = "kernel's filter of the event: ",
					   [PROMPT_MARK] = "mark: ",
					   [PROMPT_SAVE] = "save the time line to: ",
					   [PROMPT_BY] = "sum up by (FIELD,FIELD): "};

#define MESSAGE_ROWS 4

/* Draw the message in as many rows as it needs, of which y is the last. */
static void draw_message(struct app *a, int y)
{
	const char *piece[MESSAGE_ROWS], *text = a->message;
	int x = a->scene.cols > 20 ? 1 : 0, n = 0,
	    most = y < 2 * MESSAGE_ROWS ? y / 2 + 1 : MESSAGE_ROWS;

	for (; *text && n < most; n++) {
		piece[n] = text;
		text += widget_wrap(&a->scene, text, a->scene.cols - x);
		text += strspn(text, " ");
	}
	for (int i = 0; i < n; i++) {
		const struct rect row = {.y = y - n + 1 + i, .rows = 1, .cols = a->scene.cols};
		/* The last piece has all the rest, and is cut at the row's end. */
		size_t len = i == n - 1 ? strlen(piece[i]) : (size_t)(piece[i + 1] - piece[i]);
		char line[APP_MESSAGE];

		if (n > 1)
			scene_fill(&a->scene, row, a->message_role);
		memcpy(line, piece[i], len);
		line[len] = '\0';
		scene_fit(&a->scene, row.y, x, -1, a->message_role, line);
	}
}

/* Draw the message beside the prompt, or if it would be cut in rows of its own above it. */
static void draw_beside(struct app *a, int y, int x)
{
	if (y > 0 && scene_width(&a->scene, a->message) > a->scene.cols - x)
		draw_message(a, y - 1);
	else
		scene_fit(&a->scene, y, x, -1, a->message_role, a->message);
}

/* The text scrolls so that the cursor is seen; the cursor is a cell of its own role. */
static void draw_prompt(struct app *a, int y)
{
	const struct prompt *p = &a->prompt;
	char head[PROMPT_MAX], at[8], tail[PROMPT_MAX], unused[PROMPT_MAX], hints[200];
	const char *text = head;
	int x, room, n;

	x = scene_text(&a->scene, y, 0, -1, ROLE_PROMPT, prompt_heads[p->kind]);
	room = a->scene.cols - x - 2;
	memcpy(head, p->text, p->at);
	head[p->at] = '\0';
	while (*text && scene_width(&a->scene, text) > (room > 0 ? room : 0))
		do
			text++;
		while (((unsigned char)*text & 0xc0) == 0x80);
	x += scene_text(&a->scene, y, x, -1, ROLE_PROMPT, text);
	for (n = p->at < p->len; p->at + (size_t)n < p->len && n < 7 &&
				 ((unsigned char)p->text[p->at + (size_t)n] & 0xc0) == 0x80;)
		n++;
	snprintf(at, sizeof(at), "%.*s", n ? n : 1, n ? p->text + p->at : " ");
	x += scene_text(&a->scene, y, x, -1, ROLE_SELECTED, at);
	text_append(tail, sizeof(tail), 0, "%s", p->text + p->at + n);
	x += scene_text(&a->scene, y, x, -1, ROLE_PROMPT, tail);
	if (a->message[0]) {
		draw_beside(a, y, x + 2);
	} else if (p->kind == PROMPT_COMMAND) {
		action_complete(p->text, unused, sizeof(unused), hints, sizeof(hints));
		scene_fit(&a->scene, y, x + 2, -1, ROLE_DIM, hints);
	}
}

static void draw_bottom(struct app *a, int y)
{
	if (a->prompt.kind)
		draw_prompt(a, y);
	else if (a->message[0])
		draw_message(a, y);
	else
		draw_keys(a, y);
}

/*
 * Draw the view, and below it the details of its selected row.  The size of the details is known
 * only when the list is in sync, so the list is drawn twice then.
 */
static void draw_view(struct app *a, struct rect area)
{
	const struct view_ops *v = views[a->view];
	struct rect list = area, box = area;
	struct details d = {.nr = 0};

	v->draw(a, area);
	if (!a->panel || !v->details)
		return;
	v->details(a, &d);
	box.rows = panel_rows(&a->scene, area.cols, &d);
	if (area.rows >= 10) {
		box.rows = box.rows < area.rows - 5 ? box.rows : area.rows - 5;
		list.rows = area.rows - box.rows;
		box.y = area.y + list.rows;
		scene_fill(&a->scene, area, ROLE_TEXT);
		v->draw(a, list);
	} else {
		box.rows = area.rows;
	}
	panel_details(&a->scene, box, " details (Esc closes) ", &d);
}

void frame_draw(struct app *a)
{
	struct rect area = scene_rect(&a->scene);
	int rows = area.rows, bottom = rows - 1;

	scene_clear(&a->scene);
	a->nzones = 0;
	a->shown = NAN;
	a->line->chosen = false;
	if (rows >= ROWS_FULL) {
		head_trust(a, 1);
		area.y = 4 + head_alert(a, 3);
		area.rows = rows - area.y - 1;
	} else if (rows >= ROWS_SMALL) {
		head_short(a, 0);
		area.y = 1;
		area.rows = rows - 2;
	} else {
		head_short(a, 0);
		area.y = 1;
		area.rows = rows - 1;
		bottom = a->prompt.kind || a->message[0] ? rows - 1 : rows;
	}
	if (area.rows > 0)
		draw_view(a, area);
	if (rows >= ROWS_FULL) { /* after the view: they depend on what it has shown, and when */
		head_what(a, 0);
		timeline_draw(a, 2);
		draw_tabs(a, area.y - 1);
	}
	if (a->menu.action)
		menu_draw(a, area);
	if (bottom < rows) {
		scene_fill(&a->scene, (struct rect){bottom, 0, 1, a->scene.cols}, ROLE_TEXT);
		draw_bottom(a, bottom);
	}
}
