/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "names/code/source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/compare.h"
#include "system/proc/rootopen.h"

#define CHUNK 65536

COMPARE_BY_TWO(source_compare, struct code_source, file, line)

static int request_line(struct code *c, uint32_t file, uint32_t line)
{
	struct code_source *s = code_add_source(c);

	if (!s)
		return -ENOMEM;
	*s = (struct code_source){.file = file, .line = line};
	return 0;
}

/*
 * Request the lines between, in the function's own file: comments, declarations, code optimised
 * away.
 */
static int want_between(struct code *c)
{
	uint32_t file = 0, first = UINT32_MAX, last = 0;
	int ret = 0;

	for (size_t i = 0; i < c->ninsns; i++) {
		const struct code_insn *in = &c->insns[i];

		if (in->inlined || !in->line || !in->file || (file && file != in->file))
			continue;
		file = in->file;
		first = in->line < first ? in->line : first;
		last = in->line > last ? in->line : last;
	}
	for (uint32_t line = first; !ret && line < last && last - first < SOURCE_SPAN_MAX; line++)
		ret = request_line(c, file, line);
	return ret;
}

/* Collect the lines wanted, each once, sorted by file and number. */
static int collect_wanted_lines(struct code *c)
{
	size_t kept = 0;
	int ret = want_between(c);

	for (size_t i = 0; !ret && i < c->ninsns; i++) {
		const struct code_insn *in = &c->insns[i];

		if (in->file && in->line &&
		    !(i && in->file == in[-1].file && in->line == in[-1].line))
			ret = request_line(c, in->file, in->line);
	}
	if (ret)
		return ret;
	if (c->nsources)
		qsort(c->sources, c->nsources, sizeof(*c->sources), source_compare);
	for (size_t i = 0; i < c->nsources; i++)
		if (!kept || source_compare(&c->sources[kept - 1], &c->sources[i]) != 0)
			c->sources[kept++] = c->sources[i];
	c->nsources = kept;
	return 0;
}

/* State of reading a file. */
struct reading {
	struct code *c;
	struct code_source *next, *end; /* lines wanted */
	uint32_t line;
	char text[CODE_TEXT_MAX];
	size_t len;
};

static bool line_ends(struct reading *r)
{
	bool wanted = r->next < r->end && r->next->line == r->line;

	while (r->len && r->text[r->len - 1] == '\r')
		r->len--;
	if (wanted) {
		uint32_t text = code_add_text(r->c, r->text, r->len);

		if (r->len && !text && r->text[0])
			return false;
		r->next->text = text;
		r->next++;
	}
	r->line++;
	r->len = 0;
	return true;
}

static bool take_chunk(struct reading *r, const char *buf, size_t len)
{
	while (len && r->next < r->end) {
		const char *nl = memchr(buf, '\n', len);
		size_t n = nl ? (size_t)(nl - buf) : len;
		size_t room = sizeof(r->text) - r->len;

		if (r->next->line == r->line) {
			memcpy(r->text + r->len, buf, n < room ? n : room);
			r->len += n < room ? n : room;
		}
		if (nl && !line_ends(r))
			return false;
		n += nl != NULL;
		buf += n;
		len -= n;
	}
	return true;
}

static int read_wanted_lines(struct reading *r, int fd)
{
	char *buf = malloc(CHUNK);
	size_t total = 0;
	bool ok = buf;
	ssize_t n;

	while (ok && r->next < r->end && total < SOURCE_BYTES_MAX &&
	       (n = pread(fd, buf, CHUNK, (off_t)total)) > 0) {
		ok = take_chunk(r, buf, (size_t)n);
		total += (size_t)n;
	}
	if (ok && r->len) /* the last line has no end */
		ok = line_ends(r);
	free(buf);
	return ok ? 0 : -ENOMEM;
}

/* Read the lines [first, end), which are of one file. */
static int read_source_file(struct code *c, struct code_source *first, struct code_source *end,
			    const struct source_from *from, bool *newer)
{
	struct reading r = {.c = c, .next = first, .end = end, .line = 1};
	const char *path = code_text(c, first->file);
	struct stat st;
	int fd, ret = 0;

	if (*path != '/')
		return 0; /* relative to an unknown directory */
	fd = rootopen(from->root, path, false, &st);
	if (fd < 0)
		return 0;
	if (st.st_mode & S_IROTH || st.st_uid == from->user) {
		uint64_t written = (uint64_t)st.st_mtim.tv_sec * NSEC_PER_SEC +
				   (uint64_t)st.st_mtim.tv_nsec;

		*newer |= from->built_ns && written > from->built_ns;
		ret = read_wanted_lines(&r, fd);
	}
	close(fd);
	return ret;
}

int source_add(struct code *c, const struct source_from *from, bool *newer)
{
	unsigned files = 0;
	int ret = collect_wanted_lines(c);

	*newer = false;
	for (size_t i = 0, end; i < c->nsources && !ret && files < SOURCE_FILES_MAX; i = end) {
		for (end = i; end < c->nsources && c->sources[end].file == c->sources[i].file;
		     end++)
			;
		ret = read_source_file(c, &c->sources[i], &c->sources[end], from, newer);
		files++;
	}
	return ret;
}
