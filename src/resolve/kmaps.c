/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "resolve/kmaps.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "base/vec.h"

#define IMAGE_BYTES (96ull << 20) /* of a kernel: text, data and text for booting */
#define KERNEL "[kernel.kallsyms" /* and "]_text", or before 2.6.37 "._text]" */

/* Index of the first map that ends above addr. */
static size_t first_above(const struct kmaps *k, uint64_t addr)
{
	return SEARCH_ABOVE(k->map, k->nr, end, addr);
}

/* Take away whatever overlaps start..end; returns where a map of it belongs. */
static size_t cut(struct kmaps *k, uint64_t start, uint64_t end)
{
	size_t first = first_above(k, start), after = first;

	while (after < k->nr && k->map[after].start < end)
		after++;
	memmove(&k->map[first], &k->map[after], (k->nr - after) * sizeof(*k->map));
	k->nr -= after - first;
	return first;
}

static bool add(struct kmaps *k, struct kmap map)
{
	size_t at;

	if (map.end <= map.start || k->nr >= KMAPS_MAX ||
	    !vec_reserve(&k->map, &k->cap, k->nr + 1, sizeof(*k->map)))
		return false;
	at = cut(k, map.start, map.end);
	memmove(&k->map[at + 1], &k->map[at], (k->nr - at) * sizeof(*k->map));
	map.serial = ++k->serial;
	k->map[at] = map;
	k->nr++;
	return true;
}

/* "/lib/modules/6.1.0/kernel/fs/ext4/ext4.ko.xz" and "[ext4]" to "[ext4]", with - as _ */
static void module_name(char *to, size_t size, const char *file)
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

bool kmaps_mmap(struct kmaps *k, const struct record_mmap *m)
{
	struct kmap map = {.start = m->addr, .end = m->addr + m->len, .kind = KMAP_MODULE};

	if (!strncmp(m->filename, KERNEL, strlen(KERNEL))) {
		map.kind = KMAP_KERNEL;
		map.serial = ++k->serial;
		strcpy(map.name, "[kernel]");
		k->kernel = map;
		k->reference = m->pgoff;
		k->mark = strstr(m->filename, kernel_marks[KERNEL_STEXT]) ? KERNEL_STEXT : KERNEL_TEXT;
		return true;
	}
	module_name(map.name, sizeof(map.name), m->filename);
	return add(k, map);
}

bool kmaps_ksymbol(struct kmaps *k, const struct record_ksymbol *s)
{
	struct kmap map = {.start = s->addr, .end = s->addr + s->len, .kind = s->program ? KMAP_PROGRAM : KMAP_SYMBOL};

	if (map.end <= map.start)
		return false;
	if (s->unregister) {
		size_t before = k->nr;

		if (k->map)
			cut(k, map.start, map.end);
		return k->nr != before;
	}
	snprintf(map.name, sizeof(map.name), "%.*s", (int)sizeof(map.name) - 1, s->name);
	return add(k, map);
}

/*
 * The map that perf writes ends with the text; behind its data comes the text for booting, where
 * the idle task of the first CPU has its callers.
 */
static uint64_t image_bytes(const struct kmap *kernel)
{
	uint64_t text = kernel->end - kernel->start;

	return text > IMAGE_BYTES ? text : IMAGE_BYTES;
}

const struct kmap *kmaps_find(const struct kmaps *k, uint64_t addr)
{
	size_t i = first_above(k, addr);

	if (i < k->nr && k->map[i].start <= addr)
		return &k->map[i];
	if (k->kernel.start == k->kernel.end)
		return NULL;
	return addr >= k->kernel.start && addr - k->kernel.start < image_bytes(&k->kernel)
	       ? &k->kernel : NULL;
}

void kmaps_clear(struct kmaps *k)
{
	free(k->map);
	*k = (struct kmaps){0};
}
