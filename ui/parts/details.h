/* SPDX-License-Identifier: GPL-2.0-or-later */
/* details - facts about a selected row, for the panel.  Threads: one owner. */
#ifndef RINGTOP_UI_PARTS_DETAILS_H
#define RINGTOP_UI_PARTS_DETAILS_H

#include <stdbool.h>
#include <stdint.h>

#include "ui/term/scene.h"

struct session_event;

struct details {
	struct {
		char label[20];
		char value[768];
		enum role role;
	} line[64];
	unsigned nr;
};

/* Append a line for the panel; dropped where d is full.  label may be "". */
void details_add(struct details *d, enum role role, const char *label, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

#define DETAILS_DOUBT "? " /* stands before an object's name: behind a long one there is no room */

/* Append why an object lacks names or, with `doubt`, why they may be wrong; nothing for "". */
void details_why(struct details *d, const char *why, bool doubt);

/* Append the other names of a function's address, as in row.also; nothing for "" or NULL. */
void details_several(struct details *d, const char *also);

/* Return the label for an event's sum: "time", "events", or "sum" (of weights).  e may be NULL. */
const char *details_amount(const struct session_event *e);

/* Append a number, or "not known" for GAUGE_UNKNOWN. */
void details_count(struct details *d, const char *label, uint64_t n);

#endif
