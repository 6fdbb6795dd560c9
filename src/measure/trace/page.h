/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * page - a page (sub-buffer) of ftrace's ring buffer: its bytes in, records out.
 *
 * libtraceevent's kbuffer walks the page.  It checks nothing: neither the page's committed length,
 * nor a record's length, nor where the number of missed events is.  So every header is checked here
 * first, and kbuffer is used only for the whole records that were found.
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
#define PAGE_BYTES_MOST	    (64u << 20) /* bytes: far above buffer_subbuf_size_kb's limit */

struct page_layout {
	uint8_t long_size; /* of the kernel that wrote: 4 or 8 */
	bool big_endian;
	uint32_t data; /* bytes before the first record */
	uint32_t size; /* bytes of a page, those included */
};

struct page_record {
	const void *data; /* in the page, from common_type on, aligned to 4 */
	uint32_t len;	  /* a multiple of 4; of any size, 0 too */
	uint32_t at;	  /* offset in the page's data: rises from record to record */
	uint64_t time;	  /* in units of the buffer's clock (ns) */
};

struct page {
	struct page_layout layout;
	struct kbuffer *kbuf;
	const char *data; /* of the loaded page, behind its head */
	uint64_t time;	  /* timestamp of the page's head */
	uint64_t missed;  /* events lost before this page; PAGE_MISSED_UNKNOWN: some */
	uint32_t committed; /* bytes of data, behind the head */
	uint32_t records;   /* whole records in the page */
	uint32_t taken;     /* records that page_next() has returned */
};

/* Return this machine's layout; `size`: bytes of a page. */
struct page_layout page_layout_host(uint32_t size);

/*
 * Parse events/header_page of a kernel of that byte order.  -EINVAL: it is no such file, or a
 * layout that kbuffer cannot read.
 */
int page_layout_parse(const char *text, size_t len, bool big_endian, struct page_layout *l,
		      struct err *err);

/* Prepare to read pages of that layout.  0 or -errno; to be closed in any case. */
int page_open(struct page *p, const struct page_layout *l, struct err *err);
void page_close(struct page *p);

/*
 * Load a page of `size` bytes, aligned to 8 and borrowed: they must not change until the last
 * page_next().  (The kernel may append records to them: these are not read.)  0, or -EBADMSG with
 * the error and its place; the records before it can be read nevertheless.
 */
int page_load(struct page *p, const void *bytes, size_t size, struct err *err);

/* Return the next record; false: there is none. */
bool page_next(struct page *p, struct page_record *r);

#endif
