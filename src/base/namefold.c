/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The steps know no language: angle brackets that open behind a name are a template's, text with a
 * slash is a path.  Only operators are special, for they are written with the same characters.
 */
#include "base/namefold.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/text.h"

#define DOTS	  "…"
#define DEPTH_MAX 64
#define NARROW	  12
#define HASH	  17 /* "h" and 16 digits */

struct text {
	char bytes[NAMES_BYTES];
	size_t len;
};

static void add_piece(struct text *t, const char *bytes, size_t len)
{
	if (len > sizeof(t->bytes) - 1 - t->len)
		len = sizeof(t->bytes) - 1 - t->len;
	memcpy(t->bytes + t->len, bytes, len);
	t->len += len;
	t->bytes[t->len] = '\0';
}

/* Length of an operator's characters at `at`; 0: they are brackets. */
static size_t operator_bytes(const char *name, const char *at)
{
	static const char word[] = "operator";
	size_t n = strspn(at, "<>=-()*,");

	if (at[0] == '>' && at > name && at[-1] == '-') /* decltype (a->b) */
		return 1;
	if ((size_t)(at - name) < sizeof(word) - 1 ||
	    memcmp(at - (sizeof(word) - 1), word, sizeof(word) - 1) != 0)
		return 0;
	if (*at != '<')
		return n;
	/* operator< <int>, operator<<<int>: as many as make up an operator. */
	return !strncmp(at, "<=>", 3) || !strncmp(at, "<<=", 3) ? 3
	       : at[1] == '<' || at[1] == '='			? 2
								: 1;
}

/* Skip past the bracket that closes the one at `at`; NULL: none does. */
static const char *behind(const char *name, const char *at)
{
	size_t depth = 0;

	while (*at) {
		size_t n = *at == '<' || *at == '>' ? operator_bytes(name, at) : 0;

		if (!n && *at == '<')
			depth++;
		else if (!n && *at == '>' && !--depth)
			return at + 1;
		at += n ? n : 1;
	}
	return NULL;
}

/* --- words -------------------------------------------------------------------------------- */

static bool starts_with_word(const char *at, const char *word)
{
	return !strncmp(at, word, strlen(word));
}

/* Return the short form of the word at `at`, and its end in *end; NULL: it stays as it is. */
static const char *short_form(const char *name, const char *at, const char **end)
{
	static const struct {
		const char *word, *brief;
		bool whole; /* with the brackets that follow */
	} words[] = {
		{"std::__cxx11::basic_string<char,", "std::string", true},
		{"std::__1::basic_string<char,", "std::string", true},
		{"std::basic_string<char,", "std::string", true},
		{"std::basic_string_view<char,", "std::string_view", true},
		{"std::__cxx11::", "std::", false},
		{"std::__1::", "std::", false},
		{"(anonymous namespace)", "(anon)", false},
		{"{{closure}}", "{closure}", false},
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (!starts_with_word(at, words[i].word))
			continue;
		*end = words[i].whole ? behind(name, strchr(at, '<')) : at + strlen(words[i].word);
		if (*end)
			return words[i].brief;
	}
	return NULL;
}

/* Skip past the parameters of "{lambda(", to its number; NULL: it is no lambda. */
static const char *lambda_number(const char *at)
{
	size_t depth = 0;

	if (!starts_with_word(at, "{lambda("))
		return NULL;
	for (at += 7; *at; at++) {
		depth += *at == '(';
		if (*at == ')' && !--depth)
			return at + 1;
	}
	return NULL;
}

/* True at Rust's hash "::h0123456789abcdef" at the end, and at " [clone .cold]". */
static bool is_tail(const char *at)
{
	return (starts_with_word(at, "::h") && strspn(at + 3, "0123456789abcdef") == HASH - 1 &&
		!at[2 + HASH]) ||
	       starts_with_word(at, " [clone ");
}

static void fold_words(struct text *t, const char *name)
{
	const char *at = name, *end, *word;

	t->len = 0;
	*t->bytes = '\0';
	while (*at && !is_tail(at)) {
		if ((end = lambda_number(at))) {
			add_piece(t, "{lambda", 7);
		} else if ((word = short_form(name, at, &end))) {
			add_piece(t, word, strlen(word));
		} else {
			add_piece(t, at, 1);
			end = at + 1;
		}
		at = end;
	}
}

/* --- paths -------------------------------------------------------------------------------- */

static bool in_path(char c)
{
	return c && (isalnum((unsigned char)c) || strchr("/._-+@~%!", c));
}

/* Return the last part of the path that begins at `at` and ends at *end; NULL: it is no path. */
static const char *path_part(const char *at, const char **end)
{
	const char *part = NULL;

	for (*end = at; in_path(**end); ++*end)
		if (**end == '/' && in_path((*end)[1]) && (*end)[1] != '/')
			part = *end + 1;
	return part;
}

static void fold_paths(struct text *t, const char *name)
{
	const char *at = name, *end, *part;

	t->len = 0;
	*t->bytes = '\0';
	while (*at) {
		part = (at == name || !in_path(at[-1])) && !starts_with_word(at, "operator/")
			       ? path_part(at, &end)
			       : NULL;
		if (part) {
			add_piece(t, part, (size_t)(end - part));
			at = end;
		} else {
			add_piece(t, at++, 1);
		}
	}
}

/* --- types -------------------------------------------------------------------------------- */

/* False for brackets that open a Rust type, <T as Trait>: they follow no name. */
static bool follows_name(const char *name, const char *at)
{
	return at > name && (isalnum((unsigned char)at[-1]) || at[-1] == '_' || at[-1] == '>' ||
			     at[-1] == ':' || (unsigned char)at[-1] >= 0x80);
}

/* Greatest nesting of template brackets. */
static unsigned depth_of(const char *name)
{
	unsigned depth = 0, most = 0;
	bool counted[DEPTH_MAX];

	for (const char *at = name; *at;) {
		size_t n = *at == '<' || *at == '>' ? operator_bytes(name, at) : 0;

		if (!n && *at == '<' && depth < DEPTH_MAX) {
			counted[depth++] = follows_name(name, at);
			if (counted[depth - 1] && depth > most)
				most = depth;
		} else if (!n && *at == '>' && depth) {
			depth--;
		}
		at += n ? n : 1;
	}
	return most;
}

/* Replace the contents of template brackets that are nested `from` levels deep or deeper. */
static void fold_types(struct text *t, const char *name, unsigned from)
{
	unsigned depth = 0;

	t->len = 0;
	*t->bytes = '\0';
	for (const char *at = name; *at;) {
		size_t n = *at == '<' || *at == '>' ? operator_bytes(name, at) : 0;
		const char *end = !n && *at == '<' && depth + 1 >= from && follows_name(name, at)
					  ? behind(name, at)
					  : NULL;

		if (end) {
			add_piece(t, "<" DOTS ">", sizeof("<" DOTS ">") - 1);
			at = end;
			continue;
		}
		if (!n && *at == '<')
			depth++;
		else if (!n && *at == '>' && depth)
			depth--;
		add_piece(t, at, n ? n : 1);
		at += n ? n : 1;
	}
}

/* --- parameters --------------------------------------------------------------------------- */

/* Replace the parameters at the end, "(int, long)" or "(int) const". */
static void fold_parameters(struct text *t)
{
	char *end = strrchr(t->bytes, ')'), *at = end;
	unsigned depth = 0;

	if (!end || (end[1] && strcmp(end + 1, " const") != 0))
		return;
	for (; at > t->bytes; at--) {
		depth += *at == ')';
		if (*at == '(' && !--depth)
			break;
	}
	if (at == t->bytes || end - at <= (long)sizeof(DOTS) || at[-1] == ' ' ||
	    starts_with_word(at - 1, ":("))
		return;
	t->len = (size_t)(at - t->bytes);
	add_piece(t, "(" DOTS ")", sizeof("(" DOTS ")") - 1);
}

static bool fits(const struct namefold_measure *m, const char *text, int width)
{
	return m->width(m->ctx, text) <= width;
}

/* --- the middle --------------------------------------------------------------------------- */

static size_t character(const char *at)
{
	uint32_t c;
	size_t n = text_decode(at, strlen(at), &c);

	return n ? n : 1;
}

/* Length in bytes of the longest beginning that takes at most `cols` columns. */
static size_t front(const struct namefold_measure *m, const char *text, int cols)
{
	char one[8] = "";
	size_t len = 0;

	while (text[len]) {
		size_t n = character(text + len);

		memcpy(one, text + len, n);
		one[n] = '\0';
		cols -= m->width(m->ctx, one);
		if (cols < 0)
			break;
		len += n;
	}
	return len;
}

/* The longest end that takes at most `cols` columns. */
static const char *back(const struct namefold_measure *m, const char *text, int cols)
{
	while (*text && m->width(m->ctx, text) > cols)
		text += character(text);
	return text;
}

/* Start of the last `parts` (1 or 2) parts of the name; template brackets are not split. */
static const char *last_parts(const char *text, unsigned parts)
{
	const char *start[2] = {text, text};

	for (const char *at = text; *at;) {
		const char *end = *at == '<' && !operator_bytes(text, at) ? behind(text, at) : NULL;

		if (end) {
			at = end;
		} else if (starts_with_word(at, "::")) {
			start[0] = start[1];
			start[1] = at + 2;
			at += 2;
		} else {
			at++;
		}
	}
	return start[2 - parts];
}

static void cut_middle(const struct namefold_measure *m, struct text *t, const char *text,
		       int width)
{
	const char *tail = last_parts(text, 2);
	int most = width - 1;

	if (m->width(m->ctx, tail) > most)
		tail = last_parts(text, 1);
	if (width < NARROW) { /* too narrow for both ends: show the last part */
		size_t n = fits(m, tail, width) ? strlen(tail) : front(m, tail, most);

		t->len = 0;
		add_piece(t, tail, n);
		add_piece(t, DOTS, tail[n] ? sizeof(DOTS) - 1 : 0);
		return;
	}
	if (m->width(m->ctx, tail) > most)
		tail = back(m, text, most / 2);
	most -= m->width(m->ctx, tail);
	t->len = 0;
	add_piece(t, text, front(m, text, most));
	add_piece(t, DOTS, sizeof(DOTS) - 1);
	add_piece(t, tail, strlen(tail));
}

/* Keep the text from where it begins to differ from `other`, and its last part if there is room. */
static void cut_apart(const struct namefold_measure *m, struct text *t, const char *text,
		      const char *other, int width)
{
	const char *tail = last_parts(text, 1), *at;
	size_t same = 0, n;
	int most = width - 2;

	while (text[same] && text[same] == other[same])
		same++;
	at = text + same;
	while (at > text && text + same - at < most / 4 &&
	       (isalnum((unsigned char)at[-1]) || (unsigned char)at[-1] >= 0x80 || at[-1] == '_'))
		at--;
	if (at >= tail || m->width(m->ctx, tail) > most / 2)
		tail = text + strlen(text);
	n = front(m, at, most - m->width(m->ctx, tail));
	t->len = 0;
	if (at > text)
		add_piece(t, DOTS, sizeof(DOTS) - 1);
	add_piece(t, at, n);
	if (at + n < tail)
		add_piece(t, DOTS, sizeof(DOTS) - 1);
	else
		tail = at + n;
	add_piece(t, tail, strlen(tail));
}

/* Apply the steps until the name fits; all of them if it never does. */
static void fold_name(const struct namefold_measure *m, struct text *t, const char *name, int width)
{
	struct text was;

	fold_words(t, name);
	if (fits(m, t->bytes, width))
		return;
	was = *t;
	fold_paths(t, was.bytes);
	for (unsigned depth = depth_of(t->bytes); depth && !fits(m, t->bytes, width); depth--) {
		was = *t;
		fold_types(t, was.bytes, depth);
	}
	if (!fits(m, t->bytes, width))
		fold_parameters(t);
}

void namefold_fit(const struct namefold_measure *m, char *dst, size_t size, const char *name,
		  const char *other, int width)
{
	struct text t, words, others;

	if (fits(m, name, width) || width < 4) {
		text_append(dst, size, 0, "%s", name);
		return;
	}
	fold_name(m, &t, name, width);
	if (other) {
		fold_words(&words, name);
		fold_words(&others, other);
		cut_apart(m, &t, words.bytes, others.bytes, width);
	} else if (!fits(m, t.bytes, width)) {
		words = t;
		cut_middle(m, &t, words.bytes, width);
	}
	text_append(dst, size, 0, "%s", t.bytes);
}
