/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session - a source of slices: this machine, a file, another machine, a test.
 *
 * All have the same operations.  Threads: all calls from one thread, the front end's; a session may
 * run threads of its own.
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

#define SESSION_EVENTS_MORE 16 /* events that may be added to a live session while it runs */

struct session_event {
	char name[128];     /* as shown: "cpu-clock", "sched:sched_switch:k" */
	const char *unit;   /* "ns", or "" for plain counts */
	uint64_t period;    /* fixed period in the unit, 0: by frequency */
	uint32_t frequency; /* requested Hz, 0: fixed period */
	bool off;           /* no longer measured */
	/* The kernel sums it up: fields have no min, max and hist, and there are no other rows. */
	bool in_kernel;
	uint8_t precise;    /* skid of its samples' addresses, from session_precise */
	char weight[64];    /* name of the field that is the weight; "": the unit; raw */
	/* names of the fields in slice_field's keys, with ", " between; "": none */
	char by[SLICE_FIELD_NAMES];
	/* a letter per field: n number, s text, p call path (slice_field.path) */
	char by_kinds[SLICE_FIELD_KINDS];
	/* number of this list of fields, as slice_field.by; each change makes a new list */
	uint16_t by_nr;
	char filter[512];   /* in the kernel's syntax, "": all hits; raw; a longer one is cut */
};

/* Return 1 + precise_ip of an attr that a PMU samples; 0: another one, without skid. */
static inline uint8_t session_precise(uint32_t type, unsigned precise_ip)
{
	bool pmu =
		type == PERF_TYPE_HARDWARE || type == PERF_TYPE_HW_CACHE || type == PERF_TYPE_RAW;

	return pmu || precise_ip ? (uint8_t)(1 + precise_ip) : 0;
}

/* Return the skid of the event's samples as text; NULL: none, or not known. */
static inline const char *session_skid(const struct session_event *e)
{
	static const char *const words[] = {"arbitrary", "constant", "zero asked for", "zero"};

	return e->precise && e->precise <= sizeof(words) / sizeof(*words) ? words[e->precise - 1]
									  : NULL;
}

/* An event that is only counted. */
struct session_counter {
	char name[128];   /* as shown, raw */
	char unit[16];    /* of count * scale: "ns", "Joules", ...; "": plain counts */
	float scale;      /* 1 if counts are in the unit */
	/* perf_event_attr's; with config it identifies counters for derived figures */
	uint32_t type;
	uint64_t config;
	unsigned group;   /* number of the group that is scheduled together, from 1; 0: none */
	bool pinned;      /* it is on the hardware whenever it may run, or never again */
	char why[160];    /* why it is not counted, and a remedy; "": it is counted; raw */
	char starved[160]; /* text if it never runs: the user of the hardware; raw */
	char filter[512];  /* as session_event's */
};

/* Another machine. */
struct session_host {
	char name[256]; /* as the user gave it: [USER@]HOST */
	char host[65];  /* its own host name, "": not known yet */
	char note[512]; /* as session_info's */
	unsigned cpus;  /* watched; 0: not known yet */
	pid_t self;     /* the agent's pid there, 0: none */
};

struct session_place {
	uint16_t host; /* index into session_info.hosts */
	int16_t cpu; /* CPU number there; -1: its per-thread rings */
	int16_t node; /* NUMA node there, -1: not known */
};

#define SESSION_MARK_NAME 64 /* bytes with the NUL */

/* A time with a name. */
struct session_mark {
	uint64_t time; /* ns on the session's clock */
	char name[SESSION_MARK_NAME]; /* raw */
};

#define SESSION_COMMAND_TARGET "command:"

struct session_info {
	char host[65];  /* host name; several: as the user gave them, as far as they fit */
	/* "whole machine", "pid 42,43"; SESSION_COMMAND_TARGET and a COMMAND's words */
	char target[256];
	char call_graph[32]; /* "", "fp", "dwarf, 8192 bytes", "lbr" */
	char note[512];      /* settings reduced at the start, and why; or "" */
	uint64_t start_wall; /* CLOCK_REALTIME ns of time 0 */
	unsigned cpus;       /* CPUs watched */
	unsigned nevents;
	struct session_event *events;
	unsigned ncounters;
	struct session_counter *counters;
	struct slice_between between; /* from and to: indexes into events */
	char aux_event[128]; /* as requested, "": none */
	char pmus[256];      /* names of the machine's PMUs; "": not known */
	/* CPUs by NUMA node, for numanodes_parse; "": not known, or several: see places */
	char nodes[NUMANODES_TEXT];
	bool live;           /* false: a file */
	bool debuginfod;     /* debug files may come from servers, too */
	uint64_t length;     /* of a file, ns; 0: not known */
	uint64_t begins;     /* of a file: the time of its first slice, ns */
	bool seeks;          /* SESSION_SEEK can go to any time */
	const struct session_mark *marks; /* of a file, oldest first */
	size_t nmarks;
	const char *saving;  /* file to which slices and SESSION_MARKs are saved; NULL: none */
	pid_t self;          /* ringtop's pid on the profiled machine, 0: none */
	/*
	 * Remote machines; none: this machine, or a file.  With several, a CPU's number in slices
	 * is an index into places, which grows as hosts are reached, only in next().
	 */
	unsigned nhosts, nplaces;
	struct session_host *hosts;
	struct session_place *places; /* NULL: one machine, with its own CPU numbers */
};

#define SESSION_CALL_GRAPH "call-graph=" /* term of an event with its own call path mode */

/* Return true if `event` is `name`, or `name` with only a call-graph= term. */
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

/*
 * Write the fields of all events' keys, with ", " between: a filter may name these
 * (rowfilter_compile_keys).
 */
static inline void session_by_names(const struct session_info *info, char *buf, size_t size)
{
	size_t pos = 0;

	*buf = '\0';
	for (unsigned e = 0; e < info->nevents; e++)
		if (*info->events[e].by)
			pos = text_append(buf, size, pos, "%s%s", pos ? ", " : "",
					  info->events[e].by);
}

/* Find the first event of that name, and of that unit if not NULL.  False: there is none. */
static inline bool session_event_named(const struct session_info *info, const char *name,
				       const char *unit, unsigned *event)
{
	for (unsigned e = 0; e < info->nevents; e++) {
		if (strcmp(info->events[e].name, name) != 0 ||
		    (unit && strcmp(info->events[e].unit, unit) != 0))
			continue;
		*event = e;
		return true;
	}
	return false;
}

/* Return the host, number there, and (with several hosts) NUMA node of a slice's CPU number. */
static inline struct session_place session_place(const struct session_info *info, int cpu)
{
	if (info->places && cpu >= 0 && (unsigned)cpu < info->nplaces)
		return info->places[cpu];
	return (struct session_place){.cpu = (int16_t)cpu, .node = -1};
}

/* Return the name (raw) of a CPU number's host if there are several; else "". */
static inline const char *session_place_name(const struct session_info *info, int cpu)
{
	return info->nhosts > 1 ? info->hosts[session_place(info, cpu).host].name : "";
}

enum session_command {
	SESSION_PAUSE,  /* stop the counters */
	SESSION_RESUME,
	SESSION_CODE,   /* send a function's instructions in the `codes` of a later slice */
	SESSION_RECORD, /* record to the file `text` from now on; NULL: end recording */
	SESSION_SNAPSHOT, /* write the AUX areas to a file; without any, the rings */
	SESSION_DUMP,     /* write the contents of the sample rings to a file */
	SESSION_EVENTS,   /* change a live session's events by `change` */
	SESSION_FETCH,    /* fetch a file written on the remote host into the directory `text` */
	/* from now on to the end, send and save lines where only functions were */
	SESSION_LINES,
	/* add a mark to the saved time line: at time `number`, with the name `text` */
	SESSION_MARK,
	SESSION_SAVE,     /* save `past`, and all from now on, to the file `text` as a time line */
	SESSION_RING_SIZE, /* set each CPU's ftrace buffer to `number` bytes */
	SESSION_SEEK,     /* begin anew with the slices around the time `number` */
	SESSION_COMMANDS
};

enum session_change {
	/* Add the event `text`, as for -e, if that makes at most `number` events; 0: no limit. */
	SESSION_EVENT_ADD,
	SESSION_EVENT_REPLACE,   /* like ADD, and stop measuring `event` */
	SESSION_EVENT_OFF,       /* stop measuring `event` */
	SESSION_EVENT_FREQUENCY, /* sample `event` `number` times a second */
	SESSION_EVENT_PERIOD,    /* sample `event` every `number` counts */
	/* set `event`'s filter to `text`, in the kernel's syntax; "": none */
	SESSION_EVENT_FILTER,
	SESSION_EVENT_BY,        /* sum `event` by the fields `text`, as for --by; "": none */
	/* Measure where threads wait, as --off-cpu; `number`: as for ADD, but 0: stop. */
	SESSION_EVENT_OFFCPU,
	/* make pairs by `text`, as for --between; "": none; `number` as for ADD */
	SESSION_EVENT_BETWEEN
};

/* An event of the machine, for SESSION_EVENT_ADD, or a field of one. */
struct session_choice {
	char name[128];
	char kind[64];    /* "software", "tracepoint", ... */
	char unit[32];    /* "ns", or "" */
	char text[256];   /* description; raw */
};

struct session_backfill;

/* A front end's request to a session; borrowed during the call. */
struct session_request {
	enum session_command command;
	const struct code_place *code; /* SESSION_CODE: a place in the function */
	const char *text; /* see the command; SNAPSHOT, DUMP: the reason */
	enum session_change change; /* SESSION_EVENTS: with `event` and `number` */
	unsigned event;
	uint64_t number;
	struct session_backfill *past; /* SESSION_SAVE: emptied if saving begins */
	uint32_t snapshot; /* SESSION_FETCH: its slice_snapshot.nr; 0: the recordings */
};

/* A session's outcome, for the final summary and the exit status. */
struct session_end {
	bool command;      /* ringtop ran a COMMAND, and it ended */
	int command_status; /* from waitpid */
	int error;         /* 0 or -errno: the session failed while running */
	char text[512];    /* why it ended, or "" */
};

struct session;

struct session_ops {
	const char *name;

	/*
	 * Return the next slice in *slice, owned by the caller, or NULL if none is ready.  Return
	 * 0; -ESHUTDOWN: the session has ended and every slice was taken; other -errno: it has
	 * failed.  Never blocks: poll `fd` first.
	 */
	int (*next)(struct session *s, struct slice **slice);

	/* Return an fd to poll: readable while a slice, or an end not yet returned, is ready. */
	int (*fd)(struct session *s);

	/*
	 * Execute a request; never blocks.  Return 0, or -errno with err: -EOPNOTSUPP: this session
	 * cannot; -EBUSY; other.  Code can be requested after the end, too: then it comes in slices
	 * that next() returns before it returns -ESHUTDOWN again.
	 */
	int (*command)(struct session *s, const struct session_request *rq, struct err *err);

	/*
	 * List all events that SESSION_EVENTS may add in *list, for the caller to free.  May take
	 * some 50 ms.  Return 0; -ENOMEM; -EACCES: none can be listed.  May be NULL: no events may
	 * be added.
	 */
	int (*choices)(struct session *s, struct session_choice **list, size_t *nr,
		       struct err *err);

	/*
	 * List all names that SESSION_EVENT_BY may use for an event, like `choices`: its record's
	 * fields, with their types as `kind`, and other keys.  -EINVAL: the event has no records;
	 * -EBUSY.  May be NULL: keys cannot be changed.
	 */
	int (*fields)(struct session *s, unsigned event, struct session_choice **list, size_t *nr,
		      struct err *err);

	/*
	 * Open the time line saved so far as a session of the caller's, with the same clock, which
	 * seeks (SESSION_SEEK) if it is long.  Returns NULL with err.  May be NULL: the session is
	 * never saved.
	 */
	struct session *(*saved)(struct session *s, struct err *err);

	/*
	 * Stop measuring.  The rest of the rings follows in slices, the last one marked `last`;
	 * then next() returns -ESHUTDOWN.
	 */
	void (*stop)(struct session *s);

	/* Write the outcome; valid after next() returned -ESHUTDOWN. */
	void (*end)(struct session *s, struct session_end *end);

	/* Free everything, whether stopped or not.  Blocks for workers' running jobs. */
	void (*close)(struct session *s);

	/*
	 * Prepare for the process's end: end what would outlive it (a COMMAND), and finish what
	 * must not stay incomplete (a recording; end() has its outcome).  Blocks for these only.
	 */
	void (*abandon)(struct session *s);
};

/* The first member of every session. */
struct session {
	const struct session_ops *ops;
	struct session_info info; /* fixed once open, but for changes in next() */
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
