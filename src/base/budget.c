/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All counters are relaxed: they publish no other memory.  Bounds hold at every moment, for a
 * counter is only raised where the new value is within its bound.
 */
#include "base/budget.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomics.h"
#include "base/units.h"

/* Header in front of every block; aligned so that the block is aligned as malloc's. */
struct head {
	_Alignas(16) struct budget *budget;
	uint64_t bytes : 56, class : 8; /* header included */
};

static uint64_t limit = BUDGET_DEFAULT; /* written before threads start */
static uint64_t taken;                  /* shared, as all below; not the dictionary's */
static uint64_t taken_names;
const char *const budget_class_names[BUDGET_CLASSES] = {
	"files being read",  "symbols",	      "debug info", "unwind tables",
	"maps of processes", "names of JITs", "code",	    "names and call paths",
};

static uint64_t taken_of[BUDGET_CLASSES];
static uint64_t refusals;

void budget_set_limit(uint64_t bytes)
{
	limit = bytes;
}

uint64_t budget_limit(void)
{
	return limit;
}

/*
 * Reserve a quarter for the dictionary alone: large files must not leave it without memory, for
 * without it no sample can be reported.
 */
static uint64_t limit_of(enum budget_class c)
{
	return c == BUDGET_NAMES ? limit / 4 : limit - limit / 4;
}

static uint64_t *taken_by(enum budget_class c)
{
	return c == BUDGET_NAMES ? &taken_names : &taken;
}

static uint64_t share_kept(enum budget_class c)
{
	return c == BUDGET_NAMES ? limit / 8 : limit / 4;
}

/* --- numbers ------------------------------------------------------------------------------ */

static bool add_within(uint64_t *p, uint64_t bytes, uint64_t max)
{
	uint64_t old = atomic_load_relaxed(p);

	do {
		if (bytes > max || old > max - bytes)
			return false;
	} while (!atomic_cas_relaxed(p, &old, old + bytes));
	return true;
}

static void subtract(uint64_t *p, uint64_t bytes)
{
	atomic_add_relaxed(p, 0 - bytes);
}

static struct budget *whole_of(struct budget *b)
{
	return b->whole ? b->whole : b;
}

static bool refuse_bytes(struct budget *b, uint64_t bytes, bool crowded)
{
	atomic_add_relaxed(&refusals, 1);
	if (!b)
		return false;
	atomic_max_relaxed(&b->refused, bytes + atomic_load_relaxed(&whole_of(b)->taken) + 1);
	atomic_store_relaxed(&b->crowded, crowded);
	return false;
}

/* Take bytes from the share of one object. */
static bool share_take(struct budget *b, enum budget_class c, uint64_t bytes)
{
	b = whole_of(b);
	if (!add_within(&b->taken, bytes, limit / 2))
		return false;
	if (c == BUDGET_READING || add_within(&b->kept, bytes, share_kept(c)))
		return true;
	subtract(&b->taken, bytes);
	return false;
}

static void share_give(struct budget *b, enum budget_class c, uint64_t bytes)
{
	b = whole_of(b);
	subtract(&b->taken, bytes);
	if (c != BUDGET_READING)
		subtract(&b->kept, bytes);
}

bool budget_take(struct budget *b, enum budget_class c, uint64_t bytes)
{
	if (b && !share_take(b, c, bytes))
		return refuse_bytes(b, bytes, false);
	if (!add_within(taken_by(c), bytes, limit_of(c))) {
		if (b)
			share_give(b, c, bytes);
		return refuse_bytes(b, bytes, true);
	}
	atomic_add_relaxed(&taken_of[c], bytes);
	return true;
}

void budget_give(struct budget *b, enum budget_class c, uint64_t bytes)
{
	if (b)
		share_give(b, c, bytes);
	subtract(taken_by(c), bytes);
	subtract(&taken_of[c], bytes);
}

/* --- blocks ------------------------------------------------------------------------------- */

static struct head *head_of(void *block)
{
	return (struct head *)block - 1;
}

void *budget_alloc(struct budget *b, enum budget_class c, size_t bytes)
{
	size_t all = sizeof(struct head) + bytes;
	struct head *h;

	if (all < bytes || !budget_take(b, c, all))
		return NULL;
	h = malloc(all);
	if (!h) {
		budget_give(b, c, all);
		return NULL;
	}
	h->budget = b;
	h->bytes = all;
	h->class = c;
	return h + 1;
}

void *budget_zalloc(struct budget *b, enum budget_class c, size_t nr, size_t size)
{
	size_t bytes;
	void *block = NULL;

	if (!__builtin_mul_overflow(nr, size, &bytes))
		block = budget_alloc(b, c, bytes);
	return block ? memset(block, 0, bytes) : NULL;
}

void *budget_resize(void *block, size_t bytes)
{
	struct head *h = head_of(block), *moved;
	size_t all = sizeof(*h) + bytes, before = h->bytes;

	if (all < bytes || (all > before && !budget_take(h->budget, h->class, all - before)))
		return NULL;
	moved = realloc(h, all);
	if (!moved) {
		if (all > before)
			budget_give(h->budget, h->class, all - before);
		return NULL;
	}
	if (all < before)
		budget_give(moved->budget, moved->class, before - all);
	moved->bytes = all;
	return moved + 1;
}

void budget_free(void *block)
{
	struct head *h = block ? head_of(block) : NULL;

	if (h)
		budget_give(h->budget, h->class, h->bytes);
	free(h);
}

bool budget_keep(void *block, enum budget_class c)
{
	struct head *h = head_of(block);
	struct budget *b = h->budget;

	if (h->class != BUDGET_READING)
		return h->class == c;
	if (b && !add_within(&whole_of(b)->kept, h->bytes, share_kept(c)))
		return refuse_bytes(b, h->bytes, false);
	atomic_add_relaxed(&taken_of[c], h->bytes);
	subtract(&taken_of[BUDGET_READING], h->bytes);
	h->class = c;
	return true;
}

bool budget_reserve(struct budget *b, enum budget_class c, void *data, size_t *cap, size_t need,
		    size_t size)
{
	size_t n = *cap ? *cap : 8, bytes;
	void *block;

	if (need <= *cap)
		return true;
	while (n < need)
		n *= 2;
	if (__builtin_mul_overflow(n, size, &bytes))
		return false;
	memcpy(&block, data, sizeof(block)); /* data may point to any pointer type */
	block = block ? budget_resize(block, bytes) : budget_alloc(b, c, bytes);
	if (!block)
		return false;
	memcpy(data, &block, sizeof(block));
	*cap = n;
	return true;
}

bool budget_sort(struct budget *b, void *list, size_t nr, size_t size,
		 int (*compare)(const void *, const void *))
{
	if (nr < 2)
		return true;
	if (!budget_take(b, BUDGET_READING, nr * size))
		return false;
	qsort(list, nr, size, compare);
	budget_give(b, BUDGET_READING, nr * size);
	return true;
}

/* --- refusals and figures ----------------------------------------------------------------- */

bool budget_refused(const struct budget *b)
{
	return atomic_load_relaxed(&b->refused);
}

void budget_forgive(struct budget *b)
{
	atomic_store_relaxed(&b->refused, 0);
}

int budget_say(const struct budget *b, const char *what, struct err *err)
{
	char wish[UNITS_LEN], had[UNITS_LEN], all[UNITS_LEN];
	uint64_t refused = atomic_load_relaxed(&b->refused);

	if (!refused)
		return 0;
	units_bytes(all, (double)limit);
	units_bytes(wish, (double)(refused - 1));
	if (atomic_load_relaxed(&b->crowded)) {
		units_bytes(had, (double)atomic_load_relaxed(&taken));
		err_set(err, ENOBUFS, "%s would take %s: %s of --max-memory %s are in use", what,
			wish, had, all);
	} else {
		err_set(err, ENOBUFS,
			"%s would take %s: more than one object may use of --max-memory %s", what,
			wish, all);
	}
	err_advise(err, "raise --max-memory SIZE");
	return -ENOBUFS;
}

bool budget_tight(void)
{
	return atomic_load_relaxed(&taken) > limit_of(BUDGET_SYMBOLS) / 4 * 3;
}

void budget_figures(struct budget_figures *f)
{
	*f = (struct budget_figures){
		.limit = limit,
		.taken = atomic_load_relaxed(&taken) + atomic_load_relaxed(&taken_names),
		.refusals = atomic_load_relaxed(&refusals),
	};
	for (int c = 0; c < BUDGET_CLASSES; c++)
		f->of[c] = atomic_load_relaxed(&taken_of[c]);
}
