/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What per_cpu/cpuN/stats may say: read within its length, and taken or refused the same each time. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sources/ftrace/stats.h"
#include "tests/fuzz/must.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size ? size : 1); /* ends where it ends, for the address sanitizer */
	struct ftrace_stats s, again;
	bool taken;

	if (!text)
		return 0;
	memcpy(text, data, size);
	taken = ftrace_stats_parse(text, size, &s);
	must(taken == ftrace_stats_parse(text, size, &again));
	must(!memcmp(&s, &again, sizeof(s)));
	must(!taken || size >= 8 * sizeof("a: 0") - 1); /* all eight lines */
	free(text);
	return 0;
}
