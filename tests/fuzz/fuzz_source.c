/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A byte for the step between the lines that are wanted, then a source file. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "names/code/source.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(int ok)
{
	if (!ok)
		abort();
}

/* The text of a line, as a fool would look for it. */
static void check_line(const uint8_t *data, size_t size, uint32_t line, const char *text)
{
	size_t at = 0, len;

	for (uint32_t n = 1; n < line; n++) {
		while (at < size && data[at] != '\n')
			at++;
		if (at++ >= size) {
			check(!*text);
			return;
		}
	}
	for (len = 0; at + len < size && data[at + len] != '\n' && len < CODE_TEXT_MAX; len++)
		;
	while (len && data[at + len - 1] == '\r')
		len--;
	len = strnlen((const char *)data + at, len);
	check(strlen(text) == len && !memcmp(text, data + at, len));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct code_place place = {.object = (char *)"fuzz"};
	struct source_from from = {.user = geteuid()};
	struct code *c;
	char path[64];
	uint32_t file;
	bool newer;
	int fd;

	if (size < 2 || size > 65536)
		return 0;
	c = code_create(&place);
	fd = memfd_create("fuzz", MFD_CLOEXEC);
	check(c && fd >= 0 && write(fd, data + 1, size - 1) == (ssize_t)(size - 1));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	file = code_add_text(c, path, sizeof(path));
	for (uint32_t i = 0, line = 1; i < 64; i++, line += 1 + data[0] % 7) {
		struct code_insn *in = code_add_insn(c);

		check(in != NULL);
		in->file = file;
		in->line = line;
	}
	check(!source_add(c, &from, &newer));
	check(c->nsources == 63u * (1u + data[0] % 7) + 1); /* those between, too */
	for (size_t i = 0; i < c->nsources; i++)
		check_line(data + 1, size - 1, c->sources[i].line, code_text(c, c->sources[i].text));
	close(fd);
	code_free(c);
	return 0;
}
