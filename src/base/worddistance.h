/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * worddistance - find the word that a misspelt one was meant to be.  Threads: any.  Allocates:
 * never.
 */
#ifndef RINGTOP_BASE_WORDDISTANCE_H
#define RINGTOP_BASE_WORDDISTANCE_H

/*
 * Return the Levenshtein distance of two words: bytes inserted, deleted or replaced.  UINT_MAX
 * where b is longer than 127 bytes.
 */
unsigned worddistance(const char *a, const char *b);

#endif
