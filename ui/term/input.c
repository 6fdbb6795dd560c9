/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/term/input.h"

#include <stddef.h>
#include <stdio.h>

static const struct {
	uint32_t key;
	const char *name;
} names[] = {
	{INPUT_UP, "↑"},
	{INPUT_DOWN, "↓"},
	{INPUT_LEFT, "←"},
	{INPUT_RIGHT, "→"},
	{INPUT_PAGE_UP, "PgUp"},
	{INPUT_PAGE_DOWN, "PgDn"},
	{INPUT_HOME, "Home"},
	{INPUT_END, "End"},
	{INPUT_ENTER, "Enter"},
	{INPUT_ESC, "Esc"},
	{INPUT_BACKSPACE, "Backspace"},
	{INPUT_DELETE, "Delete"},
	{INPUT_TAB, "Tab"},
	{INPUT_BACKTAB, "Shift-Tab"},
	{INPUT_CLICK, "click"},
	{INPUT_WHEEL_UP, "wheel up"},
	{INPUT_WHEEL_DOWN, "wheel down"},
	{INPUT_OTHER, "that key"},
	{' ', "Space"},
};

const char *input_name(char buf[INPUT_NAME], uint32_t key)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].key == key)
			return names[i].name;
	if (key > INPUT_F0)
		snprintf(buf, INPUT_NAME, "F%u", (unsigned)(key - INPUT_F0));
	else if (key < 0x20)
		snprintf(buf, INPUT_NAME, "Ctrl-%c", (char)(key + '@'));
	else if (key < 0x7f)
		snprintf(buf, INPUT_NAME, "%c", (char)key);
	else
		snprintf(buf, INPUT_NAME, "U+%04X", (unsigned)key);
	return buf;
}
