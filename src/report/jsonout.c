/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/jsonout.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "core/slice/slice.h"

void jsonout_name(struct out *o, const char *text)
{
	size_t len = strlen(text), max = len * 4 + 1, from = 0;
	char small[512], *escaped;

	if (text_plain(text, len) == len && !memchr(text, '"', len) && !memchr(text, '\\', len)) {
		out_bytes(o, "\"", 1);
		out_bytes(o, text, len);
		out_bytes(o, "\"", 1);
		return;
	}
	escaped = max <= sizeof(small) ? small : malloc(max);
	if (!escaped) {
		out_text(o, "null");
		return;
	}
	len = text_escape(escaped, max, text);
	out_bytes(o, "\"", 1);
	for (size_t i = 0; i <= len; i++) {
		if (i < len && escaped[i] != '"' && escaped[i] != '\\')
			continue;
		out_bytes(o, escaped + from, i - from);
		if (i < len)
			out_bytes(o, "\\", 1);
		from = i;
	}
	out_bytes(o, "\"", 1);
	if (escaped != small)
		free(escaped);
}

void jsonout_key(struct out *o, const char *key)
{
	if (o->len && !strchr("{[:\n", o->data[o->len - 1]))
		out_bytes(o, ",", 1);
	if (!key)
		return;
	out_bytes(o, "\"", 1);
	out_text(o, key);
	out_bytes(o, "\":", 2);
}

void jsonout_open(struct out *o, const char *key, const char *bracket)
{
	jsonout_key(o, key);
	out_text(o, bracket);
}

void jsonout_string(struct out *o, const char *key, const char *text)
{
	jsonout_key(o, key);
	jsonout_name(o, text);
}

void jsonout_text(struct out *o, const char *key, const char *text)
{
	jsonout_key(o, key);
	if (text)
		jsonout_name(o, text);
	else
		out_text(o, "null");
}

void jsonout_number(struct out *o, const char *key, uint64_t n)
{
	jsonout_key(o, key);
	out_number(o, n);
}

void jsonout_known(struct out *o, const char *key, uint64_t n)
{
	jsonout_key(o, key);
	if (n == GAUGE_UNKNOWN)
		out_text(o, "null");
	else
		out_number(o, n);
}

void jsonout_share(struct out *o, double share)
{
	char digits[] = ".000000";
	uint64_t n = (uint64_t)llround(share * 1e6), rest = n % 1000000;

	out_number(o, n / 1000000);
	for (int i = 6; i > 0; i--, rest /= 10)
		digits[i] = (char)('0' + rest % 10);
	out_bytes(o, digits, 7);
}
