/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slicecode - a slice as a message of protobuf: everything that is in one.
 *
 * What is decoded has its numbers in range and its texts ended, and no more: whose ids mean something, what may
 * index what, is slicecheck's.
 *
 * Threads: as the slice.
 */
#ifndef RINGTOP_LINK_WIRE_SLICECODE_H
#define RINGTOP_LINK_WIRE_SLICECODE_H

#include "core/slice/code.h"
#include "core/slice/slice.h"
#include "link/wire/fields.h"

extern const struct fields slicecode_fields;       /* struct slice */
extern const struct fields slicecode_place_fields; /* struct code_place */
extern const struct fields slicecode_between_fields; /* struct slice_between */

void slicecode_put(struct wire_out *o, const struct slice *s);

/* Of no more than `budget` bytes.  NULL: err says why. */
struct slice *slicecode_get(const void *data, size_t len, size_t budget, struct err *err);

#endif
