/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/parts/cpuuse.h"

#include <math.h>

#include "base/text.h"
#include "ui/app/app.h"
#include "ui/parts/timeline.h"

/*
 * Return the event of a clock that runs on whole CPUs, or -1.  Other events, and clocks of
 * processes, do not show the use of CPUs.
 */
static int clock_event(const struct app *a)
{
	const struct session_info *info = model_info(a->model);

	if (!timeline_whole(a))
		return -1;
	for (unsigned e = 0; e < info->nevents; e++)
		if (session_event_counts(info->events[e].name, "cpu-clock") && !info->events[e].off)
			return (int)e;
	return -1;
}

int cpuuse_event(const struct app *a, bool *stat)
{
	int event = clock_event(a);

	*stat = event < 0;
	return event >= 0 ? event : model_info(a->model)->nevents ? 0 : -1;
}

static bool by_stat(const struct account *acc, struct cpuuse_split *s)
{
	double all = (double)acc->stat_ns;

	if (!acc->stat_ns)
		return false;
	*s = (struct cpuuse_split){.busy = model_stat_busy(acc),
				 .stat = true,
				 .parts = acc->stat_user ||
					  acc->stat_kernel, /* an older ringtop's has none */
				 .user = fmin((double)acc->stat_user / all, 1),
				 .kernel = fmin((double)acc->stat_kernel / all, 1),
				 .steal = fmin((double)acc->stat_stolen / all, 1)};
	return true;
}

/*
 * Split the clock's own count, which stands still while the CPU is offline or the counters are
 * stopped.
 */
static bool by_clock(const struct account *acc, struct cpuuse_split *s)
{
	double all = (double)acc->counted;

	if (!acc->counted)
		return false;
	*s = (struct cpuuse_split){.parts = true,
				 .user = (double)acc->busy.user / all,
				 .kernel = (double)acc->busy.kernel / all,
				 .lost = (double)acc->lost_all / all,
				 .steal = (double)acc->unsampled_why[UNSAMPLED_STOLEN] / all};
	s->busy = fmin(s->user + s->kernel + s->lost, 1);
	return true;
}

bool cpuuse_split(const struct app *a, int cpu, struct cpuuse_split *s)
{
	bool stat;
	int event = cpuuse_event(a, &stat);
	struct account acc;

	if (event < 0)
		return false;
	model_account(a->model, (unsigned)event, cpu, app_window(a), &acc);
	return stat ? by_stat(&acc, s) : by_clock(&acc, s);
}

void cpuuse_text(const struct cpuuse_split *s, char *buf, size_t size)
{
	const struct {
		const char *name;
		double share;
	} parts[] = {{"u", s->user}, {"k", s->kernel}, {"lost", s->lost}, {"st", s->steal}};
	size_t pos = text_append(buf, size, 0, "%.0f%%", s->busy * 100);
	bool any = false;

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]) && s->parts; i++) {
		if (parts[i].share < 0.005)
			continue;
		pos = text_append(buf, size, pos, "%s%s %.0f", any ? " " : " (", parts[i].name,
				  parts[i].share * 100);
		any = true;
	}
	if (any)
		text_append(buf, size, pos, ")");
}
