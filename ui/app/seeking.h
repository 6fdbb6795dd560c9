/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * seeking - access to any time of a saved time line, of which a model holds only a stretch.
 *
 * The session of a file seeks by itself, in its own model.  A live session that is being saved goes
 * on in its own model; what that model has forgotten is read back from the file by a second session
 * into a second model, which is shown instead while the window is there:
 *
 *   session ─▶ slices ─▶ app.own ─────────────▶ app.model ─▶ views
 *      └ saver ─▶ file ─▶ seeking.session ─▶ seeking.model ─┘ (instead of own)
 *
 * Both sessions have the same clock and events.  Threads: one owner.
 */
#ifndef RINGTOP_UI_APP_SEEKING_H
#define RINGTOP_UI_APP_SEEKING_H

#include <stdbool.h>
#include <stdint.h>

struct app;
struct model;
struct session;

/* The second session and its model; NULL until they are needed. */
struct seeking {
	struct session *session;
	struct model *model;
};

void seeking_free(struct seeking *s);

/* Return the session of the model on screen, for requests such as SESSION_CODE. */
struct session *seeking_session(const struct app *a);

/* Return true if the model on screen is of the saved file, not the session's own. */
bool seeking_in_file(const struct app *a);

/* Show the session's own model again. */
void seeking_leave(struct app *a);

/*
 * Open the saved file, if there is one, before going further back than the model, so that
 * seeking_first() includes it.  False: it cannot be read, as a message tells.
 */
bool seeking_reach(struct app *a);

/* Return the beginning and the end of all time available, in memory or not. */
uint64_t seeking_first(const struct app *a);
uint64_t seeking_last(const struct app *a);

/* Load the stretch around a time into memory, if available.  True: it is there. */
bool seeking_bring(struct app *a, uint64_t time);

/* Let the window begin at a time of day, or some seconds before the end. */
void seeking_go(struct app *a, const char *text);

#endif
