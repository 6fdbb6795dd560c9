/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * accountlines - the text lines of the Buffers view: what became of each event's counts, and other
 * figures beside the rings.
 *
 * Threads: the screen's.
 */
#ifndef RINGTOP_UI_VIEWS_ACCOUNTLINES_H
#define RINGTOP_UI_VIEWS_ACCOUNTLINES_H

#include "ui/term/theme.h"

#define ACCOUNTLINES_MAX 64

struct app;

struct accountlines {
	struct {
		char text[512];
		enum role role;
	} line[ACCOUNTLINES_MAX];
	int nr;
};

/* Append the advice on current losses, if there is any. */
void accountlines_advice(struct app *a, struct accountlines *l);

/* Append all accounts; those of events that lost something are given in full. */
void accountlines_add(struct app *a, struct accountlines *l);

#endif
