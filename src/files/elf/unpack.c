/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * zlib data passes through a chunk of fixed size, so little more than the caller's memory is used.
 */
#include "files/elf/unpack.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#define CHUNK (64u << 10)

const Elf64_Shdr *unpack_find(const struct elffile *elf, const char *name, bool *packed)
{
	char full[40];
	const Elf64_Shdr *s;

	snprintf(full, sizeof(full), ".debug_%s", name);
	s = elffile_section(elf, full, 0);
	*packed = s && s->sh_flags & SHF_COMPRESSED;
	if (s)
		return s;
	snprintf(full, sizeof(full), ".zdebug_%s", name);
	s = elffile_section(elf, full, 0);
	*packed = s;
	return s;
}

static int head_read(const struct elffile *elf, const Elf64_Shdr *s, struct unpack *p)
{
	union {
		Elf64_Chdr wide;
		Elf32_Chdr narrow;
		uint8_t old[12];
	} head;
	bool old = !strncmp(elffile_section_name(elf, s), ".z", 2);
	size_t len = old ? sizeof(head.old)
			 : elf->is_32bit ? sizeof(head.narrow) : sizeof(head.wide);
	uint32_t type;

	if (s->sh_size < len || elffile_read(elf, s->sh_offset, &head, len))
		return -EINVAL;
	*p = (struct unpack){.offset = s->sh_offset + len, .len = s->sh_size - len};
	if (old) {
		for (int i = 4; i < 12; i++)
			p->size = p->size << 8 | head.old[i];
		return memcmp(head.old, "ZLIB", 4) ? -EINVAL : 0;
	}
	type = elf->is_32bit ? head.narrow.ch_type : head.wide.ch_type;
	p->size = elf->is_32bit ? head.narrow.ch_size : head.wide.ch_size;
	p->zstd = type == 2; /* ELFCOMPRESS_ZSTD, missing in older elf.h */
	return type == ELFCOMPRESS_ZLIB || p->zstd ? 0 : -EINVAL;
}

int unpack_read(const struct elffile *elf, const Elf64_Shdr *s, struct unpack *p)
{
	if (head_read(elf, s, p))
		return -EINVAL;
	if (p->offset + p->len > elf->size || p->offset + p->len < p->offset || p->size > UINT_MAX)
		return -EINVAL;
	/* Not even zeros pack better than that: a larger size is a lie. */
	return p->size / 1100 > p->len + 64 && !p->zstd ? -EINVAL : 0;
}

static int inflate_into(const struct elffile *elf, const struct unpack *p, uint8_t *out)
{
	z_stream z = {.next_out = out, .avail_out = (uInt)p->size};
	uint8_t *in = malloc(CHUNK);
	int ret = Z_OK;

	if (!in || inflateInit(&z) != Z_OK) {
		free(in);
		return -ENOMEM;
	}
	for (uint64_t at = 0; at < p->len && ret == Z_OK; at += CHUNK) {
		z.avail_in = (uInt)(p->len - at < CHUNK ? p->len - at : CHUNK);
		z.next_in = in;
		if (elffile_read(elf, p->offset + at, in, z.avail_in))
			break;
		ret = inflate(&z, Z_NO_FLUSH);
	}
	inflateEnd(&z);
	free(in);
	return ret == Z_STREAM_END && !z.avail_out ? 0 : -EINVAL;
}

/*
 * Unpack in one call: a frame declares how much the decoder is to remember, up to all of it, and in
 * pieces it would allocate that.
 */
static int unzstd_into(const struct elffile *elf, const struct unpack *p, uint8_t *out)
{
	int ret = 0;
	void *in = elffile_load(elf, p->offset, p->len, p->len, &ret);
	size_t made;

	if (!in)
		return ret;
	made = ZSTD_decompress(out, p->size, in, p->len);
	budget_free(in);
	return made == p->size ? 0 : -EINVAL;
}

int unpack_into(const struct elffile *elf, const struct unpack *p, uint8_t *out)
{
	return p->zstd ? unzstd_into(elf, p, out) : inflate_into(elf, p, out);
}
