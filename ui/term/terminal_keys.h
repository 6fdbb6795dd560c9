/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * terminal_keys - input from the terminal: keys, the mouse, sequences unknown to curses, pastes and
 * signs.
 *
 * Threads: as terminal.
 */
#ifndef RINGTOP_UI_TERM_TERMINAL_KEYS_H
#define RINGTOP_UI_TERM_TERMINAL_KEYS_H

#include <stdbool.h>

#include "ui/term/input.h"

struct terminal;

/* Return the next input without waiting.  False: there is none. */
bool terminal_read(struct terminal *t, struct input *in);

#endif
