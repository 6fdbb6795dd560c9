/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * storm_fault - page faults by mmap, touch and munmap, one process per CPU.
 *
 * -n is touched pages per CPU, rounded up to whole mappings.  Prints the exact number of touches,
 * and the kernel's own number of faults, which holds a few more of the process's start and end.
 */
#include <sys/resource.h>

#include "work.h"

#define FAULT_PAGES 512u

static __attribute__((noinline)) void fault_touch(volatile char *area, size_t page)
{
	for (unsigned i = 0; i < FAULT_PAGES; i++)
		area[i * page] = 1;
}

static uint64_t fault_run(const struct work *w, void *arg)
{
	uint64_t limit = w->count ? w->count : UINT64_MAX, deadline = work_deadline(w), touched = 0;
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	(void)arg;
	while (touched < limit && work_now() < deadline) {
		char *area = mmap(NULL, FAULT_PAGES * page, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (area == MAP_FAILED)
			err(1, "mmap");
		/* a huge page would take one fault for all of them; EINVAL: there are none */
		madvise(area, FAULT_PAGES * page, MADV_NOHUGEPAGE);
		fault_touch(area, page);
		munmap(area, FAULT_PAGES * page);
		touched += FAULT_PAGES;
	}
	return touched;
}

int main(int argc, char **argv)
{
	uint64_t start, total;
	struct rusage usage;
	struct work w;

	work_parse(&w, argc, argv);
	work_begin(&w);
	start = work_now();
	total = work_each_cpu(&w, fault_run, NULL);
	getrusage(RUSAGE_CHILDREN, &usage);
	printf("pid=%d touches=%" PRIu64 " faults=%ld seconds=%.6f\n", (int)getpid(), total,
	       usage.ru_minflt + usage.ru_majflt, (double)(work_now() - start) / 1e9);
	return 0;
}
