/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "link/timeline/timering.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/vec.h"

/* ringtop-20261124T031500.123456Z.tl: each 0 stands for a digit. */
static const char pattern[] = TIMERING_PREFIX "00000000T000000.000000Z" TIMERING_SUFFIX;

static bool is_one(const char *name)
{
	if (strlen(name) != sizeof(pattern) - 1)
		return false;
	for (size_t i = 0; pattern[i]; i++)
		if (pattern[i] == '0' ? name[i] < '0' || name[i] > '9' : name[i] != pattern[i])
			return false;
	return true;
}

static int file_compare(const void *a, const void *b)
{
	const struct timering_file *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static int add_ring_file(int fd, const char *name, struct timering_file **files, size_t *nr,
			 size_t *cap)
{
	struct timering_file *f;
	struct stat st;

	/* Skip files that are gone, and entries that are no files. */
	if (!is_one(name) || fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode))
		return 0;
	f = VEC_ADD(*files, *nr, *cap);
	if (!f)
		return -ENOMEM;
	*f = (struct timering_file){.bytes = (uint64_t)st.st_size,
				    .written_ns = (uint64_t)st.st_mtim.tv_sec * NSEC_PER_SEC +
						  (uint64_t)st.st_mtim.tv_nsec};
	strcpy(f->name, name);
	return 0;
}

int timering_list(const char *dir, struct timering_file **files, size_t *nr)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	size_t cap = 0;
	int ret = d ? 0 : -errno;

	*files = NULL;
	*nr = 0;
	while (!ret && (errno = 0, e = readdir(d)))
		ret = add_ring_file(dirfd(d), e->d_name, files, nr, &cap);
	if (!ret)
		ret = -errno;
	if (d)
		closedir(d);
	if (!ret && *nr)
		qsort(*files, *nr, sizeof(**files), file_compare);
	if (ret) {
		free(*files);
		*files = NULL;
		*nr = 0;
	}
	return ret;
}

bool timering_is_full(const struct timering_config *c, uint64_t bytes, uint64_t age_ns)
{
	return bytes >= c->bytes / TIMERING_PARTS || age_ns >= c->keep_ns / TIMERING_PARTS;
}

/* Return the index of the oldest file to keep, by time, and with room for another file. */
static size_t first_kept(const struct timering_config *c, const struct timering_file *files,
			 size_t nr, uint64_t now)
{
	uint64_t bytes = 0, room = c->bytes - c->bytes / TIMERING_PARTS;
	size_t i = nr;

	for (; i && nr - i < TIMERING_FILES - 1; i--) {
		const struct timering_file *f = &files[i - 1];

		bytes += f->bytes;
		if (bytes > room || (now > c->keep_ns && f->written_ns < now - c->keep_ns))
			break;
	}
	return i;
}

static int remove_old_files(const struct timering_config *c, uint64_t now, struct err *err)
{
	struct timering_file *files;
	size_t nr;
	int ret = timering_list(c->dir, &files, &nr);

	if (ret)
		return err_set(err, -ret, "cannot read the directory %.300s: %s", c->dir,
			       strerror(-ret));
	nr = first_kept(c, files, nr, now);
	for (size_t i = 0; i < nr && !ret; i++) {
		char path[PATH_MAX];

		if (snprintf(path, sizeof(path), "%s/%s", c->dir, files[i].name) >=
		    (int)sizeof(path))
			ret = err_set(err, ENAMETOOLONG, "the name of the directory is too long");
		else if (unlink(path) && errno != ENOENT)
			ret = err_set(err, errno, "cannot remove %.300s: %s", path,
				      strerror(errno));
	}
	free(files);
	return ret;
}

int timering_next(const struct timering_config *c, uint64_t now_wall, char path[PATH_MAX],
		  struct err *err)
{
	time_t seconds = (time_t)(now_wall / NSEC_PER_SEC);
	char day[32];
	struct tm tm;
	int ret;

	if (mkdir(c->dir, 0700) && errno != EEXIST)
		return err_set(err, errno, "cannot create the directory %.300s: %s", c->dir,
			       strerror(errno));
	ret = remove_old_files(c, now_wall, err);
	if (ret)
		return ret;
	gmtime_r(&seconds, &tm);
	strftime(day, sizeof(day), "%Y%m%dT%H%M%S", &tm);
	if (snprintf(path, PATH_MAX, "%s/" TIMERING_PREFIX "%s.%06uZ" TIMERING_SUFFIX, c->dir, day,
		     (unsigned)(now_wall % NSEC_PER_SEC / 1000)) >= PATH_MAX)
		return err_set(err, ENAMETOOLONG, "the name of the directory is too long");
	return 0;
}
