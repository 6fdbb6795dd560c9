/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * accountlines - what became of each event's counts, and all else that Buffers say in lines beside the rings.
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

/* Append what to do about what is lost now, if anything. */
void accountlines_advice(struct app *a, struct accountlines *l);

/* Append the accounts, those of events that lost something in full. */
void accountlines_add(struct app *a, struct accountlines *l);

#endif
