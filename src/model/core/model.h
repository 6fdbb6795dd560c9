/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * model - everything the slices add up to: history, rows for a window, shares, gauges, advice.
 *
 * All front ends read the model; no share is computed anywhere else.  The model takes every slice
 * whole, translates its ids into its own, and holds at most `budget` bytes: older slices are merged
 * into 1 s, then 10 s ones, and thinned (coarsen.h) before the oldest are forgotten.  The total
 * over the whole run is kept apart and is never forgotten.
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
#include "model/rows/show_options.h"

struct model;

#define MODEL_BUDGET (64u << 20) /* default bytes for history and its dictionary */
#define TREND_NR     10          /* points of a row's trend */

/* Create a model; borrows info. budget: bytes, 0: MODEL_BUDGET.  NULL: out of memory. */
struct model *model_create(const struct session_info *info, size_t budget);
void model_free(struct model *m);

/*
 * Take a slice; owns it from here, on failure too.  Return 0 or -ENOMEM (its samples are still
 * counted).
 */
int model_add(struct model *m, struct slice *s);

/* Return true if accounts were dropped for lack of memory: sums are too small. */
bool model_incomplete(const struct model *m);

/* Forget everything but the dictionary and the session's head: key z.  The highest fills go too. */
void model_zero(struct model *m);

/*
 * Forget everything measured, for slices from another time (SESSION_SEEK), which may be earlier.
 * Marks and the dictionary stay.
 */
void model_rewind(struct model *m);

/* --- windows ---------------------------------------------------------------------------- */

/*
 * A stretch of time in ns on the session's clock.  A window shows all of every slice that it
 * touches, and slices are the coarser the older they are: model_kept() returns the stretch really
 * covered.
 */
struct window {
	uint64_t from, to;
};

#define WINDOW_ALL ((struct window){0, UINT64_MAX})

/* Return the stretch that a window's slices cover; empty (from == to) if none are kept. */
struct window model_kept(const struct model *m, struct window w);

/* Parts that old slices have lost by thinning (model/core/coarsen.h). */
enum model_coarsen {
	MODEL_THIN_PATHS = 1, /* addresses and callers, except the largest rows' */
	MODEL_THIN_NAMES = 2, /* names of small functions */
	MODEL_THIN_FIELDS = 4, /* small keys of sums by fields (--by) */
};

/*
 * Return true if the last rows by line include code known by function alone, though it has line
 * information.
 */
bool model_unlined(const struct model *m);

/* Return the bits of enum model_coarsen of all slices in the window, or-ed. */
unsigned model_coarsened(const struct model *m, struct window w);

/* Stop merging across the ends of this window, so that its content stays the same. */
void model_hold(struct model *m, struct window w);

uint64_t model_now(const struct model *m);   /* end of the newest slice, 0: none yet */

/* Return the end of the newest slice in which something was counted. */
uint64_t model_counted(const struct model *m);
uint64_t model_first(const struct model *m); /* start of the oldest slice still held */

/* --- rows ------------------------------------------------------------------------------- */

enum group_by { GROUP_FUNCTION, GROUP_OBJECT, GROUP_TASK, GROUP_THREAD, GROUP_CPU, GROUP_HOST,
		GROUP_COMMAND, /* all processes of a name */
		GROUP_PATTERN, /* all threads of a name, ignoring the numbers in it */
		GROUP_USER, GROUP_CGROUP,
		GROUP_PARENT, /* all tasks whose processes were forked by processes of a name */
		GROUP_LINE,   /* all code of a source line; code without one, by function */
		GROUP_NR };


enum row_flag {
	ROW_KERNEL = 1,
	ROW_UNRESOLVED = 2, /* the name is an address */
	ROW_LOADING = 4,    /* its object's symbols are being loaded */
	ROW_SELF = 8,       /* ringtop's own row */
	ROW_LOST = 16,      /* a pseudo row for dropped samples: "[table full]" */
	ROW_EXITED = 32,
	ROW_FOLDED = 64, /* stands for `folded` small rows: exited tasks, nameless addresses */
	ROW_DOUBT = 128,    /* its name may be wrong: `why` */
	ROW_UNMAPPED = 256, /* no object is known to be there: "[unknown]" */
	ROW_LINE_PENDING = 512, /* grouped by line: its line is still being looked up */
	ROW_IRQS_OFF = 1024, /* its own time is of code before it (model/rows/irqsoff.h) */
};

struct row {
	uint64_t key;       /* stable identity of the row for the model's life */
	uint32_t id;        /* for model_row_timeline, until a slice is added */
	uint32_t slot;      /* for the model alone */
	const char *name;   /* of the group: function, object, comm, "cpu 3" */
	const char *object; /* of a function; "" where many or none */
	const char *why;    /* of a function's object: why it has no or only some names, or, with
			     * ROW_DOUBT, why they may be wrong; else "" */
	const char *file;   /* source file: of a function, "" if not known; of a line */
	const char *also; /* of a function: other names of its address (core/slice/aliases.h), else
			     "" or NULL */
	uint32_t line;      /* grouped by line: its number in `file`, whose last part is the name;
			     * 0: code without a line */
	const char *function; /* grouped by line: its function; "" where several have it */
	const char *task;   /* name that its threads have in common (model/core/tasknames.h); "":
			     * none, see ntasks */
	unsigned nthreads;  /* distinct threads of several names; 0: one name, or the whole run */
	unsigned ntasks;    /* distinct processes (at least, in a very long total); 0: not known */
	const char *host;   /* several hosts: name of the only one with samples of it; else "" */
	unsigned nhosts;    /* distinct hosts that it was sampled on; 0: one machine */
	/*
	 * By cgroup, in the window: periods of its CPU quota that ended (0: no quota is known),
	 * periods in which one of its tasks had to wait, and ns waited, added up over CPUs; the
	 * latter also as a part of one CPU's time, NAN in windows of less than a second, which is
	 * how often quotas are read.
	 */
	uint64_t periods, throttled, throttled_ns;
	double throttled_share;
	const char *user, *cgroup, *parent; /* of a process or thread; a cgroup's path also of rows
					     * by it; "": not known */
	int32_t ppid;       /* pid of parent; 0: not known, or none */
	int32_t pid, tid, cpu; /* where grouped by them, else -1; cpu: as its host numbers it */
	uint32_t flags;
	uint64_t folded; /* with ROW_FOLDED: number of rows folded, 0: not known (in a window) */
	uint64_t samples;
	uint64_t self, total; /* weights, in the event's unit */
	uint64_t other;     /* part of self that is of query.other */
	double self_share, total_share; /* 0..1 of the window's attributed weight (all of it except
					 * hidden idle time, whatever is hidden or filtered);
					 * ROW_LOST: of attributed plus dropped weight */
	float trend[TREND_NR]; /* share of self in each tenth of the window, oldest first:
				* query.trend or model_trends() */
	double peak;   /* the largest of these */
	double change; /* of self_share, against the preceding window of equal length; NAN: nothing
			* is kept of that */
};

struct rowfilter; /* model/rows/rowfilter.h */

enum sort_by {
	SORT_SELF,
	SORT_TOTAL,
	SORT_NAME,
	SORT_OBJECT,
	SORT_TASK,
	SORT_SAMPLES,
	SORT_PID,
	SORT_PEAK,
	SORT_CHANGE,	/* row.peak, row.change: computed on demand */
	SORT_THROTTLED, /* by cgroup; rows without a known quota are last */
	SORT_COUNT,
	SORT_SUM,
	SORT_AVERAGE,
	SORT_MINIMUM,
	SORT_MAXIMUM,
	SORT_KEY, /* of model/fields/fieldquery.h */
	SORT_NR
};

struct query {
	unsigned event; /* index into session_info.events */
	bool both;      /* also count event `other` in the same rows; both have one unit */
	unsigned other;
	enum group_by group;
	enum sort_by sort;
	bool reverse;
	bool hide_kernel, hide_user;
	bool hide_idle;              /* no rows for the kernel's idle loop, nor a part of 100 % */
	bool show_self;              /* also ringtop's own rows (one row "[ringtop]") */
	bool by_host;                /* several hosts: separate rows for each */
	unsigned host;               /* 1 + number of the only host counted, 100 % too; 0: all */
	bool self_only;              /* without callers, tasks and hosts: twice as fast */
	const struct rowfilter *filter; /* or NULL */
	bool waited;                 /* off-cpu:woken: only waits in the function `waited_in` */
	uint32_t waited_in;          /* id of its row, valid until a slice is added */
	size_t limit;                /* 0: all */
	bool trend;                  /* fill row.trend of all rows; for a few see model_trends() */
	bool in_part;                /* rows.row may be NULL: model_rows_part() makes rows */
};

struct rows {
	struct row *row; /* sorted; ties by name, then object: the order never flickers */
	size_t nr;       /* number of rows, at most query.limit */
	size_t all;      /* number of rows without the limit */
	uint64_t attributed; /* 100 % of the shares */
	uint64_t other;      /* part of attributed that is of query.other */
	uint64_t idle;       /* idle weight left out of attributed: query.hide_idle */
	uint64_t dropped;    /* attributed + dropped is 100 % of rows with ROW_LOST */
	uint64_t samples;
	uint64_t shown;      /* weight of all rows, after hiding and filter */
	uint64_t missing;    /* by line, of the whole run: weight measured but no longer kept */
};

/*
 * Return the rows of a window.  For WINDOW_ALL they are the whole run's totals, exact even where
 * history was merged or forgotten, unless a filter needs another dimension than the group's and the
 * host.  The result belongs to the model.  NULL: out of memory.
 */
const struct rows *model_rows(struct model *m, const struct query *q, struct window w);

/*
 * Write the task of a row, raw: its name, with the number of threads that share it, "price-* (4)";
 * or the number of its processes, "(3)".
 */
void model_row_task(const struct row *r, char *buf, size_t size);

/* Write the name of a row, raw: a line's with its number, cut to `size`. */
void model_row_name(const struct row *r, char *buf, size_t size);

/*
 * Return some of the query's rows, made with query.in_part or without: a screen shows 50 of
 * 100 000.  They are the rows from `from` on, `nr` or fewer at the end.  NULL: out of memory, or
 * there is none.
 */
const struct row *model_rows_part(struct model *m, const struct query *q, struct window w,
				  size_t from, size_t nr);

/* Return the key of row i of the last model_rows() result, whether the row is made or not. */
uint64_t model_row_key(const struct model *m, size_t i);

/*
 * Fill the trends of some rows of the last model_rows() result for the same query: a screen shows
 * 50 of 100 000.  Return 0 or -ENOMEM.
 */
int model_trends(struct model *m, const struct query *q, struct window w, size_t from, size_t nr);

/* --- accounts and gauges ---------------------------------------------------------------- */

/* Attributed weight by where it ran, ringtop's own included; dropped weight is in none. */
struct busy {
	uint64_t user, kernel; /* kernel: without idle */
	uint64_t idle;	       /* the kernel's idle loop */
};

/* One event over a window, all CPUs or one: counted = attributed + sum(lost) + pending. */
struct account {
	uint64_t counted, attributed, samples;
	struct busy busy;
	/* Times by /proc/stat, as in struct slice_account. */
	uint64_t stat_ns, stat_idle, stat_stolen, stat_user, stat_kernel;
	uint64_t pending;   /* includes unsampled */
	uint64_t unsampled; /* part of pending: clock time with nothing to sample */
	uint64_t unsampled_why[UNSAMPLED_NR];
	uint64_t lost[LOST_CAUSES], lost_samples[LOST_CAUSES];
	uint64_t lost_all, lost_samples_all;
	uint64_t throttles;
	uint64_t left_out;  /* samples left out by a saved time line or slow link ([folded]) */
	uint64_t enabled, starved; /* ns, as in struct slice_account */
	uint64_t seen, seen_counted; /* parts of enabled and counted where it had a counter */
	uint64_t others; /* count in addition to `counted`, as in struct slice_account */
	bool exact;
	bool unknown; /* it never had a counter: the true count is unknown */
	double attributed_share; /* attributed / (attributed + lost), NAN where both are 0 */
};

/* Return the busy part of the CPUs' time by /proc/stat, 0..1; -1: it was not read. */
static inline double model_stat_busy(const struct account *a)
{
	uint64_t idle = a->stat_idle + a->stat_stolen;

	return !a->stat_ns ? -1 : idle >= a->stat_ns ? 0 : 1 - (double)idle / (double)a->stat_ns;
}

/* Return the part of the time for which the event had a counter, 0..1; NAN: unknown. */
static inline double model_counter_share(const struct account *a)
{
	return a->enabled ? 1 - (double)a->starved / (double)a->enabled : NAN;
}

#define ALL_CPUS (-2)

/* Fill *a with an event's account over a window; cpu: as in slices, or ALL_CPUS. */
void model_account(const struct model *m, unsigned event, int cpu, struct window w,
		   struct account *a);

/*
 * Fill cpus with up to `nr` CPUs that an event has accounts for, in the session's order (-1:
 * per-thread rings).  Return how many there are.
 */
size_t model_account_cpus(const struct model *m, unsigned event, int *cpus, size_t nr);

/* One ring over a window. */
struct gauge {
	struct slice_gauge now; /* identity, and values of the last slice */
	double fill;      /* 0..1 when last read; NAN, here and below: never read */
	double fill_max;  /* highest in the window */
	double fill_peak; /* highest since model_zero */
	double seconds;   /* of the window */
	uint64_t bytes, records, lost, overwritten_bytes,
		wakeups; /* in the window; or GAUGE_UNKNOWN */
};

size_t model_ngauges(const struct model *m);

/* Fill *g for ring i over a window. */
void model_gauge(const struct model *m, size_t i, struct window w, struct gauge *g);

/* One AUX area over a window. */
struct aux {
	struct slice_aux now; /* identity, and values of the last slice */
	struct slice_aux sum; /* counts of the window */
	double seconds;       /* of the window */
	double rate;          /* bytes a second, -1: not known */
	bool measured;        /* the rate is from short stops, not from all bytes */
	const char *why;      /* why the rate is not known, or NULL */
	uint64_t held_ns;     /* ns that a full area reaches back at this rate; or GAUGE_UNKNOWN */
	float trend[TREND_NR]; /* the rate in each tenth of the window, oldest first */
};

size_t model_naux(const struct model *m);

/* Fill *a for AUX area i over a window; a->why is static. */
void model_aux(const struct model *m, size_t i, struct window w, struct aux *a);

/*
 * Fill in up to `nr` of the newest snapshots, newest first, including those still being written.
 * Return their number.
 */
size_t model_snapshots(const struct model *m, const struct slice_snapshot **snapshots, size_t nr);

/* --- hosts ------------------------------------------------------------------------------ */

/* Counts of a host's link over a stretch of time. */
struct history_link {
	uint64_t bytes_in, bytes_out, merged, folded_samples, folded_rows;
};

/* One of the session's hosts over a window. */
struct host {
	struct slice_host now; /* values of the last slice; counts: as since model_zero() */
	struct history_link link; /* counts of the window */
	double seconds;        /* of the window */
};

/* Return the number of hosts in the slices so far; 0: one machine, this one or a file's. */
size_t model_nhosts(const struct model *m);

/* Fill *h for host i over a window. */
void model_host(const struct model *m, size_t i, struct window w, struct host *h);

/*
 * Fill in the account of a host's rings or CPUs, which are numbered by the host: see
 * session_place().
 */
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

/*
 * Fill in up to `nr` gaps that touch a window, newest first; the oldest are forgotten.  Return
 * their number.
 */
size_t model_gaps(const struct model *m, struct window w, const struct host_gap **gaps, size_t nr);

struct cpu_load {
	int cpu;
	uint64_t samples;
};

/*
 * Return samples of all events per CPU, by CPU number; *nr: how many CPUs.  The result belongs to
 * the model.
 */
const struct cpu_load *model_cpus(struct model *m, struct window w, size_t *nr);

/* --- head ------------------------------------------------------------------------------- */

struct head {
	double seconds;          /* of the window */
	double samples_per_s;    /* of the event */
	struct account account;  /* of the event */
	double self_cpu;         /* CPUs used by ringtop: 0.004 = 0.4 % of one */
	uint64_t self_cpu_ns;
	struct slice_self self;  /* the newest values; sums where they are counts of the window */
};

/* Fill *h for a window and an event. */
void model_head(const struct model *m, unsigned event, struct window w, struct head *h);

/* Return advice for the user on the gauges' values, the worst problem first; NULL: none. */
const char *model_advice(struct model *m, unsigned event, struct window w);

/*
 * Return the advice about lost samples alone, except those lost by throttling; NULL: there is none.
 */
const char *model_advice_loss(struct model *m, unsigned event, struct window w);

/* Fill in up to `nr` of the newest log lines, newest first.  Return their number. */
size_t model_logs(const struct model *m, const struct slice_log **logs, size_t nr);

/* Return the part of a file that was replayed, 0..1; 0: not known. */
double model_progress(const struct model *m);

/*
 * Return SANDBOX_PROCESSES figures of helper processes: since each was first started, not of a
 * window.
 */
const struct sandbox_figures *model_helpers(const struct model *m);

/* Return the current state of recording to a file; NULL: nothing was ever recorded. */
const struct slice_recording *model_recording(const struct model *m);

/*
 * Return the next stretch after `last` (NULL: the first) of an event that was changed while
 * measured; NULL: no more.
 */
struct rate;
const struct rate *model_next_rate(const struct model *m, unsigned event, const struct rate *last);

/* Give a moment a name (model/core/marks.h); model_zero forgets it.  0 or -ENOMEM. */
int model_mark(struct model *m, uint64_t time, const char *name);

/* Return the number of marks, and in *marks all of them, oldest first. */
struct mark;
size_t model_marks(const struct model *m, const struct mark **marks);

/*
 * Return the alerts that conditions raised (model/judge/alerts.h); model_zero() and model_rewind()
 * forget them.
 */
struct alerts;
struct alerts *model_alerts(struct model *m);

/* Return the newest decoded snapshot of Intel PT; NULL: none yet. */
const struct slice_pt *model_pt(const struct model *m);

/*
 * Fill the bins with the attributed weight, without idle time, oldest first: the timeline of the
 * window.
 */
void model_timeline(const struct model *m, unsigned event, struct window w, double *bins,
		    size_t nr);

/*
 * Like model_timeline(), for a line that grows: adds the slices that begin at `since` (0: all) or
 * later and end at `until` or before to the bins, which divide `bins` into equal parts.  Return
 * where the newest of them ends, `since` if there are none; UINT64_MAX: a merged slice lies across
 * `since`, nothing was added and the line must be made anew.
 */
struct timeline_part {
	struct window bins;
	uint64_t since, until;
};

uint64_t model_timeline_add(const struct model *m, unsigned event, const struct timeline_part *p,
			    double *bins, size_t nr);

/*
 * Weight of a stretch as in model_timeline(), and how fine it is known: the length of the longest
 * slice in each of `nr` bins, in ns; 0: nothing is known of that time.  Both arrays are the
 * caller's.
 */
struct heat {
	double *weight;
	uint64_t *longest;
};

void model_heat(const struct model *m, unsigned event, struct window w, struct heat *heat,
		size_t nr);

/*
 * Like model_timeline_add(), for one row's self weight, by its id, without what the query hides or
 * filters.
 */
uint64_t model_row_timeline(struct model *m, const struct query *q, uint32_t id,
			    const struct timeline_part *p, double *bins, size_t nr);

/*
 * Add the weight of some events that passes a filter (or NULL) to `nr` equal parts of a window:
 * that of events[i] to bins[i * nr] and following.  Reads the history once for all of them.  Return
 * 0 or -ENOMEM.
 */
int model_course(struct model *m, const unsigned *events, size_t nevents,
		 const struct rowfilter *filter, struct window w, double *bins, size_t nr);

/*
 * Return a number that changes each time a new name may have moved past weight to or from the row.
 */
uint32_t model_row_named(const struct model *m, const struct query *q, uint32_t id);

/* Memory of the model in bytes; slices held, and those merged and forgotten so far. */
struct model_memory {
	size_t bytes;
	uint64_t slices, merged, forgotten;
};

void model_memory(const struct model *m, struct model_memory *mem);

/* Return the session's head, as given to model_create(). */
const struct session_info *model_info(const struct model *m);

#endif
