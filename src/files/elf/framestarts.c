/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "files/elf/framestarts.h"

#include <errno.h>
#include <string.h>

#include "base/budget.h"
#include "files/elf/dwarfcursor.h"

#define STARTS_MAX   (4u << 20) /* functions */
#define FORM_OF      0x0f       /* DW_EH_PE_*: size of a pointer */
#define RELATIVE_TO  0xf0       /* DW_EH_PE_*: base that a pointer is added to */
#define TABLE_SORTED 0x3b       /* 4 bytes each, relative to the header: all linkers write this */

struct row {
	int32_t start, entry;
};

/* Return the bytes of a pointer of that form; 0: not supported. */
static unsigned form_bytes(uint8_t form)
{
	switch (form & FORM_OF) {
	case 0x03: /* unsigned, signed */
	case 0x0b:
		return 4;
	case 0x00:
	case 0x04:
	case 0x0c:
		return 8;
	}
	return 0;
}

/* Find the offset of the table's rows in the file, and their number. */
static int find_start_rows(const struct elffile *f, const Elf64_Phdr *p, uint64_t *at, uint64_t *nr)
{
	uint8_t bytes[4 + 8 + 8] = {0};
	unsigned place, count;
	struct dwarf_cursor c;

	if (p->p_filesz < sizeof(bytes))
		return -ENOENT;
	if (elffile_read(f, p->p_offset, bytes, sizeof(bytes)))
		return -EINVAL;
	place = form_bytes(bytes[1]);
	count = form_bytes(bytes[2]);
	if (bytes[0] != 1 || !place || !count || bytes[2] & RELATIVE_TO || bytes[3] != TABLE_SORTED)
		return -ENOENT;
	c = (struct dwarf_cursor){.at = bytes + 4 + place, .end = bytes + sizeof(bytes)};
	*nr = dwarf_fixed(&c, count);
	*at = p->p_offset + 4 + place + count;
	return *nr > (p->p_filesz - 4 - place - count) / sizeof(struct row) ? -EINVAL : 0;
}

static int read_start_rows(const struct elffile *f, const Elf64_Phdr *p, uint64_t **starts,
			   size_t *n)
{
	uint64_t at, nr;
	const char *rows;
	int ret = find_start_rows(f, p, &at, &nr);

	if (ret)
		return ret;
	rows = elffile_load(f, at, nr * sizeof(struct row), STARTS_MAX * sizeof(struct row), &ret);
	if (!rows)
		return ret;
	*starts = budget_alloc(f->budget, BUDGET_READING, (nr + 1) * sizeof(**starts));
	ret = *starts ? 0 : -ENOMEM;
	for (uint64_t i = 0; i < nr && !ret; i++) {
		struct row row;

		memcpy(&row, rows + i * sizeof(row), sizeof(row));
		(*starts)[i] = p->p_vaddr + (uint64_t)(int64_t)row.start;
		if (i && (*starts)[i] < (*starts)[i - 1])
			ret = -EINVAL;
	}
	budget_free((void *)rows);
	*n = nr;
	return ret;
}

int framestarts_read(const struct elffile *f, uint64_t **starts, size_t *nr)
{
	int ret = -ENOENT;

	*starts = NULL;
	*nr = 0;
	for (unsigned i = 0; i < f->nsegments && ret == -ENOENT; i++)
		if (f->segments[i].p_type == PT_GNU_EH_FRAME)
			ret = read_start_rows(f, &f->segments[i], starts, nr);
	if (!ret)
		return 0;
	budget_free(*starts);
	*starts = NULL;
	*nr = 0;
	return ret;
}
