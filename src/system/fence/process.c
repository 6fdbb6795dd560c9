/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "system/fence/process.h"

#include <string.h>
#include <sys/resource.h>

#define OWN_MEMORY (16ull << 20)

const struct process_kind process_kinds[FENCE_PROCESSES] = {
	[FENCE_NAMES] = {"names", "ringtop-names", 10, 0, 512ull << 20, 256ull << 20},
	[FENCE_FRAMES] = {"frames", "ringtop-frames", 2, 0, 96ull << 20, 256ull << 20},
	[FENCE_LINES] = {"lines", "ringtop-lines", 10, 10, 128ull << 20, 8ull << 30},
	[FENCE_TRACES] = {"traces", "ringtop-traces", 120, 10, 256ull << 20, 2ull << 30},
	[FENCE_EVENTS] = {"events", "ringtop-events", 5, 0, 128ull << 20, 0},
};

static const enum fence_process processes[FENCE_JOBS] = {
	[FENCE_PROBE] = FENCE_NAMES,
	[FENCE_HEAD] = FENCE_NAMES,
	[FENCE_SYMBOLS] = FENCE_NAMES,
	[FENCE_DEMANGLE] = FENCE_NAMES,
	[FENCE_FIND_LINES] = FENCE_LINES,
	[FENCE_CFI_OPEN] = FENCE_FRAMES,
	[FENCE_CFI_ROWS] = FENCE_FRAMES,
	[FENCE_PERFMAP] = FENCE_NAMES,
	[FENCE_JITDUMP] = FENCE_NAMES,
	[FENCE_JITDUMP_LINES] = FENCE_NAMES,
	[FENCE_DISASM] = FENCE_NAMES,
	[FENCE_PT] = FENCE_TRACES,
	[FENCE_FILE_OPEN] = FENCE_TRACES,
	[FENCE_FILE_NEXT] = FENCE_TRACES,
	[FENCE_FILE_NAME] = FENCE_TRACES,
	[FENCE_PRINT] = FENCE_EVENTS,
};

const struct process_kind *process_kind_named(const char *name)
{
	for (unsigned i = 0; i < FENCE_PROCESSES; i++)
		if (!strcmp(process_kinds[i].name, name))
			return &process_kinds[i];
	return NULL;
}

enum fence_process process_of(enum fence_job job)
{
	return processes[job];
}

uint64_t process_memory(const struct process_kind *kind)
{
	uint64_t read = budget_limit() / 2; /* as much as one object may hold while it is read */

	return read + OWN_MEMORY < kind->memory ? read + OWN_MEMORY : kind->memory;
}

void process_lower(const struct process_kind *kind)
{
	setpriority(PRIO_PROCESS, 0, kind->nice); /* a failure does no harm */
}
