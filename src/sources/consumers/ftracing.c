/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sources/consumers/ftracing.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/atomics.h"
#include "base/clock.h"
#include "base/text.h"
#include "base/units.h"
#include "kernel/event/eventfilter.h"
#include "kernel/event/parse.h"
#include "kernel/event/tracepoint.h"
#include "sources/ftrace/instance.h"
#include "sources/live/reader_ftrace.h"
#include "sources/live/readers.h"
#include "sources/live/scope.h"

/* Fill level in percent at which a ring wakes its reader, like perf's. */
#define WAKE_PERCENT "25"

#define TIDS_AT_ONCE 64
#define ROUNDS 16 /* rounds of looking for threads that came to be meanwhile */
#define SHUT_NS (2 * NSEC_PER_SEC) /* how long a tick waits for closed or opened buffers */

struct ftracing {
	const struct scope *scope;
	struct instance *instance;
	uint64_t bytes;  /* shared: also for the readers' gauges */
	uint64_t wanted; /* shared: requested size; 0: as they are */
	bool overwrite, on;
	unsigned nr;
	uint16_t *listed;    /* index in the list */
	uint8_t *calls;      /* by index in the list: addresses of a record that are its path */
	uint16_t *event;     /* by id: index in the list */
	unsigned nids;
	const char *tracer;  /* NULL: none */
	bool shut;           /* not all readers have opened theirs again */
	bool off_said, foreign_said, stolen_said, failed_said, reset_said;
};

/* --- events ----------------------------------------------------------------------------------- */

/* Events that tracers write, with the number of addresses in them. */
static const struct {
	const char *tracer, *event, *weight;
	uint8_t calls;
} tracers[] = {
	{"function", "ftrace:function", NULL, 2},
	{"function_graph", "ftrace:funcgraph_exit", "rettime-calltime", 1},
	{"function_graph", "ftrace:funcgraph_entry", NULL, 1},
};

#define TRACERS (sizeof(tracers) / sizeof(*tracers))

/* Return the tracer that writes the event; NULL: none. */
static const char *tracer_of(const struct event *e, uint8_t *calls)
{
	for (size_t i = 0; i < TRACERS; i++)
		if (!strcmp(e->name, tracers[i].event)) {
			*calls = tracers[i].calls;
			return tracers[i].tracer;
		}
	return NULL;
}

/* Refuse perf's modifiers and terms, which mean nothing here. */
static int check_event(const struct event *e, struct err *err)
{
	const struct perf_event_attr *a = &e->attr;

	if (a->type != PERF_TYPE_TRACEPOINT || e->probe)
		return err_set(err, EINVAL, "%s is not a tracepoint, and ftrace records only those",
			       e->name);
	if (a->exclude_user || a->exclude_kernel || a->exclude_hv || a->pinned || a->precise_ip ||
	    e->rated || e->group || e->weak || e->sample_read || e->paths || e->max_stack ||
	    e->inherit || e->overwrite)
		return err_set(
			err, EINVAL,
			"%s: ftrace does not support modifiers and terms other than weight=FIELD",
			e->name);
	return 0;
}

static int make_ftrace_event(struct event_list *list, unsigned event, struct err *err)
{
	struct event *e = &list->events[event];
	int ret = check_event(e, err);

	for (unsigned i = 0; i < event && !ret; i++)
		if (list->events[i].role == EVENT_FTRACE &&
		    list->events[i].attr.config == e->attr.config)
			ret = err_set(err, EINVAL, "%s is given twice", e->name);
	e->role = EVENT_FTRACE;
	e->rated = true; /* each hit is a record */
	e->attr.sample_period = 1;
	e->attr.freq = 0;
	return ret;
}

/* Return what follows the name in TRACER[:FUNCTIONS], "" or ":..."; NULL: another tracer. */
static const char *behind_tracer(const char *text, const char *tracer)
{
	size_t len = strlen(tracer);

	return !strncmp(text, tracer, len) && (!text[len] || text[len] == ':') ? text + len : NULL;
}

/* Add an event of a tracer; its filter is the functions that are traced. */
static int add_traced(size_t tracer, const char *functions, struct event_list *list,
		      struct err *err)
{
	int ret = event_parse(tracers[tracer].event, list, err);
	struct event *e;

	if (ret)
		return ret == -ENOMEM ? ret
				      : err_set(err, EINVAL, "this kernel has no tracer '%s'",
						tracers[tracer].tracer);
	e = &list->events[list->nr - 1];
	if (tracers[tracer].weight && !(e->weight = strdup(tracers[tracer].weight)))
		return err_set(err, ENOMEM, "out of memory");
	if (*functions && !(e->filter = strdup(functions + 1)))
		return err_set(err, ENOMEM, "out of memory");
	return 0;
}

static int parse_one(const char *text, struct event_list *list, struct err *err)
{
	bool is_tracer = false;
	int ret = 0;

	for (size_t i = 0; i < TRACERS && !ret; i++) {
		const char *functions = behind_tracer(text, tracers[i].tracer);

		if (functions && functions[0] && !functions[1 + strspn(functions + 1, " ")])
			return err_set(err, EINVAL, "%s: no function is named", text);
		if (functions)
			ret = add_traced(i, functions, list, err);
		is_tracer |= functions != NULL;
	}
	return is_tracer ? ret : event_parse(text, list, err);
}

/* Check the rights before an event's file is looked for, which may be invisible without them. */
static int allowed(struct err *err)
{
	const char *root = tracepoint_root(err);

	return root && !instance_allowed(root, err) ? 0 : err_prefix(err, "--ftrace");
}

int ftracing_parse(const char *text, struct event_list *list, struct err *err)
{
	unsigned first = list->nr;
	bool terms = false;
	char *copy = strdup(text);
	int ret = copy ? allowed(err) : err_set(err, ENOMEM, "out of memory");

	/* A comma in terms, as in weight=..., is theirs. */
	for (char *at = copy, *from = copy; at && !ret; at++) {
		char stop = *at;

		terms ^= stop == '/';
		if (stop && (stop != ',' || terms))
			continue;
		*at = '\0';
		ret = parse_one(from, list, err);
		from = at + 1;
		if (!stop)
			break;
	}
	free(copy);
	for (unsigned i = first; i < list->nr && !ret; i++)
		ret = make_ftrace_event(list, i, err);
	return ret == -EINVAL ? err_option(err, "--ftrace") : ret;
}

bool ftracing_wanted(const struct event_list *list)
{
	for (unsigned i = 0; i < list->nr; i++)
		if (list->events[i].role == EVENT_FTRACE)
			return true;
	return false;
}

/* --- the instance ----------------------------------------------------------------------------- */

static int write_setting(const struct ftracing *t, const char *file, const char *text,
			 struct err *err)
{
	return instance_write(t->instance, file, text, err) ? err_option(err, "--ftrace") : 0;
}

/* Write the CPUs in tracefs' format: 32 of them a word, the last first. */
static int write_cpumask(const struct ftracing *t, struct err *err)
{
	const struct cpus *cpus = &t->scope->watched;
	unsigned words = 1;
	char *text;
	size_t pos = 0;
	int ret;

	for (unsigned i = 0; i < cpus->nr; i++)
		words = (unsigned)cpus->cpu[i] / 32 + 1 > words ? (unsigned)cpus->cpu[i] / 32 + 1
								: words;
	text = malloc(words * 9 + 1);
	if (!text)
		return err_set(err, ENOMEM, "out of memory");
	for (unsigned w = words; w-- > 0;) {
		uint32_t bits = 0;

		for (unsigned i = 0; i < cpus->nr; i++)
			if ((unsigned)cpus->cpu[i] / 32 == w)
				bits |= 1u << cpus->cpu[i] % 32;
		pos = text_append(text, words * 9 + 1, pos, "%08x%s", bits, w ? "," : "");
	}
	ret = write_setting(t, "tracing_cpumask", text, err);
	free(text);
	return ret;
}

/* Add threads to the files.  The kernel copies its whole list at each write, so many go at once. */
static int put_tids(const struct ftracing *t, const pid_t *tids, size_t nr, struct err *err)
{
	int ret = 0;

	for (size_t i = 0; i < nr && !ret;) {
		char text[TIDS_AT_ONCE * 12];
		size_t at = 0;

		for (size_t n = 0; n < TIDS_AT_ONCE && i < nr; n++, i++)
			at = text_append(text, sizeof(text), at, "%d ", (int)tids[i]);
		ret = instance_append(t->instance, "set_event_pid", text, err);
		if (!ret && t->tracer)
			ret = instance_append(t->instance, "set_ftrace_pid", text, err);
	}
	return ret ? err_option(err, "--ftrace") : 0;
}

static int put_target(const struct ftracing *t, struct err *err)
{
	const struct target *target = &t->scope->target;
	int ret = t->scope->any_cpu ? 0 : write_cpumask(t, err);

	if (ret || target->kind == TARGET_SYSTEM)
		return ret;
	if (target->kind == TARGET_USER)
		return err_set(
			err, EINVAL,
			"--ftrace: the kernel selects hits by threads and CPUs: use -p, -t, "
			"COMMAND or -C, or as root the whole machine");
	ret = write_setting(t, "options/event-fork", target->inherit ? "1" : "0", err);
	if (!ret && t->tracer)
		ret = write_setting(t, "options/function-fork", target->inherit ? "1" : "0", err);
	return ret ? ret : put_tids(t, target->tids, target->ntids, err);
}

/* A task made before its parent was in the kernel's list is missing there; it adds later ones. */
int ftracing_follow(const struct ftracing *t, struct target *target, struct err *err)
{
	int ret = 0;

	for (unsigned round = 0;
	     target->inherit && target->kind == TARGET_PROCESSES && round < ROUNDS && !ret;
	     round++) {
		const pid_t *fresh;
		size_t found = target_finds(target) ? target_rescan(target, &fresh) : 0;

		found += target_rescan_threads(target, &fresh);
		if (!found)
			break;
		ret = put_tids(t, target->tids + target->ntids - found, found, err);
	}
	return ret;
}

static bool lists_tracer(const char *text, const char *word)
{
	size_t len = strlen(word);

	for (const char *at = text; (at = strstr(at, word)); at += len)
		if ((at == text || at[-1] == ' ') && strchr(" \n", at[len]))
			return true;
	return false;
}

static int put_tracer(const struct ftracing *t, struct err *err)
{
	char have[256];

	if (!t->tracer)
		return 0;
	if (instance_read(t->instance, "available_tracers", have, sizeof(have), err) < 0)
		return err_option(err, "--ftrace");
	have[strcspn(have, "\n")] = '\0';
	if (!lists_tracer(have, t->tracer))
		return err_set(
			err, EINVAL,
			"--ftrace %s: this kernel has no such tracer for instances; it has: %s",
			t->tracer, have);
	return write_setting(t, "current_tracer", t->tracer, err);
}

/*
 * Set the traced functions.  Before the tracer is set: it would trace them all until then.  A word
 * without an end is only looked up when the file is closed, where no error is reported.
 */
static int write_functions(const struct ftracing *t, const struct event *e, struct err *err)
{
	char *line;
	int ret;

	if (!e->filter)
		return 0;
	if (asprintf(&line, "%s\n", e->filter) < 0)
		return err_set(err, ENOMEM, "out of memory");
	ret = instance_write(t->instance, "set_ftrace_filter", line, err);
	free(line);
	if (ret != -EINVAL)
		return ret ? err_option(err, "--ftrace") : 0;
	err_set(err, EINVAL, "--ftrace: there is no traceable function '%s'", e->filter);
	return err_advise(err, "%s/available_filter_functions lists them", tracepoint_root(NULL));
}

static int set_up_event(struct ftracing *t, unsigned i, struct err *err)
{
	const struct event *e = &t->scope->events.events[t->listed[i]];
	char name[EVENT_NAME_LEN], file[EVENT_NAME_LEN + 32];
	int ret = tracepoint_name(e->name, e->attr.config, name, sizeof(name));
	uint8_t calls;

	if (ret)
		return err_set(err, EINVAL, "--ftrace: %s has no name in tracefs", e->name);
	if (tracer_of(e, &calls))
		return write_functions(t, e, err); /* the tracer enables it */
	*strchr(name, ':') = '/';
	snprintf(file, sizeof(file), "events/%s/filter", name);
	if (e->filter && (ret = instance_write(t->instance, file, e->filter, NULL)))
		return eventfilter_explain(e, -ret, err);
	snprintf(file, sizeof(file), "events/%s/enable", name);
	return write_setting(t, file, "1", err);
}

/* Set the size, in whole sub-buffers without heads: the kernel rounds, so it is read back. */
static int resize(struct ftracing *t, uint64_t bytes, struct err *err)
{
	char kb[32];
	uint64_t is;
	int ret;

	snprintf(kb, sizeof(kb), "%llu", (unsigned long long)(bytes >> 10));
	ret = write_setting(t, "buffer_size_kb", kb, err);
	if (ret || instance_read(t->instance, "buffer_size_kb", kb, sizeof(kb), NULL) < 0)
		return ret;
	is = strtoull(kb, NULL, 10);
	atomic_store_relaxed(&t->bytes, is ? is << 10 : bytes);
	return 0;
}

static int set_up(struct ftracing *t, struct err *err)
{
	int ret = write_setting(t, "tracing_on", "0", err);

	if (!ret)
		ret = write_setting(t, "trace_clock", "perf", err);
	if (!ret)
		ret = resize(t, t->bytes, err);
	if (!ret)
		ret = write_setting(t, "options/overwrite", t->overwrite ? "1" : "0", err);
	/* Before 5.0 a reader is woken by any record. */
	if (!ret)
		instance_write(t->instance, "buffer_percent", WAKE_PERCENT, NULL);
	if (!ret)
		ret = put_target(t, err);
	for (unsigned i = 0; i < t->nr && !ret; i++)
		ret = set_up_event(t, i, err);
	return ret ? ret : put_tracer(t, err);
}

/* --- making ----------------------------------------------------------------------------------- */

static int index_events(struct ftracing *t, struct err *err)
{
	const struct event_list *list = &t->scope->events;

	for (unsigned i = 0; i < list->nr; i++)
		if (list->events[i].role == EVENT_FTRACE && list->events[i].attr.config >= t->nids)
			t->nids = (unsigned)list->events[i].attr.config + 1;
	if (t->nids > UINT16_MAX)
		return err_set(err, EINVAL, "--ftrace: an event's id is too large for a record");
	t->listed = calloc(list->nr, sizeof(*t->listed));
	t->calls = calloc(list->nr, sizeof(*t->calls));
	t->event = malloc((t->nids + 1) * sizeof(*t->event));
	if (!t->listed || !t->event || !t->calls)
		return err_set(err, ENOMEM, "out of memory");
	memset(t->event, 0xff, (t->nids + 1) * sizeof(*t->event)); /* FTRACING_NONE */
	for (unsigned i = 0; i < list->nr; i++) {
		const struct event *e = &list->events[i];
		const char *tracer;

		if (e->role != EVENT_FTRACE)
			continue;
		t->listed[t->nr++] = (uint16_t)i;
		t->event[e->attr.config] = (uint16_t)i;
		tracer = tracer_of(e, &t->calls[i]);
		if (tracer && t->tracer && strcmp(tracer, t->tracer))
			return err_set(err, EINVAL, "--ftrace: one tracer at a time: %s or %s",
				       t->tracer, tracer);
		t->tracer = tracer ? tracer : t->tracer;
	}
	return 0;
}

int ftracing_create(const struct scope *sc, uint64_t bytes, struct ftracing **to, struct err *err)
{
	struct ftracing *t = calloc(1, sizeof(*t));
	int ret;

	*to = t;
	if (!t)
		return err_set(err, ENOMEM, "out of memory");
	*t = (struct ftracing){.scope = sc, .bytes = bytes, .overwrite = !sc->no_overwrite};
	ret = index_events(t, err);
	if (!ret)
		ret = instance_create(tracepoint_root(NULL), &t->instance, err)
			      ? err_option(err, "--ftrace")
			      : 0;
	if (!ret)
		ret = set_up(t, err);
	if (!ret)
		return 0;
	*to = NULL;
	ftracing_free(t);
	return ret;
}

void ftracing_free(struct ftracing *t)
{
	if (!t)
		return;
	if (t->instance)
		instance_free(t->instance);
	free(t->listed);
	free(t->calls);
	free(t->event);
	free(t);
}

int ftracing_enable(struct ftracing *t, bool on)
{
	t->on = on;
	return instance_write(t->instance, "tracing_on", on ? "1" : "0", NULL);
}

void ftracing_switch(void *tracing, struct tick_now *n)
{
	ftracing_enable(tracing, !n->parts->readers->off);
}

/* --- another size ----------------------------------------------------------------------------- */

int ftracing_resize(struct ftracing *t, uint64_t bytes, struct err *err)
{
	if (bytes < 1024)
		return err_set(err, EINVAL, "a size of %llu bytes: ftrace's buffers have whole KiB",
			       (unsigned long long)bytes);
	atomic_store_relaxed(&t->wanted, bytes);
	return 0;
}

/* Log the change.  Hits meanwhile are written and counted nowhere (kernel: tracing_stop_tr). */
static void log_new_size(const struct ftracing *t, uint64_t before, uint64_t since, struct slice *s)
{
	char was[UNITS_LEN], is[UNITS_LEN], still[UNITS_LEN];

	slice_log(
		s, SLICE_INFO,
		"--ftrace: each CPU's buffer now has %s (before: %s); nothing was recorded for %s "
		"while the kernel changed them",
		units_bytes(is, (double)t->bytes), units_bytes(was, (double)before),
		units_span(still, clock_ns() - since));
}

/*
 * Let readers open theirs again.  A late one has not closed its own yet: it gets the request later.
 */
static void open_again(struct ftracing *t, struct readers *rs)
{
	readers_wait(rs, SHUT_NS);
	t->shut = !readers_all_done(rs);
	readers_call(rs, READER_FTRACE_OPEN, SHUT_NS);
}

void ftracing_step(void *tracing, struct tick_now *n)
{
	struct ftracing *t = tracing;
	struct readers *rs = n->parts->readers;
	uint64_t wanted = atomic_load_relaxed(&t->wanted), before = t->bytes, since;
	struct err err = {.code = 0};

	if (t->shut)
		open_again(t, rs);
	if (!wanted || !readers_all_done(rs))
		return;
	atomic_store_relaxed(&t->wanted, 0);
	readers_call(rs, READER_FTRACE_SHUT, SHUT_NS);
	since = clock_ns();
	if (resize(t, wanted, &err))
		slice_log(n->s, SLICE_WARNING, "the size of ftrace's buffers is unchanged: %s",
			  err.text);
	else
		log_new_size(t, before, since, n->s);
	if (rs->between)
		readers_unseen(rs, since);
	open_again(t, rs);
}

/* --- interference ----------------------------------------------------------------------------- */

static void check_ftrace_rings(struct ftracing *t, const struct readers *rs, struct slice *s)
{
	uint64_t foreign = 0, stolen = 0, resets = 0;
	int failure = 0;

	for (unsigned i = 0; i < rs->nr; i++) {
		const struct reader_ftrace *f =
			rs->reader[i].answered ? reader_tracing(rs->reader[i].reader) : NULL;

		if (!f)
			continue;
		foreign += reader_ftrace_foreign(f);
		stolen += reader_ftrace_stolen(f);
		resets += reader_ftrace_resets(f);
		failure = failure ? failure : reader_ftrace_failure(f);
	}
	if (foreign && !t->foreign_said)
		slice_log(
			s, SLICE_WARNING,
			"--ftrace: another program writes to ringtop's instance: it has records "
			"of other events");
	if (stolen && !t->stolen_said)
		slice_log(
			s, SLICE_WARNING,
			"--ftrace: another program reads the buffers of ringtop's instance: "
			"records it takes are lost (unknown)");
	if (resets && !t->reset_said)
		slice_log(
			s, SLICE_WARNING,
			"--ftrace: another program cleared the buffers of ringtop's instance: "
			"their records are not counted");
	if (failure && !t->failed_said)
		slice_log(s, SLICE_WARNING, "--ftrace: a buffer cannot be read any more: %s",
			  strerror(-failure));
	t->foreign_said |= foreign > 0;
	t->stolen_said |= stolen > 0;
	t->reset_said |= resets > 0;
	t->failed_said |= failure != 0;
}

void ftracing_tell(void *tracing, struct tick_now *n)
{
	struct ftracing *t = tracing;
	struct slice *s = n->s;
	char on[16];
	int ret = 0;
	ssize_t len;
	bool off;

	if (!n->all)
		return;
	len = instance_read(t->instance, "tracing_on", on, sizeof(on), NULL);
	ret = len < 0 ? (int)len : 0;
	off = ret || (t->on && *on == '0');
	if (ret && !t->off_said)
		slice_log(s, SLICE_WARNING, "--ftrace: ringtop's instance %s was removed: %s",
			  instance_path(t->instance), strerror(-ret));
	else if (off && !t->off_said)
		slice_log(
			s, SLICE_WARNING,
			"--ftrace: another program disabled ringtop's instance (%s/tracing_on is "
			"0): nothing is recorded since", instance_path(t->instance));
	t->off_said = off;
	check_ftrace_rings(t, n->parts->readers, s);
}

/* --- for readers ------------------------------------------------------------------------------ */

const char *ftracing_dir(const struct ftracing *t)
{
	return instance_path(t->instance);
}

bool ftracing_overwrites(const struct ftracing *t)
{
	return t->overwrite;
}

uint64_t ftracing_bytes(const struct ftracing *t)
{
	return atomic_load_relaxed(&t->bytes);
}

unsigned ftracing_events(const struct ftracing *t)
{
	return t->nr;
}

uint16_t ftracing_event(const struct ftracing *t, uint16_t type)
{
	return type < t->nids ? t->event[type] : FTRACING_NONE;
}

unsigned ftracing_listed(const struct ftracing *t, unsigned i)
{
	return t->listed[i];
}

unsigned ftracing_calls(const struct ftracing *t, unsigned event)
{
	return t->calls[event];
}
