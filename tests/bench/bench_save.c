/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench_save PERF.DATA SLICES: the slices that a recording's replay is made of, into a file.
 * bench_save SLICES [OUT [line]]: what it costs to save them, by function or by source line.
 *
 * In two steps, since a replay takes names when they come: only of the same slices costs can be held against each other,
 * and the files OUT, which are the same byte by byte where nothing was changed in what is kept.
 *
 *   write   CPU time to merge, thin, pack and write: median and least of some rounds, of a CPU while it was measured
 *   copy    the same to copy a slice for the saver's thread
 *   bytes   of the file, for its seconds, and as much a day
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "sources/replay/filesession.h"
#include "link/timeline/timewriter.h"
#include "link/wire/message.h"
#include "link/wire/slicecode.h"

#define ROUNDS 7

struct saved {
	uint8_t *data; /* a length of 8 bytes, then so many; the first is the session's info */
	size_t len;
};

static void check(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "bench_save: %s\n", what);
	exit(1);
}

/* --- from a recording --------------------------------------------------------------------- */

static void put(FILE *f, struct wire_out *o)
{
	uint64_t len = o->len;

	check(!o->failed && fwrite(&len, sizeof(len), 1, f) == 1 && fwrite(o->data, o->len, 1, f) == 1, "cannot write");
	wire_clear(o);
}

static void put_slices(struct session *s, FILE *f)
{
	struct pollfd p = {.fd = s->ops->fd(s), .events = POLLIN};
	struct slice *slice;
	int ret;

	do {
		while (!(ret = session_next(s, &slice)) && slice) {
			struct wire_out o = {.len = 0};

			slicecode_put(&o, slice);
			put(f, &o);
			slice_free(slice);
		}
		check(ret || poll(&p, 1, -1) > 0 || errno == EINTR, "cannot wait");
	} while (!ret);
}

static void take_recording(const char *from, const char *to)
{
	struct err err = {.code = 0};
	struct session *s = file_open(&(struct measure_config){.input = from}, &err);
	struct wire_out o = {.len = 0};
	FILE *f = fopen(to, "w");

	check(s, err.text);
	check(f, "cannot write the slices");
	message_put(&o, WIRE_INFO, &s->info);
	put(f, &o);
	put_slices(s, f);
	check(!fclose(f), "cannot write the slices");
	session_close(s);
}

/* --- saved -------------------------------------------------------------------------------- */

static struct saved read_all(const char *path)
{
	FILE *f = fopen(path, "r");
	struct saved all = {.len = 0};
	long len;

	check(f && !fseek(f, 0, SEEK_END) && (len = ftell(f)) > 0 && !fseek(f, 0, SEEK_SET), "no file of slices");
	all.len = (size_t)len;
	all.data = malloc(all.len);
	check(all.data && fread(all.data, all.len, 1, f) == 1, "cannot read the slices");
	fclose(f);
	return all;
}

/* What is next; false: no more. */
static bool next(const struct saved *all, size_t *at, const uint8_t **data, size_t *len)
{
	uint64_t n;

	if (*at == all->len)
		return false;
	check(all->len - *at >= sizeof(n), "no file of slices");
	memcpy(&n, all->data + *at, sizeof(n));
	*at += sizeof(n);
	check(n <= all->len - *at, "no file of slices");
	*data = all->data + *at;
	*len = (size_t)n;
	*at += *len;
	return true;
}

struct cost {
	uint64_t write, copy, length, bytes;
};

/* As link/timeline/saver.c does it. */
static struct slice *copy(const struct slice *s, uint64_t *ns)
{
	uint64_t began = clock_read(CLOCK_THREAD_CPUTIME_ID);
	struct wire_out o = {.len = 0};
	struct slice *made;
	struct err err;

	slicecode_put(&o, s);
	made = slicecode_get(o.data, o.len, SIZE_MAX, &err);
	wire_clear(&o);
	*ns += clock_read(CLOCK_THREAD_CPUTIME_ID) - began;
	return made;
}

static struct timewriter *begin(const struct saved *all, size_t *at, const char *to, bool lines)
{
	struct link_frame f = {.kind = WIRE_INFO};
	struct err err = {.code = 0};
	struct message_info info;
	struct timewriter *w;

	check(next(all, at, &f.data, &f.len) && !message_get(&f, &info, SIZE_MAX, &err), "no file of slices");
	w = timewriter_create(to, &info.info, &(struct timewriter_config){.lines = lines}, &err);
	check(w, err.text);
	message_clear(WIRE_INFO, &info);
	return w;
}

static struct cost save(const struct saved *all, const char *to, bool lines)
{
	struct timewriter_figures f;
	struct cost c = {.write = 0};
	struct err err = {.code = 0};
	const uint8_t *data;
	size_t at = 0, len;
	struct timewriter *w = begin(all, &at, to, lines);

	while (next(all, &at, &data, &len)) {
		struct slice *s = slicecode_get(data, len, SIZE_MAX, &err), *copied;

		check(s, err.text);
		copied = copy(s, &c.copy);
		slice_free(s);
		check(copied && !timewriter_add(w, copied), "cannot write");
	}
	check(!timewriter_finish(w, &err), err.text);
	timewriter_figures(w, &f);
	timewriter_free(w);
	c.write = f.cpu_ns;
	c.length = f.file_ns;
	c.bytes = f.file_bytes;
	return c;
}

static int compare_numbers(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void say(const char *what, uint64_t *ns, uint64_t length)
{
	qsort(ns, ROUNDS, sizeof(*ns), compare_numbers);
	printf("%s %.3f %% of a CPU, at least %.3f %%\n", what, 100 * (double)ns[ROUNDS / 2] / (double)length,
	       100 * (double)ns[0] / (double)length);
}

static void measure(const char *from, const char *out, bool lines)
{
	struct saved all = read_all(from);
	uint64_t write[ROUNDS], copied[ROUNDS], length = 0, bytes = 0;
	char path[4096], old[4200];

	snprintf(path, sizeof(path), "%s", out ? out : "");
	if (!out)
		snprintf(path, sizeof(path), "%s.tl", from);
	snprintf(old, sizeof(old), "%s.old", path);
	for (unsigned i = 0; i < ROUNDS; i++) {
		struct cost c = save(&all, path, lines);

		write[i] = c.write;
		copied[i] = c.copy;
		length = c.length;
		bytes = c.bytes;
	}
	say("write", write, length);
	say("copy", copied, length);
	printf("bytes %llu in %.1f s, %.0f MB a day\n", (unsigned long long)bytes, (double)length / NSEC_PER_SEC,
	       (double)bytes / (double)length * NSEC_PER_SEC * 86400 / 1e6);
	unlink(old);
	if (!out)
		unlink(path);
	free(all.data);
}

/* What perf record writes begins so. */
static bool is_recording(const char *path)
{
	char magic[8] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	check(fd >= 0 && read(fd, magic, sizeof(magic)) == sizeof(magic), "no file that can be read");
	close(fd);
	return !memcmp(magic, "PERFILE2", sizeof(magic));
}

int main(int argc, char **argv)
{
	check(argc > 1, "which FILE? a recording, or the slices of one");
	if (is_recording(argv[1])) {
		check(argc > 2, "where to are its slices to go?");
		take_recording(argv[1], argv[2]);
	} else {
		measure(argv[1], argc > 2 ? argv[2] : NULL, argc > 3 && !strcmp(argv[3], "line"));
	}
	return 0;
}
