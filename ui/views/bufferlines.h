/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bufferlines - the text lines of the Buffers view: what became of each event's counts, and other
 * figures beside the rings.
 *
 * Threads: the screen's.
 */
#ifndef RINGTOP_UI_VIEWS_BUFFERLINES_H
#define RINGTOP_UI_VIEWS_BUFFERLINES_H

#include "ui/term/theme.h"

#define BUFFERLINES_MAX 64

struct app;

struct bufferlines {
	struct {
		char text[512];
		enum role role;
	} line[BUFFERLINES_MAX];
	int nr;
};

/* Append the advice on current losses, if there is any. */
void bufferlines_advice(struct app *a, struct bufferlines *l);

/* Append all accounts; those of events that lost something are given in full. */
void bufferlines_add(struct app *a, struct bufferlines *l);

#endif
