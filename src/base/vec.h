/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vec - growable arrays.  Threads: one owner. */
#ifndef RINGTOP_BASE_VEC_H
#define RINGTOP_BASE_VEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/*
 * Make room for `need` elements of `size` bytes in *data (*cap of them now), doubling.
 * False: out of memory, nothing changed.
 */
static inline bool vec_reserve(void *data, size_t *cap, size_t need, size_t size)
{
	size_t n = *cap ? *cap : 8;
	void *grown;

	if (need <= *cap)
		return true;
	while (n < need)
		n *= 2;
	memcpy(&grown, data, sizeof(grown));
	grown = reallocarray(grown, n, size);
	if (!grown)
		return false;
	memcpy(data, &grown, sizeof(grown)); /* data may point to any pointer type */
	*cap = n;
	return true;
}

/* Append a value (a struct in braces, too) to the array v of nr elements.  False: out of memory. */
#define VEC_PUSH(v, nr, cap, ...)                                                                  \
	(vec_reserve(&(v), &(cap), (size_t)(nr) + 1, sizeof(*(v)))                                 \
		 ? ((v)[(nr)++] = __VA_ARGS__, true)                                               \
		 : false)

/* Append a zeroed element to the array v of nr elements: its address, or NULL: out of memory. */
#define VEC_ADD(v, nr, cap)                                                                        \
	(vec_reserve(&(v), &(cap), (size_t)(nr) + 1, sizeof(*(v)))                                 \
		 ? memset(&(v)[(nr)++], 0, sizeof(*(v)))                                           \
		 : NULL)

#endif
