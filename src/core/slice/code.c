/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/slice/code.h"

#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "base/vec.h"
#include "core/slice/slice.h"

bool code_place_copy(struct code_place *to, const struct code_place *from)
{
	char *object = strdup(from->object ? from->object : "");

	*to = (struct code_place){.kind = OBJECT_UNKNOWN};
	if (!object)
		return false;
	*to = *from;
	to->object = object;
	return true;
}

void code_place_clear(struct code_place *p)
{
	free(p->object);
	*p = (struct code_place){.kind = OBJECT_UNKNOWN};
}

bool code_anonymous(uint8_t kind)
{
	return kind == OBJECT_JIT || kind == OBJECT_ANON || kind == OBJECT_UNKNOWN;
}

bool code_of_host(uint8_t kind)
{
	return code_anonymous(kind) || kind == OBJECT_KERNEL || kind == OBJECT_MODULE;
}

bool code_place_same(const struct code_place *a, const struct code_place *b)
{
	/* Generated code changes its name when the JIT's map is read: names are not compared. */
	if (code_anonymous(a->kind) && code_anonymous(b->kind))
		return a->pid == b->pid && a->host == b->host;
	if (code_of_host(a->kind) && a->host != b->host)
		return false;
	return a->kind == b->kind && a->object && b->object && !strcmp(a->object, b->object) &&
	       build_id_fits(&a->build_id, &b->build_id);
}

struct code *code_create(const struct code_place *asked)
{
	struct code *c = calloc(1, sizeof(*c));

	if (!c || !code_place_copy(&c->place, asked) ||
	    !vec_reserve(&c->texts, &c->cap_texts, 64, 1)) {
		code_free(c);
		return NULL;
	}
	c->texts[c->ntexts++] = '\0';
	return c;
}

void code_free(struct code *c)
{
	if (!c)
		return;
	code_place_clear(&c->place);
	free(c->name);
	free(c->why);
	free(c->note);
	free(c->insns);
	free(c->sources);
	free(c->texts);
	free(c->bytes);
	free(c);
}

uint32_t code_add_text(struct code *c, const char *text, size_t len)
{
	uint32_t at = (uint32_t)c->ntexts;

	len = strnlen(text, len);
	if (!len || len >= UINT32_MAX - c->ntexts ||
	    !vec_reserve(&c->texts, &c->cap_texts, c->ntexts + len + 1, 1))
		return 0;
	memcpy(c->texts + at, text, len);
	c->texts[at + len] = '\0';
	c->ntexts += len + 1;
	return at;
}

struct code_insn *code_add_insn(struct code *c)
{
	return VEC_ADD(c->insns, c->ninsns, c->cap_insns);
}

struct code_source *code_add_source(struct code *c)
{
	return VEC_ADD(c->sources, c->nsources, c->cap_sources);
}

long code_find(const struct code *c, uint64_t addr)
{
	size_t i = SEARCH_FROM(c->insns, c->ninsns, addr, addr);

	return i < c->ninsns && c->insns[i].addr == addr ? (long)i : -1;
}

const struct code_source *code_find_source(const struct code *c, uint32_t file, uint32_t line)
{
	const struct code_source *s = c->sources;
	size_t at = SEARCH_WHILE(i, 0, c->nsources,
				 s[i].file < file || (s[i].file == file && s[i].line < line));

	return at < c->nsources && s[at].file == file && s[at].line == line ? &s[at] : NULL;
}

size_t code_bytes(const struct code *c)
{
	return sizeof(*c) + c->cap_insns * sizeof(*c->insns) +
	       c->cap_sources * sizeof(*c->sources) + c->cap_texts + c->cap_bytes;
}
