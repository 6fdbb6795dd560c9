/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A perf.data file through all that reads it: session, order, replay, resolver, model, and the reports in
 * text and JSON.  Mutations know what a record is (perfmutate.h).
 *
 * What holds for every file: the rows of an event add up to what its account says is attributed, and
 * nothing is counted that is neither attributed nor lost by name.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "model/core/model.h"
#include "sources/replay/filesession.h"
#include "tests/fuzz/must.h"
#include "tests/fuzz/perfmutate.h"
#include "tests/fuzz/reports.h"

#define PIPE_BYTES 65536 /* that a pipe holds without a reader */
#define HISTORY	   (4u << 20)

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed);

static int memory_fd, null_fd;

/* Nothing of this machine's is looked at: no home with a cache of perf's. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	setenv("HOME", "/nonexistent", 1);
	memory_fd = memfd_create("perf.data", MFD_CLOEXEC);
	null_fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	must(memory_fd >= 0 && null_fd >= 0);
	return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
	size_t n = seed % 16 ? perfmutate(data, size, max, (uint64_t)seed * 0x9e3779b97f4a7c15ull) : 0;

	return n ? n : LLVMFuzzerMutate(data, size, max);
}

/* --- what must hold ----------------------------------------------------------------------- */

static void check_event(struct model *m, unsigned event, bool weighed)
{
	const struct query q = {.event = event, .show_self = true};
	const struct rows *rows = model_rows(m, &q, WINDOW_ALL);
	uint64_t lost = 0;
	struct account a;

	model_account(m, event, ALL_CPUS, WINDOW_ALL, &a);
	must(rows != NULL);
	must(weighed || rows->attributed == a.attributed);
	must(rows->samples == a.samples);
	for (int i = 0; i < LOST_CAUSES; i++)
		lost += a.lost[i];
	must(a.counted == a.attributed + lost + a.pending);
	for (size_t i = 0; i < rows->nr; i++)
		must(rows->row[i].self_share >= 0 && rows->row[i].self_share <= 1.0000001);
}

static void run(struct session *s)
{
	const struct headless_options ho = {.show.delay = 5, .show.paths = true, .format = &reports_both, .version = "fuzz",
					    .out_fd = null_fd, .stop_fd = -1, .signal_fd = -1};
	struct model *m = model_create(&s->info, HISTORY);
	struct headless_result result;
	struct err err = {.code = 0};

	must(m != NULL);
	must(!headless_run(s, m, &ho, &result, &err) || err.code);
	for (unsigned e = 0; e < s->info.nevents; e++)
		check_event(m, e, *s->info.events[e].weight);
	session_close(s);
	model_free(m);
}

/* --- the file ----------------------------------------------------------------------------- */

/* Readable to its end; -1: too much for a pipe. */
static int pipe_with(const uint8_t *data, size_t size)
{
	int fd[2];

	if (size > PIPE_BYTES || pipe2(fd, O_CLOEXEC))
		return -1;
	must(write(fd[1], data, size) == (ssize_t)size);
	close(fd[1]);
	return fd[0];
}

static int file_with(const uint8_t *data, size_t size)
{
	must(!ftruncate(memory_fd, 0) && pwrite(memory_fd, data, size, 0) == (ssize_t)size);
	return memory_fd;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = size % 8 == 7 ? pipe_with(data, size) : file_with(data, size);
	struct measure_config c = {.no_lines = true};
	struct err err = {.code = 0};
	struct session *s;
	char path[64];

	if (fd < 0)
		return 0;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	c.input = path;
	/* What tracepoints' records say, where there are some. */
	c.by = "id,comm";
	c.between = "syscalls";
	s = fd == memory_fd ? file_open(&c, &err) : NULL;
	c.by = c.between = NULL;
	c.off_cpu = true;
	if (!s && fd == memory_fd)
		s = file_open(&c, &err);
	c.off_cpu = false;
	if (!s)
		s = file_open(&c, &err);
	must(s || (err.code && *err.text));
	if (s)
		run(s);
	if (fd != memory_fd)
		close(fd);
	return 0;
}
