/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slicecode - encodes and decodes a whole slice as a protobuf message.
 *
 * A decoded slice has its numbers in range and its texts terminated, and no more: whether ids are
 * defined and indexes are valid is for slicecheck to check.
 *
 * Threads: the owner of the slice.
 */
#ifndef RINGTOP_LINK_WIRE_SLICECODE_H
#define RINGTOP_LINK_WIRE_SLICECODE_H

#include "core/slice/code.h"
#include "core/slice/slice.h"
#include "base/fieldtable.h"

extern const struct fields slicecode_fields;       /* struct slice */
extern const struct fields slicecode_place_fields; /* struct code_place */
extern const struct fields slicecode_between_fields; /* struct slice_between */

/* Append a slice to o.  Check o->failed. */
void slicecode_put(struct wire_out *o, const struct slice *s);

/* Decode a slice of at most `budget` bytes, to be freed by slice_free.  NULL with err. */
struct slice *slicecode_get(const void *data, size_t len, size_t budget, struct err *err);

#endif
