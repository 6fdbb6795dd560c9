/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "files/elf/kcore.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "files/elf/elffile.h"

static int open_failed(const char *path, int error, struct err *err)
{
	err_set(err, error == EPERM ? EACCES : error, "kernel code: %s: %s", path, strerror(error));
	if (error == ENOENT)
		return err_advise(err,
				  "the kernel needs CONFIG_PROC_KCORE, and a container must not "
				  "hide it");
	if (error == EACCES || error == EPERM)
		return err_advise(err, "it needs root with CAP_SYS_RAWIO, and no kernel lockdown");
	return -err->code;
}

int kcore_read(const char *path, uint64_t addr, void *buf, size_t len, struct err *err)
{
	struct err local = {.code = 0};
	struct elffile f;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY), ret;

	err = err ? err : &local;
	if (fd < 0)
		return open_failed(path, errno, err);
	ret = elffile_open(&f, fd, err);
	if (!ret) {
		ret = elffile_read_vaddr(&f, addr, buf, len);
		if (ret)
			err_set(err, -ret, "kernel code: %s does not have %#llx", path,
				(unsigned long long)addr);
		elffile_close(&f);
	}
	close(fd);
	return ret;
}
