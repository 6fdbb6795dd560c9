/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * handler_measure - actions on the session: its events, its counters, its snapshots; see handler.h.
 */
#ifndef RINGTOP_UI_APP_HANDLER_MEASURE_H
#define RINGTOP_UI_APP_HANDLER_MEASURE_H

struct app;

void handler_add_event(struct app *a, const char *arg);
void handler_question(struct app *a, const char *arg);
void handler_replace_event(struct app *a, const char *arg);
void handler_drop_event(struct app *a);
void handler_ring_size(struct app *a, const char *arg);
void handler_off_cpu(struct app *a, const char *arg);
void handler_event_filter(struct app *a, const char *arg);
void handler_by(struct app *a, const char *arg);
void handler_between(struct app *a, const char *arg);
void handler_frequency(struct app *a, const char *arg);
void handler_period(struct app *a, const char *arg);
void handler_zero(struct app *a);
void handler_pause(struct app *a);
void handler_snapshot(struct app *a, const char *arg);
void handler_dump(struct app *a, const char *arg);
void handler_fetch(struct app *a, const char *arg);

#endif
