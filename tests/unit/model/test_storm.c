/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A machine that starts programs without end, at 999 Hz on two CPUs, beside two programs of 10 000 functions each: what the
 * default history keeps of 20 minutes of it, under sanitizers of 5, or of STORM_MINUTES, 30 at most.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "model/core/model.h"
#include "model/core/state.h"
#include "core/slice/slice.h"
#include "tests/scatter.h"
#include "tests/synth_dict.h"

#define TICK	 (100 * NSEC_PER_MSEC)
#define MINUTE	 600u /* ticks */
#define SAMPLES  100u	/* of each CPU in a tick */
#define PERIOD	 1000000u
#define FORKS	 60u /* that are sampled, in a tick */
#define LIFE	 3u  /* ticks until their ids are released */
#ifdef __SANITIZE_ADDRESS__ /* five times slower; the whole runs without */
#define MINUTES	 5
#else
#define MINUTES	 20
#endif
#define KEPT	 (15 * 60 * NSEC_PER_SEC) /* it must reach back so far */

/* Where it is sampled: one line an object. */
static const struct load {
	const char *object, *function;
	uint32_t functions, places; /* addresses of each */
	unsigned share;	     /* of 100 */
	bool forked;	     /* in short-lived programs */
	bool skewed;	     /* few functions have most of it */
} loads[] = {
	{"alpha", "alpha_f%u", 10000, 6, 20, false, false},
	{"beta", "beta_f%u", 10000, 6, 20, false, false},
	{"[kernel]", "k%u", 1500, 20, 40, true, true},
	{"ld.so", "rtld%u", 150, 12, 15, true, true},
	{"libc.so.6", "libc%u", 400, 8, 5, true, true},
};
#define LOADS	  (sizeof(loads) / sizeof(*loads))
#define FUNCTIONS (10000u + 10000 + 1500 + 150 + 400)

static struct session_event event = {.name = "cpu-clock", .unit = "ns", .period = PERIOD};
static const struct session_info info = {.host = "h", .target = "t", .cpus = 2, .nevents = 1, .events = &event, .live = true};

struct storm {
	struct model *m;
	struct synth_dict dict;
	uint32_t object[LOADS], *path[LOADS], *symbol[LOADS]; /* ids; 0: never met */
	uint32_t steady;	       /* the task of alpha and beta */
	uint32_t task[LIFE][FORKS];
	uint64_t rnd, serial;
	unsigned ticks;
	unsigned collections, both; /* ticks with one; of these, merged in, too */
	uint16_t *hit; /* the function of each sample */
	size_t nhits;
};

/* Of all functions: where those of an object begin. */
static uint32_t first_of(size_t l)
{
	return l ? first_of(l - 1) + loads[l - 1].functions : 0;
}

static uint32_t below(struct storm *t, uint32_t n)
{
	t->rnd = scatter(t->rnd + 1);
	return (uint32_t)(t->rnd % n);
}

static uint32_t path_of(struct storm *t, struct slice *s, size_t l, uint32_t function, uint32_t place)
{
	const struct load *of = &loads[l];
	uint32_t *path = &t->path[l][function * of->places + place], *symbol = &t->symbol[l][function];
	char name[32];

	if (!t->object[l]) {
		t->object[l] = synth_id(&t->dict, DICT_OBJECT);
		synth_put(&t->dict, s, DICT_OBJECT,
			  &(struct dict_object){.id = t->object[l], .name = synth_put_string(&t->dict, s, of->object),
						.kind = *of->object == '[' ? OBJECT_KERNEL : OBJECT_FILE, .state = OBJECT_READY});
	}
	if (!*symbol) {
		snprintf(name, sizeof(name), of->function, function);
		*symbol = synth_put_symbol(&t->dict, s, name, t->object[l], 0x1000 + 256 * (uint64_t)function);
	}
	if (!*path)
		*path = synth_put_path(&t->dict, s, 0,
				       synth_put_frame(&t->dict, s, t->object[l], *symbol,
						       0x1000 + 256 * (uint64_t)function + 8 * place, 0));
	return *path;
}

static void forks(struct storm *t, struct slice *s)
{
	uint32_t *task = t->task[t->ticks % LIFE];

	for (unsigned i = 0; i < FORKS; i++) {
		int32_t pid = 1000 + (int32_t)(t->serial++ % 4000000);
		const char *comm[] = {"tiny_pie", "tiny_static", "true", "sh"};

		if (task[i])
			synth_release(&t->dict, s, DICT_TASK, task[i]);
		task[i] = synth_put_task(&t->dict, s, synth_put_string(&t->dict, s, comm[i % 4]), pid, pid, TASK_EXITED);
	}
}

static void sample(struct storm *t, struct slice *s, uint16_t cpu)
{
	uint32_t at = below(t, 100), function;
	struct slice_row *r;
	size_t l = 0;

	for (; at >= loads[l].share; l++)
		at -= loads[l].share;
	function = below(t, loads[l].functions);
	if (loads[l].skewed)
		function = below(t, below(t, function + 1) + 1);
	t->hit[t->nhits++] = (uint16_t)(first_of(l) + function);
	r = slice_add_row(s);
	assert_non_null(r);
	*r = (struct slice_row){.path = path_of(t, s, l, function, below(t, loads[l].places)), .cpu = cpu, .samples = 1,
				.task = loads[l].forked ? t->task[t->ticks % LIFE][below(t, FORKS)] : t->steady,
				.weight = PERIOD};
}

static void tick(struct storm *t)
{
	uint64_t collections = t->m->collections, done = history_done(&t->m->history);
	struct slice *s = slice_create();

	assert_non_null(s);
	s->start = t->ticks * TICK;
	s->end = s->start + TICK;
	if (!t->steady)
		t->steady = synth_put_task(&t->dict, s, synth_put_string(&t->dict, s, "alpha"), 77, 77, 0);
	forks(t, s);
	for (uint16_t cpu = 0; cpu < 2; cpu++) {
		struct slice_account *a = slice_add_account(s);

		assert_non_null(a);
		*a = (struct slice_account){.cpu = (int16_t)cpu, .exact = true, .samples = SAMPLES, .counted = SAMPLES * PERIOD,
					    .attributed = SAMPLES * PERIOD};
		for (unsigned i = 0; i < SAMPLES; i++)
			sample(t, s, cpu);
	}
	assert_false(t->dict.broken);
	synth_reuse(&t->dict, s);
	assert_int_equal(model_add(t->m, s), 0);
	t->collections += t->m->collections != collections;
	t->both += t->m->collections != collections && history_done(&t->m->history) != done;
	t->ticks++;
}

/* --- what is kept of it ---------------------------------------------------------------------- */

struct truth {
	uint32_t *of;	/* samples of each function */
	uint32_t *rank; /* the same, the most first */
};

static int most_first(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (y > x) - (y < x);
}

static void truth_of(const struct storm *t, struct window w, struct truth *to)
{
	memset(to->of, 0, FUNCTIONS * sizeof(*to->of));
	for (uint64_t i = w.from / TICK; i < w.to / TICK; i++)
		for (unsigned n = 0; n < 2 * SAMPLES; n++)
			to->of[t->hit[i * 2 * SAMPLES + n]]++;
	memcpy(to->rank, to->of, FUNCTIONS * sizeof(*to->of));
	qsort(to->rank, FUNCTIONS, sizeof(*to->rank), most_first);
}

static uint32_t function_of(const struct row *r)
{
	for (size_t l = 0; l < LOADS; l++)
		if (!strcmp(r->object, loads[l].object))
			return first_of(l) + (uint32_t)strtoul(r->name + strlen(loads[l].function) - 2, NULL, 10);
	fail_msg("%s of %s was never sampled", r->name, r->object);
	return 0;
}

/* Rows, accounts and what was sampled agree to the sample; the 1000 largest functions have names and all that is theirs. */
static void check_window(const struct storm *t, struct window w, struct truth *truth)
{
	const struct query q = {.group = GROUP_FUNCTION};
	const struct rows *rows = model_rows(t->m, &q, w);
	uint64_t sum = 0, span = (w.to - w.from) / TICK * 2 * SAMPLES;
	uint32_t large = 0, many = 0, least;
	struct account a;

	assert_non_null(rows);
	truth_of(t, w, truth);
	least = truth->rank[1000];
	while (truth->rank[many] > least)
		many++;
	for (size_t i = 0; i < rows->nr; i++) {
		const struct row *r = &rows->row[i];

		sum += r->samples;
		if (r->flags & ROW_FOLDED)
			continue;
		assert_int_equal(r->samples, truth->of[function_of(r)]);
		large += r->samples > least;
	}
	assert_int_equal(sum, span);
	assert_int_equal(large, many);
	model_account(t->m, 0, ALL_CPUS, w, &a);
	assert_int_equal(a.samples, span);
	assert_int_equal(a.counted, span * PERIOD);
	assert_int_equal(a.attributed, rows->attributed);
}

/* Back through all that is kept: nothing twice, nothing left out. */
static void check_past(const struct storm *t, struct truth *truth)
{
	uint64_t to = model_now(t->m), first = model_first(t->m);

	while (to > first) {
		const struct window asked = {to > 5 * NSEC_PER_SEC ? to - 5 * NSEC_PER_SEC : 0, to}, w = model_kept(t->m, asked);

		assert_int_equal(w.to, to);
		assert_true(w.from < to);
		check_window(t, w, truth);
		to = w.from;
	}
	assert_int_equal(to, first);
}

static struct storm *begin(void)
{
	struct storm *t = calloc(1, sizeof(*t));

	assert_non_null(t);
	for (size_t l = 0; l < LOADS; l++) {
		t->path[l] = calloc((size_t)loads[l].functions * loads[l].places, sizeof(*t->path[l]));
		t->symbol[l] = calloc(loads[l].functions, sizeof(*t->symbol[l]));
		assert_true(t->path[l] && t->symbol[l]);
	}
	t->hit = malloc(30 * MINUTE * 2 * SAMPLES * sizeof(*t->hit));
	t->m = model_create(&info, 0);
	assert_true(t->hit && t->m);
	return t;
}

static void end(struct storm *t)
{
	for (size_t l = 0; l < LOADS; l++) {
		free(t->path[l]);
		free(t->symbol[l]);
	}
	free(t->hit);
	synth_dict_clear(&t->dict);
	model_free(t->m);
	free(t);
}

static unsigned minutes(void)
{
	const char *set = getenv("STORM_MINUTES");
	unsigned long n = set ? strtoul(set, NULL, 10) : MINUTES;

	assert_in_range(n, 1, 30);
	return (unsigned)n;
}

static void test_past_is_kept(void **state)
{
	struct truth truth = {calloc(FUNCTIONS, sizeof(*truth.of)), calloc(FUNCTIONS, sizeof(*truth.rank))};
	const unsigned ticks = minutes() * MINUTE;
	struct storm *t = begin();
	uint64_t reach;

	(void)state;
	assert_true(truth.of && truth.rank);
	while (t->ticks < ticks) {
		tick(t);
		reach = model_now(t->m) - model_first(t->m);
		if (reach < KEPT && reach < model_now(t->m))
			fail_msg("of %u s it has %.0f", (unsigned)(model_now(t->m) / NSEC_PER_SEC), (double)reach / NSEC_PER_SEC);
		if (t->ticks % (ticks / 2) == 0)
			check_past(t, &truth);
	}
	assert_in_range(t->collections, 1, t->ticks);
	assert_int_equal(t->both, 0);
	free(truth.of);
	free(truth.rank);
	end(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_past_is_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
