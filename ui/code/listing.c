/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/code/listing.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/vec.h"
#include "ui/code/sourcelines.h"
#include "ui/parts/widget.h"

/* Keys of rows that are no instructions; an instruction's key is its address, doubled. */
enum { KEY_SOURCE = 1 };
#define KEY_BEFORE (UINT64_MAX - 2)
#define KEY_AFTER  (UINT64_MAX - 4)

static uint64_t row_key_of(uint64_t addr, bool source)
{
	return addr << 1 | (source ? KEY_SOURCE : 0);
}

void listing_free(struct listing *l)
{
	arrows_free(&l->arrows);
	free(l->row);
	*l = (struct listing){.nr = 0};
}

struct listing_row *listing_add(struct listing *l, enum listing_kind kind, uint64_t addr,
				uint64_t key)
{
	struct listing_row *r;

	if (!vec_reserve(&l->row, &l->cap, l->nr + 1, sizeof(*l->row)))
		return NULL;
	r = &l->row[l->nr++];
	*r = (struct listing_row){.kind = (uint8_t)kind, .addr = addr, .key = key};
	return r;
}

/* Add a row for the lower of the next addresses of both heats. */
static bool add_heat(struct listing *l, struct listing_heats *h)
{
	const struct code_heat *now = h->now < l->sheet->nr ? &l->sheet->heat[h->now] : NULL;
	const struct code_heat *was = l->was && h->was < l->was->nr ? &l->was->heat[h->was] : NULL;
	uint64_t addr = !was || (now && now->addr <= was->addr) ? now->addr : was->addr;
	struct listing_row *r = listing_add(l, LISTING_HEAT, addr, row_key_of(addr, false));

	if (!r)
		return false;
	if (now && now->addr == addr) {
		r->samples = now->samples;
		r->weight = now->weight;
		h->now++;
	}
	if (was && was->addr == addr) {
		r->was_samples = was->samples;
		r->was_weight = was->weight;
		h->was++;
	}
	return true;
}

/* Add a source line if the instruction's line differs from that of the instruction above. */
static bool add_source(struct listing *l, const struct code *c, size_t i)
{
	const struct code_insn *in = &c->insns[i], *above = i ? in - 1 : NULL;
	struct listing_row *r;

	if (!in->file || (above && above->file == in->file && above->line == in->line &&
			  above->inlined == in->inlined))
		return true;
	r = listing_add(l, LISTING_SOURCE, in->addr, row_key_of(in->addr, true));
	if (r)
		r->index = (uint32_t)i;
	return r;
}

static size_t heat_first(const struct code_sheet *s, const struct code *c)
{
	size_t h = 0;

	while (s && c->ninsns && h < s->nr && s->heat[h].addr < c->insns[0].addr)
		h++;
	return h;
}

struct listing_heats listing_heat_first(const struct listing *l)
{
	return (struct listing_heats){heat_first(l->sheet, l->sheet->code),
				      heat_first(l->was, l->sheet->code)};
}

void listing_heat(const struct listing *l, const struct code_insn *in, struct listing_heats *h,
		  struct listing_row *r)
{
	const struct code_sheet *s = l->sheet, *was = l->was;

	for (; h->now < s->nr && s->heat[h->now].addr - in->addr < in->len; h->now++) {
		r->samples += s->heat[h->now].samples;
		r->weight += s->heat[h->now].weight;
	}
	for (; was && h->was < was->nr && was->heat[h->was].addr - in->addr < in->len; h->was++) {
		r->was_samples += was->heat[h->was].samples;
		r->was_weight += was->heat[h->was].weight;
	}
}

/* Add an instruction with the samples in it; *h: the first heats not before it. */
static bool add_insn_row(struct listing *l, size_t i, struct listing_heats *h)
{
	const struct code_insn *in = &l->sheet->code->insns[i];
	struct listing_row *r = listing_add(l, LISTING_INSN, in->addr, row_key_of(in->addr, false));

	if (!r)
		return false;
	r->index = (uint32_t)i;
	listing_heat(l, in, h, r);
	return true;
}

static bool add_code(struct listing *l, enum listing_mode mode)
{
	const struct code *c = l->sheet->code;
	bool ok = c->from <= c->addr || listing_add(l, LISTING_MORE, c->from - 1, KEY_BEFORE);
	struct listing_heats h = listing_heat_first(l);

	if (ok && mode == LISTING_LINES)
		ok = sourcelines_add(l);
	for (size_t i = 0; ok && mode != LISTING_LINES && i < c->ninsns; i++) {
		ok = mode == LISTING_INSNS || add_source(l, c, i);
		ok = ok && add_insn_row(l, i, &h);
	}
	if (ok && c->size && c->to < c->addr + c->size)
		ok = listing_add(l, LISTING_MORE, c->to, KEY_AFTER);
	return ok;
}

static void find_most(struct listing *l)
{
	l->hottest = l->most = 0;
	l->most_share = 0;
	for (size_t i = 0; i < l->nr; i++) {
		const struct listing_row *r = &l->row[i];
		double now = listing_part(r->weight, l->sheet),
		       was = listing_part(r->was_weight, l->was);

		l->most_share = now > l->most_share ? now : l->most_share;
		l->most_share = was > l->most_share ? was : l->most_share;
		if (r->weight > l->most) {
			l->most = r->weight;
			l->hottest = r->key;
		}
	}
}

bool listing_make(struct listing *l, const struct code_sheet *sheet, const struct code_sheet *was,
		  enum listing_mode mode, unsigned lanes)
{
	struct listing_heats h = {0, 0};
	bool ok = true;

	l->sheet = sheet;
	l->was = was;
	l->mode = mode;
	l->nr = 0;
	if (sheet->code && sheet->code->ninsns)
		ok = arrows_build(&l->arrows, sheet->code, sheet->serial, lanes) &&
		     add_code(l, mode);
	else
		while (ok && (h.now < sheet->nr || (was && h.was < was->nr)))
			ok = add_heat(l, &h);
	find_most(l);
	return ok;
}

const struct code_insn *listing_insn(const struct listing *l, const struct listing_row *r)
{
	return r->kind == LISTING_INSN ? &l->sheet->code->insns[r->index] : NULL;
}

uint64_t listing_key(const struct listing *l, uint64_t addr)
{
	const struct code *c = l->sheet->code;

	for (size_t i = 0; c && l->mode == LISTING_LINES && i < c->ninsns; i++)
		if (addr - c->insns[i].addr < c->insns[i].len)
			return sourcelines_key(l, &c->insns[i]);
	for (size_t i = 0; i < l->nr; i++) {
		const struct code_insn *in = listing_insn(l, &l->row[i]);

		if (in ? addr - in->addr < in->len
		       : l->row[i].kind == LISTING_HEAT && l->row[i].addr == addr)
			return l->row[i].key;
	}
	return 0;
}

double listing_near(const struct listing *l, const struct listing_row *r, unsigned span)
{
	uint64_t sum = r->weight;
	const struct listing_row *end = l->row + l->nr, *at = r;

	for (unsigned n = span; n && at-- > l->row;) {
		sum += at->weight;
		n -= at->kind == LISTING_INSN;
	}
	at = r;
	for (unsigned n = span; n && ++at < end;) {
		sum += at->weight;
		n -= at->kind == LISTING_INSN;
	}
	return l->sheet->weight ? (double)sum / (double)l->sheet->weight : 0;
}

/* Format the target as "+1a4", "0x401a40" or "memcpy@plt+10"; "": none, or not known. */
static void target_text(const struct listing *l, const struct code_insn *in, char *buf, size_t size)
{
	const struct code *c = l->sheet->code;
	size_t pos;

	buf[0] = '\0';
	if (!in->target)
		return;
	if (c->size && in->target - c->addr < c->size && !in->target_name) {
		text_append(buf, size, 0, "+%llx", (unsigned long long)(in->target - c->addr));
		return;
	}
	if (!in->target_name) {
		text_append(buf, size, 0, "0x%llx", (unsigned long long)in->target);
		return;
	}
	pos = text_escape(buf, size, code_text(c, in->target_name));
	if (in->target_off)
		text_append(buf, size, pos, "+%x", in->target_off);
}

static void insn_text(const struct listing *l, const struct code_insn *in, char *buf, size_t size)
{
	const char *text = code_text(l->sheet->code, in->text);
	size_t len = strcspn(text, "\t"), pos;
	char target[WIDGET_TEXT / 2], operands[300], raw[64], mnemonic[128];

	target_text(l, in, target, sizeof(target));
	text_append(raw, sizeof(raw), 0, "%.*s", (int)len, text);
	text_escape(mnemonic, sizeof(mnemonic), raw);
	text_escape(operands, sizeof(operands), text[len] ? text + len + 1 : "");
	/* Operands in a column of their own are easier to find. */
	pos = text_append(buf, size, 0, "%-7s %s", mnemonic, operands);
	if (!target[0])
		return;
	if (in->flow == CODE_PLAIN)
		text_append(buf, size, pos, "  # %s", target);
	else
		text_append(buf, size, pos, "%s%s", operands[0] ? " " : "", target);
}

/* Replace each tab by four blanks: eight would take too much room. */
static void untab(char *buf, size_t size, const char *text)
{
	size_t pos = 0;

	buf[0] = '\0';
	for (; *text && pos + 5 < size; text++)
		pos = text_append(buf, size, pos, *text == '\t' ? "%*s" : "%.*s",
				  *text == '\t' ? 4 : 1, *text == '\t' ? "" : text);
}

void listing_source(const struct code *c, const struct code_source *s, char *buf, size_t size)
{
	char text[CODE_TEXT_MAX * 4];

	untab(text, sizeof(text), code_text(c, s->text));
	text_escape(buf, size, text);
}

/* Format a source line; the file is named if it differs from that of the line above. */
static void source_text(const struct listing *l, const struct listing_row *r, char *buf,
			size_t size)
{
	const struct code *c = l->sheet->code;
	const struct code_insn *in = &c->insns[r->index];
	const struct code_source *s = code_find_source(c, in->file, in->line);
	bool entered = in->inlined && (!r->index || in[-1].inlined != in->inlined);
	size_t pos = 0;

	if (!r->index || in[-1].file != in->file)
		pos = text_escape(buf, size, text_base(code_text(c, in->file)));
	pos = text_append(buf, size, pos, pos ? ":%-4u " : "%5u ", in->line);
	if (s) {
		listing_source(c, s, buf + pos, size - pos);
		pos += strlen(buf + pos);
	}
	if (!entered || pos + 40 > size)
		return;
	pos = text_append(buf, size, pos, "  (inlined: ");
	pos += text_escape(buf + pos, size - pos - 1, code_text(c, in->inlined));
	text_append(buf, size, pos, ")");
}

void listing_text(const struct listing *l, const struct listing_row *r, char *buf, size_t size)
{
	const struct code *c = l->sheet->code;

	buf[0] = '\0';
	if (r->kind == LISTING_INSN)
		insn_text(l, &c->insns[r->index], buf, size);
	else if (r->kind == LISTING_SOURCE)
		source_text(l, r, buf, size);
	else if (r->kind == LISTING_LINE)
		sourcelines_text(l, r, buf, size);
	else if (r->kind == LISTING_MORE)
		text_append(buf, size, 0, "%llu more bytes %s: Enter shows them",
			    (unsigned long long)(r->addr < c->from ? c->from - c->addr
								   : c->addr + c->size - c->to),
			    r->addr < c->from ? "before" : "after");
}
