/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rowfilter - choice of rows: "gzip", "object:libz", "task:^cc1$ cpu:0-3 !function:memset
 * host:^web".
 *
 * Words are joined by AND.  A word is [!][FIELD:]REGEX with FIELD function, line (FILE:LINE),
 * object, task, command, user, cgroup, parent, host, pid, tid or cpu (pid, tid and cpu take number
 * lists); without FIELD it matches function or object or task. comm is task; event and text are for
 * lines of the event log, where text takes the place of function.  Regular expressions are POSIX
 * extended ones; they ignore case unless they have a capital.
 *
 * Threads: read-only once compiled.
 */
#ifndef RINGTOP_MODEL_ROWS_ROWFILTER_H
#define RINGTOP_MODEL_ROWS_ROWFILTER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct rowfilter;

struct rowfilter_subject {
	const char *function, *object, *task, *host; /* of event log lines: text, event, comm */
	const char *event; /* of a line of the event log; NULL: words with event: match */
	const char *command; /* of the process; NULL: not known, `task` is matched instead */
	const char *user, *cgroup, *parent; /* of a task; user NULL: words with these match */
	const char *line; /* of code, "": not known; NULL: words with line: match */
	int32_t pid, tid, cpu;
};

enum rowfilter_field {
	ROWFILTER_FUNCTION = 1,
	ROWFILTER_OBJECT = 2,
	ROWFILTER_TASK = 4,
	ROWFILTER_PID = 8,
	ROWFILTER_TID = 16,
	ROWFILTER_CPU = 32,
	ROWFILTER_HOST = 64,
	ROWFILTER_EVENT = 128, /* lines of the event log only; not in rowfilter_fields() */
	ROWFILTER_KEY =
		256, /* a part of a key (rowfilter_compile_keys()); not in rowfilter_fields() */
	ROWFILTER_COMMAND = 512, /* name of the process */
	ROWFILTER_USER = 1024,
	ROWFILTER_CGROUP = 2048,
	ROWFILTER_PARENT = 4096, /* its user, cgroup path,
									 * and parent process */
	ROWFILTER_LINE = 8192,	 /* source file and line of the code, FILE:LINE */
};

/*
 * Compile a filter, which the caller frees; *filter becomes NULL for an empty text.  Return 0,
 * -EINVAL with the bad word in err, or -ENOMEM.
 */
int rowfilter_compile(const char *text, struct rowfilter **filter, struct err *err);
void rowfilter_free(struct rowfilter *f);

/* Return true if the filter (NULL: none) lets the subject pass. */
bool rowfilter_match(const struct rowfilter *f, const struct rowfilter_subject *s);

/*
 * Like rowfilter_compile(), and also accepts words for the parts of keys
 * (model/fields/fieldquery.h), by any of these names (", " between them).  Rows without keys match
 * such words.
 */
int rowfilter_compile_keys(const char *text, const char *names, struct rowfilter **filter,
			struct err *err);

/*
 * A key to match.  A word without FIELD matches any value of the key, one with FIELD the part of
 * that name (task: comm); a key without that part matches.  A call path is matched by any of its
 * functions.
 */
struct rowfilter_key {
	const char *names, *kinds; /* as session_event.by and .by_kinds */
	const char *text;	   /* values, with tabs between them */
	const char *(*next)(void *of, bool first); /* returns the next function's name of the call
						    * path among them; NULL: no more */
	void *of;
};

/* Return true if the filter (NULL: none) lets the key pass. */
bool rowfilter_match_key(const struct rowfilter *f, const struct rowfilter_key *key);

/*
 * Return the field of the first word that has no effect because rows have no such part; NULL: each
 * word has. names: the rows' parts, as session_event.by; NULL: they have no keys.
 */
const char *rowfilter_unheard(const struct rowfilter *f, const char *names);

/* Return a number that no other filter of this process has or had; 0 for no filter (NULL). */
uint64_t rowfilter_serial(const struct rowfilter *f);

/* Return the fields that a match depends on: enum rowfilter_field, or-ed. */
unsigned rowfilter_fields(const struct rowfilter *f);

#endif
