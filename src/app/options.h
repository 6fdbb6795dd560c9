/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * options - the command line.  One table row per option feeds the parser, --help and the man page.
 */
#ifndef RINGTOP_APP_OPTIONS_H
#define RINGTOP_APP_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/err.h"

struct optionfile; /* optionfile.h */

enum front_end { FRONT_AUTO, FRONT_UI, FRONT_TEXT, FRONT_JSON };

#define OPTIONS_FREQUENCY_MAX UINT32_MAX /* -F max */

/* A --filter, for the events of one -e, one -S, one --ftrace, or of -A. */
struct option_filter {
	char letter;            /* letter of that option; f: --ftrace */
	unsigned nr;            /* its index among options of this letter, from 0 */
	const char *text;
};

struct options {
	/* targets */
	bool all_cpus;          /* -a */
	const char *pids;       /* -p, raw list text */
	const char *tids;       /* -t */
	const char *user;       /* -u, name or number */
	const char *cgroup;     /* -G, a path */
	const char *cpus;       /* -C, raw list text */
	bool per_thread;        /* --per-thread */
	const char *between;    /* --between, raw text */
	bool off_cpu;           /* --off-cpu */
	bool no_inherit;        /* --no-inherit */
	char *const *command;   /* COMMAND [ARG...], NULL: none */
	const char *input;      /* -i: a file to read instead, perf.data or a time line */
	const char *at;         /* --at TIME: position in the time line of -i, or NULL */
	const char *keep_dir;   /* --keep-for, or NULL */
	uint64_t keep_ns, keep_bytes; /* keep_bytes 0: default */
	const char *save;       /* --save: a time line to be written, or NULL */
	const char *baseline;	/* --diff A, --baseline: a file, or NULL */
	const char *against;	/* --diff B, or NULL */
	bool fail_on_change;    /* --fail-on-change */
	const char *record;     /* -w: a perf.data file to record to, or NULL */
	/* other machines */
	char **hosts;           /* -H: [USER@]HOST each; none: this one */
	unsigned nhosts;
	const char *ssh;        /* --ssh COMMAND, NULL: ssh */
	bool sudo, keep;        /* --sudo, --keep */
	uint64_t linger;        /* --linger seconds */
	const char *fetch;      /* --fetch DIR, NULL: files written there stay there */
	/*
	 * Words of the command line for the machine that is measured, with COMMAND behind --;
	 * owned.
	 */
	char **there;
	unsigned nthere;
	/* events */
	const char **events;    /* each -e in turn, and --pfm-events rewritten for -e */
	unsigned nevents;
	char **made;            /* texts of the rewritten ones, owned */
	unsigned nmade;
	const char **counted; /* each -S in turn */
	unsigned ncounted;
	const char **ftraces;   /* each --ftrace in turn */
	unsigned nftraces;
	bool in_kernel;         /* --in-kernel */
	const char *by;         /* --by FIELD,..., NULL: not given */
	const struct question *question; /* --question, NULL: not given; its event and fields are
	                                  * also in the other members */
	bool by_host;           /* --by host: the second host is compared with the first */
	struct option_filter *filters; /* each --filter in turn */
	unsigned nfilters;
	uint32_t frequency;     /* -F Hz, OPTIONS_FREQUENCY_MAX, 0: not given */
	uint64_t period;        /* -c, 0: not given */
	bool call_graph;        /* -g */
	const char *call_graph_mode; /* --call-graph, NULL: not given */
	bool no_lines;          /* --no-lines */
	bool debuginfod;        /* --debuginfod */
	const char *vmlinux, *kallsyms; /* --vmlinux, --kallsyms FILE, NULL: not given */
	const char *symfs;      /* --symfs DIR, NULL: not given */
	/* rings */
	uint64_t ring_bytes;    /* -m: bytes (pages already multiplied), 0: default */
	uint64_t sideband_pages; /* 0: default */
	bool no_overwrite;
	uint64_t delay_start;   /* --delay-start, ms; 0: not given */
	int realtime;           /* --realtime PRIO, 0: not given */
	/* hardware trace */
	const char *aux_event;  /* -A, NULL: none */
	uint64_t aux_bytes;     /* --aux-size, 0: default */
	uint64_t aux_sample_bytes; /* --aux-sample-size, 0: none */
	bool aux_full;          /* --aux-mode full */
	bool aux_measure;       /* --aux-measure */
	/* snapshots */
	const char *snapshot_dir; /* NULL: the current directory */
	/* conditions, each in turn */
	struct option_words {
		const char **word;
		unsigned nr;
	} snapshot_on, mark_on, alert, saved_views;
	bool explain;           /* --explain */
	const char *control;    /* --control FIFO, or NULL */
	const char *on_alert;   /* --on-alert COMMAND, or NULL */
	/* reports */
	enum front_end front;
	double delay;           /* -d seconds, 0: default */
	uint64_t iterations;    /* -n, 0: no limit */
	double duration;        /* --duration seconds, 0: no limit */
	uint64_t top;           /* --top N rows in intervals, 0: all */
	const char *group;      /* --group, or NULL */
	const char *sort;       /* --sort, or NULL */
	const char *view;       /* --view: the screen's first view, or NULL */
	const char *filter;     /* --only FILTER: the start filter of the views
	                         * (model/rows/filter.h) */
	bool ascii, mono;       /* --ascii; --mono, --color=never */
	bool colour;            /* --color=always */
	const char *palette;    /* --palette, or NULL */
	bool no_mouse;          /* --no-mouse */
	bool show_self;         /* --show-self */
	bool show_idle;         /* --show-idle */
	uint64_t history_bytes; /* --history SIZE, 0: default */
	uint64_t max_cpu;       /* --max-cpu PERCENT, 0: default */
	uint64_t max_memory;    /* --max-memory SIZE, 0: default */
	bool log_events;        /* --log-events */
	bool paths;             /* --paths: call paths in JSON */
	const char **exports;   /* each --export in turn: FORMAT:FILE */
	unsigned nexports;
	bool propagate;         /* --propagate: exit with COMMAND's status */
	/* debugging */
	bool verbose;           /* -v[DOMAIN] */
	const char *verbose_domain; /* NULL: all */
	const char *log_file;   /* --log */
	bool no_helper;         /* --no-helper: other users' files are read in this process, too */
	bool no_config;         /* --no-config */
	struct optionfile *file; /* file of settings with its complaints; NULL: none was wanted */
	unsigned settings;      /* number of its settings in use */
	bool self_stats;        /* --self-stats: print ringtop's own usage on stderr at the end */
};

/*
 * Return true if there are conditions: they are checked with each slice and should not wait for it.
 */
static inline bool options_watch(const struct options *o)
{
	return o->snapshot_on.nr || o->mark_on.nr || o->alert.nr;
}

/* Return true if rows are by source line from the start on. */
static inline bool options_by_line(const struct options *o)
{
	return (o->group && !strcmp(o->group, "line")) || (o->filter && strstr(o->filter, "line:"));
}

enum options_action { OPTIONS_RUN, OPTIONS_HELP, OPTIONS_VERSION, OPTIONS_LIST };

/*
 * Parse argv into *o, which is overwritten; strings point into argv.  0 with *action; call
 * options_clear then.  -EINVAL (wrong usage: exit 2) with one helpful line in err, such as the
 * nearest option for a misspelt one; or -ENOMEM with err.
 */
int options_parse(int argc, char *const argv[], struct options *o, enum options_action *action,
		  struct err *err);

/*
 * A check of a setting beyond the form of its value, such as that its events exist on this machine.
 * 0, or -errno with err.
 */
typedef int options_check(const char *key, const char *value, struct err *err);

/*
 * Like options_parse(), and also take options that the command line leaves open from the user's
 * file of settings (optionfile.h), unless --no-config is given.  Errors in that file, or settings
 * that `check` refuses (NULL: none), are no errors of this call: o->file has them as complaints.
 */
int options_parse_user(int argc, char *const argv[], struct options *o, enum options_action *action,
		       options_check *check, struct err *err);

/*
 * Add the settings of a file, which o owns from here on (NULL: none), to options that were parsed
 * from these words: the second half of options_parse_user().
 */
void options_take_file(int argc, char *const argv[], struct options *o, struct optionfile *f,
		       options_check *check);

/* Write the text of --help to buf, cut to size.  Return its whole length. */
int options_help(char *buf, int size);

/*
 * Write one troff paragraph per option, for ringtop.1's OPTIONS, like options_help(); a test
 * compares it with the page.
 */
int options_man(char *buf, int size);

void options_clear(struct options *o); /* frees its members, sets all to 0 */

#endif
