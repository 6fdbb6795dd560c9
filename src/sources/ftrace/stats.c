/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sources/ftrace/stats.h"

#include <ctype.h>
#include <string.h>

#include "base/clock.h"

/* Parse digits up to `end`; false: none, or too many. */
static bool parse_count(const char **at, const char *end, uint64_t *n)
{
	const char *from = *at;

	for (*n = 0; *at < end && isdigit((unsigned char)**at); ++*at) {
		if (*n > UINT64_MAX / 10 - 1)
			return false;
		*n = *n * 10 + (uint64_t)(**at - '0');
	}
	return *at > from;
}

/* Parse seconds with six decimals, as of clocks in ns. */
static bool parse_seconds(const char **at, const char *end, uint64_t *ns)
{
	uint64_t seconds, us;
	const char *from;

	if (!parse_count(at, end, &seconds) || seconds > UINT64_MAX / NSEC_PER_SEC - 1)
		return false;
	*ns = seconds * NSEC_PER_SEC;
	if (*at == end || **at != '.')
		return true;
	from = ++*at;
	if (!parse_count(at, end, &us) || *at - from != 6)
		return false;
	*ns += us * 1000;
	return true;
}

static const struct {
	const char *name;
	size_t at;
	bool time;
} lines[] = {
#define LINE(name, field, ...) {name, offsetof(struct ftrace_stats, field), __VA_ARGS__}
	LINE("entries: ", entries, false),
	LINE("overrun: ", overrun, false),
	LINE("commit overrun: ", commit_overrun, false),
	LINE("bytes: ", bytes, false),
	LINE("oldest event ts: ", oldest_ns, true),
	LINE("now ts: ", now_ns, true),
	LINE("dropped events: ", dropped, false),
	LINE("read events: ", read, false),
#undef LINE
};

#define LINES (sizeof(lines) / sizeof(*lines))

/* Return the line's number by its name, and skip the name; LINES: unknown. */
static size_t find_stats_line(const char **at, const char *end)
{
	for (size_t i = 0; i < LINES; i++) {
		size_t len = strlen(lines[i].name);

		if ((size_t)(end - *at) >= len && !memcmp(*at, lines[i].name, len)) {
			*at += len;
			return i;
		}
	}
	return LINES;
}

bool ftrace_stats_parse(const char *text, size_t len, struct ftrace_stats *s)
{
	const char *end = text + len, *next;
	unsigned seen = 0;

	*s = (struct ftrace_stats){.entries = 0};
	for (const char *at = text; at < end; at = next) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));
		size_t i;
		uint64_t n;

		stop = stop ? stop : end;
		next = stop < end ? stop + 1 : end;
		i = find_stats_line(&at, stop);
		if (i == LINES)
			continue; /* a newer kernel's line */
		while (at < stop && *at == ' ')
			at++;
		if (!(lines[i].time ? parse_seconds : parse_count)(&at, stop, &n) || at != stop)
			return false;
		memcpy((char *)s + lines[i].at, &n, sizeof(n));
		seen |= 1u << i;
	}
	return seen == (1u << LINES) - 1;
}
