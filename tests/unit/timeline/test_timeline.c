/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is read of a saved time line is what was saved, from any block on, however it was cut off or damaged. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "model/judge/alerts.h"
#include "model/core/marks.h"
#include "model/core/model.h"
#include "model/core/backfill.h"
#include "model/tree/tree.h"
#include "tests/fieldstacks.h"
#include "tests/synth.h"
#include "link/timeline/saver.h"
#include "link/timeline/timefile.h"
#include "link/timeline/timereader.h"
#include "link/timeline/timewriter.h"
#include "link/wire/slicecode.h"

static const struct synth_config busy = {
	.functions = 20, .tasks = 9, .forks = 6, .strangers = 4, .second_event = 3, .losses = true,
	.callchains = true, .deep = true, .hostile = true, .doubt = true,
};

/* Nothing that a model folds or forgets within a minute or an hour. */
static const struct synth_config steady = {
	.functions = 20, .tasks = 9, .second_event = 3, .losses = true, .callchains = true, .deep = true, .doubt = true,
	.fields = true, .stacks = true,
};

/* The same, by whose they are; one cgroup has a quota. */
static const struct synth_config owned = {.functions = 20, .tasks = 9, .owned = true};

static char path[64];

static int make_path(void **state)
{
	(void)state;
	strcpy(path, "/tmp/test_timeline.XXXXXX");
	if (!mkdtemp(path))
		return -1;
	strcat(path, "/saved");
	return 0;
}

static int remove_path(void **state)
{
	char old[80];

	(void)state;
	snprintf(old, sizeof(old), "%s.old", path);
	unlink(old);
	unlink(path);
	*strrchr(path, '/') = '\0';
	return rmdir(path);
}

/* --- writing ------------------------------------------------------------------------------ */

static struct slice *next(struct session *s)
{
	struct slice *slice;

	synth_advance(s, 1);
	assert_int_equal(session_next(s, &slice), 0);
	assert_non_null(slice);
	return slice;
}

static struct timewriter *begin(const struct session *s)
{
	struct err err = {.code = 0};
	struct timewriter *w = timewriter_create(path, &s->info, &(struct timewriter_config){.day = 0}, &err);

	if (!w)
		fail_msg("%s", err.text);
	return w;
}

/* So many ticks into the file and, where there is one, into a model. */
static void write_ticks(struct timewriter *w, struct session *s, struct model *m, unsigned ticks)
{
	struct session *twin = m ? s : NULL;

	for (; ticks; ticks--) {
		struct slice *slice = next(s);

		if (twin) {
			struct wire_out o = {.len = 0};
			struct slice *copy;

			slicecode_put(&o, slice);
			copy = slicecode_get(o.data, o.len, SIZE_MAX, NULL);
			assert_non_null(copy);
			wire_clear(&o);
			assert_int_equal(model_add(m, copy), 0);
		}
		assert_int_equal(timewriter_add(w, slice), 0);
	}
}

static void finish(struct timewriter *w)
{
	struct err err = {.code = 0};

	if (timewriter_finish(w, &err))
		fail_msg("%s", err.text);
	timewriter_free(w);
}

/* A file of so many ticks; with them in m, where it is one. */
static void save(const struct synth_config *c, unsigned ticks, struct model **m, struct session **s)
{
	struct timewriter *w;

	*s = synth_session_create(c);
	assert_non_null(*s);
	*m = model_create(&(*s)->info, MODEL_BUDGET);
	assert_non_null(*m);
	w = begin(*s);
	write_ticks(w, *s, *m, ticks);
	finish(w);
}

/* --- reading ------------------------------------------------------------------------------ */

static struct timereader *reader_open(int *fd)
{
	struct err err = {.code = 0};
	struct timereader *r;

	*fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(*fd >= 0);
	r = timereader_open(*fd, &err);
	if (!r)
		fail_msg("%s", err.text);
	return r;
}

static void reader_close(struct timereader *r, int fd)
{
	timereader_free(r);
	close(fd);
}

/* All slices of these blocks into a model; how many had a length. */
static unsigned read_blocks(struct timereader *r, struct model *m, size_t from, size_t to)
{
	struct err err = {.code = 0};
	struct slice *s;
	unsigned nr = 0;

	for (timereader_seek(r, from, to);;) {
		if (timereader_next(r, &s, &err))
			fail_msg("%s", err.text);
		if (!s)
			return nr;
		nr += s->end > s->start;
		assert_int_equal(model_add(m, s), 0);
	}
}

static const struct row *row_named(const struct rows *rows, const struct row *like)
{
	for (size_t i = 0; i < rows->nr; i++)
		if (!strcmp(rows->row[i].name, like->name) && !strcmp(rows->row[i].object, like->object) &&
		    rows->row[i].pid == like->pid && rows->row[i].tid == like->tid)
			return &rows->row[i];
	return NULL;
}

static void assert_same_rows(struct model *full, struct model *back, const struct query *q)
{
	const struct rows *a = model_rows(full, q, WINDOW_ALL), *b = model_rows(back, q, WINDOW_ALL);

	assert_true(a && b && a->nr == b->nr);
	assert_int_equal(a->attributed, b->attributed);
	for (size_t i = 0; i < a->nr; i++) {
		const struct row *r = row_named(b, &a->row[i]);

		if (!r)
			fail_msg("no row %s of %s", a->row[i].name, a->row[i].object);
		assert_int_equal(r->self, a->row[i].self);
		assert_int_equal(r->total, a->row[i].total);
		assert_int_equal(r->samples, a->row[i].samples);
	}
}

static void assert_same_accounts(const struct model *full, const struct model *back, unsigned event)
{
	struct account a, b;

	model_account(full, event, ALL_CPUS, WINDOW_ALL, &a);
	model_account(back, event, ALL_CPUS, WINDOW_ALL, &b);
	assert_int_equal(a.counted, b.counted);
	assert_int_equal(a.attributed, b.attributed);
	assert_int_equal(a.samples, b.samples);
	assert_int_equal(a.pending, b.pending);
	assert_int_equal(a.lost_all, b.lost_all);
	assert_int_equal(a.throttles, b.throttles);
	assert_memory_equal(a.lost, b.lost, sizeof(a.lost));
}

static void test_round(void **state)
{
	struct session *s;
	struct model *full, *back;
	struct timereader *r;
	int fd;

	(void)state;
	save(&steady, 1250, &full, &s);
	r = reader_open(&fd);
	assert_false(timereader_unfinished(r));
	assert_int_equal(timereader_info(r)->nevents, s->info.nevents);
	assert_int_equal(timereader_index(r)->nblocks, 3);
	back = model_create(timereader_info(r), MODEL_BUDGET);
	assert_int_equal(read_blocks(r, back, 0, 3), 125);
	assert_int_equal(model_now(full), model_now(back));
	for (unsigned e = 0; e < s->info.nevents; e++) {
		assert_same_accounts(full, back, e);
		for (int group = 0; group < GROUP_HOST; group++)
			assert_same_rows(full, back, &(struct query){.group = group, .event = e, .show_self = true});
	}
	fieldstacks_same(full, &back, 1);
	fieldstacks_same(back, &full, 1);
	model_free(back);
	model_free(full);
	reader_close(r, fd);
	session_close(s);
}

/* Each block alone adds up: its first slice says what was pending. */
static void test_any_block(void **state)
{
	struct session *s;
	struct model *full;
	struct timereader *r;
	uint64_t samples = 0;
	struct account a;
	int fd;

	(void)state;
	save(&steady, 1250, &full, &s);
	r = reader_open(&fd);
	for (size_t i = 3; i--;) {
		struct model *m = model_create(timereader_info(r), MODEL_BUDGET);
		const struct rows *rows;

		read_blocks(r, m, i, i + 1);
		model_account(m, 0, ALL_CPUS, WINDOW_ALL, &a);
		assert_int_equal(a.counted, a.attributed + a.lost_all + a.pending);
		rows = model_rows(m, &(struct query){.show_self = true}, WINDOW_ALL);
		assert_non_null(rows);
		assert_true(rows->nr > 20);
		for (size_t n = 0; n < rows->nr; n++)
			assert_true(*rows->row[n].name);
		samples += a.samples;
		model_free(m);
	}
	model_account(full, 0, ALL_CPUS, WINDOW_ALL, &a);
	assert_int_equal(samples, a.samples);
	assert_int_equal(timeformat_find(timereader_index(r), 0), 0);
	assert_int_equal(timeformat_find(timereader_index(r), 61 * NSEC_PER_SEC), 1);
	assert_int_equal(timeformat_find(timereader_index(r), UINT64_MAX), 2);
	model_free(full);
	reader_close(r, fd);
	session_close(s);
}

/* All that is ready into m; 1: the session has ended. */
static int pump(struct session *s, struct model *m)
{
	struct slice *slice;
	int ret;

	while (!(ret = session_next(s, &slice)) && slice)
		assert_int_equal(model_add(m, slice), 0);
	return ret == -ESHUTDOWN;
}

/* Read all that a file or a directory has, whatever is missing of it: the sums add up.  Return its samples. */
static uint64_t adds_up(const char *file)
{
	struct err err = {.code = 0};
	struct session *s = timefile_open(&(struct timefile_config){.path = file}, &err);
	uint64_t samples = 0;
	struct account a;
	struct model *m;

	if (!s)
		fail_msg("%s", err.text);
	m = model_create(&s->info, MODEL_BUDGET);
	assert_int_equal(pump(s, m), 1);
	for (unsigned e = 0; e < s->info.nevents; e++) {
		model_account(m, e, ALL_CPUS, WINDOW_ALL, &a);
		assert_int_equal(a.counted, a.attributed + a.lost_all + a.pending);
		samples += a.samples;
	}
	model_free(m);
	session_close(s);
	return samples;
}

/* Wherever it is cut off: what was whole is there, and nothing else. */
static void test_cut(void **state)
{
	struct session *s;
	struct model *full;
	struct stat st;
	unsigned most = 0;

	(void)state;
	save(&(struct synth_config){.functions = 5}, 650, &full, &s);
	assert_int_equal(stat(path, &st), 0);
	for (off_t size = st.st_size - 1; size > 4096; size -= 997) {
		struct timereader *r;
		struct model *m;
		unsigned nr;
		int fd;

		assert_int_equal(truncate(path, size), 0);
		r = reader_open(&fd);
		assert_true(timereader_unfinished(r));
		m = model_create(timereader_info(r), MODEL_BUDGET);
		nr = read_blocks(r, m, 0, timereader_index(r)->nblocks);
		assert_true(nr <= (most ? most : 65));
		assert_true(nr >= 1);
		assert_true(most || nr == 65); /* only the index was lost */
		assert_int_equal(timereader_index(r)->blocks[timereader_index(r)->nblocks - 1].end, model_now(m));
		most = nr;
		model_free(m);
		reader_close(r, fd);
	}
	assert_true(most < 65);
	model_free(full);
	session_close(s);
}

/* A block that is damaged is lost from there on, the others are not. */
static void test_damaged(void **state)
{
	struct err err = {.code = 0};
	struct session *s;
	struct model *full;
	struct timereader *r;
	struct slice *slice;
	unsigned nr = 0, bad = 0;
	int fd;

	(void)state;
	save(&busy, 1800, &full, &s);
	r = reader_open(&fd);
	assert_int_equal(timereader_index(r)->nblocks, 3);
	reader_close(r, fd);
	fd = open(path, O_RDWR | O_CLOEXEC);
	r = timereader_open(fd, &err);
	assert_int_equal(pwrite(fd, "\xff\xff\xff\xff", 4, (off_t)timereader_index(r)->blocks[1].at + 3000), 4);
	timereader_seek(r, 0, 3);
	for (;;) {
		if (timereader_next(r, &slice, &err)) {
			assert_int_equal(err.code, EPROTO);
			bad++;
		} else if (!slice) {
			break;
		} else {
			nr += slice->end > slice->start;
		}
		slice_free(slice);
	}
	assert_int_equal(bad, 1);
	assert_in_range(nr, 120, 179);
	model_free(full);
	reader_close(r, fd);
	session_close(s);
	adds_up(path);
}

/* What finds no room is counted and said; when there is room again it goes on, and the file is whole. */
static void test_full(void **state)
{
	struct session *s = synth_session_create(&busy);
	struct timewriter *w = begin(s);
	struct rlimit was, small;
	struct timewriter_figures f;
	struct slice *slice;
	struct timereader *r;
	struct err err = {.code = 0};
	unsigned warned = 0, slices = 0;
	int fd;

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	write_ticks(w, s, NULL, 100);
	timewriter_figures(w, &f);
	getrlimit(RLIMIT_FSIZE, &was);
	small = (struct rlimit){f.bytes + 100, was.rlim_max};
	setrlimit(RLIMIT_FSIZE, &small);
	for (unsigned i = 0; i < 50; i++)
		assert_int_equal(timewriter_add(w, next(s)), i % 10 == 9 ? -EFBIG : 0);
	setrlimit(RLIMIT_FSIZE, &was);
	write_ticks(w, s, NULL, 100);
	timewriter_figures(w, &f);
	assert_int_equal(f.missing, 5);
	assert_int_equal(f.missing_ns, 5 * NSEC_PER_SEC);
	assert_int_equal(f.slices, 20);
	finish(w);
	r = reader_open(&fd);
	timereader_seek(r, 0, timereader_index(r)->nblocks);
	while (!timereader_next(r, &slice, &err) && slice) {
		slices += slice->end > slice->start;
		for (size_t i = 0; i < slice->nlogs; i++)
			warned += strstr(slice->logs[i].text, "5.0 s before this point are missing") != NULL;
		slice_free(slice);
	}
	assert_int_equal(err.code, 0);
	assert_int_equal(slices, 20);
	assert_int_equal(warned, 1);
	reader_close(r, fd);
	session_close(s);
	adds_up(path);
}

/* What is there already is kept; and a link is not followed. */
static void test_names(void **state)
{
	struct session *s = synth_session_create(&busy);
	struct err err = {.code = 0};
	char old[80];
	struct stat st;

	(void)state;
	finish(begin(s));
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	finish(begin(s));
	snprintf(old, sizeof(old), "%s.old", path);
	assert_int_equal(stat(old, &st), 0);
	unlink(path);
	assert_int_equal(symlink("/etc/passwd", path), 0);
	assert_null(timewriter_create(path, &s->info, &(struct timewriter_config){.day = 0}, &err));
	assert_int_equal(err.code, EINVAL);
	session_close(s);
}

/* --- sessions ----------------------------------------------------------------------------- */

static void saver_run(unsigned ticks)
{
	struct session_request mark = {.command = SESSION_MARK, .number = 5 * NSEC_PER_SEC, .text = "deploy"};
	struct session *inner = synth_session_create(&steady), *s;
	struct err err = {.code = 0};
	struct session_end end;
	struct model *m;

	s = saver_open(inner, &(struct saver_config){.path = path}, &err);
	if (!s)
		fail_msg("%s", err.text);
	assert_string_equal(s->info.saving, path);
	m = model_create(&s->info, MODEL_BUDGET);
	for (unsigned i = 0; i < ticks; i++) {
		synth_advance(inner, 1);
		pump(s, m);
	}
	assert_int_equal(s->ops->command(s, &mark, &err), 0);
	s->ops->abandon(s);
	s->ops->end(s, &end);
	assert_int_equal(end.error, 0);
	model_free(m);
	session_close(s);
}

static void test_sessions(void **state)
{
	struct timefile_config c = {.path = path, .stretch = true};
	struct session_request seek = {.command = SESSION_SEEK, .number = 20 * 60 * NSEC_PER_SEC};
	struct err err = {.code = 0};
	struct session *s;
	struct model *m;

	(void)state;
	saver_run(45 * 60 * 10);
	assert_true(timefile_is_one(path));
	s = timefile_open(&c, &err);
	if (!s)
		fail_msg("%s", err.text);
	assert_true(s->info.seeks);
	assert_false(s->info.live);
	assert_int_equal(s->info.begins, 0);
	assert_int_equal(s->info.length, 45 * 60 * NSEC_PER_SEC);
	assert_int_equal(s->info.nmarks, 1);
	assert_string_equal(s->info.marks[0].name, "deploy");
	m = model_create(&s->info, MODEL_BUDGET);
	assert_int_equal(pump(s, m), 1);
	assert_int_equal(model_now(m), 45 * 60 * NSEC_PER_SEC);
	assert_in_range(model_first(m), 39 * 60 * NSEC_PER_SEC, 40 * 60 * NSEC_PER_SEC);
	model_rewind(m);
	assert_int_equal(s->ops->command(s, &seek, &err), 0);
	assert_int_equal(pump(s, m), 1);
	assert_in_range(model_first(m), 16 * 60 * NSEC_PER_SEC, 18 * 60 * NSEC_PER_SEC);
	assert_in_range(model_now(m), 22 * 60 * NSEC_PER_SEC, 24 * 60 * NSEC_PER_SEC); /* whole blocks of a minute */
	assert_true(model_rows(m, &(struct query){.show_self = true}, WINDOW_ALL)->nr > 20);
	model_free(m);
	session_close(s);
}

/* --- what begins late ---------------------------------------------------------------------- */

static int save_late(struct session *s, const struct model *m, const char *file, struct err *err)
{
	struct session_backfill past;
	struct session_request rq = {.command = SESSION_SAVE, .text = file, .past = &past};
	int ret;

	assert_int_equal(model_backfill(m, &past), 0);
	ret = s->ops->command(s, &rq, err);
	assert_true(ret || (!past.slices && !past.marks));
	session_backfill_clear(&past);
	return ret;
}

static void run_ticks(struct session *inner, struct session *s, struct model *m, unsigned ticks)
{
	for (; ticks; ticks--) {
		synth_advance(inner, 1);
		pump(s, m);
	}
}

/* A session that is saved after `before` ticks, and then for `after`; what was on the screen is *full. */
static struct session *late(const struct synth_config *c, unsigned before, unsigned after, struct model **full)
{
	struct session *inner = synth_session_create(c), *s;
	struct err err = {.code = 0};
	struct session_end end;

	s = saver_open(inner, &(struct saver_config){.path = NULL}, &err);
	if (!s)
		fail_msg("%s", err.text);
	assert_null(s->info.saving);
	*full = model_create(&s->info, MODEL_BUDGET);
	run_ticks(inner, s, *full, before);
	assert_int_equal(model_mark(*full, 7 * NSEC_PER_SEC, "before"), 0);
	assert_non_null(alerts_add(model_alerts(*full), 8 * NSEC_PER_SEC, "lost>1%", "lost>1% (3.0%)"));
	alerts_find(model_alerts(*full), 1)->until = 9 * NSEC_PER_SEC;
	if (save_late(s, *full, path, &err))
		fail_msg("%s", err.text);
	assert_string_equal(s->info.saving, path);
	run_ticks(inner, s, *full, after);
	assert_int_equal(marks_set(*full, s, 70 * NSEC_PER_SEC, "after"), 0);
	s->ops->abandon(s);
	s->ops->end(s, &end);
	if (end.error)
		fail_msg("%s", end.text);
	return s;
}

static uint64_t throttled_ns(struct model *m, uint64_t *periods)
{
	const struct rows *rows = model_rows(m, &(struct query){.group = GROUP_CGROUP}, WINDOW_ALL);
	uint64_t ns = 0;

	assert_non_null(rows);
	*periods = 0;
	for (size_t i = 0; i < rows->nr; i++) {
		*periods += rows->row[i].periods;
		ns += rows->row[i].throttled_ns;
	}
	return ns;
}

/* What was on the screen is in the file, to the sample, wherever it began: by function, object, task, thread, CPU. */
static void test_late(void **state)
{
	static const struct {
		const struct synth_config *c;
		unsigned before, groups; /* groups: bits, of what no model folds in that time */
	} cases[] = {
		{&steady, 613, (1 << GROUP_HOST) - 1}, {&steady, 0, (1 << GROUP_HOST) - 1}, {&steady, 3, (1 << GROUP_HOST) - 1},
		{&owned, 313, (1 << GROUP_HOST) - 1},
		{&busy, 300, 1 << GROUP_OBJECT | 1 << GROUP_CPU},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct model *full, *back;
		struct session *s = late(cases[i].c, cases[i].before, 637, &full);
		uint64_t periods, again;
		int fd;
		struct timereader *r = reader_open(&fd);

		assert_int_equal(timereader_index(r)->nmarks, 4);
		assert_string_equal(timereader_index(r)->marks[1].name, "alert: lost>1% (3.0%)");
		assert_string_equal(timereader_index(r)->marks[2].name, "alert over: lost>1%");
		assert_int_equal(timereader_index(r)->marks[2].time, 9 * NSEC_PER_SEC);
		assert_string_equal(timereader_index(r)->marks[0].name, "before");
		assert_int_equal(timereader_index(r)->marks[0].time, 7 * NSEC_PER_SEC);
		assert_string_equal(timereader_index(r)->marks[3].name, "after");
		back = model_create(timereader_info(r), MODEL_BUDGET);
		read_blocks(r, back, 0, timereader_index(r)->nblocks);
		assert_int_equal(model_now(full), model_now(back));
		assert_int_equal(model_first(full), model_first(back));
		assert_int_equal(throttled_ns(full, &periods), throttled_ns(back, &again));
		assert_int_equal(periods, again);
		assert_int_equal(periods, cases[i].c->owned ? cases[i].before + 637 : 0);
		for (unsigned e = 0; e < s->info.nevents; e++) {
			assert_same_accounts(full, back, e);
			for (int group = 0; group < GROUP_HOST; group++)
				if (cases[i].groups & 1u << group)
					assert_same_rows(full, back, &(struct query){.group = group, .event = e, .show_self = true});
		}
		if (cases[i].c->stacks) {
			fieldstacks_same(full, &back, 1);
			fieldstacks_same(back, &full, 1);
		}
		model_free(back);
		model_free(full);
		reader_close(r, fd);
		session_close(s);
	}
}

/* A tree of both is one tree: callers are kept, before and after. */
static void test_late_tree(void **state)
{
	const struct tree_query q = {.q = {.show_self = true}};
	struct model *full, *back;
	struct session *s = late(&steady, 400, 400, &full);
	const struct tree *a, *b;
	int fd;
	struct timereader *r = reader_open(&fd);

	(void)state;
	back = model_create(timereader_info(r), MODEL_BUDGET);
	read_blocks(r, back, 0, timereader_index(r)->nblocks);
	a = model_tree(full, &q, WINDOW_ALL);
	b = model_tree(back, &q, WINDOW_ALL);
	assert_true(a && b && a->nr > 20);
	assert_int_equal(a->attributed, b->attributed);
	for (size_t i = 0, k = 0; i < a->nr; i++) {
		if (a->node[i].flags & (TREE_UNRESOLVED | TREE_LOADING))
			continue;
		for (k = 0; k < b->nr && (strcmp(b->node[k].name, a->node[i].name) || b->node[k].depth != a->node[i].depth ||
					  b->node[k].total != a->node[i].total || b->node[k].samples != a->node[i].samples);)
			k++;
		if (k == b->nr)
			fail_msg("no place %s at depth %u", a->node[i].name, a->node[i].depth);
	}
	model_free(back);
	model_free(full);
	reader_close(r, fd);
	session_close(s);
}

/* What cannot be is an answer, and nothing has begun then. */
static void test_late_refused(void **state)
{
	struct session *inner = synth_session_create(&steady), *s;
	struct err err = {.code = 0};
	struct model *m;
	char below[96];

	(void)state;
	s = saver_open(inner, &(struct saver_config){.path = NULL}, &err);
	m = model_create(&s->info, MODEL_BUDGET);
	run_ticks(inner, s, m, 20);
	snprintf(below, sizeof(below), "%s/no/such/place", path);
	assert_int_equal(save_late(s, m, below, &err), -ENOENT);
	assert_non_null(strstr(err.text, "no/such/place"));
	assert_int_equal(symlink("/etc/passwd", path), 0);
	assert_int_equal(save_late(s, m, path, &err), -EINVAL);
	assert_int_equal(unlink(path), 0);
	assert_null(s->info.saving);
	run_ticks(inner, s, m, 20);
	assert_int_equal(save_late(s, m, path, &err), 0);
	assert_int_equal(save_late(s, m, path, &err), -EBUSY);
	assert_non_null(strstr(err.text, "already"));
	model_free(m);
	session_close(s);
}

/* A full disk is said in the next slice, and at the end, with how much is missing. */
static void test_late_full(void **state)
{
	struct session *inner = synth_session_create(&steady), *s;
	struct err err = {.code = 0};
	struct rlimit was, small;
	struct session_end end;
	struct model *m;

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	s = saver_open(inner, &(struct saver_config){.path = NULL}, &err);
	m = model_create(&s->info, MODEL_BUDGET);
	run_ticks(inner, s, m, 200);
	getrlimit(RLIMIT_FSIZE, &was);
	small = (struct rlimit){2000, was.rlim_max};
	setrlimit(RLIMIT_FSIZE, &small);
	assert_int_equal(save_late(s, m, path, &err), 0);
	run_ticks(inner, s, m, 20);
	s->ops->abandon(s);
	setrlimit(RLIMIT_FSIZE, &was);
	s->ops->end(s, &end);
	assert_int_equal(end.error, -EFBIG);
	assert_non_null(strstr(end.text, path));
	model_free(m);
	session_close(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_round, make_path, remove_path),
		cmocka_unit_test_setup_teardown(test_any_block, make_path, remove_path),
		cmocka_unit_test_setup_teardown(test_cut, make_path, remove_path),
		cmocka_unit_test_setup_teardown(test_damaged, make_path, remove_path),
		cmocka_unit_test_setup_teardown(test_full, make_path, remove_path),
		cmocka_unit_test_setup_teardown(test_names, make_path, remove_path),
		cmocka_unit_test_setup_teardown(test_sessions, make_path, remove_path),
		cmocka_unit_test_setup_teardown(test_late, make_path, remove_path),
		cmocka_unit_test_setup_teardown(test_late_tree, make_path, remove_path),
		cmocka_unit_test_setup_teardown(test_late_refused, make_path, remove_path),
		cmocka_unit_test_setup_teardown(test_late_full, make_path, remove_path),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
