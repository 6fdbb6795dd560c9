/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracefields - fields of tracepoints' records that readers use: a sample's weight (weight=FIELD),
 * and the fields that samples are summed up by (--by).
 *
 * Fields are located when the session opens, and again when an event gets another list of fields
 * while it runs; readers then read values at known offsets (measure/trace/format.h).  A struct
 * tracefields in use is never changed.
 *
 * Threads: tracefields_create(), _change() and _free() one owner; the others any, in between.
 */
#ifndef RINGTOP_MEASURE_TRACE_TRACEFIELDS_H
#define RINGTOP_MEASURE_TRACE_TRACEFIELDS_H

#include "base/err.h"
#include "kernel/event/event.h"
#include "measure/trace/format.h"
#include "measure/trace/fieldform.h"
#include "measure/trace/printk.h"

struct tracefields;

/* Source of tracepoints' formats and of what samples have besides records; NULL: this kernel. */
struct tracefields_source {
	/* Like tracefields_format(); NULL: this kernel's formats, by tracefs. */
	int (*format)(void *arg, const struct event *e, struct trace_format *f, struct err *err);
	/*
	 * Return 0 if the event's samples have complete call paths when they are read, else -EINVAL
	 * with err.  NULL: none have.
	 */
	int (*paths)(void *arg, const struct event *e, struct err *err);
	void *arg;
	const struct printk *texts; /* texts that records may point to, borrowed; with `format` */
	const char *machine; /* kind of the records' machine ("aarch64"); NULL: like this one */
};

/*
 * Get the format of a tracepoint's records, to be cleared in any case.  0; -EINVAL, -EACCES,
 * -ENOMEM.
 */
int tracefields_format(const struct tracefields_source *source, const struct event *e,
		       struct trace_format *f, struct err *err);

#define TRACEKEY_FIELDS 4
#define TRACEKEY_TEXT	8u /* words of a text in a key; a longer text is cut and ends with "..." */
#define TRACEKEY_WORDS	(TRACEKEY_FIELDS * TRACEKEY_TEXT)

/*
 * Source of a key's part.  All but FIELD are not in the record, and are used only if the tracepoint
 * has no field of that name.  PROCESS: a PID to be found by its thread.
 */
enum tracekey_what {
	TRACEKEY_FIELD,
	TRACEKEY_CPU,
	TRACEKEY_PID,
	TRACEKEY_TID,
	TRACEKEY_COMM,
	TRACEKEY_PATH,
	TRACEKEY_PROCESS
};

struct tracekey {
	struct {
		enum tracekey_what what;
		struct trace_value value; /* of a field */
		enum modifier modifier;   /* of a number */
		const struct printk
			*texts; /* texts for a field that is a text's address; else NULL */
	} field[TRACEKEY_FIELDS];
	unsigned nr;
	bool one; /* the key is a single number of the record, stored unchanged */
	bool has_path; /* a part is TRACEKEY_PATH */
};

/*
 * Locate the fields for all events, whose rates must be set; marks events whose samples must
 * contain their records (event.raw), or complete paths (event.by_path).  `by`: NULL, or names of
 * fields separated by commas; tracepoints that have all of them are summed up by them.  *f NULL: no
 * event uses fields.  0; -EINVAL: no such field, or one that can be no weight; -EACCES: a format
 * cannot be read; -ENOMEM.
 */
int tracefields_create(struct event_list *list, const char *by,
		       const struct tracefields_source *source, struct tracefields **f,
		       struct err *err);
void tracefields_free(struct tracefields *f);

/*
 * Make *to: a copy of `f` (NULL: no fields) in which this event of the list is summed up by `by`
 * ("": by nothing), its list of fields with that number.  Errors as above.
 */
int tracefields_change(const struct tracefields *f, struct event_list *list, unsigned event,
		       const char *by, uint16_t number, const struct tracefields_source *source,
		       struct tracefields **to, struct err *err);

/* Return the location of a sample's weight; NULL: its period is its weight.  f may be NULL. */
const struct trace_value *tracefields_weight(const struct tracefields *f, unsigned event);

/* Return the key that samples of the event are summed up by; NULL: none.  f may be NULL. */
const struct tracekey *tracefields_key(const struct tracefields *f, unsigned event);

/* Return true if an event has a key.  f may be NULL. */
bool tracefields_keyed(const struct tracefields *f);

/* Return true if an event's key contains a call path.  f may be NULL. */
bool tracefields_by_path(const struct tracefields *f);
unsigned tracefields_events(const struct tracefields *f);

/* Return the words of the longest key. */
unsigned tracefields_words(const struct tracefields *f);

/* Return the name of the i-th field in the event's key, as given. */
const char *tracefields_name(const struct tracefields *f, unsigned event, unsigned i);

/* Return the number of the event's present list of fields: 0 is the first one. */
uint16_t tracefields_number(const struct tracefields *f, unsigned event);

#define TRACEKEY_OTHERS 5

/*
 * Return the i-th name that can be a field although no record has it ("cpu"); NULL: there are
 * fewer.
 */
const char *tracefields_other(unsigned i);

/* Check if the event's samples have the i-th of these, by the source.  0 or -EINVAL. */
int tracefields_has_other(const struct tracefields_source *source, const struct event *e,
			  unsigned i, struct err *err);

/*
 * Write the names of the key's fields, separated by ", ", and their kinds: n (number), s (text) or
 * p (call path).  "" if the event has no key.
 */
void tracefields_names(const struct tracefields *f, unsigned event, char *names, size_t size,
		       char kinds[8]);

/* Parts of a sample outside of its record. */
struct tracekey_sample {
	int cpu;
	uint32_t pid, tid;
	uint16_t epoch; /* core/table/split.h */
	uint32_t path;  /* number of its call path (core/table/rawpaths.h), where the key has one */
};

/*
 * Read a sample's key into `words`, which has room for TRACEKEY_WORDS.  Returns the number of
 * words; 0: the record ends before a field.
 */
unsigned tracekey_take(const struct tracekey *k, const void *record, size_t len,
		       const struct tracekey_sample *s, uint64_t *words);

/*
 * Lookups for the display of keys.  comm: a thread's raw name at a time, or NULL.  process: the PID
 * of a thread, for keys of ftrace's records.
 */
struct tracekey_comms {
	const char *(*comm)(void *arg, uint32_t tid, uint64_t time);
	uint32_t (*process)(void *arg, uint32_t tid);
	void *arg;
};

/* Return the number of the call path in a key that has one (k->has_path). */
uint32_t tracekey_path(const struct tracekey *k, const uint64_t *words);

/*
 * Format a key for display: the values, escaped, separated by tabs; a path is empty.  `time`: of
 * one of its samples.
 */
void tracekey_text(const struct tracekey *k, const uint64_t *words, uint64_t time,
		   const struct tracekey_comms *comms, char *buf, size_t size);

#endif
