/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/heap.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomics.h"

static uint64_t failures; /* shared */

void heap_return_large(void)
{
#ifdef __GLIBC__
	mallopt(M_MMAP_THRESHOLD, HEAP_LARGE);
	/*
	 * Setting the one stops glibc's adjustment of both, and the default of this one would mean
	 * a system call for many a free.
	 */
	mallopt(M_TRIM_THRESHOLD, HEAP_HOLES_MAX);
#endif
}

void heap_trim(void)
{
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
	if (mallinfo2().fordblks > HEAP_HOLES_MAX)
		malloc_trim(0);
#endif
}

uint64_t heap_failures(void)
{
	return atomic_load_relaxed(&failures);
}

#ifdef HAVE_LINK_WRAP
/* The linker redirects ringtop's calls of NAME to __wrap_NAME; __real_NAME is the library's. */

static void *count_if_null(void *p)
{
	if (!p)
		atomic_add_relaxed(&failures, 1);
	return p;
}

#define WRAP(name, parameters, arguments)                                                          \
	void *__real_##name parameters;                                                            \
	void *__wrap_##name parameters;                                                            \
	void *__wrap_##name parameters                                                             \
	{                                                                                          \
		return count_if_null(__real_##name arguments);                                     \
	}

WRAP(malloc, (size_t size), (size))
WRAP(calloc, (size_t nr, size_t size), (nr, size))
WRAP(reallocarray, (void *p, size_t nr, size_t size), (p, nr, size))
WRAP(aligned_alloc, (size_t align, size_t size), (align, size))
WRAP(strdup, (const char *text), (text))
WRAP(strndup, (const char *text, size_t len), (text, len))

/* A NULL for size 0 is no failure. */
void *__real_realloc(void *p, size_t size);
void *__wrap_realloc(void *p, size_t size);
void *__wrap_realloc(void *p, size_t size)
{
	void *to = __real_realloc(p, size);

	return size ? count_if_null(to) : to;
}
#endif
