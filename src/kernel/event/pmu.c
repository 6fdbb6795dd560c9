/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * No PMU is hard-coded here: names, fields and events are read from sysfs. At most a page is read
 * of each file, and an event's terms may not be events again.
 */
#include "kernel/event/pmu.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/text.h"
#include "kernel/event/terms.h"

#define SYSFS	  "/sys/bus/event_source/devices"
#define NAMES_MAX 512 /* entries listed from a directory */
#define TERM_MAX  PMU_TEXT_LEN

static const char *root = SYSFS;

void pmu_set_root(const char *dir)
{
	root = dir ? dir : SYSFS;
}

/* --- fields ------------------------------------------------------------------------------- */

static bool parse_bit(const char **s, unsigned *bit)
{
	char *end;

	if (!isdigit((unsigned char)**s))
		return false;
	*bit = (unsigned)strtoul(*s, &end, 10);
	if (end - *s > 2 || *bit > 63)
		return false;
	*s = end;
	return true;
}

bool pmu_parse_field(const char *text, struct pmu_field *f)
{
	static const char prefix[] = "config";
	const char *s = text;
	unsigned from, to;

	*f = (struct pmu_field){0};
	if (strncmp(s, prefix, sizeof(prefix) - 1))
		return false;
	s += sizeof(prefix) - 1;
	if (*s >= '1' && *s <= '3')
		f->word = (uint8_t)(*s++ - '0');
	for (char expected = ':'; *s == expected; expected = ',') {
		s++;
		if (!parse_bit(&s, &from))
			return false;
		to = from;
		if (*s == '-' && (s++, !parse_bit(&s, &to)))
			return false;
		if (to < from)
			return false;
		f->bits |= (~0ull >> (63 - (to - from))) << from;
	}
	return f->bits && (!*s || !strcmp(s, "\n"));
}

bool pmu_place(const struct pmu_field *f, uint64_t value, uint64_t *word)
{
	uint64_t placed = 0;

	for (unsigned bit = 0; bit < 64; bit++) {
		if (!(f->bits >> bit & 1))
			continue;
		placed |= (value & 1) << bit;
		value >>= 1;
	}
	*word = (*word & ~f->bits) | placed;
	return !value;
}

static uint64_t *attr_word(struct perf_event_attr *a, unsigned word)
{
	switch (word) {
	case 0:
		return (uint64_t *)&a->config;
	case 1:
		return (uint64_t *)&a->config1;
	case 2:
		return (uint64_t *)&a->config2;
#ifdef PERF_ATTR_SIZE_VER8
	case 3:
		return (uint64_t *)&a->config3;
#endif
	default:
		return NULL;
	}
}

/* aux_action replaced a reserved word, between aux_sample_size and sig_data. */
#define ACTION_AT (offsetof(struct perf_event_attr, sig_data) - sizeof(uint32_t))

void pmu_set_aux_action(struct perf_event_attr *a, uint32_t action)
{
	memcpy((char *)a + ACTION_AT, &action, sizeof(action));
}

uint32_t pmu_aux_action(const struct perf_event_attr *a)
{
	uint32_t action;

	memcpy(&action, (const char *)a + ACTION_AT, sizeof(action));
	return action;
}

/* --- sysfs -------------------------------------------------------------------------------- */

/* Return false for a component of a path that could leave its directory. */
static bool plain_name(const char *name)
{
	return *name && *name != '.' && strlen(name) < PMU_NAME_LEN && !strchr(name, '/');
}

int pmu_file(const char *pmu, const char *dir, const char *name, char *buf, size_t size)
{
	char path[512];
	ssize_t n;

	if (!plain_name(pmu) || !plain_name(name) ||
	    snprintf(path, sizeof(path), "%s/%s/%s/%s", root, pmu, dir, name) >= (int)sizeof(path))
		return -ENOENT;
	n = io_read_text(path, buf, size);
	buf[strcspn(buf, "\n")] = '\0';
	return n < 0 ? (int)n : 0;
}

static int name_compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* List the names in a directory below the root, sorted, at most `max`. The caller frees each. */
static size_t list_names(const char *pmu, const char *dir, char **names, size_t max)
{
	char path[512];
	struct dirent *e;
	size_t nr = 0;
	DIR *d;

	snprintf(path, sizeof(path), "%s/%s/%s", root, pmu, dir);
	d = opendir(path);
	while (d && nr < max && (e = readdir(d)))
		if (plain_name(e->d_name) && (names[nr] = strdup(e->d_name)))
			nr++;
	if (d)
		closedir(d);
	qsort(names, nr, sizeof(*names), name_compare);
	return nr;
}

/* Return true for NAME.scale and NAME.unit, which describe the event NAME. */
static bool is_about_another(const char *name)
{
	return strchr(name, '.') != NULL;
}

/* Join the names in a directory, separated by ", "; "none" if there are none. */
static void join_names(const char *pmu, const char *dir, char *buf, size_t size)
{
	char *names[NAMES_MAX];
	size_t nr = list_names(pmu, dir, names, NAMES_MAX), pos = 0;

	*buf = '\0';
	for (size_t i = 0; i < nr; i++) {
		if (!is_about_another(names[i]))
			pos = text_append(buf, size, pos, "%s%s", pos ? ", " : "", names[i]);
		free(names[i]);
	}
	if (!*buf)
		text_append(buf, size, 0, "none");
}

void pmu_names(char *buf, size_t size)
{
	join_names("", "", buf, size);
}

int pmu_events(int (*take)(void *arg, const char *pmu, const char *name), void *arg)
{
	char *pmus[NAMES_MAX], *names[NAMES_MAX];
	size_t npmus = list_names("", "", pmus, NAMES_MAX);
	int ret = 0;

	for (size_t i = 0; i < npmus; i++) {
		size_t nr = list_names(pmus[i], "events", names, NAMES_MAX);

		for (size_t k = 0; k < nr; k++) {
			if (!ret && !is_about_another(names[k]))
				ret = take(arg, pmus[i], names[k]);
			free(names[k]);
		}
		free(pmus[i]);
	}
	return ret;
}

void pmu_cpumask(const char *pmu, char *buf, size_t size)
{
	if (pmu_file(pmu, ".", "cpumask", buf, size))
		*buf = '\0';
}

/* --- terms -------------------------------------------------------------------------------- */

struct term {
	struct event *e;
	const char *pmu;
	char *name, *value; /* value NULL: none given */
	struct err *err;
};

static int unknown_term(const struct term *t)
{
	char formats[256], events[256];

	join_names(t->pmu, "format", formats, sizeof(formats));
	join_names(t->pmu, "events", events, sizeof(events));
	err_set(t->err, EINVAL, "'%s' has no term '%.64s'", t->pmu, t->name);
	return err_advise(t->err, "its terms: %s; its events: %s; of every event: " TERMS_WORDS,
			  formats, events);
}

static int term_number(const struct term *t, uint64_t *n)
{
	return terms_number(t->pmu, t->name, t->value, n, t->err);
}

static int set_word(const struct term *t)
{
	const char digit = t->name[strlen("config")];
	uint64_t *word = attr_word(&t->e->attr, digit ? (unsigned)(digit - '0') : 0);

	if (!word)
		return err_set(t->err, EINVAL, "%s/%s/: this build does not support %s", t->pmu,
			       t->name, t->name);
	return term_number(t, word);
}

/* Return true for config, config1, ... */
static bool is_word(const char *name)
{
	size_t len = strlen("config");

	return !strncmp(name, "config", len) &&
	       (!name[len] || (strchr("123", name[len]) && !name[len + 1]));
}

static int set_field(const struct term *t, const char *text)
{
	struct pmu_field f;
	uint64_t *word, n;
	int ret = term_number(t, &n);

	if (ret)
		return ret;
	if (!pmu_parse_field(text, &f) || !(word = attr_word(&t->e->attr, f.word)))
		return err_set(t->err, EINVAL,
			       "PMU '%s': format/%s is '%.64s', which this build does "
			       "not understand", t->pmu, t->name, text);
	if (!pmu_place(&f, n, word))
		return err_set(t->err, EINVAL,
			       "%s/%s=%llu/: the term has %d bits, the maximum is %llu", t->pmu,
			       t->name, (unsigned long long)n, __builtin_popcountll(f.bits),
			       (1ull << __builtin_popcountll(f.bits)) - 1);
	return 0;
}

static int apply_terms(struct event *e, const char *pmu, char *terms, bool named, struct err *err);

/* Read the scale and unit of an event, if its PMU has them. */
static void take_scale(const struct term *t)
{
	char name[PMU_NAME_LEN + 8], text[64];

	snprintf(name, sizeof(name), "%.60s.scale", t->name);
	if (!pmu_file(t->pmu, "events", name, text, sizeof(text)))
		t->e->scale = strtod(text, NULL);
	snprintf(name, sizeof(name), "%.60s.unit", t->name);
	if (!pmu_file(t->pmu, "events", name, text, sizeof(text)))
		snprintf(t->e->scaled, sizeof(t->e->scaled), "%.15s", text);
}

static int apply_term(const struct term *t, bool named)
{
	char text[PMU_TEXT_LEN];
	int ret = is_word(t->name) ? set_word(t)
				   : terms_apply(t->e, t->pmu, t->name, t->value, t->err);

	if (ret != -ENOENT)
		return ret;
	/* An event stands for terms, but these for no events. */
	if (named && !t->value && !is_about_another(t->name) &&
	    !pmu_file(t->pmu, "events", t->name, text, sizeof(text))) {
		take_scale(t);
		return apply_terms(t->e, t->pmu, text, false, t->err);
	}
	if (!pmu_file(t->pmu, "format", t->name, text, sizeof(text)))
		return set_field(t, text);
	return unknown_term(t);
}

/*
 * Cut off the next term, up to a comma outside of quotes, and remove quotes; *rest is after the
 * comma, or NULL.
 */
static char *next_term(char **rest)
{
	char *one = *rest, *to = one, *s = one;
	bool quoted = false;

	for (; *s && (quoted || *s != ','); s++) {
		if (*s == '\'')
			quoted = !quoted;
		else
			*to++ = *s;
	}
	*rest = *s ? s + 1 : NULL;
	*to = '\0';
	return one;
}

static int apply_terms(struct event *e, const char *pmu, char *terms, bool named, struct err *err)
{
	int ret = 0;

	while (terms && !ret) {
		char *one = next_term(&terms);
		struct term t = {
			.e = e, .pmu = pmu, .name = one, .value = strchr(one, '='), .err = err};

		if (!*one)
			continue;

		if (t.value)
			*t.value++ = '\0';
		ret = apply_term(&t, named);
	}
	return ret;
}

/* --- events ------------------------------------------------------------------------------- */

static int unknown_pmu(const char *pmu, struct err *err)
{
	char names[384];

	pmu_names(names, sizeof(names));
	err_set(err, EINVAL, "this machine has no PMU '%.64s'", pmu);
	return err_advise(err, "PMUs here: %s", names);
}

int pmu_event(struct event *e, const char *pmu, const char *terms, struct err *err)
{
	char text[TERM_MAX], type[32];
	unsigned long n;
	char *end;

	if (pmu_file(pmu, ".", "type", type, sizeof(type)))
		return unknown_pmu(pmu, err);
	n = strtoul(type, &end, 10);
	if (end == type || *end || n > UINT32_MAX)
		return err_set(err, EINVAL, "PMU '%s' has the type '%s'", pmu, type);
	if (snprintf(text, sizeof(text), "%s", terms) >= (int)sizeof(text))
		return err_set(err, EINVAL, "'%s/...': too many terms", pmu);
	e->attr.type = (uint32_t)n;
	e->unit = "";
	snprintf(e->pmu, sizeof(e->pmu), "%s", pmu);
	return apply_terms(e, pmu, text, true, err);
}

int pmu_general_terms(struct event *e, const char *terms, struct err *err)
{
	char text[TERM_MAX], pmu[PMU_NAME_LEN];
	int ret;

	if (snprintf(text, sizeof(text), "%s", terms) >= (int)sizeof(text))
		return err_set(err, EINVAL, "'%.64s/...': too many terms", e->name);
	snprintf(pmu, sizeof(pmu), "%.*s",
		 (int)strcspn(e->name, "/") < 60 ? (int)strcspn(e->name, "/") : 60, e->name);
	/* No PMU's directory has this name, so only the terms of every PMU are left. */
	ret = apply_terms(e, *pmu ? pmu : "event", text, false, err);
	return ret;
}

int pmu_trace_defaults(struct event *e, struct err *err)
{
	static const struct {
		const char *field; /* of the PMU's format: identifies the kind of PMU */
		const char *terms;
		const char *cap;   /* a file of caps/ that must not be 0; NULL: no condition */
	} defaults[] = {
	    {"pt", "pt,branch,tsc", NULL},
	    {"pt", "mtc,mtc_period=3", "mtc"},
	    {"pt", "psb_period=3", "psb_cyc"},
	    {"contextid", "contextid,timestamp", NULL}, /* CoreSight: thread and time */
	};
	const struct perf_event_attr *a = &e->attr;
	char text[PMU_TEXT_LEN], cap[64];
	int ret = 0;

	if (a->config || a->config1 || a->config2)
		return 0;
	for (size_t i = 0; i < sizeof(defaults) / sizeof(*defaults) && !ret; i++) {
		if (pmu_file(e->pmu, "format", defaults[i].field, text, sizeof(text)))
			continue;
		if (defaults[i].cap &&
		    (pmu_file(e->pmu, "caps", defaults[i].cap, cap, sizeof(cap)) ||
		     !strtoul(cap, NULL, 0)))
			continue;
		snprintf(text, sizeof(text), "%s", defaults[i].terms);
		ret = apply_terms(e, e->pmu, text, false, err);
	}
	return ret;
}

int pmu_symbolic(struct event *e, const char *name, struct err *err)
{
	char *pmus[NAMES_MAX], text[PMU_TEXT_LEN];
	size_t nr = list_names("", "", pmus, NAMES_MAX);
	int ret = -ENOENT;

	for (size_t i = 0; i < nr; i++) {
		if (ret == -ENOENT && !is_about_another(name) &&
		    !pmu_file(pmus[i], "events", name, text, sizeof(text)))
			ret = pmu_event(e, pmus[i], name, err);
		free(pmus[i]);
	}
	return ret;
}
