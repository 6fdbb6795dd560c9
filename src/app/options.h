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
#include "measure/session/measure_config.h"
#include "model/rows/show_options.h"

struct optionfile; /* optionfile.h */

enum front_end { FRONT_AUTO, FRONT_UI, FRONT_TEXT, FRONT_JSON };

#define OPTIONS_FREQUENCY_MAX UINT32_MAX /* -F max */

struct options {
	struct measure_config measure; /* what to measure; not what only a front end sets */
	/* files */
	const char *at;         /* --at TIME: position in the time line of -i, or NULL */
	const char *keep_dir;   /* --keep-for, or NULL */
	uint64_t keep_ns, keep_bytes; /* keep_bytes 0: default */
	const char *save;       /* --save: a time line to be written, or NULL */
	const char *against;	/* --diff B, or NULL */
	bool fail_on_change;    /* --fail-on-change */
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
	char **made;            /* texts of --pfm-events, rewritten for -e; owned */
	unsigned nmade;
	const struct question *question; /* --question, NULL: not given; its event and fields are
	                                  * also in the other members */
	/* conditions, each in turn */
	struct option_words {
		const char *const *word;
		unsigned nr;
	} snapshot_on, mark_on, alert, saved_views;
	bool explain;           /* --explain */
	const char *control;    /* --control FIFO, or NULL */
	const char *on_alert;   /* --on-alert COMMAND, or NULL */
	/* reports */
	enum front_end front;
	struct show_options show;
	uint64_t history_bytes; /* --history SIZE, 0: default */
	uint64_t max_memory;    /* --max-memory SIZE, 0: default */
	const char *const *exports; /* each --export in turn: FORMAT:FILE */
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
	const struct show_options *show = &o->show;

	return (show->group && !strcmp(show->group, "line")) ||
	       (show->filter && strstr(show->filter, "line:"));
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
