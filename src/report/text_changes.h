/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * text_changes - what changed, for people: what is named first, then the largest of what chance may have done.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_REPORT_TEXT_CHANGES_H
#define RINGTOP_REPORT_TEXT_CHANGES_H

#include "report/changes.h"

void text_changes(struct out *o, const struct changes *c);

#endif
