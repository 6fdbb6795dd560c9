/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Orders: each is within bounds, and what they are does not depend on how the bytes come. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "control/control.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A sum of what the orders are, of bytes that come `step` at a time. */
static uint64_t feed(const uint8_t *data, size_t size, size_t step, struct control_counts *counts)
{
	struct control_lines l = {.len = 0};
	struct control_order order;
	uint64_t sum = 0;
	bool whole;

	for (size_t at = 0; at < size;) {
		size_t n = size - at < step ? size - at : step, took = control_take(&l, (const char *)data + at, n, &order, &whole);

		if (!took || took > n || l.len >= CONTROL_LINE)
			abort();
		at += took;
		if (!whole)
			continue;
		if (order.word >= CONTROL_WORDS || !memchr(order.text, 0, sizeof(order.text)))
			abort();
		sum = sum * 31 + order.word;
		for (const char *c = order.text; *c; c++)
			sum = sum * 31 + (unsigned char)*c;
	}
	*counts = l.counts;
	return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct control_counts one, all;

	if (feed(data, size, 1, &one) != feed(data, size, size, &all) || memcmp(&one, &all, sizeof(one)) != 0)
		abort();
	return 0;
}
