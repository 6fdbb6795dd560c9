/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "names/code/rawcode.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/search.h"
#include "base/vec.h"
#include "names/code/codedecode.h"

static bool wanted;

void rawcode_want(void)
{
	wanted = true;
}

static void forget_bytes(struct code *c)
{
	free(c->bytes);
	c->bytes = NULL;
	c->nbytes = c->cap_bytes = 0;
}

/* --- the sender --------------------------------------------------------------------------- */

size_t rawcode_cut(struct code *c)
{
	if (c->from > c->addr)
		c->from = c->place.addr;
	return c->from - c->addr;
}

int rawcode_keep(struct code *c, uint16_t machine, const uint8_t *bytes, size_t nbytes)
{
	nbytes = nbytes < CODE_BYTES_MAX ? nbytes : CODE_BYTES_MAX;
	if (!vec_reserve(&c->bytes, &c->cap_bytes, nbytes, 1))
		return -ENOMEM;
	memcpy(c->bytes, bytes, nbytes);
	c->nbytes = nbytes;
	c->machine = machine;
	if (c->to - c->from > nbytes)
		c->to = c->from + nbytes;
	return 0;
}

static int64_t relative(const uint8_t *at, size_t width)
{
	int32_t far;

	if (width == 1)
		return (int8_t)*at;
	memcpy(&far, at, sizeof(far));
	return far;
}

/*
 * Set the target if a branch, or the ModRM byte of a relative address, may begin here.  Return the
 * step.
 */
static size_t x86_target(const uint8_t *at, size_t left, uint64_t addr, struct code_insn *in)
{
	size_t opcode = 1, width = 4;

	in->flow = CODE_JUMP;
	if (at[0] == 0xe8)
		in->flow = CODE_CALL;
	else if (at[0] == 0x0f && left > 1 && at[1] >> 4 == 8)
		opcode = 2;
	else if ((at[0] & 0xc7) == 5)
		in->flow = CODE_PLAIN;
	else if (at[0] == 0xeb || at[0] >> 4 == 7 || at[0] >> 2 == 0x38)
		width = 1;
	else if (at[0] != 0xe9)
		return 1;
	if (left >= opcode + width)
		in->target = addr + opcode + width + (uint64_t)relative(at + opcode, width);
	return 1;
}

static int64_t field(uint32_t insn, unsigned low, unsigned bits)
{
	return (int32_t)(insn << (32 - low - bits)) >> (32 - bits);
}

static size_t arm64_target(const uint8_t *at, size_t left, uint64_t addr, struct code_insn *in)
{
	uint32_t insn;

	if (left < sizeof(insn))
		return left;
	memcpy(&insn, at, sizeof(insn));
	in->flow = insn >> 26 == 0x25 ? CODE_CALL : CODE_JUMP;
	if ((insn >> 26 & 0x1f) == 5) /* b, bl */
		in->target = addr + 4 * (uint64_t)field(insn, 0, 26);
	else if (insn >> 24 == 0x54 || (insn >> 25 & 0x3f) == 0x1a) /* b.cond, cbz */
		in->target = addr + 4 * (uint64_t)field(insn, 5, 19);
	else if ((insn >> 25 & 0x3f) == 0x1b) /* tbz */
		in->target = addr + 4 * (uint64_t)field(insn, 5, 14);
	else if ((insn >> 24 & 0x9f) == 0x10) /* adr */
		in->target = addr + 4 * (uint64_t)field(insn, 5, 19) + (insn >> 29 & 3);
	else if ((insn >> 24 & 0x9f) == 0x90) /* adrp */
		in->target = (addr & ~0xfffull) + 0x4000 * (uint64_t)field(insn, 5, 19) +
			     ((uint64_t)(insn >> 29 & 3) << 12);
	if ((insn >> 24 & 0x1f) == 0x10)
		in->flow = CODE_PLAIN;
	return 4;
}

int rawcode_targets(struct code *c)
{
	size_t (*find)(const uint8_t *at, size_t left, uint64_t addr, struct code_insn *in) =
		c->machine == EM_AARCH64 ? arm64_target : x86_target;

	if (!wanted || !c->nbytes) {
		forget_bytes(c);
		return -EOPNOTSUPP;
	}
	for (size_t at = 0, step; at < c->nbytes && c->from + at < c->to; at += step) {
		struct code_insn in = {.addr = c->from + at}, *add;

		step = find(c->bytes + at, c->nbytes - at, in.addr, &in);
		if (!in.target || (in.flow == CODE_JUMP && in.target - c->addr < c->size))
			continue;
		add = code_add_insn(c);
		if (!add)
			return -ENOMEM;
		*add = in;
	}
	return 0;
}

static int by_addr(const void *a, const void *b)
{
	const struct code_insn *x = a, *y = b;

	return COMPARE(x->addr, y->addr) ?: COMPARE(y->target, x->target);
}

int rawcode_rows(struct code *c, const struct lines_row *rows, size_t nr)
{
	size_t kept = 0;

	for (size_t i = 0; i < nr && rows[i].addr < c->to; i++) {
		struct code_insn *in = code_add_insn(c);

		if (!in)
			return -ENOMEM;
		in->addr = rows[i].addr < c->from ? c->from : rows[i].addr;
	}
	if (c->ninsns)
		qsort(c->insns, c->ninsns, sizeof(*c->insns), by_addr);
	for (size_t i = 0; i < c->ninsns; i++) /* the one with a target comes first */
		if (!kept || c->insns[i].addr != c->insns[kept - 1].addr)
			c->insns[kept++] = c->insns[i];
	c->ninsns = kept;
	return 0;
}

void rawcode_drop(struct code *c)
{
	struct code_insn none = {.addr = 0};
	const struct code_insn *above = &none;
	size_t kept = 0;

	for (size_t i = 0; c->nbytes && i < c->ninsns; i++) {
		struct code_insn *in = &c->insns[i];

		if (!in->target_name && in->file == above->file && in->line == above->line &&
		    in->inlined == above->inlined)
			continue;
		in->target = in->target_name ? in->target : 0;
		c->insns[kept] = *in;
		above = &c->insns[kept++];
	}
	if (c->nbytes)
		c->ninsns = kept;
}

/* --- the receiver ------------------------------------------------------------------------- */

COMPARE_BY(by_target, struct code_insn, target)

static void set_hint_lines(struct code *c, const struct code_insn *hints, size_t nr)
{
	size_t h = 0;

	for (size_t i = 0; i < c->ninsns; i++) {
		struct code_insn *in = &c->insns[i];

		while (h < nr && hints[h].addr <= in->addr)
			h++;
		if (!h)
			continue;
		in->file = hints[h - 1].file;
		in->line = hints[h - 1].line;
		in->inlined = hints[h - 1].inlined;
	}
}

/* Set the targets' names; sorts the hints. */
static void set_names(struct code *c, struct code_insn *hints, size_t nr)
{
	if (nr)
		qsort(hints, nr, sizeof(*hints), by_target);
	for (size_t i = 0; i < c->ninsns; i++) {
		struct code_insn *in = &c->insns[i];
		size_t h = in->target ? SEARCH_FROM(hints, nr, target, in->target) : nr;

		if (h == nr || hints[h].target != in->target ||
		    (in->flow == CODE_JUMP && in->target - c->addr < c->size))
			continue;
		in->target_name = hints[h].target_name;
		in->target_off = hints[h].target_off;
	}
}

/* Return true for a page as rawcode_keep() makes it: a faulty agent may send any. */
static bool is_page(const struct code *c)
{
	return c->from >= c->addr && c->from <= c->place.addr && c->place.addr < c->to &&
	       c->to - c->from <= CODE_PAGE_BYTES && c->nbytes <= CODE_BYTES_MAX;
}

/* Decode the bytes as a function of their own, as there is no more of it here. */
static int decode_page_bytes(struct code *c, uint8_t *bytes, size_t nbytes, struct err *err)
{
	struct coderead r = {.image.fd = -1, .dump.fd = -1, .code = c, .path = c->place.object,
			     .machine = c->machine, .bytes = bytes};
	uint64_t asked = c->place.addr, addr = c->addr, size = c->size, to = c->to;
	int ret;

	c->place.addr = c->from;
	coderead_set_range(&r, c->from, nbytes);
	r.nbytes = nbytes;
	ret = codedecode_run(&r, !sandbox_allowed(), err);
	c->place.addr = asked;
	c->addr = addr;
	c->size = size;
	c->to = to;
	return ret;
}

/*
 * Set the page's end: an instruction that begins in the page belongs to it, and the next page
 * begins after it.
 */
static void set_end(struct code *c)
{
	const struct code_insn *last;

	while (c->ninsns && c->insns[c->ninsns - 1].addr >= c->to)
		c->ninsns--;
	last = c->ninsns ? &c->insns[c->ninsns - 1] : NULL;
	if (last && last->addr + last->len > c->to)
		c->to = last->addr + last->len;
}

int rawcode_decode(struct code *c)
{
	struct code_insn *hints = c->insns;
	uint8_t *bytes = c->bytes;
	size_t nhints = c->ninsns, nbytes = c->nbytes;
	struct err err = {.code = 0};
	int ret;

	if (!nbytes)
		return 0;
	ret = is_page(c) ? 0
			 : err_set(&err, EPROTO, "the code received is not a page of a function");
	c->insns = NULL;
	c->bytes = NULL;
	c->ninsns = c->cap_insns = c->nbytes = c->cap_bytes = 0;
	ret = ret ? ret : decode_page_bytes(c, bytes, nbytes, &err);
	forget_bytes(c); /* kept again if they cannot be decoded */
	free(c->why);
	c->why = NULL;
	if (ret) {
		c->ninsns = 0;
		coderead_say(&c->why, &err);
	} else {
		set_end(c);
		set_hint_lines(c, hints, nhints);
		set_names(c, hints, nhints);
	}
	free(hints);
	free(bytes);
	return ret;
}
