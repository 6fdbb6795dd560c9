/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench_past FILE [HOURS]: how long key T keeps the others waiting.
 *
 * FILE is a saved time line, which goes into a model again and again until it has HOURS (2) of it, or its budget is full.
 *
 *   past    ms to make slices of all that the model holds, as key T does: median and most; how many, of how many MB
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "model/core/model.h"
#include "model/core/backfill.h"
#include "link/timeline/timereader.h"

#define TIMES 9

static void check(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "bench_past: %s\n", what);
	exit(1);
}

/* All of the file once more, later by `shift`; its length.  Ids are the file's: what a block said it releases. */
static uint64_t again(struct timereader *r, struct model *m, uint64_t shift)
{
	const struct timeformat_index *index = timereader_index(r);
	uint64_t begin = index->blocks[0].start;
	struct err err = {.code = 0};
	struct slice *s;

	timereader_seek(r, 0, index->nblocks);
	timereader_followed(r, true);
	while (!timereader_next(r, &s, &err) && s) {
		s->start += shift - begin;
		s->end += shift - begin;
		check(!model_add(m, s), "out of memory");
	}
	check(!err.code, err.text);
	return index->blocks[index->nblocks - 1].end - begin;
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	double hours = argc > 2 ? strtod(argv[2], NULL) : 2, took[TIMES];
	int fd = argc > 1 ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1;
	struct err err = {.code = 0};
	struct timereader *r = fd >= 0 ? timereader_open(fd, &err) : NULL;
	struct model_memory memory;
	struct session_backfill past;
	struct model *m;
	uint64_t time = 0;
	size_t nr = 0;

	check(r, err.code ? err.text : "which FILE? ringtop --save writes one");
	m = model_create(timereader_info(r), MODEL_BUDGET);
	check(m, "out of memory");
	while ((double)time < hours * 3600e9)
		time += again(r, m, time);
	for (int i = 0; i < TIMES; i++) {
		uint64_t began = clock_read(CLOCK_THREAD_CPUTIME_ID);

		check(!model_backfill(m, &past), "out of memory");
		took[i] = (double)(clock_read(CLOCK_THREAD_CPUTIME_ID) - began) / 1e6;
		nr = past.nr;
		session_backfill_clear(&past);
	}
	qsort(took, TIMES, sizeof(*took), compare_doubles);
	model_memory(m, &memory);
	printf("past %.1f ms of CPU time, at most %.1f ms, %zu slices, of %.1f MB\n", took[TIMES / 2], took[TIMES - 1], nr,
	       (double)memory.bytes / 1048576);
	model_free(m);
	timereader_free(r);
	return 0;
}
