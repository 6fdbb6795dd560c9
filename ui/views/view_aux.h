/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * view_aux - the AUX view: rates and losses of hardware trace, and the snapshots taken of it.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_UI_VIEWS_VIEW_AUX_H
#define RINGTOP_UI_VIEWS_VIEW_AUX_H

#include "ui/app/view.h"

extern const struct view_ops view_aux;

#endif
