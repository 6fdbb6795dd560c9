/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "files/elf/symtab_wire.h"

#include <errno.h>
#include <string.h>

#include "files/elf/symtab_state.h"

void symtab_wire_put(const struct symtab *t, struct wire_out *o)
{
	wire_put(o, t->count, 8);
	wire_put(o, t->nseveral, 8);
	wire_put(o, t->names_len, 8);
	wire_put_bytes(o, t->addrs, t->count * sizeof(*t->addrs));
	wire_put_bytes(o, t->entries, t->count * sizeof(*t->entries));
	wire_put_bytes(o, t->several, t->nseveral * sizeof(*t->several));
	wire_put_bytes(o, t->names, t->names_len);
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
	if ((t->count || t->nseveral) && (!t->names_len || t->names[t->names_len - 1]))
		return false;
	for (size_t i = 0; i < t->count; i++)
		if (!is_sound_name(t, t->entries[i].name) || (i && t->addrs[i] < t->addrs[i - 1]))
			return false;
	return is_sound_several(t);
}

int symtab_wire_get(struct wire_in *in, struct budget *b, struct symtab **out)
{
	struct symtab *t = symtab_create(b);
	int ret = -ENOMEM;

	if (!t)
		return ret;
	t->count = wire_get_count(in, sizeof(*t->addrs) + sizeof(*t->entries));
	t->nseveral = wire_get_count(in, sizeof(*t->several));
	t->names_len = wire_get_count(in, 1);
	t->addrs = wire_get_block(in, t->budget, BUDGET_SYMBOLS, t->count * sizeof(*t->addrs));
	t->entries = wire_get_block(in, t->budget, BUDGET_SYMBOLS, t->count * sizeof(*t->entries));
	t->several = wire_get_block(in, t->budget, BUDGET_SYMBOLS,
				    t->nseveral * sizeof(*t->several));
	t->several_cap = t->nseveral;
	t->names = wire_get_block(in, t->budget, BUDGET_SYMBOLS, t->names_len);
	t->names_cap = t->names_len;
	t->settled = t->frozen = true;
	if (in->failed || (t->addrs && t->entries && t->several && t->names && !is_sound(t)))
		ret = -EPROTO;
	else if (t->addrs && t->entries && t->several && t->names)
		ret = 0;
	if (ret)
		symtab_free(t);
	else
		*out = t;
	return ret;
}
