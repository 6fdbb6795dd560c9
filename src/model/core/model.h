/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * model - what the slices add up to: history, rows for a window, shares, gauges, advice.
 *
 * All front ends read this and nobody else computes a share.  The model takes every slice whole,
 * translates its ids into its own, and holds at most `budget` bytes: older slices are merged
 * into 1 s, then 10 s ones, and thinned (thin.h) before the oldest are forgotten.  The total over the whole run is
 * kept apart and is never forgotten.
 *
 * Threads: one owner.  Pointers that a call returns are valid until the next call that is not
 * const.  Names are raw: escape them (base/text.h) before showing.
 */
#ifndef RINGTOP_MODEL_CORE_MODEL_H
#define RINGTOP_MODEL_CORE_MODEL_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "measure/session/session.h"
#include "core/slice/slice.h"

struct model;

#define MODEL_BUDGET (64u << 20) /* default bytes for history and its dictionary */
#define TREND_NR     10          /* points of a row's trend */

struct model *model_create(const struct session_info *info, size_t budget); /* NULL: no memory */
void model_free(struct model *m);

/* Take a slice; owns it from here, on failure too.  0 or -ENOMEM (what it brought is counted). */
int model_add(struct model *m, struct slice *s);

/* Sums are too small: accounts found no memory. */
bool model_incomplete(const struct model *m);

/* Forget everything but the dictionary and the session's head: key z.  The highest fills too. */
void model_zero(struct model *m);

/* Forget all that was measured, for slices from another time (SESSION_SEEK): the next may be before these. */
void model_rewind(struct model *m);

/* --- windows ---------------------------------------------------------------------------- */

/*
 * Times are ns on the session's clock.  What a window shows is all of every slice that it touches: the
 * older, the coarser they are, so ask model_kept for the stretch that this really is.
 */
struct window {
	uint64_t from, to;
};

#define WINDOW_ALL ((struct window){0, UINT64_MAX})

/* The stretch that a window's slices cover; empty (from == to) where nothing is kept of it. */
struct window model_kept(const struct model *m, struct window w);

/* What old slices have given up to stay (model/core/thin.h). */
enum model_thin {
	MODEL_THIN_PATHS = 1, /* addresses and callers, but for the largest rows' */
	MODEL_THIN_NAMES = 2, /* small functions' names */
	MODEL_THIN_FIELDS = 4, /* small keys of sums by fields (--by) */
};

/* Of what rows by line were asked of, is there code that came by function alone, though its lines were known? */
bool model_unlined(const struct model *m);

/* Of any slice of the window: bits of enum model_thin. */
unsigned model_thinned(const struct model *m, struct window w);

/* From now on nothing is merged over an end of this window, so that what it shows stays the same. */
void model_hold(struct model *m, struct window w);

uint64_t model_now(const struct model *m);   /* end of the newest slice, 0: none yet */
uint64_t model_counted(const struct model *m); /* end of the newest in which something was counted */
uint64_t model_first(const struct model *m); /* start of the oldest slice still held */

/* --- rows ------------------------------------------------------------------------------- */

enum group_by { GROUP_FUNCTION, GROUP_OBJECT, GROUP_TASK, GROUP_THREAD, GROUP_CPU, GROUP_HOST,
		GROUP_COMMAND, /* all processes of a name */
		GROUP_PATTERN, /* all threads of a name, but for the numbers in it */
		GROUP_USER, GROUP_CGROUP,
		GROUP_PARENT, /* all whose processes were forked by processes of a name */
		GROUP_LINE,   /* all code of a source line; code without one, by function */
		GROUP_NR };

extern const char *const group_names[GROUP_NR]; /* "function", "object", "task", ... */

enum row_flag {
	ROW_KERNEL = 1,
	ROW_UNRESOLVED = 2, /* the name is an address */
	ROW_LOADING = 4,    /* its object's symbols are being loaded */
	ROW_SELF = 8,       /* ringtop's own */
	ROW_LOST = 16,      /* a pseudo row for what was dropped: "[table full]" */
	ROW_EXITED = 32,
	ROW_FOLDED = 64, /* stands for `folded` small ones: exited tasks, nameless addresses */
	ROW_DOUBT = 128,    /* its name may be wrong: `why` */
	ROW_UNMAPPED = 256, /* no object is known to be there: "[unknown]" */
	ROW_LINE_PENDING = 512, /* where grouped by line: which it is, is being looked for */
};

struct row {
	uint64_t key;       /* stable identity of this row for the model's life: for the selection */
	uint32_t id;        /* for model_row_timeline, until a slice is added */
	uint32_t slot;      /* the model's own */
	const char *name;   /* what it is grouped by: function, object, comm, "cpu 3" */
	const char *object; /* of a function; "" where many or none */
	const char *why;    /* of a function's object: why it has no names, or not all, or, where
	                     * ROW_DOUBT, why they may be wrong; else "" */
	const char *file;   /* of a function: where its source is, "" where that is not known; of a line: its file */
	const char *also;   /* of a function: other names of its address (core/slice/several.h), else "" or NULL */
	uint32_t line;      /* where grouped by them: its number in `file`, whose last part is the name; 0: of code without one */
	const char *function; /* where grouped by line: which it is of; "" where several have it */
	const char *task;   /* name of its threads, or what theirs share (model/core/tasknames.h); else "" and ntasks says */
	unsigned nthreads;  /* distinct threads of several names; 0: one name, or not known, as of the whole run */
	unsigned ntasks;    /* distinct processes (at least so many, in a very long total); 0: not known */
	const char *host;   /* of several: where all of it is one's, its name as asked for; else "" */
	unsigned nhosts;    /* distinct ones that it was sampled on; 0 where there is one machine */
	/* By cgroup, of the window: periods of its CPU quota that ended (0: nothing is known of one), in how many of them
	 * somebody had to wait, and for how long on each CPU; the same as a part of one CPU's time, NAN: of less than
	 * a second, which is how often it is looked at. */
	uint64_t periods, throttled, throttled_ns;
	double throttled_share;
	const char *user, *cgroup, *parent; /* of a process or thread, a cgroup's path also of rows by it; "": not known */
	int32_t ppid;       /* of parent; 0: not known, or none */
	int32_t pid, tid, cpu; /* where grouped by them, else -1; cpu: as its host numbers it */
	uint32_t flags;
	uint64_t folded; /* where ROW_FOLDED: how many, 0: not known (a window's) */
	uint64_t samples;
	uint64_t self, total; /* weights, in the event's unit */
	uint64_t other;     /* of self: what is query.other's */
	double self_share, total_share; /* 0..1 of the window's attributed weight (all of it but
	                                 * hidden idle time, whatever is hidden or filtered); ROW_LOST: of
	                                 * what was attributed and dropped */
	float trend[TREND_NR]; /* share of self in each tenth of the window, oldest first: query.trend or model_trends */
	double peak;   /* the largest of these */
	double change; /* of self_share, against the window before, which is as long; NAN: nothing is kept of that */
};

struct filter; /* model/rows/filter.h */

enum sort_by { SORT_SELF, SORT_TOTAL, SORT_NAME, SORT_OBJECT, SORT_TASK, SORT_SAMPLES, SORT_PID,
	       SORT_PEAK, SORT_CHANGE, /* row.peak, row.change: filled where they are asked for */
	       SORT_THROTTLED, /* by cgroup; those of which no quota is known are last */
	       SORT_COUNT, SORT_SUM, SORT_AVERAGE, SORT_MINIMUM, SORT_MAXIMUM, SORT_KEY, /* of model/fields/fields.h */
	       SORT_NR };

extern const char *const sort_names[SORT_NR];

struct query {
	unsigned event; /* index into session_info.events */
	bool both;      /* and another one's in the same rows, where both are of one unit: */
	unsigned other;
	enum group_by group;
	enum sort_by sort;
	bool reverse;
	bool hide_kernel, hide_user;
	bool hide_idle;              /* where the kernel idles: no rows, and no part of 100 % */
	bool show_self;              /* ringtop's own rows too (one row "[ringtop]") */
	bool by_host;                /* of several hosts each has rows of its own */
	unsigned host;               /* of several only this one's number + 1: there is nothing else, also as a part of 100 %; 0: all */
	bool self_only;              /* callers, tasks and hosts of rows are not asked for, which takes half the time */
	const struct filter *filter; /* or NULL */
	bool waited;                 /* of waits that somebody ended (off-cpu:woken): only those in that function, */
	uint32_t waited_in;          /* a row's id, until a slice is added */
	size_t limit;                /* 0: all */
	bool trend;                  /* fill row.trend of all rows; of a few model_trends does */
	bool in_part;                /* rows.row may be NULL: model_rows_part makes those that are looked at */
};

struct rows {
	struct row *row; /* sorted; ties by name, then object: the order never flickers */
	size_t nr;       /* rows here, at most query.limit */
	size_t all;      /* rows there would be without the limit */
	uint64_t attributed; /* 100 % of the shares */
	uint64_t other;      /* of that, what is query.other's */
	uint64_t idle;       /* what was idle, and is no part of that: query.hide_idle */
	uint64_t dropped;    /* with it, 100 % of those of ROW_LOST */
	uint64_t samples;
	uint64_t shown;      /* weight of all rows, after hiding and filter */
	uint64_t missing;    /* by line, of the whole run: weight that was measured and is kept no more */
};

/*
 * The rows of a window.  For WINDOW_ALL this is the whole run's total, exact even where history
 * was merged or forgotten, without a filter on another dimension than the group's and the host.  The result belongs to the model.  NULL: out of memory.
 */
const struct rows *model_rows(struct model *m, const struct query *q, struct window w);

/*
 * Write the task of a row, raw: its name with how many threads share it, "price-* (4)"; or the number of its processes,
 * "(3)".
 */
void model_row_task(const struct row *r, char *buf, size_t size);

/* What a row is called, raw: its name, of a line its number, too, as far as there is room. */
void model_row_name(const struct row *r, char *buf, size_t size);

/*
 * Some of the rows of that question, asked with query.in_part or without: a screen looks at 50 of 100 000.  Those from
 * `from` on, of which there are `nr`, or up to the last one; NULL: out of memory, or there is none.
 */
const struct row *model_rows_part(struct model *m, const struct query *q, struct window w, size_t from, size_t nr);

/* The key of a row of the answer that model_rows has just given, whether it is made or not. */
uint64_t model_row_key(const struct model *m, size_t i);

/*
 * Fill the trends of some of the rows that model_rows has just given for the same question: a screen looks at 50 of
 * 100 000.  0 or -ENOMEM.
 */
int model_trends(struct model *m, const struct query *q, struct window w, size_t from, size_t nr);

/* --- accounts and gauges ---------------------------------------------------------------- */

/* What was attributed, by where it ran; what was dropped is in none.  Ours is in it, too. */
struct busy {
	uint64_t user, kernel; /* kernel: without idle */
	uint64_t idle;	       /* the kernel's idle loop */
};

/* One event over a window, all CPUs or one: counted = attributed + sum(lost) + pending. */
struct account {
	uint64_t counted, attributed, samples;
	struct busy busy;
	uint64_t stat_ns, stat_idle, stat_stolen, stat_user, stat_kernel; /* as in struct slice_account */
	uint64_t pending;   /* unsampled included */
	uint64_t unsampled; /* of pending: a clock's time in which there was nothing to sample */
	uint64_t unsampled_why[UNSAMPLED_NR];
	uint64_t lost[LOST_CAUSES], lost_samples[LOST_CAUSES];
	uint64_t lost_all, lost_samples_all;
	uint64_t throttles;
	uint64_t left_out;  /* part of samples whose function a saved time line, or a slow link, left out ([folded]) */
	uint64_t enabled, starved; /* ns, as in struct slice_account */
	uint64_t seen, seen_counted; /* part of enabled and counted that is of CPUs where it had a counter */
	uint64_t others; /* count beside `counted`, as in struct slice_account */
	bool exact;
	bool unknown; /* it never had a counter: nobody knows what there was to count */
	double attributed_share; /* attributed / (attributed + lost), NAN where both are 0 */
};

/* By /proc/stat, the part of its CPUs' time in which something ran, 0..1; -1: it was not asked. */
static inline double model_stat_busy(const struct account *a)
{
	uint64_t idle = a->stat_idle + a->stat_stolen;

	return !a->stat_ns ? -1 : idle >= a->stat_ns ? 0 : 1 - (double)idle / (double)a->stat_ns;
}

/* The part of the time for which it had a counter, 0..1; NAN: nobody knows. */
static inline double model_counter_share(const struct account *a)
{
	return a->enabled ? 1 - (double)a->starved / (double)a->enabled : NAN;
}

#define ALL_CPUS (-2)

void model_account(const struct model *m, unsigned event, int cpu, struct window w,
		   struct account *a);

/*
 * The CPUs that an event has accounts for, in the session's order (-1: per-thread rings); at most
 * `nr` into cpus.  Returns how many there are.
 */
size_t model_account_cpus(const struct model *m, unsigned event, int *cpus, size_t nr);

/* One ring over a window. */
struct gauge {
	struct slice_gauge now; /* identity, and the last slice's values */
	double fill;      /* 0..1 when last read; NAN, here and below: it was not */
	double fill_max;  /* highest in the window */
	double fill_peak; /* highest since model_zero */
	double seconds;   /* of the window */
	uint64_t bytes, records, lost, overwritten_bytes, wakeups; /* in the window; or GAUGE_UNKNOWN */
};

size_t model_ngauges(const struct model *m);
void model_gauge(const struct model *m, size_t i, struct window w, struct gauge *g);

/* One AUX area over a window. */
struct aux {
	struct slice_aux now; /* identity, and the last slice's values */
	struct slice_aux sum; /* counts of the window */
	double seconds;       /* of the window */
	double rate;          /* bytes a second, -1: not known */
	bool measured;        /* the rate is from short stops, not from all bytes */
	const char *why;      /* why it is not known, or NULL */
	uint64_t held_ns;     /* how far back a full area reaches at this rate; or UNKNOWN */
	float trend[TREND_NR]; /* the rate in each tenth of the window, oldest first */
};

size_t model_naux(const struct model *m);
void model_aux(const struct model *m, size_t i, struct window w, struct aux *a);

/* The newest `nr` snapshots, newest first; those that are still being written too. */
size_t model_snapshots(const struct model *m, const struct slice_snapshot **snapshots, size_t nr);

/* --- hosts ------------------------------------------------------------------------------ */

/* Of a host's link, over a stretch. */
struct history_link {
	uint64_t bytes_in, bytes_out, merged, folded_samples, folded_rows;
};

/* One of the session's hosts over a window. */
struct host {
	struct slice_host now; /* the last slice's values; counts: since the start or model_zero */
	struct history_link link; /* counts of the window */
	double seconds;        /* of the window */
};

size_t model_nhosts(const struct model *m); /* that slices told of; 0: there is one machine, this one or a file's */
void model_host(const struct model *m, size_t i, struct window w, struct host *h);

/* Rings and accounts of a host, and of its CPUs as it numbers them: see session_place(). */
void model_host_account(const struct model *m, unsigned event, size_t host, struct window w,
			struct account *a);

/* A stretch in which nothing came from a host. */
struct host_gap {
	uint16_t host;
	uint8_t state; /* HOST_CONNECTING, CUT or FAILED */
	bool lasts;    /* up to now */
	uint64_t from, to;
	char why[sizeof(((struct slice_host *)0)->why)]; /* raw */
};

/* At most `nr` of those that touch a window, newest first; the oldest are forgotten. */
size_t model_gaps(const struct model *m, struct window w, const struct host_gap **gaps, size_t nr);

struct cpu_load {
	int cpu;
	uint64_t samples;
};

/* Samples of all events per CPU, by CPU number.  The result belongs to the model. */
const struct cpu_load *model_cpus(struct model *m, struct window w, size_t *nr);

/* --- head ------------------------------------------------------------------------------- */

struct head {
	double seconds;          /* of the window */
	double samples_per_s;    /* of the event */
	struct account account;  /* of the event */
	double self_cpu;         /* CPUs' worth of ringtop: 0.004 = 0.4 % of one */
	uint64_t self_cpu_ns;
	struct slice_self self;  /* the newest values; sums where they are counts of the window */
};

void model_head(const struct model *m, unsigned event, struct window w, struct head *h);

/* What a person should do about what the gauges show, newest worst first; NULL: nothing. */
const char *model_advice(struct model *m, unsigned event, struct window w);

/* Return the advice about lost samples alone, but for those that throttling lost; NULL: there is none. */
const char *model_advice_loss(struct model *m, unsigned event, struct window w);

/* The newest `nr` log lines, newest first. */
size_t model_logs(const struct model *m, const struct slice_log **logs, size_t nr);

/* Of a file's session: the part of the file that was replayed, 0..1; 0: not known. */
double model_progress(const struct model *m);

/* FENCE_PROCESSES of them: since they were first needed, not of a window. */
const struct fence_figures *model_helpers(const struct model *m);

/* What is recorded to a file, or was; NULL: nothing.  Not of a window, but of now. */
const struct slice_recording *model_recording(const struct model *m);

/* Of an event that changed while it was measured: how it was from `last`'s end (NULL: the start) on; NULL: no more. */
struct rate;
const struct rate *model_next_rate(const struct model *m, unsigned event, const struct rate *last);

/* Give a moment a name (model/core/marks.h); model_zero forgets it.  0 or -ENOMEM. */
int model_mark(struct model *m, uint64_t time, const char *name);

/* All marks, the oldest first; how many. */
struct mark;
size_t model_marks(const struct model *m, const struct mark **marks);

/* What conditions said (model/judge/alerts.h); model_zero and model_rewind forget it. */
struct alerts;
struct alerts *model_alerts(struct model *m);

/* The newest answer to a snapshot of Intel PT, or NULL: none yet. */
const struct slice_pt *model_pt(const struct model *m);

/* How much of the history there is, for the timeline: attributed weight per bin without idle time, oldest first. */
void model_timeline(const struct model *m, unsigned event, struct window w, double *bins,
		    size_t nr);

/*
 * The same for a line that grows: what slices have that begin at `since` (0: all) or later and end at `until` or before
 * is added to the bins, which are of equal length over `bins`.  Where the newest of them ends, `since` where there are
 * none; UINT64_MAX: one lies across `since`, for it was merged meanwhile: nothing was added, the line begins anew.
 */
struct timeline_part {
	struct window bins;
	uint64_t since, until;
};

uint64_t model_timeline_add(const struct model *m, unsigned event, const struct timeline_part *p, double *bins, size_t nr);

/*
 * The same of any stretch, and how fine it is known: the longest of what each of `nr` bins is made of, in ns; 0: nothing
 * is known of that time.  Both arrays are the caller's.
 */
struct heat {
	double *weight;
	uint64_t *longest;
};

void model_heat(const struct model *m, unsigned event, struct window w, struct heat *heat, size_t nr);

/* Of one row's self weight, by its id; of what the query hides and filters nothing is in it. */
uint64_t model_row_timeline(struct model *m, const struct query *q, uint32_t id, const struct timeline_part *p,
			    double *bins, size_t nr);

/*
 * What of each of some events passes a filter (or NULL), in `nr` equal parts of a window: of events[i] in
 * bins[i * nr], which are added to.  One look at the history for all of them.  0 or -ENOMEM.
 */
int model_course(struct model *m, const unsigned *events, size_t nevents, const struct filter *filter, struct window w,
		 double *bins, size_t nr);

/* Another number each time that slices of the past may have become the row's, or another's: by a name that came. */
uint32_t model_row_named(const struct model *m, const struct query *q, uint32_t id);

/* Memory of the history and dictionary, bytes; slices merged and forgotten so far. */
struct model_memory {
	size_t bytes;
	uint64_t slices, merged, forgotten;
};

void model_memory(const struct model *m, struct model_memory *mem);

const struct session_info *model_info(const struct model *m);

#endif
