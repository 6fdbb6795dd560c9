/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/io.h"

#include <errno.h>
#include <unistd.h>

#include "base/atomics.h"

static uint64_t failures; /* shared */

uint64_t io_failures(void)
{
	return atomic_load_relaxed(&failures);
}

static int failed(int error)
{
	atomic_add_relaxed(&failures, 1);
	return -error;
}

int io_read_at(int fd, void *buf, size_t len, uint64_t offset)
{
	char *pos = buf;

	while (len) {
		ssize_t n = pread(fd, pos, len, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return failed(errno);
		if (n == 0)
			return -ENODATA;
		pos += n;
		offset += (uint64_t)n;
		len -= (size_t)n;
	}
	return 0;
}
