/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "files/unwind/cfi_sandbox.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/atomics.h"
#include "base/clock.h"
#include "base/fieldtable.h"
#include "base/io.h"
#include "base/log.h"

#define PATH_LEN_MAX  8192
#define HELPER_MEMORY (48u << 20)
/* Bytes of a section that is sent over, as only the helper has its file. */
#define SERVED_MAX    CFI_UNPACK_MAX

/*
 * Limits of a request: a cold look-up brings its neighbours, as calls stay near, but for no longer
 * than one of them may take.
 */
#define RUN_FUNCTIONS 16u
#define RUN_BYTES     (16u << 10)
#define RUN_NS        NSEC_PER_MSEC

/* Limit of the helper's time for one object: this, and a part of the time since it was opened. */
#define SPEND_NS      (3 * NSEC_PER_SEC)
#define SPEND_PART    10u

#define T struct cfi
static const struct field segments_rows[] = {
	{1, FIELD_BYTES, FIELD_BLOCK(T, segments, nsegments), .max = ELFFILE_SEGMENTS_MAX}};
static const struct fields segments_table = FIELDS(segments_rows, T);
#undef T

/* --- helper side ---------------------------------------------------------------------------- */

/* Write a table, with the section's bytes if the other side has no file to read them from. */
static int put_cfi_table(const struct cfitable *t, int fd, struct wire_out *out)
{
	const struct cfi_section *s = &t->section;
	uint8_t *loaded = NULL;
	int ret = 0;

	if (s->fd >= 0 && s->fd != fd) {
		loaded = s->size <= SERVED_MAX ? malloc(s->size) : NULL;
		ret = loaded ? io_read_at(s->fd, loaded, s->size, s->offset) : -ENOSPC;
	}
	if (!ret)
		cfitable_put(t, 0, t->nr, loaded ? loaded : s->data, out);
	free(loaded);
	return ret;
}

static int put_cfi(const struct cfi *c, int fd, struct wire_out *out)
{
	int ret = 0;

	fields_put_part(out, &segments_table, c);
	for (unsigned i = 0; i < CFI_TABLES && !ret; i++)
		ret = put_cfi_table(&c->tables[i], fd, out);
	return ret;
}

void cfi_serve_open(struct wire_in *in, int fd, struct wire_out *out)
{
	const char *path = wire_get_text(in, PATH_LEN_MAX);
	/* only rootopen on the other side knows which directory it is */
	const char *root = wire_get(in, 1) ? "/" : NULL;
	struct cfi_memory memory = {.max = HELPER_MEMORY};
	struct image im = image_from_fd(fd, path, root, NULL);
	struct err err = {.code = 0};
	struct cfi *c = cfi_read(&im, &memory, &err);

	helper_put_error(out, -err.code, &err);
	if (c && put_cfi(c, fd, out)) {
		wire_clear(out);
		err_set(&err, ENOSPC, "no memory left for unwind information");
		helper_put_error(out, -ENOSPC, &err);
	}
	cfi_free(c);
	image_close(&im);
}

void cfi_serve_rows(struct wire_in *in, int fd, struct wire_out *out)
{
	uint64_t until = clock_ns() + RUN_NS;
	struct cfi_memory memory = {.max = HELPER_MEMORY};
	struct cfi_budget budget = {.memory = &memory};
	struct cfitable t = {.section = {.fd = fd}, .budget = &budget};
	int ret = cfitable_get(in, &t);

	helper_put_error(out, ret, &(struct err){.code = -ret});
	for (uint32_t i = 0;
	     !ret && i < t.nr && (!i || (out->len < RUN_BYTES && clock_ns() < until)); i++) {
		wire_put(out, 1, 1);
		cfitable_put_rows(&t, i, out);
	}
	wire_put(out, 0, 1);
	cfitable_clear(&t);
	cfitable_give(&budget, budget.taken);
}

/* --- requesting side: opening ----------------------------------------------------------------- */

/* Move a large section's bytes to a file: requests carry only few bytes, or a descriptor. */
static int put_aside(struct cfi_section *s)
{
	if (!s->data || s->size <= CFI_RESIDENT_MAX)
		return 0;
	s->fd = memfd_create("ringtop-cfi", MFD_CLOEXEC);
	if (s->fd < 0)
		return -errno;
	if (write(s->fd, s->data, s->size) != (ssize_t)s->size)
		return -ENOMEM;
	free((void *)(uintptr_t)s->data);
	s->data = NULL;
	s->offset = 0;
	return 0;
}

static int get_cfi(struct wire_in *in, int fd, struct cfi *c)
{
	int ret = fields_get_part(in, &segments_table, c, NULL);

	for (unsigned i = 0; i < CFI_TABLES && !ret; i++) {
		c->tables[i].section.fd = fd;
		c->tables[i].helped = c;
		ret = cfitable_get(in, &c->tables[i]);
		if (!c->tables[i].nr)
			c->tables[i].section.fd = -1;
	}
	if (!ret)
		ret = cfi_keep_files(c);
	for (unsigned i = 0; i < CFI_TABLES && !ret; i++)
		ret = put_aside(&c->tables[i].section);
	return ret;
}

static struct cfi *take_cfi(struct sandbox_call *call, struct image *im, struct cfi_memory *memory,
			    struct err *err)
{
	int ret = helper_get_error(&call->in, err);
	struct cfi *c;

	if (ret == -EPROTO)
		sandbox_nonsense(call, err);
	c = ret ? NULL : cfi_new(memory, err);
	if (!c)
		return NULL;
	c->path = strdup(im->path ? im->path : "an object");
	c->opened = clock_ns();
	c->asked = true;
	ret = c->path ? get_cfi(&call->in, im->fd, c) : -ENOMEM;
	if (!ret)
		return c;
	cfi_free(c);
	if (ret == -EPROTO)
		sandbox_nonsense(call, err);
	else
		err_room(err, -ret, "unwind information");
	return NULL;
}

struct cfi *cfi_ask(struct image *im, struct cfi_memory *memory, struct err *err)
{
	struct sandbox_call call = {
		.job = SANDBOX_CFI_OPEN, .fd = im->fd, .root = im->root, .budget = im->budget};
	struct cfi *c = NULL;

	wire_put_text(&call.ask, im->path);
	wire_put(&call.ask, im->root != NULL, 1);
	if (!sandbox_call(&call, err))
		c = take_cfi(&call, im, memory, err);
	sandbox_done(&call);
	return c;
}

/* --- requesting side: rows -------------------------------------------------------------------- */

/* Stop requesting rows of this object, and log it once. */
static void stop_requests(struct cfi *c, const struct err *err)
{
	if (!atomic_take_flag(&c->asked))
		return;
	log_msg(LOG_RESOLVE, "%s: the rest of its unwind information is missing: %s", c->path,
		err->text);
}

/* Store the first of `nr` rows requested in *first, and keep the others that came. */
static int take_rows(struct cfitable *t, uint32_t index, uint32_t nr, struct sandbox_call *call,
		     struct cfitable_rows **first, struct err *err)
{
	int ret = helper_get_error(&call->in, err);
	struct cfitable_rows *rows;

	for (uint32_t i = 0; !ret && i < nr && wire_get(&call->in, 1); i++) {
		rows = cfitable_get_rows(&call->in);
		if (!i)
			*first = rows;
		else if (rows)
			cfitable_keep(t, index + i, rows);
	}
	return ret == -EPROTO || call->in.failed ? sandbox_nonsense(call, err) : ret;
}

/*
 * Return the number of functions to request: the one, which another thread may have got meanwhile,
 * and more if there is memory.
 */
static uint32_t run_length(const struct cfitable *t, uint32_t index)
{
	const struct cfi_memory *m = t->budget->memory;
	uint32_t nr = m->max - atomic_load_relaxed(&m->used) < RUN_BYTES ? 1 :
		      cfitable_missing(t, index, RUN_FUNCTIONS);

	return nr ? nr : 1;
}

struct cfitable_rows *cfi_fetch(struct cfitable *t, uint32_t index)
{
	struct sandbox_call call = {.job = SANDBOX_CFI_ROWS, .fd = t->section.fd};
	uint32_t nr = run_length(t, index);
	struct cfitable_rows *rows = NULL;
	struct cfi *c = t->helped;
	struct err err;
	int ret;

	if (!atomic_load_relaxed(&c->asked))
		return &cfitable_broken;
	if (atomic_load_relaxed(&c->spent) >= SPEND_NS + (clock_ns() - c->opened) / SPEND_PART)
		return NULL;
	cfitable_put(t, index, nr, t->section.data, &call.ask);
	ret = sandbox_call(&call, &err);
	atomic_add_relaxed(&c->spent, call.took);
	if (!ret)
		ret = take_rows(t, index, nr, &call, &rows, &err);
	sandbox_done(&call);
	if (ret && !sandbox_later(ret) && ret != -ENOMEM &&
	    ret != -ECANCELED) /* a lasting failure */
		stop_requests(c, &err);
	return rows;
}
