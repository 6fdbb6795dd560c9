/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "resolve/demangle.h"

#include <ctype.h>
#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OPTIONS	  DMGL_NO_OPTS
#define OPTIONS_D DMGL_PARAMS /* without it, too, libiberty's demangler for D gives them */

/*
 * libiberty refuses C++ names over 1024 bytes unless its limit is lifted, and then recurses as
 * deep as the name is long: up to 0.5 MB of stack for a hostile name of this length.
 */
#define LONG_MAX_LEN 2048

typedef int demangle_fn(const char *, int, demangle_callbackref, void *);

struct output {
	char *text; /* DEMANGLE_MAX bytes */
	size_t len;
	bool overflow;
	jmp_buf stop;
};

/*
 * A name of 200 bytes can stand for one of 2^40 through back references, and neither demangler
 * can be told to stop: leave it by longjmp.  Both work on the stack, but for one buffer that the
 * one for Rust holds while it hands over an identifier that is not ASCII; it stops after that.
 */
static void take(const char *text, size_t len, void *arg)
{
	struct output *out = arg;

	if (!out->overflow && len < DEMANGLE_MAX - out->len) {
		if (len) /* libiberty hands on empty pieces as NULL */
			memcpy(out->text + out->len, text, len);
		out->len += len;
		return;
	}
	out->overflow = true;
	for (size_t i = 0; i < len; i++)
		if (text[i] & 0x80)
			return;
	longjmp(out->stop, 1);
}

static char *run(demangle_fn *fn, const char *name, int options)
{
	struct output *out = calloc(1, sizeof(*out));
	char *text = NULL;
	bool done = false;

	if (!out)
		return NULL;
	out->text = malloc(DEMANGLE_MAX);
	if (out->text && !setjmp(out->stop))
		done = fn(name, options, take, out) && !out->overflow && out->len;
	if (done) {
		out->text[out->len] = '\0';
		text = strdup(out->text);
	}
	free(out->text);
	free(out);
	return text;
}

static char *demangle_cxx(const char *name)
{
	size_t len = strlen(name);

	return run(cplus_demangle_v3_callback, name,
		   OPTIONS | (len > 1000 && len <= LONG_MAX_LEN ? DMGL_NO_RECURSE_LIMIT : 0));
}

/*
 * A binder, "G" after the "F" of a function or the "D" of dyn, counts lifetimes in base 62, and
 * libiberty loops over them even where it prints nothing and so never comes back to us.
 */
static bool counts_far(const char *name)
{
	for (const char *at = strpbrk(name, "FD"); at; at = strpbrk(at + 1, "FD")) {
		size_t digits = 0;

		if (at[1] != 'G')
			continue;
		while (isalnum((unsigned char)at[2 + digits]))
			digits++;
		if (digits > 1 && at[2 + digits] == '_')
			return true;
	}
	return false;
}

static char *demangle_rust(const char *name)
{
	return counts_far(name) ? NULL : run(rust_demangle_callback, name, OPTIONS);
}

/* A back reference "Q" of D: a number in base 26, its last digit in lower case; 0: none. */
static size_t back_reference(const char *at)
{
	size_t n = 0;

	for (at++; *at >= 'A' && *at <= 'Z' && n < DEMANGLE_MAX; at++)
		n = n * 26 + (size_t)(*at - 'A');
	return *at >= 'a' && *at <= 'z' ? n * 26 + (size_t)(*at - 'a') : 0;
}

/*
 * libiberty's demangler for D has no way to stop it, so see beforehand that back references
 * cannot blow the name up: each stands for at most all that lies between its target and itself.
 */
static bool expands_far(const char *name)
{
	uint32_t sizes[DEMANGLE_MAX + 1] = {0}; /* of the first n characters, written out */

	for (size_t i = 0; name[i]; i++) {
		size_t back = name[i] == 'Q' ? back_reference(name + i) : 0;

		sizes[i + 1] = sizes[i] + 1;
		if (back && back <= i)
			sizes[i + 1] += sizes[i] - sizes[i - back];
		if (sizes[i + 1] > 256 * DEMANGLE_MAX)
			return true;
	}
	return false;
}

static char *demangle_d(const char *name)
{
	char *text = expands_far(name) ? NULL : dlang_demangle(name, OPTIONS_D);

	if (text && strlen(text) >= DEMANGLE_MAX) {
		free(text);
		return NULL;
	}
	return text;
}

/* "_ZN4core3fmt5write17h0123456789abcdefE": C++'s form, told by the hash. */
static bool is_rust_legacy(const char *name)
{
	const char *end = strstr(name, "E.");
	size_t len = end ? (size_t)(end - name) + 1 : strlen(name);

	if (len < 24 || name[len - 1] != 'E' || strncmp(name + len - 20, "17h", 3) != 0)
		return false;
	return strspn(name + len - 17, "0123456789abcdef") == 16;
}

static bool is_d(const char *name)
{
	return isdigit((unsigned char)name[2]) || !strcmp(name, "_Dmain");
}

static bool is_any(const char *name)
{
	return name[2] != '\0';
}

/*
 * In order: a legacy Rust name is a valid C++ one, too.  What follows a C++ name the demangler passes
 * over by itself.
 */
static const struct {
	const char *prefix;
	bool (*is)(const char *name);
	char *(*demangle)(const char *name);
	enum { SUFFIX_TAKEN, SUFFIX_DROPPED, SUFFIX_KEPT } suffix;
} languages[] = {
	{"_ZN", is_rust_legacy, demangle_rust, SUFFIX_DROPPED},
	{"_Z", is_any, demangle_cxx, SUFFIX_TAKEN},
	{"___Z", is_any, demangle_cxx, SUFFIX_TAKEN},
	{"_GLOBAL_", is_any, demangle_cxx, SUFFIX_TAKEN},
	{"_R", is_any, demangle_rust, SUFFIX_DROPPED},
	{"_D", is_d, demangle_d, SUFFIX_KEPT},
};

/* Where a compiler's ".llvm.123" starts; legacy Rust names have dots of their own before "E". */
static size_t suffix_at(const char *name)
{
	const char *dot = strncmp(name, "_Z", 2) == 0 ? strstr(name, "E.") : strchr(name, '.');

	if (!dot)
		return strlen(name);
	return (size_t)(dot - name) + (*dot == 'E');
}

static char *join(char *text, const char *suffix)
{
	char *joined = NULL;

	if (!text || !*suffix)
		return text;
	if (asprintf(&joined, *suffix == '@' ? "%s%s" : "%s [clone %s]", text, suffix) < 0)
		joined = NULL;
	free(text);
	return joined;
}

static char *demangle_bare(const char *name)
{
	char bare[DEMANGLE_MAX];
	size_t at;

	for (size_t i = 0; i < sizeof(languages) / sizeof(languages[0]); i++) {
		if (strncmp(name, languages[i].prefix, strlen(languages[i].prefix)) != 0 ||
		    !languages[i].is(name))
			continue;
		if (languages[i].suffix == SUFFIX_TAKEN)
			return languages[i].demangle(name);
		at = suffix_at(name);
		memcpy(bare, name, at);
		bare[at] = '\0';
		return join(languages[i].demangle(bare),
			    languages[i].suffix == SUFFIX_KEPT ? name + at : "");
	}
	return NULL;
}

char *demangle(const char *name)
{
	size_t len = strlen(name), tail = sizeof("@plt") - 1;
	char bare[DEMANGLE_MAX];

	if (name[0] != '_' || len >= DEMANGLE_MAX)
		return NULL;
	if (len <= tail || strcmp(name + len - tail, "@plt") != 0)
		return demangle_bare(name);
	memcpy(bare, name, len - tail);
	bare[len - tail] = '\0';
	return join(demangle_bare(bare), "@plt");
}
