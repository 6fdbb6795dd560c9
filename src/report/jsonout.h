/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jsonout - append values to a JSON report.
 *
 * A member's name is given with its punctuation, `,"name":`.  Threads: one owner.
 */
#ifndef RINGTOP_REPORT_JSONOUT_H
#define RINGTOP_REPORT_JSONOUT_H

#include <stdint.h>

#include "report/headless.h"
#include "report/out.h"

/* Append a raw text in quotes, escaped; null if there is no memory. */
void jsonout_name(struct out *o, const char *text);

/* Append a member with a raw text or a number. */
void jsonout_string(struct out *o, const char *name, const char *text);
void jsonout_text(struct out *o, const char *name, const char *text); /* NULL: null */
void jsonout_number(struct out *o, const char *name, uint64_t n);
void jsonout_known(struct out *o, const char *name, uint64_t n); /* GAUGE_UNKNOWN: null */

/* Append an id, such as a pid, tid or CPU; null if it is negative: not known. */
void jsonout_id(struct out *o, const char *name, int32_t id);

/* Append a share, which is not negative, with six decimals; printf takes ten times as long. */
void jsonout_share(struct out *o, const char *name, double share);

/*
 * Begin an object with the member `cpu`, and before it, in a session of several hosts, `host`.
 * `cpu` is a number as in slices, which session_place() splits into host and CPU; first: no comma
 * before the object.  The caller closes it.
 */
void jsonout_place(struct out *o, const struct headless_view *v, bool first, int cpu);

#endif
