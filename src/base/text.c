/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/text.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

size_t text_decode(const char *s, size_t len, uint32_t *codepoint)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	const unsigned char *p = (const unsigned char *)s;
	size_t n = p[0] < 0x80	 ? 1
		   : p[0] < 0xc2 ? 0
		   : p[0] < 0xe0 ? 2
		   : p[0] < 0xf0 ? 3
		   : p[0] < 0xf5 ? 4
				 : 0;
	uint32_t c;

	if (!n || n > len)
		return 0;
	c = n == 1 ? p[0] : p[0] & (0xff >> (n + 1));
	for (size_t i = 1; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (p[i] & 0x3f);
	}
	if (c < least[n] || (c >= 0xd800 && c < 0xe000) || c > 0x10ffff)
		return 0;
	*codepoint = c;
	return n;
}

/*
 * Characters that move or turn the text around them, or are invisible: controls, line separators,
 * and Unicode's Default_Ignorable_Code_Point (DerivedCoreProperties.txt), which includes all bidi
 * controls.  Sorted.
 */
static const struct {
	uint32_t from, to;
} harmful_ranges[] = {
	{0x0, 0x1f},	    {0x7f, 0x9f},	{0xad, 0xad},	    {0x34f, 0x34f},
	{0x61c, 0x61c},	    {0x115f, 0x1160},	{0x17b4, 0x17b5},   {0x180b, 0x180f},
	{0x200b, 0x200f},   {0x2028, 0x202e},	{0x2060, 0x206f},   {0x3164, 0x3164},
	{0xfe00, 0xfe0f},   {0xfeff, 0xfeff},	{0xffa0, 0xffa0},   {0xfff0, 0xfffb},
	{0x13430, 0x13438}, {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff},
};

static bool harmful(uint32_t c)
{
	for (size_t i = 0; i < sizeof(harmful_ranges) / sizeof(*harmful_ranges); i++)
		if (c <= harmful_ranges[i].to)
			return c >= harmful_ranges[i].from;
	return false;
}

/* The byte in all 8 bytes of a word.  Tests set the high bit of each byte that matches. */
#define EACH(byte) (0x0101010101010101ull * (byte))

static uint64_t not_plain(uint64_t word)
{
	uint64_t low = word & EACH(0x7f), from_20 = low + EACH(0x60), from_7f = low + EACH(0x01);

	return (word | ~from_20 | from_7f) & EACH(0x80);
}

size_t text_plain(const char *s, size_t len)
{
	size_t n = 0;
	uint64_t word;

	for (; n + sizeof(word) <= len; n += sizeof(word)) {
		memcpy(&word, s + n, sizeof(word));
		if (not_plain(word))
			break;
	}
	while (n < len && s[n] >= 0x20 && s[n] < 0x7f)
		n++;
	return n;
}

size_t text_escape(char *dst, size_t size, const char *src)
{
	size_t pos = 0, left = strlen(src);

	if (!size)
		return 0;
	while (left) {
		uint32_t c = 0;
		size_t n = text_plain(src, left < size - pos ? left : size - pos - 1);
		bool plain;

		if (n) {
			memcpy(dst + pos, src, n);
			pos += n;
			src += n;
			left -= n;
			continue;
		}
		n = text_decode(src, left, &c);
		plain = n && !harmful(c);
		if (!n)
			n = 1;
		if (pos + (plain ? n : 4 * n) >= size)
			break;
		for (size_t i = 0; i < n; i++) {
			if (plain)
				dst[pos++] = src[i];
			else
				pos += sprintf(dst + pos, "\\x%02x", (unsigned char)src[i]);
		}
		src += n;
		left -= n;
	}
	dst[pos] = '\0';
	return pos;
}

size_t text_append(char *dst, size_t size, size_t pos, const char *fmt, ...)
{
	va_list ap;
	int n;

	if (pos + 1 >= size)
		return pos;
	va_start(ap, fmt);
	n = vsnprintf(dst + pos, size - pos, fmt, ap);
	va_end(ap);
	if (n < 0)
		return pos;
	return pos + n < size ? pos + n : size - 1;
}

char *text_hex(char *dst, const uint8_t *bytes, size_t len)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < len; i++) {
		dst[2 * i] = digits[bytes[i] >> 4];
		dst[2 * i + 1] = digits[bytes[i] & 15];
	}
	dst[2 * len] = '\0';
	return dst;
}

const char *text_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

const char *text_apart(const char *path, const char *other)
{
	size_t i = strlen(path), k = strlen(other);

	while (i && k && path[i - 1] == other[k - 1]) {
		i--;
		k--;
	}
	if (!i && !k)
		return text_base(path);
	while (i && path[i - 1] != '/')
		i--;
	return path + i;
}
