/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * code - a function's instructions with its source lines: a front end requests them from a session,
 * and a slice brings the reply.
 *
 * A place is written out as texts, not ids, so that it means the same on both sides of a wire and
 * long after the session gave its ids to something else.  A reply stands alone: all its texts are
 * in it.  Texts are raw: escape them before showing.
 *
 * Threads: one owner at a time.
 */
#ifndef RINGTOP_CORE_SLICE_CODE_H
#define RINGTOP_CORE_SLICE_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buildid.h"

#define CODE_PAGE_BYTES  (128u << 10) /* code in one reply: longer functions come in pages */
#define CODE_BYTES_MAX  (CODE_PAGE_BYTES + 16) /* undecoded bytes: the last instruction is whole */
#define CODE_TEXT_MAX    400u         /* bytes of a source line */

/* An address in an object, in the sense of dict_frame.addr (slice.h). */
struct code_place {
	uint8_t kind; /* enum object_kind */
	struct build_id build_id;
	int32_t pid; /* a process that maps it; 0: not known.  Tells anonymous code apart */
	uint16_t host; /* host of that process: as dict_task.host */
	char *object; /* the object's name, owned */
	uint64_t addr;
};

enum code_flow { CODE_PLAIN, CODE_JUMP, CODE_CALL, CODE_RETURN };

struct code_insn {
	uint64_t addr;
	uint64_t target;      /* address jumped to, called or referred to; 0: none */
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
	struct code_place place; /* the place requested */
	uint64_t addr, size;     /* bounds of the function; size 0: not known */
	uint64_t from, to;       /* the page: the part of it that insns cover */
	bool again;              /* more may come of a new request soon */
	bool loading;            /* source lines are being looked for: another reply will follow */
	char *name;              /* name of the function, or NULL */
	char *why;               /* why there are no instructions, and a remedy; or NULL */
	char *note;              /* why there are no source lines; or NULL */
	struct code_insn *insns; /* sorted by address */
	struct code_source *sources; /* sorted by file, then line */
	char *texts;             /* offset 0 is "" */
	uint8_t *bytes;          /* code from `from` on, not decoded yet: insns are hints
	                          * (names/code/rawcode.h); else NULL */
	uint16_t machine;        /* architecture of the bytes, EM_... */
	size_t ninsns, nsources, ntexts, nbytes;
	size_t cap_insns, cap_sources, cap_texts, cap_bytes;
};

/*
 * Copy a place with its string, overwriting *to without freeing it.  False: out of memory, *to is
 * empty.
 */
bool code_place_copy(struct code_place *to, const struct code_place *from);
void code_place_clear(struct code_place *p); /* frees its string */

/*
 * Return true if both places are in the same object, whatever their addresses.  Build-ids are
 * compared where both are known; anonymous code only by process and host.
 */
bool code_place_same(const struct code_place *a, const struct code_place *b);

/*
 * Return true if code of this enum object_kind belongs to one process (code_anonymous) or to one
 * host (code_of_host): equal addresses of two of them are different places.
 */
bool code_anonymous(uint8_t kind);
bool code_of_host(uint8_t kind);

struct code *code_create(const struct code_place *asked); /* copies it; NULL: out of memory */
void code_free(struct code *c);

/* Append a text of len bytes, less from a NUL on.  Return its offset; 0: empty or out of memory. */
uint32_t code_add_text(struct code *c, const char *text, size_t len);

/* Append a zeroed element, valid until the next is added.  NULL: out of memory. */
struct code_insn *code_add_insn(struct code *c);
struct code_source *code_add_source(struct code *c);

/* Return the text at an offset in c->texts; "" for 0. */
static inline const char *code_text(const struct code *c, uint32_t offset)
{
	return offset ? c->texts + offset : "";
}

/* Return the index of the instruction at addr, or -1. */
long code_find(const struct code *c, uint64_t addr);

/* Return the source line, or NULL.  `file` is the offset of its path. */
const struct code_source *code_find_source(const struct code *c, uint32_t file, uint32_t line);

/* Return the memory that c takes, in bytes. */
size_t code_bytes(const struct code *c);

#endif
