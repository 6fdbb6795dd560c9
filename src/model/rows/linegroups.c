/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/rows/linegroups.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/vec.h"

/* Values in place of a file's string, for code without a line. */
enum { FILE_NONE = 0, FILE_PENDING = UINT32_MAX };

void linegroups_begin(struct linegroups *l, const struct dict *d, uint64_t collections)
{
	if (l->collections != collections) {
		tally_reset(&l->met);
		l->nr = 0;
		l->unlined = false;
	} else if (l->changes == d->changes) {
		return;
	}
	l->collections = collections;
	l->changes = d->changes;
	if (l->cap_of)
		memset(l->of, 0, l->cap_of * sizeof(*l->of));
}

static uint64_t text_hash(const struct dict *d, uint32_t id)
{
	const char *text = dict_string(d, id);

	return hash_bytes(text, strlen(text));
}

static struct linegroup make_linegroup(const struct dict *d, uint32_t file, uint32_t number)
{
	if (file == FILE_NONE || file == FILE_PENDING)
		return (struct linegroup){.function = number, .pending = file == FILE_PENDING,
					   .key = hash_mix(d->functions[number].key, file)};
	return (struct linegroup){.file = file,
				  .line = number,
				  .key = hash_mix(text_hash(d, file), hash_u64(number))};
}

/*
 * Return the id of a line, made if new. number: a line, or without a file a function. 0: out of
 * memory.
 */
static uint32_t line_get(struct linegroups *l, const struct dict *d, uint32_t file, uint32_t number)
{
	struct tally_entry *e = tally_get(&l->met, tally_key(file, number));

	if (!e || e->self)
		return e ? (uint32_t)e->self : 0;
	if (!vec_reserve(&l->line, &l->cap, l->nr + 2, sizeof(*l->line)))
		return 0;
	l->line[++l->nr] = make_linegroup(d, file, number);
	e->self = l->nr;
	return (uint32_t)e->self;
}

static bool has_line(const struct model_frame *f)
{
	return f->file && f->line; /* number 0: the compiler generated the code for no line */
}

static uint32_t group_without_line(struct linegroups *l, const struct dict *d,
				   const struct model_frame *f)
{
	bool pending = f->flags & FRAME_PENDING ||
		       (!f->symbol && d->objects[f->object].state == OBJECT_LOADING);

	l->unlined |= (f->flags & (FRAME_WHOLE | FRAME_LINE)) == FRAME_WHOLE && f->file;
	return line_get(l, d, pending ? FILE_PENDING : FILE_NONE, dict_shown(d, f->function));
}

uint32_t linegroups_of(struct linegroups *l, const struct dict *d, uint32_t frame)
{
	const struct model_frame *f = &d->frames[frame];
	size_t had = l->cap_of;

	if (frame >= had) {
		if (!vec_reserve(&l->of, &l->cap_of, (size_t)frame + 1, sizeof(*l->of)))
			return 0;
		memset(l->of + had, 0, (l->cap_of - had) * sizeof(*l->of));
	}
	if (!l->of[frame])
		l->of[frame] = has_line(f) ? line_get(l, d, f->file, f->line)
					   : group_without_line(l, d, f);
	return l->of[frame];
}

uint32_t linegroups_at(struct linegroups *l, const struct dict *d, uint32_t path,
		       uint32_t *function)
{
	uint32_t outer = d->paths[path].frame, frame = outer;

	while (d->frames[frame].inner)
		frame = d->frames[frame].inner;
	if (frame != outer && !has_line(&d->frames[frame])) {
		*function = dict_shown(d, d->frames[outer].function);
		return group_without_line(l, d, &d->frames[outer]);
	}
	*function = dict_shown(d, d->frames[frame].function);
	return linegroups_of(l, d, frame);
}

uint32_t linegroups_own(struct linegroups *l, const struct dict *d)
{
	return line_get(l, d, FILE_NONE, FUNCTION_SELF);
}

void linegroups_clear(struct linegroups *l)
{
	tally_clear(&l->met);
	free(l->line);
	free(l->of);
	*l = (struct linegroups){.nr = 0};
}

size_t linegroups_bytes(const struct linegroups *l)
{
	return tally_bytes(&l->met) + l->cap * sizeof(*l->line) + l->cap_of * sizeof(*l->of);
}
