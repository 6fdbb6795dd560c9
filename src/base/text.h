/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * text - strings from outside, made safe to print.
 *
 * Process names, symbols and paths are chosen by the profiled process; text_escape makes them safe
 * before they reach a terminal, a log or JSON.  Threads: any.  Allocates: never.
 */
#ifndef RINGTOP_BASE_TEXT_H
#define RINGTOP_BASE_TEXT_H

#include <stddef.h>
#include <stdint.h>

/*
 * Copy src to dst (size bytes, terminated unless size is 0).  Controls, line separators, characters
 * that turn the direction of text or are invisible (U+061C, U+2060, ...), and bytes that are not
 * UTF-8 become \xNN of each byte; a backslash stays.  Returns the length written.
 */
size_t text_escape(char *dst, size_t size, const char *src);

/* Count the printable ASCII bytes, which text_escape keeps, at the start of s (len bytes). */
size_t text_plain(const char *s, size_t len);

/*
 * Decode one UTF-8 character at s (len > 0 bytes).  Returns its length in bytes, or 0 where the
 * bytes are not valid UTF-8 (overlong forms and surrogates included).
 */
size_t text_decode(const char *s, size_t len, uint32_t *codepoint);

/* Append to dst at pos like snprintf, to build lines; returns the new pos, at most size - 1. */
size_t text_append(char *dst, size_t size, size_t pos, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/*
 * Return the shortest tail of `path`, beginning behind a '/', that `other` does not end with;
 * text_base of it where the two are equal.  Points into path.
 */
const char *text_apart(const char *path, const char *other);

/*
 * Return the part of a path behind its last '/', or all of it if it has none or ends in one.
 * Points into path.
 */
const char *text_base(const char *path);

/* Write 2 * len hex digits of the bytes, as for build-ids, and a NUL to dst.  Returns dst. */
char *text_hex(char *dst, const uint8_t *bytes, size_t len);

#endif
