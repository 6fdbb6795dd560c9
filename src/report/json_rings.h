/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * json_rings - the elements of a report's `rings` and `aux`; ringtop-json(5) has their members.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_REPORT_JSON_RINGS_H
#define RINGTOP_REPORT_JSON_RINGS_H

#include "report/headless.h"
#include "report/out.h"

/* Append the elements of `rings` and of `aux`, without the brackets. */
void json_rings(struct out *o, const struct headless_view *v);
void json_aux(struct out *o, const struct headless_view *v);

#endif
