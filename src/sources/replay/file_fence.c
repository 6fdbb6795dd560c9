/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sources/replay/file_fence.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "measure/session/kernelnames.h"

/* --- both ---------------------------------------------------------------------------------- */

struct perfdata *file_open_any(const struct perfdata_source *source, struct tracedat **t,
			       struct err *err)
{
	char magic[TRACEDAT_MAGIC_BYTES] = "";
	const struct err *problem;
	struct perfdata *p;
	uint64_t nr;

	*t = NULL;
	if (!source->seekable ||
	    source->read(source->arg, magic, sizeof(magic), 0) != (ssize_t)sizeof(magic) ||
	    !tracedat_is_one(magic))
		return perfdata_open(source, err);
	if (!(*t = tracedat_open(source, err)))
		return NULL;
	p = perfdata_open(tracedat_stream(*t), err);
	if (!p)
		return NULL;
	problem = tracedat_problem(*t, &nr);
	perfdata_blame(p, problem, nr);
	perfdata_remark(p, tracedat_remarks(*t), tracedat_lost_shared(*t));
	return p;
}

/* --- caller's side ------------------------------------------------------------------------ */

static int receive_batch(void *arg, struct wire_in *in, struct err *err)
{
	struct file_fence *f = arg;
	int ret;

	fence_done(&f->call);
	f->call = (struct fence_call){.job = FENCE_FILE_NEXT, .fd = -1, .life = f->life};
	ret = fence_call(&f->call, err);
	*in = f->call.in;
	return ret;
}

struct perfdata *file_fence_open(struct file_fence *f, int fd, struct formats *formats,
				 struct err *err)
{
	struct fence_call c = {.job = FENCE_FILE_OPEN, .fd = fd};
	struct perfdata *p = NULL;
	int ret = fence_call(&c, err);

	f->feed = (struct perfdata_feed){.more = receive_batch, .arg = f};
	f->life = c.life;
	if (!ret)
		ret = helper_get_error(&c.in, err);
	if (!ret)
		p = perfdata_get(&c.in, &f->feed, err);
	if (p)
		formats_get(formats, &c.in);
	if (p && c.in.failed) {
		err_set(err, EPROTO, "the helper sent an invalid answer");
		perfdata_close(p);
		p = NULL;
	}
	fence_done(&c);
	return p;
}

bool file_fence_name(struct file_fence *f, uint64_t addr, char *name, size_t size, uint64_t *start)
{
	struct fence_call c = {.job = FENCE_FILE_NAME, .fd = -1, .life = f->life};
	struct err err;
	int ret;

	*name = '\0';
	if (f->unnamed || !f->life)
		return false;
	wire_put(&c.ask, addr, 8);
	ret = fence_call(&c, &err);
	if (!ret) {
		*start = wire_get(&c.in, 8);
		snprintf(name, size, "%s", wire_get_text(&c.in, size));
	}
	f->unnamed = fence_taken(&c, ret, &err) != 0;
	return !f->unnamed && *name;
}

void file_fence_close(struct file_fence *f)
{
	fence_done(&f->call);
	fence_rest(FENCE_TRACES, 0);
}

/* --- helper's side ------------------------------------------------------------------------ */

static struct {
	int fd;
	struct perfdata_source source;
	struct perfdata *data;
	struct tracedat *tracedat;
	struct kernelnames kernel;
} file = {.fd = -1};

static ssize_t read_helper_file(void *arg, void *buf, size_t len, uint64_t offset)
{
	ssize_t n;

	(void)arg;
	do
		n = pread(file.fd, buf, len, (off_t)offset);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n;
}

void file_fence_serve_open(struct wire_in *in, int fd, struct wire_out *out)
{
	struct err err = {.code = 0};
	struct formats formats = {.nr = 0};

	size_t len;
	const char *kallsyms;

	(void)in;
	kernelnames_clear(&file.kernel);
	perfdata_close(file.data);
	tracedat_free(file.tracedat);
	if (file.fd >= 0)
		close(file.fd);
	file.fd = fd >= 0 ? dup(fd) : -1;
	file.source = (struct perfdata_source){.read = read_helper_file, .seekable = true};
	file.data = file_open_any(&file.source, &file.tracedat, &err);
	helper_put_error(out, file.data ? 0 : -err.code, &err);
	if (!file.data)
		return;
	kallsyms = perfdata_kallsyms(file.data, &len);
	kernelnames_init_text(&file.kernel, kallsyms, len);
	perfdata_put(file.data, out);
	out->failed |= formats_of(file.data, &formats) != 0;
	formats_put(&formats, out);
	formats_clear(&formats);
}

void file_fence_serve_next(struct wire_in *in, int fd, struct wire_out *out)
{
	(void)in;
	(void)fd;
	if (file.data)
		perfdata_put_batch(file.data, out);
}

void file_fence_serve_name(struct wire_in *in, int fd, struct wire_out *out)
{
	uint64_t addr = wire_get(in, 8), start = 0;
	char name[128] = "";

	(void)fd;
	if (!kernelnames_find(&file.kernel, addr, name, sizeof(name), &start))
		*name = '\0';
	wire_put(out, start, 8);
	wire_put_text(out, name);
}
