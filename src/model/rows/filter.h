/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * filter - choice of rows: "gzip", "object:libz", "task:^cc1$ cpu:0-3 !function:memset host:^web".
 *
 * Words are joined by AND.  A word is [!][FIELD:]REGEX with FIELD function, line (FILE:LINE),
 * object, task, command, user, cgroup, parent, host, pid, tid or cpu (pid, tid and cpu take number
 * lists); without FIELD it matches function or object or task. comm is task; event and text are for
 * lines of the event log, where text takes the place of function.  Regular expressions are POSIX
 * extended ones; they ignore case unless they have a capital.
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
	const char *function, *object, *task, *host; /* of event log lines: text, event, comm */
	const char *event; /* of a line of the event log; NULL: words with event: match */
	const char *command; /* of the process; NULL: not known, `task` is matched instead */
	const char *user, *cgroup, *parent; /* of a task; user NULL: words with these match */
	const char *line; /* of code, "": not known; NULL: words with line: match */
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
	FILTER_EVENT = 128, /* lines of the event log only; not in filter_fields() */
	FILTER_KEY = 256, /* a part of a key (filter_compile_keys()); not in filter_fields() */
	FILTER_COMMAND = 512, /* name of the process */
	FILTER_USER = 1024, FILTER_CGROUP = 2048, FILTER_PARENT = 4096, /* its user, cgroup path,
									 * and parent process */
	FILTER_LINE = 8192, /* source file and line of the code, FILE:LINE */
};

/*
 * Compile a filter, which the caller frees; *filter becomes NULL for an empty text.  Return 0,
 * -EINVAL with the bad word in err, or -ENOMEM.
 */
int filter_compile(const char *text, struct filter **filter, struct err *err);
void filter_free(struct filter *f);

/* Return true if the filter (NULL: none) lets the subject pass. */
bool filter_match(const struct filter *f, const struct filter_subject *s);

/*
 * Like filter_compile(), and also accepts words for the parts of keys (model/fields/fields.h), by
 * any of these names (", " between them).  Rows without keys match such words.
 */
int filter_compile_keys(const char *text, const char *names, struct filter **filter,
			struct err *err);

/*
 * A key to match.  A word without FIELD matches any value of the key, one with FIELD the part of
 * that name (task: comm); a key without that part matches.  A call path is matched by any of its
 * functions.
 */
struct filter_key {
	const char *names, *kinds; /* as session_event.by and .by_kinds */
	const char *text;	   /* values, with tabs between them */
	const char *(*next)(void *of, bool first); /* returns the next function's name of the call
						    * path among them; NULL: no more */
	void *of;
};

/* Return true if the filter (NULL: none) lets the key pass. */
bool filter_match_key(const struct filter *f, const struct filter_key *key);

/*
 * Return the field of the first word that has no effect because rows have no such part; NULL: each
 * word has. names: the rows' parts, as session_event.by; NULL: they have no keys.
 */
const char *filter_unheard(const struct filter *f, const char *names);

/* Return a number that no other filter of this process has or had; 0 for no filter (NULL). */
uint64_t filter_serial(const struct filter *f);

/* Return the fields that a match depends on: enum filter_field, or-ed. */
unsigned filter_fields(const struct filter *f);

#endif
