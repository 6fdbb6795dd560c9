/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * handler - the actions' functions, called by action.c's table, and by app.c for the mouse.
 * Actions on the session are in handler_measure, on the window and marks in handler_time, those
 * that write files in handler_files.
 *
 * `arg` is the argument on the command line, "" from a key.  Threads: one owner.
 */
#ifndef RINGTOP_UI_APP_HANDLER_H
#define RINGTOP_UI_APP_HANDLER_H

struct app;

void handler_functions(struct app *a, const char *arg);
void handler_tasks(struct app *a, const char *arg);
void handler_tree(struct app *a, const char *arg);
void handler_flame(struct app *a, const char *arg);
void handler_code(struct app *a, const char *arg);
void handler_buffers(struct app *a, const char *arg);
void handler_counters(struct app *a, const char *arg);
void handler_fields(struct app *a, const char *arg);
void handler_events(struct app *a, const char *arg);
void handler_aux(struct app *a, const char *arg);
void handler_next_view(struct app *a, const char *arg);
void handler_previous_view(struct app *a, const char *arg);
void handler_explain(struct app *a, const char *arg);
void handler_view(struct app *a, const char *arg);
void handler_save_view(struct app *a, const char *arg);
void handler_heat(struct app *a, const char *arg);
void handler_help(struct app *a, const char *arg);
void handler_up(struct app *a, const char *arg);
void handler_down(struct app *a, const char *arg);
void handler_page_up(struct app *a, const char *arg);
void handler_page_down(struct app *a, const char *arg);
void handler_first(struct app *a, const char *arg);
void handler_last(struct app *a, const char *arg);
void handler_open(struct app *a, const char *arg);
void handler_details(struct app *a, const char *arg);
void handler_only(struct app *a, const char *arg);
void handler_hot_path(struct app *a, const char *arg);
void handler_source(struct app *a, const char *arg);
void handler_edit(struct app *a, const char *arg);
void handler_turn(struct app *a, const char *arg);
void handler_by_task(struct app *a, const char *arg);
void handler_back(struct app *a, const char *arg);
void handler_search(struct app *a, const char *arg);
void handler_next_match(struct app *a, const char *arg);
void handler_previous_match(struct app *a, const char *arg);
void handler_filter(struct app *a, const char *arg);
void handler_group(struct app *a, const char *arg);
void handler_sort(struct app *a, const char *arg);
void handler_reverse(struct app *a, const char *arg);
void handler_event(struct app *a, const char *arg);
void handler_beside(struct app *a, const char *arg);
void handler_compare(struct app *a, const char *arg);
void handler_baseline(struct app *a, const char *arg);
void handler_wall(struct app *a, const char *arg);
void handler_ratios(struct app *a, const char *arg);
void handler_show_idle(struct app *a, const char *arg);
void handler_hide_kernel(struct app *a, const char *arg);
void handler_hide_user(struct app *a, const char *arg);
void handler_whole_names(struct app *a, const char *arg);
void handler_show_self(struct app *a, const char *arg);
void handler_command(struct app *a, const char *arg);
void handler_mouse(struct app *a, const char *arg);
void handler_redraw(struct app *a, const char *arg);
void handler_quit(struct app *a, const char *arg);

#endif
