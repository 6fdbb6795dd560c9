/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report_groups - rows by what --group names, in both forms of a report; ringtop-json(5) has the members.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_REPORT_REPORT_GROUPS_H
#define RINGTOP_REPORT_REPORT_GROUPS_H

#include "report/headless.h"
#include "report/out.h"

/* A report's member `groups`, behind others; nothing where no group was asked for. */
void json_groups(struct out *o, const struct headless_view *v);
void text_groups(struct out *o, const struct headless_view *v, unsigned event);

/* Whose a process or thread is, behind other members: what is known of that. */
void json_owner(struct out *o, const struct row *r);

#endif
