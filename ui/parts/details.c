/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/parts/details.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "core/slice/aliases.h"
#include "measure/session/session.h"

void details_add(struct details *d, enum role role, const char *label, const char *fmt, ...)
{
	va_list ap;

	if (d->nr == sizeof(d->line) / sizeof(d->line[0]))
		return;
	snprintf(d->line[d->nr].label, sizeof(d->line[0].label), "%s", label);
	va_start(ap, fmt);
	vsnprintf(d->line[d->nr].value, sizeof(d->line[0].value), fmt, ap);
	va_end(ap);
	d->line[d->nr++].role = role;
}

void details_why(struct details *d, const char *why, bool doubt)
{
	char text[sizeof(d->line[0].value)];

	if (!*why)
		return;
	text_escape(text, sizeof(text), why);
	details_add(d, ROLE_WARN, doubt ? "in doubt" : "names", "%s", text);
}

void details_several(struct details *d, const char *also)
{
	char text[sizeof(d->line[0].value)] = "", name[256];
	struct aliases s;
	size_t pos = 0;

	aliases_get(&s, also ? also : "");
	if (s.names < 2)
		return;
	for (unsigned i = 0; i < s.nr; i++) {
		text_escape(name, sizeof(name), s.other[i]);
		pos = text_append(text, sizeof(text), pos, "%s%s", i ? ", " : ", also ", name);
	}
	if (s.nr && s.nr + 1 < s.names)
		text_append(text, sizeof(text), pos, " and %u more", s.names - 1 - s.nr);
	details_add(d, ROLE_TEXT, "", "one of %u names at this address%s", s.names, text);
}

const char *details_amount(const struct session_event *e)
{
	return e && *e->weight ? "sum" : e && !strcmp(e->unit, "ns") ? "time" : "events";
}

void details_count(struct details *d, const char *label, uint64_t n)
{
	if (n == GAUGE_UNKNOWN)
		details_add(d, ROLE_TEXT, label, "- (not known)");
	else
		details_add(d, ROLE_TEXT, label, "%llu", (unsigned long long)n);
}
