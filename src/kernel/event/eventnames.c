/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/event/eventnames.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define HARDWARE(name, alias, config, text)                                                        \
	{                                                                                          \
		name, alias, PERF_TYPE_HARDWARE, PERF_COUNT_HW_##config, text                      \
	}
#define SOFTWARE(name, alias, config, text)                                                        \
	{                                                                                          \
		name, alias, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##config, text                      \
	}

static const struct event_name names[] = {
	HARDWARE("cycles", "cpu-cycles", CPU_CYCLES,
		 "cycles of the CPU's clock, at the frequency it has"),
	HARDWARE("instructions", NULL, INSTRUCTIONS, "instructions retired"),
	HARDWARE("cache-references", NULL, CACHE_REFERENCES,
		 "accesses of the last level cache, mostly"),
	HARDWARE("cache-misses", NULL, CACHE_MISSES, "misses of the last level cache, mostly"),
	HARDWARE("branches", "branch-instructions", BRANCH_INSTRUCTIONS, "branches retired"),
	HARDWARE("branch-misses", NULL, BRANCH_MISSES, "mispredicted branches"),
	HARDWARE("bus-cycles", NULL, BUS_CYCLES, "cycles of the bus"),
	HARDWARE("stalled-cycles-frontend", "idle-cycles-frontend", STALLED_CYCLES_FRONTEND,
		 "cycles in which no instruction was fetched or decoded"),
	HARDWARE("stalled-cycles-backend", "idle-cycles-backend", STALLED_CYCLES_BACKEND,
		 "cycles in which no instruction was retired, waiting for data or execution units"),
	HARDWARE("ref-cycles", NULL, REF_CPU_CYCLES, "cycles at a constant frequency"),
	SOFTWARE("cpu-clock", NULL, CPU_CLOCK, "time, by a timer on each CPU"),
	SOFTWARE("task-clock", NULL, TASK_CLOCK, "time that tasks ran"),
	SOFTWARE("page-faults", "faults", PAGE_FAULTS, "page faults"),
	SOFTWARE("context-switches", "cs", CONTEXT_SWITCHES, "switches to another task"),
	SOFTWARE("cpu-migrations", "migrations", CPU_MIGRATIONS, "moves of a task to another CPU"),
	SOFTWARE("minor-faults", NULL, PAGE_FAULTS_MIN, "page faults without reading from a disk"),
	SOFTWARE("major-faults", NULL, PAGE_FAULTS_MAJ, "page faults that had to wait for a disk"),
	SOFTWARE("alignment-faults", NULL, ALIGNMENT_FAULTS,
		 "unaligned accesses that the kernel fixed up"),
	SOFTWARE("emulation-faults", NULL, EMULATION_FAULTS,
		 "instructions that the kernel emulated"),
	SOFTWARE("cgroup-switches", NULL, CGROUP_SWITCHES, "switches to a task of another cgroup"),
	SOFTWARE("dummy", NULL, DUMMY, "nothing; carries records of maps, names and forks"),
	SOFTWARE("bpf-output", NULL, BPF_OUTPUT, "output of BPF programs"),
};

#define NR(array) (sizeof(array) / sizeof(*(array)))

const struct event_name *event_name_find(const char *name)
{
	for (size_t i = 0; i < NR(names); i++)
		if (!strcasecmp(name, names[i].name) ||
		    (names[i].alias && !strcasecmp(name, names[i].alias)))
			return &names[i];
	return NULL;
}

const struct event_name *event_name_at(size_t i)
{
	return i < NR(names) ? &names[i] : NULL;
}

/* --- caches --------------------------------------------------------------------------------- */

#define SPELLINGS 10

struct word {
	const char *spelling[SPELLINGS];
	unsigned operations; /* of a cache: bits of its operations */
};

enum { CAN_READ = 1, CAN_WRITE = 2, CAN_PREFETCH = 4, CAN_ALL = 7 };

/* Indexes are values of enum perf_hw_cache_id, .._op_id, .._op_result_id. */
static const struct word caches[] = {
	{{"L1-dcache", "l1-d", "l1d", "L1-data"}, CAN_ALL},
	{{"L1-icache", "l1-i", "l1i", "L1-instruction"}, CAN_READ | CAN_PREFETCH},
	{{"LLC", "L2"}, CAN_ALL},
	{{"dTLB", "d-tlb", "Data-TLB"}, CAN_ALL},
	{{"iTLB", "i-tlb", "Instruction-TLB"}, CAN_READ},
	{{"branch", "branches", "bpu", "btb", "bpc"}, CAN_READ},
	{{"node"}, CAN_ALL},
};

static const struct word operations[] = {
	{{"load", "loads", "read"}, 0},
	{{"store", "stores", "write"}, 0},
	{{"prefetch", "prefetches", "speculative-read", "speculative-load"}, 0},
};

static const struct word results[] = {
	{{"refs", "Reference", "ops", "access"}, 0},
	{{"misses", "miss"}, 0},
};

/*
 * Match the longest spelling that *at begins with, followed by a dash or the end, and move *at past
 * it. Return its index, -1: none.
 */
static int match_spelling(const char **at, const struct word *words, size_t nr)
{
	size_t longest = 0;
	int found = -1;

	for (size_t i = 0; i < nr; i++) {
		for (int s = 0; s < SPELLINGS && words[i].spelling[s]; s++) {
			size_t len = strlen(words[i].spelling[s]);

			if (len <= longest || strncasecmp(*at, words[i].spelling[s], len) ||
			    ((*at)[len] && (*at)[len] != '-'))
				continue;
			longest = len;
			found = (int)i;
		}
	}
	*at += longest;
	return found;
}

bool event_cache_find(const char *name, uint64_t *config)
{
	int cache = match_spelling(&name, caches, NR(caches)), op = -1, result = -1;

	if (cache < 0)
		return false;
	for (int i = 0; i < 2 && *name == '-'; i++) {
		name++;
		if (op < 0 && (op = match_spelling(&name, operations, NR(operations))) >= 0)
			continue;
		if (result >= 0 || (result = match_spelling(&name, results, NR(results))) < 0)
			return false;
	}
	op = op < 0 ? PERF_COUNT_HW_CACHE_OP_READ : op;
	result = result < 0 ? PERF_COUNT_HW_CACHE_RESULT_ACCESS : result;
	*config = (uint64_t)(cache | op << 8 | result << 16);
	return !*name && caches[cache].operations >> op & 1;
}

bool event_cache_at(size_t i, char name[EVENT_CACHE_LEN], uint64_t *config)
{
	for (size_t n = 0; n < NR(caches) * NR(operations) * NR(results); n++) {
		size_t result = n % NR(results), op = n / NR(results) % NR(operations);
		size_t cache = n / NR(results) / NR(operations);

		if (!(caches[cache].operations >> op & 1) || i--)
			continue;
		/* perf-list's names: load-misses, but loads. */
		snprintf(name, EVENT_CACHE_LEN, result ? "%s-%s-%s" : "%s-%s%s",
			 caches[cache].spelling[0], operations[op].spelling[0],
			 result	   ? "misses"
			 : op == 2 ? "es"
				   : "s");
		*config = cache | op << 8 | result << 16;
		return true;
	}
	return false;
}
