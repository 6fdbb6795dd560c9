/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fields - what tracepoints' samples came to by fields of their records (--by): of all the time, and since a mark.
 *
 * Threads: the model's owner.
 */
#ifndef RINGTOP_MODEL_FIELDS_H
#define RINGTOP_MODEL_FIELDS_H

#include "model/model.h"
#include "slice/field.h"

#define FIELD_KEYS_MOST 65536 /* all further ones of an event are its rest */

/* Sorted by event and key, the rest last.  Valid until the next slice. */
const struct slice_fields *model_fields(const struct model *m, bool recent);
void model_fields_mark(struct model *m);

/* Of pairs of tracepoints (session_info.between): the same times. */
const struct slice_latency *model_latency(const struct model *m, bool recent);

/*
 * Those of one event, heaviest first by count, the rest last; pointers into the model.  The number; `all` holds
 * model_fields().nr at least.
 */
size_t fields_of(const struct slice_fields *f, unsigned event, const struct slice_field **all);

/* The i-th value of a key: where it begins; *len its bytes.  NULL: there are fewer. */
const char *fields_value(const struct slice_field *f, unsigned i, size_t *len);

#endif
