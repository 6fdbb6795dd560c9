/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * byteswap - converts records and attributes of a machine of the other byte order in place.
 *
 * Tables describe the fields of each record. Bytes of an unknown kind stay as they are. Every step
 * is checked against the record's size: a field that does not fit is left alone, and the record's
 * reader will notice.
 *
 * Threads: pure.  Allocates: never.
 */
#ifndef RINGTOP_FILES_DECODE_BYTESWAP_H
#define RINGTOP_FILES_DECODE_BYTESWAP_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>

#include "files/decode/record.h"

void byteswap_header(struct perf_event_header *h);

/* Convert an attribute of `size` bytes, which may be fewer or more than our struct has. */
void byteswap_attr(void *attr, size_t size);

/*
 * Convert the body of a kernel record whose header is already converted. The layout is that of its
 * event.
 */
void byteswap_record(const struct record_layout *l, struct perf_event_header *h);

#endif
