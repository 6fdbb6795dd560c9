/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "files/jit/perfmap.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/compare.h"
#include "files/elf/demangle.h"
#include "files/elf/symtab_wire.h"
#include "system/sandbox/sandbox.h"
#include "system/proc/procscan.h"
#include "system/proc/rootopen.h"

struct line {
	uint64_t start, end;
	const char *name;
	uint32_t len;
	uint32_t order; /* in the file: the later one wins */
	bool kept;   /* its name is in the symtab, at `place` */
	size_t place;
};

struct sweep {
	struct line *lines;
	/* lines that cover the present place, the latest on top; may contain past lines */
	size_t *heap;
	size_t nheap;
	struct symtab *symtab;
	struct demangle_work names;
};

static int hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Parse a hexadecimal number, 0x allowed, and the blanks after it. NULL: none, or too large. */
static const char *parse_hex(const char *at, const char *end, uint64_t *value)
{
	const char *digits;

	if (end - at > 2 && at[0] == '0' && (at[1] | 0x20) == 'x')
		at += 2;
	*value = 0;
	for (digits = at; at < end && hex_value(*at) >= 0; at++) {
		if (*value >> 60)
			return NULL;
		*value = *value << 4 | (uint64_t)hex_value(*at);
	}
	if (at == digits || at == end || (*at != ' ' && *at != '\t'))
		return NULL;
	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
	return at;
}

static bool parse_map_line(const char *at, const char *end, struct line *line)
{
	uint64_t size;

	if (end > at && end[-1] == '\r')
		end--;
	at = parse_hex(at, end, &line->start);
	if (at)
		at = parse_hex(at, end, &size);
	if (!at || at == end || !*at || !size || line->start + size < size)
		return false;
	line->end = line->start + size;
	line->name = at;
	line->len = (uint32_t)(end - at < SYMTAB_NAME_MAX ? end - at : SYMTAB_NAME_MAX);
	return true;
}

COMPARE_BY_TWO(compare_starts, struct line, start, order)

static bool later(const struct sweep *s, size_t a, size_t b)
{
	return s->lines[a].order > s->lines[b].order;
}

static void heap_push(struct sweep *s, size_t line)
{
	size_t i = s->nheap++;

	for (; i && later(s, line, s->heap[(i - 1) / 2]); i = (i - 1) / 2)
		s->heap[i] = s->heap[(i - 1) / 2];
	s->heap[i] = line;
}

static void heap_pop(struct sweep *s)
{
	size_t last = s->heap[--s->nheap], i = 0;

	for (;;) {
		size_t child = 2 * i + 1;

		if (child + 1 < s->nheap && later(s, s->heap[child + 1], s->heap[child]))
			child++;
		if (child >= s->nheap || !later(s, s->heap[child], last))
			break;
		s->heap[i] = s->heap[child];
		i = child;
	}
	s->heap[i] = last;
}

/* Store a line's name once, however many pieces of its code are visible. */
static int keep_name(struct sweep *s, struct line *line)
{
	char raw[DEMANGLE_MAX], *readable = NULL;
	int ret;

	if (line->kept)
		return 0;
	if (line->len < sizeof(raw) && *line->name == '_') {
		memcpy(raw, line->name, line->len);
		raw[line->len] = '\0';
		readable = demangle(raw, &s->names);
	}
	ret = symtab_text(s->symtab, readable ? readable : line->name,
			  readable ? strlen(readable) : line->len, &line->place);
	free(readable);
	line->kept = !ret;
	return ret;
}

/* Add the visible parts of the lines on the heap between from and to. */
static int emit(struct sweep *s, uint64_t from, uint64_t to)
{
	int ret = 0;

	while (s->nheap && from < to && !ret) {
		struct line *top = &s->lines[s->heap[0]];

		if (top->end <= from) {
			heap_pop(s);
			continue;
		}
		ret = keep_name(s, top);
		if (!ret)
			ret = symtab_add_at(s->symtab, from,
					    (top->end < to ? top->end : to) - from, SYMTAB_GLOBAL,
					    top->place);
		from = top->end < to ? top->end : to;
	}
	return ret;
}

/* Return true if the top line covers this one entirely: no new piece is needed. */
static bool hidden(const struct sweep *s, size_t line)
{
	return s->nheap && s->lines[s->heap[0]].end >= s->lines[line].end &&
	       later(s, s->heap[0], line);
}

static int overlay(struct line *lines, size_t n, struct symtab *t)
{
	struct sweep s = {.lines = lines, .symtab = t};
	uint64_t at = 0;
	int ret = 0;

	s.heap = budget_alloc(symtab_budget(t), BUDGET_READING, (n + 1) * sizeof(*s.heap));
	if (!s.heap)
		return -ENOMEM;
	for (size_t i = 0; i < n && !ret; i++) {
		if (hidden(&s, i))
			continue;
		ret = emit(&s, at, lines[i].start);
		at = lines[i].start;
		heap_push(&s, i);
	}
	if (!ret)
		ret = emit(&s, at, UINT64_MAX);
	budget_free(s.heap);
	return ret;
}

static int split_lines(const char *text, size_t len, struct budget *b, struct line **lines,
		       size_t *n, size_t *bad)
{
	const char *end = text + len;
	size_t cap = 0;

	while (text < end) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		const char *stop = newline ? newline : end;

		if (*n >= SYMTAB_MAX)
			return -EFBIG;
		if (!budget_reserve(b, BUDGET_READING, lines, &cap, *n + 1, sizeof(**lines)))
			return -ENOMEM;
		if (parse_map_line(text, stop, &(*lines)[*n])) {
			(*lines)[*n].order = (uint32_t)*n;
			(*lines)[*n].kept = false;
			++*n;
		} else {
			++*bad;
		}
		text = newline ? newline + 1 : end;
	}
	return 0;
}

static int parse_map(const char *text, size_t len, struct symtab **symtab, size_t *bad,
		     struct err *err)
{
	struct line *lines = NULL;
	struct symtab *t = symtab_create(NULL);
	size_t n = 0;
	int ret;

	*bad = 0;
	ret = t ? split_lines(text, len, symtab_budget(t), &lines, &n, bad) : -ENOMEM;
	if (!ret && !n)
		ret = -EINVAL;
	if (!ret && !budget_sort(symtab_budget(t), lines, n, sizeof(*lines), compare_starts))
		ret = -ENOMEM;
	if (!ret)
		ret = overlay(lines, n, t);
	if (!ret)
		ret = symtab_freeze(t);
	budget_free(lines);
	if (!ret)
		*symtab = t;
	if (!ret || !t)
		return ret;
	if (budget_say(symtab_budget(t), "its names", err))
		ret = -ENOBUFS;
	symtab_free(t);
	return ret;
}

int perfmap_parse(const char *text, size_t len, struct symtab **symtab, size_t *bad)
{
	return parse_map(text, len, symtab, bad, NULL);
}

static int open_map(pid_t pid, const struct proc_owner *p, char *path, size_t size, struct stat *st)
{
	char root[64];
	int fd = -ENOENT;

	snprintf(root, sizeof(root), "/proc/%d/root", (int)pid);
	snprintf(path, size, "/tmp/perf-%d.map", (int)p->inner);
	if (p->found)
		fd = rootopen(root, path, true, st);
	if (fd >= 0 || fd == -EINVAL || fd == -ELOOP)
		return fd;
	snprintf(path, size, "/tmp/perf-%d.map", (int)pid);
	return rootopen(NULL, path, true, st);
}

static struct perfmap_stamp stamp_of(const struct stat *st)
{
	return (struct perfmap_stamp){
		.ino = (uint64_t)st->st_ino,
		.size = (uint64_t)st->st_size,
		.mtime_ns = (uint64_t)st->st_mtim.tv_sec * NSEC_PER_SEC +
			    (uint64_t)st->st_mtim.tv_nsec,
	};
}

/* Parse an open map: here if the file is root's own (sandbox_trusts), else in a helper. */
static int read_map_text(int fd, uint64_t size, struct symtab **symtab, struct err *err)
{
	struct budget budget = {.taken = 0};
	size_t want = size < PERFMAP_MAX ? size : PERFMAP_MAX, len = 0, bad;
	char *text = budget_alloc(&budget, BUDGET_READING, want + 1);
	ssize_t n = 1;
	int ret;

	if (!text)
		return budget_say(&budget, "its text", err) ? -ENOBUFS : -ENOMEM;
	while (len < want && n) {
		n = read(fd, text + len, want - len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			break;
		len += (size_t)n;
	}
	ret = n < 0 ? -EIO : parse_map(text, len, symtab, &bad, err);
	budget_free(text);
	return ret;
}

int perfmap_take(struct wire_in *in, struct symtab **symtab, struct err *err)
{
	int ret = helper_get_error(in, err);

	if (!ret)
		ret = symtab_wire_get(in, NULL, symtab);
	in->failed |= ret == -EPROTO;
	return ret;
}

static int request_map(int fd, uint64_t size, struct symtab **symtab, struct err *err)
{
	struct sandbox_call c = {.job = SANDBOX_PERFMAP, .fd = fd};
	int ret;

	wire_put(&c.ask, size, 8);
	ret = sandbox_call(&c, err);
	if (!ret)
		ret = perfmap_take(&c.in, symtab, err);
	return sandbox_taken(&c, ret, err);
}

void perfmap_serve(struct wire_in *in, int fd, struct wire_out *out)
{
	struct symtab *t = NULL;
	struct err err = {.code = 0};
	int ret = read_map_text(fd, wire_get(in, 8), &t, &err);

	helper_put_error(out, ret, &err);
	if (!ret)
		symtab_wire_put(t, out);
	symtab_free(t);
}

static int load_map(pid_t pid, const struct proc_owner *process, struct perfmap_stamp *stamp,
		    struct symtab **symtab, struct err *err)
{
	struct perfmap_stamp now;
	struct err why = {.code = 0};
	struct stat st;
	char path[64];
	int fd, ret;

	fd = open_map(pid, process, path, sizeof(path), &st);
	if (fd == -EINVAL || fd == -ELOOP)
		return err_set(err, EPERM, "%s of process %d is not a regular file", path,
			       (int)pid);
	if (fd < 0)
		return err_set(err, -fd, "%s of process %d: %s", path, (int)pid, strerror(-fd));
	if (st.st_uid && st.st_uid != process->real && st.st_uid != process->effective) {
		close(fd);
		return err_set(err, EPERM, "%s belongs to user %u, not to process %d", path,
			       (unsigned)st.st_uid, (int)pid);
	}
	now = stamp_of(&st);
	if (!memcmp(&now, stamp, sizeof(now))) {
		close(fd);
		return -EALREADY;
	}
	ret = (sandbox_trusts(fd, path) ? read_map_text : request_map)(fd, now.size, symtab, &why);
	close(fd);
	if (!sandbox_later(ret))
		*stamp = now;
	return ret ? err_set(err, -ret, "%s of process %d: %s", path, (int)pid,
			     ret == -EINVAL ? "no line has the form START SIZE NAME"
			     : why.code	    ? why.text
					    : strerror(-ret))
		   : 0;
}

/* Return an owner for a process that is gone: it counts as ours. */
static struct proc_owner owner_gone(pid_t pid)
{
	return (struct proc_owner){.real = geteuid(), .effective = geteuid(), .inner = pid};
}

int perfmap_load(pid_t pid, struct perfmap_stamp *stamp, struct symtab **symtab, struct err *err)
{
	struct proc_owner process = owner_gone(pid);

	procscan_owner(pid, &process);
	return load_map(pid, &process, stamp, symtab, err);
}

int perfmap_load_recorded(pid_t pid, struct perfmap_stamp *stamp, struct symtab **symtab,
			  struct err *err)
{
	struct proc_owner process = owner_gone(pid);

	return load_map(pid, &process, stamp, symtab, err);
}
