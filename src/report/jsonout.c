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

void jsonout_string(struct out *o, const char *name, const char *text)
{
	out_text(o, name);
	jsonout_name(o, text);
}

void jsonout_text(struct out *o, const char *name, const char *text)
{
	if (text)
		jsonout_string(o, name, text);
	else
		out_printf(o, "%snull", name);
}

void jsonout_number(struct out *o, const char *name, uint64_t n)
{
	out_text(o, name);
	out_number(o, n);
}

void jsonout_known(struct out *o, const char *name, uint64_t n)
{
	if (n == GAUGE_UNKNOWN)
		out_printf(o, "%snull", name);
	else
		jsonout_number(o, name, n);
}

void jsonout_id(struct out *o, const char *name, int32_t id)
{
	if (id < 0)
		out_printf(o, "%snull", name);
	else
		jsonout_number(o, name, (uint64_t)id);
}

void jsonout_place(struct out *o, const struct headless_view *v, bool first, int cpu)
{
	const struct session_info *info = model_info(v->model);
	const char *host = session_place_name(info, cpu);

	out_text(o, first ? "{" : ",{");
	if (*host) {
		jsonout_string(o, "\"host\":", host);
		out_text(o, ",");
	}
	jsonout_id(o, "\"cpu\":", session_place(info, cpu).cpu);
}

void jsonout_share(struct out *o, const char *name, double share)
{
	char digits[] = ".000000";
	uint64_t n = (uint64_t)llround(share * 1e6), rest = n % 1000000;

	jsonout_number(o, name, n / 1000000);
	for (int i = 6; i > 0; i--, rest /= 10)
		digits[i] = (char)('0' + rest % 10);
	out_bytes(o, digits, 7);
}
