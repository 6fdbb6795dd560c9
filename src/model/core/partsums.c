/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Most slices have the keys of the one before, so that nothing is allocated but for new keys, and
 * then no more than these need: the history has many such sums.
 */
#include "model/core/partsums.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/core/dictgc.h"
#include "model/core/state.h"

#define KEPT_LIMITS 4 /* times a part's limit: the model's, as keys may come and go for ever */

static struct part_order order_of(enum part_id id)
{
	return (struct part_order){&slice_parts[id], true};
}

void partsums_clear(struct partsums *p)
{
	for (enum part_id id = PART_SUMMED; id < PART_SUMMED_END; id++)
		free(partsums_of(p, id)->elements);
}

void partsums_reset(struct partsums *p)
{
	for (enum part_id id = PART_SUMMED; id < PART_SUMMED_END; id++)
		partsums_of(p, id)->nr = 0;
}

size_t partsums_bytes(const struct partsums *p)
{
	size_t all = 0;

	for (enum part_id id = PART_SUMMED; id < PART_SUMMED_END; id++) {
		struct part_order o = order_of(id);

		all += partsums_of(p, id)->cap * part_size(&o);
	}
	return all;
}

const void *partsum_at(const struct partsum *s, enum part_id id, size_t i, uint32_t *text)
{
	struct part_order o = order_of(id);
	const char *element = (const char *)s->elements + i * part_size(&o);

	*text = 0;
	if (o.part->text)
		memcpy(text, element + o.part->text, sizeof(*text));
	return element;
}

void partsum_add_up(const struct partsum *s, enum part_id id, uint32_t text, int host, void *to)
{
	for (size_t i = 0; i < s->nr; i++) {
		uint32_t its;
		uint16_t its_host;
		const void *element = partsum_at(s, id, i, &its);

		memcpy(&its_host, element, sizeof(its_host));
		if (its == text && (host < 0 || its_host == host))
			part_sum(&slice_parts[id], to, element);
	}
}

static int reserve_sums(struct partsum *s, size_t nr, size_t size)
{
	void *grown;

	if (nr <= s->cap)
		return 0;
	grown = reallocarray(s->elements, nr, size);
	if (!grown)
		return -ENOMEM;
	s->elements = grown;
	s->cap = (uint32_t)nr;
	return 0;
}

/* Return the number of keys that `to` lacks; with `add`, add all elements. */
static size_t add_elements(struct partsum *to, struct part_order *o, const struct partsum *from,
			   bool add)
{
	size_t size = part_size(o), fresh = 0, most = KEPT_LIMITS * o->part->limit;
	char *at = to->elements, *end = at + to->nr * size;

	for (size_t i = 0; i < from->nr; i++) {
		const char *element = (const char *)from->elements + i * size;

		while (at < end && part_compare(at, element, o) < 0)
			at += size;
		if (at == end || part_compare(at, element, o)) {
			char *last = end + fresh++ * size;

			if (add)
				memcpy(last, element, size);
			if (add && most && to->nr + fresh > most)
				part_make_rest(o, last);
		} else if (add) {
			part_sum(o->part, at, element);
		}
	}
	return fresh;
}

int partsum_add(struct partsum *to, enum part_id id, const struct partsum *from)
{
	struct part_order o = order_of(id);
	size_t fresh = add_elements(to, &o, from, false);

	if (reserve_sums(to, to->nr + fresh, part_size(&o)))
		return -ENOMEM;
	add_elements(to, &o, from, true);
	if (fresh)
		to->nr = (uint32_t)part_add_up_equal(&o, to->elements, to->nr + fresh);
	return 0;
}

int partsums_add(struct partsums *to, const struct partsums *from)
{
	int ret = 0;

	for (enum part_id id = PART_SUMMED; id < PART_SUMMED_END; id++)
		if (partsum_add(partsums_of(to, id), id, partsums_of(from, id)))
			ret = -ENOMEM;
	return ret;
}

/* Set *to, which is empty, to a slice's elements with ids in place of texts. */
static int take_slice_part(struct dict *d, enum part_id id, const struct slice *s,
			   struct partsum *to)
{
	struct part_order o = order_of(id);
	const struct slice_part *p = o.part;
	size_t size = part_size(&o), nr;
	const char *from = part_elements(s, p, &nr);
	int ret = reserve_sums(to, nr, size);

	for (size_t i = 0; nr <= to->cap && i < nr; i++, from += p->size) {
		char *element = (char *)to->elements + i * size;
		uint32_t text = p->text && from[p->text] ? dict_text(d, from + p->text) : 0;

		memcpy(element, from, p->text ? p->text : size);
		if (!p->text)
			continue;
		memcpy(element + p->text, &text, sizeof(text));
		ret = from[p->text] && !text ? -ENOMEM : ret;
	}
	to->nr = to->cap < nr ? 0 : (uint32_t)part_add_up_equal(&o, to->elements, nr);
	return ret;
}

int partsums_take(struct model *m, const struct slice *s, struct history_slice *h)
{
	struct partsums lost = {0}, *taken = h ? &h->parts : &lost;
	int ret = 0;

	for (enum part_id id = PART_SUMMED; id < PART_SUMMED_END; id++)
		if (take_slice_part(&m->dict, id, s, partsums_of(taken, id)))
			ret = -ENOMEM;
	if (partsums_add(&m->total.parts, taken))
		ret = -ENOMEM;
	partsums_clear(&lost);
	return ret;
}

int partsums_put(const struct partsums *p, const struct dict *d, struct slice *to)
{
	for (enum part_id id = PART_SUMMED; id < PART_SUMMED_END; id++) {
		const struct slice_part *part = &slice_parts[id];
		const struct partsum *sums = partsums_of(p, id);

		for (size_t i = 0; i < sums->nr; i++) {
			uint32_t text;
			const void *sum = partsum_at(sums, id, i, &text);
			char *element = part_add(to, id);

			if (!element)
				return -ENOMEM;
			memcpy(element, sum, part->text ? part->text : part->size);
			if (part->text)
				text_append(element + part->text, part->size - part->text, 0, "%s",
					    dict_string(d, text));
		}
		if (part->text)
			part_fold(to, part);
	}
	return 0;
}

void partsums_mark(const struct partsums *p, struct dict *d)
{
	for (enum part_id id = PART_SUMMED; id < PART_SUMMED_END; id++)
		for (size_t i = 0; slice_parts[id].text && i < partsums_of(p, id)->nr; i++) {
			uint32_t text;

			partsum_at(partsums_of(p, id), id, i, &text);
			dict_mark_string(d, text);
		}
}

const struct partsum *model_partsum(struct model *m, enum part_id id, struct window w)
{
	struct partsum *sums = partsums_of(&m->parts, id);
	size_t from, to;

	if (window_is_all(w))
		return partsums_of(&m->total.parts, id);
	sums->nr = 0;
	for (history_range(&m->history, w, &from, &to); from < to; from++)
		if (partsum_add(sums, id, partsums_of(&history_at(&m->history, from)->parts, id)))
			return NULL;
	return sums;
}
