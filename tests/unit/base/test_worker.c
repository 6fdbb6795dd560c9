/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Workers: every job runs once and comes back once, urgent ones first, and closing waits for none. */
#include "base/worker.h"

#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"

struct counts {
	int run, discarded; /* shared */
	int finished, order[64];
};

static pthread_t owner;

struct test_job {
	struct job job;
	struct counts *counts;
	int number;
	pthread_barrier_t *started, *go; /* or NULL */
};

static void run(struct job *job)
{
	struct test_job *j = (struct test_job *)job;
	sigset_t now;

	assert_false(pthread_equal(pthread_self(), owner));
	/* Signals are the front end's. */
	pthread_sigmask(SIG_SETMASK, NULL, &now);
	assert_true(sigismember(&now, SIGINT));
	if (j->started) {
		pthread_barrier_wait(j->started);
		pthread_barrier_wait(j->go);
	}
	__atomic_fetch_add(&j->counts->run, 1, __ATOMIC_RELAXED);
}

static void finish(struct job *job, void *arg)
{
	struct test_job *j = (struct test_job *)job;

	assert_ptr_equal(arg, j->counts);
	assert_true(pthread_equal(pthread_self(), owner));
	if (j->counts->finished < 64)
		j->counts->order[j->counts->finished] = j->number;
	j->counts->finished++;
	free(j);
}

static void discard(struct job *job)
{
	struct test_job *j = (struct test_job *)job;

	__atomic_fetch_add(&j->counts->discarded, 1, __ATOMIC_RELAXED);
	free(j);
}

static struct test_job *job_new(struct counts *c, int number)
{
	struct test_job *j = calloc(1, sizeof(*j));

	assert_non_null(j);
	j->job = (struct job){.run = run, .finish = finish, .discard = discard};
	j->counts = c;
	j->number = number;
	return j;
}

static void wait_news(const struct workers *w)
{
	struct pollfd fd = {.fd = workers_fd(w), .events = POLLIN};

	assert_int_equal(poll(&fd, 1, 10000), 1);
}

static void test_all(void **state)
{
	struct counts c = {.run = 0};
	struct workers *w = workers_create(3, NULL);
	size_t collected = 0;

	(void)state;
	assert_non_null(w);
	assert_int_equal(workers_collect(w, &c), 0);
	for (int i = 0; i < 5000; i++)
		workers_submit(w, &job_new(&c, i)->job, i % 3 == 0);
	while (collected < 5000) {
		wait_news(w);
		collected += workers_collect(w, &c);
		assert_int_equal(workers_pending(w), 5000 - collected);
	}
	assert_int_equal(c.run, 5000);
	assert_int_equal(c.finished, 5000);
	workers_close(w);
	assert_int_equal(c.discarded, 0);
	workers_close(NULL);
}

/* One worker, kept busy: what waits comes in its order, urgent ones before the rest. */
static void test_urgent(void **state)
{
	static const int expected[] = {0, 3, 4, 1, 2};
	pthread_barrier_t started, go;
	struct counts c = {.run = 0};
	struct workers *w = workers_create(1, NULL);
	struct test_job *first = job_new(&c, 0);

	(void)state;
	pthread_barrier_init(&started, NULL, 2);
	pthread_barrier_init(&go, NULL, 2);
	first->started = &started;
	first->go = &go;
	workers_submit(w, &first->job, false);
	pthread_barrier_wait(&started);
	for (int i = 1; i < 5; i++)
		workers_submit(w, &job_new(&c, i)->job, i >= 3);
	assert_int_equal(workers_collect(w, &c), 0);
	assert_int_equal(workers_pending(w), 5);
	assert_false(workers_wait_until(w, 0));
	assert_false(workers_wait_until(w, clock_ns() + NSEC_PER_MSEC)); /* the first waits for us */
	pthread_barrier_wait(&go);
	workers_wait(w);
	assert_true(workers_wait_until(w, 0));
	assert_int_equal(workers_collect(w, &c), 5);
	for (int i = 0; i < 5; i++)
		assert_int_equal(c.order[i], expected[i]);
	workers_wait(w); /* nothing to wait for */
	workers_close(w);
	pthread_barrier_destroy(&started);
	pthread_barrier_destroy(&go);
}

struct closing {
	struct workers *w;
	pthread_barrier_t *go;
};

static void *let_go(void *arg)
{
	struct closing *c = arg;

	pthread_barrier_wait(c->go);
	return NULL;
}

/* Closed while one runs and others wait: the one ends, the others are discarded. */
static void test_close(void **state)
{
	pthread_barrier_t started, go;
	struct counts c = {.run = 0};
	struct workers *w = workers_create(1, NULL);
	struct closing closing = {w, &go};
	struct test_job *first = job_new(&c, 0);
	pthread_t t;

	(void)state;
	pthread_barrier_init(&started, NULL, 2);
	pthread_barrier_init(&go, NULL, 2);
	first->started = &started;
	first->go = &go;
	workers_submit(w, &first->job, false);
	for (int i = 1; i < 20; i++)
		workers_submit(w, &job_new(&c, i)->job, i & 1);
	pthread_barrier_wait(&started);
	assert_int_equal(pthread_create(&t, NULL, let_go, &closing), 0);
	workers_close(w);
	pthread_join(t, NULL);
	assert_int_equal(c.finished, 0);
	assert_int_equal(c.discarded, 20); /* none twice, none forgotten */
	assert_true(c.run >= 1);
	pthread_barrier_destroy(&started);
	pthread_barrier_destroy(&go);
}

static int begun; /* shared */

static void begin(void)
{
	__atomic_fetch_add(&begun, 1, __ATOMIC_RELAXED);
}

static void test_begin(void **state)
{
	struct counts c = {.run = 0};
	struct workers *w = workers_create(2, begin);

	(void)state;
	workers_submit(w, &job_new(&c, 0)->job, false);
	workers_wait(w);
	assert_true(__atomic_load_n(&begun, __ATOMIC_RELAXED) >= 1);
	workers_close(w);
	assert_int_equal(begun, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all), cmocka_unit_test(test_urgent),
		cmocka_unit_test(test_close), cmocka_unit_test(test_begin),
	};

	owner = pthread_self();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
