/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jit_dump - runs generated code and tells of it in a jitdump, DIR/jit-PID.dump.
 *
 * Every function does nothing but touch new pages, n of them a round (-n), so that each page fault
 * is one known event at an address of its own.  Between phases it waits for a line on stdin:
 *
 *   1  jit_alpha at the first place, one round
 *   2  jit_beta at the same place, two rounds
 *   3  jit_gamma at the second place, three rounds; it moves to the third, four rounds there
 *   4  jit_delta where jit_gamma was, five rounds
 *
 * usage: jit_dump [-n PAGES] DIR [late|swapped|counter|named]...   late: the dump is written at the end of
 * phase 4; swapped: in the other byte order; counter: times are the TSC; named: by another number
 * than the pid.  Exit 77 where no code can be generated for the machine.
 */
#include <byteswap.h>
#include <elf.h>
#include <errno.h>
#include <sys/mman.h>

#include "work.h"

#define PAGE       4096
#define PLACES     3
#define ARCH_TIME  1u

/* Touch esi pages from rdi on (x1 from x0 on). */
#if defined(__x86_64__)
static const unsigned char code[] = {
	0xc6, 0x07, 0x01,                         /* movb $1,(%rdi) */
	0x48, 0x81, 0xc7, 0x00, 0x10, 0x00, 0x00, /* add $4096,%rdi */
	0xff, 0xce,                               /* dec %esi */
	0x75, 0xf2,                               /* jnz */
	0xc3,
};
#define MACHINE EM_X86_64
#elif defined(__aarch64__)
static const unsigned char code[] = {
	0x1f, 0x00, 0x00, 0x39, /* strb wzr,[x0] */
	0x00, 0x04, 0x40, 0x91, /* add x0,x0,#1,lsl #12 */
	0x21, 0x04, 0x00, 0x71, /* subs w1,w1,#1 */
	0xa1, 0xff, 0xff, 0x54, /* b.ne */
	0xc0, 0x03, 0x5f, 0xd6,
};
#define MACHINE EM_AARCH64
#else
static const unsigned char code[1];
#define MACHINE EM_NONE
#endif

struct jit {
	FILE *dump;
	bool swapped, counter;
	unsigned char *area;
	unsigned char *pages;
	uint32_t npages;
	uint64_t index;
};

static void put32(const struct jit *j, uint32_t v)
{
	v = j->swapped ? bswap_32(v) : v;
	fwrite(&v, sizeof(v), 1, j->dump);
}

static void put64(const struct jit *j, uint64_t v)
{
	v = j->swapped ? bswap_64(v) : v;
	fwrite(&v, sizeof(v), 1, j->dump);
}

static uint64_t dump_time(const struct jit *j)
{
#ifdef __x86_64__
	if (j->counter)
		return __builtin_ia32_rdtsc();
#endif
	(void)j;
	return work_now();
}

static void dump_header(const struct jit *j)
{
	put32(j, 0x4a695444);
	put32(j, 1);
	put32(j, 40);
	put32(j, MACHINE);
	put32(j, 0);
	put32(j, (uint32_t)getpid());
	put64(j, dump_time(j));
	put64(j, j->counter ? ARCH_TIME : 0);
}

static unsigned char *place(const struct jit *j, int n)
{
	return j->area + n * PAGE;
}

static void code_put(const struct jit *j, int to)
{
	if (mprotect(j->area, PLACES * PAGE, PROT_READ | PROT_WRITE))
		err(1, "mprotect");
	memcpy(place(j, to), code, sizeof(code));
	__builtin___clear_cache((char *)place(j, to), (char *)place(j, to) + PAGE);
	if (mprotect(j->area, PLACES * PAGE, PROT_READ | PROT_EXEC))
		err(77, "the machine does not let us run generated code");
}

/* The function's source: NAME.src, from line 10 * (its number) + 1 on. */
static void code_lines(struct jit *j, int of, const char *name)
{
	uint32_t len = (uint32_t)strlen(name) + 5;

	put32(j, 2);
	put32(j, 32 + 16 + len + 16 + 2);
	put64(j, dump_time(j));
	put64(j, (uintptr_t)place(j, of));
	put64(j, 2);
	put64(j, (uintptr_t)place(j, of));
	put32(j, (uint32_t)(10 * (j->index + 1) + 1));
	put32(j, 0);
	fprintf(j->dump, "%s.src%c", name, 0);
	put64(j, (uintptr_t)place(j, of) + sizeof(code) - 1);
	put32(j, (uint32_t)(10 * (j->index + 1) + 2));
	put32(j, 0);
	fprintf(j->dump, "\xff%c", 0);
}

static void code_load(struct jit *j, int to, const char *name)
{
	uint32_t len = (uint32_t)strlen(name) + 1;

	code_put(j, to);
	code_lines(j, to, name);
	put32(j, 0);
	put32(j, 56 + len + (uint32_t)sizeof(code));
	put64(j, dump_time(j));
	put32(j, (uint32_t)getpid());
	put32(j, (uint32_t)getpid());
	put64(j, (uintptr_t)place(j, to));
	put64(j, (uintptr_t)place(j, to));
	put64(j, sizeof(code));
	put64(j, ++j->index);
	fwrite(name, len, 1, j->dump);
	fwrite(code, sizeof(code), 1, j->dump);
}

static void code_move(struct jit *j, int from, int to)
{
	code_put(j, to);
	put32(j, 1);
	put32(j, 64);
	put64(j, dump_time(j));
	put32(j, (uint32_t)getpid());
	put32(j, (uint32_t)getpid());
	put64(j, (uintptr_t)place(j, to));
	put64(j, (uintptr_t)place(j, from));
	put64(j, (uintptr_t)place(j, to));
	put64(j, sizeof(code));
	put64(j, j->index);
}

static void code_run(const struct jit *j, int at, int rounds)
{
	void (*touch)(unsigned char *pages, uint32_t npages);
	const unsigned char *start = place(j, at);

	memcpy(&touch, &start, sizeof(touch));
	for (int i = 0; i < rounds; i++) {
		if (madvise(j->pages, (size_t)j->npages * PAGE, MADV_DONTNEED))
			err(1, "madvise");
		touch(j->pages, j->npages);
	}
}

static void phase(struct jit *j, int number, bool late)
{
	char line[16];

	if (!late && fflush(j->dump))
		err(1, "the dump");
	printf("phase=%d\n", number);
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin))
		errx(1, "nobody waits for phase %d", number);
}

static void phases(struct jit *j, bool late)
{
	code_load(j, 0, "jit_alpha");
	code_run(j, 0, 1);
	phase(j, 1, late);
	code_load(j, 0, "jit_beta");
	code_run(j, 0, 2);
	phase(j, 2, late);
	code_load(j, 1, "jit_gamma");
	code_run(j, 1, 3);
	code_move(j, 1, 2);
	code_run(j, 2, 4);
	phase(j, 3, late);
	code_load(j, 1, "jit_delta");
	code_run(j, 1, 5);
	phase(j, 4, late);
}

static void dump_open(struct jit *j, const char *dir, bool named)
{
	static char buffer[1 << 20]; /* late: nothing of it leaves before the end */
	char path[4096];

	snprintf(path, sizeof(path), "%s/jit-%d.dump", dir, (int)getpid() + named);
	j->dump = fopen(path, "w+");
	if (!j->dump)
		err(1, "%s", path);
	setvbuf(j->dump, buffer, _IOFBF, sizeof(buffer));
	/* the mark by which profilers find it */
	if (mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(j->dump), 0) == MAP_FAILED)
		err(77, "a file on %s cannot be mapped as code", dir);
}

static bool has(const struct work *w, const char *word)
{
	for (int i = 1; i < w->nrest; i++)
		if (!strcmp(w->rest[i], word))
			return true;
	return false;
}

int main(int argc, char **argv)
{
	struct work w;
	struct jit j = {0};

	work_parse(&w, argc, argv);
	if (MACHINE == EM_NONE || sysconf(_SC_PAGESIZE) != PAGE)
		errx(77, "no code generator for this machine");
	if (!w.nrest || !w.count)
		errx(2, "usage: jit_dump -n PAGES DIR [late|swapped|counter|named]...");
	j.swapped = has(&w, "swapped");
	j.counter = has(&w, "counter");
	j.npages = (uint32_t)w.count;
	j.area = mmap(NULL, PLACES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	j.pages = mmap(NULL, (size_t)j.npages * PAGE, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (j.area == MAP_FAILED || j.pages == MAP_FAILED)
		err(1, "mmap");
	madvise(j.pages, (size_t)j.npages * PAGE, MADV_NOHUGEPAGE);
	dump_open(&j, w.rest[0], has(&w, "named"));
	dump_header(&j);
	work_begin(&w);
	phases(&j, has(&w, "late"));
	if (fclose(j.dump))
		err(1, "the dump");
	printf("pages=%u\n", j.npages);
	return 0;
}
