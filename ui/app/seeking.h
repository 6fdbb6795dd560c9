/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * seeking - any time of a saved time line, of which a model holds a stretch.
 *
 * A file's session seeks itself, in its own model.  A session that is saved while it is measured goes on in its own
 * model; what that has forgotten comes from the file, by a second session into a second model, which is shown instead
 * as long as the window stands there:
 *
 *   session ─▶ slices ─▶ app.own ─────────────▶ app.model ─▶ views
 *      └ saver ─▶ file ─▶ seeking.session ─▶ seeking.model ─┘ (instead of own)
 *
 * Both have one clock and the same events.  Threads: one owner.
 */
#ifndef RINGTOP_UI_APP_SEEKING_H
#define RINGTOP_UI_APP_SEEKING_H

#include <stdbool.h>
#include <stdint.h>

struct app;
struct model;
struct session;

/* Of what was saved of a session: NULL until somebody goes there. */
struct seeking {
	struct session *session;
	struct model *model;
};

void seeking_free(struct seeking *s);

/* Who is asked about what is shown, such as its code. */
struct session *seeking_session(const struct app *a);

/* Is it from the file, not from the session's own memory? */
bool seeking_in_file(const struct app *a);

/* Back to the session's own model. */
void seeking_leave(struct app *a);

/*
 * Before one goes further back than what is shown: seeking_first is where the file begins, too.  False: there is a file,
 * and it cannot be read, which was said.
 */
bool seeking_reach(struct app *a);

/* Where all there is begins and ends, whatever of it is in memory. */
uint64_t seeking_first(const struct app *a);
uint64_t seeking_last(const struct app *a);

/* Have what is around this time in memory, where it is to be had.  True: it is there. */
bool seeking_bring(struct app *a, uint64_t time);

/* Let the window begin at a time of day, or so many seconds before the end. */
void seeking_go(struct app *a, const char *text);

#endif
