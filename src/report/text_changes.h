/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * text_changes - the report of a comparison to be read by people: significant changes first, then
 * the largest of those that may be chance.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_REPORT_TEXT_CHANGES_H
#define RINGTOP_REPORT_TEXT_CHANGES_H

#include "report/changes.h"

/* Append the report of c. */
void text_changes(struct out *o, const struct changes *c);

#endif
