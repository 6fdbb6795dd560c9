/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * handler_files - actions that write: exports, recordings, saved time lines, the clipboard; see
 * handler.h.
 */
#ifndef RINGTOP_UI_APP_HANDLER_FILES_H
#define RINGTOP_UI_APP_HANDLER_FILES_H

struct app;

void handler_write(struct app *a, const char *arg);
void handler_record(struct app *a, const char *arg);
void handler_save(struct app *a, const char *arg);
void handler_copy(struct app *a);

#endif
