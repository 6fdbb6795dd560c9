/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * frames - turns an address at a place and time into a frame of the dictionary.  The inner half of
 * the resolver: its state, and the way from address to name.
 *
 * Threads: the resolver's.
 */
#ifndef RINGTOP_NAMES_RESOLVE_FRAMES_H
#define RINGTOP_NAMES_RESOLVE_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/intern.h"
#include "names/resolve/dictout.h"
#include "names/objects/dso.h"
#include "names/objects/fnbounds.h"
#include "names/objects/debugfetch.h"
#include "names/kernel/kernelsyms.h"
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
	uint32_t path; /* of the frame alone: a flat sample's; 0: not looked up yet */
	uint32_t tick; /* when path was last touched */
	bool named;
};

/* Result of looking up an address. */
struct frame_found {
	uint32_t frame;
	struct frame_cached *cached; /* or NULL */
};

struct resolver {
	struct resolver_config config;
	struct dictout *names;
	struct tasks *tasks;
	struct users *users;
	bool owners_news; /* an owner became known of tasks that were emitted without it */
	struct dsos *objects;
	struct workers *workers;
	struct dso_chains chains; /* sums over all objects */
	unsigned shallow_looks;
	struct dsocfis *cfis;
	struct namework *namework;
	struct fnbounds *fnbounds;
	struct demangle_work kernel_names;
	struct linework *linework; /* NULL: lines are not wanted */
	struct debugfetch *fetch;       /* NULL: no debug files from servers */
	unsigned told; /* objects that the log has mentioned */
	unsigned copies; /* processes with copied code that the log has mentioned */
	unsigned fetch_failures;   /* files whose download failed, other than for not being there */
	uint32_t hold; /* ticks */
	struct kernel kernel;
	struct kmaps kmaps;
	uint32_t kmaps_read;       /* serial of kmaps when kallsyms were requested */
	uint32_t kmaps_changed;    /* ms, as dictout_now(): when code last came or went */
	struct intern *paths;      /* of files whose build-id is known: id - 1 is the index */
	struct build_id *build_ids;
	size_t cap_build_ids;
	struct slice *slice;
	struct {
		uint32_t path, task;
	} spare; /* made in advance: for rows that the dictionary has no memory for */
	uint64_t unresolved, bad_records, maps_forgotten;
	struct maps *filled;       /* maps of the process scanned last, or NULL */
	bool names_told;   /* the log says that the dictionary's share of memory is used up */
	bool mark_told;    /* the log says that chains have an unknown mark */
	bool given_up_told; /* the log says that names were given up */
	uint32_t swept;    /* ms, as dictout_now(), of the last sweep for unused entries */
	bool mangled_told; /* the log says that names stay mangled for lack of memory */
	uint64_t refused; /* objects that were refused memory */
	uint32_t loading;
	uint32_t codes; /* requests for code in progress */
	pid_t *split; /* processes whose rows are kept apart by time */
	size_t nsplit, cap_split;
	uint32_t *kernel_waiting;
	size_t nkernel_waiting, cap_kernel_waiting;
	bool kernel_late; /* a file's slice has waited for its symbols in vain: no more wait */
	pid_t *jits; /* processes whose frames wait for names of generated code */
	size_t njits, cap_jits;
	unsigned njits_busy; /* looks that workers have not finished */
	struct jit_paces jit_paces;
	bool jits_late;      /* the log says that names of generated code come late or never */
	bool jits_given_up;  /* the log says that dumps were not read to their ends */
	struct frame_cached cache[FRAME_CACHE];
	bool cached; /* the cache is not empty */
};

/* Return the frame of a kernel address at that time. */
struct frame_found frames_kernel(struct resolver *r, uint64_t ip, uint64_t time);

/* Return the frame of a user address of process p at that time, in space s. */
struct frame_found frames_user(struct resolver *r, struct process *p, struct space *s, uint64_t ip,
			       uint64_t time);

/*
 * Return true if ip is in executable memory of space s at that time.  Needs no look-up in the maps
 * for an address that frames_user() has cached.
 */
bool frames_is_mapped(struct resolver *r, const struct space *s, uint64_t ip, uint64_t time);

/*
 * Return the path of the frame alone, 0: out of memory. *named as from frames_named().  A hot
 * frame's path is cached and needs no look-up in the dictionary.
 */
uint32_t frames_flat(struct resolver *r, struct frame_found f, bool *named);

/*
 * Return ringtop's own frames: of its own process, of samples that it had no room for, in place of
 * unknown callers, or between the paths of a waker and of the wait that it ended.
 */
enum frames_own { FRAMES_SELF, FRAMES_TABLE_FULL, FRAMES_UNWIND_BACKLOG, FRAMES_TRUNCATED,
		  FRAMES_BROKEN, FRAMES_NO_MEMORY, FRAMES_WOKEN, FRAMES_NO_WAKER, FRAMES_NOT_YET };
uint32_t frames_own(struct resolver *r, enum frames_own which);

/* Return the frame of an address outside this system: it cannot be named here. */
enum frames_outside { FRAMES_GUEST_KERNEL, FRAMES_GUEST, FRAMES_HYPERVISOR };
struct frame_found frames_outside(struct resolver *r, enum frames_outside which, uint64_t ip);

/*
 * Return the frame of all user code of processes outside our PID namespace: the kernel gives their
 * pid as 0.
 */
struct frame_found frames_unseen(struct resolver *r);

/* Return the frame that stands for an event whose hits have no place. */
struct frame_found frames_event(struct resolver *r, uint64_t event);

/*
 * Return the frame that stands for a task, by its name at that time: "make (4242)", of a thread
 * "java (4242/4300)". 0: out of memory.
 */
uint32_t frames_task(struct resolver *r, const struct task *t, uint64_t time);

/* Return the frame of a timer that woke a task. */
uint32_t frames_timer(struct resolver *r);

/* Return false if the leaf of path has no name and will not get one: nothing is being loaded. */
bool frames_named(const struct resolver *r, uint32_t path);

/* Clear the cache of addresses' frames: names may have changed. */
void frames_forget(struct resolver *r);

/* Look up the frames again that waited for the maps of process p, which are known now. */
void frames_retry_process(struct resolver *r, struct process *p);

/*
 * Look up the frames again that waited for names of generated code from start to end, which turned
 * out to be a file's.
 */
void frames_retry_made(struct resolver *r, struct process *p, uint64_t start, uint64_t end);

/* Load the symbols of o, if they are not loaded or being loaded. */
void frames_load(struct resolver *r, struct dso *o);

/*
 * Load objects again that were used since `tick` (ms, as dictout_now()) and were refused memory, a
 * few at a time.
 */
void frames_retry_refused(struct resolver *r, uint32_t tick);

/* Job callbacks. */
void frames_fetched(void *arg, struct dso *o, int result, const char *why); /* a debugfetch_done */
void frames_name_found(void *arg, struct dso *o, const struct symtab_entry *e, uint32_t frame);
void frames_bound_found(void *arg, const struct bound *b);
void frames_lines_found(void *arg, struct dso *o, const struct line_ask *ask,
			const struct lines_frame *frames, size_t nr);

#endif
