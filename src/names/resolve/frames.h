/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * frames - an address at a place and time to a frame of the dictionary.  The inner half of the
 * resolver: its state, and the way from address to name.
 *
 * Threads: the resolver's.
 */
#ifndef RINGTOP_NAMES_RESOLVE_FRAMES_H
#define RINGTOP_NAMES_RESOLVE_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/intern.h"
#include "base/worker.h"
#include "names/resolve/dictout.h"
#include "names/objects/dso.h"
#include "names/objects/boundwork.h"
#include "names/objects/dsocfi.h"
#include "names/objects/fetch.h"
#include "names/kernel/kernel.h"
#include "names/kernel/kernelfile.h"
#include "names/kernel/kmaps.h"
#include "names/objects/linework.h"
#include "names/objects/namework.h"
#include "names/resolve/resolver.h"
#include "names/objects/task.h"

#define FRAME_CACHE 32768 /* entries; a power of two */

struct frame_cached {
	uint64_t space, ip; /* space: serial of the address space, 0: the kernel */
	uint32_t frame;
	uint32_t path; /* of the frame alone: a flat sample's; 0: not asked for yet */
	uint32_t tick; /* when path was last touched */
	bool named;
};

/* What a place became. */
struct frame_found {
	uint32_t frame;
	struct frame_cached *cached; /* or NULL */
};

struct resolver {
	struct resolver_config config;
	struct dictout *names;
	struct tasks *tasks;
	struct users *users;
	bool owners_news; /* it became known whose tasks are that were said without it */
	struct dsos *objects;
	struct workers *workers;
	struct dso_chains chains; /* of all */
	unsigned shallow_looks;
	struct dsocfis *cfis;
	struct namework *namework;
	struct boundwork *boundwork;
	struct demangle_work kernel_names;
	struct linework *linework; /* NULL: nobody wants lines */
	struct fetch *fetch;       /* NULL: nobody wants more than is here */
	unsigned told; /* objects that the log spoke of */
	unsigned copies; /* processes with copied code that it spoke of */
	unsigned fetch_failures;   /* files that could not be had for another reason than not being there */
	uint32_t hold; /* ticks */
	struct kernel kernel;
	struct kmaps kmaps;
	uint32_t kmaps_read;       /* their serial when kallsyms were asked for */
	uint32_t kmaps_changed;    /* ms, as dictout_now: when code last came or went */
	struct intern *paths;      /* of files whose build-id is known: id - 1 is the index */
	struct build_id *build_ids;
	size_t cap_build_ids;
	struct slice *slice;
	struct {
		uint32_t path, task;
	} spare; /* made ahead: for rows that the dictionary has no memory for */
	uint64_t unresolved, bad_records, maps_forgotten;
	struct maps *filled;       /* of the process that was scanned last, or NULL */
	bool names_told;   /* that the dictionary's share is used up */
	bool mark_told;    /* it was said that chains have a mark that nobody knows */
	bool given_up_told; /* that names are not waited for any more */
	uint32_t swept;    /* ms, as dictout_now: when all that is unused was looked for */
	bool mangled_told; /* that names stay mangled for want of memory */
	uint64_t refused; /* objects of which something was */
	uint32_t loading;
	uint32_t codes; /* code asked for that is not answered */
	pid_t *split; /* processes whose rows are kept apart by time */
	size_t nsplit, cap_split;
	uint32_t *kernel_waiting;
	size_t nkernel_waiting, cap_kernel_waiting;
	pid_t *jits; /* processes whose frames wait for names of theirs */
	size_t njits, cap_jits;
	unsigned njits_busy; /* looks that workers have not brought back */
	struct jit_paces jit_paces;
	bool jits_late;      /* it was said that names of generated code come late, or not at all */
	bool jits_given_up;  /* it was said that dumps were not read to their ends */
	struct frame_cached cache[FRAME_CACHE];
	bool cached; /* something is in it */
};

/* The frame of a kernel address as it was at that time. */
struct frame_found frames_kernel(struct resolver *r, uint64_t ip, uint64_t time);

/* The frame of a user address in process p as it was at that time, in space s. */
struct frame_found frames_user(struct resolver *r, struct process *p, struct space *s, uint64_t ip,
			       uint64_t time);

/*
 * Return true if ip is in executable memory of space s at that time.  An address that frames_user knows costs no
 * look-up.
 */
bool frames_is_mapped(struct resolver *r, const struct space *s, uint64_t ip, uint64_t time);

/*
 * The path of the frame alone, 0: no memory.  *named as frames_named says.  A hot one is found
 * by the cache and costs no look-up in the dictionary.
 */
uint32_t frames_flat(struct resolver *r, struct frame_found f, bool *named);

/*
 * Frames of ours: of our own process, of samples that we had no room for, and instead of the
 * callers of a path that is not known any further, or between the path of who woke somebody and where that waited.
 */
enum frames_own { FRAMES_SELF, FRAMES_TABLE_FULL, FRAMES_UNWIND_BACKLOG, FRAMES_TRUNCATED,
		  FRAMES_BROKEN, FRAMES_NO_MEMORY, FRAMES_WOKEN, FRAMES_NO_WAKER };
uint32_t frames_own(struct resolver *r, enum frames_own which);

/* The frame of an address in what is none of this system: nothing here can name it. */
enum frames_outside { FRAMES_GUEST_KERNEL, FRAMES_GUEST, FRAMES_HYPERVISOR };
struct frame_found frames_outside(struct resolver *r, enum frames_outside which, uint64_t ip);

/* Return the frame of all user code of processes that are not in our PID namespace: the kernel gives their pid as 0. */
struct frame_found frames_unseen(struct resolver *r);

/* The frame that stands for an event whose hits have no place. */
struct frame_found frames_event(struct resolver *r, uint64_t event);

/* The frame that stands for a task, as it was called at that time: "make (4242)", of a thread "java (4242/4300)". */
uint32_t frames_task(struct resolver *r, const struct task *t, uint64_t time);

/* False where the leaf of path has no name and will not get one: nothing is being loaded. */
bool frames_named(const struct resolver *r, uint32_t path);

/* Names may have changed: forget what addresses became. */
void frames_forget(struct resolver *r);

/* Look again at the frames that waited for process p: its maps are known now. */
void frames_retry_process(struct resolver *r, struct process *p);

/* Look again at the frames that waited for names of generated code from start to end, which is a file's after all. */
void frames_retry_made(struct resolver *r, struct process *p, uint64_t start, uint64_t end);

/* Have the symbols of o loaded, if they are not. */
void frames_load(struct resolver *r, struct dso *o);

/* Try those again that were used since `tick` and refused memory for others' sake. */
void frames_retry_refused(struct resolver *r, uint32_t tick);

/* Job callbacks. */
void frames_object_loaded(void *arg, struct dso *o);
void frames_fetched(void *arg, struct dso *o, int result, const char *why); /* a fetch_done */
void frames_name_found(void *arg, struct dso *o, const struct symtab_entry *e, uint32_t frame);
void frames_bound_found(void *arg, const struct bound *b);
void frames_lines_found(void *arg, struct dso *o, const struct line_ask *ask,
			const struct lines_frame *frames, size_t nr);

#endif
