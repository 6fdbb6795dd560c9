/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sources/replay/fileunwind.h"

#include <stdlib.h>
#include <string.h>

#include "names/objects/unwound.h"

struct unwindfile {
	struct resolver *resolver;
	struct unwinder *unwinder;
	const struct cfi_arch *arch; /* of the recording; NULL: its stacks cannot be unwound */
	int ip;       /* perf's number of the program counter's register; -1: not known */
	uint32_t stack_bytes;
	struct slice_unwind counts;
	struct unwound_path path;
};

/*
 * Register numbers in asm/perf_regs.h, by uname's name of the machine, of those that are not in
 * files/unwind/cfiarch.h.
 */
static const struct {
	const char *arch;
	int ip;
} counters[] = {
	{"i686", UNWIND_IP}, {"i586", UNWIND_IP}, {"i386", UNWIND_IP}, {"armv7l", 15},
	{"armv6l", 15}, {"riscv32", 0},
	{"loongarch64", 0}, {"mips64", 0}, {"mips", 0}, {"s390x", 33}, {"ppc64le", 32},
	{"ppc64", 32}, {"ppc", 32},
};

static int find_pc_register(const char *arch, const struct cfi_arch *known)
{
	if (known)
		return known->perf.ip;
	for (size_t i = 0; *arch && i < sizeof(counters) / sizeof(*counters); i++)
		if (!strcmp(counters[i].arch, arch))
			return counters[i].ip;
	return -1;
}

uint32_t fileunwind_bytes(const struct perfdata *file)
{
	uint32_t bytes = 0;

	for (unsigned i = 0; i < perfdata_events(file); i++) {
		const struct perf_event_attr *a = &perfdata_event(file, i)->attr;

		if (a->sample_type & PERF_SAMPLE_STACK_USER && a->sample_stack_user > bytes)
			bytes = a->sample_stack_user;
	}
	return bytes;
}

struct unwindfile *fileunwind_create(const struct perfdata *file, struct resolver *resolver)
{
	const char *arch = perfdata_info(file)->arch;
	struct unwindfile *u = calloc(1, sizeof(*u));

	if (!u)
		return NULL;
	u->resolver = resolver;
	u->arch = *arch ? cfi_arch_named(arch) : cfi_arch_here();
	u->ip = find_pc_register(arch, u->arch);
	u->stack_bytes = fileunwind_bytes(file);
	u->unwinder = unwind_create();
	if (u->unwinder)
		return u;
	free(u);
	return NULL;
}

void fileunwind_free(struct unwindfile *u)
{
	if (u)
		unwind_free(u->unwinder);
	free(u);
}

/* Make the path without the stack copy. False: the chain has the user's part, and is the path. */
static bool cut_path(struct unwindfile *u, const struct perfdata_event *event,
		     const struct sample *s, struct path *path)
{
	uint64_t regs = event->attr.sample_regs_user, leaf;
	uint64_t ips[TABLE_PATH_MAX];
	struct path before = path_before_user(&event->layout, s, ips);

	if (path_has_user(path_of(&event->layout, s, u->path.ips), before.nr))
		return false;
	leaf = path_user_leaf(&event->layout, s, regs, u->ip);
	*path = path_cut(before, leaf, TABLE_MARK_BROKEN, u->path.ips);
	return true;
}

static void unwind_copy(struct unwindfile *u, const struct perfdata_event *event,
			const struct sample *s, const struct maps *maps)
{
	uint64_t ips[TABLE_PATH_MAX];
	struct path before = path_before_user(&event->layout, s, ips);
	const struct unwound_sample in = {
		.dump = {.arch = u->arch, .mask = event->attr.sample_regs_user,
			 .regs = sample_at(s, SAMPLE_REGS_USER),
			 .stack = sample_at(s, SAMPLE_STACK_USER),
			 .size = s->span[SAMPLE_STACK_USER].len},
		.kernel = before.ips,
		.nkernel = before.nr,
		.leaf = path_user_leaf(&event->layout, s, event->attr.sample_regs_user, u->ip),
		.pid = (pid_t)s->pid,
		.time = s->time,
		.maps = maps,
	};

	unwound_run(u->unwinder, resolver_cfis(u->resolver), &in, &u->path);
	unwound_count(&u->counts, &u->path);
}

bool fileunwind_run(struct unwindfile *u, const struct perfdata_event *event,
		    const struct sample *s, struct path *path)
{
	const uint64_t both = PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	struct maps *maps;

	if ((event->attr.sample_type & both) != both || s->user_abi == PERF_SAMPLE_REGS_ABI_NONE)
		return false;
	if (!u->arch)
		return cut_path(u, event, s, path);
	if (s->user_abi != PERF_SAMPLE_REGS_ABI_64) {
		u->counts.compat++;
		return cut_path(u, event, s, path);
	}
	maps = resolver_maps(u->resolver, (pid_t)s->pid, (pid_t)s->tid, s->time);
	if (!maps)
		return cut_path(u, event, s, path);
	unwind_copy(u, event, s, maps);
	maps_put(maps);
	*path = (struct path){u->path.ips, u->path.nr};
	return true;
}

void fileunwind_gauge(struct unwindfile *u, struct slice_unwind *g)
{
	*g = u->counts;
	g->stack_bytes = u->stack_bytes;
	u->counts = (struct slice_unwind){0};
}
