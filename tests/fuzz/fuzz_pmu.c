/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The text of a PMU's format/ file, and an event in a PMU's words. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/event/parse.h"
#include "kernel/event/pmu.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What was placed is what can be read, and no bit beside the field moved. */
static void check_field(const char *text)
{
	const uint64_t was = 0xa5a55a5a0ff0f00full;
	struct pmu_field f;
	uint64_t word = was, low, bits;

	if (!pmu_parse_field(text, &f))
		return;
	if (!f.bits || f.word > 3)
		abort();
	bits = (uint64_t)__builtin_popcountll(f.bits);
	low = bits < 64 ? (1ull << bits) - 1 : ~0ull;
	if (!pmu_place(&f, low, &word) || (word & f.bits) != f.bits ||
	    (word & ~f.bits) != (was & ~f.bits))
		abort();
	if (!pmu_place(&f, 0, &word) || word & f.bits)
		abort();
	if (bits < 64 && pmu_place(&f, low + 1, &word))
		abort();
}

/* Something, and with slashes only around terms. */
static bool named_well(const char *name)
{
	const char *slash = strchr(name, '/'), *second = slash ? strchr(slash + 1, '/') : NULL;

	return *name && (!slash || (second && second > slash + 1 && !strchr(second + 1, '/')));
}

static void check_event(const char *text)
{
	struct event_list list = {0};
	struct err err;

	/* No such directory: every PMU is unknown, whatever it is called. */
	pmu_set_root("/nonexistent");
	if (!event_parse(text, &list, &err))
		for (unsigned i = 0; i < list.nr; i++)
			if (!named_well(list.events[i].name))
				abort();
	event_list_clear(&list);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	check_field(text);
	if (!strchr(text, ':')) /* tracepoints look at the machine */
		check_event(text);
	free(text);
	return 0;
}
