/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * code - a function's instructions with its source lines: what a front end asks a session for and
 * what comes back in a slice.
 *
 * A place is said in words, not ids, so that it means the same on both sides of a wire and long
 * after the session gave its ids to something else.  An answer stands alone: all its texts are in
 * it.  Texts are raw: escape them before showing.
 *
 * Threads: one owner at a time.
 */
#ifndef RINGTOP_CORE_SLICE_CODE_H
#define RINGTOP_CORE_SLICE_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buildid.h"

#define CODE_PAGE_BYTES  (128u << 10) /* an answer's code at most: longer functions come in pages */
#define CODE_BYTES_MAX  (CODE_PAGE_BYTES + 16) /* that are not decoded: the last instruction is whole */
#define CODE_TEXT_MAX    400u         /* bytes of a source line */

/* An address in an object, as frames have it (slice.h: struct dict_frame). */
struct code_place {
	uint8_t kind; /* enum object_kind */
	struct build_id build_id;
	int32_t pid; /* a process that has it; 0: not known.  Tells anonymous code apart */
	uint16_t host; /* whose process that is: as dict_task.host */
	char *object; /* the object's name */
	uint64_t addr;
};

enum code_flow { CODE_PLAIN, CODE_JUMP, CODE_CALL, CODE_RETURN };

struct code_insn {
	uint64_t addr;
	uint64_t target;      /* where a jump or call goes, or what a plain one refers to; 0: not said */
	uint32_t text;        /* mnemonic, a TAB, operands without the target of a jump or call */
	uint32_t target_name; /* the function at the target */
	uint32_t target_off;  /* the target in it */
	uint32_t file, line;  /* file: its path; 0: not known */
	uint32_t inlined;     /* the innermost function inlined here; 0: none, or not known */
	uint8_t len, flow;
};

struct code_source {
	uint32_t file, line, text;
};

struct code {
	struct code_place place; /* as asked */
	uint64_t addr, size;     /* of the function; size 0: its bounds are not known */
	uint64_t from, to;       /* the page: what the instructions cover of it */
	bool again;              /* not now, but asked again soon there may be more */
	bool loading;            /* source lines are being looked for: another answer will follow */
	char *name;              /* of the function, or NULL */
	char *why;               /* why there are no instructions, and what to do about it; or NULL */
	char *note;              /* why there are no source lines; or NULL */
	struct code_insn *insns; /* by address */
	struct code_source *sources; /* by file, then line */
	char *texts;             /* offset 0 is "" */
	uint8_t *bytes;          /* from `from` on, not decoded yet: insns are hints (names/code/raw.h); else NULL */
	uint16_t machine;        /* of the bytes, EM_... */
	size_t ninsns, nsources, ntexts, nbytes;
	size_t cap_insns, cap_sources, cap_texts, cap_bytes;
};

/* A copy with its own string; false: out of memory, *to is empty. */
bool code_place_copy(struct code_place *to, const struct code_place *from);
void code_place_clear(struct code_place *p);

/* Is it the same object?  Build-ids count where both are known, pids where nothing else tells. */
bool code_place_same(const struct code_place *a, const struct code_place *b);

/* Code that only one process has, or one host: equal addresses of two are different places. */
bool code_anonymous(uint8_t kind);
bool code_of_host(uint8_t kind);

struct code *code_create(const struct code_place *asked); /* NULL: out of memory */
void code_free(struct code *c);

/* A text of len bytes (up to a NUL); its offset, 0: empty or out of memory. */
uint32_t code_add_text(struct code *c, const char *text, size_t len);

/* Zeroed, valid until the next; NULL: out of memory. */
struct code_insn *code_add_insn(struct code *c);
struct code_source *code_add_source(struct code *c);

static inline const char *code_text(const struct code *c, uint32_t offset)
{
	return offset ? c->texts + offset : "";
}

/* The instruction at addr, or -1. */
long code_find(const struct code *c, uint64_t addr);

/* The source line, or NULL. */
const struct code_source *code_find_source(const struct code *c, uint32_t file, uint32_t line);

size_t code_bytes(const struct code *c);

#endif
