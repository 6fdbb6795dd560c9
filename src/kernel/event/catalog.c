/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/event/catalog.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "kernel/event/eventnames.h"
#include "kernel/event/pmu.h"
#include "kernel/event/tracepoint.h"

const char *const catalog_kind_names[CATALOG_KINDS] = {
	[CATALOG_HARDWARE] = "hardware", [CATALOG_SOFTWARE] = "software", [CATALOG_CACHE] = "cache",
	[CATALOG_PMU] = "pmu", [CATALOG_TRACEPOINT] = "tracepoint", [CATALOG_FORM] = "form",
};

struct walk {
	const char *pattern;
	int (*take)(void *arg, const struct catalog_entry *e);
	void *arg;
	struct catalog_entry e;
};

static bool matches_pattern(const struct walk *w)
{
	if (!w->pattern)
		return true;
	if (strpbrk(w->pattern, "*?["))
		return !fnmatch(w->pattern, w->e.name, FNM_CASEFOLD);
	return strcasestr(w->e.name, w->pattern) || strcasestr(w->e.text, w->pattern);
}

static int list_entry(struct walk *w)
{
	return matches_pattern(w) ? w->take(w->arg, &w->e) : 0;
}

static int walk_names(struct walk *w)
{
	const struct event_name *n;
	int ret = 0;

	for (size_t i = 0; !ret && (n = event_name_at(i)); i++) {
		bool hardware = n->type == PERF_TYPE_HARDWARE;

		w->e = (struct catalog_entry){.kind = hardware ? CATALOG_HARDWARE
							       : CATALOG_SOFTWARE};
		snprintf(w->e.name, sizeof(w->e.name), "%s", n->name);
		snprintf(w->e.unit, sizeof(w->e.unit), "%s",
			 !hardware && n->config <= PERF_COUNT_SW_TASK_CLOCK ? "ns" : "");
		snprintf(w->e.text, sizeof(w->e.text), "%s%s%s", n->text, n->alias ? "; also " : "",
			 n->alias ? n->alias : "");
		ret = list_entry(w);
	}
	return ret;
}

static int walk_caches(struct walk *w)
{
	uint64_t config;
	int ret = 0;

	w->e = (struct catalog_entry){.kind = CATALOG_CACHE};
	for (size_t i = 0; !ret && event_cache_at(i, w->e.name, &config); i++)
		ret = list_entry(w);
	return ret;
}

static int take_pmu_event(void *arg, const char *pmu, const char *name)
{
	char about[PMU_NAME_LEN + 8], terms[PMU_TEXT_LEN];
	struct walk *w = arg;

	w->e = (struct catalog_entry){.kind = CATALOG_PMU};
	snprintf(w->e.name, sizeof(w->e.name), "%s/%s/", pmu, name);
	snprintf(about, sizeof(about), "%s.unit", name);
	if (pmu_file(pmu, "events", about, w->e.unit, sizeof(w->e.unit)))
		*w->e.unit = '\0';
	if (!pmu_file(pmu, "events", name, terms, sizeof(terms)))
		snprintf(w->e.text, sizeof(w->e.text), "%.240s", terms);
	return list_entry(w);
}

/* List the fields of a tracepoint after the common ones: "prev_comm, prev_pid, ..." */
static void fields_of(const char *format, char *text, size_t size)
{
	const char *at = strstr(format, "\n\n"); /* end of the common ones */
	size_t pos = 0;

	*text = '\0';
	while (at && (at = strstr(at, "\tfield:"))) {
		const char *end = strchr(at, ';'), *name = end;

		if (!end)
			return;
		while (name > at && !strchr(" \t*", name[-1]))
			name--;
		pos = text_append(text, size, pos, "%s%.*s", pos ? ", " : "",
				  (int)(strcspn(name, "[;")), name);
		at = end;
	}
}

static int list_tracepoint(struct walk *w, const char *name)
{
	char format[8192];

	w->e = (struct catalog_entry){.kind = CATALOG_TRACEPOINT};
	snprintf(w->e.name, sizeof(w->e.name), "%s", name);
	if (!tracepoint_format(name, format, sizeof(format)))
		fields_of(format, w->e.text, sizeof(w->e.text));
	return list_entry(w);
}

static int walk_tracepoints(struct walk *w, struct err *err)
{
	struct tracepoints found;
	int ret = tracepoint_match("*", "*", &found, err);

	if (ret != -ENOMEM) /* missing rights are reported in err only */
		ret = 0;
	for (size_t i = 0; !ret && i < found.nr; i++)
		ret = list_tracepoint(w, found.at[i].name);
	tracepoints_clear(&found);
	return ret;
}

static int walk_forms(struct walk *w)
{
	static const char *const forms[][2] = {
		{"rHEX", "raw configuration of the CPUs' PMU"},
		{"TYPE:CONFIG", "raw configuration of any PMU, by its number"},
		{"PMU/TERM=VALUE,.../", "an event of a PMU by the fields of its format/"},
		{"mem:ADDRESS[/LENGTH][:rwx]", "a hardware breakpoint"},
		{"kprobe:FUNCTION[+OFFSET]",
		 "an address in the kernel; kretprobe: where a function returns"},
		{"uprobe:FILE:FUNCTION[+OFFSET]",
		 "an address in a program or library; uretprobe: where it returns"},
		{"sdt:FILE:PROVIDER:NAME", "a static probe in a program or library (USDT)"},
	};
	int ret = 0;

	for (size_t i = 0; !ret && i < sizeof(forms) / sizeof(*forms); i++) {
		w->e = (struct catalog_entry){.kind = CATALOG_FORM};
		snprintf(w->e.name, sizeof(w->e.name), "%s", forms[i][0]);
		snprintf(w->e.text, sizeof(w->e.text), "%s", forms[i][1]);
		ret = list_entry(w);
	}
	return ret;
}

int catalog_walk(const char *pattern, int (*take)(void *arg, const struct catalog_entry *e),
		 void *arg, struct err *err)
{
	struct walk w = {.pattern = pattern, .take = take, .arg = arg};
	int ret = walk_names(&w);

	if (!ret)
		ret = walk_caches(&w);
	if (!ret)
		ret = pmu_events(take_pmu_event, &w);
	if (!ret)
		ret = walk_tracepoints(&w, err);
	return ret ? ret : walk_forms(&w);
}
