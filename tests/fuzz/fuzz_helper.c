/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a helper is asked: the first byte says what, the next two how long the question is, the rest is a file's.
 * Not what fails by design, and not what asks back over the socket: fuzz_ptdecode has that.  Not print formats, which
 * end libtraceevent: fuzz_print has a helper for that.
 */
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "app/helpermain.h"

#define HEAD 3u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int file_of(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size || lseek(fd, 0, SEEK_SET))
		abort();
	return fd;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned job = size ? *data % SANDBOX_JOBS : 0;
	struct wire_in in = {data + HEAD, data + HEAD, false};
	struct wire_out out = {.len = 0};
	size_t len;
	int fd;

	if (size < HEAD || !helper_jobs[job] || job == SANDBOX_PROBE || job == SANDBOX_PT ||
	    job == SANDBOX_PRINT)
		return 0;
	len = (size_t)(data[1] | data[2] << 8) % (size - HEAD + 1);
	in.end += len;
	fd = file_of(in.end, size - HEAD - len);
	helper_jobs[job](&in, fd, &out);
	close(fd);
	wire_clear(&out);
	return 0;
}
