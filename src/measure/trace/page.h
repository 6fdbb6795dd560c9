/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * page - a page (sub-buffer) of ftrace's ring buffer: its bytes in, records out.
 *
 * libtraceevent's kbuffer walks the page.  It checks nothing: neither what the page says is
 * committed, nor a record's length, nor where the number of missed events is.  So every header is
 * looked at here first, and kbuffer goes no further than there are whole records.
 *
 * Source: events/header_page and events/header_event in tracefs;
 * Documentation/trace/ring-buffer-design.rst; kbuffer_load(3).
 *
 * Threads: a page belongs to its caller.  No I/O.
 */
#ifndef RINGTOP_MEASURE_TRACE_PAGE_H
#define RINGTOP_MEASURE_TRACE_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define PAGE_MISSED_UNKNOWN UINT64_MAX
#define PAGE_BYTES_MOST	    (64u << 20) /* a sub-buffer: far above what buffer_subbuf_size_kb takes */

struct page_layout {
	uint8_t long_size; /* of the kernel that wrote: 4 or 8 */
	bool big_endian;
	uint32_t data; /* bytes before the first record */
	uint32_t size; /* of a page, with those */
};

struct page_record {
	const void *data; /* in the page, from common_type on, aligned to 4 */
	uint32_t len;	  /* a multiple of 4; of any size, 0 too */
	uint32_t at;	  /* where in the page's data it is: rises from record to record */
	uint64_t time;	  /* in units of the buffer's clock (ns) */
};

struct page {
	struct page_layout layout;
	struct kbuffer *kbuf;
	const char *data; /* of the page that is loaded, behind its head */
	uint64_t time;	  /* when it was begun */
	uint64_t missed;  /* events lost between the page before and this one, PAGE_MISSED_UNKNOWN:
			     some */
	uint32_t committed; /* bytes of data, behind the head */
	uint32_t records;
	uint32_t taken; /* of the records */
};

/* This machine's; `size`: bytes of a page. */
struct page_layout page_layout_host(uint32_t size);

/*
 * What events/header_page says, of a kernel of that byte order.  -EINVAL: it is none, or none that
 * kbuffer can read.
 */
int page_layout_parse(const char *text, size_t len, bool big_endian, struct page_layout *l,
		      struct err *err);

/* 0 or -errno; whatever is returned: to be closed. */
int page_open(struct page *p, const struct page_layout *l, struct err *err);
void page_close(struct page *p);

/*
 * `bytes` of one page, aligned to 8: they are read until the last page_next, and must not change.
 * (What the kernel adds to the page that it is writing is no change: it is not looked at.)  0, or
 * -EBADMSG with what is wrong and where; the records before that can be taken all the same.
 */
int page_load(struct page *p, const void *bytes, size_t size, struct err *err);

/* The next record; false: there is none. */
bool page_next(struct page *p, struct page_record *r);

#endif
