/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * byteswap - records and attributes written by a machine of the other byte order, turned in place.
 *
 * What a record consists of is in tables.  Bytes that are not of a known kind stay as they are.
 * Every step is checked against the record's size: what does not fit is left alone, and the reader
 * of the record finds out.
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

/* An attribute of `size` bytes, which may be fewer or more than we know. */
void byteswap_attr(void *attr, size_t size);

/* The body of a kernel's record whose header was turned.  The layout is that of its event. */
void byteswap_record(const struct record_layout *l, struct perf_event_header *h);

#endif
