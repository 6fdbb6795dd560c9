/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "replay/file_fence.h"

#include <errno.h>
#include <unistd.h>

/* --- our side ----------------------------------------------------------------------------- */

static int next_batch(void *arg, struct wire_in *in, struct err *err)
{
	struct file_fence *f = arg;
	int ret;

	fence_done(&f->call);
	f->call = (struct fence_call){.job = FENCE_FILE_NEXT, .fd = -1, .life = f->life};
	ret = fence_call(&f->call, err);
	*in = f->call.in;
	return ret;
}

struct perfdata *file_fence_open(struct file_fence *f, int fd, struct formats *formats, struct err *err)
{
	struct fence_call c = {.job = FENCE_FILE_OPEN, .fd = fd};
	struct perfdata *p = NULL;
	int ret = fence_call(&c, err);

	f->feed = (struct perfdata_feed){.more = next_batch, .arg = f};
	f->life = c.life;
	if (!ret)
		ret = helper_get_error(&c.in, err);
	if (!ret)
		p = perfdata_get(&c.in, &f->feed, err);
	if (p)
		formats_get(formats, &c.in);
	if (p && c.in.failed) {
		err_set(err, EPROTO, "the helper answered nonsense");
		perfdata_close(p);
		p = NULL;
	}
	fence_done(&c);
	return p;
}

void file_fence_close(struct file_fence *f)
{
	fence_done(&f->call);
	fence_rest(FENCE_TRACES, 0);
}

/* --- the helper's ------------------------------------------------------------------------- */

static struct {
	int fd;
	struct perfdata_source source;
	struct perfdata *data;
} file = {.fd = -1};

static ssize_t read_source(void *arg, void *buf, size_t len, uint64_t offset)
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

	(void)in;
	perfdata_close(file.data);
	if (file.fd >= 0)
		close(file.fd);
	file.fd = fd >= 0 ? dup(fd) : -1;
	file.source = (struct perfdata_source){.read = read_source, .seekable = true};
	file.data = perfdata_open(&file.source, &err);
	helper_put_error(out, file.data ? 0 : -err.code, &err);
	if (!file.data)
		return;
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
