/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jit - names of the code that a process generates: its perf-PID.map and its jitdumps.
 *
 * A jitdump is found by the executable mapping of jit-PID.dump that the runtime makes as a mark, in
 * any directory. A jitdump's names are valid from the time of their record on; perf-PID.map has no
 * times: its last name counts. If both name an address, the jitdump wins.
 *
 * While the process runs such code a worker looks at both again: at dumps in every tick, since the
 * code at an address is known only up to the last read; reading continues where it ended. At a map
 * every JIT_LOOK_NS, less often while there is none or its names are not used. Reading a map that
 * keeps changing, or dumps that keep growing, takes at most JIT_PERCENT of the time, and that of
 * all processes' maps or dumps JITS_PERCENT. A process that exits gets a last look, which ignores
 * its own share: it waits for that of all processes, up to JIT_LAST_NS. Addresses without a name
 * wait for one as long as the process lives: a map may be written late.
 *
 * For a recorded process the map is read, as perf report does, but no dump: perf inject puts its
 * contents into the file.
 *
 * Threads: the resolver's, except for the job's part on a worker.
 */
#ifndef RINGTOP_FILES_JIT_JIT_H
#define RINGTOP_FILES_JIT_JIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/timeshare.h"
#include "base/worker.h"
#include "files/jit/jitcode.h"
#include "files/jit/jitdump.h"
#include "files/jit/jitlines.h"
#include "files/jit/perfmap.h"
#include "system/proc/procscan.h"

#define JIT_LOOK_NS     (300 * NSEC_PER_MSEC)
#define JIT_LOOKS       5     /* looks for an address before it is reported to have no name */
#define JIT_PAUSES      3     /* doublings of the pause between looks without news */
#define JIT_PERCENT     5     /* of the time, for reading one process's map, and its dumps */
#define JIT_BURST_NS    (500 * NSEC_PER_MSEC) /* time that its dumps may take at once */
#define JITS_PERCENT    10    /* of a worker's time, for all processes' maps; likewise for dumps */
#define JITS_BURST_NS   (500 * NSEC_PER_MSEC)
#define JIT_LAST_NS     (10 * NSEC_PER_SEC) /* after the exit, for reading dumps */
#define JIT_ACTIVE_MS   1000  /* after its last sample, for looking at a dump */
#define JIT_DUMPS       4     /* of one process */
#define JIT_WAITING_MAX 65536 /* addresses of a process that wait for a name: the newest */

struct jit_dump {
	char *path;          /* from the mapping */
	uint64_t ino, start, end;
	uint32_t number;     /* from its name: must be the process's pid */
	int fd;              /* -1: not opened yet */
	struct jitdump_place place;
	bool tried;          /* a job has tried to open it */
	bool failed;         /* not read any more; reported once */
};

/* A frame reported without a name, to be reported again with it. */
struct jit_wait {
	uint64_t ip, time;
	uint32_t frame;
	uint8_t looks; /* remaining looks */
	bool settled;  /* it was reported to have no name so far */
};

struct jit {
	struct symtab *symtab;    /* of perf-PID.map, or NULL */
	struct perfmap_stamp stamp;
	uint32_t version;         /* of symtab; also differs between lives of the process */
	uint32_t life;            /* results of jobs from before jit_clear are ignored */
	struct jitcode *code;     /* of the dumps, or NULL */
	struct jit_dump dump[JIT_DUMPS];
	unsigned ndumps;
	struct proc_owner owner;  /* at the last look */
	uint64_t newest;          /* time of the newest event of a dump */
	uint64_t known;           /* the dumps were read up to this time; perf's clock */
	struct clock_relation relation;
	uint64_t related;         /* CLOCK_MONOTONIC of the relation; 0: none */
	/* ms, as dictout_now: time of the last sample in generated code */
	uint32_t active;
	bool refused;             /* the budget could not hold a pass of a dump; reported */
	bool timeless;            /* its times could not be converted to perf's clock; reported */
	bool busy;                /* a job is running */
	bool tried;               /* a job has finished */
	bool ending;              /* the process has exited: it may be freed after a last look */
	bool unread;              /* dumps were not read to their ends at the last look */
	bool given_up;            /* dumps will not be read to their ends */
	uint64_t exited;          /* CLOCK_MONOTONIC */
	bool queued;              /* in the resolver's list of processes to look at */
	uint64_t looked;          /* CLOCK_MONOTONIC ns: time of the last look at perf-PID.map */
	struct timeshare pace;         /* of reading it */
	struct timeshare dump_pace;    /* of reading the dumps */
	unsigned idle;            /* consecutive looks without news */
	struct jit_wait *waiting;
	size_t nwaiting, cap_waiting;
	struct jitlines lines; /* frames that wait for their source lines */
};

/* Forget everything: the process has become another program, or another process. */
void jit_clear(struct jit *j);

/* Note that a file was mapped executable; it is a dump if its name says so. */
void jit_mapped(struct jit *j, const char *path, uint64_t ino, uint64_t start, uint64_t end);

/*
 * Let a frame wait for a name; after that many looks it is reported to have none so far. Return
 * false if too many wait, so that the oldest were dropped, or there is no memory.
 */
bool jit_wait(struct jit *j, uint32_t frame, uint64_t ip, uint64_t time, unsigned looks);

/* Make the next job look at the map, regardless of the last look. */
void jit_hurry(struct jit *j);

struct jit_name {
	const char *name; /* valid until the next jit_take */
	uint64_t addr, size;
	const struct jitcode_function *function; /* from a dump; NULL: from perf-PID.map */
};

/* Let the next job look up the line of a frame at ip, for which jit_find returned n. */
void jit_ask_line(struct jit *j, const struct jit_name *n, uint64_t ip, uint32_t frame,
		  uint32_t symbol);

/* Note the exit of the process: read its last data at once. */
void jit_exit(struct jit *j);

/* Return true if the last look at the dumps is taking too long. */
bool jit_overdue(const struct jit *j, uint64_t now);

/* Stop reading the dumps of a process that has exited. */
void jit_give_up(struct jit *j);

/* Return true if dumps have not been read up to that time: too early for jit_find. */
bool jit_pending(const struct jit *j, uint64_t time);

/* Find the code at ip at that time (perf's clock). Return false if no name is known. */
bool jit_find(const struct jit *j, uint64_t ip, uint64_t time, struct jit_name *n);

/* --- reading again ------------------------------------------------------------------------ */

/* Measure perf's clock. Return 0 or -errno. Called on a worker. */
typedef int jit_clock(struct clock_relation *c);

/* Shares of time of all processes together; spent on the workers, which it outlives. */
struct jit_paces {
	struct timeshare maps, dumps;
};

struct jit_job {
	struct job job; /* finish is the caller's: it calls jit_take and jit_job_free */
	pid_t pid;
	uint64_t serial; /* of the process */
	uint32_t life;
	bool last; /* started after the exit */
	bool recorded;
	jit_clock *clock;
	struct jit_paces *paces; /* not for a recorded process */
	bool dumps_due;          /* else dumps are only opened, while they exist */
	bool put_off;            /* a due read was skipped: other processes had used up the time */
	struct proc_owner owner;
	struct {
		struct perfmap_stamp stamp;
		struct symtab *symtab;
		int result;
		struct err err;
		uint64_t cost; /* ns that it took */
	} map;
	struct {
		struct jit_dump dump; /* a copy, with its own path and descriptor */
		struct jitdump_batch batch;
		int result;
		struct err err;
	} dump[JIT_DUMPS];
	unsigned ndumps;
	uint64_t dumps_cost; /* ns that they took */
	struct jitlines lines; /* looked up where `done` is set */
	bool look_at_map;
	int clock_result; /* 0: relation is valid, as of the time `related` */
	struct clock_relation relation;
	uint64_t related;
	uint64_t begun; /* CLOCK_MONOTONIC: data written until then were read */
};

/*
 * Create the job that reads new data, as far as the shares of time allow; the caller must submit
 * it. NULL: one is running, there is nothing to look at yet, or no memory.
 */
struct jit_job *jit_look(struct jit *j, pid_t pid, uint64_t serial, jit_clock *clock,
			 struct jit_paces *paces, void (*finish)(struct job *job, void *arg));

/* Create the job for a recorded process, which reads its map, once. */
struct jit_job *jit_look_recorded(struct jit *j, pid_t pid, uint64_t serial,
				  void (*finish)(struct job *job, void *arg));

/*
 * Take over a job's results. settled: there will be no queries for times before it. *complaint: a
 * message for the user, once, or empty.
 */
void jit_take(struct jit *j, struct jit_job *jj, uint64_t settled, struct err *complaint);

void jit_job_free(struct jit_job *jj);

#endif
