/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/menu.h"

#include <stdio.h>

#include "base/text.h"
#include "ui/app.h"
#include "ui/input.h"
#include "ui/panel.h"

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

/* By its first letter: at once where it is the only one, else the next of them.  False: none begins so. */
static bool pick(struct menu *m, uint32_t key, bool *chosen)
{
	unsigned found = 0, next = m->at;

	for (unsigned i = m->nr; i > 0; i--) { /* behind the one that is on, nearest last */
		unsigned at = (m->at + i) % m->nr;

		if ((unsigned char)m->item[at][0] != key)
			continue;
		found++;
		next = at;
	}
	m->at = next;
	*chosen = found == 1;
	return found;
}

bool menu_key(struct menu *m, uint32_t key)
{
	bool chosen = false;

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
		if (!pick(m, key, &chosen) || chosen)
			m->action = NULL;
		return chosen;
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
		app_zone(a, line, ZONE_MENU, i, NULL);
	}
}
