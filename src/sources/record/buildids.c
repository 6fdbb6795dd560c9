/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sources/record/buildids.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/budget.h"
#include "base/hash.h"
#include "files/elf/elfhead.h"
#include "system/proc/rootopen.h"
#include "names/kernel/kernelsyms.h"

struct name {
	char *path;
	uint32_t pid;
};

struct buildids {
	struct name *names;
	size_t nr, cap;
	uint32_t *slots; /* hashed; index + 1, 0: free */
	size_t nslots;   /* a power of two, at most half full */
};

struct buildids *buildids_create(void)
{
	struct buildids *b = calloc(1, sizeof(*b));

	if (b) {
		b->nslots = 1024;
		b->slots = budget_zalloc(NULL, BUDGET_MAPS, b->nslots, sizeof(*b->slots));
	}
	if (b && b->slots)
		return b;
	free(b);
	return NULL;
}

void buildids_free(struct buildids *b)
{
	if (!b)
		return;
	for (size_t i = 0; i < b->nr; i++)
		budget_free(b->names[i].path);
	budget_free(b->names);
	budget_free(b->slots);
	free(b);
}

static uint32_t *name_slot(const struct buildids *b, const char *path)
{
	size_t at = hash_bytes(path, strlen(path)) & (b->nslots - 1);

	while (b->slots[at] && strcmp(b->names[b->slots[at] - 1].path, path) != 0)
		at = (at + 1) & (b->nslots - 1);
	return &b->slots[at];
}

static int grow_names(struct buildids *b)
{
	uint32_t *old = b->slots;

	if (2 * (b->nr + 1) <= b->nslots)
		return 0;
	b->slots = budget_zalloc(NULL, BUDGET_MAPS, 2 * b->nslots, sizeof(*b->slots));
	if (!b->slots) {
		b->slots = old;
		return -ENOMEM;
	}
	b->nslots *= 2;
	for (size_t i = 0; i < b->nr; i++)
		*name_slot(b, b->names[i].path) = (uint32_t)i + 1;
	budget_free(old);
	return 0;
}

static int add_named_file(struct buildids *b, const char *path, uint32_t pid)
{
	if (b->nr >= BUILDIDS_MAX || *name_slot(b, path))
		return 0;
	if (grow_names(b) ||
	    !budget_reserve(NULL, BUDGET_MAPS, &b->names, &b->cap, b->nr + 1, sizeof(*b->names)))
		return -ENOMEM;
	b->names[b->nr].pid = pid;
	b->names[b->nr].path = budget_alloc(NULL, BUDGET_MAPS, strlen(path) + 1);
	if (!b->names[b->nr].path)
		return -ENOMEM;
	strcpy(b->names[b->nr].path, path);
	b->nr++;
	/* grow_names() came first: it moves the slots. */
	*name_slot(b, path) = (uint32_t)b->nr;
	return 0;
}

int buildids_record(struct buildids *b, const struct record_layout *l,
		    const struct perf_event_header *h)
{
	struct record_mmap m;

	if (h->type != PERF_RECORD_MMAP && h->type != PERF_RECORD_MMAP2)
		return 0;
	if (h->misc & PERF_RECORD_MISC_MMAP_DATA || !record_mmap(l, h, &m))
		return 0;
	/* "[vdso]", "//anon" and the like are not files. */
	if (m.filename[0] != '/' || m.filename[1] == '/')
		return 0;
	return add_named_file(b, m.filename, m.pid);
}

static int open_mapped_file(const struct name *n)
{
	char root[32];
	int fd;

	snprintf(root, sizeof(root), "/proc/%u/root", n->pid);
	fd = rootopen(root, n->path, false, NULL);
	return fd >= 0 ? fd : rootopen(NULL, n->path, false, NULL);
}

void buildids_write(const struct buildids *b, struct perfwrite *w)
{
	struct build_id id = kernel_build_id();

	perfwrite_build_id(w, "[kernel.kallsyms]", &id, true);
	for (size_t i = 0; i < b->nr; i++) {
		int fd = open_mapped_file(&b->names[i]);

		if (fd < 0)
			continue;
		id = elfhead_build_id(fd, b->names[i].path);
		perfwrite_build_id(w, b->names[i].path, &id, false);
		close(fd);
	}
}
