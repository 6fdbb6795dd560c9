/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "replay/unwindfile.h"

#include <stdlib.h>
#include <string.h>

#include "session/path.h"

struct unwindfile {
	struct resolver *resolver;
	struct unwinder *unwinder;
	bool foreign; /* of another kind of machine */
	uint32_t stack_bytes;
	struct slice_unwind counts;
	struct unwound_path path;
};

uint32_t unwindfile_bytes(const struct perfdata *file)
{
	uint32_t bytes = 0;

	for (unsigned i = 0; i < perfdata_events(file); i++) {
		const struct perf_event_attr *a = &perfdata_event(file, i)->attr;

		if (a->sample_type & PERF_SAMPLE_STACK_USER && a->sample_stack_user > bytes)
			bytes = a->sample_stack_user;
	}
	return bytes;
}

struct unwindfile *unwindfile_create(const struct perfdata *file, struct resolver *resolver)
{
	const char *arch = perfdata_info(file)->arch;
	struct unwindfile *u = calloc(1, sizeof(*u));

	if (!u)
		return NULL;
	u->resolver = resolver;
	u->foreign = *arch && strcmp(arch, "x86_64") != 0;
	u->stack_bytes = unwindfile_bytes(file);
	u->unwinder = unwind_create();
	if (u->unwinder)
		return u;
	free(u);
	return NULL;
}

void unwindfile_free(struct unwindfile *u)
{
	if (u)
		unwind_free(u->unwinder);
	free(u);
}

const struct unwound_path *unwindfile_run(struct unwindfile *u, const struct perfdata_event *event,
					  const struct sample *s)
{
	const uint64_t both = PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	struct unwound_sample in = {
		.dump = {.mask = event->attr.sample_regs_user, .regs = sample_at(s, SAMPLE_REGS_USER),
			 .stack = sample_at(s, SAMPLE_STACK_USER),
			 .size = s->span[SAMPLE_STACK_USER].len},
		.pid = (pid_t)s->pid, .time = s->time};
	uint64_t ips[TABLE_PATH_MAX];
	struct path before;
	struct maps *maps;

	if ((event->attr.sample_type & both) != both || u->foreign ||
	    s->user_abi == PERF_SAMPLE_REGS_ABI_NONE)
		return NULL;
	if (s->user_abi != PERF_SAMPLE_REGS_ABI_64) {
		u->counts.compat++;
		return NULL;
	}
	maps = resolver_maps(u->resolver, (pid_t)s->pid, (pid_t)s->tid, s->time);
	if (!maps)
		return NULL;
	before = path_before_user(&event->layout, s, ips);
	in.kernel = before.ips;
	in.nkernel = before.nr;
	in.maps = maps;
	unwound_run(u->unwinder, resolver_cfis(u->resolver), &in, &u->path);
	maps_put(maps);
	unwound_count(&u->counts, &u->path);
	return &u->path;
}

void unwindfile_gauge(struct unwindfile *u, struct slice_unwind *g)
{
	*g = u->counts;
	g->stack_bytes = u->stack_bytes;
	u->counts = (struct slice_unwind){0};
}
