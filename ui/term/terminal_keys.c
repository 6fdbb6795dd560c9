/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/term/terminal_keys.h"

#include "base/clock.h"
#include "ui/term/terminal_state.h"

#define ESC 0x1b

#define SEQUENCE_NS NSEC_PER_SEC /* longest pause within a sequence; then it is over */
#define PASTE_NS    NSEC_PER_SEC /* longest pause within a paste; then it has ended */

static const struct {
	wint_t curses;
	uint32_t ours;
} keys[] = {
	{KEY_UP, INPUT_UP},
	{KEY_DOWN, INPUT_DOWN},
	{KEY_LEFT, INPUT_LEFT},
	{KEY_RIGHT, INPUT_RIGHT},
	{KEY_PPAGE, INPUT_PAGE_UP},
	{KEY_NPAGE, INPUT_PAGE_DOWN},
	{KEY_HOME, INPUT_HOME},
	{KEY_FIND, INPUT_HOME},
	{KEY_END, INPUT_END},
	{KEY_SELECT, INPUT_END},
	{KEY_ENTER, INPUT_ENTER},
	{KEY_BACKSPACE, INPUT_BACKSPACE},
	{KEY_DC, INPUT_DELETE},
	{KEY_BTAB, INPUT_BACKTAB},
};

static uint32_t named_key(wint_t ch)
{
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (keys[i].curses == ch)
			return keys[i].ours;
	if (ch >= (wint_t)KEY_F(1) && ch <= (wint_t)KEY_F(12))
		return INPUT_F(ch - (wint_t)KEY_F0);
	return INPUT_OTHER;
}

static uint32_t plain_key(wint_t ch)
{
	switch (ch) {
	case '\r':
	case '\n':
		return INPUT_ENTER;
	case '\t':
		return INPUT_TAB;
	case ESC:
		return INPUT_ESC;
	case 0x08:
	case 0x7f:
		return INPUT_BACKSPACE;
	case 0:
		return INPUT_OTHER;
	default:
		return (uint32_t)ch;
	}
}

static void mouse_key(struct input *in)
{
	MEVENT e;

	if (getmouse(&e) != OK)
		return;
	in->y = e.y;
	in->x = e.x;
	in->key = e.bstate & BUTTON1_PRESSED   ? INPUT_CLICK
		  : e.bstate & BUTTON4_PRESSED ? INPUT_WHEEL_UP
		  : e.bstate & BUTTON5_PRESSED ? INPUT_WHEEL_DOWN
					       : INPUT_NONE;
}

/* Begin a sequence behind an Esc, or with a C1 control.  False: it is no sequence but a key. */
static bool begin_sequence(struct terminal *t, wint_t first)
{
	wint_t ch;
	int got;

	if (escape_is_c1(first)) {
		(void)escape_begin_c1(&t->sequence, first);
		return true;
	}
	if (first != ESC)
		return false;
	got = wget_wch(t->keys, &ch);
	if (got == ERR)
		return false;
	if (got == OK && escape_begin(&t->sequence, ch))
		return true;
	if (got == KEY_CODE_YES)
		ungetch((int)ch);
	else
		unget_wch((wchar_t)ch);
	return false;
}

/*
 * Handle a sequence that curses does not know.  It may come in pieces, whose rest must not be taken
 * for keys: so it is waited for, until nothing has come for SEQUENCE_NS.  False: it is a key.
 */
static bool take_sequence(struct terminal *t, int got, wint_t ch, struct input *in)
{
	uint64_t now = clock_ns();
	bool goes_on =
	    escape_goes_on(&t->sequence) && got == OK && now - t->sequence_at < SEQUENCE_NS;

	if (goes_on) {
		escape_add(&t->sequence, ch);
	} else {
		t->sequence = (struct escape){.state = ESCAPE_DONE};
		if (got != OK || !begin_sequence(t, ch))
			return false;
	}
	t->sequence_at = now;
	*in = escape_input(&t->sequence);
	return true;
}

/* Handle signs and the ends of a paste, which are no keys; input between these ends is text. */
static void take_terminal_report(struct terminal *t, struct input *in)
{
	uint64_t now = clock_ns();

	if (in->key == INPUT_SIGN) {
		ttyflow_sign(&t->pace, now);
		in->key = INPUT_NONE;
	}
	if (in->key == INPUT_PASTE_BEGIN || in->key == INPUT_PASTE_END) {
		t->paste_at = in->key == INPUT_PASTE_BEGIN ? now : 0;
		in->key = INPUT_NONE;
	}
	if (t->paste_at && now - t->paste_at > PASTE_NS)
		t->paste_at = 0;
	if (!t->paste_at)
		return;
	t->paste_at = now;
	in->pasted = true;
}

/* Convert a character from curses; INPUT_NONE: it is no key. */
static struct input input_of_key(struct terminal *t, int got, wint_t ch)
{
	struct input in = {.key = INPUT_NONE};

	if (take_sequence(t, got, ch, &in))
		; /* take_sequence() has set it */
	else if (got == KEY_CODE_YES && ch == KEY_MOUSE)
		mouse_key(&in);
	else if (got == KEY_CODE_YES)
		in.key = ch == KEY_RESIZE ? INPUT_NONE : named_key(ch);
	else
		in.key = plain_key(ch);
	if (t->no_mouse &&
	    (in.key == INPUT_CLICK || in.key == INPUT_WHEEL_UP || in.key == INPUT_WHEEL_DOWN))
		in.key = INPUT_NONE;
	return in;
}

bool terminal_read(struct terminal *t, struct input *in)
{
	wint_t ch;
	int got;

	while ((got = wget_wch(t->keys, &ch)) != ERR) {
		*in = input_of_key(t, got, ch);
		take_terminal_report(t, in);
		if (in->key != INPUT_NONE)
			return true;
	}
	*in = (struct input){.key = INPUT_NONE};
	return false;
}
