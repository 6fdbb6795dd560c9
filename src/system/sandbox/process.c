/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "system/sandbox/process.h"

#include <string.h>
#include <sys/resource.h>

#define OWN_MEMORY (16ull << 20)

const struct process_kind process_kinds[SANDBOX_PROCESSES] = {
	[SANDBOX_NAMES] = {"names", "ringtop-names", 10, 0, 512ull << 20, 256ull << 20},
	[SANDBOX_FRAMES] = {"frames", "ringtop-frames", 2, 0, 96ull << 20, 256ull << 20},
	[SANDBOX_LINES] = {"lines", "ringtop-lines", 10, 10, 128ull << 20, 8ull << 30},
	[SANDBOX_TRACES] = {"traces", "ringtop-traces", 120, 10, 256ull << 20, 2ull << 30},
	[SANDBOX_EVENTS] = {"events", "ringtop-events", 5, 0, 128ull << 20, 0},
};

static const enum sandbox_process processes[SANDBOX_JOBS] = {
	[SANDBOX_PROBE] = SANDBOX_NAMES,
	[SANDBOX_HEAD] = SANDBOX_NAMES,
	[SANDBOX_SYMBOLS] = SANDBOX_NAMES,
	[SANDBOX_DEMANGLE] = SANDBOX_NAMES,
	[SANDBOX_FIND_LINES] = SANDBOX_LINES,
	[SANDBOX_CFI_OPEN] = SANDBOX_FRAMES,
	[SANDBOX_CFI_ROWS] = SANDBOX_FRAMES,
	[SANDBOX_PERFMAP] = SANDBOX_NAMES,
	[SANDBOX_JITDUMP] = SANDBOX_NAMES,
	[SANDBOX_JITDUMP_LINES] = SANDBOX_NAMES,
	[SANDBOX_DISASM] = SANDBOX_NAMES,
	[SANDBOX_PT] = SANDBOX_TRACES,
	[SANDBOX_FILE_OPEN] = SANDBOX_TRACES,
	[SANDBOX_FILE_NEXT] = SANDBOX_TRACES,
	[SANDBOX_FILE_NAME] = SANDBOX_TRACES,
	[SANDBOX_PRINT] = SANDBOX_EVENTS,
};

const struct process_kind *process_kind_named(const char *name)
{
	for (unsigned i = 0; i < SANDBOX_PROCESSES; i++)
		if (!strcmp(process_kinds[i].name, name))
			return &process_kinds[i];
	return NULL;
}

enum sandbox_process process_of(enum sandbox_job job)
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
