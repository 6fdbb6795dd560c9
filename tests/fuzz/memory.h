/* SPDX-License-Identifier: GPL-2.0-or-later */
/* memory - an input as the file that a perfdata_source reads; its arg is the struct memory. */
#ifndef RINGTOP_TESTS_FUZZ_MEMORY_H
#define RINGTOP_TESTS_FUZZ_MEMORY_H

#include <stdint.h>
#include <string.h>
#include <sys/types.h>

struct memory {
	const uint8_t *data;
	size_t size;
};

static inline ssize_t read_memory(void *arg, void *buf, size_t len, uint64_t offset)
{
	const struct memory *m = arg;

	if (offset >= m->size)
		return 0;
	len = len < m->size - offset ? len : (size_t)(m->size - offset);
	memcpy(buf, m->data + offset, len);
	return (ssize_t)len;
}

#endif
