/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/views/view_help.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "ui/app/action.h"
#include "ui/app/app.h"
#include "ui/parts/details.h"
#include "ui/term/input.h"
#include "ui/views/glossary.h"
#include "ui/parts/rowlist.h"
#include "ui/parts/widget.h"

#define LINES_MAX 800
#define KEY_COLS  16
#define WIDE      100 /* terminal columns; from here on the text has two columns */

struct line {
	char key[48], text[128];
	enum role role;
};

struct page {
	struct line line[LINES_MAX];
	size_t nr;
	int cols; /* width of the texts */
};

static struct line *new_help_line(struct page *p, enum role role)
{
	static struct line spare;
	struct line *l = p->nr < LINES_MAX ? &p->line[p->nr++] : &spare;

	*l = (struct line){.role = role};
	return l;
}

static void add_heading(struct page *p, const char *title)
{
	text_append(new_help_line(p, ROLE_STRONG)->key, sizeof(p->line[0].key), 0, "%s", title);
}

/* Add a text, broken between words into as many lines as needed. */
static void add_help_text(struct page *p, const char *key, const char *text)
{
	size_t cols = p->cols > 20 ? (size_t)p->cols : 20;
	bool first = true;

	cols = cols < sizeof(p->line[0].text) ? cols : sizeof(p->line[0].text) - 1;
	do {
		struct line *l = new_help_line(p, ROLE_TEXT);
		size_t len = strlen(text), cut = len > cols ? cols : len;

		while (cut && cut < len && text[cut] != ' ')
			cut--;
		cut = cut ? cut : cols < len ? cols : len;
		text_append(l->key, sizeof(l->key), 0, "%s", first ? key : "");
		text_append(l->text, sizeof(l->text), 0, "%.*s", (int)cut, text);
		first = false;
		text += cut;
		text += strspn(text, " ");
	} while (*text);
}

static void add_glossary(struct page *p, const char *title, const struct glossary_entry *e)
{
	add_heading(p, title);
	for (; e->word; e++)
		add_help_text(p, e->word, e->text);
}

/* Add the details of the row that is selected in the previous view. */
static void add_selected_row(struct app *a, struct page *p)
{
	const struct view_ops *v = views[a->back];
	enum view_id here = a->view;
	struct details d = {.nr = 0};

	if (!v->details)
		return;
	a->view = a->back; /* a view's details use the table of a->view */
	v->details(a, &d);
	a->view = here;
	add_heading(p, "The row under the cursor");
	for (unsigned i = 0; i < d.nr; i++)
		add_help_text(p, d.line[i].label, d.line[i].value);
}

/* Add the columns of the previous view. */
static void add_columns(const struct app *a, struct page *p)
{
	struct widget_column columns[WIDGET_COLUMNS];
	unsigned nr = view_columns(a->back, columns);
	char title[64];

	if (!nr)
		return;
	snprintf(title, sizeof(title), "Columns of %s", view_names[a->back]);
	add_heading(p, title);
	for (unsigned i = 0; i < nr; i++) {
		const char *text = glossary_column(&columns[i]);

		if (text)
			add_help_text(p, columns[i].title, text);
	}
}

static void key_names(const struct action *action, char *buf, size_t size)
{
	size_t pos = 0;

	buf[0] = '\0';
	for (int k = 0; k < ACTION_KEYS && action->keys[k]; k++) {
		char name[INPUT_NAME];

		pos = text_append(buf, size, pos, "%s%s", k ? " " : "",
				  input_name(name, action->keys[k]));
	}
	if (!pos)
		text_append(buf, size, 0, ":%s", action->name);
}

static void add_group(struct page *p, enum action_group group)
{
	char keys[sizeof(p->line[0].key)];

	add_heading(p, action_groups[group]);
	for (size_t i = 0; i < actions_nr; i++) {
		if (actions[i].group != group)
			continue;
		key_names(&actions[i], keys, sizeof(keys));
		add_help_text(p, keys, actions[i].help);
	}
}

static void add_traffic(const struct app *a, struct page *p)
{
	const struct app_traffic *t = &a->traffic;
	struct model_memory memory;
	char rate[UNITS_LEN], bytes[UNITS_LEN], held[UNITS_LEN];
	struct line *l;

	snprintf(new_help_line(p, ROLE_STRONG)->key, sizeof(p->line[0].key), "This screen");
	l = new_help_line(p, ROLE_TEXT);
	snprintf(l->key, sizeof(l->key), "terminal");
	if (t->known)
		snprintf(l->text, sizeof(l->text), "%.40s, %s, %s", t->terminal,
			 a->scene.ascii ? "ASCII" : "UTF-8", a->mono ? "mono" : "colour");
	else
		snprintf(l->text, sizeof(l->text), "-");
	l = new_help_line(p, ROLE_TEXT);
	snprintf(l->key, sizeof(l->key), "sent");
	if (t->known)
		snprintf(l->text, sizeof(l->text), "%sB/s, %sB in all", units_count(rate, t->rate),
			 units_count(bytes, (double)t->bytes));
	else
		snprintf(l->text, sizeof(l->text), "-");
	l = new_help_line(p, ROLE_TEXT);
	snprintf(l->key, sizeof(l->key), "frames");
	snprintf(l->text, sizeof(l->text), "%llu, dropped for a slow terminal: %llu",
		 (unsigned long long)t->frames, (unsigned long long)t->dropped);
	model_memory(a->model, &memory);
	l = new_help_line(p, ROLE_TEXT);
	snprintf(l->key, sizeof(l->key), "history");
	snprintf(l->text, sizeof(l->text), "%s, slices %llu, merged %llu, forgotten %llu",
		 units_bytes(held, (double)memory.bytes), (unsigned long long)memory.slices,
		 (unsigned long long)memory.merged, (unsigned long long)memory.forgotten);
}

static void add_signs(struct page *p)
{
	static const char *const signs[][2] = {
		{"~", "an estimate"},
		{"-", "not measured"},
		{"⧗", "symbols are being loaded"},
		{"(14)", "process count"},
		{"[k]", "in the kernel"},
		{"↑", "the highest fill since z"},
		{"f", "FIELD: function object task command host pid tid cpu"},
	};

	add_heading(p, "Signs");
	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++)
		add_help_text(p, signs[i][0], signs[i][1]);
}

static bool line_found(const struct line *l, const char *search)
{
	return search[0] && (rowlist_found(l->key, search) || rowlist_found(l->text, search));
}

static void draw_help_line(struct app *a, int y, int x, int cols, const struct line *l)
{
	bool found = line_found(l, a->search);

	if (l->role == ROLE_STRONG) {
		scene_fit(&a->scene, y, x, cols, found ? ROLE_MATCH : ROLE_STRONG, l->key);
		return;
	}
	scene_fit(&a->scene, y, x + 1, KEY_COLS, ROLE_KEY, l->key);
	if (cols > KEY_COLS + 2)
		scene_fit(&a->scene, y, x + KEY_COLS + 2, cols - KEY_COLS - 2,
			  found ? ROLE_MATCH : ROLE_TEXT, l->text);
}

/* Search input.  Only the top of the page moves, so the list's rows are the possible top rows. */
struct tops {
	const struct page *p;
	size_t rows, nr; /* lines in a column; possible top rows */
};

static uint64_t help_top_key(const void *rows, size_t i)
{
	(void)rows;
	return i + 1;
}

/* Match the lines of top row i, in all columns; the last top row includes all lines below. */
static bool help_top_matches(const void *rows, size_t i, const char *search)
{
	const struct tops *t = rows;
	size_t end = i + 1 < t->nr ? i + 1 : t->rows;

	for (; i < end; i++)
		for (size_t n = i; n < t->p->nr; n += t->rows)
			if (line_found(&t->p->line[n], search))
				return true;
	return false;
}

static void make_page(struct app *a, struct page *p)
{
	add_selected_row(a, p);
	add_columns(a, p);
	add_glossary(p, "Above the rows", glossary_gauges);
	add_glossary(p, "Questions, and their keys", glossary_questions);
	for (int g = 0; g < ACTION_GROUPS; g++)
		add_group(p, (enum action_group)g);
	add_glossary(p, "Mouse", glossary_mouse);
	add_signs(p);
	add_traffic(a, p);
}

static void draw_help(struct app *a, struct rect area)
{
	struct list *list = &a->table[a->view].list;
	int columns = area.cols >= WIDE ? 2 : 1, width = area.cols / columns;
	size_t height = (size_t)area.rows;
	struct page p = {.cols = width - KEY_COLS - 4};
	struct tops tops = {.p = &p};

	make_page(a, &p);
	tops.rows = (p.nr + (size_t)columns - 1) / (size_t)columns;
	tops.nr = tops.rows > height ? tops.rows - height + 1 : 1;
	list_sync(list,
		  &(struct list_rows){&tops, tops.nr, help_top_key, help_top_matches, a->search},
		  1);
	list->height = height; /* a page has the visible height */
	for (size_t i = 0; i < height && list->top + i < tops.rows; i++)
		for (int c = 0; c < columns; c++) {
			size_t n = list->top + i + (size_t)c * tops.rows;

			if (n < p.nr)
				draw_help_line(a, area.y + (int)i, 1 + c * width, width - 1,
					       &p.line[n]);
		}
}

const struct view_ops view_help = {
	.keys = "back up down page-up page-down search quit",
	.draw = draw_help,
};
