/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * frames_jit - an address of generated code to a frame: when perf-PID.map and jitdumps are looked
 * into, and how the frames get their names that came before these.
 *
 * The names and the frames that wait are the process's (struct jit); which processes are to be looked
 * at is the resolver's list.  Workers read; a job outlives its process, and then brings nothing.
 *
 * Threads: the resolver's.
 */
#ifndef RINGTOP_NAMES_RESOLVE_FRAMES_JIT_H
#define RINGTOP_NAMES_RESOLVE_FRAMES_JIT_H

#include "names/resolve/frames.h"

/* Code that has no file, or one that is no object and some runtimes write it to. */
bool frames_jit_may_be(const struct dso *o);

/* It is such a file and has no lasting name (memfd, /dev/shm, unlinked): its code waits for the names of a process. */
bool frames_jit_made(const struct dso *o);

/*
 * The frame of ip, which is in such a map of p, at that time.  0: no memory, or nothing of the
 * process's names it and it is in a file.
 */
uint32_t frames_jit(struct resolver *r, struct process *p, const struct map *map, uint64_t ip,
		    uint64_t time);

/* Frame id of p stands for ip and has no name.  A recorded process's map is read once. */
void frames_jit_wait(struct resolver *r, struct process *p, uint32_t id, uint64_t ip, uint64_t time);

/* The frame has a name: look for its line, where lines are wanted. */
void frames_jit_ask_line(struct resolver *r, struct process *p, uint32_t frame, uint64_t ip,
			 uint64_t time);

/* The process has exited. */
void frames_jit_exit(struct resolver *r, struct process *p);

/* Once a tick: look for the names of generated code. */
void frames_jit_look(struct resolver *r);

/* After the last look: what was not read to its end says so. */
void frames_jit_last(struct resolver *r);

/* Before a sweep: keep the frames that wait for such names. */
void frames_jit_keep(struct resolver *r);

#endif
