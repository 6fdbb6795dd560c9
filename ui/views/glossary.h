/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * glossary - explanations of columns, gauges and mouse actions, for the help.
 *
 * Threads: any (const tables).
 */
#ifndef RINGTOP_UI_VIEWS_GLOSSARY_H
#define RINGTOP_UI_VIEWS_GLOSSARY_H

#include <stddef.h>

struct glossary_entry {
	const char *word, *text;
	int view; /* enum view_id that the entry is for; -1: all others */
};

/* Return the explanation of a view's column with this title; NULL: there is none. */
const char *glossary_column(int view, const char *title);

/* Gauges of the head, mouse actions, common questions; each list ends with a word of NULL. */
extern const struct glossary_entry glossary_gauges[];
extern const struct glossary_entry glossary_mouse[];
extern const struct glossary_entry glossary_questions[];

#endif
