/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "files/unwind/cfientry.h"

#include <errno.h>
#include <string.h>

#include "base/io.h"

#define AUGMENTATION_MAX 16u
#define FDE_RANGE_BYTES  32u /* two pointers of any form, with room */

const uint8_t *cfi_bytes(struct cfi_reader *r, uint64_t offset, size_t n)
{
	const struct cfi_section *s = r->section;
	uint64_t left = offset <= s->size ? s->size - offset : 0;

	if (n > left)
		return NULL;
	if (s->data)
		return s->data + offset;
	if (offset >= r->at && offset - r->at <= r->len && n <= r->len - (offset - r->at))
		return r->buf + (offset - r->at);
	if (n > r->cap)
		return NULL;
	r->at = offset;
	r->len = left < r->cap ? left : r->cap;
	if (io_read_at(s->fd, r->buf, r->len, s->offset + offset)) {
		r->len = 0;
		return NULL;
	}
	return r->buf;
}

/* Low half of DW_EH_PE_*: size and sign. */
static const struct form {
	uint8_t bytes; /* 0: invalid; 255: LEB128 */
	bool is_signed;
} forms[16] = {
	[0x0] = {8, false}, [0x1] = {255, false}, [0x2] = {2, false}, [0x3] = {4, false},
	[0x4] = {8, false}, [0x9] = {255, true},  [0xa] = {2, true},  [0xb] = {4, true},
	[0xc] = {8, true},
};

static uint64_t get_form(struct dwarf_cursor *c, uint8_t encoding)
{
	const struct form *form = &forms[encoding & CFI_PTR_FORM];
	unsigned shift = 64 - 8 * form->bytes;
	uint64_t value;

	if (!form->bytes) {
		c->failed = true;
		return 0;
	}
	if (form->bytes == 255)
		return form->is_signed ? (uint64_t)dwarf_sleb(c) : dwarf_uleb(c);
	value = dwarf_fixed(c, form->bytes);
	return form->is_signed ? (uint64_t)((int64_t)(value << shift) >> shift) : value;
}

uint64_t cfi_get_pointer(struct dwarf_cursor *c, uint8_t encoding, uint64_t vaddr, uint64_t datarel)
{
	uint64_t place = vaddr - (uint64_t)(c->end - c->at);
	uint64_t value = get_form(c, encoding);

	switch (encoding & ~CFI_PTR_FORM) {
	case CFI_PTR_ABS:
		return value;
	case CFI_PTR_PCREL:
		return value + place;
	case CFI_PTR_DATAREL:
		return value + datarel;
	default:
		c->failed = true;
		return 0;
	}
}

int cfi_head_read(struct cfi_reader *r, uint64_t offset, struct cfi_head *head)
{
	uint64_t size = r->section->size, length, id, id_at = offset + 4;
	unsigned width = 4;
	const uint8_t *p = cfi_bytes(r, offset, 4);
	struct dwarf_cursor c;

	*head = (struct cfi_head){.next = size, .is_last = true};
	if (!p)
		return -EINVAL;
	c = (struct dwarf_cursor){.at = p, .end = p + 4};
	length = dwarf_fixed(&c, 4);
	if (!length)
		return 0;
	if (length == 0xffffffff) {
		p = cfi_bytes(r, offset + 4, 8);
		if (!p)
			return -EINVAL;
		c = (struct dwarf_cursor){.at = p, .end = p + 8};
		length = dwarf_fixed(&c, 8);
		id_at = offset + 12;
		width = 8;
	}
	if (length < width || id_at > size || length > size - id_at)
		return -EINVAL;
	p = cfi_bytes(r, id_at, width);
	if (!p)
		return -EINVAL;
	c = (struct dwarf_cursor){.at = p, .end = p + width};
	id = dwarf_fixed(&c, width);
	*head = (struct cfi_head){.body = id_at + width, .next = id_at + length};
	if (r->section->is_debug) {
		head->is_cie = id == (width == 8 ? UINT64_MAX : UINT32_MAX);
		head->cie = id;
	} else {
		head->is_cie = id == 0;
		head->cie = id_at - id;
	}
	return 0;
}

/* Set a cursor to [body, end) of an entry. */
static int open_entry_body(struct cfi_reader *r, uint64_t body, uint64_t end,
			   struct dwarf_cursor *c)
{
	size_t len = end - body;
	const uint8_t *p;

	if (!r->section->data && len > r->cap)
		return -EFBIG;
	p = cfi_bytes(r, body, len);
	if (!p)
		return -EINVAL;
	*c = (struct dwarf_cursor){.at = p, .end = p + len};
	return 0;
}

/* Take the string after the version; NULL: it does not end soon enough. */
static const char *get_augmentation(struct dwarf_cursor *c)
{
	const char *s = (const char *)c->at;
	size_t left = (size_t)(c->end - c->at);
	size_t len = strnlen(s, left < AUGMENTATION_MAX ? left : AUGMENTATION_MAX);

	if (len == left || len == AUGMENTATION_MAX)
		return NULL;
	c->at += len + 1;
	return s;
}

/*
 * Read the augmentation data by the letters after 'z'. An unknown letter ends the readable part,
 * but not the entry.
 */
static void read_augmentation(struct dwarf_cursor *c, const char *letters, struct cfi_cie *cie)
{
	uint64_t len = dwarf_uleb(c);
	struct dwarf_cursor data = *c;

	dwarf_block(c, len);
	if (c->failed)
		return;
	data.end = c->at;
	cie->augmented = true;
	for (; *letters && !data.failed; letters++) {
		if (*letters == 'R') {
			cie->encoding = (uint8_t)dwarf_fixed(&data, 1);
		} else if (*letters == 'L') {
			dwarf_fixed(&data, 1);
		} else if (*letters == 'P') {
			/* the routine's address is not needed, but its length is */
			get_form(&data, (uint8_t)dwarf_fixed(&data, 1));
		} else if (*letters == 'S') {
			cie->signal = true;
		} else if (*letters != 'B' && *letters != 'G') {
			return;
		}
	}
	c->failed |= data.failed;
}

int cfi_cie_read(struct cfi_reader *r, uint64_t offset, struct cfi_cie *cie)
{
	const char *augmentation;
	struct cfi_head head;
	struct dwarf_cursor c;
	uint64_t version;
	int ret = cfi_head_read(r, offset, &head);

	*cie = (struct cfi_cie){0};
	if (ret || !head.is_cie || head.is_last || head.next - head.body > CFI_CIE_MAX)
		return -EINVAL;
	ret = open_entry_body(r, head.body, head.next, &c);
	if (ret)
		return ret;
	version = dwarf_fixed(&c, 1);
	augmentation = get_augmentation(&c);
	if (!augmentation || (version != 1 && version != 3 && version != 4))
		return -EINVAL;
	if (augmentation[0] && augmentation[0] != 'z')
		return -EINVAL; /* the following fields cannot be located */
	if (version == 4 && (dwarf_fixed(&c, 1) != 8 || dwarf_fixed(&c, 1) != 0))
		return -EINVAL; /* only addresses of 8 bytes without segments */
	cie->code_align = dwarf_uleb(&c);
	cie->data_align = dwarf_sleb(&c);
	cie->ra = version == 1 ? dwarf_fixed(&c, 1) : dwarf_uleb(&c);
	if (augmentation[0])
		read_augmentation(&c, augmentation + 1, cie);
	cie->program = c.at;
	cie->len = (size_t)(c.end - c.at);
	return c.failed ? -EINVAL : 0;
}

/* Read the two addresses, and leave c, which ends at vaddr, after them. */
static int get_range(struct dwarf_cursor *c, uint64_t vaddr, const struct cfi_cie *cie,
		     struct cfi_fde *fde)
{
	fde->start = cfi_get_pointer(c, cie->encoding, vaddr, 0);
	fde->size = get_form(c, cie->encoding & 0x07); /* a length: without sign or base */
	if (c->failed || (cie->encoding & 0x70) == CFI_PTR_DATAREL || !fde->size ||
	    fde->size > UINT32_MAX || fde->start + fde->size < fde->start)
		return -EINVAL;
	return 0;
}

int cfi_fde_range(struct cfi_reader *r, const struct cfi_head *head, const struct cfi_cie *cie,
		  struct cfi_fde *fde)
{
	uint64_t end = head->next;
	struct dwarf_cursor c;
	int ret;

	if (end - head->body > FDE_RANGE_BYTES)
		end = head->body + FDE_RANGE_BYTES;
	*fde = (struct cfi_fde){0};
	ret = open_entry_body(r, head->body, end, &c);
	return ret ? ret : get_range(&c, r->section->vaddr + end, cie, fde);
}

int cfi_fde_read(struct cfi_reader *r, const struct cfi_head *head, const struct cfi_cie *cie,
		 struct cfi_fde *fde)
{
	uint64_t vaddr = r->section->vaddr + head->next;
	struct dwarf_cursor c;
	int ret;

	*fde = (struct cfi_fde){0};
	if (head->is_cie || head->is_last || head->next - head->body > CFI_FDE_MAX)
		return -EINVAL;
	ret = open_entry_body(r, head->body, head->next, &c);
	if (!ret)
		ret = get_range(&c, vaddr, cie, fde);
	if (ret)
		return ret;
	if (cie->augmented)
		dwarf_block(&c, dwarf_uleb(&c));
	fde->program = c.at;
	fde->len = (size_t)(c.end - c.at);
	fde->vaddr = vaddr;
	return c.failed ? -EINVAL : 0;
}
