/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/event/fallback.h"

#include <string.h>

bool fallback_step(struct event *e)
{
	if (e->precise_most && e->attr.precise_ip) {
		e->attr.precise_ip--;
		return true;
	}
	if (!e->fallback || e->clock)
		return false;
	event_set_kind(e, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK);
	strcpy(e->name, e->attr.exclude_kernel ? "cpu-clock:u" : "cpu-clock");
	return true;
}
