/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "names/kernel/kmaps.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "base/vec.h"

#define IMAGE_BYTES (96ull << 20) /* size of a kernel: text, data and text for booting */
#define KERNEL "[kernel.kallsyms" /* followed by "]_text", or before 2.6.37 "._text]" */

/* Return the index of the first map that ends above addr. */
static size_t first_above(const struct kmaps *k, uint64_t addr)
{
	return SEARCH_ABOVE(k->map, k->nr, end, addr);
}

/*
 * Keep a removed map. Without room the oldest removed ones are dropped: their late samples have no
 * name.
 */
static void put_past(struct kmaps *k, const struct kmap *map, uint64_t until)
{
	size_t give = KMAPS_PAST / 4;

	if (map->kind == KMAP_GONE)
		return;
	if (k->npast >= KMAPS_PAST) {
		memmove(k->past, k->past + give, (k->npast - give) * sizeof(*k->past));
		k->npast -= give;
	}
	(void)VEC_PUSH(k->past, k->npast, k->cap_past, (struct kmap_past){*map, until});
}

/*
 * Make room for a map and the remainders on both sides of it. Marks of empty ranges are dropped for
 * it.
 */
static bool reserve_maps(struct kmaps *k)
{
	if (k->nr + 2 > KMAPS_MAX) {
		kmaps_reread(k, k->serial);
		k->dropped++;
	}
	return k->nr + 2 <= KMAPS_MAX && vec_reserve(&k->map, &k->cap, k->nr + 2, sizeof(*k->map));
}

/*
 * Mark the rest of an old map from start to end, if there is any, as empty since `new` came; the
 * rest of a mark keeps its time. Return the number of marks.
 */
static size_t mark_empty_rest(struct kmap *to, uint64_t start, uint64_t end, const struct kmap *old,
			      const struct kmap *new)
{
	const struct kmap *since = old->kind == KMAP_GONE ? old : new;

	*to = (struct kmap){.start = start,
			    .end = end,
			    .kind = KMAP_GONE,
			    .serial = since->serial,
			    .born = since->born};
	return end > start;
}

/* Make `map` the only map from start to end, and keep the covered ones as removed maps. */
static bool put_map(struct kmaps *k, struct kmap map)
{
	size_t first, after, n = 0, at;
	struct kmap piece[3]; /* remainders of the first and the last map, the new one between */

	if (map.end <= map.start || !reserve_maps(k))
		return false;
	first = after = first_above(k, map.start);
	while (after < k->nr && k->map[after].start < map.end)
		put_past(k, &k->map[after++], map.born);
	map.serial = ++k->serial;
	if (after > first)
		n = mark_empty_rest(piece, k->map[first].start, map.start, &k->map[first], &map);
	piece[n++] = map;
	if (after > first)
		n += mark_empty_rest(piece + n, map.end, k->map[after - 1].end, &k->map[after - 1],
				     &map);
	at = first + n;
	memmove(&k->map[at], &k->map[after], (k->nr - after) * sizeof(*k->map));
	memcpy(&k->map[first], piece, n * sizeof(*k->map));
	k->nr += n - (after - first);
	k->low = k->low == k->high || map.start < k->low ? map.start : k->low;
	k->high = map.end > k->high ? map.end : k->high;
	return true;
}

/* Turn "/lib/modules/6.1.0/kernel/fs/ext4/ext4.ko.xz" into "[ext4]", with - as _ */
static void module_name_of_file(char *to, size_t size, const char *file)
{
	const char *slash = strrchr(file, '/');
	size_t len;

	file = slash ? slash + 1 : file + (*file == '[');
	len = strcspn(file, ".]");
	snprintf(to, size, "[%.*s]", (int)(len < size - 3 ? len : size - 3), file);
	for (; *to; to++)
		if (*to == '-')
			*to = '_';
}

bool kmaps_mmap(struct kmaps *k, const struct record_mmap *m, uint64_t time)
{
	struct kmap map = {
		.start = m->addr, .end = m->addr + m->len, .born = time, .kind = KMAP_MODULE};

	if (!strncmp(m->filename, KERNEL, strlen(KERNEL))) {
		map.kind = KMAP_KERNEL;
		map.serial = ++k->serial;
		strcpy(map.name, "[kernel]");
		k->kernel = map;
		k->reference = m->pgoff;
		k->mark = strstr(m->filename, kernel_marks[KERNEL_STEXT]) ? KERNEL_STEXT
									  : KERNEL_TEXT;
		return true;
	}
	module_name_of_file(map.name, sizeof(map.name), m->filename);
	return put_map(k, map);
}

bool kmaps_ksymbol(struct kmaps *k, const struct record_ksymbol *s, uint64_t time)
{
	struct kmap map = {.start = s->addr, .end = s->addr + s->len, .born = time,
			   .kind = s->program ? KMAP_PROGRAM : KMAP_SYMBOL};
	size_t i;

	if (map.end <= map.start)
		return false;
	snprintf(map.name, sizeof(map.name), "%.*s", (int)sizeof(map.name) - 1, s->name);
	if (!s->unregister)
		return put_map(k, map);
	i = first_above(k, map.start);
	if (i == k->nr || k->map[i].start >= map.end) {
		map.born = 0;
		put_past(k, &map, time);
	}
	return put_map(k, (struct kmap){.start = map.start, .end = map.end, .born = time,
					.kind = KMAP_GONE});
}

/*
 * Return the size of the kernel's image: the map that perf writes ends with the text; behind its
 * data comes the text for booting, where the idle task of the first CPU has its callers.
 */
static uint64_t image_bytes(const struct kmap *kernel)
{
	uint64_t text = kernel->end - kernel->start;

	return text > IMAGE_BYTES ? text : IMAGE_BYTES;
}

/* Return the newest removed map that was there at that time. */
static const struct kmap *find_removed_map(const struct kmaps *k, uint64_t addr, uint64_t time)
{
	for (size_t i = k->npast; i-- && k->past[i].until > time;)
		if (k->past[i].map.start <= addr && addr < k->past[i].map.end &&
		    k->past[i].map.born <= time)
			return &k->past[i].map;
	return NULL;
}

const struct kmap *kmaps_find(const struct kmaps *k, uint64_t addr, uint64_t time)
{
	static const struct kmap gone = {.kind = KMAP_GONE};
	size_t i = first_above(k, addr);
	const struct kmap *past;

	if (i < k->nr && k->map[i].start <= addr && k->map[i].born <= time)
		return &k->map[i];
	past = k->npast ? find_removed_map(k, addr, time) : NULL;
	if (past)
		return past;
	if (i < k->nr && k->map[i].start <= addr)
		return &gone;
	if (k->kernel.start == k->kernel.end)
		return NULL;
	return addr >= k->kernel.start && addr - k->kernel.start < image_bytes(&k->kernel)
	       ? &k->kernel : NULL;
}

void kmaps_settle(struct kmaps *k, uint64_t settled)
{
	size_t n = 0;

	while (n < k->npast && k->past[n].until <= settled)
		n++;
	if (!n)
		return;
	memmove(k->past, k->past + n, (k->npast - n) * sizeof(*k->past));
	k->npast -= n;
}

void kmaps_reread(struct kmaps *k, uint32_t serial)
{
	size_t n = 0;

	for (size_t i = 0; i < k->nr; i++)
		if (k->map[i].kind != KMAP_GONE || (int32_t)(k->map[i].serial - serial) > 0)
			k->map[n++] = k->map[i];
	k->nr = n;
}

void kmaps_clear(struct kmaps *k)
{
	free(k->map);
	free(k->past);
	*k = (struct kmaps){0};
}
