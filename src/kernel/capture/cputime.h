/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cputime - what each CPU did since the machine was started, as /proc/stat has it.
 *
 * The kernel knows idle time to the microsecond (where its tick stops on idle CPUs, which is nearly
 * everywhere) and tells it in units of CPUTIME_GRAIN; irq and stolen are measured at the tick.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_KERNEL_CAPTURE_CPUTIME_H
#define RINGTOP_KERNEL_CAPTURE_CPUTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CPUTIME_GRAIN 10000000ull /* ns: USER_HZ is 100 on all of Linux */

struct cputime { /* ns */
	uint64_t idle;   /* waiting for disks included */
	uint64_t user;   /* guests included */
	uint64_t kernel; /* interrupts included */
	uint64_t irq;    /* in interrupts, whatever they interrupted */
	uint64_t stolen; /* a virtual machine's: the host ran something else */
};

struct cputimes;

struct cputimes *cputimes_open(void); /* NULL: not to be had, or out of memory; the calls below allow it */
void cputimes_close(struct cputimes *c);

/* Look anew. */
void cputimes_read(struct cputimes *c);

/* As of the last look; NULL: the CPU was not online, or nobody knows. */
const struct cputime *cputimes_of(const struct cputimes *c, int cpu);

/* One line of /proc/stat.  False: it is no CPU's. */
bool cputime_parse(const char *line, int *cpu, struct cputime *t);

#endif
