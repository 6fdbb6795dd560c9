/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "link/remote/homefile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/sha256.h"
#include "base/text.h"
#include "base/units.h"
#include "base/vec.h"

#define WANTED_MOST 256u
#define NAME_MOST   160u
#define NAMES	    100u /* names tried for a file */
#define PIECE_LEAST (4u << 10)
#define PIECE_FIRST (32u << 10)
#define PIECE_MOST  (512u << 10)
#define PIECE_FAST  (NSEC_PER_SEC / 4) /* pieces grow if one takes less time */
#define PIECE_SLOW  NSEC_PER_SEC
#define LEAVE	    (64u << 20) /* bytes of the disk to leave free */

struct wanted {
	uint32_t snapshot;
	char *directory;
};

struct homefile {
	struct homefile_config c;
	struct wanted *wanted; /* in order; the first is being fetched */
	size_t nr, cap;
	uint32_t noted;        /* snapshots up to here were seen written */
	bool recorded;         /* the recording was written by the last slice */
	uint64_t recording_since;
	uint64_t last_nr;      /* of messages */

	/* The file being fetched. */
	bool asked;
	uint64_t asked_at;
	uint32_t piece;
	int dir, fd; /* -1: no piece has come yet */
	char name[NAME_MOST], temporary[NAME_MOST + 16];
	uint64_t at, total, id;
	struct sha256 sha;
};

struct homefile *homefile_create(const struct homefile_config *c)
{
	struct homefile *f = calloc(1, sizeof(*f));

	if (f) {
		f->c = *c;
		f->dir = f->fd = -1;
		f->piece = PIECE_FIRST;
	}
	return f;
}

static void report_file(struct homefile *f, enum slice_log_level level, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static void report_file(struct homefile *f, enum slice_log_level level, const char *fmt, ...)
{
	char text[1024], shown[2048];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	text_escape(shown, sizeof(shown), text);
	f->c.say(f->c.arg, level, shown);
}

/* --- files to fetch ----------------------------------------------------------------------- */

/* "snapshot 3", "the recording" */
static const char *what(const struct wanted *w, char buf[32])
{
	if (w->snapshot)
		snprintf(buf, 32, "snapshot %u", w->snapshot);
	else
		snprintf(buf, 32, "the recording");
	return buf;
}

/* Remove the first file from the queue: it is done, or has failed. */
static void drop_first(struct homefile *f)
{
	if (f->fd >= 0) {
		close(f->fd);
		/* fails harmlessly if the file has its final name */
		unlinkat(f->dir, f->temporary, 0);
	}
	if (f->dir >= 0)
		close(f->dir);
	f->dir = f->fd = -1;
	f->at = f->total = f->id = 0;
	f->asked = false;
	free(f->wanted[0].directory);
	memmove(f->wanted, f->wanted + 1, --f->nr * sizeof(*f->wanted));
}

void homefile_free(struct homefile *f)
{
	if (!f)
		return;
	while (f->nr)
		drop_first(f);
	free(f->wanted);
	free(f);
}

bool homefile_busy(const struct homefile *f)
{
	return f->nr;
}

int homefile_want(struct homefile *f, uint32_t snapshot, const char *directory, struct err *err)
{
	struct stat st;
	char *copy;

	for (size_t i = 0; i < f->nr; i++)
		if (f->wanted[i].snapshot == snapshot && !strcmp(f->wanted[i].directory, directory))
			return err_set(err, EALREADY, "it is being fetched");
	if (f->nr >= WANTED_MOST)
		return err_set(err, EBUSY, "%u files are being fetched already", WANTED_MOST);
	if (stat(directory, &st))
		return err_set(err, errno, "%.400s: %s", directory, strerror(errno));
	if (!S_ISDIR(st.st_mode))
		return err_set(err, ENOTDIR, "%.400s is not a directory", directory);
	copy = strdup(directory);
	if (copy && VEC_PUSH(f->wanted, f->nr, f->cap, (struct wanted){snapshot, copy}))
		return 0;
	free(copy);
	return err_room(err, ENOMEM, "fetching a file");
}

static void want_all(struct homefile *f, uint32_t snapshot)
{
	struct wanted w = {.snapshot = snapshot};
	struct err err;
	char buf[32];

	if (homefile_want(f, snapshot, f->c.all, &err))
		report_file(f, SLICE_WARNING, "%s is not fetched: %s", what(&w, buf), err.text);
}

void homefile_note(struct homefile *f, const struct slice *s)
{
	bool recorded = s->recording.state == RECORDING_DONE;

	if (!f->c.all)
		return;
	for (size_t i = 0; i < s->nsnapshots; i++)
		if (s->snapshots[i].state == SNAPSHOT_WRITTEN && s->snapshots[i].nr > f->noted) {
			f->noted = s->snapshots[i].nr;
			want_all(f, f->noted);
		}
	if (recorded && (!f->recorded || s->recording.since != f->recording_since))
		want_all(f, 0);
	f->recorded = recorded;
	f->recording_since = s->recording.since;
}

/* Report why the file is not fetched, and drop it. */
static void give_up_file(struct homefile *f, const char *why)
{
	char buf[32];

	report_file(f, SLICE_WARNING, "%s is not fetched: %s", what(&f->wanted[0], buf), why);
	drop_first(f);
}

void homefile_cut(struct homefile *f)
{
	f->asked = false;
	f->piece = PIECE_FIRST;
}

void homefile_gone(struct homefile *f, const char *why)
{
	while (f->nr)
		give_up_file(f, why);
}

/* --- names -------------------------------------------------------------------------------- */

/* Make HOST-snapshot-3-20261123-020000, of plain characters, whatever the host's name. */
static void base_name(const struct homefile *f, char name[NAME_MOST - 16])
{
	time_t now = time(NULL);
	char host[65], when[32];
	struct tm tm;
	size_t i;

	for (i = 0; f->c.host[i] && i < sizeof(host) - 1; i++) {
		char c = f->c.host[i];
		bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
			     (c >= '0' && c <= '9') || c == '@' ||
			     (i && (c == '.' || c == '-' || c == '_'));

		host[i] = plain ? c : '_';
	}
	host[i] = '\0';
	if (!localtime_r(&now, &tm) || !strftime(when, sizeof(when), "%Y%m%d-%H%M%S", &tm))
		snprintf(when, sizeof(when), "%lld", (long long)now);
	if (f->wanted[0].snapshot)
		snprintf(name, NAME_MOST - 16, "%s-snapshot-%u-%s", host, f->wanted[0].snapshot,
			 when);
	else
		snprintf(name, NAME_MOST - 16, "%s-recording-%s", host, when);
}

static int create_part_file(struct homefile *f, struct err *err)
{
	char base[NAME_MOST - 16];

	base_name(f, base);
	for (unsigned i = 1; i < NAMES; i++) {
		if (i == 1)
			snprintf(f->name, sizeof(f->name), "%s.data", base);
		else
			snprintf(f->name, sizeof(f->name), "%s.%u.data", base, i);
		snprintf(f->temporary, sizeof(f->temporary), ".%s.part", f->name);
		f->fd = openat(f->dir, f->temporary,
			       O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
		if (f->fd >= 0 || errno != EEXIST)
			break;
	}
	return f->fd >= 0 ? 0
			  : err_set(err, errno, "cannot write %.400s: %s", f->temporary,
				    strerror(errno));
}

/* Give the file its final name, with a number if the name is taken. */
static int link_final_name(struct homefile *f, struct err *err)
{
	size_t len = strlen(f->name) - strlen(".data");
	int ret = -1;

	for (unsigned i = 2; i < NAMES; i++) {
		ret = linkat(f->dir, f->temporary, f->dir, f->name, 0);
		if (!ret || errno != EEXIST)
			break;
		snprintf(f->name + len, sizeof(f->name) - len, ".%u.data", i);
	}
	/* Some file systems have no links. */
	if (ret && errno != EEXIST)
		ret = renameat2(f->dir, f->temporary, f->dir, f->name, RENAME_NOREPLACE);
	return ret ? err_set(err, errno, "cannot rename %s: %s", f->name, strerror(errno))
		   : 0;
}

/* --- pieces ------------------------------------------------------------------------------- */

bool homefile_ask(struct homefile *f, uint64_t now, struct message_file_ask *ask)
{
	if (!f->nr || f->asked)
		return false;
	f->asked = true;
	f->asked_at = now;
	*ask = (struct message_file_ask){.nr = ++f->last_nr,
					 .snapshot = f->wanted[0].snapshot,
					 .offset = f->at,
					 .length = f->piece,
					 .id = f->id};
	return true;
}

static int check_room(struct homefile *f, struct err *err)
{
	char want[UNITS_LEN], have[UNITS_LEN];
	struct statvfs st;
	uint64_t left;

	if (fstatvfs(f->fd, &st) || !st.f_blocks)
		return 0; /* not known: a full disk shows when it is written to */
	left = (uint64_t)st.f_bavail * st.f_frsize;
	if (left > LEAVE && f->total <= left - LEAVE)
		return 0;
	return err_set(err, ENOSPC, "no space for it in %.300s: %s needed, %s free",
		       f->wanted[0].directory, units_bytes(want, (double)f->total),
		       units_bytes(have, (double)left));
}

static int begin_fetched_file(struct homefile *f, const struct message_file_part *p,
			      struct err *err)
{
	int ret;

	f->dir = open(f->wanted[0].directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (f->dir < 0)
		return err_set(err, errno, "%.400s: %s", f->wanted[0].directory, strerror(errno));
	ret = create_part_file(f, err);
	if (ret)
		return ret;
	f->total = p->total;
	f->id = p->id;
	sha256_init(&f->sha);
	return check_room(f, err);
}

static int append_piece(struct homefile *f, const struct message_file_part *p, struct err *err)
{
	for (size_t done = 0; done < p->nbytes;) {
		ssize_t n = pwrite(f->fd, p->bytes + done, p->nbytes - done, (off_t)(f->at + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return err_set(err, n ? errno : EIO, "cannot write %s: %s", f->temporary,
				       strerror(n ? errno : EIO));
		done += (size_t)n;
	}
	sha256_add(&f->sha, p->bytes, p->nbytes);
	f->at += p->nbytes;
	return 0;
}

/* Check the complete file, and give it its name. */
static int finish_fetched_file(struct homefile *f, const struct message_file_part *p,
			       struct err *err)
{
	uint8_t digest[SHA256_BYTES];
	int ret;

	sha256_end(&f->sha, digest);
	if (memcmp(digest, p->sha256, sizeof(digest)) != 0)
		return err_set(err, EBADMSG,
			       "the file was changed in transfer: its SHA-256 differs");
	if (fsync(f->fd))
		return err_set(err, errno, "cannot write %s: %s", f->temporary, strerror(errno));
	ret = link_final_name(f, err);
	if (!ret && fsync(f->dir))
		report_file(f, SLICE_WARNING, "the directory of %s cannot be synced", f->name);
	return ret;
}

static bool piece_right(const struct homefile *f, const struct message_file_part *p)
{
	return p->offset == f->at && p->nbytes <= f->piece &&
	       (f->fd < 0 || (p->total == f->total && p->id == f->id)) && p->total <= INT64_MAX &&
	       p->nbytes <= p->total - p->offset &&
	       p->last == (p->offset + p->nbytes == p->total) && (p->nbytes || p->last);
}

static int take_piece(struct homefile *f, const struct message_file_part *p, struct err *err)
{
	int ret = 0;

	if (p->err.code)
		return err_set(err, p->err.code, "%s", p->err.text);
	if (!piece_right(f, p))
		return err_set(err, EPROTO, "the host sent another piece than requested");
	if (f->fd < 0)
		ret = begin_fetched_file(f, p, err);
	if (!ret)
		ret = append_piece(f, p, err);
	return ret || !p->last ? ret : finish_fetched_file(f, p, err);
}

static void pace(struct homefile *f, uint64_t took)
{
	if (took < PIECE_FAST && f->piece < PIECE_MOST)
		f->piece *= 2;
	else if (took > PIECE_SLOW && f->piece > PIECE_LEAST)
		f->piece /= 2;
}

int homefile_take(struct homefile *f, uint64_t now, const struct message_file_part *part,
		  struct err *err)
{
	char size[UNITS_LEN], buf[32];
	struct err why;

	if (!f->nr || !f->asked || part->nr != f->last_nr)
		return err_set(err, EPROTO, "it sends a file that was not requested");
	f->asked = false;
	if (take_piece(f, part, &why)) {
		give_up_file(f, why.text);
		return 0;
	}
	pace(f, now - f->asked_at);
	if (!part->last)
		return 0;
	report_file(f, SLICE_INFO, "%s is here: %s/%s, %s", what(&f->wanted[0], buf),
		    f->wanted[0].directory, f->name, units_bytes(size, (double)f->total));
	drop_first(f);
	return 0;
}
