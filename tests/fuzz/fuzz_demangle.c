/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A mangled name, as it stands or, where the input begins with another byte than "_", made by a grammar
 * of C++, Rust or D that the input's bytes choose the rules of: ladders of substitutions, packs, back
 * references, retries.  Random bytes hardly ever lead there, and there the demanglers take time that
 * doubles with every step.  Whatever the name, its call ends within LIMIT_MS.
 */
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "files/elf/demangle.h"

#define LIMIT_MS   50 /* of CPU time */
#define NAME_SIZE  2500
#define DEPTH_MAX  300
#define STARTS_MAX 512

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

/*
 * What a nonterminal may become.  In texts %x stands for the nonterminal x and these:
 *   %S  a substitution of C++, %L  the newest one, %B  a back reference of Rust, %Q  one of D
 * and a text ends with + where it becomes a substitution of C++.  The first rule of each is an end.
 */
struct rule {
	char of;
	const char *text;
};

static const struct rule cxx[] = {
	{'^', "_Z%n%ts"}, {'^', "_Z1f%aEvv"}, {'^', "_GLOBAL__I__Z%e"}, {'^', "_ZTV%t"},
	{'e', "1fv"}, {'e', "%n%t%t"}, {'e', "1gI%bEv%t"}, {'e', "1gIJEEv1h%aE"},
	{'n', "1f"}, {'n', "1f%aE"}, {'n', "N1a1b%aEE"}, {'n', "cv%t"}, {'n', "cvT_%aE"},
	{'n', "Z%eE1s"}, {'n', "Z%eEUl%tE_"}, {'n', "N%tC1E"}, {'n', "NK1aplI%bEE"},
	{'a', "Ii"}, {'a', "I%b"}, {'a', "IJE%b"}, {'a', "IT_%b"},
	{'b', "i"}, {'b', "%t"}, {'b', "%t%b"}, {'b', "JE"}, {'b', "J%bE"}, {'b', "JT_T_E"},
	{'b', "X%xE"}, {'b', "L_Z%eE"}, {'b', "Li7E"}, {'b', "%b%b"}, {'b', "T_%aE"},
	{'t', "i"}, {'t', "T_"}, {'t', "T0_"}, {'t', "T_%aE"}, {'t', "%S"}, {'t', "%L"}, {'t', "P%t+"},
	{'t', "R%t+"}, {'t', "O%t+"}, {'t', "RT_+"}, {'t', "K%t+"}, {'t', "F%t%LE+"},
	{'t', "F%t%LE+"}, {'t', "F%t%L%LE+"}, {'t', "F%t%t%tE+"}, {'t', "1a%aE+"}, {'t', "1aI%t%LE+"},
	{'t', "Dp%t+"}, {'t', "Dp%t+"}, {'t', "DT%xE+"}, {'t', "A%x_%t+"}, {'t', "M%t%t+"},
	{'t', "Dv4_%t+"}, {'t', "DF16_"}, {'t', "DFi_"}, {'t', "U1q%t+"}, {'t', "St4pairI%t%LE+"},
	{'t', "C%t+"}, {'t', "Dn"}, {'t', "N1a1bI%bEE+"},
	{'x', "fp_"}, {'x', "sp%x"}, {'x', "sZ%t"}, {'x', "sPE"}, {'x', "sP%bE"}, {'x', "cv%t%x"},
	{'x', "pl%x%x"}, {'x', "st%t"}, {'x', "sr%t1a"}, {'x', "flpl%x"}, {'x', "fRpl%x%x"},
	{'x', "T_"}, {'x', "L_Z%eE"}, {'x', "cl%x%xE"}, {'x', "tl%t%xE"}, {'x', "dt%x1a"},
	{'x', "nw_%tE"}, {'x', "qu%x%x%x"},
};

static const struct rule rust[] = {
	{'^', "_RNvC1a1f"}, {'^', "_R%p"}, {'^', "_RI%p%gE"}, {'^', "_RM%p%t"}, {'^', "_RX%p%t%p"},
	{'p', "C1a"}, {'p', "C0"}, {'p', "Nv%p1f"}, {'p', "NC%p0"}, {'p', "Nv%p0"}, {'p', "I%p%gE"},
	{'p', "M%p%t"}, {'p', "X%p%t%p"}, {'p', "Y%t%p"}, {'p', "B%B"}, {'p', "B%B"},
	{'p', "Nv%pu3abc"}, {'p', "NSs_%p1x"},
	{'g', "u"}, {'g', "%t"}, {'g', "%t%g"}, {'g', "L_"}, {'g', "K%k"}, {'g', "%g%g"},
	{'t', "u"}, {'t', "e"}, {'t', "p"}, {'t', "A%t%k"}, {'t', "S%t"}, {'t', "TE"}, {'t', "T%t%tE"},
	{'t', "R%t"}, {'t', "RL_%t"}, {'t', "P%t"}, {'t', "F%tE%t"}, {'t', "FG_%tEu"}, {'t', "FUKCE%t"},
	{'t', "FG%wEu"}, {'t', "D%pEL_"}, {'t', "DG_%pp1a%tEL_"}, {'t', "B%B"}, {'t', "B%B"}, {'t', "%p"},
	{'t', "T%tB%BB%BE"},
	{'k', "j0_"}, {'k', "p"}, {'k', "B%B"}, {'k', "hn1f_"}, {'k', "b1_"}, {'k', "c61_"},
	{'w', "_"}, {'w', "0_"}, {'w', "zZ_"}, {'w', "ZZZZZZ_"},
};

static const struct rule dlang[] = {
	{'^', "_D1ai"}, {'^', "_D%q%t"}, {'^', "_D%qF%tZ%t"}, {'^', "_D%qF%tF%tF%t"},
	{'q', "1a"}, {'q', "%q1b"}, {'q', "__T1t%gZ"}, {'q', "%q__T1t%gZ"}, {'q', "8__T1t%gZ"},
	{'q', "%qQ%Q"}, {'q', "Q%Q"}, {'q', "%qF%tZ1c"}, {'q', "%qMF%tZ1c"}, {'q', "12ab"},
	{'g', "Ti"}, {'g', "T%t"}, {'g', "T%t%g"}, {'g', "S%q"}, {'g', "S111%q%g"}, {'g', "S2_D%q%g"},
	{'g', "V%ti7"}, {'g', "%g%g"}, {'g', "X1a"},
	{'t', "i"}, {'t', "v"}, {'t', "A%t"}, {'t', "P%t"}, {'t', "G4%t"}, {'t', "H%t%t"}, {'t', "S%q"},
	{'t', "S1bF%t"}, {'t', "S1bF%t"}, {'t', "C%q"}, {'t', "F%t%tZ%t"}, {'t', "F%t"}, {'t', "DF%tZv"},
	{'t', "Q%Q"}, {'t', "Q%Q"}, {'t', "x%t"}, {'t', "Ng%t"}, {'t', "B2%t%t"}, {'t', "U%t"},
	{'t', "W%tX%t"}, {'t', "S1bM%t"},
};

static const struct {
	const struct rule *rules;
	size_t nr;
} grammars[] = {
	{cxx, sizeof(cxx) / sizeof(*cxx)},
	{rust, sizeof(rust) / sizeof(*rust)},
	{dlang, sizeof(dlang) / sizeof(*dlang)},
};

struct making {
	const struct rule *rules;
	size_t nr;
	const uint8_t *at, *end; /* choices */
	char name[NAME_SIZE];
	size_t len;
	size_t starts[STARTS_MAX], nstarts; /* of what may be referred to */
	unsigned substitutions;
};

static unsigned choose(struct making *m, unsigned of)
{
	return of && m->at < m->end ? *m->at++ % of : 0;
}

static void put(struct making *m, char c)
{
	if (m->len < sizeof(m->name) - 1)
		m->name[m->len++] = c;
}

static void put_number(struct making *m, size_t n, const char *digits, size_t base)
{
	if (n >= base)
		put_number(m, n / base, digits, base);
	put(m, digits[n % base]);
}

static const char alphabet[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

static void put_substitution(struct making *m, unsigned n)
{
	put(m, 'S');
	if (n)
		put_number(m, n - 1, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ", 36);
	put(m, '_');
}

static size_t some_start(struct making *m)
{
	return m->nstarts ? m->starts[m->nstarts - 1 - choose(m, (unsigned)m->nstarts)] : 0;
}

/* Base 26, its last digit in lower case; from the Q on. */
static void put_back_d(struct making *m, size_t n)
{
	if (n >= 26)
		put_number(m, n / 26, "ABCDEFGHIJKLMNOPQRSTUVWXYZ", 26);
	put(m, (char)('a' + n % 26));
}

static void put_reference(struct making *m, char kind)
{
	unsigned nr = m->substitutions;
	size_t start = some_start(m);

	if (kind == 'L')
		put_substitution(m, nr ? nr - 1 : 0);
	else if (kind == 'S')
		put_substitution(m, nr ? nr - 1 - choose(m, nr) : 0);
	else if (kind == 'Q')
		put_back_d(m, m->len - 1 - start);
	else {
		if (start > 2) /* _R */
			put_number(m, start - 3, alphabet, 62);
		put(m, '_');
	}
}

static const char *choose_rule(struct making *m, char of, unsigned depth)
{
	const char *texts[64];
	unsigned nr = 0;

	for (size_t i = 0; i < m->nr && nr < 64; i++)
		if (m->rules[i].of == of)
			texts[nr++] = m->rules[i].text;
	if (depth > DEPTH_MAX || m->len > sizeof(m->name) / 2)
		nr = nr > 1;
	return nr ? texts[choose(m, nr)] : "";
}

static void expand(struct making *m, char of, unsigned depth)
{
	const char *text = choose_rule(m, of, depth);

	if (m->nstarts < STARTS_MAX)
		m->starts[m->nstarts++] = m->len;
	for (; *text; text++) {
		if (*text == '+')
			m->substitutions++;
		else if (*text != '%')
			put(m, *text);
		else if (strchr("SLBQ", *++text))
			put_reference(m, *text);
		else
			expand(m, *text, depth + 1);
	}
}

static void make(struct making *m, const uint8_t *data, size_t size)
{
	size_t which = data[0] % (sizeof(grammars) / sizeof(*grammars));

	*m = (struct making){.rules = grammars[which].rules, .nr = grammars[which].nr,
			     .at = data + 1, .end = data + size, .substitutions = 1};
	expand(m, '^', 0);
	/* Cut or torn, too. */
	if (size > 1 && data[1] % 8 == 0)
		m->len = m->len * data[1] / 256;
	m->name[m->len] = '\0';
}

/* --- the call ----------------------------------------------------------------------------- */

static const char *under_test;

static void too_long(int sig)
{
	(void)sig;
	if (write(STDERR_FILENO, under_test, strlen(under_test)) < 0 ||
	    write(STDERR_FILENO, "\ntakes too long\n", 16) < 0)
		_exit(1);
	abort();
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc, (void)argv;
	signal(SIGVTALRM, too_long);
	return 0;
}

static void check(const char *name)
{
	struct itimerval limit = {.it_value = {.tv_usec = LIMIT_MS * 1000}}, none = {.it_value = {0}};
	struct demangle_work work = {0};
	char *text;

	under_test = name;
	setitimer(ITIMER_VIRTUAL, &limit, NULL);
	text = demangle(name, &work);
	setitimer(ITIMER_VIRTUAL, &none, NULL);
	if (text && (!*text || strlen(text) > 2 * DEMANGLE_MAX))
		abort();
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct making m;
	char *name;

	if (size && data[0] != '_') {
		make(&m, data, size);
		check(m.name);
		return 0;
	}
	name = malloc(size + 1);
	if (!name)
		return 0;
	if (size)
		memcpy(name, data, size);
	name[size] = '\0';
	check(name);
	free(name);
	return 0;
}
