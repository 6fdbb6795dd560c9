/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * many_functions -n FUNCTIONS [-s SEC] [-r RATE] - generated functions, named in /tmp/perf-PID.map, one called after the
 * other, so many a second.  Each touches a page that is not there: one page fault, in that function.
 *
 * Removes its map at the end.  Exit 77 where no code can be generated for the machine.
 */
#include <fcntl.h>

#include "work.h"

#define EACH  16   /* bytes of code */
#define PAGES 512u /* given back together */

typedef void (*touching)(void *page);

#if defined(__x86_64__)
static const unsigned char code[] = {0xc6, 0x07, 0x01, 0xc3}; /* movb $1,(%rdi); ret */
#elif defined(__aarch64__)
/* mov w1, #1; strb w1, [x0]; ret */
static const unsigned char code[] = {0x21, 0x00, 0x80, 0x52, 0x01, 0x00, 0x00, 0x39, 0xc0, 0x03, 0x5f, 0xd6};
#else
static const unsigned char code[1];
#endif

static void *map(size_t len)
{
	void *at = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		err(1, "mmap");
	return at;
}

static unsigned char *functions_make(uint64_t nr)
{
	unsigned char *area = map(nr * EACH);

	for (uint64_t i = 0; i < nr; i++)
		memcpy(area + i * EACH, code, sizeof(code));
	__builtin___clear_cache((char *)area, (char *)area + nr * EACH);
	if (mprotect(area, nr * EACH, PROT_READ | PROT_EXEC))
		err(77, "the machine does not let us run generated code");
	return area;
}

static void functions_name(const char *path, const unsigned char *area, uint64_t nr)
{
	FILE *f = fopen(path, "w");

	if (!f)
		err(1, "%s", path);
	for (uint64_t i = 0; i < nr; i++)
		fprintf(f, "%" PRIxPTR " %x many::function_%06" PRIu64 "(std::string const&, int)\n", (uintptr_t)area + i * EACH, EACH, i);
	if (fclose(f))
		err(1, "%s", path);
}

int main(int argc, char **argv)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uint64_t calls = 0, deadline, begun;
	unsigned char *area, *pages, *at;
	struct work w;
	touching call;
	char path[64];

	work_parse(&w, argc, argv);
	if (sizeof(code) == 1)
		errx(77, "no code generator for this machine");
	if (!w.count)
		errx(2, "usage: many_functions -n FUNCTIONS [-s SEC] [-r RATE]");
	area = functions_make(w.count);
	pages = map(PAGES * page);
	madvise(pages, PAGES * page, MADV_NOHUGEPAGE);
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	functions_name(path, area, w.count);
	work_begin(&w);
	begun = work_now();
	deadline = w.seconds > 0 ? begun + (uint64_t)(w.seconds * 1e9) : UINT64_MAX;
	for (; calls % PAGES || work_now() < deadline; calls++) {
		if (calls % PAGES == 0) {
			if (madvise(pages, PAGES * page, MADV_DONTNEED))
				err(1, "madvise");
			while (w.rate > 0 && (double)calls > (double)(work_now() - begun) / 1e9 * w.rate)
				usleep(1000);
		}
		at = area + calls % w.count * EACH;
		memcpy(&call, &at, sizeof(call));
		call(pages + calls % PAGES * page);
	}
	unlink(path);
	printf("calls=%" PRIu64 "\n", calls);
	return 0;
}
