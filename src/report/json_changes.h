/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * json_changes - the report of a comparison as one JSON object: see ringtop-json(5).
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_REPORT_JSON_CHANGES_H
#define RINGTOP_REPORT_JSON_CHANGES_H

#include "report/changes.h"

/* Append the report of c. */
void json_changes(struct out *o, const struct changes *c);

#endif
