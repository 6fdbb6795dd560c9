/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * input - keys and mouse events, independent of curses.
 *
 * A key is a Unicode code point, a control code (Ctrl-L is 0x0c) or one of the names below.
 * Threads: any.
 */
#ifndef RINGTOP_UI_TERM_INPUT_H
#define RINGTOP_UI_TERM_INPUT_H

#include <stdbool.h>
#include <stdint.h>

#define INPUT_CTRL(c) ((uint32_t)(c) & 0x1f)
#define INPUT_F(n)    (INPUT_F0 + (uint32_t)(n))

enum input_key {
	INPUT_NONE = 0,
	INPUT_UP = 0x110000,
	INPUT_DOWN,
	INPUT_LEFT,
	INPUT_RIGHT,
	INPUT_PAGE_UP,
	INPUT_PAGE_DOWN,
	INPUT_HOME,
	INPUT_END,
	INPUT_ENTER,
	INPUT_ESC,
	INPUT_BACKSPACE,
	INPUT_DELETE,
	INPUT_TAB,
	INPUT_BACKTAB,
	INPUT_CLICK,
	INPUT_WHEEL_UP,
	INPUT_WHEEL_DOWN,
	INPUT_PASTE_BEGIN, /* these three are the terminal's own */
	INPUT_PASTE_END,
	INPUT_SIGN, /* reply to DSR: all that was sent before it has arrived */
	INPUT_OTHER, /* a key without a name */
	INPUT_F0 = 0x110100,
};

struct input {
	uint32_t key;
	int y, x; /* of the mouse */
	bool pasted; /* pasted text, which is never a command */
};

#define INPUT_NAME 16

/* Return a key's name in UTF-8: "F1", "Space", "Ctrl-L", "Enter", "/". */
const char *input_name(char buf[INPUT_NAME], uint32_t key);

#endif
