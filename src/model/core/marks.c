/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/core/marks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/text.h"
#include "model/core/model.h"

static void copy_mark_name(char *to, const char *name)
{
	size_t len = strnlen(name, MARK_NAME);

	if (len == MARK_NAME)
		for (len--; len && ((unsigned char)name[len] & 0xc0) == 0x80;)
			len--;
	memcpy(to, name, len);
	to[len] = '\0';
}

int marks_add(struct marks *m, uint64_t time, const char *name)
{
	char taken[MARK_NAME];
	size_t at;

	copy_mark_name(taken, name);
	for (size_t i = 0; i < m->nr; i++)
		if (m->mark[i].time == time && !strcmp(m->mark[i].name, taken))
			return 0;
	if (!m->mark)
		m->mark = calloc(MARKS_MOST, sizeof(*m->mark));
	if (!m->mark)
		return -ENOMEM;
	if (m->nr == MARKS_MOST)
		memmove(m->mark, m->mark + 1, --m->nr * sizeof(*m->mark));
	for (at = m->nr; at && m->mark[at - 1].time > time;)
		at--;
	memmove(m->mark + at + 1, m->mark + at, (m->nr - at) * sizeof(*m->mark));
	m->mark[at] = (struct mark){.time = time, .nr = ++m->set};
	memcpy(m->mark[at].name, taken, sizeof(taken));
	m->nr++;
	return 0;
}

void marks_save(struct session *s, uint64_t time, const char *name)
{
	struct session_request rq = {.command = SESSION_MARK, .number = time, .text = name};
	struct err err = {.code = 0};

	if (s->info.saving && s->ops->command(s, &rq, &err))
		log_msg(LOG_SESSION, "mark: %s", err.text);
}

int marks_set(struct model *m, struct session *s, uint64_t time, const char *name)
{
	int ret = model_mark(m, time, name);

	if (ret)
		log_msg(LOG_SESSION, "mark: out of memory");
	marks_save(s, time, name);
	return ret;
}

void marks_time_of_day(uint64_t wall, char *to, size_t size)
{
	time_t seconds = (time_t)(wall / NSEC_PER_SEC);
	struct tm tm;

	if (!localtime_r(&seconds, &tm) || !strftime(to, size, "%H:%M:%S", &tm))
		text_append(to, size, 0, "mark");
}

void marks_clear(struct marks *m)
{
	free(m->mark);
	*m = (struct marks){.nr = 0};
}
