/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/export/markup.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* Put one character of escaped text. */
static void put_character(struct out *o, const char *at, size_t len, uint32_t c)
{
	switch (c) {
	case '&':
		out_text(o, "&amp;");
		break;
	case '<':
		out_text(o, "&lt;");
		break;
	case '>':
		out_text(o, "&gt;");
		break;
	case '"':
		out_text(o, "&quot;");
		break;
	case '\'':
		out_text(o, "&#39;");
		break;
	case 0xfffe: /* XML does not allow these noncharacters */
		out_text(o, "\\xef\\xbf\\xbe");
		break;
	case 0xffff:
		out_text(o, "\\xef\\xbf\\xbf");
		break;
	default:
		out_bytes(o, at, len);
	}
}

/* Return the columns of a character in a browser's fonts, roughly, without the locale. */
static unsigned character_columns(uint32_t c)
{
	return c >= 0x1100 ? 2 : 1;
}

static unsigned escaped_columns(const char *text, size_t len)
{
	unsigned columns = 0;

	for (size_t i = 0, n; i < len; i += n) {
		uint32_t c = '?';

		n = text_decode(text + i, len - i, &c);
		n = n ? n : 1;
		columns += character_columns(c);
	}
	return columns;
}

static void put_markup(struct out *o, const char *text, size_t len, unsigned columns)
{
	bool cut = columns && escaped_columns(text, len) > columns;
	unsigned left = cut ? columns - 2 : 0;

	for (size_t i = 0, n; i < len; i += n) {
		uint32_t c = '?';

		n = text_decode(text + i, len - i, &c); /* escaped: it is UTF-8 */
		n = n ? n : 1;
		if (cut && character_columns(c) > left)
			break;
		left -= cut ? character_columns(c) : 0;
		put_character(o, text + i, n, c);
	}
	if (cut)
		out_text(o, "..");
}

void markup_cut(struct out *o, const char *name, unsigned columns)
{
	size_t max = strlen(name) * 4 + 1, len;
	char small[512], *text = max <= sizeof(small) ? small : malloc(max);

	if (!text) {
		o->error = o->error ? o->error : -ENOMEM;
		return;
	}
	len = text_escape(text, max, name);
	put_markup(o, text, len, columns);
	if (text != small)
		free(text);
}

void markup_text(struct out *o, const char *name)
{
	markup_cut(o, name, 0);
}
