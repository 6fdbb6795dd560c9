/* SPDX-License-Identifier: GPL-2.0-or-later */
/* near - find the word that a misspelt one was meant to be.  Threads: any.  Allocates: never. */
#ifndef RINGTOP_BASE_NEAR_H
#define RINGTOP_BASE_NEAR_H

/*
 * Return the Levenshtein distance of two words: bytes inserted, deleted or replaced.  UINT_MAX
 * where b is longer than 127 bytes.
 */
unsigned near_distance(const char *a, const char *b);

#endif
