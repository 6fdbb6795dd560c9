/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sources/aux/auxinfo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include "sources/aux/coresight.h"
#include "base/vec.h"
#include "kernel/event/pmu.h"

enum {
	TYPE_NONE,
	TYPE_INTEL_PT,
	TYPE_INTEL_BTS,
	TYPE_CS_ETM,
	TYPE_ARM_SPE,
	TYPE_S390,
	TYPE_HISI_PTT
};

#define SWITCHES_NONE 0 /* an area has the trace of one thread */
#define SWITCHES 3 /* SWITCH_CPU_WIDE records show the task at each time */
#define SWITCHES_OF_TASKS 2 /* SWITCH records, only of the traced tasks themselves */

uint64_t auxinfo_term_bits(const char *pmu, const char *term)
{
	char text[PMU_TEXT_LEN];
	struct pmu_field f;

	if (pmu_file(pmu, "format", term, text, sizeof(text)) || !pmu_parse_field(text, &f) ||
	    f.word)
		return 0;
	return f.bits;
}

static uint64_t caps_number(const char *pmu, const char *name)
{
	char text[PMU_TEXT_LEN];

	return pmu_file(pmu, "caps", name, text, sizeof(text)) ? 0 : strtoull(text, NULL, 0);
}

/* Get the ratio of the time stamp counter to the crystal's clock: CPUID leaf 15h. */
static void clock_ratio(uint32_t *n, uint32_t *d)
{
	*n = *d = 0;
#if defined(__x86_64__) || defined(__i386__)
	{
		unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;

		if (__get_cpuid(0x15, &eax, &ebx, &ecx, &edx)) {
			*n = ebx;
			*d = eax;
		}
	}
#endif
}

void auxinfo_put(struct auxinfo *out, uint64_t word)
{
	out->failed = out->failed || !VEC_PUSH(out->words, out->nr, out->cap, word);
}

void auxinfo_clear(struct auxinfo *info)
{
	free(info->words);
	*info = (struct auxinfo){.type = TYPE_NONE};
}

static void put_clock(const struct auxset_info *info, struct auxinfo *out)
{
	auxinfo_put(out, info->time_shift);
	auxinfo_put(out, info->time_mult);
	auxinfo_put(out, info->time_zero);
	auxinfo_put(out, info->time_mult != 0);
}

static void intel_pt(const struct auxset_info *info, bool per_cpu, struct auxinfo *out)
{
	uint32_t n, d;

	clock_ratio(&n, &d);
	auxinfo_put(out, info->event->attr.type);
	put_clock(info, out);
	auxinfo_put(out, auxinfo_term_bits(info->pmu, "tsc"));
	auxinfo_put(out, auxinfo_term_bits(info->pmu, "noretcomp"));
	auxinfo_put(out, !per_cpu ? SWITCHES_NONE : info->tasks ? SWITCHES_OF_TASKS : SWITCHES);
	auxinfo_put(out, info->mode == AUX_SNAPSHOT);
	auxinfo_put(out, per_cpu);
	auxinfo_put(out, auxinfo_term_bits(info->pmu, "mtc"));
	auxinfo_put(out, auxinfo_term_bits(info->pmu, "mtc_period"));
	auxinfo_put(out, n);
	auxinfo_put(out, d);
	auxinfo_put(out, auxinfo_term_bits(info->pmu, "cyc"));
	auxinfo_put(out, caps_number(info->pmu, "max_nonturbo_ratio"));
	auxinfo_put(out, 0); /* no address filter, so no string follows */
	auxinfo_put(out, caps_number(info->pmu, "event_trace"));
}

static void intel_bts(const struct auxset_info *info, bool per_cpu, struct auxinfo *out)
{
	(void)per_cpu;
	auxinfo_put(out, info->event->attr.type);
	put_clock(info, out);
	auxinfo_put(out, info->mode == AUX_SNAPSHOT);
}

static void arm_spe(const struct auxset_info *info, bool per_cpu, struct auxinfo *out)
{
	auxinfo_put(out, info->event->attr.type);
	auxinfo_put(out, per_cpu);
}

static void hisi_ptt(const struct auxset_info *info, bool per_cpu, struct auxinfo *out)
{
	(void)per_cpu;
	auxinfo_put(out, info->event->attr.type);
}

static void cs_etm(const struct auxset_info *info, bool per_cpu, struct auxinfo *out)
{
	(void)per_cpu;
	coresight_info(info, out);
}

static const struct {
	const char *pmu; /* first part of the PMU's name */
	uint32_t type;
	void (*fill)(const struct auxset_info *info, bool per_cpu, struct auxinfo *out);
} decoders[] = {
	{"intel_pt", TYPE_INTEL_PT, intel_pt}, {"intel_bts", TYPE_INTEL_BTS, intel_bts},
	{"arm_spe", TYPE_ARM_SPE, arm_spe},    {"hisi_ptt", TYPE_HISI_PTT, hisi_ptt},
	{"cs_etm", TYPE_CS_ETM, cs_etm},
};

void auxinfo_make(const struct auxset_info *info, bool per_cpu, struct auxinfo *out)
{
	*out = (struct auxinfo){.type = TYPE_NONE};
	for (size_t i = 0; i < sizeof(decoders) / sizeof(decoders[0]); i++) {
		if (strncmp(info->pmu, decoders[i].pmu, strlen(decoders[i].pmu)) != 0)
			continue;
		out->type = decoders[i].type;
		decoders[i].fill(info, per_cpu, out);
		return;
	}
}

#if defined(__x86_64__) || defined(__i386__)
static void identify(struct ptdecode_cpu *cpu)
{
	unsigned eax, ebx, ecx, edx, family;

	if (!__get_cpuid(0, &eax, &ebx, &ecx, &edx))
		return;
	cpu->intel = ebx == signature_INTEL_ebx && ecx == signature_INTEL_ecx;
	if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx))
		return;
	family = eax >> 8 & 0xf;
	cpu->family = (uint16_t)(family == 0xf ? family + (eax >> 20 & 0xff) : family);
	cpu->model =
		(uint8_t)((eax >> 4 & 0xf) | (family == 6 || family == 0xf ? eax >> 12 & 0xf0 : 0));
	cpu->stepping = eax & 0xf;
}
#else
static void identify(struct ptdecode_cpu *cpu)
{
	(void)cpu;
}
#endif

/* Return the value of a term in the event's config. */
static uint64_t term_value(const struct auxset_info *info, const char *term)
{
	uint64_t bits = auxinfo_term_bits(info->pmu, term), value = 0;
	unsigned at = 0;

	for (unsigned bit = 0; bit < 64; bit++)
		if (bits >> bit & 1)
			value |= (info->event->attr.config >> bit & 1) << at++;
	return value;
}

bool auxinfo_pt(const struct auxset_info *info, struct ptdecode_cpu *cpu,
		struct ptdecode_clock *clock)
{
	*cpu = (struct ptdecode_cpu){.intel = false};
	if (strcmp(info->pmu, "intel_pt") != 0)
		return false;
	identify(cpu);
	clock_ratio(&cpu->tsc_ctc_ratio_n, &cpu->tsc_ctc_ratio_d);
	cpu->mtc_period = (uint8_t)term_value(info, "mtc_period");
	cpu->max_ratio = (uint8_t)caps_number(info->pmu, "max_nonturbo_ratio");
	*clock = (struct ptdecode_clock){.zero = info->time_zero, .mult = info->time_mult,
					 .shift = info->time_shift};
	return true;
}
