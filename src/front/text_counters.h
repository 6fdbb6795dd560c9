/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * text_counters - what was only counted, in a report for people.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_FRONT_TEXT_COUNTERS_H
#define RINGTOP_FRONT_TEXT_COUNTERS_H

#include "front/headless.h"
#include "front/out.h"

/* Nothing where nothing was. */
void text_counters(struct out *o, const struct headless_view *v);

#endif
