/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sources/ftrace/hist.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define TEXT_WIDTH 50
#define COMM_WIDTH 16

struct cursor {
	const char *at, *end;
};

static bool accept_text(struct cursor *c, const char *word)
{
	size_t len = strlen(word);

	if ((size_t)(c->end - c->at) < len || memcmp(c->at, word, len))
		return false;
	c->at += len;
	return true;
}

static void skip_spaces(struct cursor *c)
{
	while (c->at < c->end && *c->at == ' ')
		c->at++;
}

static int digit(char d)
{
	return d >= '0' && d <= '9' ? d - '0' : d >= 'a' && d <= 'f' ? d - 'a' + 10 : 16;
}

static bool parse_hist_number(struct cursor *c, unsigned base, uint64_t *n)
{
	const char *first;

	skip_spaces(c);
	*n = 0;
	for (first = c->at; c->at < c->end && digit(*c->at) < (int)base; c->at++)
		if (__builtin_mul_overflow(*n, base, n) ||
		    __builtin_add_overflow(*n, (uint64_t)digit(*c->at), n))
			return false;
	return c->at > first;
}

static void without_spaces(struct hist_value *v, const char *text, size_t len)
{
	while (len && text[len - 1] == ' ')
		len--;
	v->text = text;
	v->len = len;
}

/* Parse a text up to `end`, searched only behind the width that every text has. */
static bool parse_text_value(struct cursor *c, const char *end, struct hist_value *v)
{
	const char *to;

	if (c->end - c->at < TEXT_WIDTH)
		return false;
	to = memmem(c->at + TEXT_WIDTH, (size_t)(c->end - c->at) - TEXT_WIDTH, end, strlen(end));
	if (!to)
		return false;
	without_spaces(v, c->at, (size_t)(to - c->at));
	c->at = to;
	return true;
}

static bool parse_comm_value(struct cursor *c, struct hist_value *v)
{
	if (c->end - c->at < COMM_WIDTH)
		return false;
	without_spaces(v, c->at, COMM_WIDTH);
	c->at += COMM_WIDTH;
	return accept_text(c, "[") && parse_hist_number(c, 10, &v->number) && accept_text(c, "]");
}

static bool parse_hist_value(struct cursor *c, enum hist_kind kind, const char *end,
			     struct hist_value *v)
{
	switch (kind) {
	case HIST_NUMBER:
		return parse_hist_number(c, 10, &v->number);
	case HIST_HEX:
		return parse_hist_number(c, 16, &v->number);
	case HIST_TEXT:
		return parse_text_value(c, end, v);
	case HIST_COMM:
		return parse_comm_value(c, v);
	}
	return false;
}

static bool parse_hist_key(struct cursor *c, const struct hist_shape *shape, unsigned i,
			   struct hist_value *v)
{
	char end[160] = " } hitcount: ";

	if (i + 1 < shape->nkeys)
		snprintf(end, sizeof(end), ", %s: ", shape->key[i + 1].name);
	return accept_text(c, shape->key[i].name) && accept_text(c, ": ") &&
	       parse_hist_value(c, shape->key[i].kind, end, v) &&
	       (i + 1 == shape->nkeys || accept_text(c, ", "));
}

/*
 * Parse an entry and the line's end, after its "{ ":
 *
 *   "{ id:        257 } hitcount:         31  ret:      5"
 */
static bool parse_hist_entry(struct cursor *c, const struct hist_shape *shape, struct hist_entry *e)
{
	*e = (struct hist_entry){.hits = 0};
	for (unsigned i = 0; i < shape->nkeys; i++)
		if (!parse_hist_key(c, shape, i, &e->key[i]))
			return false;
	if (!accept_text(c, " } hitcount:") || !parse_hist_number(c, 10, &e->hits))
		return false;
	if (shape->sum) {
		skip_spaces(c);
		if (!accept_text(c, shape->sum) || !accept_text(c, ":") ||
		    !parse_hist_number(c, 10, &e->sum))
			return false;
	}
	return accept_text(c, "\n");
}

static bool take_total(struct cursor *c, const char *name, uint64_t *n)
{
	skip_spaces(c);
	return accept_text(c, name) && parse_hist_number(c, 10, n) && accept_text(c, "\n");
}

static bool take_totals(struct cursor *c, struct hist_totals *t)
{
	return take_total(c, "Hits:", &t->hits) && take_total(c, "Entries:", &t->entries) &&
	       take_total(c, "Dropped:", &t->dropped);
}

static void skip_line(struct cursor *c)
{
	const char *end = memchr(c->at, '\n', (size_t)(c->end - c->at));

	c->at = end ? end + 1 : c->end;
}

int hist_parse(const char *text, size_t len, const struct hist_shape *shape,
	       int (*take)(void *arg, const struct hist_entry *e), void *arg,
	       struct hist_totals *totals)
{
	struct cursor c = {text, text + len};
	struct hist_entry e;

	*totals = (struct hist_totals){.hits = 0};
	while (c.at < c.end && (*c.at == '#' || *c.at == '\n'))
		skip_line(&c);
	while (accept_text(&c, "{ ")) {
		int ret = parse_hist_entry(&c, shape, &e) ? take(arg, &e) : -EINVAL;

		if (ret)
			return ret;
	}
	while (accept_text(&c, "\n"))
		;
	return accept_text(&c, "Totals:\n") && take_totals(&c, totals) ? 0 : -EINVAL;
}

char *hist_trigger(const struct hist_shape *shape, unsigned size, const char *what,
		   const char *filter)
{
	static const char *const modifier[] = {
		[HIST_NUMBER] = "",
		[HIST_HEX] = ".hex",
		[HIST_TEXT] = "",
		[HIST_COMM] = ".execname",
	};
	char keys[512], *trigger;
	size_t pos = text_append(keys, sizeof(keys), 0, "%s", "");

	for (unsigned i = 0; i < shape->nkeys; i++)
		pos = text_append(keys, sizeof(keys), pos, "%s%s%s", i ? "," : "",
				  shape->key[i].name, modifier[shape->key[i].kind]);
	if (asprintf(&trigger, "hist:keys=%s:vals=hitcount%s%s:size=%u%s%s%s", keys,
		     shape->sum ? "," : "", shape->sum ? shape->sum : "", size, what,
		     filter ? " if " : "", filter ? filter : "") < 0)
		return NULL;
	return trigger;
}
