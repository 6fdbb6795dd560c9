/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pages of ftrace's ring buffer: a byte (1: big endian, 2: longs of 4 bytes, 4: the rest is
 * header_page's text), then the page.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "must.h"
#include "measure/trace/page.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void walk(struct page *p, const char *bytes, size_t size)
{
	uint32_t at = 0, records = 0;
	struct page_record r;
	volatile char last;

	page_load(p, bytes, size, NULL);
	while (page_next(p, &r)) {
		const char *d = r.data;

		must(r.at > at && r.at + r.len <= p->committed);
		must(d == bytes + p->layout.data + r.at && d + r.len <= bytes + size);
		if (r.len)
			last = d[r.len - 1];
		at = r.at;
		records++;
	}
	(void)last;
	must(records == p->records);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct page_layout l = page_layout_host(0);
	struct page p;
	char *bytes;

	if (!size--)
		return 0;
	if (*data & 4) {
		if (!page_layout_parse((const char *)data + 1, size, *data & 1, &l, NULL))
			must(l.data < l.size && l.size <= PAGE_BYTES_MOST + l.data);
		return 0;
	}
	l.big_endian = *data & 1;
	l.long_size = *data & 2 ? 4 : 8;
	l.data = 8u + l.long_size;
	bytes = malloc(size ? size : 1);
	memcpy(bytes, data + 1, size);
	if (!page_open(&p, &l, NULL))
		walk(&p, bytes, size);
	page_close(&p);
	free(bytes);
	return 0;
}
