/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "files/elf/demangle.h"

static struct demangle_work work;

static void check(const char *name, const char *wanted)
{
	char *text = demangle(name, &work);

	work.ns = 0;
	if (wanted) {
		assert_non_null(text);
		assert_string_equal(text, wanted);
	} else {
		assert_null(text);
	}
	free(text);
}

static void test_plain(void **state)
{
	(void)state;
	check("", NULL);
	check("main", NULL);
	check("_", NULL);
	check("_Z", NULL);
	check("_R", NULL);
	check("_D", NULL);
	check("_start", NULL);
	check("_Zabc", NULL);
	check("__libc_start_main", NULL);
	check("puts@plt", NULL);
	check("foo.cold", NULL);
}

static void test_cxx(void **state)
{
	(void)state;
	check("_ZN3foo3barEv", "foo::bar");
	check("_ZNSt6vectorIiSaIiEE9push_backEOi",
	      "std::vector<int, std::allocator<int> >::push_back");
	check("_ZN3foo3barEv.cold", "foo::bar");
	check("_ZL4funci.part.0", "func");
	check("_ZL4funci.constprop.0.isra.0", "func");
	check("_ZN3foo3barEv@@VERSION_2", "foo::bar");
	check("_ZN3foo3barEv@plt", "foo::bar@plt");
	check("_ZTV3foo", "vtable for foo");
	check("_GLOBAL__I__ZN3foo3barEv", "global constructors keyed to foo::bar()");
	check("_GLOBAL__D_main.cc", "global destructors keyed to main.cc");
	check("_GLOBAL__I_", NULL);
	check("_GLOBAL__sub_I_main.cc", NULL);
	check("_Z1fIJidEEvDpT_", "f<int, double>");
	check("_ZNK1acviEv", "a::operator int");
}

static void test_rust(void **state)
{
	(void)state;
	check("_ZN4core3fmt5write17h0123456789abcdefE", "core::fmt::write");
	check("_ZN4core3fmt5write17h0123456789abcdefE.llvm.1234", "core::fmt::write");
	check("_ZN71_$LT$Test$u20$$u2b$$u20$$u27$static$u20$as$u20$foo..Bar$LT$Test$GT$$GT$3bar"
	      "17h930b740aa94f1d3aE", "<Test + 'static as foo::Bar<Test>>::bar");
	check("_RNvCs1234_7mycrate3foo", "mycrate::foo");
	check("_RNvCs1234_7mycrate3foo.llvm.99", "mycrate::foo");
	check("_RNqCs4fqI2P2rA04_11utf8_identsu30____7hkackfecea1cbdathfdh9hlq6y",
	      "utf8_idents::\xe1\x83\xa1\xe1\x83\x90\xe1\x83\xad\xe1\x83\x9b\xe1\x83\x94\xe1\x83"
	      "\x9a\xe1\x83\x90\xe1\x83\x93_\xe1\x83\x92\xe1\x83\x94\xe1\x83\x9b\xe1\x83\xa0"
	      "\xe1\x83\x98\xe1\x83\x94\xe1\x83\x9a\xe1\x83\x98_\xe1\x83\xa1\xe1\x83\x90\xe1"
	      "\x83\x93\xe1\x83\x98\xe1\x83\x9a\xe1\x83\x98");
}

static void test_d(void **state)
{
	(void)state;
	check("_Dmain", "D main");
	check("_D3std5stdio4File5closeMFNeZv", "std.stdio.File.close()");
	check("_D4test3fooFaZv", "test.foo(char)");
	check("_D4test3fooFaZv.part.0", "test.foo(char) [clone .part.0]");
}

/* Each level of this name names the one before twice: 2^levels when written out. */
static void test_bomb_cxx(void **state)
{
	char name[1024] = "_Z1fIFvSt4pairIiiE";
	size_t at = strlen(name);

	(void)state;
	for (unsigned i = 0; i < 36; i++) {
		char ref[4] = "";

		if (i)
			snprintf(ref, sizeof(ref), "%c", i < 10 ? (char)('0' + i) : (char)('A' + i - 10));
		at += (size_t)snprintf(name + at, sizeof(name) - at, "S0_IS%s_S%s_E", ref, ref);
	}
	strcpy(name + at, "EEvv");
	check(name, NULL);
}

/* Binders of Rust count lifetimes in a number that may be anything. */
static void test_bomb_rust(void **state)
{
	(void)state;
	check("_RMC0FG0_Eu", "<for<'a, 'b> fn()>");
	check("_RMC0FGZZZZZZZ_Eu", NULL);
	check("_RMC0YYFGYYYYYYYYYYY5_Eu", NULL); /* in what is parsed but not printed */
	check("_RMC0DGYYYYYYYYYYY5_C0EL_", NULL);
}

static void test_bomb_d(void **state)
{
	char name[2048] = "_D4test3fooFAa";
	size_t at = strlen(name);

	(void)state;
	while (at < 1500) /* each takes all that precedes it, twice */
		at += (size_t)snprintf(name + at, sizeof(name) - at, "HQiQk");
	strcpy(name + at, "Zv");
	check(name, NULL);
}

static void put_substitution(char *to, unsigned n)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

	if (!n)
		strcpy(to, "S_");
	else if (n <= 36)
		sprintf(to, "S%c_", digits[n - 1]);
	else
		sprintf(to, "S%c%c_", digits[(n - 1) / 36], digits[(n - 1) % 36]);
}

/* Each function type has the one before twice, and all is searched for a pack before a word is printed. */
static void ladder(char *name, unsigned steps)
{
	char inner[2000] = "Pi", ref[8];

	for (unsigned i = 0; i < steps; i++) {
		char outer[2000];

		put_substitution(ref, i + 1);
		snprintf(outer, sizeof(outer), "F%.1900s%sE", inner, ref);
		strcpy(inner, outer);
	}
	sprintf(name, "_Z1fIJEDp%sEEvv", inner);
}

static void test_search_cxx(void **state)
{
	char name[2100];

	(void)state;
	ladder(name, 40);
	assert_true(strlen(name) < 246);
	check(name, NULL);
	ladder(name, 3);
	check(name, NULL); /* libiberty's own no */
	check("_Z1fIJiEDpFPiS1_EEvv", NULL);
	check("_Z1fIJDpFPivEEEvv", "f<(int* ())...>");
}

/* The arguments after each conversion are parsed twice, with all within. */
static void test_retries_cxx(void **state)
{
	char name[2000] = "_Z";

	(void)state;
	check("_ZcvT_IL_Z1fEE", "operator f<f>");
	for (unsigned i = 0; i < 60; i++)
		strcat(name, "cvT_IL_Z");
	strcat(name, "1f");
	for (unsigned i = 0; i < 60; i++)
		strcat(name, "EE");
	check(name, NULL);
	strcpy(name, "_Zcv"); /* and what follows it in arguments */
	for (unsigned i = 0; i < 60; i++)
		strcat(name, "T_I");
	check(name, NULL);
}

/* What follows each type may be a function's, until the end tells that it was not. */
static void test_retries_d(void **state)
{
	char name[1000] = "_D1a";

	(void)state;
	for (unsigned i = 0; i < 60; i++)
		strcat(name, "FS1b");
	check(name, NULL);
	strcpy(name, "_D1a");
	for (unsigned i = 0; i < 30; i++) /* the template's name parts its digits in two ways */
		strcat(name, "8__T1tS2_D");
	check(name, NULL);
	check("_D3std6format77__T6getNthVAyaa13_696e7465676572207769647468S233std6traits10isIntegral"
	      "TiTkTkZ6getNthFNaNfkkkZi",
	      "std.format.getNth!(\"integer width\", std.traits.isIntegral, int, uint, uint)"
	      ".getNth(uint, uint, uint)");
}

/* One object's names: what comes when the time is over stays as it is, and is counted. */
static void test_time(void **state)
{
	struct demangle_work w = {0};
	char *text;

	(void)state;
	assert_true(demangle_wants("_ZN3foo3barEv") && !demangle_wants("main") && !demangle_wants("_start"));
	text = demangle("_ZN3foo3barEv", &w);
	assert_non_null(text);
	free(text);
	assert_true(w.ns > 0 && w.left == 0);
	assert_null(demangle("main", &w));
	assert_null(demangle("_Zabc", &w));
	assert_int_equal(w.left, 0);
	assert_null(demangle("_RMC0FGZZZZZZZ_Eu", &w)); /* refused */
	assert_int_equal(w.left, 1);
	w.ns = DEMANGLE_NS_MAX;
	assert_null(demangle("_ZN3foo3barEv", &w));
	assert_null(demangle("main", &w));
	assert_int_equal(w.left, 2);
}

/* A name whose printing searches 2^40 places for an empty pack, and prints nothing meanwhile. */
static void make_ladder(char *name)
{
	char to[512] = "Pi", up[sizeof(to)];

	for (unsigned i = 1; i <= 40; i++) {
		unsigned nr = i - 1;

		strcpy(up, to);
		if (nr < 36)
			sprintf(to, "F%sS%c_E", up, nr < 10 ? '0' + (int)nr : 'A' + (int)nr - 10);
		else
			sprintf(to, "F%sS1%c_E", up, '0' + (int)nr - 36);
	}
	sprintf(name, "_Z1fIJEDp%sEEvv", to);
}

static void *demangle_both(void *arg)
{
	(void)arg;
	for (unsigned round = 0; round < 3; round++) {
		struct demangle_work w = {0};
		char name[600], *text;

		make_ladder(name);
		text = demangle(name, &w);
		if (text || w.left != 1)
			return "a name that takes for ever is not refused";
		for (unsigned i = 0; i < 1000; i++) {
			w.ns = 0;
			text = demangle("_ZN3foo3barEv", &w);
			if (!text || strcmp(text, "foo::bar"))
				return "another name is refused, too";
			free(text);
		}
	}
	return NULL;
}

/* Each thread stops its own name, and goes on. */
static void test_threads(void **state)
{
	pthread_t threads[4];

	(void)state;
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, demangle_both, NULL), 0);
	for (unsigned i = 0; i < 4; i++) {
		void *fault;

		assert_int_equal(pthread_join(threads[i], &fault), 0);
		if (fault)
			fail_msg("%s", (char *)fault);
	}
}

/* Return the number of the process's timers; -1: this kernel does not tell. */
static int timers(void)
{
	FILE *f = fopen("/proc/self/timers", "r");
	char line[256];
	int nr = f ? 0 : -1;

	while (f && fgets(line, sizeof(line), f))
		nr += !strncmp(line, "ID:", 3);
	if (f)
		fclose(f);
	return nr;
}

/* A thread that ends leaves no timer. */
static void test_thread_end(void **state)
{
	int before = timers();

	(void)state;
	if (before < 0)
		skip();
	test_threads(state);
	assert_int_equal(timers(), before);
}

static void *take_signals(void *ready)
{
	sigset_t mine;

	sigemptyset(&mine);
	sigaddset(&mine, SIGRTMIN);
	pthread_sigmask(SIG_UNBLOCK, &mine, NULL);
	pthread_barrier_wait(ready);
	pthread_barrier_wait(ready);
	return NULL;
}

/* A signal to a thread without a timer stops no other's. */
static void test_foreign_signal(void **state)
{
	struct demangle_work w = {0};
	pthread_barrier_t ready;
	pthread_t other;
	char name[600];

	(void)state;
	make_ladder(name);
	assert_true(demangle_prepare());
	assert_int_equal(pthread_barrier_init(&ready, NULL, 2), 0);
	assert_int_equal(pthread_create(&other, NULL, take_signals, &ready), 0);
	pthread_barrier_wait(&ready);
	check("_ZN3foo3barEv", "foo::bar"); /* starts the timer, whose number may be 0 */
	assert_int_equal(pthread_kill(other, SIGRTMIN), 0);
	pthread_barrier_wait(&ready);
	assert_int_equal(pthread_join(other, NULL), 0);
	assert_null(demangle(name, &w));
	assert_int_equal(w.left, 1);
	pthread_barrier_destroy(&ready);
}

/* A copy on the stack of each template for each reference to a parameter. */
static void test_copies_cxx(void **state)
{
	char name[2100] = "_Z1fI";

	(void)state;
	for (unsigned i = 0; i < 200; i++)
		strcat(name, "RT_1aIiE");
	strcat(name, "Evv");
	assert_true(strlen(name) < 2048);
	check(name, NULL);
}

static void test_deep(void **state)
{
	char *name = malloc(100000);

	(void)state;
	assert_non_null(name);
	for (size_t len = 100; len < 100000; len = len * 3 / 2) { /* pointers to pointers to ... */
		char *text;

		memset(name, 'P', len);
		memcpy(name, "_Z1f", 4);
		strcpy(name + len - 2, "i");
		text = demangle(name, &work);
		assert_true(!text || strlen(text) < DEMANGLE_MAX);
		free(text);
	}
	free(name);
}

static void test_long_cxx(void **state)
{
	char name[2000], *text;

	(void)state;
	strcpy(name, "_ZN");
	for (unsigned i = 0; i < 300; i++)
		strcat(name, "4abcd");
	strcat(name, "Ev");
	text = demangle(name, &work);
	assert_non_null(text);
	assert_int_equal(strncmp(text, "abcd::abcd::", 12), 0);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain),	  cmocka_unit_test(test_cxx),
		cmocka_unit_test(test_rust),	  cmocka_unit_test(test_d),
		cmocka_unit_test(test_bomb_cxx),  cmocka_unit_test(test_bomb_rust),
		cmocka_unit_test(test_bomb_d),	  cmocka_unit_test(test_deep),
		cmocka_unit_test(test_long_cxx),
		cmocka_unit_test(test_search_cxx), cmocka_unit_test(test_retries_cxx),
		cmocka_unit_test(test_retries_d), cmocka_unit_test(test_copies_cxx),
		cmocka_unit_test(test_time),	  cmocka_unit_test(test_threads),
		cmocka_unit_test(test_thread_end), cmocka_unit_test(test_foreign_signal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
