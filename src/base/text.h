/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * text - strings from outside, made safe to print.
 *
 * Process names, symbols and paths are chosen by the profiled process; nothing of them reaches a
 * terminal, a log or JSON before it went through here.  Threads: any.  Allocates: never.
 */
#ifndef RINGTOP_BASE_TEXT_H
#define RINGTOP_BASE_TEXT_H

#include <stddef.h>
#include <stdint.h>

/*
 * Copy src to dst (size bytes, always terminated).  Controls, line separators, what
 * turns the direction of text or is invisible (U+061C, U+2060, ...), and bytes that are not UTF-8
 * become \xNN of each byte; a backslash stays.  Returns the length written.
 */
size_t text_escape(char *dst, size_t size, const char *src);

/* How many bytes at the start of s (len bytes) are printable ASCII, which text_escape leaves. */
size_t text_plain(const char *s, size_t len);

/*
 * Decode one UTF-8 character at s (len > 0 bytes).  Returns its length in bytes, or 0 where the
 * bytes are not valid UTF-8 (overlong forms and surrogates included).
 */
size_t text_decode(const char *s, size_t len, uint32_t *codepoint);

/* snprintf at dst+pos; returns the new pos, never more than size - 1.  For building lines. */
size_t text_append(char *dst, size_t size, size_t pos, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* The shortest end of a path, from a '/' on, that is no end of the other one; of two equal ones text_base of it. */
const char *text_apart(const char *path, const char *other);

/* What stands behind the last '/' of a path, in it; all of one that has none or ends in one. */
const char *text_base(const char *path);

/* 2 * len digits of the bytes and a NUL, as build-ids are written; dst has room for them.  Returns dst. */
char *text_hex(char *dst, const uint8_t *bytes, size_t len);

#endif
