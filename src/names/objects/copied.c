/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "names/objects/copied.h"

#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "files/elf/objfile.h"
#include "system/proc/procmem.h"

static bool is_filled(const unsigned char *bytes, size_t len)
{
	for (size_t i = 1; i < len; i++)
		if (bytes[i] != bytes[0])
			return false;
	return true;
}

/* Return true if both could be read and are equal; *said: they contain more than padding. */
static bool same_chunk(pid_t pid, int fd, uint64_t addr, uint64_t offset, size_t len, bool *said)
{
	unsigned char memory[COPIED_BYTES], file[COPIED_BYTES];

	if (procmem_read(pid, addr, memory, len) != (ssize_t)len ||
	    io_read_at(fd, file, len, offset) || memcmp(memory, file, len) != 0)
		return false;
	*said |= !is_filled(file, len);
	return true;
}

bool copied_is(pid_t pid, const struct scan_map *m)
{
	struct objfile of = {.pid = pid, .ino = m->ino, .path = m->path};
	uint64_t len = m->end - m->start, chunks = len / COPIED_BYTES;
	bool same = true, said = false;
	int fd;

	chunks = chunks > COPIED_CHUNKS ? COPIED_CHUNKS : chunks;
	fd = chunks ? objfile_open(&of, NULL, NULL) : -1;
	if (fd < 0)
		return false;
	for (uint64_t i = 0; i < chunks && same; i++) {
		uint64_t at = len / chunks * i;

		same = same_chunk(pid, fd, m->start + at, m->pgoff + at, COPIED_BYTES, &said);
	}
	close(fd);
	return same && said;
}
