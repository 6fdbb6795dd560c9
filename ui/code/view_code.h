/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * view_code - one function's instructions, each with what the window's samples say of it.
 *
 * The code is asked of the session and stands as it came; only its heat follows the samples.
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
#include "ui/code/sourcelines.h"
#include "ui/views/view.h"

#define VIEW_CODE_NAME  256
#define VIEW_CODE_BACKS 32

/* A function to go back to, and where in it. */
struct view_code_stop {
	struct code_place place; /* object NULL: none */
	char name[VIEW_CODE_NAME]; /* raw */
	struct list list;
	bool placed;
	/* where the first look was placed, to place it again while lines come in between; 0: nowhere yet */
	size_t shown_nr, shown_top;
	uint64_t shown_key;
};

struct view_code_state {
	struct view_code_stop now;
	struct view_code_stop back[VIEW_CODE_BACKS];
	unsigned nback;
	enum view_id origin; /* where the first was chosen */
	enum listing_mode mode; /* source lines between the instructions, alone, or none */
	bool asked;
	uint64_t ask_again;  /* clock_ns */
	char refused[256];   /* why the session cannot answer */
	const struct code_sheet *sheet; /* of this moment */
	struct code_sheet by_line; /* that, where lines are shown alone */
	struct codechanges_state changes; /* the baseline's, while windows are compared */
	struct listing listing;
	size_t height;
};

extern const struct view_ops view_code;

void view_code_free(struct view_code_state *s);

/* Show the code of the function selected in the current view; false: it has none to select. */
bool view_code_open(struct app *a);

#endif
