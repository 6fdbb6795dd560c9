/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * storm_fault - page faults by mmap, touch and munmap, one process per CPU.
 *
 * -n is touched pages per CPU, rounded up to whole mappings.  Prints the exact number of touches,
 * and the kernel's own number of faults, which holds a few more of the process's start and end.
 */
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "work.h"

#define FAULT_PAGES 512u

static __attribute__((noinline)) void fault_touch(volatile char *area, size_t page)
{
	for (unsigned i = 0; i < FAULT_PAGES; i++)
		area[i * page] = 1;
}

static uint64_t fault_run(uint64_t limit, uint64_t deadline)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uint64_t touched = 0;

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
	uint64_t total = 0, start;
	struct rusage usage;
	uint64_t *touched;
	pid_t parent = getpid();
	struct work w;

	work_parse(&w, argc, argv);
	touched = mmap(NULL, sizeof(*touched) * WORK_CPUS_MAX, PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (touched == MAP_FAILED)
		err(1, "mmap");
	work_begin(&w);
	start = work_now();
	for (unsigned i = 0; i < w.ncpus; i++) {
		pid_t pid = fork();

		if (pid < 0)
			err(1, "fork");
		if (pid == 0) {
			work_child(parent);
			work_pin(w.cpus[i]);
			touched[i] = fault_run(w.count ? w.count : UINT64_MAX, work_deadline(&w));
			_exit(0);
		}
	}
	while (wait(NULL) > 0)
		;
	for (unsigned i = 0; i < w.ncpus; i++)
		total += touched[i];
	getrusage(RUSAGE_CHILDREN, &usage);
	printf("pid=%d touches=%" PRIu64 " faults=%ld seconds=%.6f\n", (int)getpid(), total,
	       usage.ru_minflt + usage.ru_majflt, (double)(work_now() - start) / 1e9);
	return 0;
}
