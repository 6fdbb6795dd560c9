/* SPDX-License-Identifier: GPL-2.0-or-later */
/* near - which word a misspelt one was meant to be.  Threads: any.  Allocates: never. */
#ifndef RINGTOP_BASE_NEAR_H
#define RINGTOP_BASE_NEAR_H

/*
 * Levenshtein's distance of two words: letters put in, left out or exchanged.  UINT_MAX where the second
 * one is longer than 127.
 */
unsigned near_distance(const char *a, const char *b);

#endif
