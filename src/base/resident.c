/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/resident.h"

#include <stdio.h>
#include <unistd.h>

#include "base/io.h"

uint64_t resident_bytes(void)
{
	unsigned long pages = 0;
	char text[128];

	if (io_read_text("/proc/self/statm", text, sizeof(text)) > 0)
		sscanf(text, "%*u %lu", &pages);
	return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}
