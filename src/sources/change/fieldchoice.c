/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sources/change/fieldchoice.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure/trace/tracefields.h"

/* Add a number, a text, or an element of a fixed array.  Return false for other fields. */
static bool add_field_choice(const struct trace_format *format, const struct trace_field *f,
			     struct session_choice *to)
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

/* Return true for the number of a system call: people know them by name. */
static bool is_call(const struct trace_format *format, const struct trace_field *f)
{
	return !strcmp(f->name, "__syscall_nr") ||
	       (!strcmp(f->name, "id") &&
		(!strcmp(format->name, "sys_enter") || !strcmp(format->name, "sys_exit")));
}

static size_t add_call(const struct trace_format *format, const struct trace_field *f,
		       struct session_choice *to)
{
	if (!is_call(format, f))
		return 0;
	snprintf(to->name, sizeof(to->name), "%.20s.syscall", f->name);
	snprintf(to->kind, sizeof(to->kind), "its name");
	return 1;
}

static size_t add_field_choices(const struct trace_format *format, struct session_choice *to)
{
	size_t nr = 0;

	for (unsigned common = 0; common < 2; common++)
		for (unsigned i = 0; i < format->nr; i++) {
			const struct trace_field *f = &format->field[i];

			if (!strncmp(f->name, "common_", 7) != (bool)common)
				continue;
			nr += add_call(format, f, &to[nr]);
			nr += add_field_choice(format, f, &to[nr]);
		}
	return nr;
}

int fieldchoice_list(const struct event *e, const struct tracefields_source *source,
		     struct session_choice **to, size_t *nr, struct err *err)
{
	struct trace_format format = {.nr = 0};
	int ret;

	if (!event_has_record(e))
		return err_set(err, EINVAL, "'%s' is not a tracepoint, and only their records "
					    "have fields", e->name);
	ret = tracefields_format(source, e, &format, err);
	*to = ret ? NULL : calloc(2 * format.nr + TRACEKEY_OTHERS, sizeof(**to));
	if (*to) {
		*nr = add_field_choices(&format, *to);
		for (unsigned i = 0; tracefields_other(i); i++)
			if (!tracefields_has_other(source, e, i, NULL))
				snprintf((*to)[(*nr)++].name, sizeof((*to)->name), "%s",
					 tracefields_other(i));
	} else if (!ret) {
		ret = err_set(err, ENOMEM, "out of memory");
	}
	format_clear(&format);
	return ret;
}
