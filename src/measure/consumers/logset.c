/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measure/consumers/logset.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/vec.h"

bool logset_add(struct logset *s, const struct logrecord *r, const void *bytes)
{
	struct logrecord *to;

	if (!vec_reserve(&s->bytes, &s->cap_bytes, s->nbytes + r->len + 8, 1) ||
	    !vec_reserve(&s->record, &s->cap, s->nr + 1, sizeof(*s->record)))
		return false;
	to = &s->record[s->nr++];
	*to = *r;
	to->at = s->nbytes;
	if (r->len)
		memcpy(s->bytes + to->at, bytes, r->len);
	s->nbytes += (r->len + 7) & ~7ull;
	return true;
}

/* Compare by time, then by `at`, which rises in order of addition. */
COMPARE_BY_TWO(compare_logrecords, struct logrecord, time, at)

void logset_sort(struct logset *s)
{
	if (s->nr)
		qsort(s->record, s->nr, sizeof(*s->record), compare_logrecords);
}

size_t logset_excess(const struct logset *s, size_t from, size_t most, size_t bytes)
{
	size_t nr = 0;

	while (s->nr - nr > from && nr < most && s->record[s->nr - 1 - nr].len <= bytes)
		bytes -= s->record[s->nr - 1 - nr++].len;
	return s->nr - nr;
}

size_t logset_cut(struct logset *s, struct logset *spare, size_t nr)
{
	struct logset was = *s;
	size_t lost = 0;

	if (!nr)
		return 0;
	for (size_t i = nr; i < s->nr; i++)
		lost += !logset_add(spare, &s->record[i], logset_bytes(s, &s->record[i]));
	*s = *spare;
	*spare = was;
	logset_empty(spare);
	return lost;
}

void logset_empty(struct logset *s)
{
	s->nr = s->nbytes = 0;
}

void logset_clear(struct logset *s)
{
	free(s->record);
	free(s->bytes);
	*s = (struct logset){.nr = 0};
}

/* --- lines ------------------------------------------------------------------------------------ */

static void add_printed_line(const struct logrecord *r, struct printer_job *j, struct loglines *to)
{
	struct slice_logged *l = &to->line[to->nr];

	if (!j->text || !j->fields) {
		free(j->text);
		free(j->fields);
		to->counts.unprinted++;
		return;
	}
	*l = (struct slice_logged){.time = r->shown,
				   .event = r->event,
				   .cpu = r->cpu,
				   .pid = (int32_t)r->pid,
				   .tid = (int32_t)r->tid,
				   .late = r->late,
				   .text = j->text,
				   .fields = j->fields};
	memcpy(l->comm, r->comm, sizeof(l->comm));
	to->nr++;
	to->counts.lines++;
	to->counts.late += r->late;
}

void logset_print(const struct logset *s, struct printer *p, struct loglines *to)
{
	struct printer_job *jobs = calloc(s->nr + 1, sizeof(*jobs));

	*to = (struct loglines){.line = calloc(s->nr + 1, sizeof(*to->line))};
	if (!jobs || !to->line) {
		to->counts.unprinted = s->nr;
		free(jobs);
		return;
	}
	for (size_t i = 0; i < s->nr; i++) {
		const struct logrecord *r = &s->record[i];

		jobs[i] = (struct printer_job){
			.id = r->id, .cpu = r->cpu, .record = logset_bytes(s, r), .len = r->len};
	}
	printer_print(p, jobs, s->nr);
	for (size_t i = 0; i < s->nr; i++)
		add_printed_line(&s->record[i], &jobs[i], to);
	free(jobs);
}

void loglines_give(struct loglines *from, struct slice *s)
{
	bool room = !from->nr || vec_reserve(&s->logged, &s->cap_logged, s->nlogged + from->nr,
					     sizeof(*s->logged));

	for (size_t i = 0; i < from->nr && room; i++)
		s->logged[s->nlogged++] = from->line[i];
	for (size_t i = 0; i < from->nr && !room; i++) {
		from->counts.lines--;
		from->counts.unprinted++;
		from->counts.late -= from->line[i].late;
		slice_logged_clear(&from->line[i]);
	}
	slice_logging_add(&s->logging, &from->counts);
	free(from->line);
	*from = (struct loglines){.nr = 0};
}
