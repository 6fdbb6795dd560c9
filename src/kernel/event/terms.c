/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/event/terms.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/event/pmu.h"

struct term {
	struct event *e;
	const char *of, *name, *value;
	struct err *err;
};

int terms_number(const char *of, const char *name, const char *value, uint64_t *n, struct err *err)
{
	char *end;

	if (!value) {
		*n = 1;
		return 0;
	}
	errno = 0;
	*n = strtoull(value, &end, 0);
	if (!isdigit((unsigned char)*value) || *end || errno)
		return err_set(err, EINVAL, "%s/%.64s=%.64s/: the value is not a number", of, name,
			       value);
	return 0;
}

static int bounded_number(const struct term *t, uint64_t most, uint64_t *n)
{
	int ret = terms_number(t->of, t->name, t->value, n, t->err);

	if (!ret && *n > most)
		ret = err_set(t->err, EINVAL, "%s/%s=%.64s/: the maximum is %llu", t->of, t->name,
			      t->value, (unsigned long long)most);
	return ret;
}

static int set_period(const struct term *t)
{
	uint64_t n;
	int ret = bounded_number(t, UINT64_MAX, &n);

	t->e->attr.sample_period = n;
	t->e->attr.freq = !strcmp(t->name, "freq");
	t->e->rated = true;
	return ret;
}

static int set_name(const struct term *t)
{
	if (!t->value || !*t->value)
		return err_set(t->err, EINVAL, "%s/name/: which?", t->of);
	snprintf(t->e->name, sizeof(t->e->name), "%s", t->value);
	return 0;
}

static int set_paths(const struct term *t)
{
	static const struct {
		const char *word;
		enum event_paths paths;
	} modes[] = {
		{"no", EVENT_PATHS_NONE}, {"fp", EVENT_PATHS_FP},     {"dwarf", EVENT_PATHS_DWARF},
		{"lbr", EVENT_PATHS_LBR}, {"auto", EVENT_PATHS_AUTO},
	};

	for (size_t i = 0; t->value && i < sizeof(modes) / sizeof(modes[0]); i++)
		if (!strcmp(t->value, modes[i].word)) {
			t->e->paths = modes[i].paths;
			return 0;
		}
	return err_set(t->err, EINVAL, "%s/call-graph=%.64s/: must be no, auto, fp, dwarf or lbr",
		       t->of, t->value ? t->value : "");
}

/* Set the stack size, rounded up: the kernel requires multiples of 8. */
static int set_stack(const struct term *t)
{
	uint64_t n;
	int ret = bounded_number(t, EVENT_STACK_MOST, &n);

	t->e->stack_bytes = (uint32_t)(n + 7) / 8 * 8;
	return ret || n ? ret
			: err_set(t->err, EINVAL,
				  "%s/stack-size=0/: call-graph=fp copies no stacks", t->of);
}

/* Set the maximum length; as in perf, that also turns on call paths. */
static int set_depth(const struct term *t)
{
	uint64_t n;
	int ret = bounded_number(t, UINT16_MAX, &n);

	t->e->max_stack = (uint16_t)n;
	if (t->e->paths == EVENT_PATHS_SESSION)
		t->e->paths = EVENT_PATHS_FP;
	return ret;
}

/* Parse WORD or no-WORD, each with =0 or =1. */
static int set_choice(const struct term *t, uint8_t *choice)
{
	bool no = !strncmp(t->name, "no-", 3);
	uint64_t n;
	int ret = bounded_number(t, 1, &n);

	*choice = (n != 0) != no ? EVENT_YES : EVENT_NO;
	return ret;
}

static int set_inherit(const struct term *t)
{
	return set_choice(t, &t->e->inherit);
}

static int set_inherit_thread(const struct term *t)
{
	uint64_t n;
	int ret = bounded_number(t, 1, &n);

	t->e->inherit_thread = n & 1;
	return ret;
}

static int set_overwrite(const struct term *t)
{
	return set_choice(t, &t->e->overwrite);
}

/* Accept a term that changes no event, such as percore, which is about sums of counters. */
static int set_nothing(const struct term *t)
{
	uint64_t n;

	return bounded_number(t, 1, &n);
}

static int set_aux_output(const struct term *t)
{
	uint64_t n;
	int ret = bounded_number(t, 1, &n);

	t->e->attr.aux_output = n & 1;
	return ret;
}

static int set_sample_size(const struct term *t)
{
	uint64_t n;
	int ret = bounded_number(t, UINT32_MAX, &n);

	t->e->attr.aux_sample_size = (uint32_t)n;
	return ret;
}

static int set_action(const struct term *t)
{
	static const struct {
		const char *name;
		uint32_t action;
	} actions[] = {
	    {"start-paused", PMU_AUX_START_PAUSED}, {"pause", PMU_AUX_PAUSE},
	    {"resume", PMU_AUX_RESUME},
	};

	for (size_t i = 0; t->value && i < sizeof(actions) / sizeof(*actions); i++) {
		if (!strcmp(t->value, actions[i].name)) {
			pmu_set_aux_action(&t->e->attr, actions[i].action);
			return 0;
		}
	}
	return err_set(t->err, EINVAL,
		       "%s/aux-action=%.64s/: must be start-paused, pause or resume", t->of,
		       t->value ? t->value : "");
}

/* Set the weight field. Whether it exists is checked when records are read. */
static int set_weight(const struct term *t)
{
	if (t->e->attr.type != PERF_TYPE_TRACEPOINT)
		return err_set(t->err, EINVAL, "%s/weight=/: only tracepoints have fields", t->of);
	if (!t->value || !*t->value)
		return err_set(t->err, EINVAL, "%s/weight/: the field is missing", t->of);
	free(t->e->weight);
	t->e->weight = strdup(t->value);
	return t->e->weight ? 0 : err_set(t->err, ENOMEM, "out of memory");
}

static const struct {
	const char *name;
	int (*set)(const struct term *t);
} table[] = {
	{"period", set_period},
	{"freq", set_period},
	{"name", set_name},
	{"weight", set_weight},
	{"call-graph", set_paths},
	{"stack-size", set_stack},
	{"max-stack", set_depth},
	{"inherit", set_inherit},
	{"no-inherit", set_inherit},
	{"inherit-thread", set_inherit_thread},
	{"overwrite", set_overwrite},
	{"no-overwrite", set_overwrite},
	{"percore", set_nothing},
	{"time", set_nothing},
	{"aux-output", set_aux_output},
	{"aux-sample-size", set_sample_size},
	{"aux-action", set_action},
};

int terms_apply(struct event *e, const char *of, const char *name, const char *value,
		struct err *err)
{
	const struct term t = {e, of, name, value, err};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (!strcmp(name, table[i].name))
			return table[i].set(&t);
	return -ENOENT;
}
