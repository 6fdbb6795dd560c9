/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel explains a refused filter only if it is written to tracefs, which destroys the filter
 * that the file had before. So the text is written in an instance of our own, which has its own
 * files.
 */
#include "kernel/event/eventfilter.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "kernel/event/pmu.h"
#include "kernel/event/tracepoint.h"

#define ANSWER_MOST 8192 /* the filter, a line as long, and the message */

static bool has_ranges(const struct event *e)
{
	char nr[32];

	return *e->pmu && !pmu_file(e->pmu, ".", "nr_addr_filters", nr, sizeof(nr)) && atoi(nr) > 0;
}

/* Return true for events that tracers write: no tracepoint can check their filter. */
static bool by_tracer(const struct event *e)
{
	return e->role == EVENT_FTRACE && !strncmp(e->name, "ftrace:", strlen("ftrace:"));
}

bool eventfilter_may(const struct event *e)
{
	if (by_tracer(e))
		return false;
	return e->attr.type == PERF_TYPE_TRACEPOINT || e->probe || has_ranges(e);
}

int eventfilter_add_one(struct event *e, const char *text, struct err *err)
{
	char *both;

	if (!eventfilter_may(e))
		return err_set(
			err, EINVAL,
			"--filter: %s cannot be filtered: only tracepoints and probes (by their "
			"fields) and PMUs with address filters can", e->name);
	if (!text[strspn(text, " \t\n")])
		return err_set(err, EINVAL, "--filter: the filter of %s is empty", e->name);
	if (asprintf(&both, e->filter ? "(%s) && (%s)" : "%.0s%s", e->filter ? e->filter : "",
		     text) < 0)
		return err_set(err, ENOMEM, "out of memory");
	free(e->filter);
	e->filter = both;
	if (strlen(both) > EVENTFILTER_MOST)
		return err_set(err, EINVAL,
			       "--filter: the filter of %s has %zu bytes, the kernel's limit is %d",
			       e->name, strlen(both), EVENTFILTER_MOST);
	return 0;
}

int eventfilter_add(struct event_list *list, unsigned first, const char *text, struct err *err)
{
	unsigned taken = 0;
	int ret = 0;

	for (unsigned i = first; i < list->nr && !ret; i++) {
		if (!eventfilter_may(&list->events[i]))
			continue;
		ret = eventfilter_add_one(&list->events[i], text, err);
		taken++;
	}
	/* No event takes filters: get the error for the first one. */
	return taken || first >= list->nr ? ret
					  : eventfilter_add_one(&list->events[first], text, err);
}

/* --- the kernel's explanation --------------------------------------------------------------- */

static bool in_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/*
 * Find the name at the start of the condition around text[at], which begins after the nearest && ||
 * ( ! before it.
 */
static void find_field(const char *text, unsigned at, struct eventfilter_answer *a)
{
	unsigned from = at, len = 0;

	while (from && !strchr("&|(!", text[from - 1]))
		from--;
	while (from < at && isspace((unsigned char)text[from]))
		from++;
	while (len < sizeof(a->field) - 1 && in_name(text[from + len]))
		len++;
	snprintf(a->field, sizeof(a->field), "%.*s", (int)len, text + from);
}

/*
 * Meaning of the kernel's caret (6.18): mostly one after the character where it stopped; for an
 * unknown field it is after the character that follows the field's name.
 */
static const struct {
	const char *why;
	enum caret { CARET_BEHIND, CARET_AT, CARET_BEHIND_NAME } caret;
} carets[] = {
	{"Field not found", CARET_BEHIND_NAME},
	{"Too many '('", CARET_AT},
	{"Too few '('", CARET_AT},
	{"Too many terms in predicate expression", CARET_AT},
	{"Missing matching quote", CARET_AT},
};

static enum caret caret_of(const char *why)
{
	for (size_t i = 0; i < sizeof(carets) / sizeof(*carets); i++)
		if (!strcmp(carets[i].why, why))
			return carets[i].caret;
	return CARET_BEHIND;
}

/* Return the start of the last name before text[at], whatever is between. */
static unsigned name_before(const char *text, unsigned at)
{
	unsigned to = at;

	while (to && !in_name(text[to - 1]))
		to--;
	if (!to)
		return at;
	while (to && in_name(text[to - 1]))
		to--;
	return to;
}

/* Return the place that the kernel means by the caret. */
static unsigned meant(const char *text, const char *why, unsigned caret)
{
	switch (caret_of(why)) {
	case CARET_BEHIND_NAME:
		return name_before(text, caret);
	case CARET_AT:
		return caret;
	default:
		return caret ? caret - 1 : 0;
	}
}

bool eventfilter_parse_answer(const char *text, struct eventfilter_answer *a)
{
	static const char words[] = "parse_error: ";
	const char *said = strstr(text, words), *line = said, *caret;
	size_t first = strcspn(text, "\n");

	*a = (struct eventfilter_answer){.at = 0};
	if (!said || said == text || said[-1] != '\n')
		return false;
	for (line = said - 1; line > text && line[-1] != '\n'; line--)
		;
	caret = memchr(line, '^', (size_t)(said - line));
	if (!caret)
		return false;
	a->at = (unsigned)(caret - line);
	if (a->at > first)
		a->at = (unsigned)first;
	snprintf(a->why, sizeof(a->why), "%.*s", (int)strcspn(said + sizeof(words) - 1, "\n"),
		 said + sizeof(words) - 1);
	a->at = meant(text, a->why, a->at);
	find_field(text, a->at, a);
	return true;
}

static ssize_t write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : write(fd, text, strlen(text));

	if (fd >= 0)
		close(fd);
	return n;
}

static bool get_filter_error(const struct event *e, char *answer, size_t size)
{
	const char *root = tracepoint_root(NULL);
	char dir[128], path[512], name[EVENT_NAME_LEN], *colon;
	bool told = false;

	if (!root || e->attr.type != PERF_TYPE_TRACEPOINT ||
	    tracepoint_name(e->name, e->attr.config, name, sizeof(name)))
		return false;
	colon = strchr(name, ':');
	*colon = '/';
	snprintf(dir, sizeof(dir), "%s/instances/ringtop-filter-%d", root, (int)getpid());
	snprintf(path, sizeof(path), "%s/events/%s/filter", dir, name);
	if (mkdir(dir, 0700))
		return false;
	if (write_file(path, e->filter) < 0)
		told = io_read_text(path, answer, size) > 0;
	rmdir(dir);
	return told;
}

int eventfilter_explain(const struct event *e, int code, struct err *err)
{
	char answer[ANSWER_MOST];
	struct eventfilter_answer a;

	if (get_filter_error(e, answer, sizeof(answer)) && eventfilter_parse_answer(answer, &a)) {
		err_set(err, EINVAL, "--filter of %s: %s%s%s, at character %u of '%.200s'", e->name,
			a.field, *a.field ? ": " : "", a.why, a.at + 1, e->filter);
		return -EINVAL;
	}
	err_set(err, EINVAL, "--filter of %s: the kernel refuses '%.200s': %s", e->name, e->filter,
		strerror(code));
	if (code == EOPNOTSUPP)
		err_advise(
			err,
			"addresses in a file need single threads or processes (-p, -t, COMMAND)");
	return -EINVAL;
}
