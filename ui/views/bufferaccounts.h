/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bufferaccounts - the text lines of the Buffers view: each event's counts and their loss, and
 * other figures beside the rings.
 *
 * Threads: the screen's.
 */
#ifndef RINGTOP_UI_VIEWS_BUFFERACCOUNTS_H
#define RINGTOP_UI_VIEWS_BUFFERACCOUNTS_H

#include "ui/term/theme.h"

#define BUFFERLINES_MAX 64

struct app;

struct bufferaccounts {
	struct {
		char text[512];
		enum role role;
	} line[BUFFERLINES_MAX];
	int nr;
};

/* Append the advice on current losses, if there is any. */
void bufferaccounts_advice(struct app *a, struct bufferaccounts *l);

/* Append all accounts; those of events that lost something are given in full. */
void bufferaccounts_add(struct app *a, struct bufferaccounts *l);

#endif
