/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/app/menu.h"

#include <ctype.h>
#include <string.h>

#include "base/text.h"
#include "ui/app/app.h"
#include "ui/term/input.h"
#include "ui/parts/panel.h"

void menu_open(struct menu *m, const char *action, const char *title)
{
	*m = (struct menu){.action = action, .title = title};
}

void menu_add(struct menu *m, const char *item, bool current)
{
	if (m->nr == MENU_MAX)
		return;
	if (current)
		m->at = m->nr;
	m->item[m->nr++] = item;
}

/*
 * Return an item's key: its first letter that no item above has; 0: all are taken.  j and k move.
 */
static char letter_of(const struct menu *m, unsigned at)
{
	char taken[MENU_MAX + 3] = "jk", letter = 0;
	size_t nr = strlen(taken);

	for (unsigned i = 0; i <= at; i++) {
		const char *c = m->item[i];

		while (*c &&
		       (!isalnum((unsigned char)*c) || strchr(taken, tolower((unsigned char)*c))))
			c++;
		letter = (char)tolower((unsigned char)*c);
		if (letter)
			taken[nr++] = letter;
	}
	return letter;
}

static bool pick(struct menu *m, uint32_t key)
{
	for (unsigned i = 0; key < 128 && i < m->nr; i++)
		if (letter_of(m, i) && (uint32_t)letter_of(m, i) == key) {
			m->at = i;
			return true;
		}
	return false;
}

bool menu_key(struct menu *m, uint32_t key)
{
	switch (key) {
	case INPUT_UP:
	case INPUT_WHEEL_UP:
	case 'k':
		m->at = m->at ? m->at - 1 : m->nr - 1;
		return false;
	case INPUT_DOWN:
	case INPUT_WHEEL_DOWN:
	case INPUT_TAB:
	case 'j':
		m->at = m->at + 1 < m->nr ? m->at + 1 : 0;
		return false;
	case INPUT_HOME:
		m->at = 0;
		return false;
	case INPUT_END:
		m->at = m->nr - 1;
		return false;
	case INPUT_ENTER:
	case ' ':
		m->action = NULL;
		return true;
	default:
		m->action = NULL;
		return pick(m, key);
	}
}

static int menu_width(const struct app *a, char text[][PROMPT_MAX])
{
	const struct menu *m = &a->menu;
	int width = scene_width(&a->scene, m->title);

	for (unsigned i = 0; i < m->nr; i++) {
		int w;

		text_escape(text[i], PROMPT_MAX, m->item[i]);
		w = scene_width(&a->scene, text[i]);
		width = w > width ? w : width;
	}
	return width + 4;
}

/* Highlight the item's key in its text. */
static void draw_letter(struct app *a, struct rect line, const char *text, char letter)
{
	const char *c = text;
	char before[PROMPT_MAX];
	int x;

	while (*c && tolower((unsigned char)*c) != letter)
		c++;
	text_append(before, sizeof(before), 0, "%.*s", (int)(c - text), text);
	x = scene_width(&a->scene, before);
	if (letter && *c && x < line.cols - 2)
		scene_role(&a->scene, (struct rect){line.y, line.x + 1 + x, 1, 1}, ROLE_WARN);
}

void menu_draw(struct app *a, struct rect area)
{
	char text[MENU_MAX][PROMPT_MAX];
	const struct menu *m = &a->menu;
	int width = menu_width(a, text), rows = (int)m->nr + 2;
	unsigned top;
	struct rect box;

	box.rows = rows < area.rows ? rows : area.rows;
	box.cols = width < area.cols ? width : area.cols;
	box.y = area.y;
	box.x = area.x + (area.cols > box.cols + 8 ? 4 : 0);
	panel_box(&a->scene, box, m->title);
	top = (int)m->at >= box.rows - 2 ? m->at - (unsigned)(box.rows > 2 ? box.rows - 3 : 0) : 0;
	for (unsigned i = top; i < m->nr && (int)(i - top) < box.rows - 2; i++) {
		struct rect line = {box.y + 1 + (int)(i - top), box.x + 1, 1, box.cols - 2};
		enum role role = i == m->at ? ROLE_SELECTED : ROLE_TEXT;

		scene_fill(&a->scene, line, role);
		scene_fit(&a->scene, line.y, line.x + 1, line.cols - 2, role, text[i]);
		if (i != m->at)
			draw_letter(a, line, text[i], letter_of(m, i));
		app_zone(a, line, ZONE_MENU, i, NULL);
	}
}
