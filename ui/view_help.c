/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/view_help.h"

#include <stdio.h>

#include "base/text.h"
#include "base/units.h"
#include "ui/action.h"
#include "ui/app.h"

#define LINES_MAX 128
#define KEY_COLS  16
#define WIDE      100 /* from here on in two columns */

struct line {
	char key[48], text[128];
	enum role role;
};

struct page {
	struct line line[LINES_MAX];
	size_t nr;
};

static struct line *line_add(struct page *p, enum role role)
{
	static struct line spare;
	struct line *l = p->nr < LINES_MAX ? &p->line[p->nr++] : &spare;

	*l = (struct line){.role = role};
	return l;
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
	snprintf(line_add(p, ROLE_STRONG)->key, sizeof(p->line[0].key), "%s", action_groups[group]);
	for (size_t i = 0; i < actions_nr; i++) {
		struct line *l;

		if (actions[i].group != group)
			continue;
		l = line_add(p, ROLE_TEXT);
		key_names(&actions[i], l->key, sizeof(l->key));
		snprintf(l->text, sizeof(l->text), "%s", actions[i].help);
	}
}

static void add_traffic(const struct app *a, struct page *p)
{
	const struct app_traffic *t = &a->traffic;
	struct model_memory memory;
	char rate[UNITS_LEN], bytes[UNITS_LEN], held[UNITS_LEN];
	struct line *l;

	snprintf(line_add(p, ROLE_STRONG)->key, sizeof(p->line[0].key), "This screen");
	l = line_add(p, ROLE_TEXT);
	snprintf(l->key, sizeof(l->key), "terminal");
	if (t->known)
		snprintf(l->text, sizeof(l->text), "%.40s, %s, %s", t->terminal,
			 a->scene.ascii ? "ASCII" : "UTF-8", a->mono ? "mono" : "colour");
	else
		snprintf(l->text, sizeof(l->text), "-");
	l = line_add(p, ROLE_TEXT);
	snprintf(l->key, sizeof(l->key), "sent");
	if (t->known)
		snprintf(l->text, sizeof(l->text), "%sB/s, %sB in all", units_count(rate, t->rate),
			 units_count(bytes, (double)t->bytes));
	else
		snprintf(l->text, sizeof(l->text), "-");
	l = line_add(p, ROLE_TEXT);
	snprintf(l->key, sizeof(l->key), "frames");
	snprintf(l->text, sizeof(l->text), "%llu, dropped for a slow terminal: %llu",
		 (unsigned long long)t->frames, (unsigned long long)t->dropped);
	model_memory(a->model, &memory);
	l = line_add(p, ROLE_TEXT);
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
		{"(14)", "so many processes"},
		{"[k]", "in the kernel"},
		{"↑", "the highest fill since z"},
		{"f", "FIELD: function object task command host pid tid cpu"},
	};

	snprintf(line_add(p, ROLE_STRONG)->key, sizeof(p->line[0].key), "Signs");
	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
		struct line *l = line_add(p, ROLE_TEXT);

		snprintf(l->key, sizeof(l->key), "%s", signs[i][0]);
		snprintf(l->text, sizeof(l->text), "%s", signs[i][1]);
	}
}

static void draw_line(struct app *a, int y, int x, int cols, const struct line *l)
{
	if (l->role == ROLE_STRONG) {
		scene_fit(&a->scene, y, x, cols, ROLE_STRONG, l->key);
		return;
	}
	scene_fit(&a->scene, y, x + 1, KEY_COLS, ROLE_KEY, l->key);
	if (cols > KEY_COLS + 2)
		scene_fit(&a->scene, y, x + KEY_COLS + 2, cols - KEY_COLS - 3, ROLE_TEXT, l->text);
}

static uint64_t key_at(const void *rows, size_t i)
{
	(void)rows;
	return i + 1;
}

static void draw(struct app *a, struct rect area)
{
	struct list *list = &a->table[a->view].list;
	int columns = area.cols >= WIDE ? 2 : 1, width = area.cols / columns;
	size_t rows, height = (size_t)area.rows;
	struct page p = {.nr = 0};

	add_traffic(a, &p);
	for (int g = 0; g < ACTION_GROUPS; g++)
		add_group(&p, (enum action_group)g);
	add_signs(&p);
	rows = (p.nr + (size_t)columns - 1) / (size_t)columns;
	/* Nothing is selected here: the list's top is moved, so its rows are the possible tops. */
	list_sync(
	    list,
	    &(struct list_rows){NULL, rows > height ? rows - height + 1 : 1, key_at, NULL, NULL},
	    1);
	list->height = height; /* a page is what is seen */
	for (size_t i = 0; i < height && list->top + i < rows; i++)
		for (int c = 0; c < columns; c++) {
			size_t n = list->top + i + (size_t)c * rows;

			if (n < p.nr)
				draw_line(a, area.y + (int)i, 1 + c * width, width - 1, &p.line[n]);
		}
}

const struct view_ops view_help = {
	.name = "Help",
	.keys = "back up down page-up page-down quit",
	.draw = draw,
};
