/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sampled - sampled stacks of real programs, for the tests and benchmarks of unwinding.
 *
 * Runs a command, its addresses not randomized, and samples its user registers and stack by
 * cpu-clock or at one instruction until it ends, keeping what was mapped; then unwinds the samples by this project's rows or, as the reference, by libunwind
 * with the objects' own .eh_frame_hdr as it lies in the file.  One process at a time: what the
 * command forks is not sampled.
 */
#ifndef RINGTOP_TESTS_SAMPLED_H
#define RINGTOP_TESTS_SAMPLED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "files/unwind/unwind.h"

#define SAMPLED_FRAMES_MAX 1024u

struct sampled_object {
	char *path;
	const uint8_t *data; /* the whole file, mapped; the vdso: our own */
	size_t size;
	struct cfi *cfi;
};

struct sampled_map {
	uint64_t start, end, pgoff;
	uint64_t bias; /* address minus the object's own */
	struct sampled_object *object; /* NULL: anonymous */
};

struct sampled_sample {
	uint64_t regs[64];
	size_t size;
	uint8_t *stack;
};

struct sampled {
	struct sampled_sample *samples;
	size_t nr, cap;
	struct sampled_map *maps;
	size_t nmaps, cap_maps;
	struct sampled_object **objects;
	size_t nobjects, cap_objects;
	struct cfi_memory memory;
	struct unwind_space space;
	uint64_t lost;
	void *reference; /* libunwind's address space */
};

/* 0, -EACCES or -EPERM (no rights to sample), another -errno. */
int sampled_record(struct sampled *s, char *const argv[], unsigned hz, uint32_t stack_size,
		  size_t max);
/* Sample at each execution of the instruction at addr: also -ENODEV, -EOPNOTSUPP, -ENOSPC. */
int sampled_record_at(struct sampled *s, char *const argv[], uint64_t addr, uint32_t stack_size,
		      size_t max);
void sampled_free(struct sampled *s);

struct unwind_sample sampled_sample(const struct sampled *s, size_t index);

/* libunwind's frames; its last return value (0: the end, < 0: an error).  False: not built in. */
bool sampled_reference(struct sampled *s, size_t index, uint64_t *ips, uint32_t max, uint32_t *nr,
		      int *ended);

const struct sampled_map *sampled_map(const struct sampled *s, uint64_t addr);

#endif
