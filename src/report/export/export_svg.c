/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One event's flame graph as an SVG file: a title at each frame, losses above the
 * graph, no script, nothing loaded from outside.
 */
#include "report/export/export_parts.h"

#include <stdio.h>
#include <string.h>

#include "report/export/flamesvg.h"
#include "report/export/markup.h"

#define LINE	16
#define COLUMNS 164 /* columns of 12 px monospace in FLAMESVG_WIDTH */
#define LINES	24

/* Lines above the flame graph, raw; a text that does not fit in one goes on in the next. */
struct heading {
	char line[LINES][COLUMNS + 1];
	unsigned nr;
};

static void heading_add(struct heading *h, const char *text)
{
	while (*text && h->nr < LINES) {
		size_t len = strlen(text);

		if (len > COLUMNS) /* break behind a space, if one is near */
			for (len = COLUMNS; len > COLUMNS / 2 && text[len - 1] != ' '; len--)
				;
		memcpy(h->line[h->nr], text, len);
		h->line[h->nr++][len] = '\0';
		text += len;
	}
}

static void heading_make(struct heading *h, const struct export_source *src, const struct tree *t,
			 const struct diffed *d)
{
	const struct session_info *info = model_info(src->model);
	const struct session_event *e = &info->events[src->query->event];
	char text[1200];

	snprintf(text, sizeof(text), "%s: %s, %s%s%s", info->host, info->target, e->name,
		 *e->weight ? " by " : "", e->weight);
	heading_add(h, text);
	export_loss(src, src->query->event, text, sizeof(text));
	heading_add(h, text);
	export_missing(src, t->missing, text, sizeof(text));
	heading_add(h, text);
	exportdiff_words(src, d, "place", text, sizeof(text));
	heading_add(h, text);
	export_marks(src, text, sizeof(text));
	heading_add(h, text);
}

static void put_picture(struct out *o, const struct tree *t, const struct session_event *e,
			const struct diffed *d, const struct heading *h, const char *version)
{
	unsigned top = (h->nr + 2) * LINE, height = top + flamesvg_height(t) + 8;

	out_printf(o,
		   "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!-- ringtop %s -->\n"
		   "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" "
		   "viewBox=\"-8 0 %u %u\" "
		   "font-family=\"monospace\" font-size=\"12\" fill=\"#111\">\n"
		   "<rect x=\"-8\" width=\"%u\" height=\"%u\" fill=\"#fff\"/>\n",
		   version, FLAMESVG_WIDTH + 16, height, FLAMESVG_WIDTH + 16, height,
		   FLAMESVG_WIDTH + 16, height);
	for (unsigned i = 0; i < h->nr; i++) {
		out_printf(o, "<text x=\"0\" y=\"%u\">", (i + 1) * LINE);
		markup_text(o, h->line[i]);
		out_text(o, "</text>\n");
	}
	flamesvg_legend(o, d, (h->nr + 1) * LINE + 2);
	flamesvg_frames(o, t, e, d, top);
	out_text(o, "</svg>\n");
}

static void svg_write(struct out *o, const struct export_source *src)
{
	struct diffed d;
	const struct tree *t = flamesvg_tree(o, src, src->query->event, &d);
	struct heading h = {.nr = 0};

	if (t) {
		heading_make(&h, src, t, &d);
		put_picture(o, t, &model_info(src->model)->events[src->query->event], &d, &h,
			    src->version ? src->version : "");
	}
	exportdiff_clear(&d);
}

const struct export_format export_svg = {
	.name = "svg",
	.suffix = ".svg",
	.compares = true,
	.write = svg_write,
};
