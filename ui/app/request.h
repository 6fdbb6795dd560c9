/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * request - requests to the session on behalf of the user, whose outcome is shown as a message:
 * files to be written, and changes of events.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_UI_APP_REQUEST_H
#define RINGTOP_UI_APP_REQUEST_H

#include <stdint.h>

#include "base/err.h"
#include "measure/session/session.h"

struct app;

/* Request SESSION_SNAPSHOT or SESSION_DUMP; an error is shown as a message.  0 or -errno. */
int request_snapshot(struct app *a, enum session_command command, const char *reason);

/*
 * Fetch a file that was written into a directory ("": the present one): the snapshot of that
 * number, 0: the recording, -1: the newest snapshot, or else the recording.  The outcome is shown
 * as a message.
 */
void request_fetch(struct app *a, long number, const char *directory);

/* Write the window shown; text: FORMAT:FILE.  0, or -errno with err. */
int request_write(struct app *a, const char *text, struct err *err);

/* Request SESSION_EVENTS for the event shown; the outcome is shown as a message.  0 or -errno. */
int request_change(struct app *a, enum session_change change, const char *text, uint64_t number);

/*
 * Save the time line to this file: what is kept of it, and all that follows.  0, or -errno with
 * err.
 */
int request_save(struct app *a, const char *file, struct err *err);

/* Record to this file, or end the recording that is going on.  0, or -errno with err. */
int request_record(struct app *a, const char *file, struct err *err);

#endif
