/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sources/replay/file_sandbox.h"

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
	struct file_sandbox *f = arg;
	int ret;

	sandbox_done(&f->call);
	f->call = (struct sandbox_call){.job = SANDBOX_FILE_NEXT, .fd = -1, .life = f->life};
	ret = sandbox_call(&f->call, err);
	*in = f->call.in;
	return ret;
}

struct perfdata *file_sandbox_open(struct file_sandbox *f, int fd, struct fileformats *formats,
				 struct err *err)
{
	struct sandbox_call c = {.job = SANDBOX_FILE_OPEN, .fd = fd};
	struct perfdata *p = NULL;
	int ret = sandbox_call(&c, err);

	f->feed = (struct perfdata_feed){.more = receive_batch, .arg = f};
	f->life = c.life;
	if (!ret)
		ret = helper_get_error(&c.in, err);
	if (!ret)
		p = perfdata_get(&c.in, &f->feed, err);
	if (p)
		fileformats_get(formats, &c.in);
	if (p && c.in.failed) {
		err_set(err, EPROTO, "the helper sent an invalid answer");
		perfdata_close(p);
		p = NULL;
	}
	sandbox_done(&c);
	return p;
}

bool file_sandbox_name(struct file_sandbox *f, uint64_t addr, char *name, size_t size,
		       uint64_t *start)
{
	struct sandbox_call c = {.job = SANDBOX_FILE_NAME, .fd = -1, .life = f->life};
	struct err err;
	int ret;

	*name = '\0';
	if (f->unnamed || !f->life)
		return false;
	wire_put(&c.ask, addr, 8);
	ret = sandbox_call(&c, &err);
	if (!ret) {
		*start = wire_get(&c.in, 8);
		snprintf(name, size, "%s", wire_get_text(&c.in, size));
	}
	f->unnamed = sandbox_taken(&c, ret, &err) != 0;
	return !f->unnamed && *name;
}

void file_sandbox_close(struct file_sandbox *f)
{
	sandbox_done(&f->call);
	sandbox_rest(SANDBOX_TRACES, 0);
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

void file_sandbox_serve_open(struct wire_in *in, int fd, struct wire_out *out)
{
	struct err err = {.code = 0};
	struct fileformats formats = {.nr = 0};

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
	out->failed |= fileformats_of(file.data, &formats) != 0;
	fileformats_put(&formats, out);
	fileformats_clear(&formats);
}

void file_sandbox_serve_next(struct wire_in *in, int fd, struct wire_out *out)
{
	(void)in;
	(void)fd;
	if (file.data)
		perfdata_put_batch(file.data, out);
}

void file_sandbox_serve_name(struct wire_in *in, int fd, struct wire_out *out)
{
	uint64_t addr = wire_get(in, 8), start = 0;
	char name[128] = "";

	(void)fd;
	if (!kernelnames_find(&file.kernel, addr, name, sizeof(name), &start))
		*name = '\0';
	wire_put(out, start, 8);
	wire_put_text(out, name);
}
