/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * callpaths - call paths of the event shown, and switching them while it is measured: the event is
 * replaced by itself with another term call-graph=, and the new event is shown as soon as it has
 * come.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_UI_APP_CALLPATHS_H
#define RINGTOP_UI_APP_CALLPATHS_H

#include <stdbool.h>
#include <stddef.h>

struct app;

struct callpaths {
	char coming[160]; /* name of the event to be shown when it has come; "": none */
};

/* Return true if samples of the event shown have call paths. */
bool callpaths_taken(const struct app *a);

/* Return true if the event's own term call-graph= decides, not the session's call graph. */
bool callpaths_named(const struct app *a);

/* Return true if call paths are by frame pointers alone. */
bool callpaths_by_pointers(const struct app *a);

/* Return true if call paths are by frame pointers, and by copied stacks where these end early. */
bool callpaths_auto(const struct app *a);

/* Write the event `name` with its term call-graph= replaced by `how`.  False: no room. */
bool callpaths_event(const char *name, const char *how, char *text, size_t size);

/* Show the new event if it has come; to be called as slices come. */
void callpaths_follow(struct app *a);

/*
 * Switch to auto, fp, dwarf or no; "": to the next of auto, dwarf and no.  Errors are shown as a
 * message.
 */
void callpaths_switch(struct app *a, const char *how);

#endif
