/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Words are compiled one by one; a word that cannot be understood names itself in the error.
 * Inside a word "quotes" keep blanks, since names of C++ functions hold them.
 */
#include "model/filter.h"

#include <ctype.h>
#include <errno.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

struct range {
	int32_t from, to;
};

struct word {
	bool negated, numeric;
	unsigned fields; /* any of them may match */
	regex_t regex;
	struct range *ranges;
	size_t nranges, cap;
};

struct filter {
	struct word *words;
	size_t nwords, cap;
};

static const struct field {
	const char *name;
	unsigned field;
	bool numeric;
} fields[] = {
	{"function", FILTER_FUNCTION, false}, {"object", FILTER_OBJECT, false},
	{"task", FILTER_TASK, false},	      {"pid", FILTER_PID, true},
	{"tid", FILTER_TID, true},	      {"cpu", FILTER_CPU, true},
};

#define FIELDS_TEXT (FILTER_FUNCTION | FILTER_OBJECT | FILTER_TASK)

void filter_free(struct filter *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->nwords; i++) {
		if (!f->words[i].numeric)
			regfree(&f->words[i].regex);
		free(f->words[i].ranges);
	}
	free(f->words);
	free(f);
}

unsigned filter_fields(const struct filter *f)
{
	unsigned all = 0;

	for (size_t i = 0; f && i < f->nwords; i++)
		all |= f->words[i].fields;
	return all;
}

/* A number of an id list; *end is moved behind it. */
static bool number_parse(const char **text, int32_t *n)
{
	char *end;
	long value;

	if (!isdigit((unsigned char)**text))
		return false;
	errno = 0;
	value = strtol(*text, &end, 10);
	if (errno || value > INT32_MAX)
		return false;
	*n = (int32_t)value;
	*text = end;
	return true;
}

static int word_numbers(struct word *w, const char *text, struct err *err)
{
	const char *p = text;

	w->numeric = true;
	for (;;) {
		struct range r;

		if (!number_parse(&p, &r.from))
			break;
		r.to = r.from;
		if (*p == '-' && (p++, !number_parse(&p, &r.to)))
			break;
		if (r.to < r.from)
			break;
		if (!vec_reserve(&w->ranges, &w->cap, w->nranges + 1, sizeof(r)))
			return err_set(err, ENOMEM, "filter: out of memory");
		w->ranges[w->nranges++] = r;
		if (!*p)
			return 0;
		if (*p++ != ',')
			break;
	}
	return err_set(err, EINVAL, "filter: '%s' is not a list of numbers such as 1,4-7", text);
}

/* A capital after a backslash is an operator (\W, \B), not a wish to heed case. */
static bool has_capital(const char *text)
{
	for (; *text; text++) {
		if (*text == '\\' && text[1])
			text++;
		else if (isupper((unsigned char)*text))
			return true;
	}
	return false;
}

static int word_regex(struct word *w, const char *text, struct err *err)
{
	int flags = REG_EXTENDED | REG_NOSUB | (has_capital(text) ? 0 : REG_ICASE);
	char why[128];
	int ret;

	if (!*text)
		return err_set(err, EINVAL, "filter: a word is empty");
	ret = regcomp(&w->regex, text, flags);
	if (!ret)
		return 0;
	regerror(ret, &w->regex, why, sizeof(why));
	return err_set(err, ret == REG_ESPACE ? ENOMEM : EINVAL, "filter: '%s': %s", text, why);
}

static const struct field *field_find(const char *word, const char *colon)
{
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (strlen(fields[i].name) == (size_t)(colon - word) &&
		    !memcmp(fields[i].name, word, (size_t)(colon - word)))
			return &fields[i];
	return NULL;
}

/* "std::sort" has a colon and no field: only a plain word before a single colon is one. */
static const char *field_colon(const char *word)
{
	const char *p = word;

	while (islower((unsigned char)*p))
		p++;
	return p > word && *p == ':' && p[1] != ':' ? p : NULL;
}

static int word_compile(struct word *w, const char *text, struct err *err)
{
	const char *colon;
	const struct field *field;

	w->fields = FIELDS_TEXT;
	if (*text == '!') {
		w->negated = true;
		text++;
	}
	colon = field_colon(text);
	if (!colon)
		return word_regex(w, text, err);
	field = field_find(text, colon);
	if (!field) {
		err_set(err, EINVAL, "filter: there is no field '%.*s'", (int)(colon - text), text);
		return err_advise(err, "fields are function, object, task, pid, tid and cpu");
	}
	w->fields = field->field;
	return field->numeric ? word_numbers(w, colon + 1, err) : word_regex(w, colon + 1, err);
}

/* Cut the next word out of *text into buf (as large as the text).  False: none left. */
static bool word_cut(const char **text, char *buf)
{
	const char *p = *text;
	bool quoted = false;

	while (isspace((unsigned char)*p))
		p++;
	if (!*p)
		return false;
	for (; *p && (quoted || !isspace((unsigned char)*p)); p++) {
		if (*p == '"')
			quoted = !quoted;
		else
			*buf++ = *p;
	}
	*buf = '\0';
	*text = p;
	return true;
}

static int filter_words(struct filter *f, const char *text, char *buf, struct err *err)
{
	while (word_cut(&text, buf)) {
		struct word *w;
		int ret;

		if (!vec_reserve(&f->words, &f->cap, f->nwords + 1, sizeof(*f->words)))
			return err_set(err, ENOMEM, "filter: out of memory");
		w = &f->words[f->nwords];
		*w = (struct word){0};
		ret = word_compile(w, buf, err);
		if (ret) {
			free(w->ranges);
			return ret;
		}
		f->nwords++;
	}
	return 0;
}

int filter_compile(const char *text, struct filter **filter, struct err *err)
{
	struct filter *f = calloc(1, sizeof(*f));
	char *buf = malloc(strlen(text ? text : "") + 1);
	int ret;

	*filter = NULL;
	if (!f || !buf)
		ret = err_set(err, ENOMEM, "filter: out of memory");
	else
		ret = filter_words(f, text ? text : "", buf, err);
	free(buf);
	if (ret || !f->nwords)
		filter_free(f);
	else
		*filter = f;
	return ret;
}

static bool ranges_hold(const struct word *w, int32_t n)
{
	for (size_t i = 0; i < w->nranges; i++)
		if (n >= w->ranges[i].from && n <= w->ranges[i].to)
			return true;
	return false;
}

static bool word_match(const struct word *w, const struct filter_subject *s)
{
	const char *texts[] = {w->fields & FILTER_FUNCTION ? s->function : NULL,
			       w->fields & FILTER_OBJECT ? s->object : NULL,
			       w->fields & FILTER_TASK ? s->task : NULL};

	if (w->numeric)
		return ranges_hold(w, w->fields == FILTER_PID   ? s->pid
				      : w->fields == FILTER_TID ? s->tid
								: s->cpu);
	for (size_t i = 0; i < 3; i++)
		if (texts[i] && !regexec(&w->regex, texts[i], 0, NULL, 0))
			return true;
	return false;
}

bool filter_match(const struct filter *f, const struct filter_subject *s)
{
	for (size_t i = 0; f && i < f->nwords; i++)
		if (word_match(&f->words[i], s) == f->words[i].negated)
			return false;
	return true;
}
