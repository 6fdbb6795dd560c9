/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwound - a sample with a copy of its stack to a raw path of the table: the kernel's part as it
 * is, then what the unwinder finds in the maps of its time.
 *
 * Threads: one unwinder to a thread, any number of them over the same maps and objects.
 * Allocates: what a first use of an object takes (names/objects/dsocfi.h).
 */
#ifndef RINGTOP_NAMES_OBJECTS_UNWOUND_H
#define RINGTOP_NAMES_OBJECTS_UNWOUND_H

#include "names/objects/dsocfi.h"
#include "core/slice/slice.h"
#include "core/table/table.h"
#include "files/unwind/unwind.h"

/* As many addresses of the kernel's part are kept: some of the user's must have room, and marks. */
#define UNWOUND_KERNEL_MAX (TABLE_PATH_MAX - 4)

struct unwound_sample {
	struct unwind_sample dump;
	const uint64_t *kernel; /* its chain with its marks; what is beyond the maximum is cut */
	uint64_t nkernel;
	uint64_t leaf; /* where the user's code was (path_user_leaf); 0: only the registers tell */
	pid_t pid;
	uint64_t time;
	const struct maps *maps; /* of that time; nobody changes them */
};

struct unwound_path {
	uint64_t ips[TABLE_PATH_MAX];
	uint16_t nr;       /* at least 1 */
	enum unwind_end end;
	uint32_t frames, guessed; /* of the user's */
	bool slow;
};

void unwound_run(struct unwinder *u, struct dsocfis *oc, const struct unwound_sample *s,
		 struct unwound_path *out);

void unwound_count(struct slice_unwind *n, const struct unwound_path *p);

#endif
