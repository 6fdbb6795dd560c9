/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unwind information, hostile: the input is .eh_frame (or .debug_frame) of an ELF file made around
 * it, with an .eh_frame_hdr of its own where the first byte says so; or, if it begins like one, an
 * ELF file itself.  Every address is looked up; then a stack made of the same bytes is unwound,
 * by rows and by what stands behind them.
 */
#include <elf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tests/images.h"
#include "files/unwind/cfi.h"
#include "files/unwind/unwind.h"
#include "files/unwind/unwind_slow.h"

#define CODE      0x1000u
#define CODE_SIZE 0x1000u
#define FRAME_AT  0x400u /* of the section, in the file and in memory */
#define INPUT_MAX 65536u
#define MEMORY    (1u << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { USE_HDR = 1, USE_DEBUG = 2, USE_AARCH64 = 4, USE_RISCV = 8 };

struct built {
	Elf64_Ehdr ehdr;
	Elf64_Phdr segments[2];
	Elf64_Shdr sections[3];
	char names[32];
	uint8_t hdr[64];
};

_Static_assert(sizeof(struct built) <= FRAME_AT, "the section lies behind all that");

static void image_describe(struct built *m, uint8_t flags, size_t size)
{
	bool debug = flags & USE_DEBUG;

	memcpy(m->names, "\0.eh_frame\0.debug_frame\0.names", 31);
	memcpy(m->ehdr.e_ident, ELFMAG, SELFMAG);
	m->ehdr.e_ident[EI_CLASS] = ELFCLASS64;
	m->ehdr.e_ident[EI_DATA] = ELFDATA2LSB;
	m->ehdr.e_machine = flags & USE_AARCH64 ? EM_AARCH64
			    : flags & USE_RISCV ? EM_RISCV : EM_X86_64;
	m->ehdr.e_phoff = offsetof(struct built, segments);
	m->ehdr.e_phentsize = sizeof(Elf64_Phdr);
	m->ehdr.e_phnum = flags & USE_HDR ? 2 : 1;
	m->ehdr.e_shoff = offsetof(struct built, sections);
	m->ehdr.e_shentsize = sizeof(Elf64_Shdr);
	m->ehdr.e_shnum = 3;
	m->ehdr.e_shstrndx = 2;
	m->segments[0] = (Elf64_Phdr){.p_type = PT_LOAD, .p_flags = PF_R | PF_X,
				      .p_filesz = FRAME_AT + size};
	m->segments[1] = (Elf64_Phdr){
		.p_type = PT_GNU_EH_FRAME, .p_offset = offsetof(struct built, hdr),
		.p_vaddr = offsetof(struct built, hdr), .p_filesz = sizeof(m->hdr),
	};
	m->sections[1] = (Elf64_Shdr){.sh_type = SHT_PROGBITS, .sh_name = debug ? 11 : 1,
				      .sh_addr = FRAME_AT, .sh_offset = FRAME_AT, .sh_size = size};
	m->sections[2] = (Elf64_Shdr){.sh_type = SHT_STRTAB, .sh_name = 24,
				      .sh_offset = offsetof(struct built, names),
				      .sh_size = sizeof(m->names)};
}

/* The file around a section of size bytes. */
static uint8_t *image_build(uint8_t flags, const uint8_t *data, size_t size)
{
	static const uint8_t hdr[4] = {1, 0x03, 0x03, 0x3b};
	uint8_t *file = calloc(1, FRAME_AT + size);
	struct built *m = (void *)file;
	uint32_t words[2] = {FRAME_AT, 6};

	if (!file)
		return NULL;
	image_describe(m, flags, size);
	memcpy(m->hdr, hdr, sizeof(hdr));
	memcpy(m->hdr + 4, words, sizeof(words));
	memcpy(m->hdr + 12, data, size < 48 ? size : 48); /* its table is hostile, too */
	memcpy(file + FRAME_AT, data, size);
	return file;
}

struct target {
	struct cfi *cfi;
	uint64_t end;
};

static bool find_map(void *arg, uint64_t addr, struct unwind_map *map)
{
	const struct target *t = arg;

	*map = (struct unwind_map){.start = CODE, .end = CODE + CODE_SIZE, .cfi = t->cfi};
	return addr >= CODE && addr < CODE + CODE_SIZE;
}

static void check(const struct unwind_path *path, enum unwind_end end)
{
	if (path->nr > path->max || end >= UNWIND_ENDS || path->ninterrupted > UNWIND_SIGNALS_MAX)
		abort();
}

static void unwind_both(struct cfi *cfi, const uint8_t *data, size_t size, uint64_t pc)
{
	struct target target = {.cfi = cfi};
	struct unwind_space space = {.find = find_map, .arg = &target, .id = 1};
	uint64_t ips[32], regs[64];
	const struct cfi_arch *a = cfi_arch(cfi);
	struct unwind_sample sample = {.arch = a, .mask = UINT64_MAX, .regs = regs, .stack = data,
				       .size = size};
	struct unwind_path path = {.ips = ips, .max = 32};
	struct unwinder *u = unwind_create();
	struct unwind_slow *slow = unwind_slow_create();

	for (unsigned i = 0; i < 64; i++)
		regs[i] = 0x10000 + i * 8;
	regs[a->perf.sp] = 0x10000;
	regs[a->perf.ip] = pc;
	if (u)
		check(&path, unwind_run(u, &sample, &space, &path));
	path.nr = 0;
	if (slow && !a->linked)
		check(&path, unwind_slow_run(slow, &sample, &space, &path));
	unwind_slow_free(slow);
	unwind_free(u);
}

/* Return true for the kinds that a row may have. */
static bool is_stored(unsigned kind)
{
	return kind < CFI_LATER || (kind >= CFI_RA_IN && kind < CFI_KINDS);
}

static void look_up(const uint8_t *file, size_t len, const uint8_t *stack, size_t size)
{
	struct cfi_memory memory = {.max = MEMORY};
	struct cfi *c = cfi_of_memory(file, len, &memory, NULL);
	uint64_t vaddr;

	if (c) {
		for (uint64_t at = 0; at < CODE + CODE_SIZE; at += 64) {
			if (!is_stored(cfi_find(c, at).kind))
				abort();
			cfi_vaddr(c, at, &vaddr);
		}
		for (uint64_t pc = CODE; pc < CODE + 256; pc += 64)
			unwind_both(c, stack, size, pc);
		cfi_free(c);
	}
	if (memory.used)
		abort();
}

/* The same bytes as a helper's answers: taken or not, what is taken is in order. */
static void take_answers(const uint8_t *data, size_t size)
{
	struct cfi_memory memory = {.max = MEMORY};
	struct cfi_budget budget = {.memory = &memory};
	struct cfitable t = {.section = {.fd = -1}, .budget = &budget};
	struct wire_in in = {data, data + size, false}, rows_in = in;
	struct cfitable_rows *rows;

	if (!cfitable_get(&in, &t))
		for (uint64_t at = 0; at < 4096; at += 64)
			if (!is_stored(cfitable_rule(&t, t.base + at).kind))
				abort();
	cfitable_clear(&t);
	cfitable_give(&budget, budget.taken);
	while ((rows = cfitable_get_rows(&rows_in)))
		if (rows != &cfitable_broken)
			free(rows);
	if (memory.used || !rows_in.failed)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *file;

	if (!size || size > INPUT_MAX)
		return 0;
	take_answers(data, size);
	if (size > SELFMAG && !memcmp(data, ELFMAG, SELFMAG)) {
		look_up(data, size, data, size);
		return 0;
	}
	file = image_build(data[0], data + 1, size - 1);
	if (file)
		look_up(file, FRAME_AT + size - 1, data, size);
	free(file);
	return 0;
}
