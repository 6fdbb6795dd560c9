/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jsonout - append values to a JSON report.
 *
 * Commas are put where a value stands before in its object or array: whatever begins a value calls
 * jsonout_key().  Threads: one owner.
 */
#ifndef RINGTOP_REPORT_JSONOUT_H
#define RINGTOP_REPORT_JSONOUT_H

#include <stdint.h>

#include "report/out.h"

/* Append a raw text in quotes, escaped; null if there is no memory. */
void jsonout_name(struct out *o, const char *text);

/* Begin the next value of an object, or with NULL of an array: a comma if needed, and the key. */
void jsonout_key(struct out *o, const char *key);

/* Begin the next value with `[` or `{`, which the caller closes. */
void jsonout_open(struct out *o, const char *key, const char *bracket);

/* Append a member with a raw text or a number; NULL as key: an element of an array. */
void jsonout_string(struct out *o, const char *key, const char *text);
void jsonout_text(struct out *o, const char *key, const char *text); /* NULL: null */
void jsonout_number(struct out *o, const char *key, uint64_t n);
void jsonout_known(struct out *o, const char *key, uint64_t n); /* GAUGE_UNKNOWN: null */

/*
 * Append a share, which is not negative, with six decimals, without a key; printf takes ten times
 * as long.
 */
void jsonout_share(struct out *o, double share);

#endif
