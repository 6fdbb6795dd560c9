/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sources/aux/coresight.h"

#include <stdio.h>
#include <stdlib.h>

#include "kernel/event/pmu.h"

#define VERSION	   2 /* units' ids may come with AUX_OUTPUT_HW_ID records */
#define CPUS_MOST  8192
#define UNITS_MOST 600 /* number of units that fit into a record; more are left out */
#define MAGIC_ETM4 0x4040404040404040ull
#define MAGIC_ETE  0x5050505050505050ull

/*
 * Id of a unit before a record has the real one: the id that it had before kernel 6.3, marked as
 * unknown.
 */
#define ID_OF_CPU(cpu) ((0x10 + (uint64_t)(cpu) * 2) | 0x80)

/* Fields of the register that identifies the unit: an ETE is one of version 5 of this part. */
#define ARCH_VERSION(v) ((v) >> 12 & 0xf)
#define ARCH_PART(v)	((v) & 0xfff)
#define PART_ETE	0xa13

/* Read a register that sysfs shows in hex. */
static bool read_register(const char *pmu, unsigned cpu, const char *dir, const char *name,
			  uint64_t *value)
{
	char where[64], text[PMU_TEXT_LEN], *end;

	snprintf(where, sizeof(where), "cpu%u%s", cpu, dir);
	if (pmu_file(pmu, where, name, text, sizeof(text)))
		return false;
	*value = strtoull(text, &end, 16);
	return end != text;
}

static uint64_t register_or_0(const char *pmu, unsigned cpu, const char *dir, const char *name)
{
	uint64_t value;

	return read_register(pmu, cpu, dir, name, &value) ? value : 0;
}

/* Return the unit's configuration register, which the driver makes from the event's terms. */
static uint64_t configuration(const struct auxset_info *info)
{
	static const struct {
		const char *term;
		uint64_t bits;
	} terms[] = {
		{"branch_broadcast", 1 << 3}, {"cycacc", 1 << 4}, {"contextid1", 1 << 6},
		{"contextid2", 1 << 7 | 1 << 15}, {"timestamp", 1 << 11}, {"retstack", 1 << 12},
	};
	uint64_t config = 0;

	for (size_t i = 0; i < sizeof(terms) / sizeof(*terms); i++)
		if (auxinfo_term_bits(info->pmu, terms[i].term) & info->event->attr.config)
			config |= terms[i].bits;
	return config;
}

/* Return the source of the unit's time stamps; -1 if the kernel does not show it. */
static uint64_t time_source(const char *pmu, unsigned cpu)
{
	char where[32], text[PMU_TEXT_LEN];

	snprintf(where, sizeof(where), "cpu%u", cpu);
	if (pmu_file(pmu, where, "ts_source", text, sizeof(text)))
		return (uint64_t)-1;
	return (uint64_t)strtoll(text, NULL, 10);
}

static void put_unit(const struct auxset_info *info, unsigned cpu, struct auxinfo *out)
{
	const char *pmu = info->pmu;
	uint64_t arch = register_or_0(pmu, cpu, "/mgmt", "trcdevarch");
	bool ete = ARCH_VERSION(arch) == 5 && ARCH_PART(arch) == PART_ETE;

	auxinfo_put(out, ete ? MAGIC_ETE : MAGIC_ETM4);
	auxinfo_put(out, cpu);
	auxinfo_put(out, ete ? 9 : 8); /* number of words that follow */
	auxinfo_put(out, configuration(info));
	auxinfo_put(out, ID_OF_CPU(cpu));
	auxinfo_put(out, register_or_0(pmu, cpu, "/trcidr", "trcidr0"));
	auxinfo_put(out, register_or_0(pmu, cpu, "/trcidr", "trcidr1"));
	auxinfo_put(out, register_or_0(pmu, cpu, "/trcidr", "trcidr2"));
	auxinfo_put(out, register_or_0(pmu, cpu, "/trcidr", "trcidr8"));
	auxinfo_put(out, register_or_0(pmu, cpu, "/mgmt", "trcauthstatus"));
	if (ete)
		auxinfo_put(out, arch);
	auxinfo_put(out, time_source(pmu, cpu));
}

void coresight_info(const struct auxset_info *info, struct auxinfo *out)
{
	uint64_t value, *units, nr = 0;
	unsigned at;

	auxinfo_put(out, VERSION);
	at = out->nr;
	auxinfo_put(out, 0);
	auxinfo_put(out, info->mode == AUX_SNAPSHOT);
	for (unsigned cpu = 0; cpu < CPUS_MOST && nr < UNITS_MOST; cpu++) {
		if (!read_register(info->pmu, cpu, "/trcidr", "trcidr0", &value))
			continue;
		put_unit(info, cpu, out);
		nr++;
	}
	if (out->failed)
		return;
	units = &out->words[at];
	*units = (uint64_t)info->event->attr.type << 32 | nr;
}
