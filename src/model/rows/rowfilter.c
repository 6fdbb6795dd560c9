/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Words are compiled one by one; the error text has the word that cannot be compiled.  Inside a
 * word "quotes" keep blanks, since names of C++ functions have them.
 */
#include "model/rows/rowfilter.h"

#include <ctype.h>
#include <errno.h>
#include <regex.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/vec.h"
#include "core/slice/field.h"

struct range {
	int32_t from, to;
};

struct word {
	bool negated, numeric;
	unsigned fields; /* any one of them may match */
	char part[64]; /* of ROWFILTER_KEY: name of the part */
	regex_t regex;
	struct {
		/*
		 * The regex as a plain text, in small letters if it ignores case; NULL: it is no
		 * plain text.
		 */
		char *text;
		size_t len;
		bool ignore_case;
		bool at_begin, at_end; /* ^, $ */
		bool gaps;	       /* ANY is in it */
	} plain;
	struct range *ranges;
	size_t nranges, cap;
};

struct rowfilter {
	struct word *words;
	size_t nwords, cap;
	uint64_t serial;
};

static _Atomic uint64_t serials;

static const struct field {
	const char *name;
	unsigned field;
	bool numeric;
} fields[] = {
	{"function", ROWFILTER_FUNCTION, false}, {"object", ROWFILTER_OBJECT, false},
	{"task", ROWFILTER_TASK, false},	      {"pid", ROWFILTER_PID, true},
	{"tid", ROWFILTER_TID, true},	      {"cpu", ROWFILTER_CPU, true},
	{"command", ROWFILTER_COMMAND, false},   {"user", ROWFILTER_USER, false},
	{"cgroup", ROWFILTER_CGROUP, false},     {"parent", ROWFILTER_PARENT, false},
	{"host", ROWFILTER_HOST, false},	      {"event", ROWFILTER_EVENT, false},
	{"comm", ROWFILTER_TASK, false},	      {"text", ROWFILTER_FUNCTION, false},
	{"line", ROWFILTER_LINE, false},
};

#define FIELDS_TEXT (ROWFILTER_FUNCTION | ROWFILTER_OBJECT | ROWFILTER_TASK)

void rowfilter_free(struct rowfilter *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->nwords; i++) {
		if (!f->words[i].numeric)
			regfree(&f->words[i].regex);
		free(f->words[i].plain.text);
		free(f->words[i].ranges);
	}
	free(f->words);
	free(f);
}

unsigned rowfilter_fields(const struct rowfilter *f)
{
	unsigned all = 0;

	for (size_t i = 0; f && i < f->nwords; i++)
		all |= f->words[i].fields;
	return all & ~(unsigned)(ROWFILTER_EVENT | ROWFILTER_KEY);
}

/* Parse a number of an id list; *text is moved behind it. */
static bool parse_id_number(const char **text, int32_t *n)
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

		if (!parse_id_number(&p, &r.from))
			break;
		r.to = r.from;
		if (*p == '-' && (p++, !parse_id_number(&p, &r.to)))
			break;
		if (r.to < r.from)
			break;
		if (!VEC_PUSH(w->ranges, w->nranges, w->cap, r))
			return err_set(err, ENOMEM, "filter: out of memory");
		if (!*p)
			return 0;
		if (*p++ != ',')
			break;
	}
	return err_set(err, EINVAL, "filter: '%s' is not a list of numbers such as 1,4-7", text);
}

/* A capital after a backslash is an operator (\W, \B), and does not make case matter. */
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

/*
 * regcomp() expands repetitions, x+ as xx*, x{3} as xxx, also nested ones, so that 30 characters
 * can take all memory; and with a back reference regexec() may not end, on names that other users
 * choose.  So the size is computed first, and back references are refused.
 */
#define REGEX_SIZE_MAX 20000 /* characters, expanded */
#define REGEX_DEPTH    32    /* of parentheses */
#define NAME_MAX_LEN   8192  /* bytes of a name that are matched */

struct regex_size {
	size_t group[REGEX_DEPTH]; /* without its last piece */
	size_t piece;              /* the last one, with its repetitions */
	unsigned depth;
};

/* Return the text behind the bracket expression. */
static const char *skip_bracket(const char *text)
{
	const char *p = text + 1 + (text[1] == '^');

	for (p += *p == ']'; *p && *p != ']'; p++)
		if (*p == '[' && p[1] && strchr(".:=", p[1])) {
			const char *end = strchr(p + 2, ']');

			if (!end)
				return p + strlen(p);
			p = end;
		}
	return *p ? p + 1 : p;
}

/*
 * Return the most repetitions of the piece before this; *text is moved behind it. 0: no repetition.
 */
static size_t repetitions(const char **text)
{
	size_t n = 1, most = 1;

	if (**text == '+' || **text == '*' || **text == '?')
		return *(*text)++ == '+' ? 2 : 1;
	if (**text != '{')
		return 0;
	for (++*text; **text && **text != '}'; ++*text) {
		n = isdigit((unsigned char)**text) ? n * 10 + (size_t)(**text - '0') : 0;
		most = n > most ? n : most;
		if (most > REGEX_SIZE_MAX)
			return most;
	}
	*text += **text == '}';
	return most;
}

static void begin_piece(struct regex_size *s, size_t size)
{
	s->group[s->depth] += s->piece;
	s->piece = size;
}

/* Measure one piece or its repetition; false: too large, too deep, or a back reference. */
static bool measure_piece(struct regex_size *s, const char **text)
{
	const char *p = *text;
	size_t times = repetitions(text);

	if (times) {
		s->piece *= times;
		return s->piece <= REGEX_SIZE_MAX;
	}
	if (*p == '(') {
		begin_piece(s, 0);
		if (++s->depth == REGEX_DEPTH)
			return false;
		s->group[s->depth] = 0;
	} else if (*p == ')' && s->depth) {
		s->piece += s->group[s->depth--];
	} else {
		begin_piece(s, 1);
	}
	if (*p == '\\' && p[1] && isdigit((unsigned char)*++p))
		return false;
	*text = *p == '[' && p == *text ? skip_bracket(p) : p + 1;
	return s->group[s->depth] + s->piece <= REGEX_SIZE_MAX;
}

static bool regex_is_cheap(const char *text)
{
	struct regex_size s = {.depth = 0};

	while (*text)
		if (!measure_piece(&s, &text))
			return false;
	return true;
}

static char small(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

#define OPERATORS "\\^$.[]|()*+?{}"
#define ANY	  '\0' /* in a plain text: any one character */

/*
 * Translate the regex at *text into one character of plain.text and move *text behind it; false: it
 * is an operator.
 */
static bool plain_take(const char **text, char *c)
{
	bool quoted = **text == '\\';

	*text += quoted;
	*c = **text;
	if (quoted ? !*c || !strchr(OPERATORS, *c) : *c != '.' && strchr(OPERATORS, *c))
		return false;
	if (!quoted && *c == '.')
		*c = ANY;
	++*text;
	return true;
}

/*
 * Set w->plain if the regex is a plain text.
 *
 * Names as words (ui/parts/rowwords) are between ^ and $, with a backslash before operators, and a
 * point for each blank.  Without memory they are matched like any other regex.
 */
static void word_plain(struct word *w, const char *text, bool ignore_case)
{
	size_t len = strlen(text), n = 0;
	bool at_begin = *text == '^', at_end = false, gaps = false;
	const char *p = text + at_begin;
	char *plain = text_plain(text, len) == len ? malloc(len) : NULL, c;

	if (!plain)
		return;
	while (*p && !(at_end = *p == '$' && !p[1]) && plain_take(&p, &c)) {
		plain[n++] = ignore_case ? small(c) : c;
		gaps |= c == ANY;
	}
	if (!n || (*p && !at_end)) {
		free(plain);
		return;
	}
	w->plain.text = plain;
	w->plain.len = n;
	w->plain.ignore_case = ignore_case;
	w->plain.at_begin = at_begin;
	w->plain.at_end = at_end;
	w->plain.gaps = gaps;
}

static int word_regex(struct word *w, const char *text, struct err *err)
{
	int flags = REG_EXTENDED | REG_NOSUB | (has_capital(text) ? 0 : REG_ICASE);
	char why[128];
	int ret;

	if (!*text)
		return err_set(err, EINVAL, "filter: a word is empty");
	if (!regex_is_cheap(text))
		return err_set(err, EINVAL,
			       "filter: '%.100s': nested repetitions are too large, or it has a "
			       "back reference", text);
	ret = regcomp(&w->regex, text, flags);
	if (!ret) {
		word_plain(w, text, flags & REG_ICASE);
		return 0;
	}
	regerror(ret, &w->regex, why, sizeof(why));
	return err_set(err, ret == REG_ESPACE ? ENOMEM : EINVAL, "filter: '%s': %s", text, why);
}

static const struct field *find_filter_field(const char *word, const char *colon)
{
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (strlen(fields[i].name) == (size_t)(colon - word) &&
		    !memcmp(fields[i].name, word, (size_t)(colon - word)))
			return &fields[i];
	return NULL;
}

/*
 * Return the colon after a field's name. "std::sort" has a colon and no field: only a plain word
 * before a single colon is a field.
 */
static const char *field_colon(const char *word)
{
	const char *p = word;

	while (islower((unsigned char)*p))
		p++;
	return p > word && *p == ':' && p[1] != ':' ? p : NULL;
}

/* Return true for a key part's name before a colon; *colon: the colon, or the end. */
static bool is_part(const char *text, const char *names, const char **colon)
{
	size_t len = strcspn(text, ":");

	*colon = text + len;
	if (!text[len] || text[len + 1] == ':')
		return false;
	for (const char *at = names; at && *at; at += strspn(at, ", ")) {
		size_t n = strcspn(at, ",");

		if (n == len && !memcmp(at, text, n))
			return true;
		at += n;
	}
	return false;
}

static int advise_fields(const char *names, struct err *err)
{
	bool keyed = names && *names;

	return err_advise(
		err,
		"fields are function, line, object, task, command, user, cgroup, parent, host, pid, tid and cpu; of "
		"events event, comm and text; %s%.200s",
		keyed ? "of sums by fields " : "and those of --by", keyed ? names : "");
}

static int word_compile(struct word *w, const char *text, const char *names, struct err *err)
{
	const char *colon;
	const struct field *field;

	w->fields = FIELDS_TEXT;
	if (*text == '!') {
		w->negated = true;
		text++;
	}
	colon = field_colon(text);
	field = colon ? find_filter_field(text, colon) : NULL;
	if (!field && is_part(text, names, &colon)) {
		w->fields = ROWFILTER_KEY;
		snprintf(w->part, sizeof(w->part), "%.*s", (int)(colon - text), text);
		return word_regex(w, colon + 1, err);
	}
	colon = field_colon(text);
	if (!colon)
		return word_regex(w, text, err);
	if (!field) {
		err_set(err, EINVAL, "filter: unknown field '%.*s'", (int)(colon - text), text);
		return advise_fields(names, err);
	}
	w->fields = field->field;
	return field->numeric ? word_numbers(w, colon + 1, err) : word_regex(w, colon + 1, err);
}

/* Cut the next word out of *text into buf (as large as the text).  False: none is left. */
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

static int filter_words(struct rowfilter *f, const char *text, const char *names, char *buf,
			struct err *err)
{
	while (word_cut(&text, buf)) {
		struct word *w;
		int ret;

		if (!vec_reserve(&f->words, &f->cap, f->nwords + 1, sizeof(*f->words)))
			return err_set(err, ENOMEM, "filter: out of memory");
		w = &f->words[f->nwords];
		*w = (struct word){0};
		ret = word_compile(w, buf, names, err);
		if (ret) {
			free(w->ranges);
			return ret;
		}
		f->nwords++;
	}
	return 0;
}

uint64_t rowfilter_serial(const struct rowfilter *f)
{
	return f ? f->serial : 0;
}

int rowfilter_compile(const char *text, struct rowfilter **filter, struct err *err)
{
	return rowfilter_compile_keys(text, NULL, filter, err);
}

int rowfilter_compile_keys(const char *text, const char *names, struct rowfilter **filter,
			struct err *err)
{
	struct rowfilter *f = calloc(1, sizeof(*f));
	char *buf = malloc(strlen(text ? text : "") + 1);
	int ret;

	*filter = NULL;
	if (f)
		f->serial = atomic_fetch_add(&serials, 1) + 1;
	if (!f || !buf)
		ret = err_set(err, ENOMEM, "filter: out of memory");
	else
		ret = filter_words(f, text ? text : "", names, buf, err);
	free(buf);
	if (ret || !f->nwords)
		rowfilter_free(f);
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

/*
 * Return true if the plain text is at `at`.  ANY does not match bytes of characters outside ASCII.
 */
static bool plain_at(const struct word *w, const char *at)
{
	for (size_t i = 0; i < w->plain.len; i++) {
		char c = w->plain.text[i];

		if (c == ANY ? (unsigned char)at[i] >= 0x80
			     : (w->plain.ignore_case ? small(at[i]) : at[i]) != c)
			return false;
	}
	return true;
}

/* Look for the plain text at the positions that its anchors allow. */
static bool plain_within(const struct word *w, const char *text, size_t len)
{
	size_t last, i;

	if (len < w->plain.len)
		return false;
	last = len - w->plain.len;
	i = w->plain.at_end ? last : 0;
	if (w->plain.at_begin && i)
		return false;
	if (w->plain.at_begin || w->plain.at_end)
		return plain_at(w, text + i);
	if (!w->plain.ignore_case && !w->plain.gaps)
		return memmem(text, len, w->plain.text, w->plain.len);
	for (; i <= last; i++)
		if (plain_at(w, text + i))
			return true;
	return false;
}

/*
 * Match a text without regexec() where possible: it takes microseconds for a name, and one key
 * press matches 100 000 of them.  Texts outside ASCII still need it to ignore case.
 */
static bool text_matches(const struct word *w, const char *text, size_t len)
{
	size_t most = len < NAME_MAX_LEN ? len : NAME_MAX_LEN;
	regmatch_t range = {.rm_eo = (regoff_t)most};

	if (w->plain.text && plain_within(w, text, most))
		return true;
	if (w->plain.text && text_plain(text, most) == most)
		return false;
	return !regexec(&w->regex, text, 1, &range, REG_STARTEND);
}

static bool word_match(const struct word *w, const struct rowfilter_subject *s)
{
	const char *texts[] = {w->fields & ROWFILTER_FUNCTION ? s->function : NULL,
			       w->fields & ROWFILTER_OBJECT ? s->object : NULL,
			       w->fields & ROWFILTER_TASK ? s->task : NULL,
			       w->fields & ROWFILTER_COMMAND ? (s->command ? s->command : s->task)
							  : NULL,
			       w->fields & ROWFILTER_USER ? s->user : NULL,
			       w->fields & ROWFILTER_CGROUP ? s->cgroup : NULL,
			       w->fields & ROWFILTER_PARENT ? s->parent : NULL,
			       w->fields & ROWFILTER_LINE ? s->line : NULL,
			       w->fields & ROWFILTER_HOST ? s->host : NULL,
			       w->fields & ROWFILTER_EVENT ? s->event : NULL};

	if (w->numeric)
		return ranges_hold(w, w->fields == ROWFILTER_PID   ? s->pid
				      : w->fields == ROWFILTER_TID ? s->tid
								: s->cpu);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (texts[i] && text_matches(w, texts[i], strnlen(texts[i], NAME_MAX_LEN)))
			return true;
	return false;
}

/* Return true for a word about a field that the subject has not. */
static bool says_nothing(const struct word *w, const struct rowfilter_subject *s)
{
	return w->fields == ROWFILTER_KEY || (w->fields == ROWFILTER_EVENT && !s->event) ||
	       (w->fields == ROWFILTER_LINE && !s->line) ||
	       (w->fields & (ROWFILTER_USER | ROWFILTER_CGROUP | ROWFILTER_PARENT) && !s->user);
}

bool rowfilter_match(const struct rowfilter *f, const struct rowfilter_subject *s)
{
	for (size_t i = 0; f && i < f->nwords; i++)
		if (says_nothing(&f->words[i], s))
			continue;
		else if (word_match(&f->words[i], s) == f->words[i].negated)
			return false;
	return true;
}

/* --- keys ---------------------------------------------------------------------------------- */

/* Return the name of the part that a word is about; NULL: any. */
static const char *word_part_name(const struct word *w)
{
	if (w->fields == ROWFILTER_KEY)
		return w->part;
	if (w->fields == ROWFILTER_TASK)
		return "comm";
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (w->fields == fields[i].field)
			return fields[i].name;
	return NULL;
}

static bool part_match(const struct word *w, const char *value, size_t len)
{
	/* strtol() stops at the tab after the part */
	return w->numeric ? ranges_hold(w, (int32_t)strtol(value, NULL, 10))
			  : text_matches(w, value, len);
}

static bool path_match(const struct word *w, const struct rowfilter_key *k)
{
	for (const char *name = k->next(k->of, true); name; name = k->next(k->of, false))
		if (!w->numeric && text_matches(w, name, strnlen(name, NAME_MAX_LEN)))
			return true;
	return false;
}

/* Return true if `part` is the first of the names. */
static bool is_first(const char *part, const char *names)
{
	size_t len = strcspn(names, ",");

	return strlen(part) == len && !memcmp(part, names, len);
}

static bool word_passes(const struct word *w, const struct rowfilter_key *k)
{
	const char *wanted = word_part_name(w), *names = k->names, *kind = k->kinds, *key = k->text;
	bool found = !wanted, matched = false;

	for (; *names; names += strspn(names, ", "), kind += *kind != '\0') {
		size_t n = strcspn(key, "\t");

		if (!wanted || is_first(wanted, names)) {
			found = true;
			matched |= *kind == SLICE_FIELD_PATH ? path_match(w, k)
							     : part_match(w, key, n);
		}
		names += strcspn(names, ",");
		key += n + (key[n] == '\t');
	}
	return !found || matched != w->negated;
}

static bool name_is_listed(const char *part, const char *names)
{
	for (; *names; names += strcspn(names, ","), names += strspn(names, ", "))
		if (is_first(part, names))
			return true;
	return false;
}

const char *rowfilter_unheard(const struct rowfilter *f, const char *names)
{
	for (size_t i = 0; f && i < f->nwords; i++) {
		const struct word *w = &f->words[i];
		const char *part = word_part_name(w);

		if (names ? part && !name_is_listed(part, names)
			  : (w->fields & (ROWFILTER_KEY | ROWFILTER_EVENT)) != 0)
			return part;
	}
	return NULL;
}

bool rowfilter_match_key(const struct rowfilter *f, const struct rowfilter_key *key)
{
	for (size_t i = 0; f && i < f->nwords; i++)
		if (!word_passes(&f->words[i], key))
			return false;
	return true;
}
