/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * json_snapshots - a report's members about snapshots and the decoded Intel PT of one (`snapshots`,
 * `pt`); ringtop-json(5) has their members.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_REPORT_JSON_SNAPSHOTS_H
#define RINGTOP_REPORT_JSON_SNAPSHOTS_H

#include "report/headless.h"
#include "report/out.h"

/* Append the members `snapshots` and `pt`, behind others. */
void json_snapshots(struct out *o, const struct headless_view *v);
void json_pt(struct out *o, const struct headless_view *v);

#endif
