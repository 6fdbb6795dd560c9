/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A jitdump, read in two passes, its lines, and what its events make of the addresses. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "files/jit/jitcode.h"
#include "files/jit/jitdump.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_event(const struct jitdump_event *e, const struct jitdump_batch *b, size_t size)
{
	if (!e->size || e->addr + e->size < e->addr)
		abort();
	if (e->kind == JITDUMP_MOVE)
		return;
	if (e->name >= b->nnames || strlen(b->names + e->name) > JITDUMP_NAME_MAX)
		abort();
	if (e->code > size || e->lines >= size || e->unwind >= size ||
	    (e->code && size - e->code < e->size))
		abort();
}

static void read_lines(const struct jitdump_file *f, const struct jitdump_place *at,
		       const struct jitdump_event *e)
{
	struct jitdump_lines l = {0};

	jitdump_read_lines(f, at, e->lines, e->size, &l);
	for (size_t i = 0; i < l.nr; i++)
		if (l.line[i].offset >= e->size || l.line[i].file >= l.nnames ||
		    (i && l.line[i].offset < l.line[i - 1].offset))
			abort();
	jitdump_lines_clear(&l);
}

static void apply(struct jitcode *j, const struct jitdump_event *e, const struct jitdump_batch *b)
{
	struct jitcode_function f = {.start = e->addr, .size = e->size, .index = e->index};
	const struct jitcode_function *found;

	if (e->kind == JITDUMP_MOVE)
		jitcode_move(j, e->from, e->addr, e->index, e->time);
	else if (jitcode_load(j, &f, b->names + e->name, e->time))
		abort();
	found = jitcode_find(j, e->addr, UINT64_MAX);
	if (e->kind == JITDUMP_LOAD && (!found || strcmp(found->name, b->names + e->name)))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct jitdump_file f = {.fd = -1, .mem = data, .size = size / 2};
	struct jitdump_place at = {0};
	struct jitdump_batch b = {0};
	struct jitcode *j = jitcode_create();

	if (!jitdump_read(&f, &at, &b, NULL)) {
		f.size = size;
		jitdump_read(&f, &at, &b, NULL);
	}
	f.size = size;
	for (size_t i = 0; i < b.nr; i++) {
		check_event(&b.event[i], &b, size);
		if (b.event[i].lines)
			read_lines(&f, &at, &b.event[i]);
		apply(j, &b.event[i], &b);
	}
	jitdump_batch_clear(&b);
	jitcode_free(j);
	return 0;
}
