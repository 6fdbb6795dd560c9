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

static bool has_links(const struct cfi_arch *arch, const struct perf_event_attr *a)
{
	const uint64_t both = PERF_SAMPLE_REGS_USER | PERF_SAMPLE_CALLCHAIN;

	return arch && arch->linked && (a->sample_type & both) == both &&
	       a->sample_regs_user >> arch->perf.link & 1;
}

static const struct cfi_arch *arch_of(const struct perfdata *file)
{
	const char *name = perfdata_info(file)->arch;

	return *name ? cfi_arch_named(name) : cfi_arch_here();
}

bool fileunwind_wanted(const struct perfdata *file)
{
	bool any = fileunwind_bytes(file) > 0;

	for (unsigned i = 0; i < perfdata_events(file) && !any; i++)
		any = has_links(arch_of(file), &perfdata_event(file, i)->attr);
	return any;
}

struct unwindfile *fileunwind_create(const struct perfdata *file, struct resolver *resolver)
{
	struct unwindfile *u = calloc(1, sizeof(*u));

	if (!u)
		return NULL;
	u->resolver = resolver;
	u->arch = arch_of(file);
	u->ip = find_pc_register(perfdata_info(file)->arch, u->arch);
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

/* Get the link register, of samples that have it beside a chain. */
static bool get_link(const struct unwindfile *u, const struct perfdata_event *event,
		     const struct sample *s, uint64_t *link)
{
	uint64_t below = event->attr.sample_regs_user;
	size_t at;

	if (!has_links(u->arch, &event->attr) || s->user_abi != PERF_SAMPLE_REGS_ABI_64)
		return false;
	below &= (1ull << u->arch->perf.link) - 1;
	at = (size_t)__builtin_popcountll(below) * sizeof(*link);
	if (at + sizeof(*link) > s->span[SAMPLE_REGS_USER].len)
		return false;
	memcpy(link, (const char *)sample_at(s, SAMPLE_REGS_USER) + at, sizeof(*link));
	*link &= u->arch->pc_bits;
	return *link != 0;
}

/* Return true if the rule for an address says that the caller is in the link register. */
static bool is_linked(const struct unwindfile *u, const struct sample *s, uint64_t addr)
{
	struct maps *maps = resolver_maps(u->resolver, (pid_t)s->pid, (pid_t)s->tid, s->time);
	struct dsocfis *cfis = resolver_cfis(u->resolver);
	struct unwind_map map;
	uint64_t vaddr;
	bool linked;

	linked = maps && unwound_map(cfis, maps, (pid_t)s->pid, s->time, addr, &map) &&
		 map.cfi && cfi_arch(map.cfi) == u->arch &&
		 cfi_vaddr(map.cfi, map.pgoff + (addr - map.start), &vaddr) &&
		 cfi_find(map.cfi, vaddr).kind == CFI_LINK;
	maps_put(maps);
	return linked;
}

/*
 * Put the caller of a leaf into a chain that follows frame pointers, which lacks it: perf records
 * the link register for that on aarch64.
 */
static bool put_linked_caller(struct unwindfile *u, const struct perfdata_event *event,
			      const struct sample *s, struct path *path)
{
	struct path p = path_of(&event->layout, s, u->path.ips);
	uint16_t at = 0;
	uint64_t link;

	while (at < p.nr && p.ips[at] != (uint64_t)PERF_CONTEXT_USER)
		at++;
	if (++at >= p.nr || p.nr == TABLE_PATH_MAX || !get_link(u, event, s, &link) ||
	    (at + 1 < p.nr && p.ips[at + 1] == link) || !is_linked(u, s, p.ips[at]))
		return false;
	memmove(u->path.ips + at + 2, p.ips + at + 1, (p.nr - at - 1u) * sizeof(*p.ips));
	memmove(u->path.ips, p.ips, (at + 1u) * sizeof(*p.ips));
	u->path.ips[at + 1] = link;
	u->counts.inserted++;
	*path = (struct path){u->path.ips, (uint16_t)(p.nr + 1)};
	return true;
}

bool fileunwind_run(struct unwindfile *u, const struct perfdata_event *event,
		    const struct sample *s, struct path *path)
{
	const uint64_t both = PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	struct maps *maps;

	if (!(event->attr.sample_type & PERF_SAMPLE_STACK_USER))
		return put_linked_caller(u, event, s, path);
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
