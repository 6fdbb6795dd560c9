/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * filter - which rows count: "gzip", "object:libz", "task:^cc1$ cpu:0-3 !function:memset host:^web".
 *
 * Words are joined by AND.  A word is [!][FIELD:]REGEX with FIELD function, line (FILE:LINE), object, task, command, user,
 * cgroup, parent, host, pid, tid or cpu (pid, tid and cpu take number lists); without FIELD it matches function or object or task.  comm is task;
 * event and text are for lines of the event log, text being what function is of rows.
 * POSIX extended regular expressions, case ignored unless they hold a capital.
 *
 * Threads: read-only once compiled.
 */
#ifndef RINGTOP_MODEL_ROWS_FILTER_H
#define RINGTOP_MODEL_ROWS_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct filter;

struct filter_subject {
	const char *function, *object, *task, *host; /* of a line of the event log: its text, event, comm */
	const char *event; /* of such a line; NULL: event: says nothing of it */
	const char *command; /* of the process; NULL: not known, the task says it */
	const char *user, *cgroup, *parent; /* of a task; NULL: such words say nothing of it */
	const char *line; /* of code, "": none is known; NULL: such words say nothing of it */
	int32_t pid, tid, cpu;
};

enum filter_field {
	FILTER_FUNCTION = 1,
	FILTER_OBJECT = 2,
	FILTER_TASK = 4,
	FILTER_PID = 8,
	FILTER_TID = 16,
	FILTER_CPU = 32,
	FILTER_HOST = 64,
	FILTER_EVENT = 128, /* of lines of the event log alone: filter_fields does not tell it */
	FILTER_KEY = 256, /* a part of a key (filter_compile_keys): likewise */
	FILTER_COMMAND = 512, /* the name of the process */
	FILTER_USER = 1024, FILTER_CGROUP = 2048, FILTER_PARENT = 4096, /* its user, the cgroup's path, who forked it */
	FILTER_LINE = 8192, /* the code's source file and line, FILE:LINE */
};

/* *filter becomes NULL for an empty text.  0, -EINVAL with the word at fault in err, -ENOMEM. */
int filter_compile(const char *text, struct filter **filter, struct err *err);
void filter_free(struct filter *f);
bool filter_match(const struct filter *f, const struct filter_subject *s);

/*
 * The same with words for the parts of keys, too (model/fields/fields.h), by any of these names (", " between them).  Where
 * rows are no keys such a word lets all pass.
 */
int filter_compile_keys(const char *text, const char *names, struct filter **filter, struct err *err);

/*
 * A word without FIELD matches any value of a key, one with it the part of that name (task: comm), and lets pass what has
 * no such part.  A call path is matched by any of its functions.
 */
struct filter_key {
	const char *names, *kinds; /* as session_event.by and .by_kinds */
	const char *text;	   /* the values, a tab between them */
	const char *(*next)(void *of, bool first); /* of a call path among them the next function's name; NULL: no more */
	void *of;
};

bool filter_match_key(const struct filter *f, const struct filter_key *key);

/*
 * What the first word is about that lets all rows pass because they have no such part; NULL: each word counts.  names:
 * their parts, as session_event.by; NULL: they are no keys.
 */
const char *filter_unheard(const struct filter *f, const char *names);

/* A number that no other filter of this process has or had; 0 of none (NULL). */
uint64_t filter_serial(const struct filter *f);

/* Which fields a match depends on: enum filter_field, or-ed. */
unsigned filter_fields(const struct filter *f);

#endif
