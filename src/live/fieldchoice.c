/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/fieldchoice.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/tracefields.h"

/* False: it is nothing to sum up by, which is a number, a text, an element of a fixed array. */
static bool add_field(const struct trace_format *format, const struct trace_field *f, struct session_choice *to)
{
	struct trace_value v;
	char name[sizeof(to->name)];

	snprintf(name, sizeof(name), f->array && !f->text ? "%s[0]" : "%s", f->name);
	if (format_value(format, name, &v, NULL))
		return false;
	snprintf(to->name, sizeof(to->name), "%s", name);
	snprintf(to->kind, sizeof(to->kind), "%s", f->type);
	return true;
}

static size_t add_fields(const struct trace_format *format, struct session_choice *to)
{
	size_t nr = 0;

	for (unsigned common = 0; common < 2; common++)
		for (unsigned i = 0; i < format->nr; i++)
			if (!strncmp(format->field[i].name, "common_", 7) == (bool)common)
				nr += add_field(format, &format->field[i], &to[nr]);
	return nr;
}

int fieldchoice_list(const struct event *e, const struct tracefields_source *source, struct session_choice **to, size_t *nr,
		     struct err *err)
{
	struct trace_format format = {.nr = 0};
	int ret;

	if (!event_has_record(e))
		return err_set(err, EINVAL, "'%s' is no tracepoint, whose records have fields", e->name);
	ret = tracefields_format(source, e, &format, err);
	*to = ret ? NULL : calloc(format.nr + TRACEKEY_OTHERS, sizeof(**to));
	if (*to) {
		*nr = add_fields(&format, *to);
		for (unsigned i = 0; tracefields_other(i); i++)
			if (!tracefields_has_other(source, e, i, NULL))
				snprintf((*to)[(*nr)++].name, sizeof((*to)->name), "%s", tracefields_other(i));
	} else if (!ret) {
		ret = err_set(err, ENOMEM, "out of memory");
	}
	format_clear(&format);
	return ret;
}
