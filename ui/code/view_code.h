/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * view_code - one function's instructions, each with its heat in the window's samples.
 *
 * The code is requested from the session and stays as received; only its heat follows the samples.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_UI_CODE_VIEW_CODE_H
#define RINGTOP_UI_CODE_VIEW_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/rows/codes.h"
#include "ui/code/codechanges.h"
#include "ui/parts/list.h"
#include "ui/code/listing.h"
#include "ui/app/view.h"

#define VIEW_CODE_NAME  256
#define VIEW_CODE_BACKS 32

/* A function that is shown or to go back to, and the place in it. */
struct view_code_stop {
	struct code_place place; /* object NULL: none */
	char name[VIEW_CODE_NAME]; /* not escaped */
	struct list list;
	bool placed;
	/* Initial position, kept while source lines are inserted; shown_nr 0: not placed yet. */
	size_t shown_nr, shown_top;
	uint64_t shown_key;
};

struct view_code_state {
	struct view_code_stop now;
	struct view_code_stop back[VIEW_CODE_BACKS];
	unsigned nback;
	enum view_id origin; /* view where the first function was chosen */
	enum listing_mode mode; /* source lines between the instructions, alone, or none */
	bool asked;          /* the code was requested */
	uint64_t ask_again;  /* clock_ns of the next request */
	char refused[256];   /* why the session cannot send the code */
	const struct code_sheet *sheet; /* valid during one draw or key */
	struct code_sheet by_line; /* holds `sheet` by line in LISTING_LINES mode */
	struct codechanges_state changes; /* the baseline, while windows are compared */
	struct listing listing;
	size_t height;
};

extern const struct view_ops view_code;

/* Return the view's state in this app. */
struct view_code_state *view_code_state(const struct app *a);

#endif
