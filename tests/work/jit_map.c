/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jit_map - runs generated code and names it in /tmp/perf-PID.map, as JITs do.
 *
 * Two functions, jit_alpha and jit_beta.  With "rewrite" the code at the same two addresses is
 * generated anew half-way and the map rewritten with jit_gamma and jit_delta; with "append" the new
 * names follow the old ones in the file; with "told" it is rewritten when a byte comes at stdin, and half of the time follows.  With "late" there is no map before half of the time is over;
 * with "touch" it has half a million other names (-n) and is new every 100 ms.  With "names" there are -n
 * functions whose names are as long as a path, others every 500 ms.  Removes its map at the end.  Exit 77 where no code can be generated for the machine.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "work.h"

#define JIT_AREA 8192
#define JIT_BETA 4096
#define JIT_MANY 500000u
#define TOUCH_NS 100000000u
#define NAMES_NS 500000000u
#define TOLD_NS  10000000u
#define JIT_NAMES 3000u
#define NAMES_LEN 4000
#define NAMES_EACH 32 /* bytes of code */

typedef uint32_t (*jit_function)(uint32_t rounds);

#if defined(__x86_64__) || defined(__i386__)
/* sub $1,%eax; jnz -5; ret, with the argument moved to eax first */
static const unsigned char jit_code[] = {
#ifdef __x86_64__
	0x89, 0xf8,
#else
	0x8b, 0x44, 0x24, 0x04,
#endif
	0x83, 0xe8, 0x01, 0x75, 0xfb, 0xc3,
};
#elif defined(__aarch64__)
/* subs w0, w0, #1; b.ne -4; ret */
static const unsigned char jit_code[] = {
	0x00, 0x04, 0x00, 0x71, 0xe1, 0xff, 0xff, 0x54, 0xc0, 0x03, 0x5f, 0xd6,
};
#else
static const unsigned char jit_code[1];
#endif

static void map_write(const char *path, const char *mode, const unsigned char *area,
		      const char *first, const char *second)
{
	FILE *f = fopen(path, mode);

	if (!f)
		err(1, "%s", path);
	fprintf(f, "%" PRIxPTR " %zx %s\n", (uintptr_t)area, sizeof(jit_code), first);
	fprintf(f, "%" PRIxPTR " %zx %s\n", (uintptr_t)area + JIT_BETA, sizeof(jit_code), second);
	if (fclose(f))
		err(1, "%s", path);
}

/* Names of what never runs, in front of those of what does. */
static void map_write_many(const char *path, const unsigned char *area, uint64_t many)
{
	FILE *f = fopen(path, "w");

	if (!f)
		err(1, "%s", path);
	for (uint64_t i = 0; i < many; i++)
		fprintf(f, "%" PRIx64 " 10 jit_other_name_that_is_not_short_%" PRIu64 "\n", 0x10000 + 32 * i, i);
	if (fclose(f))
		err(1, "%s", path);
	map_write(path, "a", area, "jit_alpha", "jit_beta");
}

static void code_write(unsigned char *area)
{
	if (mprotect(area, JIT_AREA, PROT_READ | PROT_WRITE))
		err(1, "mprotect");
	memcpy(area, jit_code, sizeof(jit_code));
	memcpy(area + JIT_BETA, jit_code, sizeof(jit_code));
	__builtin___clear_cache((char *)area, (char *)area + JIT_AREA);
	if (mprotect(area, JIT_AREA, PROT_READ | PROT_EXEC))
		err(77, "the machine does not let us run generated code");
}

static uint64_t code_run(const unsigned char *area, uint64_t until)
{
	jit_function alpha, beta;
	uint64_t turns = 0;
	const unsigned char *second = area + JIT_BETA;

	memcpy(&alpha, &area, sizeof(alpha));
	memcpy(&beta, &second, sizeof(beta));
	for (; work_now() < until; turns++) {
		alpha(30011);
		beta(10007);
	}
	return turns;
}

static uint64_t code_run_until_told(const unsigned char *area)
{
	struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
	uint64_t turns = 0;
	char byte;

	while (!poll(&in, 1, 0))
		turns += code_run(area, work_now() + TOLD_NS);
	if (read(STDIN_FILENO, &byte, 1) < 0)
		err(1, "cannot read what it is told");
	return turns;
}

static uint64_t code_run_touching(const unsigned char *area, uint64_t until, const char *path)
{
	uint64_t turns = 0;

	for (uint64_t now = work_now(); now < until; now = work_now()) {
		turns += code_run(area, now + TOUCH_NS < until ? now + TOUCH_NS : until);
		if (utimensat(AT_FDCWD, path, NULL, 0))
			err(1, "%s", path);
	}
	return turns;
}

/* --- names --- */

static void names_write(const char *path, const unsigned char *area, uint64_t nr, unsigned generation)
{
	char rest[NAMES_LEN];
	FILE *f = fopen(path, "w");

	if (!f)
		err(1, "%s", path);
	memset(rest, 'n', sizeof(rest));
	for (uint64_t i = 0; i < nr; i++)
		fprintf(f, "%" PRIxPTR " %x jit_%u_%" PRIu64 "_%.*s\n", (uintptr_t)area + i * NAMES_EACH,
			NAMES_EACH, generation, i, NAMES_LEN, rest);
	if (fclose(f))
		err(1, "%s", path);
}

static unsigned char *names_code(uint64_t nr)
{
	size_t len = nr * NAMES_EACH;
	unsigned char *area = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (area == MAP_FAILED)
		err(1, "mmap");
	for (uint64_t i = 0; i < nr; i++)
		memcpy(area + i * NAMES_EACH, jit_code, sizeof(jit_code));
	__builtin___clear_cache((char *)area, (char *)area + len);
	if (mprotect(area, len, PROT_READ | PROT_EXEC))
		err(77, "the machine does not let us run generated code");
	return area;
}

static uint64_t names_run(const char *path, uint64_t nr, uint64_t deadline)
{
	unsigned char *area = names_code(nr), *code;
	uint64_t turns = 0, next = 0, now;
	jit_function run;

	for (unsigned generation = 0; (now = work_now()) < deadline; turns++) {
		if (now >= next) {
			names_write(path, area, nr, generation++);
			next = work_now() + NAMES_NS;
		}
		code = area + turns % nr * NAMES_EACH;
		memcpy(&run, &code, sizeof(run));
		run(10007);
	}
	return turns;
}

int main(int argc, char **argv)
{
	const char *mode;
	unsigned char *area;
	uint64_t half, turns;
	char path[64];
	struct work w;

	work_parse(&w, argc, argv);
	if (sizeof(jit_code) == 1)
		errx(77, "no code generator for this machine");
	mode = w.nrest ? w.rest[0] : "";
	area = mmap(NULL, JIT_AREA, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (area == MAP_FAILED)
		err(1, "mmap");
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	if (!strcmp(mode, "names")) {
		work_begin(&w);
		turns = names_run(path, w.count ? w.count : JIT_NAMES, work_deadline(&w));
		unlink(path);
		printf("pid=%d turns=%" PRIu64 "\n", (int)getpid(), turns);
		return 0;
	}
	code_write(area);
	if (!strcmp(mode, "touch"))
		map_write_many(path, area, w.count ? w.count : JIT_MANY);
	else if (strcmp(mode, "late"))
		map_write(path, "w", area, "jit_alpha", "jit_beta");
	work_begin(&w);
	half = (uint64_t)(w.seconds * 5e8);
	if (!strcmp(mode, "touch")) {
		turns = code_run_touching(area, work_now() + half, path);
		mode = "";
	} else if (!strcmp(mode, "told")) {
		turns = code_run_until_told(area);
		mode = "rewrite";
	} else {
		turns = code_run(area, work_now() + half);
	}
	if (!strcmp(mode, "late")) {
		map_write(path, "w", area, "jit_alpha", "jit_beta");
	} else if (*mode) {
		code_write(area);
		map_write(path, strcmp(mode, "append") ? "w" : "a", area, "jit_gamma", "jit_delta");
	}
	turns += code_run(area, work_now() + half);
	unlink(path);
	printf("pid=%d turns=%" PRIu64 "\n", (int)getpid(), turns);
	return 0;
}
