/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/atomics.h"

static uint64_t failures; /* shared */

uint64_t io_failures(void)
{
	return atomic_load_relaxed(&failures);
}

static int count_failure(int error)
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
			return count_failure(errno);
		if (n == 0)
			return -ENODATA;
		pos += n;
		offset += (uint64_t)n;
		len -= (size_t)n;
	}
	return 0;
}

ssize_t io_read_text(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), error = fd < 0 ? errno : 0;
	size_t len = 0;
	ssize_t n = 1;

	while (!error && n > 0 && len + 1 < size) {
		n = read(fd, text + len, size - 1 - len);
		error = n < 0 && errno != EINTR ? errno : 0;
		len += n > 0 ? (size_t)n : 0;
		n = n < 0 ? 1 : n;
	}
	text[len] = '\0';
	if (fd >= 0)
		close(fd);
	return error ? -error : (ssize_t)len;
}

long io_read_number(const char *path, long otherwise)
{
	char text[32], *end;
	long n;

	if (io_read_text(path, text, sizeof(text)) < 0)
		return otherwise;
	n = strtol(text, &end, 10);
	return end == text ? otherwise : n;
}
