/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "files/elf/symtab_wire.h"

#include <errno.h>
#include <string.h>

#include "base/fieldtable.h"
#include "files/elf/symtab_state.h"

#define T struct symtab
#define ARRAY(nr, array, number, ...) \
	{nr, FIELD_BYTES, FIELD_BLOCK(T, array, number), .paid = 1 + BUDGET_SYMBOLS, __VA_ARGS__}
static const struct field rows[] = {
	ARRAY(1, addrs, count),
	ARRAY(2, entries, count),
	ARRAY(3, several, nseveral, .cap_at = offsetof(T, several_cap)),
	ARRAY(4, names, names_len, .cap_at = offsetof(T, names_cap)),
};
static const struct fields table = FIELDS(rows, T);
#undef T

void symtab_wire_put(const struct symtab *t, struct wire_out *o)
{
	fields_put_part(o, &table, t);
}

/* Return true if a name is within the names, ends, and is not too long. */
static bool is_sound_name(const struct symtab *t, uint32_t name)
{
	return name < t->names_len &&
	       strnlen(t->names + name, SYMTAB_NAME_MAX + 1) <= SYMTAB_NAME_MAX;
}

static bool is_sound_several(const struct symtab *t)
{
	for (size_t i = 0; i < t->nseveral; i++) {
		const struct several *s = &t->several[i];

		if (s->names < 2 || (i && s->addr <= s[-1].addr))
			return false;
		for (unsigned k = 0; k < SYMTAB_ALSO; k++)
			if (!is_sound_name(t, s->also[k]))
				return false;
	}
	return true;
}

/* Return true if all names are sound and all addresses sorted. */
static bool is_sound(const struct symtab *t)
{
	if ((t->count && (!t->addrs || !t->entries)) ||
	    ((t->count || t->nseveral) && (!t->names_len || t->names[t->names_len - 1])))
		return false;
	for (size_t i = 0; i < t->count; i++)
		if (!is_sound_name(t, t->entries[i].name) || (i && t->addrs[i] < t->addrs[i - 1]))
			return false;
	return is_sound_several(t);
}

int symtab_wire_get(struct wire_in *in, struct budget *b, struct symtab **out)
{
	struct symtab *t = symtab_create(b);
	int ret = t ? fields_get_part(in, &table, t, t->budget) : -ENOMEM;

	if (!ret && !is_sound(t))
		ret = -EPROTO;
	if (ret) {
		symtab_free(t);
		return ret;
	}
	t->settled = t->frozen = true;
	*out = t;
	return 0;
}
