/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * view_aux_pt - the decoded result of the last snapshot of Intel PT, below the list of snapshots.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_UI_VIEWS_VIEW_AUX_PT_H
#define RINGTOP_UI_VIEWS_VIEW_AUX_PT_H

#include "ui/term/scene.h"

struct app;

/* Draw the result into `at`; nothing if there is none yet, or no room for it. */
void view_aux_pt_draw(struct app *a, struct rect at);

#endif
