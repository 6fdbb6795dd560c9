/* SPDX-License-Identifier: GPL-2.0-or-later */
/* images - what is read of an image, for tests that have no more than a descriptor or bytes. */
#ifndef RINGTOP_TESTS_IMAGES_H
#define RINGTOP_TESTS_IMAGES_H

#include "files/elf/elfsym.h"
#include "files/elf/image.h"
#include "files/unwind/cfi.h"

static inline int symbols_of(struct image im, struct elfsym *out, struct err *err)
{
	int ret = elfsym_load(&im, out, err);

	image_close(&im);
	return ret;
}

static inline int symbols_of_fd(int fd, const char *path, const char *root, struct budget *b,
				struct elfsym *out, struct err *err)
{
	return symbols_of(image_from_fd(fd, path, root, b), out, err);
}

static inline int symbols_of_memory(const void *data, size_t len, struct elfsym *out, struct err *err)
{
	return symbols_of(image_from_memory(data, len, NULL), out, err);
}

static inline struct cfi *cfi_of(struct image im, struct cfi_memory *memory, struct err *err)
{
	struct cfi *c = cfi_open(&im, memory, err);

	image_close(&im);
	return c;
}

static inline struct cfi *cfi_of_fd(int fd, const char *path, struct cfi_memory *memory, struct err *err)
{
	return cfi_of(image_from_fd(fd, path, NULL, NULL), memory, err);
}

static inline struct cfi *cfi_of_memory(const void *data, size_t len, struct cfi_memory *memory,
					struct err *err)
{
	return cfi_of(image_from_memory(data, len, NULL), memory, err);
}

#endif
