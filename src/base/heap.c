/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/heap.h"

#include <malloc.h>

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
