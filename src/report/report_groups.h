/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report_groups - rows by the group that --group names, in both forms of a report; ringtop-json(5)
 * has the members.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_REPORT_REPORT_GROUPS_H
#define RINGTOP_REPORT_REPORT_GROUPS_H

#include "report/headless.h"
#include "report/out.h"

/*
 * Append a report's member `groups`, behind others, or the text for one event; nothing without
 * --group.
 */
void json_groups(struct out *o, const struct headless_view *v);
void text_groups(struct out *o, const struct headless_view *v, unsigned event);

/* Append the known owner of a process or thread, behind other members: user, cgroup, parent. */
void json_owner(struct out *o, const struct row *r);

#endif
