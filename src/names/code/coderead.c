/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "names/code/coderead.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "names/code/codedecode.h"
#include "names/code/disasm.h"
#include "names/code/rawcode.h"
#include "names/code/source.h"
#include "files/elf/kcore.h"
#include "files/elf/linecache.h"
#include "files/jit/jitdump_sandbox.h"
#include "system/proc/procmem.h"
#include "core/slice/slice.h"

#define INSN_MAX 16 /* bytes of the longest instruction */

void coderead_say(char **to, const struct err *err)
{
	free(*to);
	if (asprintf(to, "%s%s%s", err->text, *err->advice ? ": " : "", err->advice) < 0)
		*to = NULL;
}

/* --- what to read ------------------------------------------------------------------------- */

/*
 * Begin the page at the requested address, where an instruction begins: there is too much code to
 * decode before it.
 */
static void begin_at_asked(struct code *c)
{
	uint64_t end = c->addr + c->size;

	c->addr = c->from = c->place.addr;
	c->size = end - c->addr;
	c->to = c->size > CODE_PAGE_BYTES ? c->from + CODE_PAGE_BYTES : end;
}

void coderead_set_range(struct coderead *r, uint64_t addr, uint64_t size)
{
	struct code *c = r->code;
	uint64_t skipped = (c->place.addr - addr) / CODE_PAGE_BYTES * CODE_PAGE_BYTES;

	c->addr = addr;
	c->size = size;
	c->from = addr + skipped;
	c->to = size - skipped > CODE_PAGE_BYTES ? c->from + CODE_PAGE_BYTES : addr + size;
	if (!size)
		c->to = addr + CODEREAD_SPAN;
	if (c->to - c->addr > CODEREAD_FUNCTION_MAX && c->from > c->addr)
		begin_at_asked(c);
	r->nbytes = c->to - c->addr;
	/* Include the page's last instruction as a whole. */
	if (c->size > r->nbytes)
		r->nbytes += c->size - r->nbytes < INSN_MAX ? c->size - r->nbytes : INSN_MAX;
}

/* --- bytes -------------------------------------------------------------------------------- */

static int open_object_image(struct coderead *r, struct err *err)
{
	return image_open(&r->image, &r->file, &r->budget, err);
}

static int read_vdso_code(struct coderead *r, struct err *err)
{
	struct image im;
	int ret = image_open_vdso(&im, &r->file, &r->budget, err);

	if (ret)
		return ret;
	if (im.fd >= 0) { /* a file: maybe another one than the kernel's, so read like a file */
		r->image = im;
		return 0;
	}
	ret = codedecode_bytes(r, &im.elf, err);
	image_close(&im);
	return ret;
}

static int read_kernel_code(struct coderead *r, struct err *err)
{
	int ret;

	r->machine = disasm_machine();
	do
		ret = kcore_read(KCORE_PATH, r->code->addr - r->moved, r->bytes, r->nbytes, err);
	while (ret == -EINVAL && codedecode_less(r));
	return ret;
}

/* Return the machine of a process's program: a 32-bit process's JIT makes 32-bit code. */
static uint16_t process_machine(pid_t pid)
{
	char path[40];
	struct objfile of = {.path = path};
	Elf64_Ehdr head;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	fd = objfile_open(&of, NULL, NULL);
	if (fd < 0)
		return disasm_machine();
	/* e_machine is at the same offset in both classes. */
	if (pread(fd, &head, sizeof(head), 0) < (ssize_t)sizeof(Elf32_Ehdr) ||
	    memcmp(head.e_ident, ELFMAG, SELFMAG) != 0)
		head.e_machine = disasm_machine();
	close(fd);
	return head.e_machine;
}

/* Read the code from the dump that the runtime wrote: it remains when the process has ended. */
static int read_dumped_code(struct coderead *r, struct err *err)
{
	uint64_t skipped = r->code->addr - r->dump.start;

	r->machine = (uint16_t)r->dump.place.machine;
	if (skipped > r->dump.size || r->nbytes > r->dump.size - skipped ||
	    pread(r->dump.fd, r->bytes, r->nbytes, (off_t)(r->dump.code + skipped)) !=
		    (ssize_t)r->nbytes)
		return err_set(err, EINVAL, "the jitdump of process %d does not have the code",
			       r->file.pid);
	return 0;
}

static int read_process(struct coderead *r, struct err *err)
{
	ssize_t n;

	if (r->dump.fd >= 0 && r->dump.code)
		return read_dumped_code(r, err);
	n = procmem_read_code(r->file.pid, r->code->addr, r->bytes, r->nbytes);

	if (n == -EACCES || n == -EPERM) {
		err_set(err, EACCES, "the memory of process %d may not be read", r->file.pid);
		return err_advise(err, "run as its user, or as root with CAP_SYS_PTRACE");
	}
	if (n <= 0)
		return err_set(err, ENOENT, "process %d does not have this code any more",
			       r->file.pid);
	r->nbytes = (size_t)n;
	r->machine = process_machine(r->file.pid);
	return 0;
}

static int (*const readers[])(struct coderead *r, struct err *err) = {
	[OBJECT_FILE] = open_object_image, [OBJECT_KERNEL] = read_kernel_code,
	[OBJECT_MODULE] = read_kernel_code, [OBJECT_VDSO] = read_vdso_code,
	[OBJECT_JIT] = read_process, [OBJECT_ANON] = read_process,
};

/* --- lines -------------------------------------------------------------------------------- */

/* Set the lines of instructions; rows and instructions are both sorted by address. */
static void set_row_lines(struct code *c, const struct lines_row *rows, size_t nr)
{
	const char *path[SOURCE_FILES_MAX];
	uint32_t file[SOURCE_FILES_MAX];
	size_t row = 0, files = 0;

	for (size_t i = 0; i < c->ninsns; i++) {
		struct code_insn *in = &c->insns[i];
		size_t f = 0;

		while (row + 1 < nr && rows[row + 1].addr <= in->addr)
			row++;
		if (rows[row].addr > in->addr || !rows[row].file || !rows[row].line)
			continue;
		while (f < files && path[f] != rows[row].file &&
		       strcmp(path[f], rows[row].file) != 0)
			f++;
		if (f == SOURCE_FILES_MAX)
			continue;
		if (f == files) {
			path[files] = rows[row].file;
			file[files++] = code_add_text(c, rows[row].file, strlen(rows[row].file));
		}
		in->file = file[f];
		in->line = file[f] ? rows[row].line : 0;
	}
}

static void find_source_root(const struct coderead *r, char root[32], struct source_from *from)
{
	struct stat st;
	char process[32];

	snprintf(root, 32, "/proc/%d/root", r->file.pid);
	snprintf(process, sizeof(process), "/proc/%d", r->file.pid);
	*from = (struct source_from){.root = root, .user = (uid_t)-1};
	if (r->file.pid <= 0 || access(root, X_OK) || stat(process, &st)) {
		from->root = NULL;
		from->user = geteuid() ? geteuid() : (uid_t)-1;
	} else {
		from->user = st.st_uid;
	}
	if (r->image.path && !fstat(r->image.fd, &st))
		from->built_ns = (uint64_t)st.st_mtim.tv_sec * 1000000000 +
				 (uint64_t)st.st_mtim.tv_nsec;
}

/* Set the inlined function at instructions where the line changes. */
static void set_inlined(struct code *c, const struct linecache_found *f)
{
	const struct lines_frame *frames = f->frames;
	const char *above = NULL;

	for (size_t i = 0; i < c->ninsns; frames += f->depth[i++]) {
		struct code_insn *in = &c->insns[i];
		const char *name = f->depth[i] > 1 ? frames[f->depth[i] - 1].name : NULL;

		if (i && in->file == in[-1].file && in->line == in[-1].line) {
			in->inlined = in[-1].inlined;
			continue;
		}
		if (name && above && !strcmp(name, above))
			in->inlined = in[-1].inlined;
		else if (name)
			in->inlined = code_add_text(c, name, strlen(name));
		above = name;
	}
}

/* Find the lines of all instructions, and the rows that they are in. */
static int find_lines(struct coderead *r, struct linecache_found *f, struct err *err)
{
	struct code *c = r->code;
	uint64_t *addrs = calloc(c->ninsns + 1, sizeof(*addrs));
	int ret;

	if (!addrs)
		return err_set(err, ENOMEM, "out of memory");
	for (size_t i = 0; i < c->ninsns; i++)
		addrs[i] = c->insns[i].addr;
	ret = linecache_find(&r->image, addrs, c->ninsns, c->from, c->to, f, err);
	free(addrs);
	return ret;
}

/* Add hints, for code that is not decoded, where rows begin. */
static int add_row_hints(struct coderead *r, struct err *err)
{
	const struct code *c = r->code;
	struct linecache_found f;
	int ret = linecache_find(&r->image, NULL, 0, c->from, c->to, &f, err);

	if (ret)
		return ret;
	ret = rawcode_rows(r->code, f.rows, f.nrows);
	linecache_clear(&f);
	return ret ? err_set(err, ENOMEM, "out of memory") : 0;
}

/* Set lines from the object's debug information. */
static int elf_lines(struct coderead *r, size_t *nr)
{
	struct err err = {.code = 0};
	struct linecache_found f;

	if ((r->code->nbytes && add_row_hints(r, &err)) || find_lines(r, &f, &err)) {
		struct err no = {.code = err.code};

		snprintf(no.text, sizeof(no.text), "no source lines: %.400s", err.text);
		memcpy(no.advice, err.advice, sizeof(no.advice));
		coderead_say(&r->code->note, &no);
		return 0;
	}
	*nr = f.nrows;
	if (f.nrows) {
		set_row_lines(r->code, f.rows, f.nrows);
		set_inlined(r->code, &f);
	}
	linecache_clear(&f);
	return 0;
}

/* Set lines from the jitdump, which has offsets in the function. */
static int dump_lines(struct coderead *r, size_t *nr)
{
	const struct coderead_dump *d = &r->dump;
	struct jitdump_file f = {.fd = d->fd};
	struct jitdump_lines lines = {.nr = 0};
	struct lines_row *rows;
	struct stat st;

	if (!d->lines || fstat(d->fd, &st))
		return 0;
	f.size = (uint64_t)st.st_size;
	if (jitdump_load_lines(&f, &d->place, d->lines, d->size, &lines) || !lines.nr) {
		jitdump_lines_clear(&lines);
		return 0;
	}
	rows = calloc(lines.nr, sizeof(*rows));
	for (size_t i = 0; rows && i < lines.nr; i++)
		rows[i] = (struct lines_row){.addr = d->start + lines.line[i].offset,
					     .file = lines.names + lines.line[i].file,
					     .line = lines.line[i].line};
	if (rows && r->code->nbytes && rawcode_rows(r->code, rows, lines.nr))
		lines.nr = 0;
	if (rows)
		set_row_lines(r->code, rows, lines.nr);
	*nr = rows ? lines.nr : 0;
	jitdump_lines_clear(&lines);
	free(rows);
	return rows ? 0 : -ENOMEM;
}

static void set_note(struct code *c, const char *text)
{
	free(c->note);
	c->note = strdup(text);
}

/* Note the file whose text is missing, if lines have numbers only. */
static void note_missing(struct code *c)
{
	struct err err = {.code = ENOENT};

	for (size_t i = 0; i < c->nsources; i++)
		if (c->sources[i].text)
			return;
	if (!c->nsources)
		return;
	snprintf(err.text, sizeof(err.text),
		 "the source file is missing or not world-readable: %.400s",
		 code_text(c, c->sources[0].file));
	coderead_say(&c->note, &err);
}

static void add_lines(struct coderead *r)
{
	struct code *c = r->code;
	struct source_from from;
	bool newer = false;
	char root[32];
	size_t nr = 0;
	int ret;

	find_source_root(r, root, &from);
	ret = r->image.path ? elf_lines(r, &nr) : dump_lines(r, &nr);
	if (nr && !ret) {
		ret = source_add(c, &from, &newer);
		note_missing(c);
	}
	if (ret == -ENOMEM)
		set_note(c, "no source lines: out of memory");
	else if (newer)
		set_note(c,
			 "the source file is newer than the program: its lines may not match the "
			 "code");
}

static void close_files(struct coderead *r)
{
	if (r->image.path)
		image_close(&r->image);
	if (r->dump.fd >= 0)
		close(r->dump.fd);
	r->dump.fd = -1;
}

/* Return true if this process may decode it. */
static bool code_is_trusted(const struct coderead *r)
{
	uint8_t kind = r->code->place.kind;

	if (r->image.path)
		return sandbox_trusts(r->image.fd, r->image.path);
	return kind == OBJECT_KERNEL || kind == OBJECT_MODULE || !sandbox_allowed();
}

void coderead_run(struct coderead *r)
{
	struct code *c = r->code;
	struct err err = {.code = 0};
	int ret;

	r->bytes = budget_alloc(&r->budget, BUDGET_CODE, r->nbytes);
	ret = r->bytes ? readers[c->place.kind](r, &err)
			: err_set(&err, ENOMEM, "out of memory");
	if (!ret)
		ret = codedecode_run(r, code_is_trusted(r), &err);
	if (ret)
		coderead_say(&c->why, &err);
	if (ret == -EOPNOTSUPP)
		ret = rawcode_targets(c);
	if (!ret && r->with_lines)
		add_lines(r);
	else if (!ret)
		c->loading = r->image.path || r->dump.lines;
	close_files(r);
	budget_free(r->bytes);
	r->bytes = NULL;
}

void coderead_clear(struct coderead *r)
{
	close_files(r);
	code_free(r->code);
	budget_free(r->bytes);
	free(r->path);
}
