/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slice - everything that one tick brought: counts by (event, task, call path), what was lost by
 * cause, one gauge per ring, log lines, and the dictionary entries used for the first time.
 *
 * A slice is made by a session, crosses to the front end's thread whole, and is never changed
 * after that.  Its ids are the session's: an id means what the last upsert said, from the slice
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
#include "system/fence/figures.h"
#include "core/slice/aux.h"
#include "core/slice/counter.h"
#include "core/slice/field.h"
#include "core/slice/latency.h"
#include "core/slice/logged.h"
#include "core/slice/pt.h"
#include "core/slice/throttle.h"

enum lost_cause {
	LOST_OVERWRITTEN, /* the head moved past what was not read */
	LOST_FULL,        /* no room in a forward ring */
	LOST_PAUSED,      /* the ring was paused to read it */
	LOST_THROTTLED,   /* the kernel throttled the event */
	LOST_DROPPED,     /* ringtop had no room: table full, unwind backlog */
	LOST_LATE,        /* the timer of a clock came late, on a CPU that was busy */
	LOST_UNKNOWN,     /* counted, not sampled, and nobody says why */
	LOST_NR,
	/* No slice has it, for nobody counted it: the model estimates it by times (model/core/account.h). */
	LOST_MULTIPLEXED = LOST_NR, /* other events held the hardware meanwhile */
	LOST_CAUSES
};

extern const char *const lost_cause_names[LOST_CAUSES]; /* "overwritten", ... : the JSON keys */

/* Why a clock had nothing to sample while it counted. */
enum unsampled_why {
	UNSAMPLED_IDLE,     /* the CPU idled, says the kernel, and the timer slept too */
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
	OBJECT_ANON,    /* anonymous memory: "[heap]", "[stack]", "[anon]"; OBJECT_UNNAMED: all of a process's code there */
	OBJECT_UNKNOWN, /* no map known: "[unknown]" */
	OBJECT_RINGTOP, /* "[ringtop]": we ourselves; "[table full]" rows too */
	OBJECT_OUTSIDE, /* code of none of this system: "[guest.kernel]", "[guest]", "[hypervisor]", OBJECT_UNSEEN */
};

/* The name of the object, of kind OBJECT_RINGTOP, that stands for functions left out for a file's or a link's sake. */
#define OBJECT_LEFT_OUT "[folded]"
/* The name of the object, of kind OBJECT_OUTSIDE, of processes that cannot be seen from ringtop's PID namespace. */
#define OBJECT_UNSEEN "[other PID namespace]"
#define OBJECT_UNNAMED "[JIT] " /* begins the name of such an object, with the pid and what it is called */

enum object_state {
	OBJECT_LOADING, /* symbols are being read; names will follow */
	OBJECT_READY,
	OBJECT_NAMELESS, /* there are none to be had; `why` says it */
};

struct dict_string {
	uint32_t id, len;
	const char *text; /* len bytes and a NUL; raw: escape before showing */
};

struct dict_object {
	uint32_t id;
	uint32_t name; /* string */
	uint32_t why;  /* string: NAMELESS: why there are no symbols; READY: why there are not all, or
	                * where doubted, why they may be those of another build; or 0 */
	uint16_t host; /* where it was met: as dict_task's */
	uint8_t kind, state;
	bool doubted;
	struct build_id build_id;
	uint32_t apart; /* of one without a file: which it is, where ids begin anew (link/timeline/timeformat.h); 0: the id says */
};

struct dict_symbol {
	uint32_t id;
	uint32_t name;   /* string, demangled */
	uint32_t object; /* object */
	uint32_t also;   /* string: other names of its address, as core/slice/several.h has them; 0: none */
	uint64_t addr, size;
};

/*
 * PENDING: file, line and what is inlined are being looked for; it will be sent again.
 * OFFSET: addr is where it is in the file, whose segments are not known (yet).
 * WHOLE: it stands for all of its function (link/agent/thin.h); addr is one of the places, or where it
 * begins; the line is not said.
 * LINE: a WHOLE one that stands for its function's code of that line alone, or of no line.
 * IDLE: the kernel's idle loop waits there for an interrupt: nothing runs.
 */
enum frame_flag {
	FRAME_KERNEL = 1, FRAME_SELF = 2, FRAME_INLINED = 4, FRAME_LOST = 8, FRAME_PENDING = 16,
	FRAME_OFFSET = 32, FRAME_WHOLE = 64, FRAME_IDLE = 128, FRAME_PLACE = 256,
	FRAME_LINE = 512
};

#define FRAME_LEVELS_MAX 32 /* functions inlined into each other at one place, and what they are in */

/*
 * One place in code: of the function that is itself there (its symbol says so), or of one that is
 * inlined there.  Sent again with the same id when its symbol, or its lines, become known.  A frame
 * of a path is always of the first kind; what was inlined hangs on it by `inner`.
 */
struct dict_frame {
	uint32_t id;
	uint32_t object; /* object */
	uint32_t symbol; /* symbol, 0: not known (yet: see the object's state) */
	uint32_t flags;
	uint64_t addr;   /* in the object's own address space (ELF vaddr); the kernel and maps that
	                  * are no file: the absolute address; in a recorded module, without a
	                  * symbol: from the module's start.  Of a caller: of the last byte of the
	                  * call, which is what is returned from */
	uint32_t file;   /* string: source file, 0: not known */
	uint32_t line;   /* where in it: the code's, or the call of what is inlined; 0: not known */
	uint32_t inner;  /* frame: what is inlined here, its level one more than ours; 0: nothing */
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
	uint16_t host;      /* whose: index into session_info.hosts; 0 where there is one machine */
	uint32_t comm;      /* string */
	uint32_t proc_comm; /* string: comm of the process's first thread, 0: not known yet */
	uint32_t flags;
	int32_t pid, tid;
	/* Whose it is, as far as that is known: strings, 0: not known. */
	uint32_t user;   /* its name; a number where it has none */
	uint32_t cgroup; /* its path */
	uint32_t parent; /* comm of the process that forked its process; "(none)": nobody did */
	int32_t ppid;    /* that process, 0: not known, or none */
};

/*
 * Ids from here on are temporary: they mean nothing outside their slice and are in no released
 * list.  Only slice_merge makes them, where an id was released and given out again inside what
 * became one slice: the earlier meaning lives on under a temporary id.
 */
#define DICT_TEMP 0x80000000u

/* Before anything else in the slice is read, `to` takes over what `from` means; from is unset. */
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

/* What an entry looks like, for who treats all kinds alike.  It begins with its own id; refs are its other ids. */
extern const struct dict_shape {
	size_t array; /* of the pointer in struct dict_delta */
	size_t size;
	struct {
		size_t offset;
		enum dict_kind kind;
	} refs[5];
	unsigned nrefs;
} dict_shapes[DICT_NR];

/* The entries of a kind. */
static inline char *dict_entries(const struct dict_delta *d, enum dict_kind kind)
{
	char *array;

	memcpy(&array, (const char *)d + dict_shapes[kind].array, sizeof(array));
	return array;
}

/* --- what was measured ------------------------------------------------------------------ */

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
	uint64_t samples;    /* that reached the table */
	uint64_t counted;    /* by the counter itself, in this slice */
	uint64_t attributed; /* sum of periods of the samples that reached the table */
	uint64_t lost[LOST_NR];
	uint64_t lost_samples[LOST_NR]; /* the same as a number of samples */
	int64_t unsampled;   /* a clock ran and there was nothing to sample; no loss.  May fall, as
	                      * more becomes known */
	int64_t unsampled_why[UNSAMPLED_NR]; /* the same, by cause */
	uint64_t pending;    /* at the slice's end: counted of a period that has not ended (a
	                      * clock: of up to two, its timer may be late), or not yet known to be
	                      * idle or lost, as the kernel tells idle time roughly */
	/*
	 * Of the first event on each CPU, where no clock of the whole CPU tells more: what /proc/stat says of all that
	 * ran there, in units of 10 ms.  stat_ns 0: it was not looked at.
	 */
	uint64_t stat_ns, stat_idle, stat_stolen, stat_user, stat_kernel;
	/* ns that it was to count, and of these without a counter of the hardware.  enabled 0: nobody knows. */
	uint64_t enabled, starved;
	uint64_t others;     /* count beside `counted`: the hits in unmeasured tasks that the kernel's counter has */
};

enum ring_kind { RING_SAMPLE, RING_SIDEBAND, RING_AUX, RING_FTRACE };
enum ring_mode { RING_OVERWRITE, RING_FORWARD };
enum ring_state { RING_LIVE, RING_OFFLINE, RING_PAUSING }; /* PAUSING: read by pausing it */

extern const char *const ring_kind_names[];  /* "sample", "sideband", "aux", "ftrace" */
extern const char *const ring_mode_names[];  /* "overwrite", "forward" */

#define GAUGE_UNKNOWN UINT64_MAX /* not measured: prints "-" / null, never 0 */

/* The sum of what is known of two. */
static inline uint64_t gauge_sum(uint64_t a, uint64_t b)
{
	return a == GAUGE_UNKNOWN ? b : b == GAUGE_UNKNOWN ? a : a + b;
}

/* What the kernel says of an ftrace ring at the slice's end: events, since the session's start but for entries. */
struct slice_ftrace {
	uint64_t entries; /* in it and not read */
	uint64_t overrun, commit_overrun, dropped, read;
};

/* One ring.  The array index is the ring's identity for the whole session. */
struct slice_gauge {
	int16_t cpu;  /* -1: per-thread */
	uint8_t kind, mode, state;
	int32_t tid;  /* per-thread rings: whose; else 0 */
	uint64_t size;
	uint64_t unread;     /* bytes waiting when last read (may exceed size: overwritten) */
	uint64_t unread_max; /* the most in this slice */
	uint64_t bytes, records;
	uint64_t lost;             /* records that the kernel says it could not write; or UNKNOWN */
	uint64_t overwritten_bytes; /* or UNKNOWN (forward rings) */
	uint64_t wakeups;          /* by watermark */
	uint64_t oldest_ns;        /* age of the oldest unread record when last read; or UNKNOWN */
	uint64_t late_ns;          /* from when the ring had passed its watermark to our reading it,
	                            * the most in this slice; or UNKNOWN */
	struct slice_ftrace ftrace; /* of RING_FTRACE */
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
	SLICE_UNWIND_BROKEN,    /* no way on: no information, or it leads nowhere */
	SLICE_UNWIND_ENDS
};

extern const char *const slice_unwind_end_names[SLICE_UNWIND_ENDS]; /* the JSON keys */

/* Paths made of sampled registers and copies of stacks.  All 0 where they are not asked for. */
struct slice_unwind {
	uint32_t stack_bytes; /* the most that is copied of a stack; 0: no unwinding */
	uint64_t samples;     /* unwound */
	uint64_t frames, guessed; /* of the user's part; guessed: by the frame pointer alone */
	uint64_t slow;        /* samples that libunwind unwound */
	uint64_t ends[SLICE_UNWIND_ENDS];
	uint64_t compat;      /* samples of 32-bit code: not unwound */
	uint64_t dropped;     /* not unwound for want of room, or of time at the end: leaf alone */
	/* Of events that are auto (sources/change/autopaths.h): samples whose path is the kernel's chain, though their stack was copied: */
	uint64_t chained;     /* it leads farther, or as far */
	uint64_t crowded;     /* the backlog had no room for the copy */
	/* Now. */
	uint64_t waiting;     /* samples that a whole tick was not enough for */
	uint64_t bytes, capacity; /* of copies at the tick, and how much there may be; capacity 0:
	                           * nothing waits, a file is read */
	uint64_t bytes_max;   /* the most in this slice */
	uint32_t auto_stack;  /* that events which are auto copy of a stack now; 0: they follow frame pointers alone */
	uint64_t auto_rate, auto_budget; /* bytes a second that come with such copies, and may; budget 0: no event is auto */
};

/* `later` follows `before`: add what was counted. */
void slice_unwind_add(struct slice_unwind *later, const struct slice_unwind *before);

/* What most of our own CPU time was for, of late. */
enum self_cause {
	SELF_NOTHING,   /* next to none was taken, or nobody looked */
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

extern const char *const self_cause_names[SELF_CAUSES]; /* "nothing", "reading rings", ... : the JSON values */

struct slice_self {
	uint64_t cpu_ns;    /* CPU time of our process and its helpers in this slice */
	uint64_t rss_bytes; /* theirs now */
	uint32_t table_rows, table_capacity; /* the fullest generation in this slice */
	uint64_t unresolved;  /* samples whose leaf has no name (not counting objects loading) */
	uint64_t queued;      /* objects and processes waiting for a worker */
	uint32_t loading;     /* objects loading now */
	uint32_t merged;      /* slices merged into this one: the front end was late */
	/*
	 * Sideband records kept for snapshots are as many as fit: those that were too old to be kept.
	 * A snapshot knows nothing of what they told.
	 */
	uint64_t maps_forgotten, switches_forgotten;
	/* Of --max-memory: what is taken of it now, and how often in this slice there was not enough. */
	uint64_t budget_bytes, budget_limit, budget_refusals;
	uint64_t process_maps_forgotten; /* executable maps of processes that have more than is kept */
	uint64_t names_given_up; /* addresses whose names took too long to come: they stay without */
	uint64_t births_unsure; /* threads of whom it is not known whether they are measured: they were forked
	                         * while their parents' events were opened */
	uint8_t cause;          /* enum self_cause: of the last second or so */
	uint32_t cpu_limit;     /* --max-cpu of all CPUs that are watched, in percent of one; 0: there is none */
	uint32_t rate_divisor;  /* events are sampled at so many times less than was asked for, because of it; 0, 1: they are not */
	char memory[128];       /* raw: what takes most of --max-memory, "": little is taken */
	struct slice_unwind unwind;
	char shallow[80];       /* raw: files whose code keeps no frame pointers, found where an event is auto; "": none of late */
};

/* What is a state stays, and nothing was counted: of a stretch in which nothing came. */
void slice_self_quiet(struct slice_self *s);

/* `later` follows `before`: add what was counted; all else is as it is now. */
void slice_self_add(struct slice_self *later, const struct slice_self *before);

struct code; /* code.h */
enum recording_state {
	RECORDING_NONE,
	RECORDING_ON,
	RECORDING_ENDING, /* its last records are being written */
	RECORDING_DONE,   /* the file is there */
	RECORDING_FAILED, /* it ended by itself: the log says why */
	RECORDING_STATES
};

extern const char *const recording_state_names[RECORDING_STATES]; /* "none", "on", "ending", ... */

/* What goes to a file, as it stands at the slice's end. */
struct slice_recording {
	uint8_t state;
	char file[256];    /* raw: escape before showing; of a longer path its end */
	uint64_t bytes;    /* of the file so far */
	uint64_t samples;  /* in it */
	uint64_t lost;     /* samples that are not: no room in a ring, or on the way to the disk */
	uint64_t lost_sideband; /* other records that are not (maps, names, switches): no room on that way */
	uint64_t lost_aux; /* bytes of trace that were taken for it and are not in it, once it has ended */
	uint64_t since;    /* session time of its start */
};

enum host_state {
	HOST_CONNECTING, /* never reached yet */
	HOST_UP,
	HOST_LATE,   /* connected, but nothing comes */
	HOST_CUT,    /* the connection is lost: it is tried again */
	HOST_ENDED,  /* its session ended by itself */
	HOST_FAILED, /* it is not tried any more: `why` */
	HOST_STATES
};

extern const char *const host_state_names[HOST_STATES]; /* "connecting", "up", ... : the JSON keys */

/*
 * Another machine that slices come from, as it stands at the slice's end.  The array index is its number
 * (session_info.hosts).  Bytes, merged and folded are counts of the slice.
 */
struct slice_host {
	uint8_t state;
	uint32_t beat_ms;       /* how long its slices are, where the link does not make them longer */
	uint64_t since;         /* session time from which on it is in that state */
	uint64_t behind_ns;     /* age of the newest that has come from it; or UNKNOWN */
	uint64_t bytes_in, bytes_out; /* over the link, as sent */
	uint64_t round_trip_ns; /* the least of late; or UNKNOWN */
	int64_t offset_ns;      /* its wall clock less ours; 0 where round_trip_ns is UNKNOWN */
	uint64_t error_ns;      /* by which the offset may be wrong; or UNKNOWN */
	uint32_t merged;        /* slices that became part of longer ones for the link's sake */
	uint64_t folded_samples; /* whose rows stand as "[folded]" for the link's sake */
	uint64_t folded_rows;
	struct slice_self self;
	struct slice_recording recording;
	char why[160];          /* raw: why it is in that state, or "" */
};

/* `later` follows `before`: add what was counted; all else is as it is now. */
void slice_host_add(struct slice_host *later, const struct slice_host *before);

/* An event that came, went or is sampled otherwise from the slice's start on; of a live session on this machine. */
struct slice_change {
	uint16_t event;     /* its place; a new one is behind all others */
	bool on, was_on;    /* measured; before */
	bool is_clock;      /* its unit is ns */
	uint64_t period, was_period;       /* fixed, in its unit; 0: by frequency */
	uint32_t frequency, was_frequency; /* Hz; 0: by period */
	char name[128];     /* raw */
	char filter[512];   /* raw */
	uint16_t by_nr;     /* of session_event.by: another number, another list */
	char by[SLICE_FIELD_NAMES];
	char by_kinds[SLICE_FIELD_KINDS];
};

struct slice {
	uint64_t start, end;
	uint64_t wall; /* CLOCK_REALTIME ns at end */
	struct dict_delta dict;
	struct slice_row *rows;
	struct slice_account *accounts;
	struct slice_counter *counters;
	struct slice_field *fields;
	struct slice_fieldlist *lists;
	struct slice_throttle *throttles;
	struct slice_gauge *gauges;
	struct slice_log *logs;
	struct slice_aux *aux;
	struct slice_snapshot *snapshots;
	struct slice_host *hosts;
	struct slice_change *changes;
	struct slice_between *between; /* pairs are made like that from the slice's start on; NULL: as before; owned */
	struct slice_latency *latency; /* or NULL; owned */
	struct slice_logged *logged; /* in order of time, but for those that came late */
	size_t nlogged, cap_logged;
	struct slice_logging logging;
	struct slice_pt *pt; /* the newest answer to a snapshot of Intel PT, or NULL; owned */
	size_t nrows, naccounts, ncounters, nfields, ngauges, nlogs, naux, nsnapshots, nhosts, nchanges, nlists, nthrottles;
	size_t cap_rows, cap_accounts, cap_counters, cap_fields, cap_gauges, cap_logs, cap_aux, cap_snapshots, cap_hosts, cap_changes, cap_lists, cap_throttles;
	struct code **codes; /* answers to what was asked; owned */
	size_t ncodes, cap_codes;
	struct slice_self self;
	struct fence_figures helpers[FENCE_PROCESSES]; /* since they were first needed; looked at now and then */
	struct slice_recording recording;
	float progress; /* of a file's session: the part of it that is in, 0..1; 0: not known */
	bool last; /* the session ended with this slice */
};

struct slice *slice_create(void); /* NULL: out of memory */

/* The same with room for so many accounts and gauges: adding them does not fail. */
struct slice *slice_create_for(size_t accounts, size_t gauges);
void slice_free(struct slice *s);
void dict_delta_clear(struct dict_delta *d); /* frees what it holds */
bool dict_delta_reserve(struct dict_delta *d, enum dict_kind kind, size_t need); /* room for `need` entries in all */

/* Append; the returned element is zeroed and valid until the next append.  NULL: out of memory. */
struct slice_row *slice_add_row(struct slice *s);
struct slice_account *slice_add_account(struct slice *s);
struct slice_counter *slice_add_counter(struct slice *s);
struct slice_field *slice_add_field(struct slice *s);
struct slice_fieldlist *slice_add_list(struct slice *s);
struct slice_throttle *slice_add_throttle(struct slice *s);
struct slice_gauge *slice_add_gauge(struct slice *s);
struct slice_aux *slice_add_aux(struct slice *s);
struct slice_host *slice_add_host(struct slice *s);
struct slice_change *slice_add_change(struct slice *s);

/* Append an answer, which is the slice's from here on, on failure too.  0 or -ENOMEM. */
int slice_add_code(struct slice *s, struct code *c);

int slice_log(struct slice *s, enum slice_log_level level, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Append a copy of `snapshot`, its texts too.  0 or -ENOMEM. */
int slice_add_snapshot(struct slice *s, const struct slice_snapshot *snapshot);

/*
 * Append a dictionary entry of `kind`, copied from `entry` (struct dict_string ...; a string's
 * bytes are copied too), or an id to the released ones.  0 or -ENOMEM.
 */
int slice_upsert(struct slice *s, enum dict_kind kind, const void *entry);
int slice_release(struct slice *s, enum dict_kind kind, uint32_t id);

/* What the same ring said in two stretches of time, b after a. */
void slice_gauge_add(struct slice_gauge *a, const struct slice_gauge *b);

/* The ring is not open, or its reader has not answered: no figure of this slice was measured but what is not 0. */
void slice_gauge_unread(struct slice_gauge *g);

/* Add what pairs of `src` took to those of `dst`; *src keeps what is not needed. */
void slice_move_latency(struct slice *dst, struct slice *src);

#endif
