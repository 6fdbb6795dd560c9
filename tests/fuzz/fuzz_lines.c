/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An ELF image with debug information: every place in its code is looked up, lines are walked. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "files/elf/elffile.h"
#include "files/elf/lines.h"

#define LOOKUPS 512u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_frames(const struct lines_frame *frames, size_t nr)
{
	size_t bytes = 0;

	if (nr > LINES_DEPTH_MAX)
		abort();
	for (size_t i = 0; i < nr; i++) {
		bytes += frames[i].name ? strlen(frames[i].name) : 0;
		bytes += frames[i].file ? strlen(frames[i].file) : 0;
	}
	if (bytes > LINES_DEPTH_MAX * 2u * 4096u)
		abort();
}

static void look_up(struct lines *l, uint64_t from, uint64_t to)
{
	struct lines_frame frames[LINES_DEPTH_MAX];
	struct lines_row *rows;
	uint64_t before = 0;
	size_t nr;

	for (uint64_t addr = from; addr < to && addr - from < LOOKUPS; addr += 3)
		check_frames(frames, lines_find(l, addr, frames));
	if (lines_range(l, from, to, &rows, &nr))
		return;
	for (size_t i = 0; i < nr; i++) {
		if (rows[i].addr < from || rows[i].addr >= to || rows[i].addr < before)
			abort();
		before = rows[i].addr;
	}
	free(rows);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct elffile f;
	struct lines *l;

	if (elffile_open_memory(&f, data, size, NULL))
		return 0;
	if (!lines_open_memory(data, size, &l, NULL)) {
		for (unsigned i = 0; i < f.nsegments && i < 8; i++)
			look_up(l, f.segments[i].p_vaddr, f.segments[i].p_vaddr + f.segments[i].p_memsz);
		if (f.nsections > 1)
			look_up(l, f.sections[1].sh_addr, f.sections[1].sh_addr + 64);
		lines_close(l);
	}
	elffile_close(&f);
	return 0;
}
