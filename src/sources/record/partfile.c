/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sources/record/partfile.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/log.h"
#include "base/units.h"

#define CLAIM      (16u << 20) /* space claimed at a time */
#define TAIL       (1u << 20)  /* part of it kept for the end of the file */
#define LEAVE_MOST (64u << 20) /* left to other programs; a sixteenth of a small disk */
#define NAMES      100         /* temporary names tried */

/* --- space -------------------------------------------------------------------------------- */

/* Return the free bytes of the file system; UINT64_MAX: not known. */
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

/* Allocate room for `len` bytes at pos, and for the file's end. 0 or -errno. */
static int claim(struct partfile *pf, uint64_t len)
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

/* --- beginning ---------------------------------------------------------------------------- */

static int open_temporary_name(struct partfile *pf, struct err *err)
{
	for (int i = 0; i < NAMES; i++) {
		int n = snprintf(pf->temporary, sizeof(pf->temporary), "%s.%d-%d.part", pf->path,
				 getpid(), i);

		if (n < 0 || (size_t)n >= sizeof(pf->temporary))
			return err_set(err, ENAMETOOLONG, "the name of the recording is too long");
		pf->fd = open(pf->temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
			      0600);
		if (pf->fd >= 0)
			return 0;
		if (errno != EEXIST)
			break;
	}
	return err_set(err, errno, "cannot write %.400s: %s", pf->temporary, strerror(errno));
}

static int check_space(struct partfile *pf, uint64_t bytes, struct err *err)
{
	char want[UNITS_LEN], left[UNITS_LEN];
	int ret = claim(pf, bytes);

	if (!ret)
		return 0;
	err_set(err, -ret, "no space to write %.300s: %s (%s needed, %s available)", pf->path,
		strerror(-ret), units_bytes(want, (double)(bytes + TAIL)),
		units_bytes(left, (double)space_left(pf->fd)));
	return err_advise(err, "write it elsewhere: a part of the disk is kept free");
}

static int check_path(struct partfile *pf, const char *path, struct err *err)
{
	struct stat st;

	if (!strcmp(path, "-"))
		return err_set(err, EINVAL,
			       "a recording needs a regular file: it is not written sequentially");
	if (strlen(path) >= sizeof(pf->path))
		return err_set(err, ENAMETOOLONG, "the name of the recording is too long");
	strcpy(pf->path, path);
	if (!stat(path, &st) && !S_ISREG(st.st_mode))
		return err_set(err, EINVAL, "%.400s already exists and is not a regular file",
			       path);
	return 0;
}

int partfile_open(struct partfile *pf, const char *path, uint64_t bytes, struct err *err)
{
	int ret;

	*pf = (struct partfile){.fd = -1};
	ret = check_path(pf, path, err);
	if (!ret)
		ret = open_temporary_name(pf, err);
	return ret ? ret : check_space(pf, bytes, err);
}

void partfile_close(struct partfile *pf)
{
	if (pf->fd < 0)
		return;
	if (!pf->finished)
		unlink(pf->temporary);
	close(pf->fd);
	pf->fd = -1;
}

/* --- writing ------------------------------------------------------------------------------ */

/* Write the parts in order from *pos on, which moves on; iov is consumed. 0 or -errno. */
static int write_parts(int fd, struct iovec *iov, unsigned nr, uint64_t *pos)
{
	while (nr) {
		ssize_t n = 0;

		if (iov->iov_len) {
			n = pwritev(fd, iov, (int)nr, (off_t)*pos);
			if (n < 0 && errno == EINTR)
				continue;
			if (n <= 0)
				return n ? -errno : -EIO;
			*pos += (uint64_t)n;
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

int partfile_append(struct partfile *pf, struct iovec *parts, unsigned nr)
{
	uint64_t len = 0;
	int ret;

	for (unsigned i = 0; i < nr; i++)
		len += parts[i].iov_len;
	ret = claim(pf, len);
	return ret ? ret : write_parts(pf->fd, parts, nr, &pf->pos);
}

int partfile_append_kept(struct partfile *pf, struct iovec part)
{
	if (pf->pos + part.iov_len > pf->claimed - TAIL / 2)
		return -ENOSPC;
	return write_parts(pf->fd, &part, 1, &pf->pos);
}

/* --- the end ------------------------------------------------------------------------------ */

/* Sync the directory: afterwards the file's name is on the disk, too. */
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

static int rename_to_path(struct partfile *pf)
{
	char old[PATH_MAX + 8];
	struct stat st;

	snprintf(old, sizeof(old), "%s.old", pf->path);
	if (!lstat(pf->path, &st) && rename(pf->path, old))
		return -errno;
	if (rename(pf->temporary, pf->path))
		return -errno;
	sync_directory(pf->path);
	return 0;
}

static int finish_part(struct partfile *pf, struct iovec tail, struct iovec head)
{
	uint64_t start = 0;
	int ret = write_parts(pf->fd, &tail, 1, &pf->pos);

	if (!ret)
		ret = write_parts(pf->fd, &head, 1, &start);
	if (!ret && (ftruncate(pf->fd, (off_t)pf->pos) || fsync(pf->fd)))
		ret = -errno;
	return ret ? ret : rename_to_path(pf);
}

int partfile_keep(struct partfile *pf, int why, struct err *err)
{
	pf->finished = true;
	return err_set(err, -why, "cannot finish %.200s: %s; the unfinished file is %.250s",
		       pf->path, strerror(-why), pf->temporary);
}

int partfile_finish(struct partfile *pf, struct iovec tail, struct iovec head, struct err *err)
{
	int ret = finish_part(pf, tail, head);

	pf->finished = true;
	return ret ? partfile_keep(pf, ret, err) : 0;
}
