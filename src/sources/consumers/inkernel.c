/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sources/consumers/inkernel.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/text.h"
#include "base/vec.h"
#include "kernel/event/tracepoint.h"
#include "sources/ftrace/hist.h"
#include "sources/live/readers.h"
#include "sources/ftrace/instance.h"
#include "measure/consumers/samplesums.h"

#define TEXT_MOST  (32u << 20) /* of a hist file */
#define TEXT_PIECE 65536u
#define NOT_THERE  UINT32_MAX

struct sum {
	char key[SLICE_FIELD_KEY];
	uint64_t hits, sum;           /* of this reading */
	uint64_t told_hits, told_sum; /* sums that slices had */
	uint32_t next;                /* index of the next one with this hash */
};

struct of_event {
	unsigned event;
	const struct tracekey *key; /* borrowed from tracefields */
	struct hist_shape shape;
	char *filter, *sums_of; /* texts, or NULL */
	char *names[HIST_KEYS]; /* of fields, without modifiers, which are applied here */
	char file[EVENT_NAME_LEN + 32];   /* events/SUBSYSTEM/NAME, and room for a file's name */
	size_t dir;                       /* length of events/SUBSYSTEM/NAME */
	struct sum *sums;
	size_t nsums, cap_sums;
	uint32_t *slots; /* 2 * INKERNEL_ENTRIES indexes: the first of the sums with such a hash */
	struct hist_totals told;
	uint64_t told_hits; /* of all keys */
	bool ill; /* it was logged that it cannot be read */
};

struct inkernel {
	const struct tracefields *fields;
	struct instance *instance;
	struct of_event *events;
	size_t nr, cap;
	char *text;
	size_t cap_text;
	struct err failed; /* of inkernel_enable, to be logged */
};

/* --- triggers -------------------------------------------------------------------------------- */

static const char *file_of(struct of_event *of, const char *name)
{
	snprintf(of->file + of->dir, sizeof(of->file) - of->dir, "/%s", name);
	return of->file;
}

static int choose_part(struct of_event *of, const char *name, unsigned i, struct err *err)
{
	const struct tracekey *k = of->key;
	__typeof__(&of->shape.key[0]) part = &of->shape.key[i];

	switch (k->field[i].what) {
	case TRACEKEY_FIELD:
		part->name = of->names[i] = strndup(name, strcspn(name, "."));
		if (!part->name)
			return err_set(err, ENOMEM, "out of memory");
		part->kind = k->field[i].value.text		    ? HIST_TEXT
			     : k->field[i].modifier == FIELDFORM_HEX ? HIST_HEX
								    : HIST_NUMBER;
		if (strchr(name, '['))
			return err_set(
				err, EINVAL,
				"--in-kernel: %s: the kernel's histograms do not support elements "
				"of arrays", name);
		return 0;
	case TRACEKEY_CPU:
		part->name = "common_cpu";
		return 0;
	case TRACEKEY_TID:
		part->name = "common_pid";
		return 0;
	case TRACEKEY_COMM:
		part->name = "common_pid";
		part->kind = HIST_COMM;
		return 0;
	case TRACEKEY_PATH:
		err_set(err, EINVAL, "--in-kernel does not read call paths (stack)");
		return err_advise(err, "leave out --in-kernel");
	default:
		err_set(err, EINVAL,
			"--in-kernel: the kernel's histograms have threads, not processes (pid)");
		return err_advise(err, "use tid or comm, or leave out --in-kernel");
	}
}

static int choose_shape(struct of_event *of, const struct tracefields *fields, struct err *err)
{
	const unsigned event = of->event;
	int ret = 0;

	if (of->key->nr > HIST_KEYS)
		return err_set(err, EINVAL,
			       "--in-kernel: %u fields, and the kernel's histograms support %d",
			       of->key->nr, HIST_KEYS);
	of->shape.nkeys = of->key->nr;
	for (unsigned i = 0; i < of->key->nr && !ret; i++)
		ret = choose_part(of, tracefields_name(fields, event, i), i, err);
	for (unsigned i = 1; i < of->key->nr && !ret; i++)
		for (unsigned j = 0; j < i && !ret; j++)
			if (!strcmp(of->shape.key[i].name, of->shape.key[j].name))
				ret = err_set(
					err, EINVAL,
					"--in-kernel: %s and %s are one key to the kernel's "
					"histograms",
					tracefields_name(fields, event, j),
					tracefields_name(fields, event, i));
	return ret;
}

/* Choose the field that hits are weighed by, as for samples. */
static int choose_sum(struct of_event *of, const struct event *e, const char *name, struct err *err)
{
	const char *field = e->weight	   ? e->weight
			    : e->own_count ? tracepoint_own_count(name)
					   : NULL;

	if (!field)
		return 0;
	if (strchr(field, '['))
		return err_set(
			err, EINVAL,
			"--in-kernel: weight=%s: the kernel's histograms do not support elements "
			"of arrays", field);
	of->sums_of = strdup(field);
	of->shape.sum = of->sums_of;
	return of->sums_of ? 0 : err_set(err, ENOMEM, "out of memory");
}

static int prepare_event(struct inkernel *k, struct of_event *of, struct event *e, struct err *err)
{
	char name[EVENT_NAME_LEN];
	int ret;

	if (e->group)
		return err_set(
			err, EINVAL,
			"--in-kernel: %s is in a group, and the kernel's histograms do not "
			"support groups", e->name);
	if (tracepoint_name(e->name, e->attr.config, name, sizeof(name)))
		return err_set(err, EINVAL, "%s has no name in tracefs", e->name);
	ret = choose_shape(of, k->fields, err);
	if (!ret)
		ret = choose_sum(of, e, name, err);
	if (ret)
		return ret;
	*strchr(name, ':') = '/';
	of->dir = (size_t)snprintf(of->file, sizeof(of->file), "events/%s", name);
	of->slots = malloc(2 * INKERNEL_ENTRIES * sizeof(*of->slots));
	if (!of->slots)
		return err_set(err, ENOMEM, "out of memory");
	memset(of->slots, 0xff, 2 * INKERNEL_ENTRIES * sizeof(*of->slots));
	return 0;
}

/* Run a command: the kernel takes the text of the trigger again, with the action in place of "". */
static int command(struct inkernel *k, struct of_event *of, const char *what, struct err *err)
{
	char *text = hist_trigger(&of->shape, INKERNEL_ENTRIES, what, of->filter);
	int ret = text ? instance_append(k->instance, file_of(of, "trigger"), text, err)
		       : err_set(err, ENOMEM, "out of memory");

	free(text);
	return ret;
}

static int set_trigger(struct inkernel *k, struct of_event *of, struct err *err)
{
	int fd = instance_open(k->instance, file_of(of, "hist"), O_RDONLY, NULL);

	if (fd == -ENOENT) {
		err_set(err, EINVAL,
			"--in-kernel: this kernel has no histograms (CONFIG_HIST_TRIGGERS)");
		return err_advise(
			err,
			"without --in-kernel ringtop computes the sums from records in the rings");
	}
	if (fd >= 0)
		close(fd);
	return command(k, of, ":pause", err) ? err_option(err, "--in-kernel") : 0;
}

/* Put a dummy in the event's place: it has a place in rings, and never a sample. */
static void take_over(struct of_event *of, struct event *e)
{
	of->filter = e->filter;
	e->filter = NULL;
	event_set_kind(e, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
	e->unit = e->own_count ? "ns" : e->unit;
	e->role = EVENT_INKERNEL;
	e->raw = e->own_count = false;
}

static int move_to_kernel(struct inkernel *k, struct event_list *list, unsigned event,
			  struct err *err)
{
	struct of_event *of = VEC_ADD(k->events, k->nr, k->cap);
	int ret;

	if (!of)
		return err_set(err, ENOMEM, "out of memory");
	of->event = event;
	of->key = tracefields_key(k->fields, event);
	ret = prepare_event(k, of, &list->events[event], err);
	if (!ret)
		take_over(of, &list->events[event]);
	return ret ? ret : set_trigger(k, of, err);
}

static int create_instance(struct inkernel *k, struct err *err)
{
	int ret = instance_create(NULL, &k->instance, err);

	/* No record is written into its buffer. */
	if (!ret)
		ret = instance_write(k->instance, "tracing_on", "0", err);
	if (!ret)
		ret = instance_write(k->instance, "buffer_size_kb", "4", err);
	return ret ? err_option(err, "--in-kernel") : 0;
}

int inkernel_create(struct event_list *list, const struct tracefields *fields, struct inkernel **to,
		    struct err *err)
{
	struct inkernel *k = calloc(1, sizeof(*k));
	int ret;

	*to = NULL;
	if (!k)
		return err_set(err, ENOMEM, "out of memory");
	k->fields = fields;
	ret = create_instance(k, err);
	for (unsigned i = 0; i < list->nr && !ret; i++)
		if (tracefields_key(fields, i))
			ret = move_to_kernel(k, list, i, err);
	if (ret)
		inkernel_free(k);
	else
		*to = k;
	return ret;
}

void inkernel_free(struct inkernel *k)
{
	if (!k)
		return;
	instance_free(k->instance);
	for (size_t i = 0; i < k->nr; i++) {
		free(k->events[i].filter);
		free(k->events[i].sums_of);
		for (unsigned key = 0; key < HIST_KEYS; key++)
			free(k->events[i].names[key]);
		free(k->events[i].sums);
		free(k->events[i].slots);
	}
	free(k->events);
	free(k->text);
	free(k);
}

void inkernel_describe(const struct inkernel *k, struct session_event *events)
{
	for (size_t i = 0; k && i < k->nr; i++) {
		const struct of_event *of = &k->events[i];
		struct session_event *e = &events[of->event];

		e->in_kernel = true;
		text_append(e->filter, sizeof(e->filter), 0, "%s", of->filter ? of->filter : "");
	}
}

void inkernel_enable(struct inkernel *k, bool on)
{
	for (size_t i = 0; i < k->nr; i++)
		command(k, &k->events[i], on ? ":cont" : ":pause",
			k->failed.code ? NULL : &k->failed);
}

void inkernel_switch(void *inkernel, struct tick_now *n)
{
	inkernel_enable(inkernel, !n->parts->readers->off);
}

/* --- readings -------------------------------------------------------------------------------- */

/* The kernel prints each number with its sign extended. */
static uint64_t as_wide(const struct trace_value *v, uint64_t number)
{
	return v->is_signed || v->size == 8 ? number : number & ((1ull << 8 * v->size) - 1);
}

static size_t part_text(char *buf, size_t size, size_t pos, const struct tracekey *k, unsigned i,
			const struct hist_value *v)
{
	const size_t most = TRACEKEY_TEXT * sizeof(uint64_t);
	char raw[TRACEKEY_TEXT * sizeof(uint64_t) + 1], text[4 * sizeof(raw)];

	if (v->text) {
		snprintf(raw, sizeof(raw), "%.*s", (int)v->len, v->text);
		if (v->len > most)
			memcpy(raw + most - 3, "...", 3);
		text_escape(text, sizeof(text), raw);
	} else if (k->field[i].modifier) {
		fieldform_text(k->field[i].modifier,
			       fieldform_word(k->field[i].modifier,
					      as_wide(&k->field[i].value, v->number)),
			       text, sizeof(text));
	} else {
		snprintf(text, sizeof(text), k->field[i].value.is_signed ? "%lld" : "%llu",
			 (unsigned long long)v->number);
	}
	return text_append(buf, size, pos, "%s%s", i ? "\t" : "", text);
}

/* Return a key's sum, maybe a new one.  Keys that read alike (threads of one name) share one. */
static struct sum *find_sum(struct of_event *of, const char *key)
{
	uint32_t *slot = &of->slots[hash_bytes(key, strlen(key)) % (2 * INKERNEL_ENTRIES)];
	struct sum *sum;

	for (uint32_t i = *slot; i != NOT_THERE; i = of->sums[i].next)
		if (!strcmp(of->sums[i].key, key))
			return &of->sums[i];
	sum = VEC_ADD(of->sums, of->nsums, of->cap_sums);
	if (!sum)
		return NULL;
	memcpy(sum->key, key, strlen(key) + 1);
	sum->next = *slot;
	*slot = (uint32_t)(of->nsums - 1);
	return sum;
}

static int take_hist_entry(void *arg, const struct hist_entry *e)
{
	struct of_event *of = arg;
	char key[TRACEKEY_WORDS * sizeof(uint64_t) * 4 + 1];
	struct slice_field short_key;
	struct sum *sum;
	size_t pos = 0;

	for (unsigned i = 0; i < of->shape.nkeys; i++)
		pos = part_text(key, sizeof(key), pos, of->key, i, &e->key[i]);
	samplesums_key(&short_key, key);
	/* The kernel's map has no more of them; a file with more is not the kernel's. */
	sum = of->nsums <= 2 * INKERNEL_ENTRIES ? find_sum(of, short_key.key) : NULL;
	if (!sum)
		return -ENOMEM;
	sum->hits += e->hits;
	sum->sum += of->shape.sum ? e->sum : e->hits;
	return 0;
}

static ssize_t read_hist_text(struct inkernel *k, int fd)
{
	size_t len = 0;
	ssize_t n;

	do {
		if (len > TEXT_MOST)
			return -EFBIG;
		if (!vec_reserve(&k->text, &k->cap_text, len + TEXT_PIECE, 1))
			return -ENOMEM;
		n = read(fd, k->text + len, k->cap_text - len);
		len += n > 0 ? (size_t)n : 0;
	} while (n > 0 || (n < 0 && errno == EINTR));
	return n < 0 ? -errno : (ssize_t)len;
}

/* Read the present sums.  0 or -errno. */
static int read_event(struct inkernel *k, struct of_event *of, struct hist_totals *t)
{
	int fd = instance_open(k->instance, file_of(of, "hist"), O_RDONLY, NULL);
	ssize_t len = fd < 0 ? fd : read_hist_text(k, fd);

	if (fd >= 0)
		close(fd);
	for (size_t i = 0; i < of->nsums; i++)
		of->sums[i].hits = of->sums[i].sum = 0;
	return len < 0 ? (int)len
		       : hist_parse(k->text, (size_t)len, &of->shape, take_hist_entry, of, t);
}

/* Return true if the sums are plausible: totals are printed last, so they cannot be less. */
static bool believed(const struct of_event *of, const struct hist_totals *t)
{
	uint64_t hits = 0;

	for (size_t i = 0; i < of->nsums; i++)
		if (of->sums[i].hits < of->sums[i].told_hits ||
		    __builtin_add_overflow(hits, of->sums[i].hits, &hits))
			return false;
	return hits <= t->hits && t->hits >= of->told.hits && t->dropped >= of->told.dropped;
}

static uint64_t add_sums(struct of_event *of, struct slice *s)
{
	uint64_t hits = 0;

	for (size_t i = 0; i < of->nsums; i++) {
		struct sum *from = &of->sums[i];
		struct slice_field *to;

		if (from->hits == from->told_hits && from->sum == from->told_sum)
			continue;
		to = slice_add_field(s);
		if (!to)
			break; /* the next slice has it */
		to->event = (uint16_t)of->event;
		memcpy(to->key, from->key, sizeof(to->key));
		to->count = from->hits - from->told_hits;
		to->sum = from->sum - from->told_sum;
		hits += to->count;
		from->told_hits = from->hits;
		from->told_sum = from->sum;
	}
	return hits;
}

static void add_account(struct of_event *of, const struct hist_totals *t, bool last,
			struct slice *s)
{
	struct slice_account *a = slice_add_account(s);
	uint64_t dropped = t->dropped - of->told.dropped, rest;

	if (!a)
		return; /* all of it stays for the next one, except the rows */
	a->event = (uint16_t)of->event;
	a->cpu = -1;
	a->exact = true;
	a->attributed = a->samples = add_sums(of, s);
	a->counted = t->hits - of->told.hits + dropped;
	a->lost[LOST_DROPPED] = a->lost_samples[LOST_DROPPED] = dropped;
	of->told_hits += a->samples;
	of->told = *t;
	/* Hits between the reading of their entry and that of the totals. */
	rest = t->hits - of->told_hits;
	a->pending = last ? 0 : rest;
	a->lost[LOST_UNKNOWN] = a->lost_samples[LOST_UNKNOWN] = last ? rest : 0;
}

static void tell_event(struct inkernel *k, struct of_event *of, bool last, struct slice *s)
{
	struct hist_totals t;
	int ret = read_event(k, of, &t);

	if (!ret && !believed(of, &t))
		ret = -EINVAL;
	if (!ret)
		add_account(of, &t, last, s);
	if (ret && (last || !of->ill))
		slice_log(s, SLICE_WARNING, "--in-kernel: %s/%s cannot be read: %s%s",
			  instance_path(k->instance), file_of(of, "hist"),
			  ret == -EINVAL ? "it is not as expected" : strerror(-ret),
			  last ? "; the last values are missing" : "");
	of->ill = ret;
}

void inkernel_tell(void *inkernel, struct tick_now *n)
{
	struct inkernel *k = inkernel;

	if (k->failed.code)
		slice_log(n->s, SLICE_WARNING, "--in-kernel: %s", k->failed.text);
	k->failed.code = 0;
	for (size_t i = 0; i < k->nr; i++)
		tell_event(k, &k->events[i], n->last, n->s);
}
