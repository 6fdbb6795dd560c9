/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "files/elf/debugfile.h"

#include <errno.h>
#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "system/proc/rootopen.h"

#define DEBUG_DIR    "/usr/lib/debug"
#define LINK_MAX     4096u
#define CHUNK        (64u << 10)
#define XZ_MEMLIMIT  (128u << 20)

struct wanted {
	const struct elffile *f;
	struct elffile *debug; /* the file found */
	struct build_id id;
	char *link; /* NULL: no debuglink */
	uint32_t crc;
};

static bool crc_matches(const struct elffile *debug, uint32_t crc)
{
	uint8_t *buf;
	uint32_t sum = 0;
	bool ok = debug->size <= DEBUGFILE_CRC_MAX;

	buf = malloc(CHUNK);
	if (!buf)
		return false;
	for (uint64_t pos = 0; ok && pos < debug->size; pos += CHUNK) {
		uint64_t left = debug->size - pos;
		size_t n = left < CHUNK ? left : CHUNK;

		ok = elffile_read(debug, pos, buf, n) == 0;
		if (ok)
			sum = lzma_crc32(buf, n, sum);
	}
	free(buf);
	return ok && sum == crc;
}

static bool is_same_inode(int a, int b)
{
	struct stat sa, sb;

	return fstat(a, &sa) == 0 && fstat(b, &sb) == 0 && sa.st_dev == sb.st_dev &&
	       sa.st_ino == sb.st_ino;
}

/* Return true if `debug` has the right build-id or CRC, and symbols, else it is of no use. */
static bool is_debug_of(const struct wanted *w, const struct elffile *debug, bool by_link)
{
	struct build_id id = elffile_build_id(debug);
	bool ok = w->id.len && id.len ? build_id_equal(&id, &w->id)
				      : by_link && crc_matches(debug, w->crc);

	return ok && debug->is_32bit == w->f->is_32bit && elffile_section(debug, NULL, SHT_SYMTAB);
}

static int try_debug_file(struct wanted *w, const char *root, const char *path, bool by_link)
{
	int fd = rootopen(root, path, false, NULL);

	if (fd < 0)
		return fd;
	if (!is_same_inode(w->f->fd, fd) && !elffile_open_in(w->debug, fd, w->f->budget, NULL)) {
		if (is_debug_of(w, w->debug, by_link))
			return 0;
		elffile_close(w->debug);
	}
	close(fd);
	return -ENOENT;
}

struct hex {
	char text[BUILD_ID_HEX];
};

static struct hex id_hex(const struct wanted *w)
{
	struct hex h = {""};

	text_hex(h.text, w->id.bytes, w->id.len);
	return h;
}

/* Open a file in the cache of debuginfod's client, by its rules: debuginfod_find_debuginfo(3). */
static int open_fetched(struct wanted *w, char *found, size_t size)
{
	static const struct {
		const char *variable, *below;
	} places[] = {{"DEBUGINFOD_CACHE_PATH", ""},
		      {"XDG_CACHE_HOME", "/debuginfod_client"},
		      {"HOME", "/.cache/debuginfod_client"}};
	struct hex hex = id_hex(w);

	for (size_t i = 0; w->id.len && i < sizeof(places) / sizeof(places[0]); i++) {
		const char *dir = secure_getenv(places[i].variable);
		int n;

		if (!dir || !*dir)
			continue;
		n = snprintf(found, size, "%s%s/%s/debuginfo", dir, places[i].below, hex.text);
		return n < 0 || (size_t)n >= size ? -ENAMETOOLONG
						  : try_debug_file(w, NULL, found, false);
	}
	return -ENOENT;
}

static int open_by_id(struct wanted *w, const char *root, char *found, size_t size)
{
	struct hex hex = id_hex(w);
	int ret;

	if (w->id.len < 2)
		return -ENOENT;
	snprintf(found, size, DEBUG_DIR "/.build-id/%.2s/%s.debug", hex.text, hex.text + 2);
	ret = try_debug_file(w, root, found, false);
	if (ret && root) /* a container rarely has debug files, its host may */
		ret = try_debug_file(w, NULL, found, false);
	return ret;
}

static int open_by_link(struct wanted *w, const char *path, const char *root, char *found,
			size_t size)
{
	static const struct {
		const char *before, *after;
	} places[] = {{"", ""}, {"", ".debug/"}, {DEBUG_DIR, ""}};
	const char *slash = strrchr(path, '/');
	int dir_len = slash ? (int)(slash - path) + 1 : 0;

	if (!w->link || (path[0] != '/' && root))
		return -ENOENT;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		int n = snprintf(found, size, "%s%.*s%s%s", places[i].before, dir_len, path,
				 places[i].after, w->link);

		if (n >= 0 && (size_t)n < size && !try_debug_file(w, root, found, true))
			return 0;
	}
	return -ENOENT;
}

/* .gnu_debuglink: a file name, NULs up to a multiple of four, the file's CRC. */
static void read_link(struct wanted *w)
{
	const Elf64_Shdr *s = elffile_section(w->f, ".gnu_debuglink", 0);
	size_t at;
	char *link;
	int error;

	if (!s)
		return;
	link = elffile_load(w->f, s->sh_offset, s->sh_size, LINK_MAX, &error);
	if (!link)
		return;
	at = (strlen(link) + 4) & ~(size_t)3;
	if (!*link || strchr(link, '/') || at + sizeof(w->crc) > s->sh_size) {
		budget_free(link);
		return;
	}
	memcpy(&w->crc, link + at, sizeof(w->crc));
	w->link = link;
}

/* Open a file for several objects (dwz) by its build-id alone: it has no symbols to look for. */
static int try_shared(const struct elffile *f, const char *root, const char *path,
		      const struct build_id *id, struct elffile *shared)
{
	int fd = rootopen(root, path, false, NULL);
	struct build_id has;

	if (fd < 0)
		return root ? try_shared(f, NULL, path, id, shared) : -ENOENT; /* see open_by_id */
	if (!elffile_open_in(shared, fd, f->budget, NULL)) {
		has = elffile_build_id(shared);
		if (build_id_equal(&has, id))
			return 0;
		elffile_close(shared);
	}
	close(fd);
	return -ENOENT;
}

static int open_shared_file(const struct elffile *f, const char *link, const struct build_id *id,
			    const char *path, const char *root, struct elffile *shared)
{
	const char *slash = strrchr(path, '/');
	char full[2 * LINK_MAX], hex[BUILD_ID_HEX];

	if (id->len < 2)
		return -ENOENT;
	snprintf(full, sizeof(full), "%.*s%s", *link == '/' || !slash ? 0 : (int)(slash - path) + 1,
		 path, link);
	if (*full == '/' && !try_shared(f, root, full, id, shared))
		return 0;
	text_hex(hex, id->bytes, id->len);
	snprintf(full, sizeof(full), DEBUG_DIR "/.build-id/%.2s/%s.debug", hex, hex + 2);
	return try_shared(f, root, full, id, shared);
}

/* Section .gnu_debugaltlink: a path, NUL, a build-id. */
int debugfile_open_shared(const struct elffile *f, const char *path, const char *root,
			  struct elffile *shared)
{
	const Elf64_Shdr *s = elffile_section(f, ".gnu_debugaltlink", 0);
	struct build_id id = {.len = 0};
	int ret = -ENOENT, error;
	char *link;
	size_t at;

	link = s ? elffile_load(f, s->sh_offset, s->sh_size, LINK_MAX, &error) : NULL;
	if (!link)
		return -ENOENT;
	at = strlen(link) + 1;
	if (at < s->sh_size)
		id = build_id_of(link + at, s->sh_size - at);
	ret = open_shared_file(f, link, &id, path, root, shared);
	budget_free(link);
	return ret;
}

int debugfile_open(const struct elffile *f, const char *path, const char *root,
		   struct elffile *debug, char *found, size_t size)
{
	struct wanted w = {.f = f, .debug = debug, .id = elffile_build_id(f)};
	int ret;

	read_link(&w);
	ret = open_by_id(&w, root, found, size);
	if (ret && path)
		ret = open_by_link(&w, path, root, found, size);
	if (ret)
		ret = open_fetched(&w, found, size);
	budget_free(w.link);
	return ret ? -ENOENT : 0;
}

/* The budget also pays for the decoder's own memory: the file decides how much it needs. */
static void *xz_alloc(void *budget, size_t nr, size_t size)
{
	return budget_alloc(budget, BUDGET_READING, nr * size);
}

static void xz_free(void *budget, void *block)
{
	(void)budget;
	budget_free(block);
}

struct unpacking {
	lzma_stream xz;
	uint8_t in[CHUNK];
	uint8_t *out;
	size_t out_cap;
};

/* Feed the decoder and make room for it until it ends. */
static int unpack_section(struct unpacking *u, const struct elffile *f, const Elf64_Shdr *s)
{
	uint64_t pos = 0;

	for (;;) {
		size_t made = u->xz.total_out, n;
		lzma_ret step;
		int ret;

		if (!u->xz.avail_in && pos < s->sh_size) {
			n = s->sh_size - pos < CHUNK ? s->sh_size - pos : CHUNK;
			ret = elffile_read(f, s->sh_offset + pos, u->in, n);
			if (ret)
				return ret;
			u->xz.next_in = u->in;
			u->xz.avail_in = n;
			pos += n;
		}
		if (!u->xz.avail_out) {
			if (made >= DEBUGFILE_MINI_MAX)
				return -EFBIG;
			if (!budget_reserve(f->budget, BUDGET_READING, &u->out, &u->out_cap,
					    made + CHUNK, 1))
				return -ENOMEM;
			u->xz.next_out = u->out + made;
			u->xz.avail_out = u->out_cap - made;
		}
		step = lzma_code(&u->xz, pos < s->sh_size ? LZMA_RUN : LZMA_FINISH);
		if (step == LZMA_STREAM_END)
			return 0;
		if (step != LZMA_OK)
			return step == LZMA_MEM_ERROR ? -ENOMEM : -EINVAL;
	}
}

int debugfile_unpack(const struct elffile *f, void **data, size_t *len)
{
	const lzma_allocator allocator = {xz_alloc, xz_free, f->budget};
	const Elf64_Shdr *s = elffile_section(f, ".gnu_debugdata", 0);
	struct unpacking *u;
	int ret;

	if (!s)
		return -ENOENT;
	if (s->sh_offset + s->sh_size < s->sh_offset || s->sh_offset + s->sh_size > f->size)
		return -EINVAL;
	u = calloc(1, sizeof(*u));
	if (!u)
		return -ENOMEM;
	u->xz = (lzma_stream)LZMA_STREAM_INIT;
	u->xz.allocator = &allocator;
	ret = -ENOMEM;
	if (lzma_stream_decoder(&u->xz, XZ_MEMLIMIT, 0) == LZMA_OK)
		ret = unpack_section(u, f, s);
	*len = u->xz.total_out;
	lzma_end(&u->xz);
	if (ret)
		budget_free(u->out);
	else
		*data = u->out;
	free(u);
	return ret;
}
