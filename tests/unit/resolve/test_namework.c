/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names on their way to a worker and back: readable, of the budget, and nothing is left of them. */
#include "names/objects/namework.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <poll.h>

#include "base/budget.h"
#include "tests/sandboxed.h"

static struct dsos *objects;
static struct dso *object;
static unsigned mangled, readable;

static void found(void *arg, struct dso *o, const struct symtab_entry *e, uint32_t frame)
{
	char want[32]; /* in front of it there may be its type */

	(void)arg;
	assert_ptr_equal(o, object);
	snprintf(want, sizeof(want), "f%05u<unsigned long", frame);
	if (strstr(e->name, want))
		readable++;
	else
		mangled += !strncmp(e->name, "_Z6f", 4);
}

/* f00001<unsigned long, ...>: many times as long when it is readable. */
static int ask(struct namework *w, unsigned i)
{
	char name[1024];
	int at = snprintf(name, sizeof(name), "_Z6f%05uI", i);
	struct symtab_entry e = {.addr = i, .size = 1, .name = name};

	memset(name + at, 'm', 200);
	memcpy(name + at + 200, "Evv", 4);
	return namework_ask(w, object, &e, i);
}

static void run(struct namework *w)
{
	struct workers *workers = workers_create(1, NULL);
	struct pollfd news = {.events = POLLIN};

	assert_non_null(workers);
	news.fd = workers_fd(workers);
	namework_run(w, workers);
	while (workers_pending(workers)) {
		poll(&news, 1, -1);
		workers_collect(workers, NULL);
	}
	workers_close(workers);
}

static uint64_t taken(void)
{
	struct budget_figures f;

	budget_figures(&f);
	return f.taken;
}

static int setup(void **state)
{
	(void)state;
	objects = dsos_create(NULL);
	object = dsos_get(objects, &(struct dso_key){.path = "/bin/x", .ino = 1}, 1);
	object->elf.sandboxed = true;
	mangled = readable = 0;
	budget_set_limit(BUDGET_MIN);
	return !object;
}

static int teardown(void **state)
{
	(void)state;
	budget_set_limit(BUDGET_DEFAULT);
	dso_put(object);
	dsos_free(objects);
	return taken() != 0;
}

static void names_come_back(void **state)
{
	struct namework *w = namework_create(found);

	(void)state;
	for (unsigned i = 1; i <= 100; i++)
		assert_int_equal(ask(w, i), 0);
	assert_true(taken() > 100 * 200);
	run(w);
	assert_int_equal(readable, 100);
	assert_int_equal(mangled, 0);
	assert_int_equal(taken(), 0);
	namework_free(w);
}

/* What is refused is said at once; what fits as it is and not when it is readable stays as it is. */
static void no_more_than_there_may_be(void **state)
{
	struct namework *w = namework_create(found);
	struct sandbox_figures helper;
	unsigned asked = 0;
	int ret;

	(void)state;
	while (!(ret = ask(w, asked + 1)) && asked < 99999)
		asked++;
	assert_int_equal(ret, -ENOMEM);
	assert_in_range(asked, 1000, 99998);
	assert_true(taken() <= BUDGET_MIN);
	run(w);
	assert_int_equal(readable + mangled, asked);
	assert_true(mangled > 0);
	assert_int_equal(object->busy, 0);
	sandbox_figures(SANDBOX_NAMES, &helper);
	assert_int_equal(helper.ends, 0); /* it is not to blame */
	assert_int_equal(taken(), 0);
	namework_free(w);
}

/* An object's time is one account, whoever reads its names. */
static void time_is_counted(void **state)
{
	struct namework *w = namework_create(found);

	(void)state;
	assert_int_equal(ask(w, 1), 0);
	run(w);
	assert_int_equal(readable, 1);
	assert_true(object->names.ns > 0);
	object->names.ns = DEMANGLE_NS_MAX;
	for (unsigned i = 2; i <= 600; i++)
		assert_int_equal(ask(w, i), 0);
	run(w);
	assert_int_equal(mangled, 599);
	assert_int_equal(object->names.left, 599);
	assert_false(object->names.lost);
	namework_free(w);
}

/* Names that the helper is lost to stay as they are, and are counted; the next ones are read. */
static void helper_lost(void **state)
{
	struct namework *w = namework_create(found);
	struct sandbox_figures helper;

	(void)state;
	assert_int_equal(ask(w, 1), 0);
	run(w);
	assert_int_equal(readable, 1);
	sandbox_figures(SANDBOX_NAMES, &helper);
	assert_true(helper.pid > 0); /* else it would be us */
	assert_int_equal(kill(helper.pid, SIGSTOP), 0);
	for (unsigned i = 2; i <= 10; i++)
		assert_int_equal(ask(w, i), 0);
	run(w);
	assert_int_equal(mangled, 9);
	assert_int_equal(object->names.left, 9);
	assert_true(object->names.lost);
	assert_int_equal(ask(w, 11), 0);
	run(w);
	assert_int_equal(readable, 2);
	namework_free(w);
}

static unsigned others;

static void found_others(void *arg, struct dso *o, const struct symtab_entry *e, uint32_t frame)
{
	(void)arg, (void)frame;
	assert_ptr_equal(o, object);
	assert_string_equal(e->name, "plain");
	assert_int_equal(e->names, 7);
	assert_string_equal(e->also[0], "n::other");
	assert_string_equal(e->also[1], "too");
	assert_null(e->also[2]);
	others++;
}

/* Other names are made readable with a function's own, more of them than are asked for at once. */
static void others_come_back(void **state)
{
	struct namework *w = namework_create(found_others);

	(void)state;
	others = 0;
	for (unsigned i = 1; i <= 1500; i++) {
		struct symtab_entry e = {.addr = i, .size = 1, .name = "plain", .names = 7,
					 .also = {"_ZN1n5otherEv", "too"}};

		assert_int_equal(namework_ask(w, object, &e, i), 0);
	}
	run(w);
	assert_int_equal(others, 1500);
	assert_int_equal(taken(), 0);
	namework_free(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(names_come_back, setup, teardown),
		cmocka_unit_test_setup_teardown(others_come_back, setup, teardown),
		cmocka_unit_test_setup_teardown(no_more_than_there_may_be, setup, teardown),
		cmocka_unit_test_setup_teardown(time_is_counted, setup, teardown),
	};
	const struct CMUnitTest helped[] = {
		cmocka_unit_test_setup_teardown(helper_lost, setup, teardown),
	};
	int failed = cmocka_run_group_tests_name("in this process", tests, NULL, NULL);

	failed += cmocka_run_group_tests_name("by a helper", tests, sandboxed_setup_all, NULL);
	return failed + cmocka_run_group_tests_name("lost", helped, NULL, sandboxed_teardown);
}
