/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * show_options - what of a model is to be shown, how often and in which look: filled in by the rows
 * of the options' table, read by front ends.  All 0 is the default.
 */
#ifndef RINGTOP_MODEL_ROWS_SHOW_OPTIONS_H
#define RINGTOP_MODEL_ROWS_SHOW_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct show_options {
	double delay;           /* -d, seconds between reports or refreshes; 0: default */
	uint64_t iterations;    /* -n, reports or refreshes; 0: no limit */
	double duration;        /* --duration, seconds; 0: no limit */
	uint64_t top;           /* --top, rows in intervals; 0: all */
	const char *group;      /* --group, or NULL */
	const char *sort;       /* --sort, or NULL */
	const char *view;       /* --view: the screen's first view, or commands; NULL: functions */
	const char *filter;     /* --only: the start filter (model/rows/rowfilter.h), or NULL */
	bool show_self;         /* --show-self */
	bool show_idle;         /* --show-idle */
	bool paths;             /* --paths: call paths in JSON */
	const char *baseline;   /* --baseline, --diff A: a file to compare with, or NULL */
	bool by_host;           /* --by host: the second host is compared with the first */
	bool ascii;             /* --ascii; else where terminal and locale allow it */
	bool mono;              /* --mono, --color=never; else by NO_COLOR and CLICOLOR */
	bool colour;            /* --color=always: without regard to them */
	const char *palette;    /* --palette; NULL: any */
	bool no_mouse;          /* --no-mouse: leave the mouse to the terminal, to select text */
};

/* A word, and what the man page says of it: "": nothing, NULL: it is no word of the option. */
struct show_word {
	const char *name, *remark;
};

/* Words by enum group_by and enum sort_by (model/core/model.h); the last name is NULL. */
extern const struct show_word group_words[], sort_words[];

#endif
