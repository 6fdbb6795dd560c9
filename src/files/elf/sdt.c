/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "files/elf/sdt.h"

#include <errno.h>
#include <string.h>

#define NOTES_MAX (16u << 20)
#define NOTE_TYPE 3u
#define OWNER     "stapsdt"

struct notes {
	const struct elffile *f;
	const char *at, *end;
	uint64_t base; /* present address of .stapsdt.base; 0: there is none */
};

static uint64_t align4(uint64_t n)
{
	return (n + 3) & ~3ull;
}

static uint64_t take_note_word(const struct elffile *f, const char **at)
{
	size_t len = f->is_32bit ? 4 : 8;
	uint64_t n = 0;

	memcpy(&n, *at, len);
	*at += len;
	return n;
}

/* Take a string from a description; NULL: it does not end before the description does. */
static const char *take_note_text(const char **at, const char *end)
{
	const char *text = *at, *nul = text < end ? memchr(text, 0, (size_t)(end - text)) : NULL;

	*at = nul ? nul + 1 : end;
	return nul ? text : NULL;
}

/* Read a probe point from a note's description. False: it is none, or has no code in the file. */
static bool read_mark(const struct notes *n, const char *desc, size_t len, struct sdt_mark *m)
{
	uint64_t pc, base, semaphore, moved;
	const char *end = desc + len;

	if (len < (n->f->is_32bit ? 12 : 24))
		return false;
	pc = take_note_word(n->f, &desc);
	base = take_note_word(n->f, &desc);
	semaphore = take_note_word(n->f, &desc);
	/* Prelink moves the section, but does not update the notes. */
	moved = n->base && base ? n->base - base : 0;
	m->provider = take_note_text(&desc, end);
	m->name = m->provider ? take_note_text(&desc, end) : NULL;
	m->semaphore = 0;
	if (!m->name || !elffile_offset(n->f, pc + moved, 1, &m->offset))
		return false;
	return !semaphore || elffile_offset(n->f, semaphore + moved, 1, &m->semaphore);
}

/* Return the next note's description; NULL: no more. */
static const char *next_note(struct notes *n, size_t *len)
{
	while (n->end - n->at >= (long)sizeof(Elf64_Nhdr)) {
		uint64_t left = (uint64_t)(n->end - n->at) - sizeof(Elf64_Nhdr), need;
		const char *name = n->at + sizeof(Elf64_Nhdr);
		Elf64_Nhdr h;

		memcpy(&h, n->at, sizeof(h));
		need = align4(h.n_namesz) + h.n_descsz;
		if (need > left)
			return NULL;
		n->at = align4(need) < left ? name + align4(need) : n->end;
		if (h.n_type != NOTE_TYPE || h.n_namesz != sizeof(OWNER) ||
		    memcmp(name, OWNER, sizeof(OWNER)) != 0)
			continue;
		*len = h.n_descsz;
		return name + align4(h.n_namesz);
	}
	return NULL;
}

int sdt_walk(const struct elffile *f, int (*take)(void *arg, const struct sdt_mark *m), void *arg,
	     struct err *err)
{
	const Elf64_Shdr *s = elffile_section(f, ".note.stapsdt", SHT_NOTE), *base;
	struct notes n = {.f = f};
	struct sdt_mark m;
	const char *desc;
	int ret = 0;
	size_t len;
	char *data;

	if (!s)
		return err_set(err, ENOENT, "it has no USDT probes (.note.stapsdt)");
	data = elffile_load(f, s->sh_offset, s->sh_size, NOTES_MAX, &ret);
	if (!data)
		return err_set(err, -ret, "its USDT probes cannot be read: %s", strerror(-ret));
	base = elffile_section(f, ".stapsdt.base", 0);
	n.base = base ? base->sh_addr : 0;
	n.at = data;
	n.end = data + s->sh_size;
	while (!ret && (desc = next_note(&n, &len)))
		if (read_mark(&n, desc, len, &m))
			ret = take(arg, &m);
	budget_free(data);
	return ret;
}
