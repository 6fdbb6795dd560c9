/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench_timeline FILE [HOURS [SLICE_MS [BYTES_PER_DAY]]]: what a time line costs.
 *
 * FILE is one that was saved on the machine in question (ringtop --save FILE).  It is written again and again, one
 * behind the other, until HOURS (24) are full, then opened at random points as a screen does, at both ends and in the
 * middle, and walked through.
 *
 *   bytes   of the new file, and as much a day
 *   write   CPU time to merge, thin, pack and write, of a CPU while it is measured
 *   open    ms to open the file and have a stretch of five minutes around a point in a model: median and most, and the
 *           median of the CPU time for that, which is less where others run
 *   step    CPU time of a key > from one window of 10 s to the next: those that are held, and at most, with a stretch
 *           that has to be brought
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "model/core/model.h"
#include "tests/scatter.h"
#include "link/timeline/timefile.h"
#include "link/timeline/timereader.h"
#include "link/timeline/timewriter.h"

#define OPENS 21
#define STEPS 200

static void check(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "bench_timeline: %s\n", what);
	exit(1);
}

/* All of the file once more, later by `shift`; its length. */
static uint64_t again(struct timereader *r, struct timewriter *w, uint64_t shift, struct err *err)
{
	const struct timeformat_index *index = timereader_index(r);
	uint64_t begin = index->blocks[0].start;
	struct slice *s;

	timereader_seek(r, 0, index->nblocks);
	while (!timereader_next(r, &s, err) && s) {
		s->start += shift - begin;
		s->end += shift - begin;
		s->last = false;
		check(!timewriter_add(w, s), "cannot write");
	}
	check(!err->code, err->text);
	return index->blocks[index->nblocks - 1].end - begin;
}

static void write_long(const char *from, const char *to, double hours, uint64_t slice_ns, uint64_t day)
{
	int fd = open(from, O_RDONLY | O_CLOEXEC);
	struct err err = {.code = 0};
	struct timereader *r = fd >= 0 ? timereader_open(fd, &err) : NULL;
	struct timewriter_figures f;
	struct timewriter *w;
	uint64_t time = 0;

	check(r, err.code ? err.text : "no file");
	w = timewriter_create(to, timereader_info(r), &(struct timewriter_config){slice_ns, day, .lines = true}, &err); /* where FILE has them */
	check(w, err.text);
	while ((double)time < hours * 3600e9)
		time += again(r, w, time, &err);
	check(!timewriter_finish(w, &err), err.text);
	timewriter_figures(w, &f);
	printf("bytes %llu, %.1f MB a day, %llu slices of %.1f s; write %.3f %% of a CPU; %llu samples folded\n", (unsigned long long)f.bytes,
	       (double)f.bytes / (double)time * 86400e9 / 1e6, (unsigned long long)f.slices,
	       (double)time / (double)f.slices / 1e9, 100 * (double)f.cpu_ns / (double)time, (unsigned long long)f.folded);
	timewriter_free(w);
	timereader_free(r);
	close(fd);
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* What a screen has of it: a stretch in a model. */
struct shown {
	struct session *session;
	struct model *model;
};

static size_t take(struct shown *v)
{
	struct slice *slice;
	size_t slices = 0;

	for (; !session_next(v->session, &slice) && slice; slices++)
		check(!model_add(v->model, slice), "out of memory");
	return slices;
}

static struct shown open_at(const char *path, uint64_t seconds, size_t *slices)
{
	char at[32];
	struct timefile_config c = {.path = path, .stretch = true, .at = at};
	struct err err = {.code = 0};
	struct shown v;

	snprintf(at, sizeof(at), "-%llu", (unsigned long long)seconds);
	v.session = timefile_open(&c, &err);
	check(v.session, err.text);
	v.model = model_create(&v.session->info, MODEL_BUDGET);
	check(v.model, "out of memory");
	*slices += take(&v);
	check(model_rows(v.model, &(struct query){.limit = 50}, WINDOW_ALL), "out of memory");
	return v;
}

static void leave(const struct shown *v)
{
	model_free(v->model);
	session_close(v->session);
}

/* Where openings begin, in seconds before the file's end. */
static uint64_t anywhere(unsigned i, uint64_t seconds)
{
	return scatter(i + 1) % (seconds - 60);
}

static uint64_t at_begin(unsigned i, uint64_t seconds)
{
	(void)i;
	return seconds - 60;
}

static uint64_t at_middle(unsigned i, uint64_t seconds)
{
	(void)i;
	return seconds / 2;
}

static uint64_t at_end(unsigned i, uint64_t seconds)
{
	(void)i, (void)seconds;
	return 0;
}

static void bench_open(const char *path, uint64_t seconds, const char *where, uint64_t (*place)(unsigned i, uint64_t seconds))
{
	double took[OPENS], cpu[OPENS];
	size_t slices = 0;

	for (unsigned i = 0; i < OPENS; i++) {
		uint64_t began = clock_ns(), used = clock_read(CLOCK_THREAD_CPUTIME_ID);
		struct shown v = open_at(path, place(i, seconds), &slices);

		took[i] = (double)(clock_ns() - began) / 1e6;
		cpu[i] = (double)(clock_read(CLOCK_THREAD_CPUTIME_ID) - used) / 1e6;
		leave(&v);
	}
	qsort(took, OPENS, sizeof(*took), compare_doubles);
	qsort(cpu, OPENS, sizeof(*cpu), compare_doubles);
	printf("open %s %.1f ms, at most %.1f ms, %.1f ms of CPU time, %zu slices each\n", where, took[OPENS / 2], took[OPENS - 1],
	       cpu[OPENS / 2], slices / OPENS);
}

/* One key > or <: the window moves by its length, and what is not held is brought. */
static void step(struct shown *v, struct window w, unsigned *brought)
{
	struct session_request rq = {.command = SESSION_SEEK, .number = w.to};
	struct err err;

	if (w.from < model_first(v->model) || w.to > model_now(v->model)) {
		check(!v->session->ops->command(v->session, &rq, &err), "cannot seek");
		model_rewind(v->model);
		take(v);
		++*brought;
	}
	check(model_rows(v->model, &(struct query){.limit = 50}, w), "out of memory");
}

static void bench_scroll(const char *path, uint64_t seconds)
{
	double took[STEPS];
	size_t slices = 0;
	struct shown v = open_at(path, seconds / 2, &slices);
	uint64_t from = model_first(v.model), span = 10 * NSEC_PER_SEC;
	unsigned brought = 0, steps = 0;

	for (; steps < STEPS && from + 2 * span < v.session->info.begins + v.session->info.length; steps++, from += span) {
		uint64_t used = clock_read(CLOCK_THREAD_CPUTIME_ID);

		step(&v, (struct window){from, from + span}, &brought);
		took[steps] = (double)(clock_read(CLOCK_THREAD_CPUTIME_ID) - used) / 1e6;
	}
	leave(&v);
	if (!steps)
		return;
	qsort(took, steps, sizeof(*took), compare_doubles);
	printf("step of 10 s: %.2f ms of CPU time, at most %.1f ms; %u of %u had to bring a stretch\n", took[steps / 2], took[steps - 1],
	       brought, steps);
}

int main(int argc, char **argv)
{
	double hours = argc > 2 ? strtod(argv[2], NULL) : 24;
	uint64_t ms = argc > 3 ? strtoull(argv[3], NULL, 10) : 0, day = argc > 4 ? strtoull(argv[4], NULL, 10) : 0;
	uint64_t seconds = (uint64_t)(hours * 3600);
	char path[4096];

	check(argc > 1, "which FILE? ringtop --save writes one");
	snprintf(path, sizeof(path), "%s.long", argv[1]);
	write_long(argv[1], path, hours, ms * NSEC_PER_MSEC, day);
	bench_open(path, seconds, "anywhere", anywhere);
	bench_open(path, seconds, "at its begin", at_begin);
	bench_open(path, seconds, "in its middle", at_middle);
	bench_open(path, seconds, "at its end", at_end);
	bench_scroll(path, seconds);
	unlink(path);
	return 0;
}
