/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * This rule reports what threads wait for, where that is measured.  Every wait is measured, none
 * sampled: their number does not tell how sure a share is.  Kernel threads without work and stopped
 * threads (off-cpu:resting) do not count as waiting.
 */
#include "model/judge/explain_parts.h"

#include "base/clock.h"

#define DOMINATES  0.5  /* share of the threads' time, on and off CPUs */
#define WORTH_PART 0.05 /* share of the waiting: a state that has it is named */
#define CALLER                                                                                     \
	0.5 /* share of a wait's time that comes from one caller: else it comes from several */
#define WAKER	   0.5

/* Words for a wait's reason, by its event. */
static const struct {
	const char *event, *words;
} states[] = {
	{"off-cpu:disk", "for the disk"},
	{"off-cpu:runnable", "runnable"},
	{"off-cpu:sleeping", "asleep"},
};

enum { IN_LINE = 1 }; /* its place there */

#define STATES (sizeof(states) / sizeof(*states))

struct waits {
	unsigned event; /* event of all waits, then that of the largest state */
	uint64_t ns, number, running;
	uint64_t of[STATES];
};

static uint64_t attributed_time(const struct explain_scene *s, const char *name, unsigned *event,
				uint64_t *number)
{
	struct account a;

	if (!session_event_named(model_info(s->m), name, NULL, event))
		return 0;
	model_account(s->m, *event, ALL_CPUS, s->w, &a);
	*number = a.samples;
	return a.attributed;
}

static bool find_waits(const struct explain_scene *s, struct waits *w)
{
	uint64_t number, resting, most = 0;
	unsigned event;

	*w = (struct waits){.ns = 0};
	w->ns = attributed_time(s, "off-cpu", &w->event, &w->number);
	w->running = attributed_time(s, "on-cpu", &event, &number);
	resting = attributed_time(s, "off-cpu:resting", &event, &number);
	w->ns -= resting < w->ns ? resting : w->ns;
	for (size_t i = 0; i < STATES; i++) {
		w->of[i] = attributed_time(s, states[i].event, &event, &number);
		if (w->of[i] <= most)
			continue;
		most = w->of[i];
		w->event = event;
		w->number = number;
	}
	return w->ns > 0;
}

static double waiting_share(const struct waits *w)
{
	return (double)w->ns / (double)(w->ns + w->running);
}

/* Report how many threads were runnable at a time, and how many ever were. */
static void say_line(struct explain_scene *s, uint64_t ns)
{
	struct query q = *s->q;
	const struct rows *rows;
	size_t threads = 0;
	bool more = false;

	q.group = GROUP_THREAD;
	q.sort = SORT_SELF;
	q.reverse = false;
	q.limit = 0;
	rows = session_event_named(model_info(s->m), states[IN_LINE].event, NULL, &q.event)
		       ? model_rows(s->m, &q, s->w)
		       : NULL;
	for (size_t i = 0; rows && i < rows->nr; i++) {
		threads += !(rows->row[i].flags & (ROW_FOLDED | ROW_LOST));
		more |= rows->row[i].flags & ROW_FOLDED;
	}
	if (!threads || !(s->seconds > 0))
		return;
	explain_value(s, "in_line", (double)ns / NSEC_PER_SEC / s->seconds);
	explain_value(s, "in_line_threads", (double)threads);
	explain_say(s, " (%.2g at a time, %s%zu thread%s)", (double)ns / NSEC_PER_SEC / s->seconds,
		    more ? "more than " : "", threads, threads == 1 ? "" : "s");
}

/* Report the states, the largest first. */
static void say_states(struct explain_scene *s, const struct waits *w)
{
	bool said[STATES] = {false};

	for (size_t n = 0; n < STATES; n++) {
		size_t most = STATES;

		for (size_t i = 0; i < STATES; i++)
			if (!said[i] && (most == STATES || w->of[i] > w->of[most]))
				most = i;
		said[most] = true;
		if ((double)w->of[most] < WORTH_PART * (double)w->ns)
			break;
		explain_say(s, ", %.0f%% of that %s", 100 * (double)w->of[most] / (double)w->ns,
			    states[most].words);
		if (most == IN_LINE)
			say_line(s, w->of[most]);
	}
	explain_say(s, ".");
}

/* Return true for a runtime library of all programs: its callers tell more than its functions. */
static bool is_runtime(const char *object)
{
	static const char *const names[] = {"libc.so",	"libc-",   "libpthread", "libstdc++",
					    "ld-linux", "ld-musl", "libc++"};
	const char *base = text_base(object);

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strncmp(base, names[i], strlen(names[i])))
			return true;
	return false;
}

/*
 * Report the first caller outside of the kernel, if a runtime library's, and the first of the
 * program itself.
 */
static void say_callers(struct explain_scene *s, const struct query *q, uint64_t function)
{
	struct tree_query tq = {.q = *q,
				.order = TREE_BOTTOM_UP,
				.function = function,
				.fold = TREE_FOLD,
				.limit = TREE_LIMIT};
	const struct tree *t = model_tree(s->m, &tq, s->w);
	const struct tree_node *entered = NULL, *caller = NULL;

	for (uint32_t n = t && t->nr ? t->node[0].child : 0; n && !caller; n = t->node[n].child) {
		const struct tree_node *at = &t->node[n];

		if (at->flags & (TREE_OTHER | TREE_LOST | TREE_UNRESOLVED) || explain_is_cut(at) ||
		    (double)at->total < CALLER * (double)t->node[0].total)
			break;
		if (at->flags & TREE_KERNEL)
			continue;
		if (is_runtime(at->object))
			entered = at;
		else
			caller = at;
	}
	if (entered) {
		explain_say(s, ", by ");
		explain_name(s, entered->name);
	}
	if (caller) {
		explain_say(s, entered ? ", called from " : ", from ");
		explain_name(s, caller->name);
		explain_say(s, " (");
		explain_name(s, text_base(caller->object));
		explain_say(s, ")");
	}
}

static void say_waker(struct explain_scene *s)
{
	struct query q = *s->q;
	const struct rows *rows;

	if (!session_event_named(model_info(s->m), "off-cpu:woken", NULL, &q.event))
		return;
	q.group = GROUP_FUNCTION;
	q.sort = SORT_SELF;
	q.limit = 1;
	rows = model_rows(s->m, &q, s->w);
	if (!rows || !rows->nr || rows->row[0].self_share < WAKER || rows->row[0].name[0] == '[')
		return;
	explain_say(s, "; woken by ");
	explain_name(s, rows->row[0].name);
	explain_say(s, " (%.0f%%)", rows->row[0].self_share * 100);
}

static bool say_waits(struct explain_scene *s, const struct waits *w)
{
	struct query q = *s->q;
	char waited[UNITS_LEN];
	const struct rows *rows;

	explain_value(s, "share", waiting_share(w));
	explain_value(s, "off_cpu_ns", (double)w->ns);
	explain_value(s, "waits", (double)w->number);
	explain_say(s, "Threads wait %.0f%% of their time (%s)", waiting_share(w) * 100,
		    units_span(waited, w->ns));
	say_states(s, w);
	q.event = w->event;
	q.group = GROUP_FUNCTION;
	q.sort = SORT_SELF;
	q.reverse = false;
	q.limit = 1;
	rows = model_rows(s->m, &q, s->w);
	if (!rows || !rows->nr)
		return true;
	explain_say(s, " Most of it (%.0f%%, %s wait%s) is in ", rows->row[0].self_share * 100,
		    explain_count(rows->row[0].samples), rows->row[0].samples == 1 ? "" : "s");
	explain_name(s, rows->row[0].name);
	say_callers(s, &q, rows->row[0].key);
	say_waker(s);
	explain_say(s, ".");
	return true;
}

/* Most threads of a whole machine wait for work: then waits are not the first line. */
static bool are_first(const struct explain_scene *s, const struct waits *w)
{
	return !s->whole && waiting_share(w) >= DOMINATES;
}

bool explain_waits_first(struct explain_scene *s)
{
	struct waits w;

	return s->waits && find_waits(s, &w) && are_first(s, &w) && say_waits(s, &w);
}

bool explain_waits_last(struct explain_scene *s)
{
	struct waits w;

	return s->waits && find_waits(s, &w) && !are_first(s, &w) && say_waits(s, &w);
}
