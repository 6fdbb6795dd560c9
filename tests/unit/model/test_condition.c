/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "model/judge/alerts.h"
#include "model/core/marks.h"
#include "model/judge/condition.h"
#include "model/judge/condition_actions.h"

static struct condition t;
static struct err err;

static void takes(const char *text, enum condition_kind kind, const char *name, double limit, uint64_t hold)
{
	assert_int_equal(condition_parse(text, "--alert", &t, &err), 0);
	assert_int_equal(t.kind, kind);
	assert_string_equal(t.name, name);
	assert_true(t.limit > limit - 1e-9 && t.limit < limit + 1e-9);
	assert_int_equal(t.hold, hold);
}

static void refuses(const char *text, const char *says, unsigned character)
{
	char at[32];

	snprintf(at, sizeof(at), "(character %u)", character);
	assert_int_equal(condition_parse(text, "--alert", &t, &err), -EINVAL);
	assert_non_null(strstr(err.text, says));
	assert_non_null(strstr(err.text, at));
}

static void test_grammar(void **state)
{
	(void)state;
	takes("function>80%:2s", CONDITION_FUNCTION, "", .8, 2 * NSEC_PER_SEC);
	takes("function > 80", CONDITION_FUNCTION, "", .8, 0);
	takes("function:main>0.5%:500ms", CONDITION_FUNCTION, "main", .005, 500 * NSEC_PER_MSEC);
	takes("function:std::vector<int>::at>5%:1m", CONDITION_FUNCTION, "std::vector<int>::at", .05,
	      60 * NSEC_PER_SEC);
	takes("function:operator>>9%", CONDITION_FUNCTION, "operator>", .09, 0);
	takes("task:Web Content>50%:1", CONDITION_TASK, "Web Content", .5, NSEC_PER_SEC);
	takes("lost>1%", CONDITION_LOST, "", .01, 0);
	takes("samples/s<10:5s", CONDITION_SAMPLES, "", 10, 5 * NSEC_PER_SEC);
	assert_true(t.below);
	takes("delta>3sigma", CONDITION_DELTA, "", 3, 0);
	takes("delta:main > 2.5 sigma:10s", CONDITION_DELTA, "main", 2.5, 10 * NSEC_PER_SEC);
	takes("delta>4", CONDITION_DELTA, "", 4, 0);
	takes("event:sched:sched_switch", CONDITION_EVENT, "sched:sched_switch", 0, 0);
}

static void test_refusals(void **state)
{
	char text[CONDITION_TEXT + 1];

	(void)state;
	refuses("", "function[:NAME]", 1);
	refuses("nonsense", "function[:NAME]", 1);
	refuses("function>-3%", "a number", 10);
	refuses("function>100%", "nothing can be more", 10);
	refuses("lost<0", "nothing can be less", 6);
	refuses("function", "a number", 9);
	refuses("function>", "a number", 10);
	refuses("function>inf", "a number", 10);
	refuses("function>0x10%", "':' and a time", 11);
	refuses("fun>80%", "function[:NAME]", 1);
	refuses("function:>80%", "a name", 10);
	refuses("lost:x>80%", "function[:NAME]", 1);
	refuses("function>101%", "100%", 10);
	refuses("samples/s>5%", "plain number", 12);
	refuses("function>80%:", "a time", 14);
	refuses("function>80%:2h", "ms, s or m", 15);
	refuses("function>80%:2s!", "ms, s or m", 15);
	refuses("function>80%:99999s", "an hour", 14);
	refuses("function>80% 2s", "':' and a time", 14);
	refuses("delta<3sigma", "after >", 7);
	refuses("delta>3%", "plain number", 8);
	refuses("delta>3sig", "':' and a time", 8);
	refuses("function>3sigma", "':' and a time", 11);
	refuses("event:", "name of an event", 7);
	memset(text, 'x', sizeof(text) - 1);
	text[CONDITION_TEXT] = '\0';
	assert_int_equal(condition_parse(text, "--alert", &t, &err), -EINVAL);
}

/* --- over a session ----------------------------------------------------------------------- */

enum { HOT = 1, COLD, NAMES };

static struct session_event events[2] = {{.name = "cpu-clock", .unit = "ns", .period = 1},
					 {.name = "sched:sched_switch:k", .unit = "", .period = 1}};
static const struct session_info info = {.nevents = 2, .events = events, .live = true};

static const char *hot_name = "hot";

static void say_names(struct slice *s)
{
	const char *const names[] = {hot_name, "cold", "app"};

	for (uint32_t i = 1; i <= NAMES; i++) {
		struct dict_string e = {.id = i, .len = (uint32_t)strlen(names[i - 1]),
					.text = names[i - 1]};

		assert_int_equal(slice_upsert(s, DICT_STRING, &e), 0);
	}
	assert_int_equal(slice_upsert(s, DICT_OBJECT, &(struct dict_object){.id = 1, .name = NAMES,
									    .state = OBJECT_READY}), 0);
	assert_int_equal(slice_upsert(s, DICT_TASK, &(struct dict_task){.id = 1, .pid = 42, .tid = 42,
									.comm = NAMES, .proc_comm = NAMES}), 0);
	for (uint32_t i = HOT; i <= COLD; i++) {
		struct dict_symbol y = {.id = i, .name = i, .object = 1, .addr = i * 4096, .size = 64};
		struct dict_frame f = {.id = i, .object = 1, .symbol = i, .addr = i * 4096};
		struct dict_path p = {.id = i, .frame = i};

		assert_int_equal(slice_upsert(s, DICT_SYMBOL, &y), 0);
		assert_int_equal(slice_upsert(s, DICT_FRAME, &f), 0);
		assert_int_equal(slice_upsert(s, DICT_PATH, &p), 0);
	}
}

static void add_samples(struct slice *s, unsigned event, uint32_t path, uint32_t samples)
{
	struct slice_row *r = slice_add_row(s);

	*r = (struct slice_row){.event = (uint16_t)event, .path = path, .task = 1, .samples = samples,
				.weight = samples};
}

/* One tick: of 100 samples `hot` are HOT's; `hits` of the second event. */
static void tick(struct model *m, uint32_t hot, uint32_t hits)
{
	struct slice *s = slice_create();
	struct slice_account *a;

	s->start = model_now(m);
	s->end = s->start + 100 * NSEC_PER_MSEC;
	if (!s->start)
		say_names(s);
	add_samples(s, 0, HOT, hot);
	add_samples(s, 0, COLD, 100 - hot);
	if (hits)
		add_samples(s, 1, COLD, hits);
	for (uint16_t e = 0; e < 2; e++) {
		a = slice_add_account(s);
		a->event = e;
		a->exact = true;
		a->samples = a->counted = a->attributed = e ? hits : 100;
	}
	assert_int_equal(model_add(m, s), 0);
}

/* How often it fires in so many ticks; the last reason stays in `why`. */
static char why[CONDITION_TEXT];

static unsigned fires(struct model *m, unsigned ticks, uint32_t hot, uint32_t hits)
{
	unsigned n = 0;

	while (ticks--) {
		tick(m, hot, hits);
		n += condition_step(&t, m, why, sizeof(why));
	}
	return n;
}

static struct model *begin(const char *text)
{
	struct model *m = model_create(&info, 0);

	assert_non_null(m);
	assert_int_equal(condition_parse(text, "--alert", &t, &err), 0);
	assert_int_equal(condition_bind(&t, &info, &err), 0);
	return m;
}

static void test_holds_then_fires_once(void **state)
{
	struct model *m = begin("function>80%:2s");

	(void)state;
	assert_int_equal(fires(m, 30, 50, 0), 0);
	/* A second until the window is all of it, at most; then two seconds. */
	assert_int_equal(fires(m, 20, 90, 0), 0);
	assert_int_equal(fires(m, 10, 90, 0), 1);
	assert_non_null(strstr(why, "function>80%:2s (hot 90.0%)"));
	assert_int_equal(fires(m, 50, 90, 0), 0);
	/* 75 % is below the limit but not by a tenth: not armed again. */
	assert_int_equal(fires(m, 30, 75, 0), 0);
	assert_int_equal(fires(m, 50, 90, 0), 0);
	assert_int_equal(fires(m, 30, 60, 0), 0);
	assert_int_equal(fires(m, 40, 90, 0), 1);
	assert_int_equal(t.fires, 2);
	model_free(m);
}

/* What a condition holds is all of it; of a longer name of who fired it the reason has the beginning. */
static void test_lengths(void **state)
{
	char text[CONDITION_TEXT], name[8192], says[CONDITION_TEXT];
	struct model *m;

	(void)state;
	memset(text, 'x', sizeof(text));
	memcpy(text, "event:", 6);
	text[CONDITION_TEXT - 1] = '\0';
	assert_int_equal(condition_parse(text, "--alert", &t, &err), 0);
	assert_string_equal(t.text, text);
	assert_string_equal(t.name, text + 6);
	memset(name, 'n', sizeof(name));
	for (size_t len = 254; len < sizeof(name); len += len < 257 ? 1 : sizeof(name) - 1 - 257) {
		name[len] = '\0';
		hot_name = name;
		m = begin("function>80%");
		assert_int_equal(fires(m, 20, 90, 0), 1);
		snprintf(says, sizeof(says), "function>80%% (%.255s 90.0%%)", name);
		assert_string_equal(why, says);
		model_free(m);
		name[len] = 'n';
	}
	hot_name = "hot";
}

static void test_interrupted(void **state)
{
	struct model *m = begin("function:hot>80%:2s");

	(void)state;
	for (int i = 0; i < 4; i++) {
		assert_int_equal(fires(m, 20, 95, 0), 0);
		assert_int_equal(fires(m, 10, 5, 0), 0);
	}
	model_free(m);
}

static void test_names(void **state)
{
	struct model *m = begin("function:cold>80%");

	(void)state;
	assert_int_equal(fires(m, 20, 90, 0), 0);
	assert_int_equal(fires(m, 20, 10, 0), 1);
	model_free(m);
	m = begin("task:app>99%:1s");
	assert_int_equal(fires(m, 30, 50, 0), 1);
	model_free(m);
	m = begin("task:other>0%");
	assert_int_equal(fires(m, 30, 50, 0), 0);
	model_free(m);
}

static void test_rate(void **state)
{
	struct model *m = begin("samples/s>1500:1s");

	(void)state;
	assert_int_equal(fires(m, 30, 50, 0), 0); /* 1000 a second */
	assert_int_equal(fires(m, 30, 50, 100), 1);
	model_free(m);
	m = begin("samples/s<1500");
	assert_int_equal(fires(m, 20, 50, 0), 1);
	model_free(m);
}

static void test_event(void **state)
{
	struct model *m = begin("event:sched:sched_switch");

	(void)state;
	assert_int_equal(fires(m, 5, 50, 0), 0);
	assert_int_equal(fires(m, 1, 50, 1), 1);
	assert_int_equal(fires(m, 30, 50, 1), 0); /* it goes on all the time: one */
	assert_int_equal(fires(m, 1, 50, 0), 0);
	assert_int_equal(fires(m, 1, 50, 3), 1);
	model_free(m);
	assert_int_equal(condition_parse("event:sched:sched_swi", "--alert", &t, &err), 0);
	assert_int_equal(condition_bind(&t, &info, &err), -EINVAL);
	assert_non_null(strstr(err.advice, "sched:sched_switch:k"));
}

/* --- what they do ------------------------------------------------------------------------- */

static unsigned snapshots;
static struct session_mark saved;

static int take_command(struct session *s, const struct session_request *rq, struct err *e)
{
	(void)s, (void)e;
	snapshots += rq->command == SESSION_SNAPSHOT;
	if (rq->command == SESSION_MARK) {
		saved.time = rq->number;
		snprintf(saved.name, sizeof(saved.name), "%s", rq->text);
	}
	return 0;
}

static const struct session_ops ops = {.name = "test", .command = take_command};
static struct session session = {.ops = &ops, .info = {.saving = "file"}};
static struct conditions conditions;

static bool served(struct model *m, unsigned ticks, uint32_t hot)
{
	bool any = false;

	while (ticks--) {
		tick(m, hot, 0);
		any |= conditions_serve(&conditions, m, &session);
	}
	return any;
}

static void test_each_does_its_own(void **state)
{
	struct model *m = model_create(&info, 0);
	const struct mark *mark;
	const struct alert *a;

	(void)state;
	snapshots = 0;
	assert_int_equal(conditions_add(&conditions, CONDITIONS_SNAPSHOT, "function>80%", &err), 0);
	assert_int_equal(conditions_add(&conditions, CONDITIONS_MARK, "function>80%:1s", &err), 0);
	assert_int_equal(conditions_add(&conditions, CONDITIONS_ALERT, "function>80%", &err), 0);
	assert_int_equal(conditions_bind(&conditions, &info, &err), 0);
	assert_false(served(m, 20, 50));
	assert_int_equal(model_marks(m, &mark), 0);
	assert_true(served(m, 20, 90));
	assert_int_equal(snapshots, 1);
	assert_int_equal(model_marks(m, &mark), 1);
	assert_string_equal(mark->name, "function>80%:1s (hot 90.0%)");
	assert_string_equal(saved.name, mark->name);
	assert_int_equal(saved.time, mark->time);
	assert_int_equal(model_alerts(m)->nr, 1);
	a = model_alerts(m)->alert;
	assert_string_equal(a->reason, "function>80% (hot 82.0%)");
	assert_string_equal(a->condition, "function>80%");
	assert_int_equal(a->until, 0);
	assert_string_equal(a->command, "");
	assert_int_equal(mark->time - a->time, NSEC_PER_SEC);
	assert_true(served(m, 20, 50));
	assert_true(a->until > a->time && a->until <= model_now(m));
	assert_false(alerts_in(a, a->until, UINT64_MAX));
	assert_true(alerts_in(a, a->until - 1, UINT64_MAX));
	assert_false(alerts_in(a, 0, a->time - 1));
	assert_true(served(m, 20, 90));
	assert_int_equal(model_alerts(m)->nr, 2);
	conditions_clear(&conditions);
	model_free(m);
}

/* Time goes back: what was said is said anew, and a mark is not there twice. */
static void test_rewound(void **state)
{
	struct model *m = model_create(&info, 0);
	const struct mark *mark;

	(void)state;
	assert_int_equal(conditions_add(&conditions, CONDITIONS_MARK, "function>80%", &err), 0);
	assert_int_equal(conditions_add(&conditions, CONDITIONS_ALERT, "function>80%:1s", &err), 0);
	for (int i = 0; i < 2; i++) {
		served(m, 40, 90);
		assert_int_equal(model_alerts(m)->nr, 1);
		assert_int_equal(model_alerts(m)->alert->time, 2 * NSEC_PER_SEC);
		assert_int_equal(model_marks(m, &mark), 1);
		model_rewind(m);
	}
	conditions_clear(&conditions);
	model_free(m);
}

static void child_ends(void)
{
	siginfo_t ended;

	assert_int_equal(waitid(P_ALL, 0, &ended, WEXITED | WNOWAIT), 0);
}

static struct alert *newest(struct model *m)
{
	struct alerts *all = model_alerts(m);

	return &all->alert[all->nr - 1];
}

/* What it is told; that nothing of a name is a command; and that the next one is held back. */
static void test_command(void **state)
{
	char file[] = "/tmp/ringtop-alert.XXXXXX", command[200], got[256] = "";
	struct model *m = model_create(&info, 0);
	int fd = mkstemp(file);
	FILE *f;

	(void)state;
	assert_true(fd >= 0);
	hot_name = "$(touch /tmp/x)\033[31m;`id`";
	snprintf(command, sizeof(command), "sh -c 'printf \"%%s|%%s|%%s|%%s\" \"$RINGTOP_ALERT\" \"$RINGTOP_REASON\" "
					   "\"$RINGTOP_NUMBER\" \"$RINGTOP_TIME\" > %s'", file);
	assert_int_equal(conditions_command(&conditions, command, -1, &err), 0);
	assert_int_equal(conditions_add(&conditions, CONDITIONS_ALERT, "function>80%", &err), 0);
	served(m, 10, 90);
	assert_string_equal(newest(m)->command, "running");
	child_ends();
	served(m, 1, 90);
	assert_string_equal(newest(m)->command, "exit 0");
	f = fdopen(fd, "r");
	assert_non_null(fgets(got, sizeof(got), f));
	assert_string_equal(got, "function>80%|function>80% ($(touch /tmp/x)\\x1b[31m;`id` 90.0%)|1|1.000");
	fclose(f);
	unlink(file);
	served(m, 20, 50);
	served(m, 20, 90);
	assert_int_equal(newest(m)->nr, 2);
	assert_non_null(strstr(newest(m)->command, "held back: it ran "));
	conditions_clear(&conditions);
	model_free(m);
	hot_name = "hot";
}

static void command_says(const char *command, const char *says, bool starts)
{
	struct model *m = model_create(&info, 0);

	assert_int_equal(conditions_command(&conditions, command, -1, &err), 0);
	assert_int_equal(conditions_add(&conditions, CONDITIONS_ALERT, "function>80%", &err), 0);
	served(m, 10, 90);
	if (starts)
		child_ends();
	served(m, 1, 90);
	assert_string_equal(newest(m)->command, says);
	conditions_clear(&conditions);
	model_free(m);
}

static void test_commands_that_fail(void **state)
{
	(void)state;
	command_says("false", "exit 1", true);
	command_says("sh -c 'kill -9 $$'", "killed by signal 9", true);
	command_says("/nonexistent/command", "cannot be run: No such file or directory", false);
	assert_int_equal(conditions_command(&conditions, " ", -1, &err), -EINVAL);
	assert_non_null(strstr(err.text, "--on-alert"));
	conditions_clear(&conditions);
}

static void test_too_many(void **state)
{
	(void)state;
	for (int i = 0; i < CONDITIONS_MAX; i++)
		assert_int_equal(conditions_add(&conditions, CONDITIONS_MARK, "lost>1%", &err), 0);
	assert_int_equal(conditions_add(&conditions, CONDITIONS_ALERT, "lost>1%", &err), -EINVAL);
	assert_non_null(strstr(err.text, "--alert"));
	conditions_clear(&conditions);
}

/* 20 points more is far more than samples drawn by lot differ by; the same all the time is not. */
static void test_delta(void **state)
{
	struct model *m = begin("delta>4sigma");

	(void)state;
	assert_int_equal(fires(m, 400, 50, 0), 0);
	assert_int_equal(fires(m, 80, 70, 0), 1);
	assert_non_null(strstr(why, "delta>4sigma ("));
	assert_non_null(strstr(why, " points, "));
	model_free(m);
	m = begin("delta:hot>4sigma");
	assert_int_equal(fires(m, 200, 50, 0), 0);
	assert_int_equal(fires(m, 80, 30, 0), 1);
	assert_non_null(strstr(why, "delta:hot>4sigma (-"));
	model_free(m);
	m = begin("delta:none>1sigma");
	assert_int_equal(fires(m, 200, 50, 0), 0);
	assert_int_equal(fires(m, 80, 30, 0), 0);
	model_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_grammar),	    cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_lengths), cmocka_unit_test(test_interrupted), cmocka_unit_test(test_holds_then_fires_once),
		cmocka_unit_test(test_names),	    cmocka_unit_test(test_rate),
		cmocka_unit_test(test_event),	    cmocka_unit_test(test_delta),
		cmocka_unit_test(test_each_does_its_own), cmocka_unit_test(test_rewound),
		cmocka_unit_test(test_command),	    cmocka_unit_test(test_commands_that_fail),
		cmocka_unit_test(test_too_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
