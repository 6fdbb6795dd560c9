/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwound - turn a sample with a copy of its stack into a raw path of the table: the kernel's part
 * unchanged, then the frames that the unwinder finds by the maps of the sample's time.
 *
 * Threads: one unwinder to a thread, any number of them over the same maps and objects. Allocates
 * only for the first use of an object (names/objects/dsocfi.h).
 */
#ifndef RINGTOP_NAMES_OBJECTS_UNWOUND_H
#define RINGTOP_NAMES_OBJECTS_UNWOUND_H

#include "names/objects/dsocfi.h"
#include "core/slice/slice.h"
#include "core/table/table.h"
#include "files/unwind/unwind.h"

/*
 * Most addresses of the kernel's part that are kept: some of the user's and marks must have room.
 */
#define UNWOUND_KERNEL_MAX (TABLE_PATH_MAX - 4)

struct unwound_sample {
	struct unwind_sample dump;
	const uint64_t *kernel; /* kernel call chain with its marks; cut beyond the maximum */
	uint64_t nkernel;
	/* User's instruction pointer (path_user_leaf); 0: only the registers have it. */
	uint64_t leaf;
	pid_t pid;
	uint64_t time;
	const struct maps *maps; /* maps of that time; borrowed, must not change */
};

struct unwound_path {
	uint64_t ips[TABLE_PATH_MAX];
	uint16_t nr;       /* at least 1 */
	enum unwind_end end;
	uint32_t frames, guessed; /* user frames */
	bool slow;
};

/* Get the map at addr at that time, with its unwind information.  False: none is known. */
bool unwound_map(struct dsocfis *oc, const struct maps *maps, pid_t pid, uint64_t time,
		 uint64_t addr, struct unwind_map *out);

void unwound_run(struct unwinder *u, struct dsocfis *oc, const struct unwound_sample *s,
		 struct unwound_path *out);

void unwound_count(struct slice_unwind *n, const struct unwound_path *p);

#endif
