/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * frames_kernel - turns an address of the kernel into a frame: by /proc/kallsyms, or by a recorded
 * kernel's maps and the files that the user gave for it.
 *
 * Frames without a name wait in the resolver's list while symbols are read.
 *
 * Threads: the resolver's.
 */
#ifndef RINGTOP_NAMES_RESOLVE_FRAMES_KERNEL_H
#define RINGTOP_NAMES_RESOLVE_FRAMES_KERNEL_H

#include "names/resolve/frames.h"

/*
 * Return the id of the frame of ip at that time (perf's clock), bypassing all caches. 0: out of
 * memory.
 */
uint32_t frames_kernel_make(struct resolver *r, uint64_t ip, uint64_t time);

/* Return true if the kernel's function at ip is known as one that runs what a timer is to do. */
bool frames_kernel_timer(struct resolver *r, uint64_t ip, uint64_t time);

/* Read the symbols (again), unless that is in progress. */
void frames_kernel_read(struct resolver *r);

/*
 * Look for changed modules: once a tick, while samples are in modules.  Symbols are read again if
 * modules changed.
 */
void frames_kernel_look(struct resolver *r);

/* Note that code of the kernel came or went at that time. */
void frames_kernel_changed(struct resolver *r, const struct record_ksymbol *s, uint64_t time);

#endif
