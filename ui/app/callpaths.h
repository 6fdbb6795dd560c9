/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * callpaths - whether samples of the event shown have call paths, and that they get some while it is measured: the event
 * is replaced by itself with another term call-graph=, and shown as soon as it has come.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_UI_APP_CALLPATHS_H
#define RINGTOP_UI_APP_CALLPATHS_H

#include <stdbool.h>
#include <stddef.h>

struct app;

struct callpaths {
	char coming[160]; /* the event that is to be shown when it is there; "": none */
};

bool callpaths_taken(const struct app *a);

/* The event's name says itself how they come, whatever the session's call graph is. */
bool callpaths_named(const struct app *a);

/* They come by frame pointers alone. */
bool callpaths_by_pointers(const struct app *a);

/* ... or by copies of stacks where these end early. */
bool callpaths_auto(const struct app *a);

/* The event `name` as typed, with call-graph=`how` for what it had of it.  False: no room. */
bool callpaths_event(const char *name, const char *how, char *text, size_t size);

/* Show what has come. */
void callpaths_follow(struct app *a);

/* auto, fp, dwarf or no; "": what comes next of auto, dwarf and no. */
void callpaths_switch(struct app *a, const char *how);

#endif
