/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * meters - in the head: how busy the CPUs are, as a clock's samples tell it; or the sample rings, where one was half
 * full or something was lost in one, or where there is no such clock.
 *
 * What busy is, busy.h says.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_UI_PARTS_METERS_H
#define RINGTOP_UI_PARTS_METERS_H

#include "model/core/model.h"
#include "ui/parts/widget.h"

struct app;

/* Into the line; `self`, what we use ourselves, gives way (nr 0) where that is no alarm.  acc: the shown event's. */
void meters_add(const struct app *a, const struct account *acc, struct widget_line *line, struct widget_line *self);

#endif
