/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The temporary file is a new one (O_EXCL), in the directory of the final one so that rename() can
 * put it there.  An existing file of the final name is replaced only if it is a plain file: as
 * root, replacing a device or a link would do harm.
 */
#include "report/export/export.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/text.h"
#include "report/export/export_folded.h"
#include "report/export/export_parts.h"
#include "model/core/marks.h"

#define BREATHE_BYTES (1u << 20)
#define TRIES         100

const struct export_format *const export_formats[] = {
	&export_folded, &export_pprof, &export_speedscope, &export_firefox, &export_text,
	&export_json,	&export_csv,   &export_svg,	   &export_html,    NULL,
};

int export_parse(const char *text, const struct export_format **format, const char **path,
		 struct err *err)
{
	const char *colon = strchr(text, ':');
	char names[256] = "";
	size_t pos = 0;

	for (size_t i = 0; export_formats[i]; i++) {
		const char *name = export_formats[i]->name;

		pos = text_append(names, sizeof(names), pos, "%s%s", i ? ", " : "", name);
		if (!colon || strlen(name) != (size_t)(colon - text) ||
		    memcmp(name, text, (size_t)(colon - text)))
			continue;
		*format = export_formats[i];
		*path = colon + 1;
		if (**path)
			return 0;
		return err_set(err, EINVAL, "--export: the file name after %s is missing", text);
	}
	if (!colon)
		return err_set(err, EINVAL, "--export: '%.64s' is not FORMAT:FILE; formats are %s",
			       text, names);
	return err_set(err, EINVAL, "--export: unknown format '%.*s'; formats are %s",
		       colon - text < 64 ? (int)(colon - text) : 64, text, names);
}

/* --- the file --------------------------------------------------------------------------- */

struct file {
	char *temporary;
	int fd;
};

static int may_replace(const char *path, struct err *err)
{
	struct stat st;

	if (lstat(path, &st))
		return errno == ENOENT ? 0
				       : err_set(err, errno, "cannot write %s: %s", path,
						 strerror(errno));
	if (S_ISREG(st.st_mode))
		return 0;
	return err_set(err, EEXIST, "cannot write %s: it exists and is not a regular file", path);
}

static int file_create(struct file *f, const char *path, struct err *err)
{
	for (int i = 0; i < TRIES; i++) {
		if (asprintf(&f->temporary, "%s.%ld-%d.tmp", path, (long)getpid(), i) < 0) {
			f->temporary = NULL;
			return err_set(err, ENOMEM, "out of memory");
		}
		f->fd = open(f->temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			     0600);
		if (f->fd >= 0)
			return 0;
		free(f->temporary);
		f->temporary = NULL;
		if (errno != EEXIST)
			break;
	}
	return err_set(err, errno, "cannot write %s: %s", path, strerror(errno));
}

/* Sync before renaming: a file that exists after a crash of the machine has all its bytes. */
static int file_publish(struct file *f, const char *path, struct err *err)
{
	int ret = fsync(f->fd) ? errno : 0;

	if (close(f->fd) && !ret)
		ret = errno;
	f->fd = -1;
	if (!ret && rename(f->temporary, path))
		ret = errno;
	if (ret)
		return err_set(err, ret, "cannot write %s: %s", path, strerror(ret));
	free(f->temporary);
	f->temporary = NULL;
	return 0;
}

static void file_discard(struct file *f)
{
	if (f->fd >= 0)
		close(f->fd);
	if (f->temporary)
		unlink(f->temporary);
	free(f->temporary);
}

/* --- writing ---------------------------------------------------------------------------- */

static int gzip_bytes(struct out *to, const struct out *from)
{
	z_stream z = {.next_in = (Bytef *)from->data, .avail_in = (uInt)from->len};
	Bytef buf[16384];
	int ret;

	if (from->len > UINT32_MAX)
		return -EFBIG;
	if (deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) !=
	    Z_OK)
		return -ENOMEM;
	do {
		z.next_out = buf;
		z.avail_out = sizeof(buf);
		ret = deflate(&z, Z_FINISH);
		out_bytes(to, (const char *)buf, sizeof(buf) - z.avail_out);
	} while (ret == Z_OK);
	deflateEnd(&z);
	return ret == Z_STREAM_END ? to->error : -EIO;
}

static int write_plain(const struct export_format *format, const struct export_source *src, int fd)
{
	struct out o;
	int ret;

	out_init(&o, fd, -1);
	format->write(&o, src);
	ret = out_flush(&o);
	out_clear(&o);
	return ret;
}

static int write_gzip(const struct export_format *format, const struct export_source *src, int fd)
{
	struct out plain, packed;
	int ret;

	out_init(&plain, -1, -1);
	out_init(&packed, fd, -1);
	format->write(&plain, src);
	ret = plain.error ? plain.error : gzip_bytes(&packed, &plain);
	out_clear(&plain);
	if (!ret)
		ret = out_flush(&packed);
	out_clear(&packed);
	return ret;
}

int export_write(const struct export_format *format, const char *path,
		 const struct export_source *src, struct err *err)
{
	struct file f = {.fd = -1};
	int ret = may_replace(path, err);

	if (!ret)
		ret = file_create(&f, path, err);
	if (ret)
		return ret;
	ret = format->gzip ? write_gzip(format, src, f.fd) : write_plain(format, src, f.fd);
	if (ret)
		err_set(err, -ret, "cannot write %s: %s", path, strerror(-ret));
	else
		ret = file_publish(&f, path, err);
	if (ret)
		file_discard(&f);
	return ret;
}

/* --- for the formats -------------------------------------------------------------------- */

uint32_t export_string(struct out *o, struct intern *strings, const char *name)
{
	size_t max = strlen(name) * 4 + 1;
	char small[512], *text = max <= sizeof(small) ? small : malloc(max);
	uint32_t id = 0;

	if (!*name)
		return 0;
	if (text) {
		text_escape(text, max, name);
		id = intern_get(strings, text, strlen(text), 0, NULL);
	}
	if (!id && !o->error)
		o->error = -ENOMEM;
	if (text != small)
		free(text);
	return id;
}

const char *export_unit(const struct session_event *e)
{
	return e->unit && !strcmp(e->unit, "ns") ? "nanoseconds" : "count";
}

void export_loss(const struct export_source *src, unsigned event, char *text, size_t size)
{
	const struct session_event *e = &model_info(src->model)->events[event];
	struct account a;
	size_t pos;

	model_account(src->model, event, ALL_CPUS, src->window, &a);
	if (a.unknown) {
		text_append(text, size, 0,
			    "%s: it never had a counter, so its total is unknown", e->name);
		return;
	}
	pos = text_append(
		text, size, 0, "%s: counted %s%llu, attributed %llu, %s%llu (%llu samples) lost",
		e->name, a.lost[LOST_MULTIPLEXED] ? "about " : "", (unsigned long long)a.counted,
		(unsigned long long)a.attributed, a.exact ? "" : "about ",
		(unsigned long long)a.lost_all, (unsigned long long)a.lost_samples_all);
	for (int c = 0; c < LOST_CAUSES; c++)
		if (a.lost[c])
			pos = text_append(text, size, pos, ", %s %llu", lost_cause_names[c],
					  (unsigned long long)a.lost[c]);
	if (a.starved)
		text_append(text, size, pos, "; it counted %.2f%% of the time",
			    model_counter_share(&a) * 100);
}

void export_missing(const struct export_source *src, uint64_t missing, char *text, size_t size)
{
	const struct session_event *e = &model_info(src->model)->events[src->query->event];

	*text = '\0';
	if (missing)
		text_append(text, size, 0,
			    "%s: %llu more were attributed, to paths that history has "
			    "forgotten", e->name, (unsigned long long)missing);
}

#define MARK_ROOM 100 /* bytes for one mark, and for ", and N more" */

void export_marks(const struct export_source *src, char *text, size_t size)
{
	const struct mark *mark;
	size_t nr = model_marks(src->model, &mark), pos = 0, left = 0;

	*text = '\0';
	for (size_t i = 0; i < nr; i++) {
		if (mark[i].time <= src->window.from || mark[i].time > src->window.to)
			continue;
		if (pos + MARK_ROOM + 20 > size)
			left++;
		else
			pos = text_append(text, size, pos, "%s%s at %.3f s",
					  pos ? ", " : "marks: ", mark[i].name,
					  (double)mark[i].time / 1e9);
	}
	if (left)
		text_append(text, size, pos, ", and %zu more", left);
}

void export_breathe(struct out *o)
{
	if (o->fd >= 0 && o->len > BREATHE_BYTES)
		out_flush(o);
}
