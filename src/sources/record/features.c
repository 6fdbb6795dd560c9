/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sources/record/features.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "kernel/event/tracepoint.h"

#define FILE_MAX (4u << 20)

/* --- reading ------------------------------------------------------------------------------ */

/*
 * Return a whole file, up to FILE_MAX bytes, malloc'ed and NUL-terminated; NULL: it cannot be read.
 */
static char *read_whole_file(const char *path, size_t *len)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t cap = 4096;
	char *text = fd < 0 ? NULL : malloc(cap);
	ssize_t n;

	*len = 0;
	while (text && (n = read(fd, text + *len, cap - 1 - *len)) > 0) {
		*len += (size_t)n;
		if (*len + 1 == cap && cap < FILE_MAX) {
			char *more = realloc(text, cap *= 2);

			if (!more)
				break;
			text = more;
		}
	}
	if (fd >= 0)
		close(fd);
	if (text)
		text[*len] = '\0';
	return text;
}

/* Get the text behind "name ... : " in a file of such lines; "" if there is none. */
static void find_line_value(const char *text, const char *name, char *value, size_t size)
{
	size_t len = strlen(name);

	*value = '\0';
	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (!strncmp(line, name, len)) {
			const char *at = strchr(line, ':');

			if (!at)
				return;
			at += 1 + strspn(at + 1, " \t");
			snprintf(value, size, "%.*s", (int)strcspn(at, "\n"), at);
			return;
		}
	}
}

/* --- the machine -------------------------------------------------------------------------- */

static void put_string_feature(struct perfwrite *features, enum perfwrite_feature feature,
			       const char *text)
{
	if (*text)
		perfwrite_string(&features[feature], text);
}

static void put_system(struct perfwrite *features)
{
	struct utsname u;

	if (uname(&u))
		return;
	put_string_feature(features, PERFWRITE_HOSTNAME, u.nodename);
	put_string_feature(features, PERFWRITE_OSRELEASE, u.release);
	put_string_feature(features, PERFWRITE_ARCH, u.machine);
	put_string_feature(features, PERFWRITE_VERSION, "ringtop " RINGTOP_VERSION);
}

#if defined(__x86_64__) || defined(__i386__)
static void put_cpu(struct perfwrite *features, const char *info)
{
	char vendor[64], family[16], model[16], stepping[16], text[160];

	find_line_value(info, "vendor_id", vendor, sizeof(vendor));
	find_line_value(info, "cpu family", family, sizeof(family));
	/* "model" and not "model name", which may come first. */
	find_line_value(info, "model\t", model, sizeof(model));
	find_line_value(info, "stepping", stepping, sizeof(stepping));
	snprintf(text, sizeof(text), "%s,%s,%s,%s", vendor, family, model, stepping);
	if (*vendor && *family && *model)
		put_string_feature(features, PERFWRITE_CPUID, text);
}
#else
static void put_cpu(struct perfwrite *features, const char *info)
{
	size_t len;
	char *midr = read_whole_file("/sys/devices/system/cpu/cpu0/regs/identification/midr_el1",
				     &len);

	(void)info;
	if (midr) {
		midr[strcspn(midr, "\n")] = '\0';
		put_string_feature(features, PERFWRITE_CPUID, midr);
	}
	free(midr);
}
#endif

static void put_cpu_features(struct perfwrite *features)
{
	struct perfwrite *w = &features[PERFWRITE_NRCPUS];
	char name[256];
	size_t len;
	char *info = read_whole_file("/proc/cpuinfo", &len);

	perfwrite_u32(w, (uint32_t)sysconf(_SC_NPROCESSORS_CONF));
	perfwrite_u32(w, (uint32_t)sysconf(_SC_NPROCESSORS_ONLN));
	if (!info)
		return;
	find_line_value(info, "model name", name, sizeof(name));
	put_string_feature(features, PERFWRITE_CPUDESC, name);
	put_cpu(features, info);
	free(info);
}

static void put_memory(struct perfwrite *features)
{
	char total[64];
	size_t len;
	char *info = read_whole_file("/proc/meminfo", &len);

	if (!info)
		return;
	find_line_value(info, "MemTotal", total, sizeof(total));
	if (*total)
		perfwrite_u64(&features[PERFWRITE_TOTAL_MEM], strtoull(total, NULL, 10));
	free(info);
}

static void put_command(struct perfwrite *features)
{
	struct perfwrite *w = &features[PERFWRITE_CMDLINE];
	uint32_t nr = 0;
	size_t len;
	char *words = read_whole_file("/proc/self/cmdline", &len);

	if (!words)
		return;
	for (size_t at = 0; at < len; at += strlen(words + at) + 1)
		nr++;
	perfwrite_u32(w, nr);
	for (size_t at = 0; at < len; at += strlen(words + at) + 1)
		perfwrite_string(w, words + at);
	free(words);
}

#define PMUS "/sys/bus/event_source/devices"

static void put_pmus(struct perfwrite *features)
{
	struct perfwrite *w = &features[PERFWRITE_PMU_MAPPINGS];
	struct perfwrite list = {.failed = false};
	DIR *dp = opendir(PMUS);
	struct dirent *d;
	uint32_t nr = 0;

	while (dp && (d = readdir(dp))) {
		char path[512], *type;
		size_t len;

		if (d->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), PMUS "/%s/type", d->d_name);
		type = read_whole_file(path, &len);
		if (!type)
			continue;
		perfwrite_u32(&list, (uint32_t)strtoul(type, NULL, 10));
		perfwrite_string(&list, d->d_name);
		free(type);
		nr++;
	}
	if (dp)
		closedir(dp);
	if (nr && !list.failed) {
		perfwrite_u32(w, nr);
		perfwrite_bytes(w, list.data, list.len);
	}
	perfwrite_clear(&list);
}

/* --- tracepoints -------------------------------------------------------------------------- */

/* Append a copy of a file below tracefs, preceded by its size (of 4 or 8 bytes). */
static void put_tracefs_file(struct perfwrite *w, const char *root, const char *name, bool wide)
{
	char path[512];
	size_t len;
	char *text;

	snprintf(path, sizeof(path), "%s/%s", root, name);
	text = read_whole_file(path, &len);
	if (wide)
		perfwrite_u64(w, len);
	else
		perfwrite_u32(w, (uint32_t)len);
	perfwrite_bytes(w, text, len);
	free(text);
}

static void put_header_file(struct perfwrite *w, const char *root, const char *name)
{
	char path[64];

	perfwrite_bytes(w, name, strlen(name) + 1);
	snprintf(path, sizeof(path), "events/%s", name);
	put_tracefs_file(w, root, path, true);
}

static bool is_used(const struct perfwrite_event *events, unsigned nr, uint64_t id)
{
	for (unsigned i = 0; i < nr; i++)
		if (events[i].attr->type == PERF_TYPE_TRACEPOINT && events[i].attr->config == id)
			return true;
	return false;
}

static bool is_used_tracepoint(const char *root, const char *system, const char *name,
			       const struct perfwrite_event *events, unsigned nr)
{
	char path[1024], *id;
	size_t len;
	bool used;

	snprintf(path, sizeof(path), "%s/events/%s/%s/id", root, system, name);
	id = name[0] == '.' ? NULL : read_whole_file(path, &len);
	used = id && is_used(events, nr, strtoull(id, NULL, 10));
	free(id);
	return used;
}

/* Append the formats of a system's used events; return their number. */
static uint32_t put_system_formats(struct perfwrite *w, const char *root, const char *system,
				   const struct perfwrite_event *events, unsigned nr)
{
	char path[1024];
	uint32_t found = 0;
	struct dirent *d;
	DIR *dp;

	snprintf(path, sizeof(path), "%s/events/%s", root, system);
	dp = opendir(path);
	while (dp && (d = readdir(dp))) {
		if (!is_used_tracepoint(root, system, d->d_name, events, nr))
			continue;
		snprintf(path, sizeof(path), "events/%s/%s/format", system, d->d_name);
		put_tracefs_file(w, root, path, true);
		found++;
	}
	if (dp)
		closedir(dp);
	return found;
}

/* Append the formats of all systems but ftrace's own, which have a place that stays empty. */
static void put_tracepoint_formats(struct perfwrite *w, const char *root,
				   const struct perfwrite_event *events, unsigned nr)
{
	struct perfwrite all = {.failed = false};
	uint32_t systems = 0;
	char path[512];
	struct dirent *d;
	DIR *dp;

	snprintf(path, sizeof(path), "%s/events", root);
	dp = opendir(path);
	while (dp && (d = readdir(dp))) {
		struct perfwrite one = {.failed = false};
		uint32_t found;

		if (d->d_type != DT_DIR || d->d_name[0] == '.' || !strcmp(d->d_name, "ftrace"))
			continue;
		found = put_system_formats(&one, root, d->d_name, events, nr);
		if (found) {
			perfwrite_bytes(&all, d->d_name, strlen(d->d_name) + 1);
			perfwrite_u32(&all, found);
			perfwrite_bytes(&all, one.data, one.len);
			systems++;
		}
		perfwrite_clear(&one);
	}
	if (dp)
		closedir(dp);
	perfwrite_u32(w, systems);
	perfwrite_bytes(w, all.data, all.len);
	w->failed |= all.failed;
	perfwrite_clear(&all);
}

static bool any_tracepoint(const struct perfwrite_event *events, unsigned nr)
{
	for (unsigned i = 0; i < nr; i++)
		if (events[i].attr->type == PERF_TYPE_TRACEPOINT)
			return true;
	return false;
}

/*
 * Append the formats of tracepoints (TRACING_DATA), found by their ids; nothing if none of the
 * events is one. Layout: tools/perf/util/trace-event-info.c of the kernel, version 0.6.
 */
static void put_tracepoints(struct perfwrite *w, const struct perfwrite_event *events, unsigned nr)
{
	static const char magic[] = "\027\010\104tracing0.6"; /* and its NUL */
	const char *root = any_tracepoint(events, nr) ? tracepoint_root(NULL) : NULL;
	const uint8_t machine[2] = {__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__, sizeof(long)};

	if (!root)
		return;
	perfwrite_bytes(w, magic, sizeof(magic));
	perfwrite_bytes(w, machine, sizeof(machine));
	perfwrite_u32(w, (uint32_t)sysconf(_SC_PAGESIZE));
	put_header_file(w, root, "header_page");
	put_header_file(w, root, "header_event");
	perfwrite_u32(w, 0); /* ftrace's events */
	put_tracepoint_formats(w, root, events, nr);
	perfwrite_u32(w, 0); /* kernel symbols: no known reader uses them */
	put_tracefs_file(w, root, "printk_formats", false);
	put_tracefs_file(w, root, "saved_cmdlines", true);
}

void features_write(struct perfwrite *features, const struct perfwrite_event *events, unsigned nr)
{
	put_system(features);
	put_cpu_features(features);
	put_memory(features);
	put_command(features);
	put_pmus(features);
	perfwrite_event_desc(&features[PERFWRITE_EVENT_DESC], events, nr);
	put_tracepoints(&features[PERFWRITE_TRACING_DATA], events, nr);
}
