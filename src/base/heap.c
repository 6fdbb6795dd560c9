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
	/* Setting either ends the adjusting of both: not a system call for every free. */
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
/* The linker leads all of our calls of NAME to __wrap_NAME, and __real_NAME to the library's. */

static void *noted(void *p)
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
		return noted(__real_##name arguments);                                             \
	}

WRAP(malloc, (size_t size), (size))
WRAP(calloc, (size_t nr, size_t size), (nr, size))
WRAP(reallocarray, (void *p, size_t nr, size_t size), (p, nr, size))
WRAP(aligned_alloc, (size_t align, size_t size), (align, size))
WRAP(strdup, (const char *text), (text))
WRAP(strndup, (const char *text, size_t len), (text, len))

/* To nothing is no failure. */
void *__real_realloc(void *p, size_t size);
void *__wrap_realloc(void *p, size_t size);
void *__wrap_realloc(void *p, size_t size)
{
	void *to = __real_realloc(p, size);

	return size ? noted(to) : to;
}
#endif
