/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "system/proc/procmem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "system/proc/procscan.h"

ssize_t procmem_read(pid_t pid, uint64_t addr, void *buf, size_t len)
{
	char path[32];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	n = pread(fd, buf, len, (off_t)addr);
	if (n < 0)
		n = -errno;
	close(fd);
	return n;
}

/* Return the bytes from addr to the end of its executable map; 0: it is in none. */
static uint64_t code_left(const struct scan *s, uint64_t addr)
{
	for (size_t i = 0; i < s->nmaps; i++)
		if (addr >= s->maps[i].start && addr < s->maps[i].end)
			return s->maps[i].end - addr;
	return 0;
}

ssize_t procmem_read_code(pid_t pid, uint64_t addr, void *buf, size_t len)
{
	struct scan s = {.pid = 0};
	int ret = procscan_read(pid, &s);
	uint64_t left = ret ? 0 : code_left(&s, addr);

	procscan_clear(&s);
	if (ret)
		return ret;
	return left ? procmem_read(pid, addr, buf, len < left ? len : left) : -EFAULT;
}
