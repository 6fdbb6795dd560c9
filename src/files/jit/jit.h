/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jit - the names that a process gives to code it made: its perf-PID.map and its jitdumps.
 *
 * A jitdump is found by the executable mapping of jit-PID.dump that the runtime makes as a mark,
 * in whatever directory.  A jitdump's names hold from the time of their record on; perf-PID.map has
 * no times: its last name counts.  Where both name an address, the jitdump does.
 *
 * While the process runs such code a worker looks at both again: at dumps in every tick, since what
 * stood at an address is known only up to the time they were last read; they are read on from where
 * they were left.  At a map every JIT_LOOK_NS, less often while there is none or nobody runs what it
 * names.  Reading a map that keeps changing, or dumps that grow without end, takes JIT_PERCENT of the
 * time at most, and all processes' maps or dumps JITS_PERCENT.  A process that ends is owed a last look, which
 * takes no heed of its own share: it waits for that of all, up to JIT_LAST_NS.  Addresses without a name wait for one for as long as the process lives: a map may be
 * written late.
 *
 * Of a recorded process the map is read, as perf report does, and no dump: perf inject puts what that
 * says into the file.
 *
 * Threads: the resolver's, but for what the job does on a worker.
 */
#ifndef RINGTOP_FILES_JIT_JIT_H
#define RINGTOP_FILES_JIT_JIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/pace.h"
#include "base/worker.h"
#include "files/elf/symtab.h"
#include "files/jit/jitcode.h"
#include "files/jit/jitdump.h"
#include "files/jit/jitlines.h"
#include "files/jit/perfmap.h"
#include "system/proc/procscan.h"

#define JIT_LOOK_NS     (300 * NSEC_PER_MSEC)
#define JIT_LOOKS       5     /* how many times an address is looked for before it is said to have no name */
#define JIT_PAUSES      3     /* how many times the pause between looks without news doubles */
#define JIT_PERCENT     5     /* of the time, for reading one process's map */
#define JIT_BURST_NS    (500 * NSEC_PER_MSEC) /* of which dumps may take so much at once */
#define JITS_PERCENT    10    /* of the time of a worker, for all processes' maps; and for all dumps */
#define JITS_BURST_NS   (500 * NSEC_PER_MSEC)
#define JIT_LAST_NS     (10 * NSEC_PER_SEC) /* how long after the exit dumps are read on */
#define JIT_ACTIVE_MS   1000  /* after its last sample, in which a dump is looked at */
#define JIT_DUMPS       4     /* of one process */
#define JIT_WAITING_MAX 65536 /* addresses of a process that wait for a name: the newest */

struct jit_dump {
	char *path;          /* as the mapping had it */
	uint64_t ino, start, end;
	uint32_t number;     /* in its name: must be the process's pid */
	int fd;              /* -1: not opened yet */
	struct jitdump_place place;
	bool tried;          /* a job has tried to open it */
	bool failed;         /* it is not read any more: told once */
};

/* A frame said without a name, to be said again with it. */
struct jit_wait {
	uint64_t ip, time;
	uint32_t frame;
	uint8_t looks; /* left */
	bool settled;  /* it was said that there is no name so far */
};

struct jit {
	struct symtab *symtab;    /* of perf-PID.map, or NULL */
	struct perfmap_stamp stamp;
	uint32_t version;         /* of symtab; also differs between lives of the process */
	uint32_t life;            /* what a job from before jit_clear brings is not for this one */
	struct jitcode *code;     /* of the dumps, or NULL */
	struct jit_dump dump[JIT_DUMPS];
	unsigned ndumps;
	struct proc_owner owner;  /* as last seen */
	uint64_t newest;          /* time of the newest event of a dump */
	uint64_t known;           /* up to this time the dumps were read; perf's clock */
	struct clock_relation relation;
	uint64_t related;         /* CLOCK_MONOTONIC of the relation; 0: none */
	uint32_t active;          /* ms, as dictout_now: when the last sample in generated code came */
	bool refused;             /* the budget did not hold a pass of a dump: said */
	bool timeless;            /* it could not be told in perf's time: said */
	bool busy;                /* a job is under way */
	bool tried;               /* one has come back */
	bool ending;              /* the process has exited: a last look is wanted, then it may go */
	bool unread;              /* dumps were not read to their ends when they were last looked at */
	bool given_up;            /* with dumps that were not read to their ends */
	uint64_t exited;          /* CLOCK_MONOTONIC */
	bool queued;              /* the resolver has it in its list of those to look at */
	uint64_t looked;          /* CLOCK_MONOTONIC ns: when perf-PID.map was last looked at */
	struct pace pace;         /* of reading it */
	struct pace dump_pace;    /* of reading the dumps */
	unsigned idle;            /* looks in a row that brought nothing */
	struct jit_wait *waiting;
	size_t nwaiting, cap_waiting;
	struct jitlines lines; /* frames whose source lines are to be looked for */
};

/* Forget all: another program, or another process, from now on. */
void jit_clear(struct jit *j);

/* A file was mapped executable: a dump, if its name says so. */
void jit_mapped(struct jit *j, const char *path, uint64_t ino, uint64_t start, uint64_t end);

/*
 * Let a frame wait; after so many looks it is to be said that there is no name so far.  False: too many
 * wait, and the oldest will not any more.
 */
bool jit_wait(struct jit *j, uint32_t frame, uint64_t ip, uint64_t time, unsigned looks);

/* Look at the map with the next job, whenever it was looked at last. */
void jit_hurry(struct jit *j);

struct jit_name {
	const char *name; /* valid until the next jit_take */
	uint64_t addr, size;
	const struct jitcode_function *function; /* of a dump; NULL: of perf-PID.map */
};

/* Look for the line of a frame that stands for ip, which jit_find said n of; in the next job. */
void jit_ask_line(struct jit *j, const struct jit_name *n, uint64_t ip, uint32_t frame,
		  uint32_t symbol);

/* The process has exited: what it wrote last is read at once. */
void jit_exit(struct jit *j);

/* Has the last look at the dumps taken too long? */
bool jit_overdue(const struct jit *j, uint64_t now);

/* Read the dumps of a process that has exited no further. */
void jit_give_up(struct jit *j);

/* Is what stood anywhere at that time still to be read?  Then it is too early for jit_find. */
bool jit_pending(const struct jit *j, uint64_t time);

/* What stood at ip at that time (perf's clock).  False: nobody says. */
bool jit_find(const struct jit *j, uint64_t ip, uint64_t time, struct jit_name *n);

/* --- reading again ------------------------------------------------------------------------ */

/* What is known of perf's clock; 0 or -errno.  Called on a worker. */
typedef int jit_clock(struct clock_relation *c);

/* Of all processes; spent on the workers.  Outlives them. */
struct jit_paces {
	struct pace maps, dumps;
};

struct jit_job {
	struct job job; /* finish is the caller's: it calls jit_take and jit_job_free */
	pid_t pid;
	uint64_t serial; /* of the process */
	uint32_t life;
	bool last; /* it began after the exit */
	bool recorded;
	jit_clock *clock;
	struct jit_paces *paces; /* not of one that was recorded */
	bool dumps_due;          /* else they are opened only, while they are there */
	bool put_off;            /* something was not read that should have been: others had spent too much */
	struct proc_owner owner;
	struct {
		struct perfmap_stamp stamp;
		struct symtab *symtab;
		int result;
		struct err err;
		uint64_t cost; /* ns that it took */
	} map;
	struct {
		struct jit_dump dump; /* a copy, path and descriptor too */
		struct jitdump_batch batch;
		int result;
		struct err err;
	} dump[JIT_DUMPS];
	unsigned ndumps;
	uint64_t dumps_cost; /* ns that they took */
	struct jitlines lines; /* answered, as far as `done` says */
	bool look_at_map;
	int clock_result; /* 0: relation is good, and of the time `related` */
	struct clock_relation relation;
	uint64_t related;
	uint64_t begun; /* CLOCK_MONOTONIC: what was written until then was read */
};

/*
 * The job that reads what is new, as far as paces allow; NULL: one is under way, there is
 * nothing to look at yet, or no memory.  It must be submitted.
 */
struct jit_job *jit_look(struct jit *j, pid_t pid, uint64_t serial, jit_clock *clock,
			 struct jit_paces *paces, void (*finish)(struct job *job, void *arg));

/* The same for a process that was recorded: its map, once. */
struct jit_job *jit_look_recorded(struct jit *j, pid_t pid, uint64_t serial,
				  void (*finish)(struct job *job, void *arg));

/*
 * Take over what a job brought.  settled: times before it will not be asked for any more.
 * *complaint: what the user should be told, once, or an empty string.
 */
void jit_take(struct jit *j, struct jit_job *jj, uint64_t settled, struct err *complaint);

void jit_job_free(struct jit_job *jj);

#endif
