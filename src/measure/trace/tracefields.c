/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measure/trace/tracefields.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "kernel/event/tracepoint.h"

/* Names of a list of fields, as given. */
struct names {
	char name[TRACEKEY_FIELDS][FORMAT_NAME];
	unsigned nr;
};

struct of_event {
	struct trace_value weight;
	struct tracekey key; /* nr 0: none */
	struct names by;     /* names of the key's fields */
	uint16_t number;     /* of this list among the lists that the event has had */
	bool weighed;
};

struct tracefields {
	struct of_event *event;
	unsigned nr;
	const struct tracefields_source *source; /* only while this is being made */
};

static int kernel_format(const struct event *e, struct trace_format *f, struct err *err)
{
	char *text = malloc(FORMAT_BYTES), name[EVENT_NAME_LEN];
	int ret = text ? tracepoint_name(e->name, e->attr.config, name, sizeof(name)) : -ENOMEM;

	*f = (struct trace_format){.nr = 0};
	if (!ret)
		ret = tracepoint_format(name, text, FORMAT_BYTES);
	if (ret == -ENOMEM)
		err_set(err, ENOMEM, "out of memory");
	else if (ret)
		ret = err_set(err, EACCES, "cannot read the format of %s in tracefs: %s", e->name,
			      strerror(-ret));
	else
		ret = format_parse(text, strlen(text), f, err);
	free(text);
	return ret;
}

int tracefields_format(const struct tracefields_source *source, const struct event *e,
		       struct trace_format *f, struct err *err)
{
	return source && source->format ? source->format(source->arg, e, f, err)
					: kernel_format(e, f, err);
}

/*
 * Check that an event with its own count weighs just that: the kernel would write a sample for each
 * count.
 */
static int check_own(struct event *e, struct err *err)
{
	char name[EVENT_NAME_LEN];
	const char *own;

	if (tracepoint_name(e->name, e->attr.config, name, sizeof(name)))
		return err_set(err, EINVAL, "%s has no name in tracefs", e->name);
	own = tracepoint_own_count(name);
	if (strcmp(own, e->weight))
		return err_set(err, EINVAL,
			       "-e: a hit of %s already counts its %s and cannot have another "
			       "weight", name, own);
	free(e->weight);
	e->weight = NULL;
	return 0;
}

static int find_weight(const struct tracefields *all, struct event *e, struct of_event *of,
		       struct err *err)
{
	struct trace_format f;
	int ret;

	if (!event_fixed_period(e))
		return err_set(
			err, EINVAL,
			"-e: %s: weight= adds up a field of each hit, which needs a fixed period "
			"(-c), not a frequency", e->name);
	ret = tracefields_format(all->source, e, &f, err);
	if (!ret)
		ret = format_weight(&f, e->weight, &of->weight, err) ? err_option(err, "-e") : 0;
	format_clear(&f);
	of->weighed = !ret;
	e->raw |= !ret;
	return ret;
}

/* --- keys ------------------------------------------------------------------------------------ */

static bool has_name(const struct names *n, const char *name, size_t len)
{
	for (unsigned i = 0; i < n->nr; i++)
		if (strlen(n->name[i]) == len && !memcmp(n->name[i], name, len))
			return true;
	return false;
}

static int split_names(struct names *n, const char *by, struct err *err)
{
	for (size_t len;; by += len + 1) {
		len = strcspn(by, ",");
		if (!len || len >= FORMAT_NAME)
			return err_set(err, EINVAL, "--by: '%.*s' is not a field name",
				       (int)(len < 80 ? len : 80), by);
		if (has_name(n, by, len))
			return err_set(err, EINVAL, "--by: %.*s is given twice", (int)len, by);
		if (n->nr == TRACEKEY_FIELDS)
			return err_set(err, EINVAL, "--by: more than %d fields", TRACEKEY_FIELDS);
		memcpy(n->name[n->nr++], by, len);
		if (!by[len])
			return 0;
	}
}

static const struct {
	const char *name;
	enum tracekey_what what;
} others[TRACEKEY_OTHERS] = {{"cpu", TRACEKEY_CPU},
			     {"pid", TRACEKEY_PID},
			     {"tid", TRACEKEY_TID},
			     {"comm", TRACEKEY_COMM},
			     {"stack", TRACEKEY_PATH}};

int tracefields_has_other(const struct tracefields_source *source, const struct event *e,
			  unsigned i, struct err *err)
{
	if (others[i].what != TRACEKEY_PATH)
		return 0;
	if (source && source->paths)
		return source->paths(source->arg, e, err);
	return err_set(err, EINVAL, "%s: its samples have no call paths", e->name);
}

static int add_other_part(struct tracekey *k, const struct tracefields_source *source,
			  const struct event *e, unsigned i, struct err *err)
{
	if (tracefields_has_other(source, e, i, err))
		return err_option(err, "--by");
	k->has_path |= others[i].what == TRACEKEY_PATH;
	k->field[k->nr].what = others[i].what;
	k->field[k->nr++].value = (struct trace_value){.is_signed = true};
	return 0;
}

/* Locate FIELD.MODIFIER; the field must be a number. */
static int find_modified(const struct trace_format *format, const char *name, struct tracekey *k,
			 const struct tracefields_source *source, struct err *err)
{
	__typeof__(&k->field[0]) part = &k->field[k->nr];
	char field[FORMAT_NAME];
	size_t len;
	int ret = fieldform_find(name, &len, &part->modifier, err);

	if (ret)
		return ret;
	snprintf(field, sizeof(field), "%.*s", (int)len, name);
	ret = format_value(format, field, &part->value, err);
	if (!ret && part->value.text)
		ret = err_set(err, EINVAL, "%s: %s of %s is a text", name, field, format->name);
	if (!ret && part->modifier == FIELDFORM_SYSCALL && source && source->machine)
		ret = err_set(err, EINVAL, "%s: the names of system calls on %s are not known",
			      name, source->machine);
	part->value.is_signed &= part->modifier == FIELDFORM_SYSCALL;
	return ret;
}

/* Locate a key's part by its name; a: the format's field of that name, or NULL. */
static int find_key_field(const struct trace_format *format, const struct trace_field *a,
			  const char *name, struct tracekey *k,
			  const struct tracefields_source *source, struct err *err)
{
	if (!a && strchr(name, '.'))
		return find_modified(format, name, k, source, err);
	k->field[k->nr].modifier = a && a->pointer ? FIELDFORM_HEX : FIELDFORM_NONE;
	if (a && format_points_to_text(a))
		k->field[k->nr].texts =
			source && source->format ? source->texts : printk_of_kernel();
	return format_value(format, name, &k->field[k->nr].value, err);
}

/* Append the names of other parts to the advice. */
static void advise_others(struct err *err)
{
	size_t at = err ? strlen(err->advice) : 0;

	for (unsigned i = 0; err && i < TRACEKEY_OTHERS; i++)
		at = text_append(err->advice, sizeof(err->advice), at, "%s%s",
				 i    ? ", "
				 : at ? "; "
				      : "or ",
				 others[i].name);
}

static int find_part(const struct trace_format *format, const char *name, struct tracekey *k,
		     const struct tracefields_source *source, const struct event *e,
		     struct err *err)
{
	const struct trace_field *a = format_find(format, name);

	for (unsigned i = 0; !a && i < TRACEKEY_OTHERS; i++)
		if (!strcmp(others[i].name, name))
			return add_other_part(k, source, e, i, err);
	if (find_key_field(format, a, name, k, source, err)) {
		advise_others(err);
		return err_option(err, "--by");
	}
	k->nr++;
	return 0;
}

static bool may_have_key(const struct event *e)
{
	return event_has_record(e);
}

/*
 * ftrace's records only have a thread (common_pid): its process is looked up when the key is
 * displayed.
 */
static void know_thread_alone(const struct event *e, struct tracekey *k)
{
	for (unsigned i = 0; e->role == EVENT_FTRACE && i < k->nr; i++)
		if (k->field[i].what == TRACEKEY_PID)
			k->field[i].what = TRACEKEY_PROCESS;
}

/* Make an event's key.  -EINVAL: its records lack one of the fields. */
static int find_key(struct tracefields *f, unsigned event, struct event *e, const struct names *by,
		    struct err *err)
{
	struct tracekey k = {.nr = 0};
	struct trace_format format;
	int ret = tracefields_format(f->source, e, &format, err);

	for (unsigned i = 0; i < by->nr && !ret; i++)
		ret = find_part(&format, by->name[i], &k, f->source, e, err);
	format_clear(&format);
	if (ret)
		return ret;
	know_thread_alone(e, &k);
	k.one = k.nr == 1 && k.field[0].what == TRACEKEY_FIELD && !k.field[0].value.text &&
		k.field[0].modifier != FIELDFORM_LOG2;
	f->event[event].key = k;
	f->event[event].by = *by;
	e->raw = true;
	e->by_path = k.has_path;
	return 0;
}

/* Make the keys of all events.  If none gets a key, the error is that of the first tracepoint. */
static int find_keys(struct tracefields *f, struct event_list *list, const char *by,
		     struct err *err)
{
	struct err first = {.code = 0}, other;
	struct names names = {.nr = 0};
	int ret = split_names(&names, by, err);

	for (unsigned i = 0; i < list->nr && !ret; i++) {
		if (!may_have_key(&list->events[i]))
			continue;
		ret = find_key(f, i, &list->events[i], &names, first.code ? &other : &first);
		ret = ret == -EINVAL ? 0 : ret;
	}
	if (ret || tracefields_keyed(f)) {
		if (ret && first.code && err)
			*err = first;
		return ret;
	}
	if (!first.code)
		return err_set(
		    err, EINVAL,
		    "--by: no tracepoint is sampled, and only their records have fields");
	if (err)
		*err = first;
	return -EINVAL;
}

static inline unsigned words_of(const struct trace_value *v)
{
	return v->text ? TRACEKEY_TEXT : 1;
}

static bool copy_text_words(const struct trace_value *v, const void *record, size_t len,
			    uint64_t *words)
{
	const size_t room = TRACEKEY_TEXT * sizeof(*words);
	size_t bytes;
	const char *text = trace_text(v, record, len, &bytes);

	if (!text)
		return false;
	memset(words, 0, room);
	memcpy(words, text, bytes < room ? bytes : room);
	if (bytes > room)
		memcpy((char *)words + room - 3, "...", 3);
	return true;
}

/*
 * Return the word of a part that is not in the record; of a comm, thread and time (epoch): it may
 * change.
 */
static uint64_t other_word(enum tracekey_what what, const struct tracekey_sample *s)
{
	switch (what) {
	case TRACEKEY_CPU:
		return (uint64_t)(int64_t)s->cpu;
	case TRACEKEY_PID:
		return (uint64_t)(int64_t)(int32_t)s->pid;
	case TRACEKEY_TID:
	case TRACEKEY_PROCESS:
		return (uint64_t)(int64_t)(int32_t)s->tid;
	case TRACEKEY_PATH:
		return s->path;
	default:
		return s->tid | (uint64_t)s->epoch << 32;
	}
}

unsigned tracekey_take(const struct tracekey *k, const void *record, size_t len,
		       const struct tracekey_sample *s, uint64_t *words)
{
	unsigned n = 0;

	for (unsigned i = 0; i < k->nr; i++) {
		const struct trace_value *v = &k->field[i].value;

		if (k->field[i].what != TRACEKEY_FIELD)
			words[n] = other_word(k->field[i].what, s);
		else if (v->text ? !copy_text_words(v, record, len, words + n)
				 : !trace_number(v, record, len, words + n))
			return 0;
		if (k->field[i].modifier)
			words[n] = fieldform_word(k->field[i].modifier, words[n]);
		n += words_of(v);
	}
	return n;
}

uint32_t tracekey_path(const struct tracekey *k, const uint64_t *words)
{
	unsigned i = 0;

	while (k->field[i].what != TRACEKEY_PATH)
		words += words_of(&k->field[i++].value);
	return (uint32_t)*words;
}

static void comm_text(uint64_t word, uint64_t time, const struct tracekey_comms *comms, char *text,
		      size_t size)
{
	const char *comm = comms->comm(comms->arg, (uint32_t)word, time);

	if (comm)
		text_escape(text, size, comm);
	else
		snprintf(text, size, ":%d", (int)(uint32_t)word);
}

void tracekey_text(const struct tracekey *k, const uint64_t *words, uint64_t time,
		   const struct tracekey_comms *comms, char *buf, size_t size)
{
	size_t pos = text_append(buf, size, 0, "%s", "");

	for (unsigned i = 0; i < k->nr; i++) {
		const struct trace_value *v = &k->field[i].value;
		char raw[TRACEKEY_TEXT * sizeof(*words) + 1] = "", text[4 * sizeof(raw)];

		if (k->field[i].what == TRACEKEY_PATH) {
			*text = '\0';
		} else if (k->field[i].what == TRACEKEY_COMM) {
			comm_text(*words, time, comms, text, sizeof(text));
		} else if (k->field[i].what == TRACEKEY_PROCESS) {
			snprintf(text, sizeof(text), "%u",
				 comms->process(comms->arg, (uint32_t)*words));
		} else if (v->text) {
			memcpy(raw, words, sizeof(raw) - 1);
			text_escape(text, sizeof(text), raw);
		} else if (printk_find(k->field[i].texts, *words)) {
			text_escape(text, sizeof(text), printk_find(k->field[i].texts, *words));
		} else if (k->field[i].modifier) {
			fieldform_text(k->field[i].modifier, *words, text, sizeof(text));
		} else {
			snprintf(text, sizeof(text), v->is_signed ? "%lld" : "%llu",
				 (unsigned long long)*words);
		}
		pos = text_append(buf, size, pos, "%s%s", i ? "\t" : "", text);
		words += words_of(v);
	}
}

const struct tracekey *tracefields_key(const struct tracefields *f, unsigned event)
{
	return f && event < f->nr && f->event[event].key.nr ? &f->event[event].key : NULL;
}

unsigned tracefields_words(const struct tracefields *f)
{
	unsigned most = 0;

	for (unsigned i = 0; i < f->nr; i++) {
		const struct tracekey *k = &f->event[i].key;
		unsigned words = 0;

		for (unsigned part = 0; part < k->nr; part++)
			words += words_of(&k->field[part].value);
		most = words > most ? words : most;
	}
	return most;
}

unsigned tracefields_events(const struct tracefields *f)
{
	return f->nr;
}

bool tracefields_keyed(const struct tracefields *f)
{
	for (unsigned i = 0; f && i < f->nr; i++)
		if (f->event[i].key.nr)
			return true;
	return false;
}

bool tracefields_by_path(const struct tracefields *f)
{
	for (unsigned i = 0; f && i < f->nr; i++)
		if (f->event[i].key.nr && f->event[i].key.has_path)
			return true;
	return false;
}

const char *tracefields_name(const struct tracefields *f, unsigned event, unsigned i)
{
	return f->event[event].by.name[i];
}

uint16_t tracefields_number(const struct tracefields *f, unsigned event)
{
	return f && event < f->nr ? f->event[event].number : 0;
}

const char *tracefields_other(unsigned i)
{
	return i < TRACEKEY_OTHERS ? others[i].name : NULL;
}

static bool is_text_modifier(enum modifier m)
{
	return m == FIELDFORM_HEX || m == FIELDFORM_SYSCALL;
}

static char key_part_kind(const struct tracekey *k, unsigned i)
{
	if (k->field[i].what == TRACEKEY_PATH)
		return 'p';
	return k->field[i].value.text || is_text_modifier(k->field[i].modifier) ||
			       k->field[i].what == TRACEKEY_COMM
		       ? 's'
		       : 'n';
}

void tracefields_names(const struct tracefields *f, unsigned event, char *names, size_t size,
		       char kinds[8])
{
	const struct tracekey *k = tracefields_key(f, event);
	size_t pos = text_append(names, size, 0, "%s", "");

	memset(kinds, 0, 8);
	for (unsigned i = 0; k && i < k->nr; i++) {
		pos = text_append(names, size, pos, "%s%s", i ? ", " : "",
				  f->event[event].by.name[i]);
		kinds[i] = key_part_kind(k, i);
	}
}

/* --- all of it ------------------------------------------------------------------------------- */

/* Allocate for nr events.  NULL with err: out of memory. */
static struct tracefields *create_tracefields(unsigned nr, const struct tracefields_source *source,
					      struct err *err)
{
	struct tracefields *f = calloc(1, sizeof(*f));

	if (f)
		f->event = calloc(nr, sizeof(*f->event));
	if (!f || !f->event) {
		free(f);
		err_set(err, ENOMEM, "out of memory");
		return NULL;
	}
	f->nr = nr;
	f->source = source;
	return f;
}

int tracefields_create(struct event_list *list, const char *by,
		       const struct tracefields_source *source, struct tracefields **to,
		       struct err *err)
{
	struct tracefields *f = create_tracefields(list->nr, source, err);
	bool any = false;
	int ret = 0;

	*to = NULL;
	if (!f)
		return -ENOMEM;
	if (by)
		ret = find_keys(f, list, by, err);
	any = tracefields_keyed(f);
	for (unsigned i = 0; i < list->nr && !ret; i++) {
		struct event *e = &list->events[i];

		if (e->weight && e->own_count)
			ret = check_own(e, err);
		else if (e->weight)
			ret = find_weight(f, e, &f->event[i], err);
		any |= f->event[i].weighed;
	}
	f->source = NULL;
	if (any && !ret)
		*to = f;
	else
		tracefields_free(f);
	return ret;
}

int tracefields_change(const struct tracefields *f, struct event_list *list, unsigned event,
		       const char *by, uint16_t number, const struct tracefields_source *source,
		       struct tracefields **to, struct err *err)
{
	struct event *e = &list->events[event];
	struct names names = {.nr = 0};
	int ret = *by ? split_names(&names, by, err) : 0;

	*to = NULL;
	if (!ret && *by && !may_have_key(e))
		ret = err_set(err, EINVAL, "--by: '%s' is not a tracepoint, and only their "
					   "records have fields", e->name);
	if (ret)
		return ret;
	*to = create_tracefields(list->nr, source, err);
	if (!*to)
		return -ENOMEM;
	for (unsigned i = 0; f && i < f->nr; i++)
		(*to)->event[i] = f->event[i];
	(*to)->event[event].key.nr = 0;
	(*to)->event[event].by.nr = 0;
	(*to)->event[event].number = number;
	e->by_path = false;
	if (*by)
		ret = find_key(*to, event, e, &names, err);
	(*to)->source = NULL;
	if (!ret)
		return 0;
	tracefields_free(*to);
	*to = NULL;
	return ret;
}

void tracefields_free(struct tracefields *f)
{
	if (!f)
		return;
	free(f->event);
	free(f);
}

const struct trace_value *tracefields_weight(const struct tracefields *f, unsigned event)
{
	return f && event < f->nr && f->event[event].weighed ? &f->event[event].weight : NULL;
}
