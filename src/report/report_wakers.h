/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report_wakers - the tasks that woke the threads that waited (--off-cpu), in both forms of a
 * report; ringtop-json(5) has the members.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_REPORT_REPORT_WAKERS_H
#define RINGTOP_REPORT_REPORT_WAKERS_H

#include "report/headless.h"
#include "report/out.h"

/*
 * Append a report's member `wakers`, behind others, or the text; nothing without the event woken.
 */
void json_wakers(struct out *o, const struct headless_view *v);
void text_wakers(struct out *o, const struct headless_view *v);

#endif
