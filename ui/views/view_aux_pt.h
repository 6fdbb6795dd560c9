/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * view_aux_pt - what the last snapshot of Intel PT says, below the list of snapshots.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_UI_VIEWS_VIEW_AUX_PT_H
#define RINGTOP_UI_VIEWS_VIEW_AUX_PT_H

#include "ui/term/scene.h"

struct app;

/* Nothing where there is no answer yet, or no room for it. */
void view_aux_pt_draw(struct app *a, struct rect at);

#endif
