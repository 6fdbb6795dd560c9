/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "files/elf/vdso.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "system/proc/procmem.h"

#define VDSO_MAX (1u << 20)

/* Read our own vdso. Only the kernel knows its length, so read as far as possible. */
static ssize_t read_own(void *buf, size_t len)
{
	uint64_t start = getauxval(AT_SYSINFO_EHDR);

	return start ? procmem_read(getpid(), start, buf, len) : -ENOENT;
}

int vdso_read(pid_t pid, uint64_t start, uint64_t end, void **image, size_t *size, struct err *err)
{
	size_t len = end > start && end - start <= VDSO_MAX ? end - start : 0;
	char *buf = malloc(VDSO_MAX);
	ssize_t n = -ENOENT;

	if (!buf)
		return err_set(err, ENOMEM, "out of memory");
	if (len)
		n = procmem_read(pid, start, buf, len);
	if (n <= 0)
		n = read_own(buf, VDSO_MAX);
	if (n <= 0) {
		free(buf);
		return err_set(err, ENOENT, "the vdso cannot be read");
	}
	*image = buf;
	*size = (size_t)n;
	return 0;
}

bool vdso_is_ours(const void *image, size_t size)
{
	char *own = malloc(size + 1);
	bool same = own && read_own(own, size) == (ssize_t)size && !memcmp(own, image, size);

	free(own);
	return same;
}
