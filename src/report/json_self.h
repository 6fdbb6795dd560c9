/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * json_self - a report's members about ringtop itself: `self`, `unwind`, `call_paths`;
 * ringtop-json(5) has their members.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_REPORT_JSON_SELF_H
#define RINGTOP_REPORT_JSON_SELF_H

#include "report/headless.h"
#include "report/out.h"

/* Append the three members, behind others. */
void json_self(struct out *o, const struct headless_view *v);

#endif
