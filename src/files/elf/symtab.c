/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "files/elf/symtab.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/radix.h"
#include "base/search.h"
#include "files/elf/symtab_state.h"

/* Enclosing symbols to check if the nearest one ends before the address. */
#define NESTING_MAX 8

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
	budget_free(t->others);
	budget_free(t->looks);
	budget_free(t->several);
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

/* Add a symbol whose name is at `place` in t->names, len bytes and a NUL. */
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
	*p = (struct pending){.addr = addr, .name = (uint32_t)place, .len = len & 0xffff,
			      .sizeless = !size,
			      .size = size < UINT32_MAX ? (uint32_t)size : UINT32_MAX};
	*added = p;
	return 0;
}

static int add_symbol_copy(struct symtab *t, uint64_t addr, uint64_t size, const char *name,
			   size_t len, struct pending **added)
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
	int ret = add_symbol_copy(t, addr, size, name, len, &p);

	if (!ret)
		p->binding = binding;
	return ret;
}

int symtab_add_kernel(struct symtab *t, uint64_t addr, unsigned part, const char *name, size_t len)
{
	struct pending *p;
	int ret = add_symbol_copy(t, addr, 0, name, len, &p);

	if (!ret)
		p->part = part & (SYMTAB_DATA | SYMTAB_MODULE);
	return ret;
}

/* A key is an address, or another number to sort by; its value is a symbol's index. */
static bool keys_sorted(const struct radix_item *keys, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (keys[i].key < keys[i - 1].key)
			return false;
	return true;
}

/* Sort by key, equal ones in the order they came in. Return false if there is no memory. */
static bool sort_keys(struct budget *b, struct radix_item **keys, size_t n)
{
	struct radix_item *spare, *sorted;

	if (keys_sorted(*keys, n))
		return true;
	spare = budget_alloc(b, BUDGET_READING, n * sizeof(*spare));
	if (!spare)
		return false;
	sorted = radix_sort(*keys, spare, n);
	budget_free(sorted == spare ? *keys : spare);
	*keys = sorted;
	return true;
}

/* Symbols that were chosen, and the others of their addresses after them. */
struct named {
	struct pending *chosen, *others;
	size_t nchosen, nr;
};

static struct pending *named_at(const struct named *l, size_t i)
{
	return i < l->nchosen ? &l->chosen[i] : &l->others[i - l->nchosen];
}

/* Return the symbols' indices by address, or by the place of their names. NULL: no memory. */
static struct radix_item *sorted_numbers(const struct symtab *t, const struct named *l,
					 bool by_name)
{
	struct radix_item *keys =
		budget_alloc(t->budget, BUDGET_READING, (l->nr + 1) * sizeof(*keys));

	for (size_t i = 0; keys && i < l->nr; i++) {
		const struct pending *p = named_at(l, i);

		keys[i] = (struct radix_item){by_name ? p->name : p->addr, (uint32_t)i};
	}
	if (keys && sort_keys(t->budget, &keys, l->nr))
		return keys;
	budget_free(keys);
	return NULL;
}

/* --- choice of an address's name ------------------------------------------------------------- */

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

/* Return the first bound after addr. */
static uint64_t bound_after(const struct symtab *t, uint64_t addr)
{
	size_t at = SEARCH_WHILE(i, 0, t->nbegins, t->begins[i] <= addr);

	return at < t->nbegins ? t->begins[at] : UINT64_MAX;
}

/* Give symbols without a size one, by the symbols that follow in the order of keys. */
static void fill_sizes(struct symtab *t, const struct radix_item *keys)
{
	for (size_t i = 0; i < t->npending; i++) {
		struct pending *p = &t->pending[keys[i].value];
		const struct pending *next =
			i + 1 < t->npending ? &t->pending[keys[i + 1].value] : NULL;
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
		if (end < p->addr) /* past the last address */
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
	uint64_t hash; /* without the version: foo@GLIBC_2.2.5 and foo@@GLIBC_2.34 are one name */
	size_t underscores, len;
};

static struct look look_of(struct symtab *t, const struct pending *p)
{
	const char *name = t->names + p->name;
	char *readable = demangle(name, &t->readable);
	struct look l = {.len = p->len};

	if (readable)
		l.len = strlen(name = readable);
	l.underscores = strspn(name, "_");
	l.hash = hash_bytes(name, strcspn(name, "@"));
	free(readable);
	return l;
}

/* A symbol that is compared with others; its look is computed at most once, when needed. */
struct candidate {
	struct radix_item key;
	const struct pending *symbol;
	struct look look;
	bool looked;
};

static const struct look *look_at(struct symtab *t, struct candidate *c)
{
	if (!c->looked)
		c->look = look_of(t, c->symbol);
	c->looked = true;
	return &c->look;
}

static bool is_same_name(const struct symtab *t, const struct pending *a, const struct pending *b)
{
	return a->len == b->len && !memcmp(t->names + a->name, t->names + b->name, a->len);
}

static bool better(struct symtab *t, struct candidate *a, struct candidate *b)
{
	const struct look *la, *lb;

	if (!a->symbol->size != !b->symbol->size)
		return a->symbol->size;
	if (a->symbol->binding != b->symbol->binding)
		return binding_rank(a->symbol->binding) > binding_rank(b->symbol->binding);
	if (is_same_name(t, a->symbol, b->symbol))
		return false;
	la = look_at(t, a);
	lb = look_at(t, b);
	if (la->underscores != lb->underscores)
		return la->underscores < lb->underscores;
	return la->len > lb->len;
}

/*
 * Return true if both name the same code, as far as sizes tell: a label at the start of a function
 * is not a name of it.
 */
static bool is_alike(const struct pending *a, const struct pending *b)
{
	return !(a->part & SYMTAB_DATA) && a->sizeless == b->sizeless &&
	       (a->sizeless || a->size == b->size);
}

/* Return true for GCC's second symbol of a function, used within its own file: not another name. */
static bool is_local_alias(const struct symtab *t, const struct pending *p)
{
	return strstr(t->names + p->name, ".localalias");
}

/* Keep p as another name of its address. A refusal of memory is recorded in the budget. */
static void keep_other(struct symtab *t, const struct pending *p)
{
	if (!budget_reserve(t->budget, BUDGET_READING, &t->others, &t->others_cap, t->nothers + 1,
			    sizeof(*t->others)) ||
	    !budget_reserve(t->budget, BUDGET_READING, &t->looks, &t->looks_cap, t->nothers + 1,
			    sizeof(*t->looks)))
		return;
	t->looks[t->nothers] = look_of(t, p).hash;
	t->others[t->nothers++] = *p;
}

/* Keep the other names of an address; keys has the indices of its nr symbols. */
static void keep_others(struct symtab *t, const struct radix_item *keys, size_t nr,
			const struct pending *best)
{
	for (size_t i = 0; i < nr; i++) {
		const struct pending *p = &t->pending[keys[i].value];

		if (p != best && is_alike(p, best) && !is_same_name(t, p, best) &&
		    !is_local_alias(t, p))
			keep_other(t, p);
	}
}

/* Move the best symbol of each address to the start of keys. Return their number. */
static size_t choose_symbols(struct symtab *t, struct radix_item *keys)
{
	size_t kept = 0;

	for (size_t i = 0, j; i < t->npending; i = j) {
		struct candidate best = {.key = keys[i], .symbol = &t->pending[keys[i].value]};
		bool data = best.symbol->part & SYMTAB_DATA;

		for (j = i + 1; j < t->npending && keys[j].key == best.key.key; j++) {
			struct candidate other = {.key = keys[j],
						  .symbol = &t->pending[keys[j].value]};

			data &= other.symbol->part & SYMTAB_DATA;
			if (better(t, &other, &best))
				best = other;
		}
		if (data)
			continue;
		keep_others(t, keys + i, j - i, best.symbol);
		keys[kept++] = best.key;
	}
	return kept;
}

/* Return the bytes of all names, overlapping ones counted once. */
static size_t names_span(const struct named *l, const struct radix_item *by_name)
{
	size_t bytes = 0, end = 0;

	for (size_t i = 0; i < l->nr; i++) {
		const struct pending *p = named_at(l, by_name[i].value);
		size_t from = p->name > end ? p->name : end, to = (size_t)p->name + p->len + 1;

		bytes += to > from ? to - from : 0;
		end = to > end ? to : end;
	}
	return bytes;
}

/* Copy the names one after another, and update the symbols' places. */
static void names_copy(char *to, const char *names, const struct named *l,
		       const struct radix_item *by_name)
{
	size_t len = 0, end = 0;

	for (size_t i = 0; i < l->nr; i++) {
		struct pending *p = named_at(l, by_name[i].value);
		size_t shared = p->name < end ? end - p->name : 0; /* already copied, at the end */
		size_t from = p->name + shared, stop = (size_t)p->name + p->len + 1;

		p->name = (uint32_t)(len - shared);
		if (stop <= from)
			continue;
		memcpy(to + len, names + from, stop - from);
		len += stop - from;
		end = stop;
	}
}

/* Drop the names of removed symbols if these take much: fresh memory is the main cost here. */
static int pack_names(struct symtab *t, struct pending *chosen, size_t nr)
{
	struct named l = {chosen, t->others, nr, nr + t->nothers};
	struct radix_item *by_name = sorted_numbers(t, &l, true);
	size_t len = by_name ? names_span(&l, by_name) : 0;
	char *names = NULL;

	if (by_name && len < t->names_len - t->names_len / 4) {
		names = budget_alloc(t->budget, BUDGET_READING, len + 1);
		if (names) {
			names_copy(names, t->names, &l, by_name);
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
	struct radix_item *keys;
	size_t kept;

	if (t->settled)
		return 0;
	keys = sorted_numbers(t, &(struct named){t->pending, NULL, t->npending, t->npending},
			      false);
	if (!keys)
		return -ENOMEM;
	fill_sizes(t, keys);
	kept = choose_symbols(t, keys);
	chosen = budget_alloc(t->budget, BUDGET_READING, (kept + 1) * sizeof(*chosen));
	for (size_t i = 0; chosen && i < kept; i++)
		chosen[i] = t->pending[keys[i].value];
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

/* --- several names for one address -------------------------------------------------------- */

static void drop_others(struct symtab *t)
{
	budget_free(t->others);
	budget_free(t->looks);
	t->others = NULL;
	t->looks = NULL;
	t->nothers = t->others_cap = t->looks_cap = 0;
}

/*
 * Return the others' indices by address, those of one address by their look, equal ones as they
 * came. NULL: no memory.
 */
static struct radix_item *others_sorted(const struct symtab *t)
{
	struct radix_item *keys =
		budget_alloc(t->budget, BUDGET_READING, t->nothers * sizeof(*keys));
	bool sorted;

	for (size_t i = 0; keys && i < t->nothers; i++)
		keys[i] = (struct radix_item){t->looks[i], (uint32_t)i};
	sorted = keys && sort_keys(t->budget, &keys, t->nothers);
	for (size_t i = 0; sorted && i < t->nothers; i++)
		keys[i].key = t->others[keys[i].value].addr;
	if (sorted && sort_keys(t->budget, &keys, t->nothers))
		return keys;
	budget_free(keys);
	return NULL;
}

/* Keep the lowest indices of others; UINT32_MAX: unused place. */
static void keep_first(uint32_t first[SYMTAB_ALSO], uint32_t number)
{
	for (unsigned i = 0; i < SYMTAB_ALSO; i++) {
		uint32_t later = first[i];

		if (number >= later)
			continue;
		first[i] = number;
		number = later;
	}
}

/* Return the number of names of the chosen symbol's address; keys has the indices of its others. */
static uint32_t count_names(struct symtab *t, const struct pending *chosen,
			    const struct radix_item *keys, size_t nr, uint32_t first[SYMTAB_ALSO])
{
	uint64_t last = look_of(t, chosen).hash, own = last;
	uint32_t names = 1;

	memset(first, -1, SYMTAB_ALSO * sizeof(*first));
	for (size_t i = 0; i < nr; i++) {
		uint64_t look = t->looks[keys[i].value];

		if (look == last || look == own || !is_alike(&t->others[keys[i].value], chosen))
			continue;
		last = look;
		names++;
		keep_first(first, keys[i].value);
	}
	return names;
}

/* Fill t->several; its names are indices of others for now. Return false if there is no memory. */
static bool find_several(struct symtab *t, const struct radix_item *keys)
{
	for (size_t i = 0, at = 0, end; i < t->npending && at < t->nothers; i++) {
		struct several s = {.addr = t->pending[i].addr};

		while (at < t->nothers && keys[at].key < s.addr)
			at++;
		for (end = at; end < t->nothers && keys[end].key == s.addr;)
			end++;
		if (end == at)
			continue;
		s.names = count_names(t, &t->pending[i], keys + at, end - at, s.also);
		at = end;
		if (s.names == 1)
			continue;
		if (!budget_reserve(t->budget, BUDGET_SYMBOLS, &t->several, &t->several_cap,
				    t->nseveral + 1, sizeof(s)))
			return false;
		t->several[t->nseveral++] = s;
	}
	return true;
}

/*
 * Keep only the others that some address lists, and only the names that are needed. Return false if
 * there is no memory.
 */
static bool keep_listed(struct symtab *t)
{
	size_t nr = 0, dropped = 0;
	struct pending *listed = budget_alloc(t->budget, BUDGET_READING,
					      (t->nseveral * SYMTAB_ALSO + 1) * sizeof(*listed));

	if (!listed)
		return false;
	for (size_t i = 0; i < t->nothers; i++)
		dropped += t->others[i].len + 1u;
	for (size_t i = 0; i < t->nseveral; i++)
		for (unsigned k = 0; k < SYMTAB_ALSO && k < t->several[i].names - 1; k++, nr++) {
			listed[nr] = t->others[t->several[i].also[k]];
			dropped -= listed[nr].len + 1u;
		}
	drop_others(t);
	t->others = listed;
	t->nothers = nr;
	/* If this fails the names only take more memory than they need. */
	if (dropped > t->names_len / 4)
		pack_names(t, t->pending, t->npending);
	for (size_t i = nr = 0; i < t->nseveral; i++)
		for (unsigned k = 0; k < SYMTAB_ALSO; k++)
			t->several[i].also[k] = k < t->several[i].names - 1 ? listed[nr++].name : 0;
	return true;
}

/* Find addresses with several names. Without memory none has; the budget records the reason. */
static void settle_several(struct symtab *t)
{
	struct radix_item *keys = t->nothers ? others_sorted(t) : NULL;

	if (!keys || !find_several(t, keys) || !keep_listed(t)) {
		budget_free(t->several);
		t->several = NULL;
		t->nseveral = t->several_cap = 0;
	}
	budget_free(keys);
	drop_others(t);
}

/* Trim the names, and account for them as kept memory instead of memory for reading. */
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
	settle_several(t);
	t->addrs = budget_alloc(t->budget, BUDGET_SYMBOLS, (t->npending + 1) * sizeof(*t->addrs));
	t->entries =
		budget_alloc(t->budget, BUDGET_SYMBOLS, (t->npending + 1) * sizeof(*t->entries));
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

void symtab_names(const struct symtab *t, struct symtab_entry *e)
{
	const struct several *s = t->several;
	size_t n = t->nseveral;

	e->names = 1;
	memset(e->also, 0, sizeof(e->also));
	while (n > 1) {
		size_t half = n / 2;

		s += s[half].addr <= e->addr ? half : 0;
		n -= half;
	}
	if (!n || s->addr != e->addr)
		return;
	e->names = s->names;
	for (unsigned k = 0; k < SYMTAB_ALSO && k < s->names - 1; k++)
		e->also[k] = t->names + s->also[k];
}

size_t symtab_count(const struct symtab *t)
{
	return t->count;
}

size_t symtab_bytes(const struct symtab *t)
{
	return sizeof(*t) + t->pending_cap * sizeof(*t->pending) +
	       t->others_cap * sizeof(*t->others) + t->looks_cap * sizeof(*t->looks) +
	       t->names_cap + t->count * (sizeof(*t->addrs) + sizeof(*t->entries)) +
	       t->several_cap * sizeof(*t->several);
}
