/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * At most one batch is with the workers, and later requests go into the next one. A symbol in
 * either takes more frames. Objects of both are busy, so that they are not freed; names are copies,
 * as an object's symbols may be reloaded. All of a batch comes out of the budget: a program can
 * make a tick request the names of any number of functions.
 */
#include "names/objects/namework.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/budget.h"
#include "base/intern.h"
#include "files/elf/demangle_sandbox.h"

#define AT_ONCE 1024u /* names demangled at once, before the budget counts them */

struct asked {
	uint32_t symbol; /* index of the symbol in the batch */
	uint32_t frame;
};

struct symbol {
	struct dso *object;
	uint64_t addr, size;
	bool sandboxed; /* the object's symbols came from a helper */
	/*
	 * Mangled, until a worker has demangled them; from the budget. The first is the symbol's
	 * own, the others are as in symtab.h.
	 */
	char *name[1 + SYMTAB_ALSO];
	uint32_t names;
};

struct batch {
	struct job job;
	struct namework *work;
	struct intern *ids; /* index of symbols by object and address: id - 1 is the index */
	struct symbol *symbols;
	struct asked *asked;
	size_t nsymbols, cap_symbols, nasked, cap_asked;
};

struct namework {
	namework_found *found;
	struct batch *next, *running;
};

static void names_free(struct symbol *s)
{
	for (unsigned k = 0; k <= SYMTAB_ALSO; k++)
		budget_free(s->name[k]);
}

static void name_batch_free(struct batch *b)
{
	if (!b)
		return;
	for (size_t i = 0; i < b->nsymbols; i++)
		names_free(&b->symbols[i]);
	intern_free(b->ids);
	budget_free(b->symbols);
	budget_free(b->asked);
	free(b);
}

struct namework *namework_create(namework_found *found)
{
	struct namework *w = calloc(1, sizeof(*w));

	if (w)
		w->found = found;
	return w;
}

void namework_free(struct namework *w)
{
	if (!w)
		return;
	name_batch_free(w->next);
	free(w);
}

/* --- on the worker ------------------------------------------------------------------------ */

struct some {
	struct demangle_name list[AT_ONCE];
	char **name[AT_ONCE]; /* by id */
	uint32_t nr;
};

static void run_some(struct some *s)
{
	demangle_names(s->list, s->nr);
	for (uint32_t i = 0; i < s->nr; i++) {
		char *readable = s->list[i].readable, **name = s->name[s->list[i].id];
		char *to = readable ? budget_resize(*name, strlen(readable) + 1) : NULL;

		if (to) /* without room for the longer name the mangled one stays */
			*name = strcpy(to, readable);
		free(readable);
	}
	s->nr = 0;
}

static void add_mangled_name(struct some *s, const struct symbol *of, char **name)
{
	if (s->nr == AT_ONCE)
		run_some(s);
	s->list[s->nr] = (struct demangle_name){.name = *name, .work = &of->object->names,
						.sandboxed = of->sandboxed, .id = s->nr};
	s->name[s->nr++] = name;
}

static void run_name_batch(struct job *job)
{
	struct batch *b = (struct batch *)job;
	struct some s;

	s.nr = 0;
	for (size_t i = 0; i < b->nsymbols; i++)
		for (unsigned k = 0; k <= SYMTAB_ALSO && b->symbols[i].name[k]; k++)
			add_mangled_name(&s, &b->symbols[i], &b->symbols[i].name[k]);
	run_some(&s);
}

/* --- on the resolver's thread ------------------------------------------------------------- */

static void finish_name_batch(struct job *job, void *arg)
{
	struct batch *b = (struct batch *)job;
	struct namework *w = b->work;

	w->running = NULL;
	for (size_t i = 0; i < b->nasked; i++) {
		const struct symbol *s = &b->symbols[b->asked[i].symbol];
		struct symtab_entry e = {.addr = s->addr, .size = s->size, .name = s->name[0],
					 .names = s->names};

		for (unsigned k = 0; k < SYMTAB_ALSO; k++)
			e.also[k] = s->name[1 + k];
		w->found(arg, s->object, &e, b->asked[i].frame);
	}
	for (size_t i = 0; i < b->nsymbols; i++)
		b->symbols[i].object->busy--;
	name_batch_free(b);
}

static void discard_name_batch(struct job *job)
{
	name_batch_free((struct batch *)job);
}

static struct batch *name_batch_create(struct namework *w)
{
	struct batch *b = calloc(1, sizeof(*b));

	if (b)
		b->ids = intern_create_in(NULL, BUDGET_SYMBOLS, 0);
	if (!b || !b->ids) {
		free(b);
		return NULL;
	}
	b->work = w;
	b->job = (struct job){.run = run_name_batch, .finish = finish_name_batch,
			      .discard = discard_name_batch};
	return b;
}

/* Return false if out of memory. */
static bool copy_symbol_names(struct symbol *s, const struct symtab_entry *e)
{
	for (unsigned k = 0; k <= SYMTAB_ALSO; k++) {
		const char *name = k ? e->also[k - 1] : e->name;
		size_t bytes = name ? strlen(name) + 1 : 0;

		if (!name)
			break;
		s->name[k] = budget_alloc(NULL, BUDGET_SYMBOLS, bytes);
		if (!s->name[k])
			return false;
		memcpy(s->name[k], name, bytes);
	}
	return true;
}

/* Return the index of o's symbol in the batch, added if new, or -ENOMEM. */
static int64_t symbol_index(struct batch *b, struct dso *o, const struct symtab_entry *e)
{
	uint64_t key[2] = {o->serial, e->addr};
	uint32_t id = intern_find(b->ids, key, sizeof(key));
	struct symbol s = {.object = o, .addr = e->addr, .size = e->size,
			   .sandboxed = o->elf.sandboxed, .names = e->names};

	if (id)
		return id - 1;
	if (!budget_reserve(NULL, BUDGET_SYMBOLS, &b->symbols, &b->cap_symbols, b->nsymbols + 1,
			    sizeof(s)))
		return -ENOMEM;
	id = copy_symbol_names(&s, e) ? intern_get(b->ids, key, sizeof(key), 0, NULL) : 0;
	if (!id) {
		names_free(&s);
		return -ENOMEM;
	}
	b->symbols[b->nsymbols++] = s;
	o->busy++;
	return id - 1;
}

int namework_ask(struct namework *w, struct dso *o, const struct symtab_entry *e, uint32_t frame)
{
	int64_t at;

	if (!w->next)
		w->next = name_batch_create(w);
	if (!w->next || !budget_reserve(NULL, BUDGET_SYMBOLS, &w->next->asked, &w->next->cap_asked,
					w->next->nasked + 1, sizeof(*w->next->asked)))
		return -ENOMEM;
	at = symbol_index(w->next, o, e);
	if (at < 0)
		return -ENOMEM;
	w->next->asked[w->next->nasked++] = (struct asked){(uint32_t)at, frame};
	return 0;
}

void namework_run(struct namework *w, struct workers *workers)
{
	if (w->running || !w->next)
		return;
	w->running = w->next;
	w->next = NULL;
	workers_submit(workers, &w->running->job, true);
}
