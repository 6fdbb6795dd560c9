/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "files/elf/image.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "files/elf/debugfile.h"
#include "files/elf/elfhead.h"
#include "files/elf/vdso.h"

struct image image_from_fd(int fd, const char *path, const char *root, struct budget *b)
{
	return (struct image){.fd = fd, .path = path, .root = root, .budget = b, .debug.fd = -1};
}

struct image image_from_memory(const void *data, size_t len, struct budget *b)
{
	struct image im = image_from_fd(-1, "image in memory", NULL, b);

	im.data = data;
	im.len = len;
	return im;
}

int image_open(struct image *im, const struct objfile *of, struct budget *b, struct err *err)
{
	struct objfile_found found;
	int fd = objfile_open(of, &found, err);

	if (fd < 0)
		return fd;
	*im = image_from_fd(fd, of->path, NULL, b);
	im->owned = true;
	memcpy(im->doubt, found.doubt, sizeof(im->doubt));
	snprintf(im->proc, sizeof(im->proc), "/proc/%d/root", (int)of->pid);
	if (found.symfs)
		im->root = of->rules->symfs;
	else if (!access(im->proc, X_OK))
		im->root = im->proc;
	return 0;
}

/* Return a file with these bytes, which can be passed to a helper; -ENOMEM if that fails. */
static int as_file(const void *bytes, size_t size)
{
	int fd = memfd_create("ringtop-vdso", MFD_CLOEXEC);

	if (fd >= 0 && write(fd, bytes, size) == (ssize_t)size)
		return fd;
	if (fd >= 0)
		close(fd);
	return -ENOMEM;
}

static int open_bytes(struct image *im, const char *path, void *bytes, size_t size,
		      struct budget *b, struct err *err)
{
	int fd;

	if (!sandbox_allowed() || vdso_is_ours(bytes, size)) {
		*im = image_from_memory(bytes, size, b);
		im->memory = bytes;
		im->path = path;
		return image_parse(im, err);
	}
	fd = as_file(bytes, size);
	free(bytes);
	*im = image_from_fd(fd, path, NULL, b);
	im->owned = fd >= 0;
	return fd < 0 ? err_room(err, -fd, "%s", path) : 0;
}

int image_open_vdso(struct image *im, const struct objfile *of, struct budget *b, struct err *err)
{
	struct build_id id;
	void *bytes;
	size_t size;
	int ret = vdso_read(of->pid, of->start, of->end, &bytes, &size, err);

	if (ret)
		return ret;
	ret = open_bytes(im, of->path, bytes, size, b, err);
	if (!ret && of->id.len) {
		id = im->parsed ? elffile_build_id(&im->elf) : elfhead_build_id(im->fd, im->path);
		if (!build_id_equal(&id, &of->id))
			ret = err_set(err, ESTALE, "%s belongs to another kernel than the "
						   "recorded one", of->path);
	}
	if (ret)
		image_close(im);
	return ret;
}

void image_close(struct image *im)
{
	elffile_close(&im->elf);
	elffile_close(&im->debug);
	if (im->owned)
		close(im->fd);
	if (im->debug.fd >= 0)
		close(im->debug.fd);
	free(im->memory);
	*im = image_from_fd(-1, NULL, NULL, NULL);
}

int image_parse(struct image *im, struct err *err)
{
	int ret = im->parsed   ? 0
		  : im->fd < 0 ? elffile_open_memory_at(&im->elf, im->data, im->len, im->at,
							im->budget, err)
			       : elffile_open_at(&im->elf, im->fd, im->at, im->budget, err);

	im->parsed = !ret;
	if (ret)
		err_prefix(err, im->path);
	return ret;
}

struct elffile *image_debug(struct image *im)
{
	if (!im->looked && im->fd >= 0 &&
	    debugfile_open(&im->elf, im->path, im->root, &im->debug, im->debug_path,
			   sizeof(im->debug_path)))
		im->debug = (struct elffile){.fd = -1};
	im->looked = true;
	return im->debug.fd >= 0 ? &im->debug : NULL;
}
