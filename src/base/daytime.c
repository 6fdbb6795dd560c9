/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/daytime.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"

/* Parse HH:MM or HH:MM:SS into seconds of a day; -1: it is no such time. */
static int day_seconds(const char *text)
{
	unsigned h, m, s = 0;
	int n = 0, more = 0;

	if (sscanf(text, "%2u:%2u%n:%2u%n", &h, &m, &n, &s, &more) < 2 || text[more ? more : n] ||
	    h > 23 || m > 59 || s > 59)
		return -1;
	return (int)(h * 3600 + m * 60 + s);
}

/* The last moment up to `to` (both in ns) at which the local clock shows `seconds` of the day. */
static uint64_t last_so_late(uint64_t to, int seconds)
{
	time_t end = (time_t)(to / NSEC_PER_SEC), at;
	struct tm tm;

	if (!localtime_r(&end, &tm))
		return 0;
	tm.tm_hour = seconds / 3600;
	tm.tm_min = seconds / 60 % 60;
	tm.tm_sec = seconds % 60;
	tm.tm_isdst = -1;
	at = mktime(&tm);
	if (at > end) {
		tm.tm_mday--;
		tm.tm_isdst = -1;
		at = mktime(&tm);
	}
	return at > 0 ? (uint64_t)at * NSEC_PER_SEC : 0;
}

int daytime_parse(const char *text, uint64_t from, uint64_t to, uint64_t *wall, struct err *err)
{
	int seconds = day_seconds(text);
	unsigned long long back;
	char *end;

	if (*text == '-' && text[1] >= '0' && text[1] <= '9') {
		back = strtoull(text + 1, &end, 10);
		if (*end)
			return err_set(err, EINVAL,
				       "'%.40s' is not a time: use HH:MM, HH:MM:SS or -SECONDS",
				       text);
		*wall = back <= (to - from) / NSEC_PER_SEC ? to - back * NSEC_PER_SEC : from;
		return 0;
	}
	if (seconds < 0)
		return err_set(err, EINVAL, "'%.40s' is not a time: use HH:MM, HH:MM:SS or "
					    "-SECONDS", text);
	*wall = last_so_late(to, seconds);
	return *wall < from
		       ? err_set(err, EINVAL, "no data at %.40s: the data begins later", text)
		       : 0;
}
