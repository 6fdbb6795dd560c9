/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The file requested last stays open, and its checksum grows with the pieces sent: a piece that is
 * sent again, after a lost connection, is not added twice.
 */
#include "link/agent/agentfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/sha256.h"
#include "base/vec.h"

struct written {
	uint32_t snapshot; /* 0: the recording */
	char *path;
};

struct agentfile {
	struct written *list;
	size_t nr, cap;
	uint32_t open; /* snapshot whose file fd is */
	int fd;
	uint64_t total, id;
	uint64_t hashed; /* bytes of the file that `sha` covers */
	struct sha256 sha;
	uint8_t digest[SHA256_BYTES];
};

struct agentfile *agentfile_create(void)
{
	struct agentfile *a = calloc(1, sizeof(*a));

	if (a)
		a->fd = -1;
	return a;
}

static void close_file(struct agentfile *a)
{
	if (a->fd >= 0)
		close(a->fd);
	a->fd = -1;
}

void agentfile_free(struct agentfile *a)
{
	if (!a)
		return;
	close_file(a);
	for (size_t i = 0; i < a->nr; i++)
		free(a->list[i].path);
	free(a->list);
	free(a);
}

/* --- known files -------------------------------------------------------------------------- */

static struct written *find_written(const struct agentfile *a, uint32_t snapshot)
{
	for (size_t i = 0; i < a->nr; i++)
		if (a->list[i].snapshot == snapshot)
			return &a->list[i];
	return NULL;
}

/* A file that finds no memory here cannot be fetched: requests get ENOENT. */
static void remember_written(struct agentfile *a, uint32_t snapshot, const char *path)
{
	struct written *w = find_written(a, snapshot);
	char *copy;

	if (w && !strcmp(w->path, path))
		return;
	copy = strdup(path);
	if (!copy || (!w && !(w = VEC_ADD(a->list, a->nr, a->cap)))) {
		free(copy);
		return;
	}
	free(w->path);
	*w = (struct written){snapshot, copy};
	if (a->open == snapshot)
		close_file(a);
}

void agentfile_note(struct agentfile *a, const struct slice *s)
{
	for (size_t i = 0; i < s->nsnapshots; i++)
		if (s->snapshots[i].state == SNAPSHOT_WRITTEN && s->snapshots[i].file)
			remember_written(a, s->snapshots[i].nr, s->snapshots[i].file);
	if (s->recording.state == RECORDING_DONE)
		remember_written(a, 0, s->recording.file);
}

/* --- pieces ------------------------------------------------------------------------------- */

static int open_written(struct agentfile *a, uint32_t snapshot, struct err *err)
{
	const struct written *w = find_written(a, snapshot);
	struct stat st;

	if (a->fd >= 0 && a->open == snapshot)
		return 0;
	close_file(a);
	if (!w)
		return err_set(err, ENOENT,
			       "this session has not written it: it may belong to another session");
	a->fd = open(w->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	if (a->fd < 0 || fstat(a->fd, &st))
		return err_set(err, errno, "cannot read %.400s on the host: %s", w->path,
			       strerror(errno));
	if (!S_ISREG(st.st_mode))
		return err_set(err, EINVAL, "%.400s is not a regular file on the host", w->path);
	a->open = snapshot;
	a->total = (uint64_t)st.st_size;
	a->id = hash_mix(hash_mix(st.st_ino, st.st_dev),
			 hash_mix((uint64_t)st.st_mtim.tv_nsec, a->total)) |
		1;
	a->hashed = 0;
	sha256_init(&a->sha);
	if (!a->total)
		sha256_end(&a->sha, a->digest);
	return 0;
}

/* Pieces are read in order: one that is sent again adds only its bytes beyond those hashed. */
static void add_hash(struct agentfile *a, const struct message_file_part *p)
{
	uint64_t known = a->hashed - p->offset;

	if (known >= p->nbytes)
		return;
	sha256_add(&a->sha, p->bytes + known, p->nbytes - known);
	a->hashed += p->nbytes - known;
	if (a->hashed == a->total)
		sha256_end(&a->sha, a->digest);
}

static int read_piece(struct agentfile *a, uint32_t length, struct message_file_part *p,
		      struct err *err)
{
	uint64_t left = a->total - p->offset;
	size_t want = length < AGENTFILE_PIECE ? length : AGENTFILE_PIECE;
	ssize_t n;

	want = left < want ? (size_t)left : want;
	p->bytes = malloc(want + 1);
	if (!p->bytes)
		return err_room(err, ENOMEM, "a piece of the file");
	n = pread(a->fd, p->bytes, want, (off_t)p->offset);
	if (n < 0 || (!n && want))
		return err_set(err, n ? errno : EIO, "cannot read the file on the host: %s",
			       n ? strerror(errno) : "it was truncated");
	p->nbytes = (size_t)n;
	add_hash(a, p);
	return 0;
}

static int fill_part(struct agentfile *a, const struct message_file_ask *ask,
		     struct message_file_part *p)
{
	int ret = open_written(a, ask->snapshot, &p->err);

	if (ret)
		return ret;
	p->total = a->total;
	p->id = a->id;
	if (ask->id && ask->id != a->id)
		return err_set(&p->err, ESTALE, "it has been replaced by another file");
	if (ask->offset > a->hashed || (!ask->length && ask->offset < a->total))
		return err_set(&p->err, EINVAL, "a piece was requested out of order");
	ret = read_piece(a, ask->length, p, &p->err);
	if (ret)
		return ret;
	p->last = p->offset + p->nbytes == a->total;
	if (p->last)
		memcpy(p->sha256, a->digest, sizeof(p->sha256));
	return 0;
}

void agentfile_answer(struct agentfile *a, const struct message_file_ask *ask,
		      struct message_file_part *part)
{
	*part = (struct message_file_part){.nr = ask->nr, .offset = ask->offset};
	if (fill_part(a, ask, part)) {
		close_file(a);
		free(part->bytes);
		part->bytes = NULL;
		part->nbytes = 0;
	}
}
