/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Both sides are one program, so structs are sent as they are; pointers in them are replaced, and
 * numbers used as indexes are checked.
 */
#include "names/pt/ptdecode_sandbox.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/atomics.h"
#include "base/fieldtable.h"
#include "base/hash.h"

#define PAGE  4096u
#define PAGES 1024u /* of code, cached in the helper; a power of two */

static const struct field places_rows[] = {
	{1, FIELD_BYTES, FIELD_BLOCK(struct ptdecode_result, places, nplaces)}};
static const struct fields places_table = FIELDS(places_rows, struct ptdecode_result);

static const struct field runs_rows[] = {
	{1, FIELD_BYTES, FIELD_BLOCK(struct ptdecode_config, runs, nruns)}};
static const struct fields runs_table = FIELDS(runs_rows, struct ptdecode_config);

/* --- the caller --------------------------------------------------------------------------- */

static void give_code(void *arg, struct wire_in *in, struct wire_out *out)
{
	const struct ptdecode_config *c = arg;
	uint32_t who = (uint32_t)wire_get(in, 4);
	uint64_t addr = wire_get(in, 8);
	uint8_t page[PAGE];
	int n = 0;

	if (c->read && !in->failed && !(c->cancel && atomic_load_relaxed(c->cancel)))
		n = c->read(c->arg, who, addr, page, sizeof(page));
	wire_put_bytes(out, page, n > 0 ? (size_t)n : 0);
}

static int stream_file(const struct ptdecode_config *c)
{
	int fd = memfd_create("ringtop-trace", MFD_CLOEXEC);
	size_t done = 0;

	while (fd >= 0 && done < c->len) {
		ssize_t n = write(fd, c->data + done, c->len - done);

		if (n < 0 && errno != EINTR) {
			int ret = -errno;

			close(fd);
			return ret;
		}
		done += n > 0 ? (size_t)n : 0;
	}
	return fd < 0 ? -errno : fd;
}

static bool stretches_are_valid(const struct ptdecode_result *r)
{
	if (r->nstretches > PTDECODE_STRETCHES)
		return false;
	for (size_t i = 0; i < r->nstretches; i++)
		if (r->stretches[i].cause >= PT_LOST_NR ||
		    !memchr(r->stretches[i].why, '\0', sizeof(r->stretches[i].why)))
			return false;
	return true;
}

static int get_result(struct wire_in *in, struct ptdecode_result *out)
{
	const void *r = wire_get_bytes(in, sizeof(*out));

	if (!r)
		return -EPROTO;
	memcpy(out, r, sizeof(*out));
	out->places = NULL;
	out->nplaces = 0;
	return stretches_are_valid(out) ? fields_get_part(in, &places_table, out, NULL) : -EPROTO;
}

static int take_decoded_trace(struct sandbox_call *call, struct ptdecode_result *out,
			      struct err *err)
{
	int ret = helper_get_error(&call->in, err);

	if (!call->in.failed && ret)
		return ret;
	ret = call->in.failed ? -EPROTO : get_result(&call->in, out);
	return ret == -EPROTO ? sandbox_nonsense(call, err)
	       : ret	      ? err_set(err, -ret, "out of memory")
			      : 0;
}

int ptdecode_ask(const struct ptdecode_config *c, struct ptdecode_result *out, struct err *err)
{
	struct sandbox_call call = {
		.job = SANDBOX_PT, .fd = stream_file(c), .need = give_code, .arg = (void *)c};
	int ret;

	memset(out, 0, sizeof(*out));
	if (call.fd < 0)
		return err_room(err, -call.fd, "a trace to be decoded");
	wire_put_bytes(&call.ask, c, sizeof(*c));
	fields_put_part(&call.ask, &runs_table, c);
	ret = sandbox_call(&call, err);
	close(call.fd);
	if (!ret)
		ret = take_decoded_trace(&call, out, err);
	if (!ret && c->cancel && atomic_load_relaxed(c->cancel))
		ret = -ECANCELED;
	if (ret)
		ptdecode_clear(out);
	sandbox_done(&call);
	return ret;
}

/* --- the helper --------------------------------------------------------------------------- */

struct page {
	uint64_t at; /* page number + 1; 0: empty */
	uint32_t who, len;
	uint8_t data[PAGE];
};

/*
 * Return a page of code, requested from the caller if new; unreadable ones are cached too, as
 * empty.
 */
static const struct page *page_of(struct page *pages, uint32_t who, uint64_t number)
{
	struct page *p = &pages[hash_mix(hash_u64(number), who) & (PAGES - 1)];
	struct wire_out ask = {.len = 0};
	struct wire_in in;
	void *bytes;

	if (p->at == number + 1 && p->who == who)
		return p;
	wire_put(&ask, who, 4);
	wire_put(&ask, number * PAGE, 8);
	helper_need(&ask, &in, &bytes);
	p->at = number + 1;
	p->who = who;
	p->len = (uint32_t)(in.end - in.at) <= PAGE ? (uint32_t)(in.end - in.at) : PAGE;
	memcpy(p->data, in.at, p->len);
	free(bytes);
	wire_clear(&ask);
	return p;
}

static int read_cached_code(void *arg, uint32_t who, uint64_t addr, void *buf, size_t len)
{
	size_t done = 0;

	while (done < len) {
		const struct page *p = page_of(arg, who, (addr + done) / PAGE);
		size_t at = (addr + done) % PAGE, n;

		if (at >= p->len)
			break;
		n = p->len - at < len - done ? p->len - at : len - done;
		memcpy((char *)buf + done, p->data + at, n);
		done += n;
	}
	return done ? (int)done : -ENOENT;
}

static int decode_trace(struct ptdecode_config *c, int fd, struct ptdecode_result *r,
			struct err *err)
{
	struct stat st;
	int ret;

	if (fd < 0 || fstat(fd, &st) || (uint64_t)st.st_size < c->len)
		return err_set(err, EINVAL, "no trace");
	c->read = read_cached_code;
	c->arg = calloc(PAGES, sizeof(struct page));
	c->cancel = NULL;
	c->data = c->len ? mmap(NULL, c->len, PROT_READ, MAP_SHARED, fd, 0) : NULL;
	if (!c->arg || c->data == MAP_FAILED)
		ret = err_set(err, ENOMEM, "out of memory for decoding a trace");
	else
		ret = ptdecode_here(c, r, err);
	if (c->data && c->data != MAP_FAILED)
		munmap((void *)c->data, c->len);
	free(c->arg);
	return ret;
}

void ptdecode_serve(struct wire_in *in, int fd, struct wire_out *out)
{
	const void *config = wire_get_bytes(in, sizeof(struct ptdecode_config));
	struct ptdecode_config c = {.len = 0};
	struct ptdecode_result *r = calloc(1, sizeof(*r));
	struct err err = {.code = 0};
	int ret = -ENOMEM;

	if (config)
		memcpy(&c, config, sizeof(c));
	c.runs = NULL;
	c.nruns = 0;
	if (r)
		ret = fields_get_part(in, &runs_table, &c, NULL)
			      ? err_set(&err, EINVAL, "no question")
			      : decode_trace(&c, fd, r, &err);
	helper_put_error(out, ret, &err);
	if (!ret) {
		wire_put_bytes(out, r, sizeof(*r));
		fields_put_part(out, &places_table, r);
		ptdecode_clear(r);
	}
	free((void *)c.runs);
	free(r);
}
