/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/parts/rowwords.h"

#include <ctype.h>
#include <string.h>

#include "base/text.h"
#include "ui/app/app.h"
#include "ui/code/editor.h"
#include "ui/parts/rowlist.h"

#define NAME_MAX_BYTES 600

/*
 * Write a word of a filter: a regular expression that matches just this name; pattern: a * in it
 * matches numbers.
 */
static size_t quote_as(char *buf, size_t size, size_t pos, const char *field, const char *name,
		       bool pattern)
{
	pos = text_append(buf, size, pos, "%s:^", field);
	for (; *name && pos + 16 < size; name++)
		if (*name == '*' && pattern)
			pos = text_append(buf, size, pos, "([0-9]+|\\*)");
		else if (isspace((unsigned char)*name))
			buf[pos++] = '.'; /* a blank would end the word */
		else if (strchr("^$.[]|()?*+{}\\", *name))
			pos = text_append(buf, size, pos, "\\%c", *name);
		else
			buf[pos++] = *name;
	buf[pos] = '\0';
	return text_append(buf, size, pos, "$ ");
}

static size_t quote(char *buf, size_t size, size_t pos, const char *field, const char *name)
{
	return quote_as(buf, size, pos, field, name, false);
}

/* A row without a line is matched by its function. */
static size_t line_filter(const struct row *r, char *filter, size_t size, size_t pos)
{
	char line[EDITOR_PATH + 16];

	if (r->line) {
		text_append(line, sizeof(line), 0, "%s:%u", r->file, r->line);
		return quote(filter, size, pos, "line", line);
	}
	pos = quote(filter, size, pos, "line", "");
	pos = quote(filter, size, pos, "function", *r->function ? r->function : r->name);
	return r->object[0] ? quote(filter, size, pos, "object", r->object) : pos;
}

size_t rowwords_filter(enum group_by group, const struct row *r, char *filter, size_t size,
		       size_t pos)
{
	static const char *const numbered[GROUP_NR] = {[GROUP_TASK] = "pid", [GROUP_THREAD] = "tid",
						       [GROUP_CPU] = "cpu"};
	int32_t number = group == GROUP_TASK ? r->pid : group == GROUP_THREAD ? r->tid : r->cpu;

	/*
	 * A process may have threads of other names; a row without a PID is all processes of its
	 * name.
	 */
	if (group == GROUP_TASK && number < 0)
		pos = quote(filter, size, pos, "task", r->name);
	else if (group == GROUP_PATTERN)
		pos = quote_as(filter, size, pos, "task", r->name, true);
	else if (group == GROUP_CGROUP && *r->cgroup)
		pos = quote(filter, size, pos, "cgroup", r->cgroup);
	else if (group == GROUP_LINE)
		pos = line_filter(r, filter, size, pos);
	else if (numbered[group])
		pos = text_append(filter, size, pos, "%s:%d ", numbered[group], number);
	else
		pos = quote(filter, size, pos, group_words[group].name, r->name);
	if (group == GROUP_FUNCTION && r->object[0])
		pos = quote(filter, size, pos, "object", r->object);
	/* PIDs, TIDs and CPU numbers are only unique within a host. */
	if (numbered[group] && r->host[0])
		pos = quote(filter, size, pos, "host", r->host);
	return pos;
}

#define CRUMB_COLUMNS 28 /* most columns of a function's name */

void rowwords_crumb(const struct app *a, enum group_by group, const struct row *r, char *buf,
		    size_t size)
{
	int32_t number = group == GROUP_TASK ? r->pid : group == GROUP_THREAD ? r->tid : -1;
	char name[NAME_MAX_BYTES];
	size_t pos;

	if (group == GROUP_FUNCTION)
		rowlist_fit(a, name, sizeof(name), r->name, NULL, CRUMB_COLUMNS);
	else if (group == GROUP_LINE)
		rowlist_line(a, name, sizeof(name), r, CRUMB_COLUMNS);
	else
		text_escape(name, sizeof(name), r->name);
	pos = text_append(buf, size, 0, "%s", name);
	if (number >= 0)
		text_append(buf, size, pos, " %d", number);
}

const char *rowwords_object(const struct app *a, const struct row *r)
{
	const char *shown = text_base(r->object);

	for (size_t i = 0; i < a->nsight; i++) {
		const struct row *other = &a->sight[i];
		const char *end;

		if (strcmp(other->name, r->name) != 0 || !strcmp(other->object, r->object) ||
		    strcmp(text_base(other->object), text_base(r->object)) != 0)
			continue;
		end = text_apart(r->object, other->object);
		shown = end < shown ? end : shown;
	}
	return shown;
}
