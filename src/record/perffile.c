/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/perffile.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/log.h"
#include "base/units.h"
#include "base/vec.h"

#define STAGING    (1u << 20)
#define CLAIM      (16u << 20) /* space claimed at a time */
#define TAIL       (1u << 20)  /* of it kept for the end of the file */
#define LEAVE_MOST (64u << 20) /* left to others; of a small disk a sixteenth */
#define NAMES      100         /* temporary names tried */

struct perffile {
	char path[PATH_MAX], temporary[PATH_MAX];
	int fd;
	bool finished;
	int error;          /* of the first write that failed, -errno */
	uint64_t pos;       /* bytes in the file */
	uint64_t claimed;   /* bytes of it that are sure to have room */
	bool cannot_claim;  /* this file system has no way to */
	uint64_t data;      /* where records begin */
	struct perfwrite_section events; /* as written by perffile_begin */
	size_t nids;
	char *staging;
	size_t staged;
	uint64_t dropped;   /* samples that were given and could not be written */
	struct perfwrite features[PERFWRITE_FEATURES];
	struct perfwrite_section *aux; /* AUXTRACE records: their place and size, without the trace */
	size_t naux, cap_aux;
};

/* --- space -------------------------------------------------------------------------------- */

/* What may still be used of the file system; UINT64_MAX: it does not say. */
static uint64_t space_left(int fd)
{
	struct statvfs st;
	uint64_t leave, all, free;

	if (fstatvfs(fd, &st) || !st.f_blocks)
		return UINT64_MAX;
	all = (uint64_t)st.f_blocks * st.f_frsize;
	free = (uint64_t)st.f_bavail * st.f_frsize;
	leave = all / 16 < LEAVE_MOST ? all / 16 : LEAVE_MOST;
	return free > leave ? free - leave : 0;
}

/* Room for `len` bytes at pos, and for the file's end.  0 or -errno. */
static int claim(struct perffile *pf, uint64_t len)
{
	uint64_t need = pf->pos + len + TAIL, more, left;

	if (need <= pf->claimed)
		return 0;
	left = space_left(pf->fd);
	more = need - pf->claimed;
	if (left < more)
		return -ENOSPC;
	more = more < CLAIM && left >= CLAIM ? CLAIM : more;
	if (!pf->cannot_claim &&
	    fallocate(pf->fd, FALLOC_FL_KEEP_SIZE, (off_t)pf->claimed, (off_t)more)) {
		if (errno != EOPNOTSUPP && errno != ENOSYS && errno != EINVAL)
			return -errno;
		pf->cannot_claim = true;
	}
	pf->claimed += more;
	return 0;
}

/* --- writing ------------------------------------------------------------------------------ */

static int write_at(int fd, const char *bytes, size_t len, uint64_t pos, size_t *done)
{
	*done = 0;
	while (*done < len) {
		ssize_t n = pwrite(fd, bytes + *done, len - *done, (off_t)(pos + *done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EIO;
		*done += (size_t)n;
	}
	return 0;
}

/* How much of the first `done` of these bytes is whole records, and how many are samples. */
static size_t whole_records(const char *bytes, size_t done, uint64_t *samples)
{
	struct perf_event_header h;
	size_t at = 0;

	*samples = 0;

	while (done - at >= sizeof(h)) {
		memcpy(&h, bytes + at, sizeof(h));
		if (h.size < sizeof(h) || h.size > done - at)
			break;
		*samples += h.type == PERF_RECORD_SAMPLE;
		at += h.size;
	}
	return at;
}

int perffile_flush(struct perffile *pf)
{
	uint64_t kept, staged;
	size_t done = 0;
	int ret = pf->error;

	if (!ret && pf->staged) {
		ret = claim(pf, pf->staged);
		if (!ret)
			ret = write_at(pf->fd, pf->staging, pf->staged, pf->pos, &done);
		if (ret) {
			whole_records(pf->staging, pf->staged, &staged);
			done = whole_records(pf->staging, done, &kept);
			pf->dropped += staged - kept;
		}
		pf->pos += done;
		pf->staged = 0;
		pf->error = ret;
	}
	return ret;
}

/* Not by way of the staging, which is empty.  All or nothing. */
static int write_whole(struct perffile *pf, const void *bytes, size_t len)
{
	size_t done;
	int ret = claim(pf, len);

	if (!ret)
		ret = write_at(pf->fd, bytes, len, pf->pos, &done);
	if (!ret)
		pf->pos += len;
	return ret;
}

int perffile_records(struct perffile *pf, const void *bytes, size_t len)
{
	const char *at = bytes;
	uint64_t samples;

	while (len && !pf->error) {
		size_t n = len < STAGING ? len : whole_records(at, STAGING, &samples);

		if (!n)
			pf->error = -EBADMSG; /* no records */
		if (!n || (pf->staged + n > STAGING && perffile_flush(pf)))
			break;
		memcpy(pf->staging + pf->staged, at, n);
		pf->staged += n;
		at += n;
		len -= n;
	}
	if (len) {
		whole_records(at, len, &samples);
		pf->dropped += samples;
	}
	return pf->error;
}

int perffile_needed(struct perffile *pf, const void *bytes, size_t len)
{
	size_t done;
	int ret = perffile_flush(pf);

	/* Not collected with others, which may turn out not to fit. */
	if (!ret)
		ret = pf->error = write_whole(pf, bytes, len);
	if (ret != -ENOSPC)
		return ret;
	if (pf->pos + len > pf->claimed - TAIL / 2)
		return -ENOSPC;
	ret = write_at(pf->fd, bytes, len, pf->pos, &done);
	if (!ret)
		pf->pos += len;
	return ret;
}

static int note_aux(struct perffile *pf, uint64_t offset, uint64_t size)
{
	if (!vec_reserve(&pf->aux, &pf->cap_aux, pf->naux + 1, sizeof(*pf->aux)))
		return -ENOMEM;
	pf->aux[pf->naux++] = (struct perfwrite_section){offset, size};
	return 0;
}

/* One after the other from pos on, and pos behind them; iov is used up.  0 or -errno. */
static int write_parts(struct perffile *pf, struct iovec *iov, unsigned nr)
{
	while (nr) {
		ssize_t n = 0;

		if (iov->iov_len) {
			n = pwritev(pf->fd, iov, (int)nr, (off_t)pf->pos);
			if (n < 0 && errno == EINTR)
				continue;
			if (n <= 0)
				return n ? -errno : -EIO;
			pf->pos += (uint64_t)n;
		}
		while (nr && (size_t)n >= iov->iov_len) {
			n -= (ssize_t)iov->iov_len;
			iov++;
			nr--;
		}
		if (nr) {
			iov->iov_base = (char *)iov->iov_base + n;
			iov->iov_len -= (size_t)n;
		}
	}
	return 0;
}

int perffile_auxtrace(struct perffile *pf, const struct perfwrite_auxtrace *a,
		      const struct iovec *parts, unsigned nr)
{
	static char zeros[8];
	struct iovec iov[PERFFILE_PARTS + 2];
	struct perfwrite w = {.failed = false};
	uint64_t before;
	int ret = perffile_flush(pf);

	if (ret)
		return ret;
	before = pf->pos;
	perfwrite_auxtrace(&w, a);
	iov[0] = (struct iovec){w.data, w.len};
	memcpy(iov + 1, parts, nr * sizeof(*iov));
	iov[nr + 1] = (struct iovec){zeros, perfwrite_padding(a->size)};
	ret = w.failed ? -ENOMEM : claim(pf, w.len + a->size + sizeof(zeros));
	if (!ret)
		ret = write_parts(pf, iov, nr + 2);
	if (!ret)
		ret = note_aux(pf, before, PERFWRITE_AUXTRACE_RECORD);
	perfwrite_clear(&w);
	if (ret)
		pf->pos = before;
	pf->error = ret;
	return ret;
}

/* --- beginning ---------------------------------------------------------------------------- */

static int open_temporary(struct perffile *pf, struct err *err)
{
	for (int i = 0; i < NAMES; i++) {
		int n = snprintf(pf->temporary, sizeof(pf->temporary), "%s.%d-%d.part", pf->path,
				 getpid(), i);

		if (n < 0 || (size_t)n >= sizeof(pf->temporary))
			return err_set(err, ENAMETOOLONG, "the name of the recording is too long");
		pf->fd = open(pf->temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
		if (pf->fd >= 0)
			return 0;
		if (errno != EEXIST)
			break;
	}
	return err_set(err, errno, "cannot write %.400s: %s", pf->temporary, strerror(errno));
}

static int check_space(struct perffile *pf, struct err *err)
{
	char left[UNITS_LEN];
	int ret = claim(pf, 0);

	if (!ret)
		return 0;
	err_set(err, -ret, "no room to record to %.300s: %s", pf->path, strerror(-ret));
	if (ret == -ENOSPC)
		err_advise(err, "%s are free for it, and a part is left to others: record elsewhere",
			   units_bytes(left, (double)space_left(pf->fd)));
	return ret;
}

int perffile_expect(struct perffile *pf, uint64_t bytes, struct err *err)
{
	char want[UNITS_LEN], left[UNITS_LEN];
	int ret = claim(pf, bytes);

	if (ret == -ENOSPC)
		return err_set(err, ENOSPC, "no room: %s needed, %s free for it (a part is left to others)",
			       units_bytes(want, (double)bytes),
			       units_bytes(left, (double)space_left(pf->fd)));
	return ret ? err_set(err, -ret, "no room for %s: %s", units_bytes(want, (double)bytes),
			     strerror(-ret)) : 0;
}

static int check_path(struct perffile *pf, const char *path, struct err *err)
{
	struct stat st;

	if (!strcmp(path, "-"))
		return err_set(err, EINVAL, "a recording needs a file: it is written in two places");
	if (strlen(path) >= sizeof(pf->path))
		return err_set(err, ENAMETOOLONG, "the name of the recording is too long");
	strcpy(pf->path, path);
	if (!stat(path, &st) && !S_ISREG(st.st_mode))
		return err_set(err, EINVAL, "%.400s is there already, and is no file", path);
	return 0;
}

struct perffile *perffile_create(const char *path, struct err *err)
{
	struct perffile *pf = calloc(1, sizeof(*pf));

	if (pf)
		pf->fd = -1;
	if (!pf || !(pf->staging = malloc(STAGING)))
		err_set(err, ENOMEM, "out of memory");
	else if (!check_path(pf, path, err) && !open_temporary(pf, err) && !check_space(pf, err))
		return pf;
	perffile_free(pf);
	return NULL;
}

void perffile_free(struct perffile *pf)
{
	if (!pf)
		return;
	if (pf->fd >= 0) {
		if (!pf->finished)
			unlink(pf->temporary);
		close(pf->fd);
	}
	for (size_t i = 0; i < PERFWRITE_FEATURES; i++)
		perfwrite_clear(&pf->features[i]);
	free(pf->aux);
	free(pf->staging);
	free(pf);
}

void perffile_discard(struct perffile *pf)
{
	if (pf && pf->fd >= 0)
		unlink(pf->temporary); /* where it has its own name by now, there is none of this */
	perffile_free(pf);
}

static size_t count_ids(const struct perfwrite_event *events, unsigned nr)
{
	size_t n = 0;

	for (unsigned i = 0; i < nr; i++)
		n += events[i].nids;
	return n;
}

int perffile_begin(struct perffile *pf, const struct perfwrite_event *events, unsigned nr)
{
	struct perfwrite head = {.failed = false}, body = {.failed = false};
	int ret = -ENOMEM;

	perfwrite_events(&body, PERFWRITE_HEADER, events, nr, &pf->events);
	pf->data = PERFWRITE_HEADER + body.len;
	pf->nids = count_ids(events, nr);
	perfwrite_header(&head, nr, pf->events, (struct perfwrite_section){pf->data, 0}, 0);
	perfwrite_bytes(&head, body.data, body.len);
	if (!head.failed && !body.failed)
		ret = write_whole(pf, head.data, head.len);
	perfwrite_clear(&head);
	perfwrite_clear(&body);
	pf->error = ret;
	return ret;
}

/* --- the end ------------------------------------------------------------------------------ */

struct perfwrite *perffile_feature(struct perffile *pf, enum perfwrite_feature feature)
{
	return &pf->features[feature];
}

/* The AUXTRACE records are found without reading all that is before them. */
static void index_aux(struct perffile *pf)
{
	struct perfwrite *w = &pf->features[PERFWRITE_AUXTRACE];

	if (!pf->naux)
		return;
	perfwrite_u64(w, pf->naux);
	perfwrite_bytes(w, pf->aux, pf->naux * sizeof(*pf->aux));
}

/* A feature that memory did not last for is left out.  Returns the set of those that are in. */
static uint64_t put_features(const struct perffile *pf, struct perfwrite *tail)
{
	uint64_t set = 0, at = pf->pos;

	for (unsigned i = 0; i < PERFWRITE_FEATURES; i++)
		if (pf->features[i].len && !pf->features[i].failed)
			set |= 1ull << i;
	at += (uint64_t)__builtin_popcountll(set) * sizeof(struct perfwrite_section);
	for (uint64_t bits = set; bits; bits &= bits - 1) {
		const struct perfwrite *f = &pf->features[__builtin_ctzll(bits)];

		perfwrite_u64(tail, at);
		perfwrite_u64(tail, f->len);
		at += f->len;
	}
	for (uint64_t bits = set; bits; bits &= bits - 1) {
		const struct perfwrite *f = &pf->features[__builtin_ctzll(bits)];

		perfwrite_bytes(tail, f->data, f->len);
	}
	return set;
}

/* All that follows the records, and the header that knows where it is. */
static int write_tail(struct perffile *pf, const struct perfwrite_event *events, unsigned nr)
{
	struct perfwrite tail = {.failed = false}, head = {.failed = false};
	struct perfwrite_section data = {pf->data, pf->pos - pf->data};
	uint64_t features;
	size_t done;
	int ret = -ENOMEM;

	index_aux(pf);
	features = put_features(pf, &tail);
	/* Counters that were opened meanwhile: the descriptions are said again, with their ids. */
	if (count_ids(events, nr) != pf->nids)
		perfwrite_events(&tail, pf->pos + tail.len, events, nr, &pf->events);
	perfwrite_header(&head, nr, pf->events, data, features);
	if (!tail.failed && !head.failed)
		ret = write_at(pf->fd, tail.data, tail.len, pf->pos, &done);
	if (!ret)
		ret = write_at(pf->fd, head.data, head.len, 0, &done);
	if (!ret && ftruncate(pf->fd, (off_t)(pf->pos + tail.len)))
		ret = -errno;
	pf->pos += tail.len;
	perfwrite_clear(&tail);
	perfwrite_clear(&head);
	return ret;
}

/* Its own name is on the disk, too, once this returns. */
static void sync_directory(const char *path)
{
	char copy[PATH_MAX];
	int fd;

	strcpy(copy, path);
	fd = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || fsync(fd))
		log_msg(LOG_SESSION, "the directory of %s cannot be synced", path);
	if (fd >= 0)
		close(fd);
}

static int give_name(struct perffile *pf)
{
	char old[PATH_MAX + 8];
	struct stat st;

	snprintf(old, sizeof(old), "%s.old", pf->path);
	if (!lstat(pf->path, &st) && rename(pf->path, old))
		return -errno;
	if (rename(pf->temporary, pf->path))
		return -errno;
	pf->finished = true;
	sync_directory(pf->path);
	return 0;
}

int perffile_finish(struct perffile *pf, const struct perfwrite_event *events, unsigned nr,
		    struct err *err)
{
	int ret;

	perffile_flush(pf); /* what does not fit is told by whoever gave it */
	ret = write_tail(pf, events, nr);
	if (!ret && fsync(pf->fd))
		ret = -errno;
	if (!ret)
		ret = give_name(pf);
	if (!ret)
		return 0;
	pf->finished = true; /* keep what there is */
	return err_set(err, -ret, "cannot finish %.200s: %s; what there is of it is %.250s", pf->path,
		       strerror(-ret), pf->temporary);
}

int perffile_failed(const struct perffile *pf)
{
	return pf->error;
}

uint64_t perffile_dropped(const struct perffile *pf)
{
	return pf->dropped;
}

uint64_t perffile_bytes(const struct perffile *pf)
{
	return pf->pos + pf->staged;
}

const char *perffile_path(const struct perffile *pf)
{
	return pf->path;
}
