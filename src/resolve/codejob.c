/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The resolver's thread says what to read (bounds by symbol, which file), a worker reads and
 * decodes, and the resolver's thread gives the targets their names: symbol tables of the kernel and
 * of JITs are replaced when they grow, so no worker looks into them.
 */
#include "resolve/codejob.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "resolve/demangle.h"
#include "resolve/disasm.h"
#include "resolve/elffile.h"
#include "resolve/frames.h"
#include "resolve/kcore.h"
#include "resolve/lines.h"
#include "resolve/objfile.h"
#include "resolve/procmem.h"
#include "resolve/source.h"
#include "resolve/vdso.h"

#define INSN_MAX 16 /* bytes of the longest instruction */

struct code_job {
	struct job job;
	struct resolver *resolver; /* for the resolver's thread alone */
	struct code *code;
	bool with_lines;       /* the second job for an answer; the first does without */
	struct object *object; /* referenced; FILE and VDSO */
	char *path;            /* copies: while we run, the object is found in other processes */
	pid_t pid;
	uint64_t start, end, ino;
	uint8_t id[20], id_len;
	uint64_t process;      /* serial, for JITs */
	struct dumped {        /* what its jitdump has of the function */
		int fd;        /* -1: nothing */
		uint64_t start, size, code, lines;
		struct jitdump_place place;
	} dump;
	uint64_t moved;        /* recorded address - address in our kernel */
	int fd;                /* of the object file, while its lines are looked for; or -1 */
	uint8_t *bytes;
	size_t nbytes;
	uint16_t machine;
};

static void say(char **to, const struct err *err)
{
	free(*to);
	if (asprintf(to, "%s%s%s", err->text, *err->advice ? ": " : "", err->advice) < 0)
		*to = NULL;
}

/* --- on a worker: reading ----------------------------------------------------------------- */

/* Where no function's size is known there may be less than was asked for. */
static bool read_less(struct code_job *cj)
{
	if (cj->code->size || cj->nbytes < 2 * INSN_MAX)
		return false;
	cj->nbytes /= 2;
	return true;
}

static int read_elf(struct code_job *cj, const struct elffile *f, struct err *err)
{
	int ret;

	cj->machine = f->ehdr.e_machine;
	do
		ret = elffile_read_vaddr(f, cj->code->addr, cj->bytes, cj->nbytes);
	while (ret && read_less(cj));
	return ret ? err_set(err, -ret, "%s: the function's bytes are not in the file", cj->path) : 0;
}

static int check_build_id(const struct code_job *cj, const struct elffile *f, struct err *err)
{
	uint8_t id[20];
	unsigned len = cj->id_len ? elffile_build_id(f, id, sizeof(id)) : 0;

	if (len != cj->id_len || (len && memcmp(id, cj->id, len) != 0))
		return err_set(err, ESTALE, "%s is another build than what ran", cj->path);
	return 0;
}

static int read_file(struct code_job *cj, struct err *err)
{
	/* A build-id says more than an inode number, and holds on other machines too. */
	struct objfile of = {cj->pid, cj->start, cj->end, cj->id_len ? 0 : cj->ino, cj->path};
	struct elffile f;
	int fd = objfile_open(&of, err), ret;

	if (fd < 0)
		return fd;
	ret = elffile_open(&f, fd, err);
	if (!ret) {
		ret = check_build_id(cj, &f, err);
		if (!ret)
			ret = read_elf(cj, &f, err);
		elffile_close(&f);
	}
	cj->fd = fd;
	return ret;
}

static int read_vdso(struct code_job *cj, struct err *err)
{
	struct elffile f;
	void *image;
	size_t size;
	int ret = vdso_read(cj->pid, cj->start, cj->end, &image, &size, err);

	if (ret)
		return ret;
	ret = elffile_open_memory(&f, image, size, err);
	if (!ret) {
		ret = read_elf(cj, &f, err);
		elffile_close(&f);
	}
	free(image);
	return ret;
}

static int read_kernel(struct code_job *cj, struct err *err)
{
	int ret;

	cj->machine = disasm_machine();
	do
		ret = kcore_read(KCORE_PATH, cj->code->addr - cj->moved, cj->bytes, cj->nbytes, err);
	while (ret == -EINVAL && read_less(cj));
	return ret;
}

/* A 32-bit process's JIT makes 32-bit code. */
static uint16_t process_machine(pid_t pid)
{
	char path[40];
	struct objfile of = {.path = path};
	Elf64_Ehdr head;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	fd = objfile_open(&of, NULL);
	if (fd < 0)
		return disasm_machine();
	/* e_machine lies at the same place in both classes. */
	if (pread(fd, &head, sizeof(head), 0) < (ssize_t)sizeof(Elf32_Ehdr) ||
	    memcmp(head.e_ident, ELFMAG, SELFMAG) != 0)
		head.e_machine = disasm_machine();
	close(fd);
	return head.e_machine;
}

/* The runtime wrote its bytes into the dump: they are there when the process is not. */
static int read_dump(struct code_job *cj, struct err *err)
{
	uint64_t skipped = cj->code->addr - cj->dump.start;

	cj->machine = (uint16_t)cj->dump.place.machine;
	if (skipped > cj->dump.size || cj->nbytes > cj->dump.size - skipped ||
	    pread(cj->dump.fd, cj->bytes, cj->nbytes, (off_t)(cj->dump.code + skipped)) !=
		    (ssize_t)cj->nbytes)
		return err_set(err, EINVAL, "the jitdump of process %d does not have the code", cj->pid);
	return 0;
}

static int read_process(struct code_job *cj, struct err *err)
{
	ssize_t n;

	if (cj->dump.fd >= 0 && cj->dump.code)
		return read_dump(cj, err);
	n = procmem_read(cj->pid, cj->code->addr, cj->bytes, cj->nbytes);

	if (n == -EACCES || n == -EPERM) {
		err_set(err, EACCES, "the memory of process %d may not be read", cj->pid);
		return err_advise(err, "run as its user, or as root with CAP_SYS_PTRACE");
	}
	if (n <= 0)
		return err_set(err, ENOENT, "process %d does not have this code any more", cj->pid);
	cj->nbytes = (size_t)n;
	cj->machine = process_machine(cj->pid);
	return 0;
}

static int (*const readers[])(struct code_job *cj, struct err *err) = {
	[OBJECT_FILE] = read_file,   [OBJECT_KERNEL] = read_kernel, [OBJECT_MODULE] = read_kernel,
	[OBJECT_VDSO] = read_vdso,   [OBJECT_JIT] = read_process,   [OBJECT_ANON] = read_process,
};

/* --- on a worker: lines ------------------------------------------------------------------- */

static uint32_t add_path(struct code *c, const char *path)
{
	return path ? code_add_text(c, path, strlen(path)) : 0;
}

/* Rows and instructions are both by address. */
static void set_lines(struct code *c, const struct lines_row *rows, size_t nr)
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
		while (f < files && path[f] != rows[row].file && strcmp(path[f], rows[row].file) != 0)
			f++;
		if (f == SOURCE_FILES_MAX)
			continue;
		if (f == files) {
			path[files] = rows[row].file;
			file[files++] = add_path(c, rows[row].file);
		}
		in->file = file[f];
		in->line = file[f] ? rows[row].line : 0;
	}
}

static void source_of(const struct code_job *cj, char root[32], struct source_from *from)
{
	struct stat st;
	char process[32];

	snprintf(root, 32, "/proc/%d/root", cj->pid);
	snprintf(process, sizeof(process), "/proc/%d", cj->pid);
	*from = (struct source_from){.root = root, .user = (uid_t)-1};
	if (cj->pid <= 0 || access(root, X_OK) || stat(process, &st)) {
		from->root = NULL;
		from->user = geteuid() ? geteuid() : (uid_t)-1;
	} else {
		from->user = st.st_uid;
	}
	if (cj->fd >= 0 && !fstat(cj->fd, &st))
		from->built_ns = (uint64_t)st.st_mtim.tv_sec * 1000000000 +
				 (uint64_t)st.st_mtim.tv_nsec;
}

/* Where the line is another one than above, what was inlined may be, too. */
static void set_inlined(struct code *c, struct lines *lines)
{
	struct lines_frame frames[LINES_DEPTH_MAX];
	const char *above = NULL;

	for (size_t i = 0; i < c->ninsns; i++) {
		struct code_insn *in = &c->insns[i];
		const char *name;
		size_t depth;

		if (i && in->file == in[-1].file && in->line == in[-1].line) {
			in->inlined = in[-1].inlined;
			continue;
		}
		depth = lines_find(lines, in->addr, frames);
		name = depth > 1 ? frames[depth - 1].name : NULL;
		if (name && above && !strcmp(name, above))
			in->inlined = in[-1].inlined;
		else if (name)
			in->inlined = code_add_text(c, name, strlen(name));
		above = name;
	}
}

/* From the object's debug information. */
static int elf_lines(struct code_job *cj, const struct source_from *from, size_t *nr)
{
	struct code *c = cj->code;
	struct err err = {.code = 0};
	struct lines_row *rows = NULL;
	struct lines *lines;
	int ret = lines_open(cj->fd, cj->path, from->root, &lines, &err);

	if (ret) {
		say(&c->note, &err);
		return 0;
	}
	ret = lines_range(lines, c->from, c->to, &rows, nr);
	if (*nr) {
		set_lines(c, rows, *nr);
		set_inlined(c, lines);
	}
	lines_close(lines);
	free(rows);
	return ret;
}

/* From the jitdump: offsets in the function. */
static int dump_lines(struct code_job *cj, size_t *nr)
{
	const struct dumped *d = &cj->dump;
	struct jitdump_file f = {.fd = d->fd};
	struct jitdump_lines lines = {.nr = 0};
	struct lines_row *rows;
	struct stat st;

	if (!d->lines || fstat(d->fd, &st))
		return 0;
	f.size = (uint64_t)st.st_size;
	if (jitdump_read_lines(&f, &d->place, d->lines, d->start, d->size, &lines) || !lines.nr) {
		jitdump_lines_clear(&lines);
		return 0;
	}
	rows = calloc(lines.nr, sizeof(*rows));
	for (size_t i = 0; rows && i < lines.nr; i++)
		rows[i] = (struct lines_row){.addr = d->start + lines.line[i].offset,
					     .file = lines.names + lines.line[i].file,
					     .line = lines.line[i].line};
	if (rows)
		set_lines(cj->code, rows, lines.nr);
	*nr = rows ? lines.nr : 0;
	jitdump_lines_clear(&lines);
	free(rows);
	return rows ? 0 : -ENOMEM;
}

static void note(struct code *c, const char *text)
{
	free(c->note);
	c->note = strdup(text);
}

static void add_lines(struct code_job *cj)
{
	struct code *c = cj->code;
	struct source_from from;
	bool newer = false;
	char root[32];
	size_t nr = 0;
	int ret;

	source_of(cj, root, &from);
	ret = cj->fd >= 0 ? elf_lines(cj, &from, &nr) : dump_lines(cj, &nr);
	if (nr && !ret)
		ret = source_add(c, &from, &newer);
	if (ret == -ENOMEM)
		note(c, "no source lines: out of memory");
	else if (newer)
		note(c, "the source was changed after the program was built: its lines may not be "
			"those that ran");
}

static void close_files(struct code_job *cj)
{
	if (cj->fd >= 0)
		close(cj->fd);
	if (cj->dump.fd >= 0)
		close(cj->dump.fd);
	cj->fd = cj->dump.fd = -1;
}

static void run(struct job *job)
{
	struct code_job *cj = (struct code_job *)job;
	struct code *c = cj->code;
	struct err err = {.code = 0};
	struct disasm d;
	int ret;

	cj->bytes = malloc(cj->nbytes);
	ret = cj->bytes ? readers[c->place.kind](cj, &err)
			: err_set(&err, ENOMEM, "out of memory");
	d = (struct disasm){.machine = cj->machine, .bytes = cj->bytes, .len = cj->nbytes,
			    .addr = c->addr, .from = c->from, .to = c->to};
	if (!ret)
		ret = disasm_run(&d, c, &err);
	if (ret)
		say(&c->why, &err);
	else if (cj->with_lines)
		add_lines(cj);
	else
		c->loading = cj->fd >= 0 || cj->dump.lines;
	close_files(cj);
	free(cj->bytes);
	cj->bytes = NULL;
}

/* --- back on the resolver's thread: names ------------------------------------------------- */

static bool process_function(const struct process *p, uint64_t addr, struct symtab_entry *e)
{
	struct jit_name n;

	if (!jit_find(&p->jit, addr, MAPS_NOW, &n))
		return false;
	*e = (struct symtab_entry){n.addr, n.size, n.name};
	return true;
}

/* The function at an address of the code's object, by its recorded addresses. */
static bool find_function(const struct code_job *cj, uint64_t addr, struct symtab_entry *e)
{
	const struct resolver *r = cj->resolver;
	const struct symtab *symbols = NULL;
	struct process *p;

	if (cj->process) {
		p = tasks_process(r->tasks, cj->pid);
		return p && p->serial == cj->process && process_function(p, addr, e);
	}
	if (cj->object)
		symbols = cj->object->elf.symtab;
	else if (r->kernel.loaded)
		symbols = r->kernel.syms.symtab;
	if (!symbols || !symtab_find(symbols, addr - cj->moved, e))
		return false;
	e->addr += cj->moved;
	return true;
}

/* Where code goes to: by target, so that each is looked up once. */
struct target {
	uint64_t addr;
	uint32_t insn;
};

static int target_compare(const void *a, const void *b)
{
	const struct target *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

static size_t collect_targets(const struct code *c, struct target *t)
{
	size_t nr = 0;

	for (size_t i = 0; i < c->ninsns; i++)
		if (c->insns[i].target && !(c->insns[i].flow == CODE_JUMP &&
					    c->insns[i].target - c->addr < c->size))
			t[nr++] = (struct target){c->insns[i].target, (uint32_t)i};
	qsort(t, nr, sizeof(*t), target_compare);
	return nr;
}

static uint32_t add_name(struct code *c, const struct symtab_entry *e)
{
	char *readable = demangle(e->name);
	const char *name = readable ? readable : e->name;
	uint32_t at = code_add_text(c, name, strlen(name));

	free(readable);
	return at;
}

static void name_targets(struct code_job *cj)
{
	struct code *c = cj->code;
	struct target *t = c->ninsns ? calloc(c->ninsns, sizeof(*t)) : NULL;
	size_t nr = t ? collect_targets(c, t) : 0, names = 0;
	struct symtab_entry e = {.size = 0};
	uint32_t name = 0;

	for (size_t i = 0; i < nr; i++) {
		struct code_insn *in = &c->insns[t[i].insn];
		uint64_t addr = t[i].addr;

		if (!name || addr - e.addr >= e.size) {
			if (names == CODEJOB_NAMES || !find_function(cj, addr, &e)) {
				name = 0;
				continue;
			}
			name = add_name(c, &e);
			names++;
		}
		in->target_name = name;
		in->target_off = (uint32_t)(addr - e.addr);
	}
	free(t);
}

static void job_free(struct code_job *cj)
{
	if (!cj)
		return;
	close_files(cj);
	object_put(cj->object);
	code_free(cj->code);
	free(cj->bytes);
	free(cj->path);
	free(cj);
}

static int submit(struct resolver *r, const struct code_place *place, bool with_lines);

static void finish(struct job *job, void *arg)
{
	struct code_job *cj = (struct code_job *)job;
	struct resolver *r = arg;

	name_targets(cj);
	/* Debug information can be large: nobody waits for it. */
	if (cj->code->loading && submit(r, &cj->code->place, true))
		cj->code->loading = false;
	slice_add_code(r->slice, cj->code);
	cj->code = NULL;
	r->codes--;
	job_free(cj);
}

static void discard(struct job *job)
{
	struct code_job *cj = (struct code_job *)job;

	cj->object = NULL; /* the registry may be gone, and nobody counts any more */
	job_free(cj);
}

/* --- what to read ------------------------------------------------------------------------- */

/* The function at the place asked for, and which page of it. */
static void set_bounds(struct code_job *cj)
{
	struct code *c = cj->code;
	uint64_t asked = c->place.addr, skipped;
	struct symtab_entry e;
	char *readable;

	c->addr = asked;
	c->from = asked;
	c->to = asked + CODEJOB_SPAN;
	if (!find_function(cj, asked, &e))
		return;
	readable = demangle(e.name);
	c->name = readable ? readable : strdup(e.name);
	c->addr = e.addr;
	c->size = e.size;
	skipped = (asked - c->addr) / CODE_PAGE_BYTES * CODE_PAGE_BYTES;
	c->from = c->addr + skipped;
	c->to = c->size - skipped > CODE_PAGE_BYTES ? c->from + CODE_PAGE_BYTES : c->addr + c->size;
}

static int find_object(struct code_job *cj, struct err *err)
{
	const struct code_place *p = &cj->code->place;
	struct object *o = objects_find(cj->resolver->objects, p->kind, p->object, p->build_id,
					p->build_id_len);

	if (!o)
		return err_set(err, ENOENT, "%s is not mapped by anyone any more", p->object);
	if (o->state == OBJECT_LOADING) {
		cj->code->again = true;
		return err_set(err, EAGAIN, "the symbols of %s are being loaded", p->object);
	}
	if (o->state == OBJECT_NAMELESS)
		return err_set(err, ENOENT, "%s", o->why ? o->why : "there are no symbols");
	o->refs++;
	cj->object = o;
	cj->pid = o->pid;
	cj->start = o->start;
	cj->end = o->end;
	cj->ino = o->ino;
	cj->id_len = o->elf.build_id_len;
	memcpy(cj->id, o->elf.build_id, sizeof(cj->id));
	set_bounds(cj);
	return 0;
}

#define KERNEL_ALIGN (1ull << 20) /* as in frames.c: a kernel moves by multiples of it */

/* Modules come to stand elsewhere each time. */
static bool same_module(const struct code_job *cj, const struct kallsyms *k)
{
	const char *module = kallsyms_module_of(k, cj->code->place.addr);
	const char *name = cj->code->place.object;

	return *name == '[' && !strncmp(name + 1, module, strlen(module)) &&
	       !strcmp(name + 1 + strlen(module), "]");
}

static int find_kernel(struct code_job *cj, struct err *err)
{
	struct resolver *r = cj->resolver;
	const struct kallsyms *k = &r->kernel.syms;

	if (r->config.recorded && !r->config.kernel)
		return err_set(err, ENOENT, "it was recorded on another kernel, whose code is not here");
	if (!r->kernel.loaded) {
		cj->code->again = r->kernel.busy;
		return err_set(err, ENOENT, "the kernel's functions are not known: %s",
			       r->kernel.why ? r->kernel.why : "/proc/kallsyms is being read");
	}
	if (r->config.recorded && r->kmaps.reference && cj->code->place.kind == OBJECT_KERNEL) {
		cj->moved = r->kmaps.reference - k->modules[0].start;
		if (cj->moved % KERNEL_ALIGN)
			return err_set(err, ENOENT, "the recorded kernel's place is not known");
	}
	if (r->config.recorded && cj->code->place.kind == OBJECT_MODULE && !same_module(cj, k))
		return err_set(err, ENOENT, "%s is not where it was when this was recorded",
			       cj->code->place.object);
	set_bounds(cj);
	return 0;
}

/* A descriptor of our own: the resolver may give the dump up while we read. */
static void find_dumped(struct code_job *cj, const struct process *p)
{
	const struct jit_dump *d;
	struct jit_name n;

	if (!jit_find(&p->jit, cj->code->place.addr, MAPS_NOW, &n) || !n.function ||
	    n.function->dump >= p->jit.ndumps)
		return;
	d = &p->jit.dump[n.function->dump];
	cj->dump = (struct dumped){.fd = d->fd >= 0 ? fcntl(d->fd, F_DUPFD_CLOEXEC, 3) : -1,
				   .start = n.addr, .size = n.size, .code = n.function->code,
				   .lines = n.function->lines, .place = d->place};
}

static int find_process(struct code_job *cj, struct err *err)
{
	const struct code_place *place = &cj->code->place;
	struct process *p = tasks_process(cj->resolver->tasks, place->pid);

	if (p && place->pid > 0)
		find_dumped(cj, p);
	if (!cj->resolver->config.scan && !cj->dump.code)
		return err_set(err, ENOENT, "a recording does not hold code that was made at run time");
	if (!p || place->pid <= 0 || (p->dead && !cj->dump.code))
		return err_set(err, ENOENT, "process %d ended, and its code with it", place->pid);
	cj->pid = place->pid;
	cj->process = p->serial;
	set_bounds(cj);
	/* Runtimes name their code late. */
	cj->code->again = !cj->code->size && (p->jit.ndumps || p->jit.busy);
	return 0;
}

static int find_none(struct code_job *cj, struct err *err)
{
	return err_set(err, ENOENT, "%s has no code that could be read",
		       *cj->code->place.object ? cj->code->place.object : "this");
}

static int (*const finders[])(struct code_job *cj, struct err *err) = {
	[OBJECT_FILE] = find_object,    [OBJECT_VDSO] = find_object,
	[OBJECT_KERNEL] = find_kernel,  [OBJECT_MODULE] = find_kernel,
	[OBJECT_JIT] = find_process,    [OBJECT_ANON] = find_process,
	[OBJECT_UNKNOWN] = find_none,   [OBJECT_RINGTOP] = find_none,
};

/* Bytes from where decoding can begin to the page's end. */
static void set_length(struct code_job *cj)
{
	struct code *c = cj->code;

	if (c->to - c->addr > CODEJOB_FUNCTION_MAX && c->from > c->addr) {
		/* Too much to decode for one page: it begins where a sample was, at an instruction. */
		c->from = c->place.addr;
		c->to = c->addr + c->size - c->from > CODE_PAGE_BYTES ? c->from + CODE_PAGE_BYTES
								       : c->addr + c->size;
		c->size -= c->from - c->addr;
		c->addr = c->from;
	}
	cj->nbytes = c->to - c->addr;
	/* The page's last instruction, too, is seen whole. */
	if (c->size > cj->nbytes)
		cj->nbytes += c->size - cj->nbytes < INSN_MAX ? c->size - cj->nbytes : INSN_MAX;
}

static int prepare(struct code_job *cj, struct err *err)
{
	const struct code_place *p = &cj->code->place;
	int ret;

	if (p->kind >= sizeof(finders) / sizeof(*finders))
		return err_set(err, EINVAL, "no such kind of code");
	ret = finders[p->kind](cj, err);
	if (ret)
		return ret;
	cj->path = strdup(p->object);
	if (!cj->path)
		return err_set(err, ENOMEM, "out of memory");
	set_length(cj);
	return 0;
}

/* A job, or at once the answer why there is none.  0, or -errno: no answer will come of it. */
static int submit(struct resolver *r, const struct code_place *place, bool with_lines)
{
	struct code_job *cj = calloc(1, sizeof(*cj));
	struct err err = {.code = 0};
	int ret;

	if (!cj || !(cj->code = code_create(place))) {
		free(cj);
		return -ENOMEM;
	}
	cj->resolver = r;
	cj->with_lines = with_lines;
	cj->fd = cj->dump.fd = -1;
	cj->job = (struct job){.run = run, .finish = finish, .discard = discard};
	ret = with_lines || r->codes < CODEJOB_PENDING
		      ? prepare(cj, &err)
		      : err_set(&err, EBUSY, "too much is asked for at once");
	if (!ret) {
		r->codes++;
		workers_submit(r->workers, &cj->job, !with_lines);
		return 0;
	}
	if (!with_lines) {
		say(&cj->code->why, &err);
		slice_add_code(r->slice, cj->code);
		cj->code = NULL;
	}
	job_free(cj);
	return with_lines ? ret : 0;
}

void codejob_ask(struct resolver *r, const struct code_place *place)
{
	if (submit(r, place, false))
		slice_log(r->slice, SLICE_WARNING, "out of memory: no code");
}

bool codejob_pending(const struct resolver *r)
{
	return r->codes;
}
