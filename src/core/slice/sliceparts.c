/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/slice/sliceparts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/vec.h"
#include "core/slice/code.h"

/* --- merging and freeing one element ---------------------------------------------------------- */

static void sum_row(void *to, const void *from)
{
	struct slice_row *a = to;
	const struct slice_row *b = from;

	a->samples += b->samples;
	a->weight += b->weight;
}

static void sum_account(void *to, const void *from)
{
	struct slice_account *a = to;
	const struct slice_account *b = from;

	a->exact &= b->exact;
	a->throttles += b->throttles;
	a->samples += b->samples;
	a->counted += b->counted;
	a->attributed += b->attributed;
	for (int c = 0; c < LOST_NR; c++) {
		a->lost[c] += b->lost[c];
		a->lost_samples[c] += b->lost_samples[c];
	}
	a->unsampled += b->unsampled;
	for (int i = 0; i < UNSAMPLED_NR; i++)
		a->unsampled_why[i] += b->unsampled_why[i];
	a->pending = b->pending;
	a->stat_ns += b->stat_ns;
	a->stat_idle += b->stat_idle;
	a->stat_stolen += b->stat_stolen;
	a->stat_user += b->stat_user;
	a->stat_kernel += b->stat_kernel;
	a->enabled += b->enabled;
	a->starved += b->starved;
	a->others += b->others;
}

static void sum_gauge(void *to, const void *from)
{
	slice_gauge_add(to, from);
}

static void sum_aux(void *to, const void *from)
{
	slice_aux_add(to, from);
}

static void sum_host(void *to, const void *from)
{
	struct slice_host was = *(struct slice_host *)to;

	memcpy(to, from, sizeof(was));
	slice_host_add(to, &was);
}

static void sum_latency(void *to, const void *from)
{
	slice_latency_add(to, from);
}

static int compare_counters(const void *left, const void *right)
{
	const struct slice_counter *a = left, *b = right;

	return COMPARE(a->counter, b->counter) ?: COMPARE(a->cpu, b->cpu) ?:
	       COMPARE(a->tid, b->tid);
}

static void fold_fields(struct slice *s)
{
	s->nfields = slice_fields_limit(s->fields, s->nfields, SLICE_FIELDS_MOST);
}

static void fold_logged(struct slice *s)
{
	slice_logged_trim(s->logged, &s->nlogged, SLICE_LOGGED_MOST, &s->logging);
}

static void clear_pt(void *pt)
{
	slice_pt_clear(pt);
}

static void clear_code(void *code)
{
	code_free(*(struct code **)code);
}

/* --- the table -------------------------------------------------------------------------------- */

#define ELEMENT(array)	     __typeof__(*((struct slice *)0)->array)
#define TYPE(array, member) __typeof__(((ELEMENT(array) *)0)->member)

#define SINGLE(member, words, as)                                                                  \
	.name = #member, .one = (words), .flags = (as), .array = offsetof(struct slice, member),   \
	.size = sizeof(ELEMENT(member))
#define ARRAY(member, words, as)                                                                   \
	SINGLE(member, words, as), .nr = offsetof(struct slice, n##member),                        \
		.cap = offsetof(struct slice, cap_##member)
#define HAS(array, meaning, member)                                                                \
	{                                                                                          \
		.is = MEMBER_##meaning, .size = sizeof(TYPE(array, member)),                       \
		.is_signed = (TYPE(array, member))-1 < (TYPE(array, member))1,                     \
		.at = offsetof(ELEMENT(array), member)                                             \
	}
#define OWNS(array, text)                                                                          \
	{                                                                                          \
		.is = MEMBER_TEXT, .size = sizeof(char *), .at = offsetof(ELEMENT(array), text)    \
	}

#define TEXT(array, member) .text = offsetof(ELEMENT(array), member)
#define SUMS(array, member, number) .sums_at = offsetof(ELEMENT(array), member), .sums = (number)

#define DEFINITION (PART_DEFINES | PART_UNSAVED | PART_ANEW)

const struct slice_part slice_parts[PART_NR] = {
	[PART_CHANGES] = {ARRAY(changes, "a change", DEFINITION), .most = 4096,
			  .members = {HAS(changes, EVENT, event), HAS(changes, LIST, by_nr)}},
	[PART_BETWEEN] = {SINGLE(between, "a pair", DEFINITION | PART_SINGLE),
			  .members = {HAS(between, EVENT, from), HAS(between, EVENT, to),
				      HAS(between, PAIRS, nr)}},
	[PART_LISTS] = {ARRAY(lists, "a list of fields", PART_DEFINES), .most = 4096,
			.members = {HAS(lists, EVENT, event), HAS(lists, LIST, by),
				    HAS(lists, SINCE, since)}},
	[PART_ROWS] = {ARRAY(rows, "a row", 0), .add = sum_row,
		       .key = offsetof(struct slice_row, samples),
		       .members = {HAS(rows, PATH, path), HAS(rows, TASK, task),
				   HAS(rows, EVENT, event), HAS(rows, CPU, cpu)}},
	[PART_ACCOUNTS] = {ARRAY(accounts, "an account", 0), .most = 32768, .add = sum_account,
			   .key = offsetof(struct slice_account, exact),
			   .members = {HAS(accounts, EVENT, event), HAS(accounts, CPU, cpu)}},
	[PART_COUNTERS] = {ARRAY(counters, "a count", 0), .most = 1048576,
			   .compare = compare_counters, SUMS(counters, count, 3),
			   .members = {HAS(counters, COUNTER, counter), HAS(counters, CPU, cpu)}},
	[PART_FIELDS] = {ARRAY(fields, "a key of fields", 0), .most = 262144, .fold = fold_fields,
			 .members = {HAS(fields, EVENT, event), HAS(fields, LIST, by),
				     HAS(fields, PATH, path)}},
	[PART_THROTTLES] = {ARRAY(throttles, "a throttled cgroup", 0), .most = 4096,
			    .key = sizeof(uint16_t), TEXT(throttles, cgroup), .limit = 1024,
			    SUMS(throttles, periods, 3), .members = {HAS(throttles, HOST, host)}},
	[PART_LATENCY] = {SINGLE(latency, "a histogram", PART_SINGLE), .add = sum_latency,
			  .members = {HAS(latency, PAIRS, nr)}},
	[PART_LOGGED] = {ARRAY(logged, "a line of an event", 0), .most = SLICE_LOGGED_MOST,
			 .fold = fold_logged,
			 .members = {HAS(logged, TIME, time), HAS(logged, EVENT, event),
				     HAS(logged, RAN_ON, cpu), OWNS(logged, text),
				     OWNS(logged, fields)}},
	[PART_GAUGES] = {ARRAY(gauges, "a ring", PART_BY_INDEX), .most = 262144, .add = sum_gauge,
			 .members = {HAS(gauges, CPU, cpu)}},
	[PART_AUX] = {ARRAY(aux, "an AUX area", PART_BY_INDEX), .most = 262144, .add = sum_aux,
		      .members = {HAS(aux, CPU, cpu)}},
	[PART_SNAPSHOTS] = {ARRAY(snapshots, "a snapshot", PART_AT_ONCE),
			    .members = {HAS(snapshots, HOST, host), HAS(snapshots, TIME, time),
					HAS(snapshots, TIME, changed), OWNS(snapshots, reason),
					OWNS(snapshots, file), OWNS(snapshots, error)}},
	[PART_HOSTS] = {ARRAY(hosts, "a host", PART_BY_INDEX | PART_UNSAVED), .add = sum_host},
	[PART_LOGS] = {ARRAY(logs, "a message", 0), .members = {OWNS(logs, text)}},
	[PART_PT] = {SINGLE(pt, "a decoded trace", PART_SINGLE | PART_AT_ONCE), .clear = clear_pt,
		     .members = {HAS(pt, TIME, changed)}},
	[PART_CODES] = {ARRAY(codes, "an answer about code", PART_AT_ONCE | PART_UNSAVED),
			.clear = clear_code},
};

/* --- walking it ------------------------------------------------------------------------------- */

/* Return the address of an array's number of elements, or of its capacity. */
static size_t *slice_size(const struct slice *s, size_t at)
{
	return (size_t *)(void *)((char *)s + at);
}

static void *get_array(const struct slice *s, const struct slice_part *p)
{
	void *array;

	memcpy(&array, (const char *)s + p->array, sizeof(array));
	return array;
}

static void set_array(struct slice *s, const struct slice_part *p, void *array)
{
	memcpy((char *)s + p->array, &array, sizeof(array));
}

char *part_elements(const struct slice *s, const struct slice_part *p, size_t *nr)
{
	char *array = get_array(s, p);

	*nr = p->flags & PART_SINGLE ? array != NULL : *slice_size(s, p->nr);
	return array;
}

void part_set_number(struct slice *s, const struct slice_part *p, size_t nr)
{
	*slice_size(s, p->nr) = nr;
}

static bool reserve_elements(struct slice *s, const struct slice_part *p, size_t more)
{
	return vec_reserve((char *)s + p->array, slice_size(s, p->cap),
			   *slice_size(s, p->nr) + more, p->size);
}

void *part_add(struct slice *s, enum part_id id)
{
	const struct slice_part *p = &slice_parts[id];
	char *array = get_array(s, p);

	if (p->flags & PART_SINGLE) {
		array = array ? array : calloc(1, p->size);
		set_array(s, p, array);
		return array;
	}
	if (!reserve_elements(s, p, 1))
		return NULL;
	array = get_array(s, p);
	return memset(array + (*slice_size(s, p->nr))++ * p->size, 0, p->size);
}

int part_add_all(struct slice *s, enum part_id id, const void *elements, size_t nr)
{
	const struct slice_part *p = &slice_parts[id];
	void *single = p->flags & PART_SINGLE && nr ? part_add(s, id) : NULL;

	if (!nr)
		return 0;
	if (p->flags & PART_SINGLE)
		return single && memcpy(single, elements, p->size) ? 0 : -ENOMEM;
	if (!reserve_elements(s, p, nr))
		return -ENOMEM;
	memcpy((char *)get_array(s, p) + *slice_size(s, p->nr) * p->size, elements, nr * p->size);
	*slice_size(s, p->nr) += nr;
	return 0;
}

bool part_reserve(struct slice *dst, const struct slice *src, const struct slice_part *p)
{
	return p->flags & PART_SINGLE || reserve_elements(dst, p, *slice_size(src, p->nr));
}

static void clear_elements(const struct slice_part *p, char *element, size_t nr)
{
	for (; nr--; element += p->size) {
		if (p->clear)
			p->clear(element);
		for (const struct part_member *m = p->members; m->is; m++)
			if (m->is == MEMBER_TEXT)
				free(*(char **)(void *)(element + m->at));
	}
}

/* Free the elements, and the array too where that is asked for. */
static void drop_part(struct slice *s, const struct slice_part *p, bool array)
{
	size_t nr;
	char *element = part_elements(s, p, &nr);

	clear_elements(p, element, nr);
	if (!(p->flags & PART_SINGLE))
		*slice_size(s, p->nr) = 0;
	if (array || p->flags & PART_SINGLE) {
		free(element);
		set_array(s, p, NULL);
	}
}

void part_append(struct slice *dst, struct slice *src, const struct slice_part *p)
{
	size_t nr, was;
	char *from = part_elements(src, p, &nr), *to = part_elements(dst, p, &was);

	if (!nr)
		return;
	if (!(p->flags & PART_SINGLE)) {
		memcpy(to + was * p->size, from, nr * p->size);
		*slice_size(dst, p->nr) += nr;
		*slice_size(src, p->nr) = 0; /* what they own is dst's now */
	} else if (to && p->add) {
		p->add(to, from);
	} else {
		drop_part(dst, p, true);
		set_array(dst, p, from);
		set_array(src, p, NULL);
	}
}

/* --- sorted parts ----------------------------------------------------------------------------- */

size_t part_size(const struct part_order *o)
{
	size_t kept = o->part->text + sizeof(uint32_t);

	return o->kept && o->part->text ? (kept + 7) / 8 * 8 : o->part->size;
}

int part_compare(const void *left, const void *right, void *order)
{
	const struct part_order *o = order;
	const struct slice_part *p = o->part;
	const char *a = (const char *)left + p->text, *b = (const char *)right + p->text;
	int by_key = p->compare ? p->compare(left, right) : memcmp(left, right, p->key);

	if (by_key || !p->text)
		return by_key;
	return o->kept ? memcmp(a, b, sizeof(uint32_t)) : strncmp(a, b, p->size - p->text);
}

void part_sum(const struct slice_part *p, void *to, const void *from)
{
	uint64_t *sum = (void *)((char *)to + p->sums_at);
	const uint64_t *more = (const void *)((const char *)from + p->sums_at);

	for (size_t i = 0; i < p->sums; i++)
		sum[i] += more[i];
	if (p->add)
		p->add(to, from);
}

size_t part_add_up_equal(struct part_order *o, void *elements, size_t nr)
{
	size_t size = part_size(o), left = 0;
	char *last = elements;

	if (nr > 1)
		qsort_r(elements, nr, size, part_compare, o);
	for (size_t i = 0; i < nr; i++) {
		char *element = (char *)elements + i * size;

		if (left && !part_compare(last, element, o)) {
			part_sum(o->part, last, element);
			continue;
		}
		last = (char *)elements + left++ * size;
		if (last != element)
			memcpy(last, element, size);
	}
	return left;
}

void part_make_rest(const struct part_order *o, void *element)
{
	const struct slice_part *p = o->part;

	memset((char *)element + sizeof(uint16_t), 0, p->key - sizeof(uint16_t));
	memset((char *)element + p->text, 0, part_size(o) - p->text);
}

void part_fold(struct slice *s, const struct slice_part *p)
{
	struct part_order o = {.part = p};
	size_t nr, left;
	char *elements = part_elements(s, p, &nr);

	nr = part_add_up_equal(&o, elements, nr);
	left = p->limit && p->limit < nr ? p->limit : nr;
	for (size_t i = left; i < nr; i++) {
		char *rest = elements, *element = elements + i * p->size;

		part_make_rest(&o, element);
		while (rest < elements + left * p->size && part_compare(rest, element, &o))
			rest += p->size;
		if (rest < elements + left * p->size)
			part_sum(p, rest, element);
		else
			memmove(elements + left++ * p->size, element, p->size);
	}
	part_set_number(s, p, left);
}

size_t parts_count(const struct slice *s, unsigned flags)
{
	size_t all = 0, nr;

	for (const struct slice_part *p = slice_parts; p < slice_parts + PART_NR; p++) {
		part_elements(s, p, &nr);
		all += p->flags & flags ? nr : 0;
	}
	return all;
}

void parts_drop(struct slice *s, unsigned flags)
{
	for (const struct slice_part *p = slice_parts; p < slice_parts + PART_NR; p++)
		if (!flags || p->flags & flags)
			drop_part(s, p, !flags);
}

/* --- numbers ---------------------------------------------------------------------------------- */

static int64_t load_member(const struct part_member *m, const char *at)
{
	uint16_t small;
	uint32_t id;
	uint64_t time;

	switch (m->size) {
	case sizeof(small):
		memcpy(&small, at, sizeof(small));
		return m->is_signed ? (int16_t)small : small;
	case sizeof(id):
		memcpy(&id, at, sizeof(id));
		return id;
	default:
		memcpy(&time, at, sizeof(time));
		return (int64_t)time;
	}
}

static void store_member(const struct part_member *m, char *at, int64_t number)
{
	uint16_t small = (uint16_t)number;
	uint32_t id = (uint32_t)number;

	if (m->size == sizeof(small))
		memcpy(at, &small, sizeof(small));
	else if (m->size == sizeof(id))
		memcpy(at, &id, sizeof(id));
	else
		memcpy(at, &number, sizeof(number));
}

static int visit_member(struct slice *s, struct part_place *at, part_visit *visit, void *arg)
{
	size_t nr;
	char *element = part_elements(s, at->part, &nr);
	int ret = 0;

	for (; nr-- && !ret; element += at->part->size) {
		int64_t was = load_member(at->member, element + at->member->at), number = was;

		at->element = element;
		ret = visit(arg, at, &number);
		if (number != was)
			store_member(at->member, element + at->member->at, number);
	}
	return ret;
}

int parts_visit(struct slice *s, unsigned is, part_visit *visit, void *arg)
{
	struct part_place at;
	int ret = 0;

	for (at.part = slice_parts; at.part < slice_parts + PART_NR; at.part++)
		for (at.member = at.part->members; at.member->is && !ret; at.member++)
			if (at.member->is & is & ~MEMBER_TEXT)
				ret = visit_member(s, &at, visit, arg);
	return ret;
}

struct id_visitor {
	id_visit *visit;
	void *arg;
};

static int visit_part_id(void *arg, const struct part_place *at, int64_t *number)
{
	const struct id_visitor *v = arg;
	uint32_t id = (uint32_t)*number;

	v->visit(v->arg, at->member->is == MEMBER_PATH ? DICT_PATH : DICT_TASK, &id);
	*number = id;
	return 0;
}

static void visit_entry_ids(struct dict_delta *d, enum dict_kind k, id_visit *visit, void *arg)
{
	const struct dict_shape *shape = &dict_shapes[k];
	char *entry = dict_entries(d, k);

	for (size_t i = 0; i < d->nr[k]; i++, entry += shape->size) {
		visit(arg, k, (uint32_t *)(void *)entry);
		for (unsigned r = 0; r < shape->nrefs; r++)
			visit(arg, shape->refs[r].kind,
			      (uint32_t *)(void *)(entry + shape->refs[r].offset));
	}
}

void slice_visit_ids(struct slice *s, id_visit *visit, void *arg)
{
	struct id_visitor v = {visit, arg};

	for (int k = 0; k < DICT_NR; k++)
		visit_entry_ids(&s->dict, k, visit, arg);
	parts_visit(s, MEMBER_PATH | MEMBER_TASK, visit_part_id, &v);
}

static int move_time(void *arg, const struct part_place *at, int64_t *time)
{
	if (*time || at->member->is == MEMBER_TIME)
		*time += *(const int64_t *)arg;
	return 0;
}

void slice_shift(struct slice *s, uint64_t by)
{
	s->start += by;
	s->end += by;
	s->recording.since += s->recording.state ? by : 0;
	parts_visit(s, MEMBER_TIME | MEMBER_SINCE, move_time, &by);
}

int64_t part_number(const struct part_place *at, enum member_is is)
{
	const struct part_member *m = at->part->members;

	while (m->is != is)
		m++;
	return load_member(m, at->element + m->at);
}
