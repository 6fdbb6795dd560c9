/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "files/elf/mangled.h"

#include <ctype.h>
#include <stdint.h>
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
#define COPIES_MAX 16384u

bool mangled_cxx_fits(const char *name)
{
	unsigned templates = 0, references = 0;

	for (; *name; name++) {
		templates += *name == 'I';
		references += *name == 'R' || *name == 'O';
	}
	return templates * references <= COPIES_MAX;
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
		if (p->retries >= 32 || p->size >= D_STEPS_MAX ||
		    (uint64_t)p->size << p->retries >= D_STEPS_MAX)
			return false;
	}
	return true;
}
