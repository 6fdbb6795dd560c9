/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session - where slices come from: this machine, a file, another machine, a test.
 *
 * A front end cannot tell them apart.  Threads: all calls from one thread, the front end's; what
 * runs behind them is the session's own business.
 */
#ifndef RINGTOP_SESSION_SESSION_H
#define RINGTOP_SESSION_SESSION_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "slice/code.h"
#include "slice/slice.h"

struct session_event {
	char name[128];     /* as shown: "cpu-clock", "sched:sched_switch:k" */
	const char *unit;   /* "ns", or "" for plain counts */
	uint64_t period;    /* fixed period in the unit, 0: by frequency */
	uint32_t frequency; /* Hz asked for, 0: fixed period */
};

struct session_info {
	char host[65];
	char target[256];    /* "whole machine", "pid 42,43", "command: gzip -9 x" */
	char call_graph[32]; /* "", "fp", "dwarf, 8192 bytes", "lbr" */
	char note[512];      /* what was stepped down at the start, and why; or "" */
	uint64_t start_wall; /* CLOCK_REALTIME ns of time 0 */
	unsigned cpus;       /* CPUs watched */
	unsigned nevents;
	struct session_event *events;
	char aux_event[128]; /* as asked for, "": none */
	char pmus[256];      /* names of the machine's PMUs; "": not known */
	bool live;           /* false: a file */
	bool debuginfod;     /* debug files come from servers, too */
	uint64_t length;     /* of a file, ns; 0: not known */
	pid_t self;          /* our pid on the profiled machine, 0: none */
};

enum session_command {
	SESSION_PAUSE,  /* stop the counters */
	SESSION_RESUME,
	SESSION_CODE,   /* a function's instructions: in the `codes` of a slice to come */
	SESSION_RECORD, /* to the file `text` from now on; NULL: end it */
	SESSION_SNAPSHOT, /* what the AUX areas hold into a file; where there are none, the rings */
	SESSION_DUMP,     /* what the sample rings still hold into a file */
	SESSION_COMMANDS
};

/* What a front end asks of a session; borrowed for the call. */
struct session_request {
	enum session_command command;
	const struct code_place *code; /* SESSION_CODE: the function that is there */
	const char *text; /* SESSION_RECORD: see there; SNAPSHOT, DUMP: why, in words */
};

/* How a session ended, for the total and the exit status. */
struct session_end {
	bool command;      /* a COMMAND of ours was run to its end */
	int command_status; /* as from waitpid */
	int error;         /* 0 or -errno: the session failed while running */
	char text[512];    /* why it ended, or "" */
};

struct session;

struct session_ops {
	const char *name;

	/*
	 * The next slice into *slice, owned by the caller, or NULL when none is ready.  0;
	 * -ESHUTDOWN when the session has ended and every slice was taken; other -errno: failed.
	 * Never waits: poll `fd` first.
	 */
	int (*next)(struct session *s, struct slice **slice);

	/* Readable while a slice is ready, or the end that next() has not told yet.  For poll only. */
	int (*fd)(struct session *s);

	/*
	 * Never waits.  -EOPNOTSUPP with text in err where this session cannot; -EBUSY.  What was
	 * measured can be asked about after the end too: then answers come in slices that next()
	 * gives before it says -ESHUTDOWN again.
	 */
	int (*command)(struct session *s, const struct session_request *rq, struct err *err);

	/*
	 * Stop measuring.  What the rings still hold follows in slices, the last marked `last`,
	 * then next() says -ESHUTDOWN.
	 */
	void (*stop)(struct session *s);

	/* Valid after -ESHUTDOWN. */
	void (*end)(struct session *s, struct session_end *end);

	/* Free everything, whether stopped or not.  Waits for workers' running jobs. */
	void (*close)(struct session *s);

	/*
	 * When the process ends next: see to what would outlive it (a COMMAND), and to what must not
	 * be left half done (a recording: end() tells what became of it).  Waits for that and for
	 * nothing else.
	 */
	void (*abandon)(struct session *s);
};

/* The first member of every session. */
struct session {
	const struct session_ops *ops;
	struct session_info info; /* fixed once open */
};

static inline int session_next(struct session *s, struct slice **slice)
{
	return s->ops->next(s, slice);
}

static inline void session_close(struct session *s)
{
	if (s)
		s->ops->close(s);
}

#endif
