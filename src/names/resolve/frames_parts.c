/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "names/resolve/frames_parts.h"

#include <stdio.h>
#include <string.h>

#include "base/budget.h"
#include "core/slice/aliases.h"

uint32_t frames_string(struct resolver *r, const char *text)
{
	return text ? dictout_string(r->names, text, strlen(text)) : 0;
}

uint32_t frames_fixed_object(struct resolver *r, const char *name, enum object_kind kind,
			     enum object_state state, const char *why)
{
	char identity[160];
	struct dict_object o = {.kind = kind, .state = state, .name = frames_string(r, name),
				.why = frames_string(r, why)};

	snprintf(identity, sizeof(identity), "%d %d %s", kind, state, name);
	return dictout_object(r->names, identity, strlen(identity), &o);
}

void frames_describe(struct resolver *r, const struct dso *o, struct dict_object *d)
{
	bool anon = o->kind == OBJECT_ANON && o->path[0] == '/';

	*d = (struct dict_object){.kind = o->kind, .state = o->state,
				  .name = frames_string(r, anon ? "[anon]" : o->path),
				  .why = frames_string(r, o->why), .doubted = o->doubted};
	if (o->state == OBJECT_READY)
		d->build_id = o->elf.build_id;
}

uint32_t frames_object_id(struct resolver *r, struct dso *o)
{
	struct dict_object d;

	o->used = dictout_now(r->names);
	frames_describe(r, o, &d);
	o->id = dictout_object(r->names, &o->serial, sizeof(o->serial), &d);
	return o->id;
}

uint32_t frames_symbol(struct resolver *r, uint32_t object, const struct symtab_entry *e,
		       uint64_t version)
{
	char also[ALIASES_TEXT];

	aliases_put(also, e->name, e->names, e->also, SYMTAB_ALSO);
	return dictout_symbol_version(r->names, object, e->addr, e->size, e->name, also, version);
}

void frames_wait(struct resolver *r, uint32_t **list, size_t *nr, size_t *cap, uint32_t frame)
{
	struct dict_frame v;

	if (budget_reserve(NULL, BUDGET_NAMES, list, cap, *nr + 1, sizeof(**list))) {
		(*list)[(*nr)++] = frame;
		return;
	}
	v = *dictout_frame_value(r->names, frame);
	v.object = frames_fixed_object(r, "[out of memory]", OBJECT_UNKNOWN, OBJECT_NAMELESS,
				       "no memory to wait for its name");
	v.flags &= ~(uint32_t)FRAME_PENDING;
	dictout_frame_update(r->names, frame, &v);
}
