/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * handler - the actions' functions, called by action.c's table.
 * Actions on the session are in handler_measure, on the window and marks in handler_time, those
 * that write files in handler_files.
 *
 * `arg` is the argument on the command line, "" from a key.  Threads: one owner.
 */
#ifndef RINGTOP_UI_APP_HANDLER_H
#define RINGTOP_UI_APP_HANDLER_H

#include <stdbool.h>

struct app;

void handler_view(struct app *a, const char *arg);
void handler_save_view(struct app *a, const char *arg);
void handler_details(struct app *a);
void handler_edit(struct app *a);
void handler_by_task(struct app *a);
void handler_back(struct app *a);
void handler_search(struct app *a, const char *arg);
void handler_filter(struct app *a, const char *arg);
void handler_group(struct app *a, const char *arg);
void handler_sort(struct app *a, const char *arg);
void handler_reverse(struct app *a);
void handler_event(struct app *a, const char *arg);
void handler_beside(struct app *a);
void handler_compare(struct app *a);
void handler_baseline(struct app *a);
void handler_wall(struct app *a);
void handler_ratios(struct app *a);
void handler_mouse(struct app *a);
void handler_redraw(struct app *a);
void handler_quit(struct app *a);

/* Note a search for the search text in the view's list; here: begin at the selected row. */
void handler_seek_match(struct app *a, int direction, bool here);

#endif
