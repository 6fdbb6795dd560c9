/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/event/pfm.h"

#include <errno.h>

#ifdef HAVE_PFM

#include <dlfcn.h>
#include <perfmon/pfmlib.h>
#include <stdio.h>
#include <string.h>

#include "base/worddistance.h"

#define SONAME "libpfm.so.4"

/* Layout of pfm_perf_encode_arg_t, whose header defines an older struct perf_event_attr. */
struct encoding {
	struct perf_event_attr *attr;
	char **full;
	size_t size;
	int idx, cpu, flags, pad;
};

static struct library {
	bool ready;
	__typeof__(pfm_initialize) *initialize;
	__typeof__(pfm_strerror) *strerror;
	__typeof__(pfm_get_os_event_encoding) *encode;
	__typeof__(pfm_get_pmu_info) *pmu_info;
	__typeof__(pfm_get_event_next) *event_next;
	__typeof__(pfm_get_event_info) *event_info;
} lib;

static bool bind_calls(void *library)
{
	const struct {
		const char *name;
		void *to;
	} calls[] = {
		{"pfm_initialize", &lib.initialize},
		{"pfm_strerror", &lib.strerror},
		{"pfm_get_os_event_encoding", &lib.encode},
		{"pfm_get_pmu_info", &lib.pmu_info},
		{"pfm_get_event_next", &lib.event_next},
		{"pfm_get_event_info", &lib.event_info},
	};

	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		void *call = dlsym(library, calls[i].name);

		if (!call)
			return false;
		memcpy(calls[i].to, &call, sizeof(call));
	}
	return true;
}

/* Open the library, once; it stays open. */
static int open_library(struct err *err)
{
	void *library;
	int ret;

	if (lib.ready)
		return 0;
	library = dlopen(SONAME, RTLD_NOW);
	if (!library || !bind_calls(library)) {
		err_set(err, ENOSYS, "libpfm4 names need the library: %s", dlerror());
		return err_advise(
			err,
			"install it (Debian: libpfm4), or write the event as PMU/TERM=VALUE,.../ "
			"or rHEX");
	}
	ret = lib.initialize();
	if (ret != PFM_SUCCESS)
		return err_set(err, ENOSYS, "libpfm4 cannot be initialized: %s", lib.strerror(ret));
	lib.ready = true;
	return 0;
}

struct nearest {
	const char *word;
	char best[EVENT_NAME_LEN];
	unsigned distance;
};

static void try_pmu(struct nearest *n, const pfm_pmu_info_t *pmu)
{
	for (int i = pmu->first_event; i >= 0; i = lib.event_next(i)) {
		pfm_event_info_t info = {.size = sizeof(info)};
		unsigned d;

		if (lib.event_info(i, PFM_OS_PERF_EVENT_EXT, &info) != PFM_SUCCESS)
			continue;
		d = worddistance(n->word, info.name);
		if (d >= n->distance)
			continue;
		n->distance = d;
		snprintf(n->best, sizeof(n->best), "%s::%s", pmu->name, info.name);
	}
}

/* Suggest the nearest name of the PMUs that libpfm4 found in this machine. */
static int unknown(const char *name, int code, struct err *err)
{
	const char *event = strstr(name, "::");
	char word[EVENT_NAME_LEN];
	struct nearest n = {.word = word};

	snprintf(word, sizeof(word), "%s", event ? event + 2 : name);
	word[strcspn(word, ":.")] = '\0';
	n.distance = (unsigned)strlen(word) / 3 + 1;
	for (int i = PFM_PMU_NONE; i < PFM_PMU_MAX; i++) {
		pfm_pmu_info_t pmu = {.size = sizeof(pmu)};

		if (lib.pmu_info((pfm_pmu_t)i, &pmu) == PFM_SUCCESS && pmu.is_present)
			try_pmu(&n, &pmu);
	}
	err_set(err, EINVAL, "libpfm4: '%s': %s", name, lib.strerror(code));
	return *n.best && n.distance ? err_advise(err, "did you mean '%s'?", n.best) : -EINVAL;
}

int pfm_event(struct event *e, const char *name, struct err *err)
{
	struct perf_event_attr a = {.size = sizeof(a)};
	struct encoding arg = {.attr = &a, .size = sizeof(arg)};
	int ret = open_library(err);

	if (ret)
		return ret;
	ret = lib.encode(name, PFM_PLM0 | PFM_PLM3, PFM_OS_PERF_EVENT_EXT, &arg);
	if (ret == PFM_ERR_NOMEM)
		return err_set(err, ENOMEM, "out of memory");
	if (ret != PFM_SUCCESS)
		return unknown(name, ret, err);
	event_set_kind(e, a.type, a.config);
	e->attr.config1 = a.config1;
	e->attr.config2 = a.config2;
	e->attr.exclude_user = a.exclude_user;
	e->attr.exclude_kernel = a.exclude_kernel;
	e->attr.exclude_hv = a.exclude_hv;
	e->attr.exclude_host = a.exclude_host;
	e->attr.exclude_guest |= a.exclude_guest;
	e->attr.precise_ip = a.precise_ip;
	e->attr.pinned = a.pinned;
	e->attr.exclusive = a.exclusive;
	if (a.sample_period) {
		e->attr.freq = a.freq;
		e->attr.sample_period = a.sample_period;
		e->rated = true;
	}
	return 0;
}

#else

int pfm_event(struct event *e, const char *name, struct err *err)
{
	(void)e;
	err_set(err, ENOSYS, "'%s': this build has no libpfm4", name);
	return err_advise(
		err,
		"build with its header (Debian: libpfm4-dev), or write the event as "
		"PMU/TERM=VALUE,.../");
}

#endif
