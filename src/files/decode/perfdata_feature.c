/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "files/decode/perfdata_feature.h"

#include <byteswap.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/budget.h"
#include "base/vec.h"
#include "files/decode/tracingdata.h"

#define MISC_BUILD_ID_SIZE (1u << 15)
#define EVENTS_DESCRIBED   65536 /* an absurd number of events */

/* --- a cursor over a section -------------------------------------------------------------- */

struct bytes {
	const char *at;
	size_t left;
	/* bad: something did not fit; stays set, and all later values are 0 or "" */
	bool swap, bad;
};

static const char *take_feature_bytes(struct bytes *b, size_t len)
{
	const char *at = b->at;

	if (b->bad || len > b->left) {
		b->bad = true;
		return NULL;
	}
	b->at += len;
	b->left -= len;
	return at;
}

static uint32_t take32(struct bytes *b)
{
	const char *at = take_feature_bytes(b, 4);
	uint32_t v = 0;

	if (at)
		memcpy(&v, at, sizeof(v));
	return b->swap ? bswap_32(v) : v;
}

static uint64_t take_feature_u64(struct bytes *b)
{
	const char *at = take_feature_bytes(b, 8);
	uint64_t v = 0;

	if (at)
		memcpy(&v, at, sizeof(v));
	return b->swap ? bswap_64(v) : v;
}

/* Take a length and as many bytes, which may contain a NUL. *len excludes the NUL. */
static const char *take_string(struct bytes *b, int *len)
{
	uint32_t size = take32(b);
	const char *at = take_feature_bytes(b, size);

	*len = at ? (int)strnlen(at, size < INT16_MAX ? size : INT16_MAX) : 0;
	return at ? at : "";
}

static int result(const struct bytes *b)
{
	return b->bad ? -EBADMSG : 0;
}

/* --- the features ------------------------------------------------------------------------- */

static int read_string(struct bytes *b, char *to, size_t size)
{
	int len;
	const char *text = take_string(b, &len);

	if (!b->bad)
		snprintf(to, size, "%.*s", len, text);
	return result(b);
}

static int read_host(struct perfdata_sections *s, struct bytes *b)
{
	return read_string(b, s->info->host, sizeof(s->info->host));
}

static int read_release(struct perfdata_sections *s, struct bytes *b)
{
	return read_string(b, s->info->release, sizeof(s->info->release));
}

static int read_arch(struct perfdata_sections *s, struct bytes *b)
{
	return read_string(b, s->info->arch, sizeof(s->info->arch));
}

static int read_cpus(struct perfdata_sections *s, struct bytes *b)
{
	take32(b); /* number of possible CPUs */
	s->info->cpus = take32(b);
	return result(b);
}

static int read_command(struct perfdata_sections *s, struct bytes *b)
{
	char *to = s->info->command;
	size_t room = sizeof(s->info->command), at = 0;
	uint32_t nr = take32(b);

	for (uint32_t i = 0; i < nr && !b->bad && at < room - 1; i++) {
		int len, n;
		const char *text = take_string(b, &len);

		n = snprintf(to + at, room - at, "%s%.*s", i ? " " : "", len, text);
		at = n > 0 && (size_t)n < room - at ? at + (size_t)n : room - 1;
	}
	return result(b);
}

static int read_events(struct perfdata_sections *s, struct bytes *b)
{
	uint32_t nr = take32(b), size = take32(b);

	if (nr > EVENTS_DESCRIBED)
		return -EBADMSG;
	for (uint32_t i = 0; i < nr && !b->bad; i++) {
		const char *name;
		uint32_t ids;
		int len;

		take_feature_bytes(b, size);
		ids = take32(b);
		name = take_string(b, &len);
		if (!b->bad && i < s->nevents && len)
			snprintf(s->events[i].name, sizeof(s->events[i].name), "%.*s", len, name);
		take_feature_bytes(b, (size_t)ids * 8);
	}
	return result(b);
}

static int read_times(struct perfdata_sections *s, struct bytes *b)
{
	uint64_t first = take_feature_u64(b), last = take_feature_u64(b);

	if (b->bad || last < first)
		return -EBADMSG;
	s->info->first = first;
	s->info->last = last;
	return 0;
}

static int read_clock(struct perfdata_sections *s, struct bytes *b)
{
	uint64_t wall;

	take32(b); /* version */
	take32(b); /* id of the clock */
	wall = take_feature_u64(b);
	s->info->clock = take_feature_u64(b);
	s->info->wall = b->bad ? 0 : wall;
	return result(b);
}

static int read_build_ids(struct perfdata_sections *s, struct bytes *b)
{
	int ret = 0;

	while (b->left >= 8 && !ret && !b->bad) {
		uint16_t misc, size;
		const char *h = take_feature_bytes(b, 8), *body;

		memcpy(&misc, h + 4, 2);
		memcpy(&size, h + 6, 2);
		misc = b->swap ? bswap_16(misc) : misc;
		size = b->swap ? bswap_16(size) : size;
		body = size >= 8 ? take_feature_bytes(b, size - 8u) : NULL;
		ret = body ? perfdata_feature_build_id(s, misc, body, size - 8u) : -EBADMSG;
	}
	return ret ? ret : result(b);
}

static bool is_format_wanted(const struct perfdata_sections *s, uint64_t id)
{
	for (size_t i = 0; i < s->nformats; i++)
		if (s->formats[i].id == id)
			return false;
	for (unsigned i = 0; i < s->nevents; i++)
		if (s->events[i].attr.type == PERF_TYPE_TRACEPOINT &&
		    s->events[i].attr.config == id)
			return true;
	return false;
}

static char *copy_text(const char *bytes, size_t most)
{
	size_t len = strnlen(bytes, most);
	char *text = budget_zalloc(NULL, BUDGET_NAMES, len + 1, 1);

	return text ? memcpy(text, bytes, len) : NULL;
}

static int keep_format(void *arg, const struct tracingdata_format *f)
{
	struct perfdata_sections *s = arg;
	struct perfdata_format *to;

	if (!is_format_wanted(s, f->id))
		return 0;
	if (!budget_reserve(NULL, BUDGET_NAMES, &s->formats, &s->cap_formats, s->nformats + 1,
			    sizeof(*s->formats)))
		return -ENOMEM;
	to = &s->formats[s->nformats];
	*to = (struct perfdata_format){.system = copy_text(f->system, strlen(f->system)),
				       .text = copy_text(f->text, f->len),
				       .id = f->id};
	s->nformats++;
	if (!to->system || !to->text)
		return -ENOMEM;
	to->len = strlen(to->text);
	return 0;
}

/* Keep a copy if there is memory: names and texts are optional. */
static void keep_copy(const char *bytes, size_t len, char **to, size_t *nto)
{
	budget_free(*to);
	*to = len ? budget_alloc(NULL, BUDGET_NAMES, len) : NULL;
	*nto = *to ? len : 0;
	if (*to)
		memcpy(*to, bytes, len);
}

static int read_tracing(struct perfdata_sections *s, struct bytes *b)
{
	struct tracingdata_rest rest;
	int ret = s->swap ? 0 : tracingdata_walk(b->at, b->left, keep_format, s);

	if (s->swap || !s->nformats)
		return ret;
	/* The walk has reported truncation; files of the first versions end with the formats. */
	tracingdata_rest(b->at, b->left, &rest);
	s->info->long_size = rest.long_size;
	keep_copy(rest.kallsyms, rest.nkallsyms, &s->kallsyms, &s->nkallsyms);
	keep_copy(rest.printk, rest.nprintk, &s->printk, &s->nprintk);
	return ret;
}

static const struct {
	unsigned feature;
	int (*read)(struct perfdata_sections *s, struct bytes *b);
} features[] = {
	{PERFDATA_TRACING_DATA, read_tracing},
	{2, read_build_ids},
	{3, read_host},
	{4, read_release},
	{6, read_arch},
	{7, read_cpus},
	{11, read_command},
	{12, read_events},
	{21, read_times},
	{29, read_clock},
};

#define FEATURES (sizeof(features) / sizeof(*features))

bool perfdata_feature_wanted(unsigned feature)
{
	for (size_t i = 0; i < FEATURES; i++)
		if (features[i].feature == feature)
			return true;
	return false;
}

int perfdata_feature(struct perfdata_sections *s, unsigned feature, const char *bytes, size_t len)
{
	struct bytes b = {bytes, len, s->swap, false};

	for (size_t i = 0; i < FEATURES; i++)
		if (features[i].feature == feature)
			return features[i].read(s, &b);
	return 0;
}

/* --- build-ids ---------------------------------------------------------------------------- */

/*
 * Layout: pid, 20 bytes of id, one of length if misc has the bit, 3 unused, the path. The first
 * versions had no pid, which shows in the first entry, the kernel's.
 */
int perfdata_feature_build_id(struct perfdata_sections *s, uint16_t misc, const char *bytes,
			      size_t len)
{
	struct perfdata_build_id *id;
	uint8_t size;
	size_t pid = 4;

	if (len < 29)
		return -EBADMSG;
	s->early_ids |= !s->nids && len >= 41 && !memcmp(bytes + 28, "nel.kallsyms]", 13);
	pid = s->early_ids ? 0 : pid;
	size = misc & MISC_BUILD_ID_SIZE ? (uint8_t)bytes[24] : BUILD_ID_RECORD;
	if (size > BUILD_ID_RECORD || s->nids >= PERFDATA_BUILD_IDS)
		return -EBADMSG;
	if (!budget_reserve(NULL, BUDGET_NAMES, &s->ids, &s->cap_ids, s->nids + 1, sizeof(*s->ids)))
		return -ENOMEM;
	id = &s->ids[s->nids];
	*id = (struct perfdata_build_id){.path = copy_text(bytes + pid + 24, len - pid - 24)};
	if (!id->path)
		return -ENOMEM;
	id->kernel = (misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;
	/* Without a length, trim trailing zeros: some linkers make ids of 16 bytes. */
	while (!(misc & MISC_BUILD_ID_SIZE) && size > 16 && !bytes[pid + size - 1])
		size--;
	id->id = build_id_of(bytes + pid, size);
	s->nids++;
	return 0;
}

void perfdata_feature_clear(struct perfdata_sections *s)
{
	for (size_t i = 0; i < s->nids; i++)
		budget_free(s->ids[i].path);
	budget_free(s->ids);
	for (size_t i = 0; i < s->nformats; i++) {
		budget_free(s->formats[i].system);
		budget_free(s->formats[i].text);
	}
	budget_free(s->formats);
	budget_free(s->kallsyms);
	budget_free(s->printk);
}

/* --- names -------------------------------------------------------------------------------- */

static const struct {
	uint32_t type;
	uint64_t config;
	const char *name;
} known[] = {
	{PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, "cycles"},
	{PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, "instructions"},
	{PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES, "cache-references"},
	{PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, "cache-misses"},
	{PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, "branches"},
	{PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, "branch-misses"},
	{PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES, "bus-cycles"},
	{PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES, "ref-cycles"},
	{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, "cpu-clock"},
	{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, "task-clock"},
	{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, "page-faults"},
	{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, "context-switches"},
	{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS, "cpu-migrations"},
	{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN, "minor-faults"},
	{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ, "major-faults"},
	{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS, "alignment-faults"},
	{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_EMULATION_FAULTS, "emulation-faults"},
	{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, "dummy"},
	{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_BPF_OUTPUT, "bpf-output"},
};

static void name_kind(struct perfdata_event *e)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		if (known[i].type == e->attr.type && known[i].config == e->attr.config) {
			snprintf(e->name, sizeof(e->name), "%s", known[i].name);
			return;
		}
	}
	if (e->attr.type == PERF_TYPE_TRACEPOINT)
		snprintf(e->name, sizeof(e->name), "tracepoint %llu",
			 (unsigned long long)e->attr.config);
	else
		snprintf(e->name, sizeof(e->name), "event %u:%llx", e->attr.type,
			 (unsigned long long)e->attr.config);
}

/* Append modifiers as perf does: the modes that are counted, and the precision of addresses. */
static void add_modifiers(struct perfdata_event *e)
{
	const struct perf_event_attr *a = &e->attr;
	bool some = a->exclude_kernel || a->exclude_user || a->exclude_hv;
	size_t len = strlen(e->name);

	snprintf(e->name + len, sizeof(e->name) - len, ":%s%s%s%.*s%s",
		 some && !a->exclude_kernel ? "k" : "", some && !a->exclude_user ? "u" : "",
		 some && !a->exclude_hv ? "h" : "", (int)a->precise_ip, "ppp",
		 a->exclude_host && !a->exclude_guest ? "G" : "");
	if (!e->name[len + 1])
		e->name[len] = '\0';
}

void perfdata_feature_name(struct perfdata_event *e, const char *text, size_t len)
{
	if (text && *text)
		snprintf(e->name, sizeof(e->name), "%.*s", (int)strnlen(text, len), text);
	else
		name_kind(e);
	add_modifiers(e);
}
