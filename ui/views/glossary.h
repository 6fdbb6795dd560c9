/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * glossary - what columns and gauges mean, and what the mouse does: one table, for the help.
 *
 * Threads: any (const tables).
 */
#ifndef RINGTOP_UI_VIEWS_GLOSSARY_H
#define RINGTOP_UI_VIEWS_GLOSSARY_H

#include <stddef.h>

struct glossary_entry {
	const char *word, *text;
	int view; /* enum view_id where it means this; -1: in all others */
};

/* What a view's column of this title is; NULL: nobody wrote it down. */
const char *glossary_column(int view, const char *title);

extern const struct glossary_entry glossary_gauges[]; /* of the head; end with a word of NULL */
extern const struct glossary_entry glossary_mouse[];
extern const struct glossary_entry glossary_questions[];

#endif
