/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sizes are in the byte order given by the section's own head. The names of tasks, at the end, are
 * not needed and not read.
 */
#include "files/decode/tracingdata.h"

#include <byteswap.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define MAGIC	    "\027\010\104tracing"
#define MAGIC_BYTES 10
#define ID_DIGITS   10

struct section {
	const char *at, *end;
	bool swap, bad; /* bad: something did not fit; stays set */
	unsigned long_size;
};

static const char *take_section_bytes(struct section *s, uint64_t len)
{
	const char *at = s->at;

	if (s->bad || len > (uint64_t)(s->end - s->at)) {
		s->bad = true;
		return NULL;
	}
	s->at += len;
	return at;
}

static uint64_t take_sized_number(struct section *s, unsigned bytes)
{
	const char *at = take_section_bytes(s, bytes);
	uint32_t four = 0;
	uint64_t eight = 0;

	if (at && bytes == 4)
		memcpy(&four, at, 4);
	else if (at)
		memcpy(&eight, at, 8);
	if (bytes == 4)
		return s->swap ? bswap_32(four) : four;
	return s->swap ? bswap_64(eight) : eight;
}

static const char *take_terminated_text(struct section *s)
{
	const char *end = s->bad ? NULL : memchr(s->at, '\0', (size_t)(s->end - s->at));
	const char *at = s->at;

	if (!end) {
		s->bad = true;
		return "";
	}
	s->at = end + 1;
	return at;
}

/* Take a text preceded by 8 bytes of size. */
static const char *take_file(struct section *s, size_t *len)
{
	uint64_t size = take_sized_number(s, 8);
	const char *at = take_section_bytes(s, size);

	*len = at ? (size_t)size : 0;
	return at;
}

/*
 * Get the size of the kernel's long from the format of a page head; it may be larger than the
 * recording program's.
 */
static void take_kernel(struct section *s, const char *text, size_t len)
{
	static const char commit[] = " commit;\toffset:8;\tsize:";
	const char *at = text ? memmem(text, len, commit, sizeof(commit) - 1) : NULL;

	if (at && at + sizeof(commit) <= text + len &&
	    (at[sizeof(commit) - 1] == '4' || at[sizeof(commit) - 1] == '8'))
		s->long_size = (unsigned)(at[sizeof(commit) - 1] - '0');
}

/* Take the head: magic, version, byte order and sizes, and the two files on ftrace's pages. */
static void take_tracing_head(struct section *s)
{
	const char *magic = take_section_bytes(s, MAGIC_BYTES), *machine;
	size_t len;

	if (!magic || memcmp(magic, MAGIC, MAGIC_BYTES) != 0) {
		s->bad = true;
		return;
	}
	take_terminated_text(s);
	machine = take_section_bytes(s, 2); /* flag for big endian, bytes of a long */
	s->swap = machine && (*machine != 0) != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	s->long_size = machine && machine[1] == 4 ? 4 : 8;
	take_sized_number(s, 4); /* page size */
	for (int i = 0; i < 2; i++) {
		const char *name = take_terminated_text(s), *text = take_file(s, &len);

		if (!strcmp(name, "header_page"))
			take_kernel(s, text, len);
	}
}

/* Return the number in a line "ID: n", 0: none. */
static uint64_t find_format_id(const char *text, size_t len)
{
	char digits[ID_DIGITS + 1] = "";
	const char *at = memmem(text, len, "\nID: ", 5);

	if (!at)
		return 0;
	at += 5;
	len -= (size_t)(at - text);
	memcpy(digits, at, len < ID_DIGITS ? len : ID_DIGITS);
	return strtoull(digits, NULL, 10);
}

static int take_formats(struct section *s, const char *system,
			int (*on)(void *arg, const struct tracingdata_format *f), void *arg)
{
	uint64_t nr = take_sized_number(s, 4);
	int ret = 0;

	for (uint64_t i = 0; i < nr && !s->bad && !ret; i++) {
		struct tracingdata_format f = {.system = system};

		f.text = take_file(s, &f.len);
		if (!f.text || f.len > TRACINGDATA_FORMAT_MOST)
			continue;
		f.id = find_format_id(f.text, f.len);
		ret = on(arg, &f);
	}
	return ret;
}

/* Walk over all formats. */
static int walk(struct section *s, int (*on)(void *arg, const struct tracingdata_format *f),
		void *arg)
{
	uint64_t nr;
	int ret;

	take_tracing_head(s);
	ret = take_formats(s, "ftrace", on, arg);
	nr = take_sized_number(s, 4);
	for (uint64_t i = 0; i < nr && !s->bad && !ret; i++) {
		const char *system = take_terminated_text(s);

		ret = take_formats(s, system, on, arg);
	}
	return ret ? ret : s->bad ? -EBADMSG : 0;
}

int tracingdata_walk(const char *bytes, size_t len,
		 int (*on)(void *arg, const struct tracingdata_format *f), void *arg)
{
	struct section s = {.at = bytes, .end = bytes + len};

	return walk(&s, on, arg);
}

static int ignore_format(void *arg, const struct tracingdata_format *f)
{
	(void)arg;
	(void)f;
	return 0;
}

/* Take a text preceded by 4 bytes of size. */
static const char *take_part(struct section *s, size_t *len)
{
	uint64_t size = take_sized_number(s, 4);
	const char *at = take_section_bytes(s, size);

	*len = at ? (size_t)size : 0;
	return at;
}

int tracingdata_rest(const char *bytes, size_t len, struct tracingdata_rest *rest)
{
	struct section s = {.at = bytes, .end = bytes + len};

	*rest = (struct tracingdata_rest){.kallsyms = NULL};
	walk(&s, ignore_format, NULL);
	rest->long_size = s.long_size;
	rest->kallsyms = take_part(&s, &rest->nkallsyms);
	rest->printk = take_part(&s, &rest->nprintk);
	return s.bad ? -EBADMSG : 0;
}
