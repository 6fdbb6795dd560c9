/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * terminal_keys - what comes from the terminal: keys, the mouse, sequences that curses does not know, pastes and signs.
 *
 * Threads: as terminal.
 */
#ifndef RINGTOP_UI_TERM_TERMINAL_KEYS_H
#define RINGTOP_UI_TERM_TERMINAL_KEYS_H

#include <stdbool.h>

#include "ui/term/input.h"

struct terminal;

/* The next key without waiting.  False: none. */
bool terminal_read(struct terminal *t, struct input *in);

#endif
