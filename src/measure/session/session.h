/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session - where slices come from: this machine, a file, another machine, a test.
 *
 * A front end cannot tell them apart.  Threads: all calls from one thread, the front end's; what
 * runs behind them is the session's own business.
 */
#ifndef RINGTOP_MEASURE_SESSION_SESSION_H
#define RINGTOP_MEASURE_SESSION_SESSION_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/numanodes.h"
#include "base/text.h"
#include "core/slice/code.h"
#include "core/slice/slice.h"

#define SESSION_EVENTS_MORE 16 /* that a live session on this machine may get while it runs */

struct session_event {
	char name[128];     /* as shown: "cpu-clock", "sched:sched_switch:k" */
	const char *unit;   /* "ns", or "" for plain counts */
	uint64_t period;    /* fixed period in the unit, 0: by frequency */
	uint32_t frequency; /* Hz asked for, 0: fixed period */
	bool off;           /* not measured any more */
	bool in_kernel;     /* it is summed up by the kernel: fields' min, max and hist are not known, and there are no other rows */
	uint8_t precise;    /* session_precise: how far the places of samples may be from where the event was */
	char weight[64];    /* what rows weigh instead of the unit: the name of a field; "": the unit; raw */
	char by[SLICE_FIELD_NAMES]; /* the fields that slice_field's keys are of, ", " between them, "": none */
	char by_kinds[SLICE_FIELD_KINDS]; /* of each of them: n number, s text, p call path (slice_field.path) */
	uint16_t by_nr;     /* which of its lists of fields that is, each change makes a new one: slice_field.by */
	char filter[512];   /* of its hits only these, in the kernel's words, "": all; raw, of a longer one the beginning */
};

/* Of a perf_event_attr that a PMU samples: 1 + precise_ip.  0: of another, whose places have no skid. */
static inline uint8_t session_precise(uint32_t type, unsigned precise_ip)
{
	bool pmu = type == PERF_TYPE_HARDWARE || type == PERF_TYPE_HW_CACHE || type == PERF_TYPE_RAW;

	return pmu || precise_ip ? (uint8_t)(1 + precise_ip) : 0;
}

/* The skid of its samples, in words.  NULL: they have none, or nobody says. */
static inline const char *session_skid(const struct session_event *e)
{
	static const char *const words[] = {"arbitrary", "constant", "zero asked for", "zero"};

	return e->precise && e->precise <= sizeof(words) / sizeof(*words) ? words[e->precise - 1] : NULL;
}

/* An event that is only counted. */
struct session_counter {
	char name[128];   /* as shown, raw */
	char unit[16];    /* of a count times scale: "ns", "Joules", ...; "": plain counts */
	float scale;      /* 1 where a count is in the unit */
	uint32_t type;    /* perf_event_attr's, by which counters that go together are found */
	uint64_t config;
	unsigned group;   /* those that are scheduled together have the same, from 1; 0: of none */
	bool pinned;      /* it is on the hardware whenever it may run, or never again */
	char why[160];    /* why it is not counted, and what to do, "": it is; raw */
	char starved[160]; /* what is said of one that never runs: who holds the hardware; raw */
	char filter[512];  /* as session_event's */
};

/* A machine that is not this one. */
struct session_host {
	char name[256]; /* as it was asked for: [USER@]HOST */
	char host[65];  /* as it calls itself, "": not known yet */
	char note[512]; /* as session_info's */
	unsigned cpus;  /* watched; 0: not known yet */
	pid_t self;     /* our agent's pid there, 0: none */
};

struct session_place {
	uint16_t host;
	int16_t cpu; /* there; -1: its per-thread rings */
	int16_t node; /* NUMA node there, -1: not known */
};

#define SESSION_MARK_NAME 64 /* bytes, the end included */

/* A moment that somebody gave a name. */
struct session_mark {
	uint64_t time; /* ns on the session's clock */
	char name[SESSION_MARK_NAME]; /* raw */
};

#define SESSION_COMMAND_TARGET "command:"

struct session_info {
	char host[65];  /* of several: as they were asked for, as far as it fits */
	char target[256];    /* "whole machine", "pid 42,43"; SESSION_COMMAND_TARGET and the words of a COMMAND */
	char call_graph[32]; /* "", "fp", "dwarf, 8192 bytes", "lbr" */
	char note[512];      /* what was stepped down at the start, and why; or "" */
	uint64_t start_wall; /* CLOCK_REALTIME ns of time 0 */
	unsigned cpus;       /* CPUs watched */
	unsigned nevents;
	struct session_event *events;
	unsigned ncounters;
	struct session_counter *counters;
	struct slice_between between; /* from and to: indexes into events */
	char aux_event[128]; /* as asked for, "": none */
	char pmus[256];      /* names of the machine's PMUs; "": not known */
	char nodes[NUMANODES_TEXT]; /* of one machine: its CPUs by NUMA node, for numanodes_parse; "": not known; of several: places say it */
	bool live;           /* false: a file */
	bool debuginfod;     /* debug files come from servers, too */
	uint64_t length;     /* of a file, ns; 0: not known */
	uint64_t begins;     /* of a file: the time of its first slice */
	bool seeks;          /* SESSION_SEEK goes anywhere in it */
	const struct session_mark *marks; /* that came with a file, the oldest first */
	size_t nmarks;
	const char *saving;  /* the file that all goes to as a time line, and SESSION_MARKs too; NULL: none */
	pid_t self;          /* our pid on the profiled machine, 0: none */
	/*
	 * Machines reached over a wire; none: this one, or a file.  Of several a CPU's number in slices is an
	 * index into places, which grows as hosts are reached: by next() alone.
	 */
	unsigned nhosts, nplaces;
	struct session_host *hosts;
	struct session_place *places; /* NULL: of one machine, CPUs are its own */
};

#define SESSION_CALL_GRAPH "call-graph=" /* the term of an event with call paths of its own */

/* Does it count as the event of `name`?  That one with a call-graph= of its own does. */
static inline bool session_event_counts(const char *event, const char *name)
{
	size_t len = strlen(name), value;

	if (strncmp(event, name, len) != 0)
		return false;
	event += len;
	if (!*event)
		return true;
	if (strncmp(event, "/" SESSION_CALL_GRAPH, 1 + strlen(SESSION_CALL_GRAPH)) != 0)
		return false;
	value = 1 + strcspn(event + 1, ",/");
	return event[value] == '/' && !event[value + 1];
}

/* By which fields events are summed up, any of them, ", " between them: a filter may name these (filter_compile_keys). */
static inline void session_by_names(const struct session_info *info, char *buf, size_t size)
{
	size_t pos = 0;

	*buf = '\0';
	for (unsigned e = 0; e < info->nevents; e++)
		if (*info->events[e].by)
			pos = text_append(buf, size, pos, "%s%s", pos ? ", " : "", info->events[e].by);
}

/* The first event of that name, and where a unit is given of that; false: there is none. */
static inline bool session_event_named(const struct session_info *info, const char *name, const char *unit, unsigned *event)
{
	for (unsigned e = 0; e < info->nevents; e++) {
		if (strcmp(info->events[e].name, name) != 0 || (unit && strcmp(info->events[e].unit, unit) != 0))
			continue;
		*event = e;
		return true;
	}
	return false;
}

/* Which host a CPU number of slices is of, and its number there; of several hosts, its NUMA node, too. */
static inline struct session_place session_place(const struct session_info *info, int cpu)
{
	if (info->places && cpu >= 0 && (unsigned)cpu < info->nplaces)
		return info->places[cpu];
	return (struct session_place){.cpu = (int16_t)cpu, .node = -1};
}

/* The name (raw) of the host that a CPU number is of, where there are several; else "". */
static inline const char *session_place_name(const struct session_info *info, int cpu)
{
	return info->nhosts > 1 ? info->hosts[session_place(info, cpu).host].name : "";
}

enum session_command {
	SESSION_PAUSE,  /* stop the counters */
	SESSION_RESUME,
	SESSION_CODE,   /* a function's instructions: in the `codes` of a slice to come */
	SESSION_RECORD, /* to the file `text` from now on; NULL: end it */
	SESSION_SNAPSHOT, /* what the AUX areas hold into a file; where there are none, the rings */
	SESSION_DUMP,     /* what the sample rings still hold into a file */
	SESSION_EVENTS,   /* change the events as `change` says, of a live session */
	SESSION_FETCH,    /* bring a file that was written over there into the directory `text` */
	SESSION_LINES,    /* where only functions are sent or saved, their lines are, too, from now on to the end */
	SESSION_MARK,     /* the time line that is saved gets this one: `number` is when, `text` what it is called */
	SESSION_SAVE,     /* `past`, and all from now on, to the file `text` as a time line, to the end */
	SESSION_RING_SIZE, /* of ftrace's buffers, each CPU's, from now on `number` bytes */
	SESSION_SEEK,     /* give the slices around the time `number`, as if all began anew there */
	SESSION_COMMANDS
};

enum session_change {
	SESSION_EVENT_ADD,       /* `text`, as for -e; if `number` is not 0, where there are no more than so many then */
	SESSION_EVENT_REPLACE,   /* the same, and `event` is measured no more */
	SESSION_EVENT_OFF,       /* `event` is measured no more */
	SESSION_EVENT_FREQUENCY, /* `event` from now on `number` times a second */
	SESSION_EVENT_PERIOD,    /* or every `number` counts */
	SESSION_EVENT_FILTER,    /* of `event` from now on only what passes `text`, in the kernel's words; "": all */
	SESSION_EVENT_BY,        /* `event` is summed up by `text` from now on, as for --by; "": by nothing */
	/* Where threads wait is measured from now on, as by --off-cpu, where there are no more than `number` events then; 0: no more. */
	SESSION_EVENT_OFFCPU,
	SESSION_EVENT_BETWEEN    /* pairs are made as `text` says from now on, as for --between; "": none; `number` as ADD */
};

/* An event that this machine has, for SESSION_EVENT_ADD, or a field of one. */
struct session_choice {
	char name[128];
	char kind[64];    /* "software", "tracepoint", ... */
	char unit[32];    /* "ns", or "" */
	char text[256];   /* what it counts; raw */
};

struct session_past;

/* What a front end asks of a session; borrowed for the call. */
struct session_request {
	enum session_command command;
	const struct code_place *code; /* SESSION_CODE: the function that is there */
	const char *text; /* SESSION_RECORD: see there; SNAPSHOT, DUMP: why, in words */
	enum session_change change; /* SESSION_EVENTS: what, of which, how much */
	unsigned event;
	uint64_t number;
	struct session_past *past; /* SESSION_SAVE: taken where that begins (past.h) */
	uint32_t snapshot; /* SESSION_FETCH: which (slice_snapshot.nr), 0: the recordings */
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
	 * All that SESSION_EVENTS may add: *list, the caller's to free, and how many.  NULL: none may be added.  May
	 * take some 50 ms.  0; -ENOMEM; -EACCES where nothing can be listed.
	 */
	int (*choices)(struct session *s, struct session_choice **list, size_t *nr, struct err *err);

	/*
	 * What SESSION_EVENT_BY may name of an event: its record's fields, their types as `kind`, and what is no field.
	 * As choices; NULL: none may be changed.  -EINVAL: the event has no records; -EBUSY.
	 */
	int (*fields)(struct session *s, unsigned event, struct session_choice **list, size_t *nr, struct err *err);

	/*
	 * What of this session was saved until now, as a session of its own, the caller's, of the same clock, which seeks
	 * (SESSION_SEEK) where it is long.  NULL: nothing is ever saved; where it returns NULL err says why.
	 */
	struct session *(*saved)(struct session *s, struct err *err);

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
