/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "resolve/symtab.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

#define RADIX_BITS 11
#define RADIX_SIZE (1u << RADIX_BITS)

/* Enclosing symbols to look at when the nearest one ends before the address. */
#define NESTING_MAX 8

struct pending {
	uint64_t addr;
	uint32_t size, name;
	uint32_t len : 30, binding : 2;
};

struct key {
	uint64_t addr;
	uint32_t index;
};

struct entry {
	uint32_t size, name;
};

struct symtab {
	struct pending *pending; /* until frozen */
	size_t npending, pending_cap;

	uint64_t *addrs; /* from then on; apart from entries so that a search touches few lines */
	struct entry *entries;
	size_t count;

	char *names;
	size_t names_len, names_cap;
	bool frozen;
};

struct symtab *symtab_create(void)
{
	return calloc(1, sizeof(struct symtab));
}

void symtab_free(struct symtab *t)
{
	if (!t)
		return;
	free(t->pending);
	free(t->addrs);
	free(t->entries);
	free(t->names);
	free(t);
}

int symtab_add(struct symtab *t, uint64_t addr, uint64_t size, enum symtab_binding binding,
	       const char *name, size_t len)
{
	struct pending *p;

	len = strnlen(name, len < SYMTAB_NAME_MAX ? len : SYMTAB_NAME_MAX);
	if (t->frozen || !len || addr + size < addr)
		return -EINVAL;
	if (t->npending >= SYMTAB_MAX || t->names_len + len + 1 > SYMTAB_NAMES_MAX)
		return -EFBIG;
	if (!vec_reserve(&t->pending, &t->pending_cap, t->npending + 1, sizeof(*t->pending)) ||
	    !vec_reserve(&t->names, &t->names_cap, t->names_len + len + 1, 1))
		return -ENOMEM;

	p = &t->pending[t->npending++];
	p->addr = addr;
	p->size = size < UINT32_MAX ? (uint32_t)size : UINT32_MAX;
	p->name = (uint32_t)t->names_len;
	p->len = (uint32_t)len;
	p->binding = binding;
	memcpy(t->names + t->names_len, name, len);
	t->names[t->names_len + len] = '\0';
	t->names_len += len + 1;
	return 0;
}

/* One stable pass by the digit at `shift`; false where all digits are equal: nothing to do. */
static bool radix_pass(const struct key *from, struct key *to, size_t n, unsigned shift)
{
	uint32_t starts[RADIX_SIZE] = {0};
	uint32_t sum = 0;

	for (size_t i = 0; i < n; i++)
		starts[(from[i].addr >> shift) & (RADIX_SIZE - 1)]++;
	if (starts[(from[0].addr >> shift) & (RADIX_SIZE - 1)] == n)
		return false;
	for (size_t d = 0; d < RADIX_SIZE; d++) {
		uint32_t here = starts[d];

		starts[d] = sum;
		sum += here;
	}
	for (size_t i = 0; i < n; i++)
		to[starts[(from[i].addr >> shift) & (RADIX_SIZE - 1)]++] = from[i];
	return true;
}

static bool keys_sorted(const struct key *keys, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (keys[i].addr < keys[i - 1].addr)
			return false;
	return true;
}

/* The pending symbols' numbers by address, equal ones in the order they were added. */
static struct key *sorted_keys(const struct symtab *t)
{
	size_t n = t->npending;
	struct key *keys = malloc((n + 1) * sizeof(*keys)), *spare, *swap;

	if (!keys)
		return NULL;
	for (size_t i = 0; i < n; i++)
		keys[i] = (struct key){t->pending[i].addr, (uint32_t)i};
	if (keys_sorted(keys, n))
		return keys;
	spare = malloc(n * sizeof(*spare));
	if (!spare) {
		free(keys);
		return NULL;
	}
	for (unsigned shift = 0; shift < 64; shift += RADIX_BITS) {
		if (!radix_pass(keys, spare, n, shift))
			continue;
		swap = keys;
		keys = spare;
		spare = swap;
	}
	free(spare);
	return keys;
}

static int binding_rank(unsigned binding)
{
	static const int ranks[] = {[SYMTAB_GLOBAL] = 2, [SYMTAB_LOCAL] = 1, [SYMTAB_WEAK] = 0};

	return ranks[binding];
}

static bool better(const struct symtab *t, const struct pending *a, const struct pending *b)
{
	size_t ua, ub;

	if (!a->size != !b->size)
		return a->size;
	if (a->binding != b->binding)
		return binding_rank(a->binding) > binding_rank(b->binding);
	ua = strspn(t->names + a->name, "_");
	ub = strspn(t->names + b->name, "_");
	if (ua != ub)
		return ua < ub;
	return a->len > b->len;
}

/* Keep the best of each address, as numbers at the start of keys.  *bytes: of the names kept. */
static size_t choose(const struct symtab *t, struct key *keys, size_t *bytes)
{
	size_t kept = 0;

	*bytes = 0;
	for (size_t i = 0, j; i < t->npending; i = j) {
		struct key best = keys[i];

		for (j = i + 1; j < t->npending && keys[j].addr == best.addr; j++)
			if (better(t, &t->pending[keys[j].index], &t->pending[best.index]))
				best = keys[j];
		keys[kept++] = best;
		*bytes += t->pending[best.index].len + 1;
	}
	return kept;
}

static void fill_sizes(struct symtab *t, uint64_t end)
{
	for (size_t i = 0; i < t->count; i++) {
		uint64_t room = SYMTAB_REACH;

		if (t->entries[i].size)
			continue;
		if (i + 1 < t->count && t->addrs[i + 1] - t->addrs[i] < room)
			room = t->addrs[i + 1] - t->addrs[i];
		if (end > t->addrs[i] && end - t->addrs[i] < room)
			room = end - t->addrs[i];
		if (UINT64_MAX - t->addrs[i] < room)
			room = UINT64_MAX - t->addrs[i];
		t->entries[i].size = (uint32_t)room;
	}
}

int symtab_freeze(struct symtab *t, uint64_t end)
{
	struct key *keys = sorted_keys(t);
	size_t bytes = 0, pos = 0;
	char *names;

	if (!keys)
		return -ENOMEM;
	t->count = choose(t, keys, &bytes);
	t->addrs = malloc((t->count + 1) * sizeof(*t->addrs));
	t->entries = malloc((t->count + 1) * sizeof(*t->entries));
	names = malloc(bytes + 1);
	if (!t->addrs || !t->entries || !names) {
		t->count = 0;
		free(names);
		free(keys);
		return -ENOMEM;
	}
	for (size_t i = 0; i < t->count; i++) {
		const struct pending *p = &t->pending[keys[i].index];

		t->addrs[i] = p->addr;
		t->entries[i] = (struct entry){p->size, (uint32_t)pos};
		memcpy(names + pos, t->names + p->name, p->len + 1);
		pos += p->len + 1;
	}
	free(keys);
	free(t->names);
	free(t->pending);
	t->names = names;
	t->names_len = t->names_cap = bytes;
	t->pending = NULL;
	t->npending = t->pending_cap = 0;
	t->frozen = true;
	fill_sizes(t, end);
	return 0;
}

void symtab_at(const struct symtab *t, size_t i, struct symtab_entry *e)
{
	e->addr = t->addrs[i];
	e->size = t->entries[i].size;
	e->name = t->names + t->entries[i].name;
}

bool symtab_find(const struct symtab *t, uint64_t addr, struct symtab_entry *e)
{
	const uint64_t *base = t->addrs;
	size_t n = t->count, i;

	if (!n || addr < base[0])
		return false;
	while (n > 1) { /* base[0] <= addr; no branch depends on the data */
		size_t half = n / 2;

		base += base[half] <= addr ? half : 0;
		n -= half;
	}
	i = (size_t)(base - t->addrs);
	for (unsigned depth = 0; depth < NESTING_MAX; depth++, i--) {
		if (addr - t->addrs[i] < t->entries[i].size) {
			symtab_at(t, i, e);
			return true;
		}
		if (i == 0)
			break;
	}
	return false;
}

size_t symtab_count(const struct symtab *t)
{
	return t->count;
}

size_t symtab_bytes(const struct symtab *t)
{
	return sizeof(*t) + t->pending_cap * sizeof(*t->pending) + t->names_cap +
	       t->count * (sizeof(*t->addrs) + sizeof(*t->entries));
}
