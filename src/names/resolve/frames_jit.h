/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * frames_jit - turns an address of generated code into a frame: decides when perf-PID.map and
 * jitdumps are read, and names the frames that were made before.
 *
 * The names and the waiting frames belong to the process (struct jit); the resolver lists the
 * processes to be looked at.  Workers read; a job that outlives its process is ignored.
 *
 * Threads: the resolver's.
 */
#ifndef RINGTOP_NAMES_RESOLVE_FRAMES_JIT_H
#define RINGTOP_NAMES_RESOLVE_FRAMES_JIT_H

#include "names/resolve/frames.h"

/* Return true for code without a file, or in a file of a kind that some runtimes write code to. */
bool frames_jit_may_be(const struct dso *o);

/*
 * Return true for a file that is no object and has no lasting name (memfd, /dev/shm, unlinked): its
 * code waits for names of its process.
 */
bool frames_jit_made(const struct dso *o);

/*
 * Return the frame of ip, in such a map of p, at that time. 0: out of memory, or the code is in a
 * file and the process has no name for it.
 */
uint32_t frames_jit(struct resolver *r, struct process *p, const struct map *map, uint64_t ip,
		    uint64_t time);

/*
 * Let frame id of p, which stands for ip and has no name, wait for one.  A recorded process's map
 * is read once.
 */
void frames_jit_wait(struct resolver *r, struct process *p, uint32_t id, uint64_t ip,
		     uint64_t time);

/* Request the line of a frame that has a name, if lines are wanted. */
void frames_jit_ask_line(struct resolver *r, struct process *p, uint32_t frame, uint64_t ip,
			 uint64_t time);

/* Note that the process has exited. */
void frames_jit_exit(struct resolver *r, struct process *p);

/* Look for names of generated code: once a tick. */
void frames_jit_look(struct resolver *r);

/*
 * Give up dumps that were not read to their ends, also in the frames that wait for them: after the
 * last look.
 */
void frames_jit_last(struct resolver *r);

/* Keep the frames that wait for such names: before a sweep. */
void frames_jit_keep(struct resolver *r);

#endif
