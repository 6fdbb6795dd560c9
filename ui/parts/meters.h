/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * meters - bars in the head: how busy the CPUs are, by a clock's samples; or how full the sample
 * rings are, if one was half full or has lost something, or if there is no such clock.
 *
 * For the meaning of busy see cpuuse.h.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_UI_PARTS_METERS_H
#define RINGTOP_UI_PARTS_METERS_H

#include "model/core/model.h"
#include "ui/parts/widget.h"

struct app;

/*
 * Add the meters to the line.  `self`, ringtop's own use, is dropped (nr 0) for lack of room unless
 * it is an alarm. acc: of the event shown.
 */
void meters_add(const struct app *a, const struct account *acc, struct widget_line *line,
		struct widget_line *self);

#endif
