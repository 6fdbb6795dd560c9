/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "elf/symtab.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "elf/demangle.h"

#define RADIX_BITS 11
#define RADIX_SIZE (1u << RADIX_BITS)

/* Enclosing symbols to look at when the nearest one ends before the address. */
#define NESTING_MAX 8

struct pending {
	uint64_t addr;
	uint32_t size, name;
	uint32_t len : 28, binding : 2, part : 2;
};

struct key {
	uint64_t addr;
	uint32_t index;
};

struct entry {
	uint32_t size, name;
};

struct symtab {
	struct budget *budget, own;
	struct pending *pending; /* until frozen */
	size_t npending, pending_cap;
	struct demangle_work readable; /* names made so to compare them; what is left is compared raw */

	uint64_t *addrs; /* from then on; apart from entries so that a search touches few lines */
	struct entry *entries;
	size_t count;

	char *names;
	size_t names_len, names_cap;
	uint64_t *begins; /* bounds, until frozen: symbols without a size end there at the latest */
	size_t nbegins;
	bool settled; /* nothing was added since */
	bool frozen;
};

struct symtab *symtab_create(struct budget *b)
{
	struct symtab *t = calloc(1, sizeof(*t));

	if (t)
		t->budget = b ? b : &t->own;
	return t;
}

struct budget *symtab_budget(struct symtab *t)
{
	return t->budget;
}

void symtab_free(struct symtab *t)
{
	if (!t)
		return;
	budget_free(t->pending);
	budget_free(t->begins);
	budget_free(t->addrs);
	budget_free(t->entries);
	budget_free(t->names);
	free(t);
}

static int text_reserve(struct symtab *t, size_t len)
{
	if (t->names_len + len > SYMTAB_NAMES_MAX)
		return -EFBIG;
	return budget_reserve(t->budget, BUDGET_READING, &t->names, &t->names_cap,
			      t->names_len + len, 1) ? 0 : -ENOMEM;
}

static int text_append(struct symtab *t, const char *text, size_t len)
{
	int ret = text_reserve(t, len + 1);

	if (ret)
		return ret;
	memcpy(t->names + t->names_len, text, len);
	t->names[t->names_len + len] = '\0';
	t->names_len += len + 1;
	t->settled = false;
	return 0;
}

static bool acceptable(const struct symtab *t, uint64_t addr, uint64_t size)
{
	return !t->frozen && addr + size >= addr;
}

/* The name is at `place` of ours, len bytes and a NUL. */
static int add_named(struct symtab *t, uint64_t addr, uint64_t size, size_t place, size_t len,
		     struct pending **added)
{
	struct pending *p;

	if (t->npending >= SYMTAB_MAX)
		return -EFBIG;
	if (!budget_reserve(t->budget, BUDGET_READING, &t->pending, &t->pending_cap,
			    t->npending + 1, sizeof(*t->pending)))
		return -ENOMEM;
	t->settled = false;
	p = &t->pending[t->npending++];
	*p = (struct pending){.addr = addr, .name = (uint32_t)place, .len = (uint32_t)len,
			      .size = size < UINT32_MAX ? (uint32_t)size : UINT32_MAX};
	*added = p;
	return 0;
}

static int add(struct symtab *t, uint64_t addr, uint64_t size, const char *name, size_t len,
	       struct pending **added)
{
	size_t place = t->names_len;
	int ret;

	len = strnlen(name, len < SYMTAB_NAME_MAX ? len : SYMTAB_NAME_MAX);
	if (!len || !acceptable(t, addr, size))
		return -EINVAL;
	ret = text_append(t, name, len);
	return ret ? ret : add_named(t, addr, size, place, len, added);
}

int symtab_text(struct symtab *t, const char *text, size_t len, size_t *begin)
{
	*begin = t->names_len;
	return t->frozen ? -EINVAL : text_append(t, text, len);
}

int symtab_add_at(struct symtab *t, uint64_t addr, uint64_t size, enum symtab_binding binding,
		  size_t place)
{
	struct pending *p;
	size_t len;
	int ret;

	if (place >= t->names_len || !t->names[place] || !acceptable(t, addr, size))
		return -EINVAL;
	len = strnlen(t->names + place, SYMTAB_NAME_MAX);
	t->names[place + len] = '\0';
	ret = add_named(t, addr, size, place, len, &p);
	if (!ret)
		p->binding = binding;
	return ret;
}

int symtab_add(struct symtab *t, uint64_t addr, uint64_t size, enum symtab_binding binding,
	       const char *name, size_t len)
{
	struct pending *p;
	int ret = add(t, addr, size, name, len, &p);

	if (!ret)
		p->binding = binding;
	return ret;
}

int symtab_add_kernel(struct symtab *t, uint64_t addr, unsigned part, const char *name, size_t len)
{
	struct pending *p;
	int ret = add(t, addr, 0, name, len, &p);

	if (!ret)
		p->part = part & (SYMTAB_DATA | SYMTAB_MODULE);
	return ret;
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

/* Sort by address, equal ones in the order they came in.  False: no memory. */
static bool sort_keys(struct budget *b, struct key **keys, size_t n)
{
	struct key *spare, *swap;

	if (keys_sorted(*keys, n))
		return true;
	spare = budget_zalloc(b, BUDGET_READING, n, sizeof(*spare));
	if (!spare)
		return false;
	for (unsigned shift = 0; shift < 64; shift += RADIX_BITS) {
		if (!radix_pass(*keys, spare, n, shift))
			continue;
		swap = *keys;
		*keys = spare;
		spare = swap;
	}
	budget_free(spare);
	return true;
}

/* The symbols' numbers by address, or by where their names are.  NULL: no memory. */
static struct key *sorted_numbers(const struct symtab *t, const struct pending *list, size_t n,
				  bool by_name)
{
	struct key *keys = budget_alloc(t->budget, BUDGET_READING, (n + 1) * sizeof(*keys));

	for (size_t i = 0; keys && i < n; i++)
		keys[i] = (struct key){by_name ? list[i].name : list[i].addr, (uint32_t)i};
	if (keys && sort_keys(t->budget, &keys, n))
		return keys;
	budget_free(keys);
	return NULL;
}

/* --- which name an address has ------------------------------------------------------------ */

static uint64_t page_end(uint64_t addr)
{
	return (addr + SYMTAB_PAGE - 1) & ~(uint64_t)(SYMTAB_PAGE - 1);
}

bool symtab_lacks_sizes(const struct symtab *t)
{
	for (size_t i = 0; i < t->npending && !t->begins; i++)
		if (!t->pending[i].size)
			return true;
	return false;
}

void symtab_bound(struct symtab *t, uint64_t *begins, size_t nr)
{
	budget_free(t->begins);
	t->begins = begins;
	t->nbegins = nr;
}

/* Return the first of the bounds that is behind addr. */
static uint64_t bound_after(const struct symtab *t, uint64_t addr)
{
	size_t from = 0, to = t->nbegins;

	while (from < to) {
		size_t half = from + (to - from) / 2;

		if (t->begins[half] > addr)
			to = half;
		else
			from = half + 1;
	}
	return from < t->nbegins ? t->begins[from] : UINT64_MAX;
}

/* Sizes for those that have none, by those that follow in the order of keys. */
static void fill_sizes(struct symtab *t, const struct key *keys)
{
	for (size_t i = 0; i < t->npending; i++) {
		struct pending *p = &t->pending[keys[i].index];
		const struct pending *next = i + 1 < t->npending ? &t->pending[keys[i + 1].index] : NULL;
		uint64_t end, bound;

		if (p->size)
			continue;
		bound = bound_after(t, p->addr);
		if (!next)
			end = page_end(p->addr) + SYMTAB_PAGE;
		else if ((p->part ^ next->part) & SYMTAB_MODULE)
			end = page_end(p->addr + SYMTAB_PAGE);
		else
			end = next->addr;
		if (end < p->addr) /* beyond all addresses */
			end = UINT64_MAX;
		end = end < bound ? end : bound;
		p->size = end - p->addr < UINT32_MAX ? (uint32_t)(end - p->addr) : UINT32_MAX;
	}
}

static int binding_rank(unsigned binding)
{
	static const int ranks[] = {[SYMTAB_GLOBAL] = 2, [SYMTAB_LOCAL] = 1, [SYMTAB_WEAK] = 0};

	return ranks[binding];
}

struct look {
	size_t underscores, len;
};

static struct look look_of(struct symtab *t, const struct pending *p)
{
	const char *name = t->names + p->name;
	char *readable = demangle(name, &t->readable);
	struct look l;

	l.underscores = strspn(readable ? readable : name, "_");
	l.len = readable ? strlen(readable) : p->len;
	free(readable);
	return l;
}

static bool better(struct symtab *t, const struct pending *a, const struct pending *b)
{
	struct look la, lb;

	if (!a->size != !b->size)
		return a->size;
	if (a->binding != b->binding)
		return binding_rank(a->binding) > binding_rank(b->binding);
	la = look_of(t, a);
	lb = look_of(t, b);
	if (la.underscores != lb.underscores)
		return la.underscores < lb.underscores;
	return la.len > lb.len;
}

/* Keep the best of each address, as numbers at the start of keys: how many. */
static size_t choose(struct symtab *t, struct key *keys)
{
	size_t kept = 0;

	for (size_t i = 0, j; i < t->npending; i = j) {
		struct key best = keys[i];
		bool data = t->pending[best.index].part & SYMTAB_DATA;

		for (j = i + 1; j < t->npending && keys[j].addr == best.addr; j++) {
			data &= t->pending[keys[j].index].part & SYMTAB_DATA;
			if (better(t, &t->pending[keys[j].index], &t->pending[best.index]))
				best = keys[j];
		}
		if (!data)
			keys[kept++] = best;
	}
	return kept;
}

/* The bytes that names have, where they overlap once. */
static size_t names_span(const struct pending *list, const struct key *by_name, size_t nr)
{
	size_t bytes = 0, end = 0;

	for (size_t i = 0; i < nr; i++) {
		const struct pending *p = &list[by_name[i].index];
		size_t from = p->name > end ? p->name : end, to = (size_t)p->name + p->len + 1;

		bytes += to > from ? to - from : 0;
		end = to > end ? to : end;
	}
	return bytes;
}

/* Copy them behind each other, and say where each is now. */
static void names_copy(char *to, const char *names, struct pending *list, const struct key *by_name,
		       size_t nr)
{
	size_t len = 0, end = 0;

	for (size_t i = 0; i < nr; i++) {
		struct pending *p = &list[by_name[i].index];
		size_t shared = p->name < end ? end - p->name : 0; /* is there, at the end */
		size_t from = p->name + shared, stop = (size_t)p->name + p->len + 1;

		p->name = (uint32_t)(len - shared);
		if (stop <= from)
			continue;
		memcpy(to + len, names + from, stop - from);
		len += stop - from;
		end = stop;
	}
}

/* Without those of symbols that are gone, where these take much: fresh memory is what costs here. */
static int pack_names(struct symtab *t, struct pending *chosen, size_t nr)
{
	struct key *by_name = sorted_numbers(t, chosen, nr, true);
	size_t len = by_name ? names_span(chosen, by_name, nr) : 0;
	char *names = NULL;

	if (by_name && len < t->names_len - t->names_len / 4) {
		names = budget_alloc(t->budget, BUDGET_READING, len + 1);
		if (names) {
			names_copy(names, t->names, chosen, by_name, nr);
			budget_free(t->names);
			t->names = names;
			t->names_len = len;
			t->names_cap = len + 1;
		}
	} else {
		names = t->names;
	}
	budget_free(by_name);
	return by_name && (names || !nr) ? 0 : -ENOMEM;
}

int symtab_settle(struct symtab *t)
{
	struct pending *chosen;
	struct key *keys;
	size_t kept;

	if (t->settled)
		return 0;
	keys = sorted_numbers(t, t->pending, t->npending, false);
	if (!keys)
		return -ENOMEM;
	fill_sizes(t, keys);
	kept = choose(t, keys);
	chosen = budget_alloc(t->budget, BUDGET_READING, (kept + 1) * sizeof(*chosen));
	for (size_t i = 0; chosen && i < kept; i++)
		chosen[i] = t->pending[keys[i].index];
	budget_free(keys);
	if (!chosen || pack_names(t, chosen, kept)) {
		budget_free(chosen);
		return -ENOMEM;
	}
	budget_free(t->pending);
	t->pending = chosen;
	t->npending = kept;
	t->pending_cap = kept + 1;
	t->settled = true;
	return 0;
}

/* No more than is needed, and no longer as what is only read. */
static bool keep_names(struct symtab *t)
{
	char *names = t->names ? budget_resize(t->names, t->names_len + 1) : NULL;

	if (names) {
		t->names = names;
		t->names_cap = t->names_len + 1;
	}
	return !t->names || budget_keep(t->names, BUDGET_SYMBOLS);
}

int symtab_freeze(struct symtab *t)
{
	int ret = symtab_settle(t);

	if (ret)
		return ret;
	t->addrs = budget_alloc(t->budget, BUDGET_SYMBOLS, (t->npending + 1) * sizeof(*t->addrs));
	t->entries = budget_alloc(t->budget, BUDGET_SYMBOLS, (t->npending + 1) * sizeof(*t->entries));
	if (!keep_names(t) || !t->addrs || !t->entries)
		return -ENOMEM;
	t->count = t->npending;
	for (size_t i = 0; i < t->count; i++) {
		t->addrs[i] = t->pending[i].addr;
		t->entries[i] = (struct entry){t->pending[i].size, t->pending[i].name};
	}
	budget_free(t->pending);
	t->pending = NULL;
	t->npending = t->pending_cap = 0;
	symtab_bound(t, NULL, 0);
	t->frozen = true;
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

/* --- to and from another process ----------------------------------------------------------- */

void symtab_put(const struct symtab *t, struct wire_out *o)
{
	wire_put(o, t->count, 8);
	wire_put(o, t->names_len, 8);
	wire_put_bytes(o, t->addrs, t->count * sizeof(*t->addrs));
	wire_put_bytes(o, t->entries, t->count * sizeof(*t->entries));
	wire_put_bytes(o, t->names, t->names_len);
}

/* By address, each name within the names, which end, and no longer than it may be. */
static bool is_sound(const struct symtab *t)
{
	if (t->count && (!t->names_len || t->names[t->names_len - 1]))
		return false;
	for (size_t i = 0; i < t->count; i++)
		if (t->entries[i].name >= t->names_len || (i && t->addrs[i] < t->addrs[i - 1]) ||
		    strnlen(t->names + t->entries[i].name, SYMTAB_NAME_MAX + 1) > SYMTAB_NAME_MAX)
			return false;
	return true;
}

int symtab_get(struct wire_in *in, struct budget *b, struct symtab **out)
{
	struct symtab *t = symtab_create(b);
	int ret = -ENOMEM;

	if (!t)
		return ret;
	t->count = wire_get_count(in, sizeof(*t->addrs) + sizeof(*t->entries));
	t->names_len = wire_get_count(in, 1);
	t->addrs = wire_get_block(in, t->budget, BUDGET_SYMBOLS, t->count * sizeof(*t->addrs));
	t->entries = wire_get_block(in, t->budget, BUDGET_SYMBOLS, t->count * sizeof(*t->entries));
	t->names = wire_get_block(in, t->budget, BUDGET_SYMBOLS, t->names_len);
	t->names_cap = t->names_len;
	t->settled = t->frozen = true;
	if (in->failed || (t->addrs && t->entries && t->names && !is_sound(t)))
		ret = -EPROTO;
	else if (t->addrs && t->entries && t->names)
		ret = 0;
	if (ret)
		symtab_free(t);
	else
		*out = t;
	return ret;
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
