/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * C++. Substitutions make a name's components a graph of shared nodes, and printing walks it as a
 * tree. Most steps of the walk print something, which is limited (demangle.c); three do not:
 *
 *  - for the pattern of a pack expansion libiberty searches all of it for the pack, shared or not;
 *  - T_ prints a template argument, which may hold T_ of the template around that one, and so on;
 *  - an expansion prints its pattern once for each element, all of which may be empty.
 *
 * D and Rust names are judged by their text.
 */
#include "files/elf/mangled.h"

#include <ctype.h>
#include <libiberty/demangle.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "files/elf/demangle.h"

/* --- C++ ---------------------------------------------------------------------------------- */

/*
 * After "cv" libiberty parses the arguments of a template parameter twice if it first took them for
 * those of another name, and so those within them, four times, and so on.
 */
#define RETRIES_MAX 6

bool mangled_cxx_parses(const char *name)
{
	unsigned retries = 0;

	for (const char *at = strstr(name, "cv"); at && (at = strchr(at, 'T')); at++) {
		size_t digits = strspn(at + 1, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ");

		for (size_t i = 0; i <= digits; i++)
			if (at[1 + i] == '_' && at[2 + i] == 'I' && ++retries > RETRIES_MAX)
				return false;
	}
	return true;
}

/* libiberty copies the templates in scope for each reference to a parameter, all on the stack. */
#define COPIES_MAX 16384

/* Totals of a component and all below it: as a tree, so shared ones count each time. */
struct measure {
	uint64_t size;
	uint64_t search;  /* steps to search it for a pack */
	uint64_t params;  /* number of T_ in it */
	uint64_t steps;   /* steps to print it */
	uint32_t args;    /* of a list of template arguments: its length from here on */
	bool measured, costed;
};

/* Templates that T_ may be an argument of. */
struct scopes {
	uint64_t ways;    /* ways in which one T_ leads to others, in all templates */
	uint64_t largest; /* size of the largest list of arguments */
};

struct graph {
	const struct demangle_component *comps;
	size_t nr;
	struct measure *of; /* indexed like comps */
	struct scopes functions, all;
	/* there are conversions: for the type of one the nearest template is the scope */
	bool conversions;
	uint32_t longest;   /* length of the longest list of template arguments */
	unsigned templates, references;
};

static uint64_t capped(uint64_t n)
{
	return n < MANGLED_STEPS_MAX ? n : MANGLED_STEPS_MAX;
}

enum shape { BOTH = 0, LEAF, LEFT, RIGHT }; /* children that a component has */

static const unsigned char shapes[] = {
	[DEMANGLE_COMPONENT_NAME] = LEAF, [DEMANGLE_COMPONENT_TEMPLATE_PARAM] = LEAF,
	[DEMANGLE_COMPONENT_FUNCTION_PARAM] = LEAF, [DEMANGLE_COMPONENT_SUB_STD] = LEAF,
	[DEMANGLE_COMPONENT_BUILTIN_TYPE] = LEAF, [DEMANGLE_COMPONENT_OPERATOR] = LEAF,
	[DEMANGLE_COMPONENT_CHARACTER] = LEAF, [DEMANGLE_COMPONENT_NUMBER] = LEAF,
	[DEMANGLE_COMPONENT_UNNAMED_TYPE] = LEAF, [DEMANGLE_COMPONENT_EXTENDED_BUILTIN_TYPE] = LEAF,
	[DEMANGLE_COMPONENT_FIXED_TYPE] = LEFT, [DEMANGLE_COMPONENT_LAMBDA] = LEFT,
	[DEMANGLE_COMPONENT_DEFAULT_ARG] = LEFT, [DEMANGLE_COMPONENT_CTOR] = RIGHT,
	[DEMANGLE_COMPONENT_DTOR] = RIGHT, [DEMANGLE_COMPONENT_EXTENDED_OPERATOR] = RIGHT,
};

static enum shape shape_of(const struct demangle_component *dc)
{
	return dc->type < sizeof(shapes) ? (enum shape)shapes[dc->type] : BOTH;
}

static const struct demangle_component *left_of(const struct demangle_component *dc)
{
	enum shape s = shape_of(dc);

	return s == BOTH || s == LEFT ? dc->u.s_binary.left : NULL;
}

static const struct demangle_component *right_of(const struct demangle_component *dc)
{
	switch (dc->type) {
	case DEMANGLE_COMPONENT_CTOR:
		return dc->u.s_ctor.name;
	case DEMANGLE_COMPONENT_DTOR:
		return dc->u.s_dtor.name;
	case DEMANGLE_COMPONENT_EXTENDED_OPERATOR:
		return dc->u.s_extended_operator.name;
	default:
		return shape_of(dc) == BOTH ? dc->u.s_binary.right : NULL;
	}
}

static struct measure *measure_of(const struct graph *g, const struct demangle_component *dc)
{
	static struct measure nothing = {.measured = true, .costed = true};

	/* NULL, or a child of an unknown component type */
	if (dc < g->comps || dc >= g->comps + g->nr)
		return &nothing;
	return &g->of[dc - g->comps];
}

/* Return the template in the name dc of a function, or NULL. */
static const struct demangle_component *template_of(const struct graph *g,
						    const struct demangle_component *dc)
{
	while (dc && dc->type != DEMANGLE_COMPONENT_TEMPLATE) {
		if (dc < g->comps || dc >= g->comps + g->nr)
			return NULL;
		dc = dc->type == DEMANGLE_COMPONENT_LOCAL_NAME ? right_of(dc) : left_of(dc);
	}
	return dc;
}

static const struct measure *measure_component(struct graph *g,
					       const struct demangle_component *dc);

static void measure_scope(struct graph *g, struct scopes *s,
			  const struct demangle_component *template)
{
	const struct measure *args = template ? measure_component(g, right_of(template)) : NULL;

	if (!args)
		return;
	if (args->params > 1)
		s->ways = capped(s->ways * args->params);
	if (args->size > s->largest)
		s->largest = args->size;
}

/* Add a component to the totals of the whole graph. */
static void measure_graph(struct graph *g, const struct demangle_component *dc,
			  const struct measure *m)
{
	switch (dc->type) {
	case DEMANGLE_COMPONENT_TEMPLATE:
		g->templates++;
		measure_scope(g, &g->all, dc);
		break;
	case DEMANGLE_COMPONENT_TYPED_NAME:
		measure_scope(g, &g->functions, template_of(g, left_of(dc)));
		break;
	case DEMANGLE_COMPONENT_CONVERSION:
		g->conversions = true;
		break;
	case DEMANGLE_COMPONENT_REFERENCE:
	case DEMANGLE_COMPONENT_RVALUE_REFERENCE:
		g->references++;
		break;
	case DEMANGLE_COMPONENT_TEMPLATE_ARGLIST:
		if (m->args > g->longest)
			g->longest = m->args;
		break;
	default:
		break;
	}
}

static const struct measure *measure_component(struct graph *g, const struct demangle_component *dc)
{
	struct measure *m = measure_of(g, dc);
	const struct measure *left, *right;

	if (m->measured)
		return m;
	m->measured = true;
	left = measure_component(g, left_of(dc));
	right = measure_component(g, right_of(dc));
	m->size = capped(1 + left->size + right->size);
	m->search = dc->type == DEMANGLE_COMPONENT_PACK_EXPANSION
		    ? 1
		    : capped(1 + left->search + right->search);
	m->params = dc->type == DEMANGLE_COMPONENT_TEMPLATE_PARAM
			    ? 1
			    : capped(left->params + right->params);
	if (dc->type == DEMANGLE_COMPONENT_TEMPLATE_ARGLIST)
		m->args = 1 + right->args;
	measure_graph(g, dc, m);
	return m;
}

/* Return the steps to print a template argument. */
static uint64_t param_cost(const struct graph *g)
{
	const struct scopes *s = g->conversions ? &g->all : &g->functions;

	return s->largest * s->ways;
}

/* Return the steps to print dc. Everything has been measured before. */
static uint64_t print_steps(struct graph *g, const struct demangle_component *dc)
{
	struct measure *m = measure_of(g, dc);
	uint64_t left, right;

	if (m->costed)
		return m->steps;
	m->costed = true;
	left = print_steps(g, left_of(dc));
	right = print_steps(g, right_of(dc));
	switch (dc->type) {
	case DEMANGLE_COMPONENT_TEMPLATE_PARAM:
		m->steps = 1 + param_cost(g);
		break;
	case DEMANGLE_COMPONENT_PACK_EXPANSION:
		m->steps = 1 + measure_of(g, left_of(dc))->search + left * (1 + g->longest);
		break;
	case DEMANGLE_COMPONENT_UNARY: /* sizeof... */
		m->steps = 1 + measure_of(g, right_of(dc))->search + left + right;
		break;
	default:
		m->steps = 1 + left + right;
		break;
	}
	m->steps = capped(m->steps);
	return m->steps;
}

bool mangled_cxx_prints(const struct demangle_component *root,
			const struct demangle_component *comps, size_t nr)
{
	struct graph g = {.comps = comps, .nr = nr, .functions = {1, 0}, .all = {1, 0}};
	bool ends;

	g.of = calloc(nr, sizeof(*g.of));
	if (!g.of)
		return false;
	measure_component(&g, root);
	ends = print_steps(&g, root) < MANGLED_STEPS_MAX &&
	       (uint64_t)g.templates * g.references <= COPIES_MAX;
	free(g.of);
	return ends;
}

/* --- Rust --------------------------------------------------------------------------------- */

/*
 * A binder, "G" after the "F" of a function or the "D" of dyn, counts lifetimes in base 62, and
 * libiberty loops over them even if it prints nothing and so never calls back. Everything else that
 * is repeated also prints.
 */
bool mangled_rust_ends(const char *name)
{
	for (const char *at = strpbrk(name, "FD"); at; at = strpbrk(at + 1, "FD")) {
		size_t digits = 0;

		if (at[1] != 'G')
			continue;
		while (isalnum((unsigned char)at[2 + digits]))
			digits++;
		if (digits > 1 && at[2 + digits] == '_')
			return false;
	}
	return true;
}

/* --- D ------------------------------------------------------------------------------------ */

/*
 * Back references: each stands for at most the text between its target and itself.
 *
 * Retries: text after a symbol that may begin a function's type is parsed as one, and if that fails
 * as the other things that may follow the symbol, with all within it; and a template's symbol
 * argument "S123..." is parsed once for each way to split its digits from the name that they count.
 */
#define D_STEPS_MAX (4 * MANGLED_STEPS_MAX) /* characters read, a few ns each */

struct d_prefix {
	uint32_t size;    /* of the name up to here, written out */
	uint32_t retries; /* each doubles the work */
};

/*
 * Return the distance of a back reference "Q": a number in base 26, its last digit in lower case;
 * 0: none.
 */
static size_t back_reference(const char *at)
{
	size_t n = 0;

	for (at++; *at >= 'A' && *at <= 'Z' && n < DEMANGLE_MAX; at++)
		n = n * 26 + (size_t)(*at - 'A');
	return *at >= 'a' && *at <= 'z' ? n * 26 + (size_t)(*at - 'a') : 0;
}

/* Mark every place where an identifier may end, for each possible first digit of its length. */
static void mark_ends(const char *name, size_t len, bool *ends)
{
	for (size_t at = 0; at < len; at++) {
		size_t n = 0, i = at;

		for (; isdigit((unsigned char)name[i]) && n <= len; i++)
			n = n * 10 + (size_t)(name[i] - '0');
		if (i > at && i + n <= len)
			ends[i + n] = true;
	}
}

/*
 * Return true if a symbol may end at `at`: with an identifier, a template's "Z", or a back
 * reference's small letter.
 */
static bool may_end_symbol(const char *name, size_t at, const bool *ends)
{
	return at && (ends[at] || name[at - 1] == 'Z' ||
		      (islower((unsigned char)name[at - 1]) && strchr(name, 'Q')));
}

static unsigned retries_at(const char *name, size_t at, const bool *ends, bool in_template)
{
	size_t digits;

	if (strchr("FUWVRYM", name[at]))
		return may_end_symbol(name, at, ends);
	digits = in_template && name[at] == 'S' ? strspn(name + at + 1, "0123456789") : 0;
	return digits > 3 ? 3 : digits > 1 ? 2 : (unsigned)digits;
}

/* Return true if demangling the name up to here ends soon. */
static bool d_prefix_ends(const struct d_prefix *p)
{
	return p->retries < 32 && p->size < D_STEPS_MAX &&
	       (uint64_t)p->size << p->retries < D_STEPS_MAX;
}

bool mangled_d_ends(const char *name)
{
	struct d_prefix before[DEMANGLE_MAX + 1] = {{0, 0}};
	bool ends[DEMANGLE_MAX + 1] = {false}, in_template = false;
	size_t len = strlen(name);

	mark_ends(name, len, ends);
	for (size_t i = 0; i < len; i++) {
		struct d_prefix *p = &before[i + 1];
		size_t back = name[i] == 'Q' ? back_reference(name + i) : 0;

		in_template |= !strncmp(name + i, "__T", 3) || !strncmp(name + i, "__U", 3);
		p->size = before[i].size + 1;
		p->retries = before[i].retries + retries_at(name, i, ends, in_template);
		if (back && back <= i) {
			p->size += before[i].size - before[i - back].size;
			p->retries += before[i].retries - before[i - back].retries;
		}
		if (!d_prefix_ends(p))
			return false;
	}
	return true;
}
