/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A return address is where execution goes on, which may be in the next function, or another line:
 * so callers are looked up by the address before it, which lies in their call. A frame that a
 * signal interrupted is looked up by its own address. Only here the difference is known, so the
 * path has addresses to look up, under a mark for that.
 */
#include "names/objects/unwound.h"

#include <linux/perf_event.h>
#include <string.h>

struct place { /* argument of find_map */
	struct dsocfis *oc;
	const struct unwound_sample *s;
};

bool unwound_map(struct dsocfis *oc, const struct maps *maps, pid_t pid, uint64_t time,
		 uint64_t addr, struct unwind_map *out)
{
	const struct map *m = maps_find(maps, addr, time);
	struct dsocfi_place at;

	if (!m)
		return false;
	at = (struct dsocfi_place){pid, m->start, m->end};
	*out = (struct unwind_map){.start = m->start, .end = m->end, .pgoff = m->pgoff,
				   .cfi = dsocfi_get(oc, m->object, &at)};
	/* The kernel gives a place that is in no file. */
	if (m->object->kind == OBJECT_VDSO)
		out->pgoff = 0;
	return true;
}

static bool find_map(void *arg, uint64_t addr, struct unwind_map *out)
{
	const struct place *p = arg;

	return unwound_map(p->oc, p->s->maps, p->s->pid, p->s->time, addr, out);
}

static void adjust_callers(uint64_t *ips, const struct unwind_path *path)
{
	uint32_t k = 0;

	for (uint32_t i = 1; i < path->nr; i++) {
		uint32_t next = k < path->ninterrupted ? path->interrupted[k] : UINT32_MAX;

		/*
		 * The return address of a signal handler's frame was not called either: it is at
		 * its own address.
		 */
		if (i + 1 != next && i != next)
			ips[i]--;
		k += i == next;
	}
}

/*
 * Make the sample's own address the leaf, whatever the registers led to. Without it, a leaf from
 * the registers that would be read as a mark makes the path empty.
 */
static void put_leaf(struct unwind_path *path, uint64_t leaf)
{
	if (leaf) {
		path->nr += !path->nr;
		path->ips[0] = leaf;
	} else if (path->nr && path->ips[0] >= (uint64_t)PERF_CONTEXT_MAX) {
		path->nr = 0;
	}
}

static void add_end(struct unwound_path *out)
{
	static const uint64_t marks[UNWIND_ENDS] = {
		[UNWIND_TRUNCATED] = TABLE_MARK_TRUNCATED, [UNWIND_LIMIT] = TABLE_MARK_TRUNCATED,
		[UNWIND_BAD] = TABLE_MARK_BROKEN,
	};

	if (marks[out->end])
		out->ips[out->nr++] = marks[out->end];
}

void unwound_run(struct unwinder *u, struct dsocfis *oc, const struct unwound_sample *s,
		 struct unwound_path *out)
{
	struct place place = {oc, s};
	/* If maps changed around the sample's time they are searched each time. */
	struct unwind_space space = {.find = find_map, .arg = &place,
				     .id = maps_changed(s->maps, s->time) ? 0 : s->maps->version};
	struct unwind_path path;

	out->nr = (uint16_t)(s->nkernel < UNWOUND_KERNEL_MAX ? s->nkernel : UNWOUND_KERNEL_MAX);
	memcpy(out->ips, s->kernel, out->nr * sizeof(*out->ips));
	out->ips[out->nr++] = TABLE_MARK_UNWOUND;
	path = (struct unwind_path){.ips = out->ips + out->nr,
				    .max = TABLE_PATH_MAX - 1u - out->nr};
	out->end = unwind_run(u, &s->dump, &space, &path);
	adjust_callers(path.ips, &path);
	put_leaf(&path, s->leaf);
	out->nr = (uint16_t)(out->nr + path.nr);
	out->frames = path.nr;
	out->guessed = path.guessed;
	out->slow = path.slow;
	add_end(out);
}

void unwound_count(struct slice_unwind *n, const struct unwound_path *p)
{
	static const enum slice_unwind_end ends[UNWIND_ENDS] = {
		[UNWIND_END] = SLICE_UNWIND_OUTERMOST, [UNWIND_TRUNCATED] = SLICE_UNWIND_TRUNCATED,
		[UNWIND_LIMIT] = SLICE_UNWIND_LIMIT, [UNWIND_BAD] = SLICE_UNWIND_BROKEN,
	};

	n->samples++;
	n->frames += p->frames;
	n->guessed += p->guessed;
	n->slow += p->slow;
	n->ends[ends[p->end]]++;
}
