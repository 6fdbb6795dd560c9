/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A saved time line of anybody's, through all that takes it: the index or the walk without one, blocks, slices, the
 * model, the reports, and seeking.  Mutations change a frame and make its checksum right again.  `fuzz_timeline
 * --seeds DIR` writes the corpus.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/core/model.h"
#include "tests/fuzz/linkmutate.h"
#include "tests/fuzz/must.h"
#include "tests/fuzz/reports.h"
#include "tests/synth.h"
#include "link/timeline/timefile.h"
#include "link/timeline/timeformat.h"
#include "link/timeline/timewriter.h"

#define HISTORY (4u << 20)

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed);

static int null_fd, file_fd;
static char file_path[64];

/* --- one file ----------------------------------------------------------------------------- */

static void report(struct session *s)
{
	const struct headless_options ho = {.show.delay = 5, .show.paths = true, .format = &reports_both, .version = "fuzz",
					    .out_fd = null_fd, .stop_fd = -1, .signal_fd = -1};
	struct model *m = model_create(&s->info, HISTORY);
	struct headless_result result;
	struct err err = {.code = 0};

	must(m != NULL);
	must(!headless_run(s, m, &ho, &result, &err) || err.code);
	model_free(m);
}

/* From there as far as it goes: time goes on, and then it is over. */
static void seek(struct session *s, struct model *m, uint64_t time)
{
	struct session_request rq = {.command = SESSION_SEEK, .number = time};
	struct slice *slice;
	uint64_t end = 0;
	int ret;

	model_rewind(m);
	must(!s->ops->command(s, &rq, NULL));
	while (!(ret = session_next(s, &slice)) && slice) {
		must(slice->start >= end && slice->end >= slice->start);
		end = slice->end;
		must(!model_add(m, slice));
	}
	must(ret == -ESHUTDOWN);
}

static void look(struct session *s)
{
	struct model *m = model_create(&s->info, HISTORY);

	must(m != NULL);
	seek(s, m, 0);
	seek(s, m, s->info.length);
	seek(s, m, s->info.length / 2);
	for (unsigned e = 0; e < s->info.nevents; e++)
		must(model_rows(m, &(struct query){.event = e, .show_self = true}, WINDOW_ALL) != NULL);
	model_free(m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct timefile_config c = {.path = file_path};
	struct session *s;
	struct err err = {.code = 0};

	must(!ftruncate(file_fd, 0) && pwrite(file_fd, data, size, 0) == (ssize_t)size);
	s = timefile_open(&c, &err);
	if (!s) {
		must(err.code && *err.text);
		return 0;
	}
	report(s);
	look(s);
	session_close(s);
	return 0;
}

/* --- mutations ---------------------------------------------------------------------------- */

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
	return linkmutate(data, size, max, seed, TIMEFORMAT_HEAD);
}

/* --- seeds -------------------------------------------------------------------------------- */

static void write_seed(const char *path, const struct synth_config *config, unsigned ticks)
{
	const struct session_mark mark = {.time = 100000000, .name = "mark"};
	struct session *s = synth_session_create(config);
	struct err err = {.code = 0};
	struct timewriter *w = timewriter_create(path, &s->info, &(struct timewriter_config){.day = 0}, &err);
	struct slice *slice;

	must(w != NULL);
	for (unsigned i = 0; i < ticks; i++) {
		synth_advance(s, 1);
		must(!session_next(s, &slice) && slice && !timewriter_add(w, slice));
		/* A gap, and so another block. */
		must(i != ticks / 2 || (!timewriter_mark(w, &mark) && !timewriter_info(w, &s->info)));
	}
	must(!timewriter_finish(w, &err));
	timewriter_free(w);
	session_close(s);
}

/* The same without an index, and with frames that are not packed, so that what is in them can be changed. */
static void write_plain(const char *from, const char *to)
{
	int in = open(from, O_RDONLY | O_CLOEXEC), out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	uint8_t head[LINK_HEAD], frame[LINK_HEAD + LINK_FRAME_MAX];
	struct link *unpack = NULL, *pack = link_create();
	enum wire_kind kind;
	struct link_frame f;
	size_t size;

	must(in >= 0 && out >= 0 && read(in, frame, TIMEFORMAT_HEAD) == TIMEFORMAT_HEAD);
	must(write(out, frame, TIMEFORMAT_HEAD) == TIMEFORMAT_HEAD);
	for (; read(in, head, LINK_HEAD) == LINK_HEAD && (size = link_frame_size(head, &kind));) {
		memcpy(frame, head, LINK_HEAD);
		must(read(in, frame + LINK_HEAD, size - LINK_HEAD) == (ssize_t)(size - LINK_HEAD));
		if ((int)kind == TIMEFORMAT_INDEX)
			break;
		if ((int)kind == TIMEFORMAT_BLOCK) {
			link_free(unpack);
			unpack = link_create();
		}
		if (kind >= WIRE_OPTIONAL) {
			must(write(out, frame, size) == (ssize_t)size);
			continue;
		}
		must(!link_feed(unpack, frame, size) && link_next(unpack, &f, NULL) == 1);
		must(!link_put(pack, f.kind, &(struct wire_out){.data = (uint8_t *)f.data, .len = f.len}, false));
		must(!link_send(pack, out));
	}
	link_free(unpack);
	link_free(pack);
	close(in);
	must(!close(out));
}

static void write_seeds(const char *dir)
{
	static const struct synth_config calls = {.callchains = true, .losses = true, .second_event = 7, .fields = true, .stacks = true},
					 names = {.hostile = true, .doubt = true, .forks = 2, .addresses = 2};
	char from[4096], to[4096];

	snprintf(from, sizeof(from), "%s/packed", dir);
	write_seed(from, &calls, 30);
	snprintf(to, sizeof(to), "%s/calls", dir);
	write_plain(from, to);
	snprintf(to, sizeof(to), "%s/names", dir);
	write_seed(to, &names, 40);
	rename(to, from);
	write_plain(from, to);
	write_seed(from, &calls, 30);
	snprintf(to, sizeof(to), "%s/packed.old", dir);
	unlink(to);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	if (*argc > 2 && !strcmp((*argv)[1], "--seeds")) {
		write_seeds((*argv)[2]);
		exit(0);
	}
	null_fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	file_fd = memfd_create("fuzz_timeline", MFD_CLOEXEC);
	must(null_fd >= 0 && file_fd >= 0);
	snprintf(file_path, sizeof(file_path), "/proc/self/fd/%d", file_fd);
	return 0;
}
