/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/term/escape.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define CANCEL     0x18
#define SUBSTITUTE 0x1a
#define ESC        0x1b
#define STRING_END 0x9c

static const struct {
	const char *text;
	uint32_t key;
} known[] = {
	{"[A", INPUT_UP},         {"OA", INPUT_UP},         {"[B", INPUT_DOWN},
	{"OB", INPUT_DOWN},       {"[C", INPUT_RIGHT},      {"OC", INPUT_RIGHT},
	{"[D", INPUT_LEFT},       {"OD", INPUT_LEFT},       {"[H", INPUT_HOME},
	{"OH", INPUT_HOME},       {"[1~", INPUT_HOME},      {"[7~", INPUT_HOME},
	{"[F", INPUT_END},        {"OF", INPUT_END},        {"[4~", INPUT_END},
	{"[8~", INPUT_END},       {"[5~", INPUT_PAGE_UP},   {"[6~", INPUT_PAGE_DOWN},
	{"[3~", INPUT_DELETE},    {"[Z", INPUT_BACKTAB},    {"OM", INPUT_ENTER},
	{"OP", INPUT_F(1)},       {"OQ", INPUT_F(2)},       {"OR", INPUT_F(3)},
	{"OS", INPUT_F(4)},       {"[11~", INPUT_F(1)},     {"[12~", INPUT_F(2)},
	{"[13~", INPUT_F(3)},     {"[14~", INPUT_F(4)},     {"[15~", INPUT_F(5)},
	{"[17~", INPUT_F(6)},     {"[18~", INPUT_F(7)},     {"[19~", INPUT_F(8)},
	{"[20~", INPUT_F(9)},     {"[21~", INPUT_F(10)},    {"[23~", INPUT_F(11)},
	{"[24~", INPUT_F(12)},    {"[[A", INPUT_F(1)},      {"[[B", INPUT_F(2)},
	{"[[C", INPUT_F(3)},      {"[[D", INPUT_F(4)},      {"[[E", INPUT_F(5)},
	{"[200~", INPUT_PASTE_BEGIN}, {"[201~", INPUT_PASTE_END}, {"[0n", INPUT_SIGN},
};

bool escape_begin(struct escape *e, uint32_t c)
{
	*e = (struct escape){.state = ESCAPE_DONE, .len = 1, .text = {(char)c}};
	if (c == '[')
		e->state = ESCAPE_CONTROL;
	else if (c == 'O')
		e->state = ESCAPE_SHIFT;
	else if (c == ']' || c == 'P' || c == '_' || c == '^' || c == 'X')
		e->state = ESCAPE_STRING;
	return e->state != ESCAPE_DONE;
}

static enum escape_state control_next(struct escape *e, uint32_t c)
{
	if (e->len == 1 && e->state == ESCAPE_CONTROL && c == 'M') {
		e->left = 3;
		return ESCAPE_MOUSE;
	}
	/* Function keys of the Linux console have one more character. */
	if (e->len == 1 && c == '[')
		return e->state;
	return c >= 0x20 && c <= 0x3f ? e->state : ESCAPE_DONE;
}

/*
 * Handle a character that ends any sequence or begins another instead (ECMA-48); true: it was such.
 */
static bool cut_short(struct escape *e, uint32_t c)
{
	struct escape other;

	if (c == CANCEL || c == SUBSTITUTE || (e->esc && c == '\\'))
		*e = (struct escape){.state = ESCAPE_DONE};
	else if ((e->esc && escape_begin(&other, c)) ||
		 (escape_is_c1(c) && escape_begin_c1(&other, c)))
		*e = other;
	else if (c == STRING_END || (e->esc && c != ESC && e->state != ESCAPE_STRING))
		*e = (struct escape){.state = ESCAPE_DONE};
	else
		return (e->esc = c == ESC);
	return true;
}

void escape_add(struct escape *e, uint32_t c)
{
	enum escape_state next = ESCAPE_DONE;

	/* A mouse report may contain any bytes. */
	if (e->state != ESCAPE_MOUSE && cut_short(e, c))
		return;
	if (e->state == ESCAPE_STRING)
		next = c == '\a' ? ESCAPE_DONE : ESCAPE_STRING;
	else if (e->state == ESCAPE_MOUSE)
		next = --e->left ? ESCAPE_MOUSE : ESCAPE_DONE;
	else
		next = control_next(e, c);
	e->state = next;
	if (e->len < sizeof(e->text) - 1)
		e->text[e->len++] = c < 0x80 ? (char)c : '?';
}

/* Parse ESC [ < BUTTON ; COLUMN ; LINE M, or m when the button is released. */
static struct input mouse_report(const char *text)
{
	struct input in = {.key = INPUT_NONE};
	unsigned button, x, y;
	char final;

	if (sscanf(text, "[<%4u;%4u;%4u%c", &button, &x, &y, &final) != 4 || final != 'M')
		return in;
	in.key = button == 0	? INPUT_CLICK
		 : button == 64 ? INPUT_WHEEL_UP
		 : button == 65 ? INPUT_WHEEL_DOWN
				: INPUT_NONE;
	in.y = (int)y - 1;
	in.x = (int)x - 1;
	return in;
}

struct input escape_input(const struct escape *e)
{
	if (e->state != ESCAPE_DONE)
		return (struct input){.key = INPUT_NONE};
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcmp(known[i].text, e->text))
			return (struct input){.key = known[i].key};
	return mouse_report(e->text);
}
