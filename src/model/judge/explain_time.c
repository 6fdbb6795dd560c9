/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/judge/explain_parts.h"

#include <math.h>

#include "base/clock.h"

#define KERNEL_SHARE   0.3
#define SYSCALL_SHARE  0.5 /* share of the kernel's time that is below its entry for system calls */
#define SATURATED      0.95 /* share of a CPU's time */
#define UNEVEN	       0.7  /* mean share of all CPUs: below it the saturated one stands out */
#define WAITS_MOSTLY   0.5  /* share of one CPU: a program that uses less of it mostly waits */
#define PATH_FUNCTIONS 5
#define PATH_SHARE     0.5 /* least share of a caller's weight: with less the path forks there */
#define HOTTEST	       3
#define CPUS	       1024
#define QUOTA_SHARE    0.1 /* least share of a CPU quota's periods in which threads had to wait */

/* --- how much of a CPU ------------------------------------------------------------------------ */

static const char *cpu_time_span(char buf[UNITS_LEN], double seconds)
{
	return units_span(buf, (uint64_t)(seconds * NSEC_PER_SEC));
}

static void say_idle(struct explain_scene *s, double part)
{
	char used[UNITS_LEN];

	explain_say(s, "%s: %s of CPU time in %.1f s, %.2g%% of %s (%llu sample%s).",
		    s->whole ? "The machine is idle" : "It is idle",
		    s->used > 0 ? cpu_time_span(used, s->used) : "no", s->seconds, part * 100,
		    s->whole ? "its CPUs" : "one CPU", (unsigned long long)s->samples,
		    s->samples == 1 ? "" : "s");
}

bool explain_used(struct explain_scene *s)
{
	double part = s->used / s->seconds;
	char used[UNITS_LEN];

	if (!(s->seconds > 0) || isnan(s->used))
		return false;
	explain_value(s, "cpus_used", part);
	explain_value(s, "cpus", s->cpus);
	explain_value(s, "cpu_seconds", s->used);
	explain_value(s, "samples", (double)s->samples);
	if (s->idle)
		say_idle(s, s->whole ? part / s->cpus : part);
	else if (s->whole)
		explain_say(s, "%.1f of %u CPUs are used: %s of CPU time in %.1f s (%s samples).",
			    part, s->cpus, cpu_time_span(used, s->used), s->seconds,
			    explain_count(s->samples));
	else if (part < 1)
		explain_say(s, "It uses %.0f%% of one of %u CPUs: %s in %.1f s (%s samples).",
			    part * 100, s->cpus, cpu_time_span(used, s->used), s->seconds,
			    explain_count(s->samples));
	else
		explain_say(s, "It uses %.1f of %u CPUs: %s of CPU time in %.1f s (%s samples).",
			    part, s->cpus, cpu_time_span(used, s->used), s->seconds,
			    explain_count(s->samples));
	if (!s->waits && !s->whole && part < WAITS_MOSTLY)
		explain_say(s, " %s: --off-cpu shows for what.",
			    s->idle ? "It waits" : "It mostly waits");
	return true;
}

bool explain_quota(struct explain_scene *s)
{
	struct query q = *s->q;
	const struct rows *rows;
	const struct row *r;
	char waited[UNITS_LEN];

	q.group = GROUP_CGROUP;
	q.sort = SORT_THROTTLED;
	q.reverse = false;
	rows = model_rows(s->m, &q, s->w);
	r = rows && rows->nr ? &rows->row[0] : NULL;
	if (!r || !r->periods || (double)r->throttled < QUOTA_SHARE * (double)r->periods)
		return false;
	explain_value(s, "periods", (double)r->periods);
	explain_value(s, "throttled", (double)r->throttled);
	explain_value(s, "throttled_ns", (double)r->throttled_ns);
	explain_say(s, "The CPU quota of ");
	explain_name(s, *r->cgroup ? r->cgroup : r->name);
	explain_say(
		s,
		" throttled it in %llu of %llu periods, for %s in total: it waits for its quota "
		"(cpu.max).", (unsigned long long)r->throttled, (unsigned long long)r->periods,
		units_span(waited, r->throttled_ns));
	return true;
}

/* Report a saturated CPU, by each CPU's busy share of the window. */
bool explain_saturated(struct explain_scene *s)
{
	int cpus[CPUS], worst = -1;
	size_t nr = model_account_cpus(s->m, s->q->event, cpus, CPUS), places = 0;
	double most = 0, sum = 0, share;
	uint64_t samples = 0;
	const char *host;

	for (size_t i = 0;
	     i < nr && i < CPUS && explain_is_clock(explain_event(s)) && s->seconds > 0; i++) {
		struct account a;

		if (session_place(model_info(s->m), cpus[i]).cpu < 0)
			continue;
		model_account(s->m, s->q->event, cpus[i], s->w, &a);
		share = (double)(a.busy.user + a.busy.kernel) / (s->seconds * NSEC_PER_SEC);
		places++;
		sum += share;
		if (share > most) {
			most = share;
			worst = cpus[i];
			samples = a.samples;
		}
	}
	if (most < SATURATED)
		return false;
	host = session_place_name(model_info(s->m), worst);
	explain_value(s, "cpu", session_place(model_info(s->m), worst).cpu);
	explain_value(s, "busy", fmin(most, 1));
	explain_value(s, "mean", sum / (double)places);
	explain_value(s, "samples", (double)samples);
	if (sum / (double)places >= UNEVEN) {
		explain_say(s, "The CPUs are busy: %.0f%% on average of %zu.",
			    fmin(sum / (double)places, 1) * 100, places);
		return true;
	}
	explain_say(s, "CPU %d%s", session_place(model_info(s->m), worst).cpu, *host ? " of " : "");
	explain_name(s, host);
	explain_say(
		s,
		" is busy %.0f%% of the time (%s samples), all %zu on average %.0f%%: one CPU is "
		"the bottleneck.",
		fmin(most, 1) * 100, explain_count(samples), places, sum / (double)places * 100);
	return true;
}

/* --- functions and paths ---------------------------------------------------------------------- */

/*
 * A function that is named; alike: only its object's whole path distinguishes it from another one.
 */
struct named {
	struct row row;
	bool alike;
};

static void tell_apart(const struct rows *rows, size_t at, struct named *n)
{
	const struct row *is = &rows->row[at];

	*n = (struct named){.row = *is};
	for (size_t i = 0; i < rows->nr; i++)
		n->alike |= i != at && !strcmp(rows->row[i].name, is->name) &&
			    !strcmp(text_base(rows->row[i].object), text_base(is->object));
}

/* Find the largest rows that have a name and enough samples.  Return how many there are. */
static size_t find_named(const struct rows *rows, struct named named[HOTTEST])
{
	size_t nr = 0;

	for (size_t i = 0; i < rows->nr && nr < HOTTEST; i++)
		if (!explain_is_nameless(&rows->row[i]) && rows->row[i].samples >= EXPLAIN_SAMPLES)
			tell_apart(rows, i, &named[nr++]);
	return nr;
}

static void say_function(struct explain_scene *s, const struct named *n)
{
	explain_name(s, n->row.name);
	if (!*n->row.object)
		return;
	explain_say(s, " (");
	explain_name(s, n->alike ? n->row.object : text_base(n->row.object));
	if (*n->row.host) {
		explain_say(s, " on ");
		explain_name(s, n->row.host);
	}
	explain_say(s, ")");
}

/* Say which process runs the function most, where several do. */
static void say_process(struct explain_scene *s, const struct row *r)
{
	struct tree_query tq = {.q = *s->q,
				.order = TREE_BOTTOM_UP,
				.tasks = TREE_PROCESSES,
				.function = r->key,
				.fold = TREE_FOLD,
				.limit = TREE_LIMIT};
	const struct tree *t = r->ntasks > 1 ? model_tree(s->m, &tq, s->w) : NULL;
	const struct tree_node *most =
		t && t->nr && t->node[0].child ? &t->node[t->node[0].child] : NULL;

	if (!most || !(most->flags & TREE_TASK) || most->pid < 0 || most->samples < EXPLAIN_SAMPLES)
		return;
	explain_say(s, " Of its %u processes ", r->ntasks);
	explain_name(s, most->name);
	explain_say(s, " %d uses the most (%.0f%%).", most->pid,
		    100 * (double)most->total / (double)t->node[0].total);
}

static void say_none_stands_out(struct explain_scene *s, const struct rows *rows)
{
	struct named first;
	size_t i = 0;

	while (i < rows->nr && (explain_is_nameless(&rows->row[i]) || !rows->row[i].samples))
		i++;
	if (i == rows->nr) {
		explain_say(s,
			    "The hottest function cannot be determined: no function has a name.");
		return;
	}
	tell_apart(rows, i, &first);
	explain_say(s, "The hottest function cannot be determined: of the functions with names ");
	say_function(s, &first);
	explain_say(s, " has the most, %llu of %s samples.", (unsigned long long)first.row.samples,
		    explain_count(s->samples));
}

bool explain_hottest(struct explain_scene *s)
{
	const struct rows *rows = explain_functions(s);
	struct named named[HOTTEST];
	size_t nr = rows ? find_named(rows, named) : 0;
	bool largest;

	if (!rows || !rows->nr)
		return false;
	if (!nr) {
		explain_value(s, "samples", (double)rows->row[0].samples);
		say_none_stands_out(s, rows);
		return true;
	}
	largest = named[0].row.key == rows->row[0].key;
	explain_value(s, "share", named[0].row.self_share);
	explain_value(s, "samples", (double)named[0].row.samples);
	explain_say(s, largest ? "" : "Of functions with names, ");
	for (size_t i = 0; i < nr; i++) {
		explain_say(s, i == 0 ? "" : i == 1 ? ", then " : ", ");
		say_function(s, &named[i]);
		explain_say(s, i ? " %.1f%% (%s)" : " has %.1f%% of the time (%s samples)",
			    named[i].row.self_share * 100, explain_count(named[i].row.samples));
	}
	explain_say(s, ".");
	say_process(s, &named[0].row);
	return true;
}

/* Return true if a path may go through the node: it is a function, not a sum or a lost path. */
static bool is_step(const struct tree_node *n)
{
	return !explain_is_cut(n) && !(n->flags & (TREE_OTHER | TREE_LOST)) &&
	       !explain_is_left_out(n->name, n->object);
}

/*
 * Return the node where the hottest path ends: no callee has most of its weight; *from: its first.
 */
static uint32_t path_end(const struct tree *t, uint32_t *from)
{
	uint32_t n = t->node[0].child, child;

	while (n && !is_step(&t->node[n]))
		n = t->node[n].next;
	*from = n;
	while (n) {
		child = t->node[n].child;
		if (!child || !is_step(&t->node[child]) ||
		    (double)t->node[child].total < PATH_SHARE * (double)t->node[n].total)
			break;
		n = child;
	}
	return n;
}

bool explain_path(struct explain_scene *s)
{
	const struct tree *t = explain_tree(s);
	uint32_t from, end = t && t->nr ? path_end(t, &from) : 0, first = end;

	if (!end || t->node[end].depth < 2 || t->node[end].samples < EXPLAIN_SAMPLES)
		return false;
	for (int i = 1; i < PATH_FUNCTIONS && first != from; i++)
		first = t->node[first].parent;
	explain_value(s, "share", t->node[end].total_share);
	explain_value(s, "depth", t->node[end].depth);
	explain_value(s, "samples", (double)t->node[end].samples);
	explain_say(s, "The hottest path has %.1f%% (%s samples): %s",
		    t->node[end].total_share * 100, explain_count(t->node[end].samples),
		    first == from ? "" : "... > ");
	for (uint32_t n = first;; n = t->node[n].child) {
		explain_name(s, t->node[n].name);
		if (t->node[n].calls)
			explain_say(s, " x%u", t->node[n].calls + 1);
		if (n == end)
			break;
		explain_say(s, " > ");
	}
	explain_say(s, ".");
	return true;
}

/* --- the kernel ------------------------------------------------------------------------------- */

/* Return true for a function by which the kernel enters system calls, on any architecture. */
static bool is_syscall_entry(const char *name)
{
	static const char *const names[] = {"do_syscall_64",
					    "entry_SYSCALL_64",
					    "entry_SYSCALL_64_after_hwframe",
					    "el0_svc",
					    "invoke_syscall",
					    "do_trap_ecall_u",
					    "system_call_exception",
					    "do_int80_syscall_32"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

bool explain_kernel(struct explain_scene *s)
{
	const struct busy *b = &s->account.busy;
	double all = (double)(b->user + b->kernel), share = all > 0 ? (double)b->kernel / all : 0;
	const struct rows *rows = explain_functions(s);
	uint64_t samples = 0, calls = 0;

	if (share < KERNEL_SHARE || !rows)
		return false;
	for (size_t i = 0; i < rows->nr; i++) {
		const struct row *r = &rows->row[i];

		samples += r->flags & ROW_KERNEL ? r->samples : 0;
		calls = r->flags & ROW_KERNEL && is_syscall_entry(r->name) && r->total > calls
				? r->total
				: calls;
	}
	explain_value(s, "share", share);
	explain_value(s, "samples", (double)samples);
	explain_say(s, "The kernel has %.0f%% of the time that is not idle (%s samples",
		    share * 100, explain_count(samples));
	if (explain_is_clock(explain_event(s))) {
		char kernel[UNITS_LEN], busy[UNITS_LEN];

		explain_say(s, ", %s of %s", units_span(kernel, b->kernel),
			    units_span(busy, b->kernel + b->user));
	}
	explain_say(s, ").");
	if ((double)calls >= SYSCALL_SHARE * (double)b->kernel)
		explain_say(s, " Most of it is system calls: --question syscalls counts them.");
	return true;
}
