/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * view_events - the event log: tracepoints' records as lines, in order of time, the newest at the
 * bottom.
 *
 * Each line is tested against the filter once, when it comes: the log is long and a regular
 * expression slow.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_UI_VIEWS_VIEW_EVENTS_H
#define RINGTOP_UI_VIEWS_VIEW_EVENTS_H

#include "ui/app/view.h"

extern const struct view_ops view_events;

#endif
