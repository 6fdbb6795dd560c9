/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * glossary - explanations of columns, gauges and mouse actions, for the help.
 *
 * Threads: any (const tables).
 */
#ifndef RINGTOP_UI_VIEWS_GLOSSARY_H
#define RINGTOP_UI_VIEWS_GLOSSARY_H

#include <stddef.h>

struct widget_column;

struct glossary_entry {
	const char *word, *text;
};

/* Return the explanation of a column; NULL: there is none. */
const char *glossary_column(const struct widget_column *c);

/* Gauges of the head, mouse actions, common questions; each list ends with a word of NULL. */
extern const struct glossary_entry glossary_gauges[];
extern const struct glossary_entry glossary_mouse[];
extern const struct glossary_entry glossary_questions[];

#endif
