/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slice - everything that one tick brought: counts by (event, task, call path), losses by cause,
 * one gauge per ring, log lines, and the dictionary entries used for the first time.
 *
 * A slice is made by a session, crosses to the front end's thread whole, and is never changed
 * after that.  Its ids are the session's: an id has the meaning of its last upsert, from the slice
 * that carries the upsert until a later slice's `released` names it; then it may be given out
 * again for something else.  Id 0 means none.  A receiver translates ids into its own.
 *
 * Threads: one owner at a time.  Times are ns on the session's clock (0: the session's start).
 */
#ifndef RINGTOP_CORE_SLICE_SLICE_H
#define RINGTOP_CORE_SLICE_SLICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/buildid.h"
#include "base/vec.h"
#include "system/sandbox/helperfigures.h"
#include "core/slice/sliceaux.h"
#include "core/slice/field.h"
#include "core/slice/latency.h"
#include "core/slice/logged.h"
#include "core/slice/pt.h"

enum lost_cause {
	LOST_OVERWRITTEN, /* the head moved past records that were not read */
	LOST_FULL,        /* no room in a forward ring */
	LOST_PAUSED,      /* the ring was paused to read it */
	LOST_THROTTLED,   /* the kernel throttled the event */
	LOST_DROPPED,     /* ringtop had no room: table full, unwind backlog */
	LOST_LATE,        /* the timer of a clock came late, on a CPU that was busy */
	LOST_UNKNOWN,     /* counted, not sampled, for no known reason */
	LOST_NR,
	/*
	 * Not in slices, as nothing counts it: the model estimates it by times
	 * (model/core/accountsums.h).
	 */
	LOST_MULTIPLEXED = LOST_NR, /* other events held the hardware meanwhile */
	LOST_CAUSES
};

extern const char *const lost_cause_names[LOST_CAUSES]; /* "overwritten", ... : the JSON keys */

/* Reasons why a clock had nothing to sample while it counted. */
enum unsampled_why {
	UNSAMPLED_IDLE,     /* the CPU idled, according to the kernel, and the timer slept too */
	UNSAMPLED_STOLEN,   /* the host of a virtual machine let the CPU wait */
	UNSAMPLED_EXCLUDED, /* code that is not measured (:u, :k), or a timer that was late in it */
	UNSAMPLED_NR
};

extern const char *const unsampled_why_names[UNSAMPLED_NR]; /* "idle", ... : the JSON keys */

/* --- dictionary ------------------------------------------------------------------------- */

enum dict_kind { DICT_STRING, DICT_OBJECT, DICT_SYMBOL, DICT_FRAME, DICT_PATH, DICT_TASK, DICT_NR };

enum object_kind {
	OBJECT_FILE,    /* an ELF file */
	OBJECT_KERNEL,  /* name "[kernel]" */
	OBJECT_MODULE,  /* name "[ext4]" */
	OBJECT_VDSO,    /* name "[vdso]" */
	OBJECT_JIT,     /* generated code, named by a jitdump or perf-PID.map: "[jit]" */
	OBJECT_ANON,    /* anonymous memory: "[heap]", "[stack]", "[anon]"; OBJECT_UNNAMED: all code
	                 * of a process there */
	OBJECT_UNKNOWN, /* no map known: "[unknown]" */
	OBJECT_RINGTOP, /* "[ringtop]": ringtop itself; "[table full]" rows too */
	OBJECT_OUTSIDE, /* code outside this system: "[guest.kernel]", "[guest]", "[hypervisor]",
	                 * OBJECT_UNSEEN */
};

/*
 * Name of the OBJECT_RINGTOP object for functions left out to keep a file or a link's data small.
 */
#define OBJECT_LEFT_OUT "[folded]"
/* Name of the OBJECT_OUTSIDE object for processes invisible in ringtop's PID namespace. */
#define OBJECT_UNSEEN "[other PID namespace]"
#define OBJECT_UNNAMED "[JIT] " /* begins the name of such an object: pid and name follow */

enum object_state {
	OBJECT_LOADING, /* symbols are being read; names will follow */
	OBJECT_READY,
	OBJECT_NAMELESS, /* no symbols can be had; `why` is the reason */
};

struct dict_string {
	uint32_t id, len;
	const char *text; /* len bytes and a NUL; raw: escape before showing */
};

struct dict_object {
	uint32_t id;
	uint32_t name; /* string */
	uint32_t why;  /* string: NAMELESS: why there are no symbols; READY: why there are not all,
	                * or where doubted, why they may be those of another build; or 0 */
	uint16_t host; /* host that it was met on: as dict_task.host */
	uint8_t kind, state;
	bool doubted;
	struct build_id build_id;
	uint32_t apart; /* identifies an object without a file where ids begin anew
	                 * (link/timeline/timeformat.h); 0: its id does */
};

struct dict_symbol {
	uint32_t id;
	uint32_t name;   /* string, demangled */
	uint32_t object; /* object */
	uint32_t also;   /* string: other names of its address (core/slice/aliases.h); 0: none */
	uint64_t addr, size;
};

/*
 * PENDING: file, line and inlined functions are being looked for; the frame will be sent again.
 * OFFSET: addr is the offset in the file, whose segments are not known (yet).
 * WHOLE: stands for all of its function (link/agent/compact.h); addr is one address in it, or its
 * start; the line is not given.
 * LINE: a WHOLE frame that stands for its function's code of that line only, or of no line.
 * IDLE: the kernel's idle loop waits there for an interrupt: nothing runs.
 */
enum frame_flag {
	FRAME_KERNEL = 1, FRAME_SELF = 2, FRAME_INLINED = 4, FRAME_LOST = 8, FRAME_PENDING = 16,
	FRAME_OFFSET = 32, FRAME_WHOLE = 64, FRAME_IDLE = 128, FRAME_PLACE = 256,
	FRAME_LINE = 512
};

#define FRAME_LEVELS_MAX 32 /* functions inlined into each other at one place, and their function */

/*
 * One place in code: of the function whose symbol covers it, or of a function that is inlined
 * there.  Sent again with the same id when its symbol, or its lines, become known.  A frame of a
 * path is always of the first kind; `inner` leads from it to the inlined functions.
 */
struct dict_frame {
	uint32_t id;
	uint32_t object; /* object */
	uint32_t symbol; /* symbol, 0: not known (yet: see the object's state) */
	uint32_t flags;
	uint64_t addr;   /* in the object's own address space (ELF vaddr); the kernel and maps that
	                  * are no file: the absolute address; in a recorded module, without a
	                  * symbol: from the module's start.  In a caller: the last byte of the
	                  * call instruction */
	uint32_t file;   /* string: source file, 0: not known */
	uint32_t line;   /* line of the code, or of the call of `inner`; 0: not known */
	uint32_t inner;  /* frame: function inlined here, of the next level; 0: none */
	uint32_t level;  /* 0, or how deep it is inlined: with FRAME_INLINED */
};

/* A call path is a frame and its caller's path: a trie, outermost caller first. */
struct dict_path {
	uint32_t id;
	uint32_t parent; /* path of the caller, 0: outermost */
	uint32_t frame;
};

enum task_flag { TASK_SELF = 1, TASK_KERNEL = 2, TASK_EXITED = 4 };

struct dict_task {
	uint32_t id;
	uint16_t host;      /* its machine: index into session_info.hosts; 0 where there is one */
	uint32_t comm;      /* string */
	uint32_t proc_comm; /* string: comm of the process's first thread, 0: not known yet */
	uint32_t flags;
	int32_t pid, tid;
	/* Owner, as far as it is known: strings, 0: not known. */
	uint32_t user;   /* user name; the number where it has none */
	uint32_t cgroup; /* path of its cgroup */
	uint32_t parent; /* comm of the process that forked its process; "(none)": no process did */
	int32_t ppid;    /* pid of that process, 0: not known, or none */
};

/*
 * Ids of several sessions in one slice (link/remote/fleetids.h) have the session's number in their
 * high bits: session n's ids are its own, each below DICT_IDS, plus n * DICT_IDS.
 */
#define DICT_IDS     0x2000000u
#define DICT_SOURCES 64

/*
 * Ids from here on are temporary: they mean nothing outside their slice and are in no released
 * list.  Only slice_merge makes them, where an id was released and given out again inside what
 * became one slice: the earlier meaning lives on under a temporary id.
 */
#define DICT_TEMP 0x80000000u

/* Before anything else in the slice is read, `to` takes over the meaning of `from`, now unset. */
struct dict_move {
	uint32_t from, to;
};

/* Entries in an order in which each one's references come before it. */
struct dict_delta {
	struct dict_string *strings;
	struct dict_object *objects;
	struct dict_symbol *symbols;
	struct dict_frame *frames;
	struct dict_path *paths;
	struct dict_task *tasks;
	size_t nr[DICT_NR], cap[DICT_NR];
	uint32_t *released[DICT_NR]; /* ids that mean nothing from the NEXT slice on */
	size_t nreleased[DICT_NR], cap_released[DICT_NR];
	struct dict_move *moved[DICT_NR]; /* only in merged slices */
	size_t nmoved[DICT_NR], cap_moved[DICT_NR];
	uint32_t ntemps[DICT_NR]; /* temporary ids are DICT_TEMP .. DICT_TEMP + ntemps - 1 */
};

/*
 * Layout of entries, for code that treats all kinds alike: each begins with its id; refs are other
 * ids.
 */
extern const struct dict_shape {
	size_t array; /* offset of the array's pointer in struct dict_delta */
	size_t size;
	struct {
		size_t offset;
		enum dict_kind kind;
	} refs[5];
	unsigned nrefs;
	size_t host; /* offset of its uint16_t host; 0: it is of no host */
} dict_shapes[DICT_NR];

/* Return the array of the entries of a kind; NULL: empty, never reserved. */
static inline char *dict_entries(const struct dict_delta *d, enum dict_kind kind)
{
	char *array;

	memcpy(&array, (const char *)d + dict_shapes[kind].array, sizeof(array));
	return array;
}

static inline uint32_t dict_entry_id(const struct dict_delta *d, enum dict_kind kind, size_t i)
{
	uint32_t id;

	memcpy(&id, dict_entries(d, kind) + i * dict_shapes[kind].size, sizeof(id));
	return id;
}

/* Return the address of an entry's host; of a kind that has one. */
static inline uint16_t *dict_host(const void *entry, enum dict_kind kind)
{
	return (uint16_t *)(void *)((char *)entry + dict_shapes[kind].host);
}

/* --- measurements ----------------------------------------------------------------------- */

struct slice_row {
	uint32_t path, task;
	uint16_t event; /* index into session_info.events */
	uint16_t cpu;
	uint32_t samples;
	uint64_t weight; /* sum of the samples' periods, in the event's unit */
};

/*
 * One event on one CPU (cpu -1: per-thread rings).  Over any stretch of slices
 *   sum(counted) = sum(attributed) + sum(lost) + sum(unsampled) + last pending - first pending,
 * where "first" is the slice before the stretch.  All in the event's unit.
 */
struct slice_account {
	uint16_t event;
	int16_t cpu;
	bool exact;          /* false: `lost` is an estimate (the period is not fixed) */
	uint32_t throttles;  /* THROTTLE records */
	uint64_t samples;    /* samples that reached the table */
	uint64_t counted;    /* count of the counter itself, in this slice */
	uint64_t attributed; /* sum of the periods of these samples */
	uint64_t lost[LOST_NR];
	uint64_t lost_samples[LOST_NR]; /* `lost` as numbers of samples */
	int64_t unsampled;   /* a clock ran and there was nothing to sample; no loss.  May fall, as
	                      * more becomes known */
	int64_t unsampled_why[UNSAMPLED_NR]; /* `unsampled` by cause */
	uint64_t pending;    /* at the slice's end: counted of a period that has not ended (a
	                      * clock: of up to two, its timer may be late), or not yet known to be
	                      * idle or lost, as the kernel tells idle time roughly */
	/*
	 * Times of the whole CPU from /proc/stat, in ns, exact to 10 ms: in the account of the
	 * first event on each CPU, where no clock of the whole CPU is more exact.  stat_ns 0: not
	 * read.
	 */
	uint64_t stat_ns, stat_idle, stat_stolen, stat_user, stat_kernel;
	/*
	 * ns that it was to count, and of these, ns without a hardware counter.  enabled 0: not
	 * known.
	 */
	uint64_t enabled, starved;
	uint64_t others;     /* hits in unmeasured tasks: in the kernel's counter, not in
	                      * `counted` */
};

enum ring_kind { RING_SAMPLE, RING_SIDEBAND, RING_AUX, RING_FTRACE };
enum ring_mode { RING_OVERWRITE, RING_FORWARD };
enum ring_state { RING_LIVE, RING_OFFLINE, RING_PAUSING }; /* PAUSING: read by pausing it */

extern const char *const ring_kind_names[];  /* "sample", "sideband", "aux", "ftrace" */
extern const char *const ring_mode_names[];  /* "overwrite", "forward" */

#define GAUGE_UNKNOWN UINT64_MAX /* not measured: prints "-" / null, never 0 */

/* Return the sum of the known ones of two; GAUGE_UNKNOWN: none is. */
static inline uint64_t gauge_sum(uint64_t a, uint64_t b)
{
	return a == GAUGE_UNKNOWN ? b : b == GAUGE_UNKNOWN ? a : a + b;
}

/*
 * The kernel's statistics of an ftrace ring at the slice's end, in events: since the session's
 * start, but for entries.
 */
struct slice_ftrace {
	uint64_t entries; /* now in it and not read */
	uint64_t overrun, commit_overrun, dropped, read;
};

/* One ring.  The array index is the ring's identity for the whole session. */
struct slice_gauge {
	int16_t cpu;  /* -1: per-thread */
	uint8_t kind, mode, state;
	int32_t tid;  /* per-thread rings: the thread; else 0 */
	uint64_t size;
	uint64_t unread;     /* bytes waiting when last read (may exceed size: overwritten) */
	uint64_t unread_max; /* the most in this slice */
	uint64_t bytes, records;
	uint64_t lost;             /* records that the kernel reported as lost; or UNKNOWN */
	uint64_t overwritten_bytes; /* or UNKNOWN (forward rings) */
	uint64_t wakeups;          /* wakeups of the reader by the watermark */
	uint64_t oldest_ns;        /* age of the oldest unread record when last read; or UNKNOWN */
	uint64_t late_ns;          /* from when the ring had passed its watermark to our reading it,
	                            * the most in this slice; or UNKNOWN */
	struct slice_ftrace ftrace; /* for RING_FTRACE */
};

enum slice_log_level { SLICE_INFO, SLICE_WARNING };

struct slice_log {
	uint8_t level;
	char *text;
};

enum slice_unwind_end {
	SLICE_UNWIND_OUTERMOST, /* the whole path */
	SLICE_UNWIND_TRUNCATED, /* the stack goes on beyond its copy */
	SLICE_UNWIND_LIMIT,     /* the path has more addresses than we keep */
	SLICE_UNWIND_BROKEN,    /* no caller found: unwind information missing or wrong */
	SLICE_UNWIND_ENDS
};

extern const char *const slice_unwind_end_names[SLICE_UNWIND_ENDS]; /* the JSON keys */

/* Paths made of sampled registers and copies of stacks.  All 0 where they are not requested. */
struct slice_unwind {
	uint32_t stack_bytes; /* bytes copied of a stack at most; 0: no unwinding */
	uint64_t samples;     /* unwound */
	uint64_t frames, guessed; /* frames in user space; guessed: by the frame pointer alone */
	uint64_t slow;        /* samples that libunwind unwound */
	uint64_t ends[SLICE_UNWIND_ENDS];
	uint64_t compat;      /* samples of 32-bit code: not unwound */
	uint64_t dropped;     /* not unwound for want of room, or of time at the end: leaf alone */
	/*
	 * Samples of events that are auto (sources/change/autopaths.h) whose path is the kernel's
	 * chain, though their stack was copied:
	 */
	uint64_t chained;     /* the chain leads farther, or as far */
	uint64_t crowded;     /* the backlog had no room for the copy */
	/* State at the slice's end, but for bytes_max. */
	uint64_t waiting;     /* samples that a whole tick was not enough for */
	uint64_t bytes, capacity; /* copies waiting at the tick, and room for them; capacity 0:
	                           * nothing waits, a file is read */
	uint64_t bytes_max;   /* the most in this slice */
	uint32_t auto_stack;  /* bytes that auto events copy of a stack; 0: frame pointers alone */
	uint64_t auto_rate, auto_budget; /* bytes a second of samples with copies, and
	                                  * their limit; 0: no event is auto */
	/*
	 * Samples whose path is the kernel's chain: with first callers that are proved, of these
	 * with some that the chain lacks, and with such that are not (files/unwind/proof.h).
	 */
	uint64_t proved, inserted, unproved;
};

/* Add the counts of `before` to `later`, which follows it in time. */
void slice_unwind_add(struct slice_unwind *later, const struct slice_unwind *before);

/* Use of most of ringtop's own CPU time, of late. */
enum self_cause {
	SELF_NOTHING,   /* next to none was taken, or it was not measured */
	SELF_READING,   /* rings: readers */
	SELF_RESOLVING, /* the tick: rows, maps, slices */
	SELF_UNWINDING,
	SELF_NAMES,     /* symbols, JITs' maps, code */
	SELF_LINES,
	SELF_TRACES,    /* Intel PT, files of -i */
	SELF_PRINTING,  /* tracepoints' records as lines */
	SELF_WRITING,   /* recordings, snapshots, time lines */
	SELF_SHOWING,   /* the screen, reports, an agent's wire */
	SELF_CAUSES
};

extern const char *const self_cause_names[SELF_CAUSES]; /* "nothing", "reading rings", ... : the
							 * JSON values */

struct slice_self {
	uint64_t cpu_ns;    /* CPU time of our process and its helpers in this slice */
	uint64_t rss_bytes; /* their resident memory now */
	uint32_t table_rows, table_capacity; /* the fullest generation in this slice */
	uint64_t unresolved;  /* samples whose leaf has no name (not counting objects loading) */
	uint64_t queued;      /* objects and processes waiting for a worker */
	uint32_t loading;     /* objects loading now */
	uint32_t merged;      /* slices merged into this one: the front end was late */
	/*
	 * Sideband records dropped as too old from those kept for snapshots, whose room is limited.
	 * Snapshots lack the information of these records.
	 */
	uint64_t maps_forgotten, switches_forgotten;
	/* --max-memory: bytes taken now, the limit, and requests refused in this slice. */
	uint64_t budget_bytes, budget_limit, budget_refusals;
	uint64_t process_maps_forgotten; /* executable maps of processes that have more than is
	                                  * kept */
	uint64_t names_given_up; /* addresses without names, which took too long to come */
	uint64_t births_unsure; /* threads that are perhaps not measured: forked while their
	                         * parents' events were opened */
	uint8_t cause;          /* enum self_cause: of the last second or so */
	uint32_t cpu_limit;     /* --max-cpu of all CPUs watched, in percent of one; 0: none */
	uint32_t rate_divisor;  /* factor by which events are sampled less than requested because of
	                         * cpu_limit; 0, 1: they are not */
	char memory[128];       /* raw: largest user of --max-memory, "": little is taken */
	struct slice_unwind unwind;
	char shallow[80];       /* raw: files whose code keeps no frame pointers, found where an
	                         * event is auto; "": none of late */
};

/* Clear all that is no state, for a slice of time in which nothing came: counts and texts. */
void slice_self_quiet(struct slice_self *s);

/* Add the counts of `before` to `later`, which follows it in time and keeps its states. */
void slice_self_add(struct slice_self *later, const struct slice_self *before);

struct code; /* code.h */
enum recording_state {
	RECORDING_NONE,
	RECORDING_ON,
	RECORDING_ENDING, /* its last records are being written */
	RECORDING_DONE,   /* the file is there */
	RECORDING_FAILED, /* ended by an error, which is in the log */
	RECORDING_STATES
};

extern const char *const recording_state_names[RECORDING_STATES]; /* "none", "on", "ending", ... */

/* The recording to a file, as it stands at the slice's end. */
struct slice_recording {
	uint8_t state;     /* enum recording_state */
	char file[256];    /* raw: escape before showing; the end of a longer path */
	uint64_t bytes;    /* size of the file so far */
	uint64_t samples;  /* samples in the file */
	uint64_t lost;     /* samples that are not: no room in a ring, or on the way to the disk */
	uint64_t lost_sideband; /* other records lost on that way: maps, names, switches */
	uint64_t lost_aux; /* bytes of trace that were taken for it and are not in it, once it has
	                    * ended */
	uint64_t since;    /* session time of its start */
};

enum host_state {
	HOST_CONNECTING, /* never reached yet */
	HOST_UP,
	HOST_LATE,   /* connected, but nothing comes */
	HOST_CUT,    /* the connection is lost: it is tried again */
	HOST_ENDED,  /* its session ended by itself */
	HOST_FAILED, /* no more attempts are made: see `why` */
	HOST_STATES
};

extern const char *const host_state_names[HOST_STATES]; /* "connecting", "up", ... : the JSON
							 * keys */

/*
 * Another machine that slices come from, as it stands at the slice's end.  The array index is its
 * number (session_info.hosts).  Bytes, merged and folded are counts of the slice.
 */
struct slice_host {
	uint8_t state;
	uint32_t beat_ms;       /* length of its slices, where the link does not make them longer */
	uint64_t since;         /* session time from which on it is in that state */
	uint64_t behind_ns;     /* age of the newest slice that has come from it; or UNKNOWN */
	uint64_t bytes_in, bytes_out; /* over the link, as sent */
	uint64_t round_trip_ns; /* the least of late; or UNKNOWN */
	int64_t offset_ns;      /* its wall clock less ours; 0 where round_trip_ns is UNKNOWN */
	uint64_t error_ns;      /* possible error of the offset; or UNKNOWN */
	uint32_t merged;        /* slices merged into longer ones to save bytes on the link */
	uint64_t folded_samples; /* samples in rows shown as "[folded]" to save bytes on the link */
	uint64_t folded_rows;
	struct slice_self self;
	struct slice_recording recording;
	char why[160];          /* raw: why it is in that state, or "" */
};

/* Add the counts of `before` to `later`, which follows it in time and keeps its states. */
void slice_host_add(struct slice_host *later, const struct slice_host *before);

/*
 * An event that came, went or is sampled in another way from the slice's start on.  Only in slices
 * of a live session on this machine.
 */
struct slice_change {
	uint16_t event;     /* its index; a new event is behind all others */
	bool on, was_on;    /* measured; measured before */
	bool is_clock;      /* its unit is ns */
	uint64_t period, was_period;       /* fixed, in its unit; 0: by frequency */
	uint32_t frequency, was_frequency; /* Hz; 0: by period */
	char name[128];     /* raw */
	char filter[512];   /* raw */
	uint16_t by_nr;     /* number of the list of fields `by`, as slice_field.by */
	char by[SLICE_FIELD_NAMES];
	char by_kinds[SLICE_FIELD_KINDS];
};

/*
 * One event that is counted without samples, on one CPU, or of one thread and the tasks it has
 * forked since, on whichever CPUs they ran.  A slice has the counters that were read for it, each
 * once.  Where running is less than enabled other events had the hardware meanwhile: the count
 * covers the time it ran only.
 */
struct slice_counter {
	uint16_t counter; /* index into session_info.counters */
	int16_t cpu;      /* -1: counts a thread */
	int32_t tid;      /* the thread; 0: every task that ran on the CPU */
	uint64_t count;   /* count as read; times the counter's scale it is in its unit */
	uint64_t enabled, running; /* ns */
};

#define SLICE_THROTTLE_PATH 384

/*
 * How long the CPU quota of a cgroup made it wait, from its cpu.stat: of the cgroups in which a
 * period with a quota ended, each once after part_fold().
 */
struct slice_throttle {
	uint16_t host; /* see dict_task.host */
	uint64_t periods, throttled; /* periods of the quota; of them, those with a wait */
	uint64_t ns;                 /* time waited, summed over CPUs */
	char cgroup[SLICE_THROTTLE_PATH]; /* raw: its path; "": several, for want of room */
};

/* Arrays and owned structs of struct slice, in the order in which they are merged and checked. */
enum part_id {
	/* Definitions: the parts below refer to them. */
	PART_CHANGES, PART_BETWEEN, PART_LISTS,
	PART_ROWS, PART_ACCOUNTS, PART_FIELDS,
	/* Sums by a key, without ids of the dictionary, that the model keeps (core/partsums.h). */
	PART_SUMMED, PART_COUNTERS = PART_SUMMED, PART_THROTTLES, PART_LATENCY,
	PART_SUMMED_END, PART_LOGGED = PART_SUMMED_END, PART_GAUGES, PART_AUX, PART_SNAPSHOTS,
	PART_HOSTS, PART_LOGS, PART_PT, PART_CODES, PART_NR
};

/* An array of a slice, its number of elements and its capacity. */
#define SLICE_ARRAY(type, name) type *name; size_t n##name, cap_##name

/*
 * Arrays and owned structs have a row in core/slice/sliceparts.c, which says how they are merged,
 * freed and renumbered; the single figures are merged in merge.c.
 */
struct slice {
	uint64_t start, end;
	uint64_t wall; /* CLOCK_REALTIME ns at end */
	struct dict_delta dict;
	SLICE_ARRAY(struct slice_row, rows);
	SLICE_ARRAY(struct slice_account, accounts);
	SLICE_ARRAY(struct slice_counter, counters);
	SLICE_ARRAY(struct slice_field, fields);
	SLICE_ARRAY(struct slice_fieldlist, lists);
	SLICE_ARRAY(struct slice_throttle, throttles);
	SLICE_ARRAY(struct slice_gauge, gauges);
	SLICE_ARRAY(struct slice_log, logs);
	SLICE_ARRAY(struct slice_aux, aux);
	SLICE_ARRAY(struct slice_snapshot, snapshots);
	SLICE_ARRAY(struct slice_host, hosts);
	SLICE_ARRAY(struct slice_change, changes);
	SLICE_ARRAY(struct slice_logged, logged); /* in order of time, but for late ones */
	SLICE_ARRAY(struct code *, codes); /* replies to requests for code; owned */
	struct slice_between *between; /* pairs from the slice's start on, owned; NULL: as before */
	struct slice_latency *latency; /* or NULL; owned */
	struct slice_pt *pt; /* newest decoded snapshot of Intel PT, or NULL; owned */
	struct slice_logging logging;
	struct slice_self self;
	struct sandbox_figures helpers[SANDBOX_PROCESSES]; /* totals, updated now and then */
	struct slice_recording recording;
	float progress; /* part of a session's file that was read, 0..1; 0: not known */
	bool last; /* the session ended with this slice */
};

struct slice *slice_create(void); /* NULL: out of memory */

/* Like slice_create(), with room for so many accounts and gauges: adding these does not fail. */
struct slice *slice_create_for(size_t accounts, size_t gauges);
void slice_free(struct slice *s);
void dict_delta_clear(struct dict_delta *d); /* frees its arrays and strings */
/* Make room for `need` entries in all.  False: out of memory. */
bool dict_delta_reserve(struct dict_delta *d, enum dict_kind kind, size_t need);

/* Make room in d for all that is in e.  False: out of memory. */
bool dict_delta_reserve_all(struct dict_delta *d, const struct dict_delta *e);

/* Move all that is in e behind what d has, and has room for.  No id is changed. */
void dict_delta_append(struct dict_delta *d, struct dict_delta *e);

/* Append; the returned element is zeroed and valid until the next append.  NULL: out of memory. */
#define SLICE_ADD(element, array)                                                                  \
	static inline __typeof__(((struct slice *)0)->array) slice_add_##element(struct slice *s)  \
	{                                                                                          \
		return VEC_ADD(s->array, s->n##array, s->cap_##array);                             \
	}
SLICE_ADD(row, rows)
SLICE_ADD(account, accounts)
SLICE_ADD(counter, counters)
SLICE_ADD(field, fields)
SLICE_ADD(list, lists)
SLICE_ADD(throttle, throttles)
SLICE_ADD(gauge, gauges)
SLICE_ADD(aux, aux)
SLICE_ADD(host, hosts)
SLICE_ADD(change, changes)

/* Append a reply and own it; it is freed on failure.  0 or -ENOMEM. */
int slice_add_code(struct slice *s, struct code *c);

/* Append a log line.  0 or -ENOMEM. */
int slice_log(struct slice *s, enum slice_log_level level, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Append a copy of `snapshot` with its texts.  0 or -ENOMEM. */
int slice_add_snapshot(struct slice *s, const struct slice_snapshot *snapshot);

/*
 * Append a dictionary entry of `kind`, copied from `entry` (struct dict_string ...; a string's
 * bytes are copied too), or an id to the released ones.  0 or -ENOMEM.
 */
int slice_upsert(struct slice *s, enum dict_kind kind, const void *entry);
int slice_release(struct slice *s, enum dict_kind kind, uint32_t id);

/* Append b, the same ring in the time that follows, to a: counts are summed up, states are b's. */
void slice_gauge_add(struct slice_gauge *a, const struct slice_gauge *b);

/*
 * Mark a ring that is not open or whose reader has not answered: `unread`, and all figures unless
 * the ring was read in this slice before it was closed, become GAUGE_UNKNOWN; `lost` only if 0.
 */
void slice_gauge_unread(struct slice_gauge *g);

#endif
