/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracefields - which fields of tracepoints' records the readers take: what a sample weighs (weight=FIELD), and what
 * they are summed up by (--by).
 *
 * Found when the session opens, and anew when an event is summed up by other fields while it runs; readers take values
 * by their places (measure/trace/format.h).  One that is in use is never changed.
 *
 * Threads: tracefields_create, _change and _free one owner; the others any, in between.
 */
#ifndef RINGTOP_MEASURE_TRACE_TRACEFIELDS_H
#define RINGTOP_MEASURE_TRACE_TRACEFIELDS_H

#include "base/err.h"
#include "kernel/event/event.h"
#include "measure/trace/format.h"
#include "measure/trace/modifier.h"
#include "measure/trace/printk.h"

struct tracefields;

/* Who knows what tracepoints' records consist of, and what samples have beside them. */
struct tracefields_source {
	/* As tracefields_format; NULL, as the whole source may be: this kernel's, by tracefs. */
	int (*format)(void *arg, const struct event *e, struct trace_format *f, struct err *err);
	/* Have its samples call paths that are whole when they are read?  0; -EINVAL with why not.  NULL: none have. */
	int (*paths)(void *arg, const struct event *e, struct err *err);
	void *arg;
	const struct printk *texts; /* texts records may point to; they outlive what is made; NULL: this kernel's */
	const char *machine; /* records are of a machine of another kind ("aarch64"); NULL: of this one's */
};

/* What a tracepoint's record consists of.  Whatever is returned: to be cleared.  -EINVAL, -EACCES, -ENOMEM. */
int tracefields_format(const struct tracefields_source *source, const struct event *e, struct trace_format *f,
		       struct err *err);

#define TRACEKEY_FIELDS 4
#define TRACEKEY_TEXT	8u /* words that a text takes in a key; a longer one counts by its beginning, which ends with "..." */
#define TRACEKEY_WORDS	(TRACEKEY_FIELDS * TRACEKEY_TEXT)

/* What stands in no record: only where its tracepoint has no field of that name.  PROCESS: a PID of which the thread is known. */
enum tracekey_what { TRACEKEY_FIELD, TRACEKEY_CPU, TRACEKEY_PID, TRACEKEY_TID, TRACEKEY_COMM, TRACEKEY_PATH, TRACEKEY_PROCESS };

struct tracekey {
	struct {
		enum tracekey_what what;
		struct trace_value value; /* of a field */
		enum modifier modifier;   /* of one that is a number */
		const struct printk *texts; /* texts for a field that is a text's address; else NULL */
	} field[TRACEKEY_FIELDS];
	unsigned nr;
	bool one; /* a single number of the record: it is the key */
	bool has_path; /* one is TRACEKEY_PATH */
};

/*
 * Of all events, whose rates are fixed; marks those whose samples must carry their records, or have whole paths.  `by`: NULL, or names of
 * fields, separated by commas; tracepoints that have all of them are summed up by them.  *f NULL: nothing is taken.
 * 0; -EINVAL: no such field, or one that weighs nothing; -EACCES: no format can be read; -ENOMEM.
 */
int tracefields_create(struct event_list *list, const char *by, const struct tracefields_source *source,
		       struct tracefields **f, struct err *err);
void tracefields_free(struct tracefields *f);

/*
 * *to: as `f` (NULL: nothing is taken), but that this event of the list is summed up by `by` from now on ("": by
 * nothing), the list of fields of that number.  Errors as above.
 */
int tracefields_change(const struct tracefields *f, struct event_list *list, unsigned event, const char *by, uint16_t number,
		       const struct tracefields_source *source, struct tracefields **to, struct err *err);

/* What a sample of the event weighs; NULL: its period.  f may be NULL. */
const struct trace_value *tracefields_weight(const struct tracefields *f, unsigned event);

/* What samples of the event are summed up by; NULL: nothing.  f may be NULL. */
const struct tracekey *tracefields_key(const struct tracefields *f, unsigned event);
bool tracefields_keyed(const struct tracefields *f); /* is any? */
bool tracefields_by_path(const struct tracefields *f); /* by its call path, among others? */
unsigned tracefields_events(const struct tracefields *f);
unsigned tracefields_words(const struct tracefields *f); /* of the longest key */

/* The i-th that the event is summed up by. */
const char *tracefields_name(const struct tracefields *f, unsigned event, unsigned i);

/* Which of the lists of fields that the event has had that is: 0 from the start on. */
uint16_t tracefields_number(const struct tracefields *f, unsigned event);

#define TRACEKEY_OTHERS 5

/* What stands in no record, and can be a field all the same: the i-th name.  NULL: there are fewer. */
const char *tracefields_other(unsigned i);

/* Can the event's samples have that one, by the source?  0 or -EINVAL. */
int tracefields_has_other(const struct tracefields_source *source, const struct event *e, unsigned i, struct err *err);

/* The fields' names, ", " between them, and of each n (number), s (text) or p (call path); "" where the event has no key. */
void tracefields_names(const struct tracefields *f, unsigned event, char *names, size_t size, char kinds[8]);

/* What a sample says beside its record. */
struct tracekey_sample {
	int cpu;
	uint32_t pid, tid;
	uint16_t epoch; /* core/table/split.h */
	uint32_t path;  /* number of its call path (core/table/rawpaths.h), where the key has one */
};

/* The words of a sample's key, at most TRACEKEY_WORDS.  Their number; 0: the record ends before a field. */
unsigned tracekey_take(const struct tracekey *k, const void *record, size_t len, const struct tracekey_sample *s,
		       uint64_t *words);

struct table_row;

/*
 * What a thread was called at a time, raw; NULL: not known.  Whose it is: for keys of ftrace's records.  The dictionary's
 * id of a call path of raw addresses, 0: not known; for fieldrows.
 */
struct tracekey_comms {
	const char *(*comm)(void *arg, uint32_t tid, uint64_t time);
	uint32_t (*process)(void *arg, uint32_t tid);
	uint32_t (*path)(void *arg, const struct table_row *path);
	void *arg;
};

/* The number of the call path in a key that has one. */
uint32_t tracekey_path(const struct tracekey *k, const uint64_t *words);

/* As a person reads it: the values, escaped, a tab between them, nothing for a path.  `time`: of one of its samples. */
void tracekey_text(const struct tracekey *k, const uint64_t *words, uint64_t time, const struct tracekey_comms *comms,
		   char *buf, size_t size);

#endif
