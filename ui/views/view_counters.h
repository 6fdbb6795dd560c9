/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * view_counters - events that are only counted: each counter, its CPUs or threads, and ratios of
 * counters.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_UI_VIEWS_VIEW_COUNTERS_H
#define RINGTOP_UI_VIEWS_VIEW_COUNTERS_H

#include "ui/app/view.h"

extern const struct view_ops view_counters;

#endif
