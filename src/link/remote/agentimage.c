/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "link/remote/agentimage.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <zlib.h>

#include "base/io.h"
#include "base/text.h"

#define AGENT     "ringtop-agent"
#define AGENT_MAX (64u << 20)
#define GZIP_BITS (15 + 16) /* zlib: the largest window, gzip's header */
#define GZIP_LEVEL 4 /* half the time of 6, for a hundredth more bytes */

struct places {
	char paths[3][PATH_MAX];
	unsigned n;
};

static void add_candidate_path(struct places *p, const char *dir, const char *below,
			       const char *machine)
{
	if (snprintf(p->paths[p->n], PATH_MAX, "%s%s/%s/" AGENT, dir, below, machine) < PATH_MAX)
		p->n++;
}

/* Add the paths beside this program: moved with its prefix, or not installed at all. */
static void add_own(struct places *p, const char *machine)
{
	struct utsname here;
	char own[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", own, sizeof(own) - 1);

	if (n <= 0)
		return;
	own[n] = 0;
	*strrchr(own, '/') = 0;
	add_candidate_path(p, own, "/../libexec/ringtop", machine);
	if (!uname(&here) && !strcmp(here.machine, machine))
		add_candidate_path(p, own, "", ".");
}

static void list_candidate_paths(struct places *p, const char *dir, const char *machine)
{
	const char *chosen = dir ? dir : getenv("RINGTOP_AGENT_DIR");

	if (chosen && *chosen) {
		add_candidate_path(p, chosen, "", machine);
		return;
	}
	add_candidate_path(p, LIBEXECDIR, "/ringtop", machine);
	add_own(p, machine);
}

/* Return true if the name is safe as a directory: it cannot lead to another path. */
static bool is_safe_machine_name(const char *machine)
{
	return *machine && strlen(machine) < 32 &&
	       !machine[strspn(machine,
			       "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")];
}

static uint32_t crc_byte(uint32_t crc, uint8_t byte)
{
	crc ^= (uint32_t)byte << 24;
	for (unsigned i = 0; i < 8; i++)
		crc = crc << 1 ^ (crc >> 31 ? 0x04c11db7 : 0);
	return crc;
}

/* Unlike zlib's CRC in the order of bits, and with the length after the bytes. */
void agentimage_cksum(const struct agentimage *a, char *text, size_t size)
{
	uint32_t crc = 0;

	for (size_t i = 0; i < a->len; i++)
		crc = crc_byte(crc, a->data[i]);
	for (size_t n = a->len; n; n >>= 8)
		crc = crc_byte(crc, (uint8_t)n);
	snprintf(text, size, "%u %zu", ~crc, a->len);
}

static int gzip_image(struct agentimage *a)
{
	z_stream z = {.next_in = a->data, .avail_in = (uInt)a->len};
	size_t room;
	int r;

	if (deflateInit2(&z, GZIP_LEVEL, Z_DEFLATED, GZIP_BITS, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		return -ENOMEM;
	room = deflateBound(&z, a->len);
	a->packed = malloc(room);
	z.next_out = a->packed;
	z.avail_out = (uInt)room;
	r = a->packed ? deflate(&z, Z_FINISH) : Z_MEM_ERROR;
	a->npacked = z.total_out;
	deflateEnd(&z);
	return r == Z_STREAM_END ? 0 : -ENOMEM;
}

static int read_whole(struct agentimage *a, int fd, const char *path, struct err *err)
{
	struct stat st;
	int r;

	if (fstat(fd, &st))
		return err_set(err, errno, "%s: %s", path, strerror(errno));
	if (!S_ISREG(st.st_mode) || st.st_size <= 0 || st.st_size > AGENT_MAX)
		return err_set(err, EINVAL, "%s is not a program", path);
	a->len = (size_t)st.st_size;
	a->data = malloc(a->len);
	r = a->data ? io_read_at(fd, a->data, a->len, 0) : -ENOMEM;
	if (!r)
		r = gzip_image(a);
	if (r)
		return err_set(err, -r, "cannot read %s: %s", path, strerror(-r));
	sha256_text(a->hash, a->data, a->len);
	return 0;
}

static int missing(const struct places *p, const char *machine, struct err *err)
{
	char list[sizeof(err->text)];
	size_t pos = 0;

	for (unsigned i = 0; i < p->n; i++)
		pos = text_append(list, sizeof(list), pos, "%s%s", i ? ", " : "", p->paths[i]);
	err_set(err, ENOENT, "no agent for %s to send: %s does not exist", machine, list);
	return err_advise(err, "install ringtop on the host, or its agent for %s here", machine);
}

static int load_first_candidate(struct agentimage *a, const struct places *p, const char *machine,
				struct err *err)
{
	int fd = -1, r = 0;

	for (unsigned i = 0; i < p->n && fd < 0; i++) {
		fd = open(p->paths[i], O_RDONLY | O_CLOEXEC);
		if (fd >= 0)
			r = read_whole(a, fd, p->paths[i], err);
	}
	if (fd < 0)
		return missing(p, machine, err);
	close(fd);
	return r;
}

static struct kept {
	struct kept *next;
	struct places places;
	struct agentimage image;
} *kept;

static const struct agentimage *kept_one(const struct places *p)
{
	for (struct kept *k = kept; k; k = k->next)
		if (k->places.n == p->n &&
		    !memcmp(k->places.paths, p->paths, p->n * sizeof(p->paths[0])))
			return &k->image;
	return NULL;
}

const struct agentimage *agentimage_get(const char *dir, const char *machine, struct err *err)
{
	const struct agentimage *have;
	struct kept *k;

	if (!is_safe_machine_name(machine))
		return err_null(err_set(err, EPROTO, "'%s' is not an architecture", machine));
	k = calloc(1, sizeof(*k));
	if (!k)
		return err_null(err_room(err, ENOMEM, "the agent's program"));
	list_candidate_paths(&k->places, dir, machine);
	have = kept_one(&k->places);
	if (!have && !load_first_candidate(&k->image, &k->places, machine, err)) {
		k->next = kept;
		kept = k;
		return &k->image;
	}
	free(k->image.data);
	free(k->image.packed);
	free(k);
	return have;
}
