/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hostile - files that change or lie while they are in use, as any user may have them.
 *
 * hostile -s SEC KIND, in a directory of its own:
 *   dump    a jitdump of 200 000 functions that overlap, then of records that are none
 *   files   programs that are replaced by other files, or deleted, while they run
 * Prints how often it did so.  Its processes and files end with it.
 */
#include <fcntl.h>
#include <sys/stat.h>

#include "work.h"

#define PAGE  4096u
#define CODES 200000u

static uint64_t deadline;
static pid_t parent;

static __attribute__((noinline)) uint32_t hostile_spin(uint32_t x)
{
	return work_spin(x, 5003);
}

static int own_file(void)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		err(1, "/proc/self/exe");
	return fd;
}

/* --- dump --- */

struct record {
	uint32_t id, size;
	uint64_t time;
	uint32_t pid, tid;
	uint64_t vma, addr, code_size, index;
	char name[200];
};

static FILE *dump_begin(const char *path)
{
	const uint32_t words[6] = {0x4a695444, 1, 40, 62, 0, (uint32_t)getpid()};
	const uint64_t rest[2] = {work_now(), 0};
	FILE *f = fopen(path, "w+");

	if (!f)
		err(1, "%s", path);
	fwrite(words, sizeof(words), 1, f);
	fwrite(rest, sizeof(rest), 1, f);
	fflush(f);
	/* the mark that tells of it */
	if (mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(f), 0) == MAP_FAILED)
		err(1, "%s", path);
	return f;
}

static struct record code_at(uint64_t where, uint64_t size, uint64_t index)
{
	struct record r = {.size = sizeof(r), .time = work_now(), .pid = (uint32_t)getpid(),
			   .tid = (uint32_t)getpid(), .vma = where, .addr = where, .code_size = size,
			   .index = index};

	memset(r.name, 'j', sizeof(r.name) - 1);
	snprintf(r.name, sizeof(r.name), "jit_%08" PRIu64 "_", index);
	r.name[13] = 'j';
	return r;
}

/* Code in memory that is no file's, so that somebody wants to know whose it is. */
static uint32_t (*code_make(void))(uint32_t)
{
	void *area = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint32_t (*run)(uint32_t);
#ifdef __x86_64__
	/* mov %edi,%eax; 1: sub $1,%eax; jnz 1b; ret */
	static const unsigned char code[] = {0x89, 0xf8, 0x83, 0xe8, 0x01, 0x75, 0xfb, 0xc3};
#else
	errx(77, "no code generator for this machine");
	static const unsigned char code[1];
#endif

	if (area == MAP_FAILED)
		err(1, "mmap");
	memcpy(area, code, sizeof(code));
	if (mprotect(area, PAGE, PROT_READ | PROT_EXEC))
		err(77, "the machine does not let us run generated code");
	memcpy(&run, &area, sizeof(run));
	return run;
}

static uint64_t dump(const struct work *w)
{
	uint32_t (*run)(uint32_t) = code_make();
	uint64_t here = (uintptr_t)run, done = 0;
	struct record r;
	char path[64];
	FILE *f;

	(void)w;
	snprintf(path, sizeof(path), "jit-%d.dump", (int)getpid());
	f = dump_begin(path);
	for (; done < CODES && work_now() < deadline; done++) {
		r = code_at(here - 8 * (CODES - done), 16 * (uint64_t)CODES, done);
		fwrite(&r, sizeof(r), 1, f);
		run(1000);
	}
	r = code_at(here, UINT64_MAX / 2, done);
	r.size = UINT32_MAX;
	fwrite(&r, sizeof(r), 1, f);
	fflush(f);
	for (; work_now() < deadline; done++)
		run(100000);
	fclose(f);
	unlink(path);
	return done;
}

/* --- files --- */

static void copy_self(const char *path)
{
	static char buf[1 << 16];
	int own = own_file(), to = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
	ssize_t n;

	if (to < 0)
		err(1, "%s", path);
	while ((n = read(own, buf, sizeof(buf))) > 0)
		if (write(to, buf, (size_t)n) != n)
			err(1, "%s", path);
	close(own);
	close(to);
}

/* What is there now is another file, of the same name; every other time none. */
static void replace(const char *path, bool gone)
{
	static const char text[] = "\177ELF\2\1\1 and nothing else";
	int fd;

	unlink(path);
	if (gone)
		return;
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
	if (fd < 0 || write(fd, text, sizeof(text)) != sizeof(text) || close(fd))
		err(1, "%s", path);
}

static uint64_t files(const struct work *w)
{
	uint64_t done = 0;
	char path[64];

	(void)w;
	snprintf(path, sizeof(path), "replaced-%d", (int)getpid());
	for (; work_now() < deadline; done++) {
		pid_t pid;

		copy_self(path);
		pid = fork();
		if (pid < 0)
			err(1, "fork");
		if (pid == 0) {
			work_child(parent);
			execl(path, path, "-s", "0.03", "spin", (char *)NULL);
			_exit(1);
		}
		nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
		replace(path, done % 2);
		waitpid(pid, NULL, 0);
	}
	unlink(path);
	return done;
}

/* What `files` starts. */
static uint64_t spin(const struct work *w)
{
	uint64_t done = 0;
	uint32_t x = 1;

	(void)w;
	for (; work_now() < deadline; done++)
		x = hostile_spin(x);
	return done + (x == 0);
}

static const struct {
	const char *name;
	uint64_t (*run)(const struct work *w);
} kinds[] = {{"dump", dump}, {"files", files}, {"spin", spin}};

int main(int argc, char **argv)
{
	struct work w;

	work_parse(&w, argc, argv);
	work_begin(&w);
	parent = getpid();
	deadline = work_deadline(&w);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (w.nrest == 1 && !strcmp(w.rest[0], kinds[i].name)) {
			printf("pid=%d done=%" PRIu64 "\n", (int)getpid(), kinds[i].run(&w));
			return 0;
		}
	errx(2, "dump or files?");
}
