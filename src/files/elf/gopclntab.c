/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Layout of the section: a header of pointer-sized words, the names, and a table of (start, offset
 * of the function's record) with one more start at its end. A record begins with the start again
 * and the name's offset.
 */
#include "files/elf/gopclntab.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MAGIC_116 0xfffffffau
#define MAGIC_118 0xfffffff0u
#define MAGIC_120 0xfffffff1u
#define FIXED     8 /* bytes of the header before its words */
#define MODULE_TEXT (22 * 8) /* offset of `text` in runtime.moduledata, 64-bit */

struct pclntab {
	const uint8_t *data;
	size_t len;
	unsigned word;      /* bytes of a pointer */
	unsigned field;     /* bytes of a field in the table of functions */
	uint64_t nfunc;
	uint64_t text;      /* added to all starts */
	uint64_t names;     /* offsets in data */
	uint64_t functions;
	size_t named;       /* names that begin before this offset end inside the section */
};

/* Read a number of `size` bytes (4 or 8). Return false if it is outside of the section. */
static bool get_number(const struct pclntab *p, uint64_t at, unsigned size, uint64_t *v)
{
	uint64_t wide;
	uint32_t narrow;

	if (at > p->len || p->len - at < size)
		return false;
	if (size == sizeof(wide)) {
		memcpy(&wide, p->data + at, sizeof(wide));
		*v = wide;
	} else {
		memcpy(&narrow, p->data + at, sizeof(narrow));
		*v = narrow;
	}
	return true;
}

static bool get_word(const struct pclntab *p, unsigned n, uint64_t *v)
{
	return get_number(p, FIXED + n * p->word, p->word, v);
}

static uint32_t magic_of(const uint8_t *data, size_t len)
{
	uint32_t magic = 0;

	if (len >= FIXED && !data[4] && !data[5] && (data[7] == 4 || data[7] == 8))
		memcpy(&magic, data, sizeof(magic));
	return magic;
}

size_t gopclntab_text_field(const uint8_t *data, size_t len)
{
	uint32_t magic = magic_of(data, len);

	if ((magic != MAGIC_118 && magic != MAGIC_120) || len < FIXED + 3u * data[7])
		return 0;
	return FIXED + 2u * data[7];
}

static int read_pclntab_header(struct pclntab *p)
{
	uint32_t magic = magic_of(p->data, p->len);
	bool relative = magic == MAGIC_118 || magic == MAGIC_120;
	uint64_t text = 0;

	if (!relative && magic != MAGIC_116)
		return -EINVAL;
	p->word = p->data[7];
	p->field = relative ? 4 : p->word;
	if (!get_word(p, 0, &p->nfunc) || (relative && !get_word(p, 2, &text)) ||
	    !get_word(p, relative ? 3 : 2, &p->names) ||
	    !get_word(p, relative ? 7 : 6, &p->functions))
		return -EINVAL;
	if (relative)
		p->text = text ? text : p->text;
	if (relative && !p->text)
		return -EINVAL;
	if (!relative)
		p->text = 0;
	return p->functions <= p->len && p->names <= p->len &&
	       p->nfunc <= (p->len - p->functions) / (2 * p->field) ? 0 : -EINVAL;
}

/* Return the offset of the name of the function whose record is at `record`; 0: none. */
static uint64_t name_at(const struct pclntab *p, uint64_t record)
{
	uint64_t offset;

	/* Offsets are relative to the table of functions; they must not wrap. */
	if (record > p->len || !get_number(p, p->functions + record + p->field, 4, &offset))
		return 0;
	return p->names + offset < p->named ? p->names + offset : 0;
}

int gopclntab_parse(const uint8_t *data, size_t len, uint64_t text, struct symtab *t, size_t *added)
{
	const uint8_t *last = len ? memrchr(data, 0, len) : NULL;
	struct pclntab p = {.data = data, .len = len, .text = text,
			    .named = last ? (size_t)(last - data) : 0};
	size_t names = 0;
	int ret = read_pclntab_header(&p);

	*added = 0;
	if (!ret && p.names < p.named)
		ret = symtab_text(t, (const char *)data + p.names, p.named - p.names, &names);
	for (uint64_t i = 0; !ret && i < p.nfunc; i++) {
		uint64_t at = p.functions + 2 * i * p.field, start, end, record, name;

		if (!get_number(&p, at, p.field, &start) ||
		    !get_number(&p, at + p.field, p.field, &record) ||
		    !get_number(&p, at + 2 * p.field, p.field, &end) || end < start)
			return -EINVAL;
		name = end > start ? name_at(&p, record) : 0;
		if (!name)
			continue; /* a function without a name must not spoil the others */
		ret = symtab_add_at(t, p.text + start, end - start, SYMTAB_LOCAL,
				    names + (name - p.names));
		*added += !ret;
		ret = ret == -EINVAL ? 0 : ret;
	}
	return ret;
}

/* Return the value that the loader will store at addr: the addend of the relocation there. */
static uint64_t relocated(const struct elffile *f, uint64_t addr)
{
	const Elf64_Shdr *s = elffile_section(f, ".rela.dyn", SHT_RELA);
	size_t size = elffile_rel_size(f, SHT_RELA);
	uint64_t found = 0;
	char *table;
	int error;

	table = s ? elffile_load(f, s->sh_offset, s->sh_size, GOPCLNTAB_MAX, &error) : NULL;
	for (size_t i = 0; table && !found && i < s->sh_size / size; i++) {
		Elf64_Rela rel;

		elffile_rel(f, SHT_RELA, table, i, &rel);
		if (rel.r_offset == addr)
			found = (uint64_t)rel.r_addend;
	}
	budget_free(table);
	return found;
}

/*
 * Return the address that all starts are relative to, 0 if the table's own header has it. Since Go
 * 1.26 the header has 0, and the runtime's description of the module (runtime.moduledata, in a
 * section of its own) has the address.
 */
static uint64_t code_start(const struct elffile *f, const Elf64_Shdr *table, const uint8_t *data)
{
	const Elf64_Shdr *module = elffile_section(f, ".go.module", 0);
	size_t field = gopclntab_text_field(data, (size_t)table->sh_size);
	uint64_t text = field ? relocated(f, table->sh_addr + field) : 0;
	uint8_t *words;
	int error;

	if (text || !field || !module || data[7] != sizeof(text) ||
	    module->sh_size < MODULE_TEXT + sizeof(text))
		return text;
	words = elffile_load(f, module->sh_offset, MODULE_TEXT + sizeof(text), GOPCLNTAB_MAX,
			     &error);
	if (words)
		memcpy(&text, words + MODULE_TEXT, sizeof(text));
	budget_free(words);
	return text ? text : relocated(f, module->sh_addr + MODULE_TEXT);
}

int gopclntab_add(const struct elffile *f, struct symtab *t, size_t *added)
{
	const Elf64_Shdr *s = elffile_section(f, ".gopclntab", 0);
	uint8_t *data;
	int ret = 0;

	*added = 0;
	if (!s)
		s = elffile_section(f, ".data.rel.ro.gopclntab", 0);
	if (!s)
		return -ENOENT;
	data = elffile_load(f, s->sh_offset, s->sh_size, GOPCLNTAB_MAX, &ret);
	if (!data)
		return ret;
	ret = gopclntab_parse(data, (size_t)s->sh_size, code_start(f, s, data), t, added);
	budget_free(data);
	return ret;
}
