/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/code/codefoot.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "ui/app/app.h"
#include "ui/code/codechanges.h"
#include "ui/code/view_code.h"

#define HINT_LINES 4

enum role codefoot_hint(const struct app *a, char *buf, size_t size)
{
	const struct view_code_state *s = view_code_state(a);
	const struct code *c = s->sheet->code;
	enum role role = c && !c->why ? codechanges_hint(a, buf, size) : ROLE_DIM;

	if (role != ROLE_DIM)
		return role;
	if (s->refused[0] && !c)
		text_escape(buf, size, s->refused);
	else if (!c)
		snprintf(buf, size, "⧗ the code is being read");
	else if (c->why)
		text_escape(buf, size, c->why);
	else if (s->sheet->whole)
		snprintf(
		    buf, size,
		    "addresses are sent since the function was opened: %.0f%% of samples %s",
		    100 * (double)s->sheet->whole / (double)(s->sheet->whole + s->sheet->weight),
		    s->sheet->nlined && s->mode != LISTING_LINES ? "are older (v has lines)"
								 : "in the window are older");
	else if (s->sheet->thinned)
		snprintf(buf, size,
			 "addresses thinned here: samples of small rows are hidden "
			 "(--history keeps more)");
	else if (s->sheet->missing)
		snprintf(buf, size,
			 "this is only the part in history: %.0f%% of all samples were dropped",
			 100 * (double)s->sheet->missing /
			     (double)(s->sheet->missing + s->sheet->attributed));
	else if (c->loading && s->mode != LISTING_INSNS)
		snprintf(buf, size, "⧗ reading source lines");
	else if (c->note && s->mode != LISTING_INSNS)
		text_escape(buf, size, c->note);
	else if (codechanges_sheet(s))
		snprintf(
		    buf, size,
		    "FN%% now, WAS%% in the baseline, bars on one scale; interrupts are late");
	else
		snprintf(buf, size,
			 "samples arrive late: their cost may lie an instruction or two above");
	return !c && !s->refused[0] ? ROLE_LOADING : !c || c->why ? ROLE_WARN : ROLE_DIM;
}

int codefoot_lines(const struct app *a, struct rect area, enum role role, const char *text)
{
	int cols = area.cols > 6 ? area.cols - 4 : 2;
	int lines = (scene_width(&a->scene, text) + cols - 1) / cols;

	if (area.rows < 5 || role == ROLE_DIM)
		return area.rows > 4;
	lines = lines < HINT_LINES ? lines : HINT_LINES;
	return lines < area.rows - 3 ? lines : 1;
}

void codefoot_draw(struct app *a, struct rect area, int lines, enum role role, const char *text)
{
	size_t cols = area.cols > 6 ? (size_t)area.cols - 4 : 2;

	for (int i = lines; i > 0; i--) {
		size_t len = strlen(text), cut = len > cols ? cols : len;
		char line[700];

		while (i > 1 && cut && cut < len && text[cut] != ' ')
			cut--;
		cut = i == 1 ? len : cut ? cut : cols;
		text_append(line, sizeof(line), 0, "%.*s", (int)cut, text);
		scene_fit(&a->scene, area.y + area.rows - i, 2, -1, role, line);
		text += cut;
		text += strspn(text, " ");
	}
}
