/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * inject - a library to be preloaded that lets one call of the program fail, once.
 *
 * Places are told apart by what was called and by the call stack inside the program itself, so that
 * every way to every call can be tried, each in a run of its own:
 *
 *   FAULT_SITES=FILE    append a line "KIND HASH ADDRESS..." to FILE for each place that is met
 *   FAULT_SITE=KIND:HASH  let the first call at that place fail, with the errno of its kind, and
 *                       append "fired" to the file FAULT_FIRED
 *
 * Addresses are offsets in the program's file, innermost first.  Programs that it starts are left alone,
 * and so are allocations of curses: ncurses 6.4 crashes by itself without some of them (tables of
 * tigetflag() and of doupdate()), and the program cannot help that.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#define DEPTH  6     /* frames of the program that make a place */
#define STACK  48    /* frames looked at to find them */
#define PLACES 65536 /* a power of two */
#define PUBLIC __attribute__((visibility("default")))

enum kind { ALLOC, OPEN, READ, WRITE, MMAP, PERF, IOCTL, POLL, CLONE, KINDS };

static const struct {
	const char *name;
	int error;
} kinds[KINDS] = {
	[ALLOC] = {"alloc", ENOMEM}, [OPEN] = {"open", EMFILE},	 [READ] = {"read", EIO},
	[WRITE] = {"write", ENOSPC}, [MMAP] = {"mmap", ENOMEM},	 [PERF] = {"perf", EMFILE},
	[IOCTL] = {"ioctl", EINVAL}, [POLL] = {"poll", ENOMEM},	 [CLONE] = {"clone", EAGAIN},
};

static __thread bool inside __attribute__((tls_model("initial-exec")));
static uintptr_t base, text_from, text_to; /* of the program */
static struct {
	uintptr_t from, to;
} curses[4]; /* code of libncurses and libtinfo */
static unsigned ncurses;
static bool ready;
static pid_t owner;
static int sites_fd = -1, fired_fd = -1;
static enum kind want_kind;
static uint64_t want_hash;
static _Atomic bool armed;
static _Atomic uint64_t seen[PLACES];

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t nr, size_t size);
extern void *__libc_realloc(void *p, size_t size);
extern void *__libc_memalign(size_t align, size_t size);

/* --- places ------------------------------------------------------------------------------- */

static int find_curses(struct dl_phdr_info *info)
{
	if (!strstr(info->dlpi_name, "/libncurses") && !strstr(info->dlpi_name, "/libtinfo"))
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type != PT_LOAD || !(p->p_flags & PF_X) || ncurses == 4)
			continue;
		curses[ncurses].from = info->dlpi_addr + p->p_vaddr;
		curses[ncurses].to = curses[ncurses].from + p->p_memsz;
		ncurses++;
	}
	return 0;
}

static bool in_curses(uintptr_t ip)
{
	for (unsigned i = 0; i < ncurses; i++)
		if (ip >= curses[i].from && ip < curses[i].to)
			return true;
	return false;
}

static int find_objects(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)size;
	(void)arg;
	if (text_to) /* the first one is the program */
		return find_curses(info);
	base = info->dlpi_addr;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type == PT_LOAD && (p->p_flags & PF_X)) {
			text_from = base + p->p_vaddr;
			text_to = text_from + p->p_memsz;
		}
	}
	return 0;
}

/* The frames of the program itself, as offsets; libraries between them do not count.  0: not its doing. */
static unsigned program_stack(enum kind kind, uint64_t at[DEPTH])
{
	void *stack[STACK];
	int nr = backtrace(stack, STACK);
	unsigned found = 0;

	for (int i = 0; i < nr && found < DEPTH; i++) {
		uintptr_t ip = (uintptr_t)stack[i];

		if (ip >= text_from && ip < text_to)
			at[found++] = ip - base;
		else if (kind == ALLOC && !found && in_curses(ip))
			return 0;
	}
	return found;
}

static uint64_t place_hash(enum kind kind, const uint64_t *at, unsigned nr)
{
	uint64_t h = 0x9e3779b97f4a7c15ull * (kind + 1);

	for (unsigned i = 0; i < nr; i++)
		h = (h ^ at[i]) * 0x100000001b3ull, h ^= h >> 29;
	return h | 1;
}

/* True for who is the first to meet it. */
static bool is_new(uint64_t hash)
{
	for (uint64_t i = hash, tries = 0; tries < PLACES; i++, tries++) {
		uint64_t none = 0;

		if (atomic_compare_exchange_strong(&seen[i % PLACES], &none, hash))
			return true;
		if (none == hash)
			return false;
	}
	return false;
}

static long raw_write(int fd, const void *buf, size_t len)
{
	return syscall(SYS_write, fd, buf, len);
}

static void tell_place(enum kind kind, uint64_t hash, const uint64_t *at, unsigned nr)
{
	char line[256];
	int len = snprintf(line, sizeof(line), "%s %016llx", kinds[kind].name,
			   (unsigned long long)hash);

	for (unsigned i = 0; i < nr; i++)
		len += snprintf(line + len, sizeof(line) - (size_t)len, " 0x%llx",
				(unsigned long long)at[i]);
	line[len++] = '\n';
	raw_write(sites_fd, line, (size_t)len);
}

/* True: this call is to fail, errno says how. */
static bool fails(enum kind kind)
{
	uint64_t at[DEPTH], hash;
	unsigned nr;
	int saved = errno;
	bool hit = false;

	if (!ready || inside || (fired_fd >= 0 && (kind != want_kind || !armed)))
		return false;
	inside = true;
	nr = getpid() == owner ? program_stack(kind, at) : 0;
	if (nr) {
		hash = place_hash(kind, at, nr);
		if (sites_fd >= 0 && is_new(hash))
			tell_place(kind, hash, at, nr);
		hit = fired_fd >= 0 && hash == want_hash && atomic_exchange(&armed, false);
		if (hit)
			raw_write(fired_fd, "fired\n", 6);
	}
	inside = false;
	errno = hit ? kinds[kind].error : saved;
	return hit;
}

static int open_log(const char *variable)
{
	const char *path = getenv(variable);

	return path ? (int)syscall(SYS_openat, AT_FDCWD, path,
				   O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666)
		    : -1;
}

static void choose(const char *site)
{
	size_t len = site ? strcspn(site, ":") : 0;

	for (unsigned k = 0; site && k < KINDS; k++)
		if (strlen(kinds[k].name) == len && !strncmp(site, kinds[k].name, len)) {
			want_kind = (enum kind)k;
			want_hash = strtoull(site + len + 1, NULL, 16);
			armed = true;
		}
	if (site && !armed) {
		fprintf(stderr, "inject: FAULT_SITE=%s is not KIND:HASH\n", site);
		_exit(99);
	}
}

__attribute__((constructor)) static void begin(void)
{
	void *warm[2];

	inside = true;
	backtrace(warm, 2); /* loads libgcc, which allocates */
	dl_iterate_phdr(find_objects, NULL);
	sites_fd = open_log("FAULT_SITES");
	choose(getenv("FAULT_SITE"));
	fired_fd = armed ? open_log("FAULT_FIRED") : -1;
	unsetenv("LD_PRELOAD");
	owner = getpid();
	ready = true;
	inside = false;
}

/* --- what may fail ------------------------------------------------------------------------ */

PUBLIC void *malloc(size_t size)
{
	return fails(ALLOC) ? NULL : __libc_malloc(size);
}

PUBLIC void *calloc(size_t nr, size_t size)
{
	return fails(ALLOC) ? NULL : __libc_calloc(nr, size);
}

PUBLIC void *realloc(void *p, size_t size)
{
	return fails(ALLOC) ? NULL : __libc_realloc(p, size);
}

PUBLIC void *aligned_alloc(size_t align, size_t size)
{
	return fails(ALLOC) ? NULL : __libc_memalign(align, size);
}

PUBLIC int posix_memalign(void **p, size_t align, size_t size)
{
	if (fails(ALLOC))
		return ENOMEM;
	*p = __libc_memalign(align, size);
	return *p ? 0 : ENOMEM;
}

/* The next definition of a function, looked up once. */
#define REAL(name)                                                                                 \
	static __typeof__(&name) real;                                                             \
	if (!real)                                                                                 \
	real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

static mode_t mode_of(int flags, va_list args)
{
	return flags & (O_CREAT | O_TMPFILE) ? va_arg(args, mode_t) : 0;
}

#define BARE(...) __VA_ARGS__

/* OPEN_LIKE(name, (parameters), (arguments)), both without flags and mode */
#define OPEN_LIKE(name, parameters, arguments)                                                     \
	PUBLIC int name(BARE parameters, int flags, ...)                                           \
	{                                                                                          \
		va_list args;                                                                      \
		mode_t mode;                                                                       \
		va_start(args, flags);                                                             \
		mode = mode_of(flags, args);                                                       \
		va_end(args);                                                                      \
		REAL(name);                                                                        \
		return fails(OPEN) ? -1 : real(BARE arguments, flags, mode);                       \
	}

/* PASS(kind, type, failed, name, (parameters), (arguments)) */
#define PASS(kind, type, failed, name, parameters, arguments)                                      \
	PUBLIC type name parameters                                                                \
	{                                                                                          \
		REAL(name);                                                                        \
		return fails(kind) ? failed : real arguments;                                      \
	}

OPEN_LIKE(open, (const char *path), (path))
OPEN_LIKE(open64, (const char *path), (path))
OPEN_LIKE(openat, (int dir, const char *path), (dir, path))
OPEN_LIKE(openat64, (int dir, const char *path), (dir, path))
PASS(OPEN, FILE *, NULL, fopen, (const char *path, const char *mode), (path, mode))
PASS(OPEN, DIR *, NULL, opendir, (const char *path), (path))
PASS(READ, ssize_t, -1, read, (int fd, void *buf, size_t len), (fd, buf, len))
PASS(READ, ssize_t, -1, pread, (int fd, void *buf, size_t len, off_t at), (fd, buf, len, at))
PASS(READ, ssize_t, -1, pread64, (int fd, void *buf, size_t len, off64_t at), (fd, buf, len, at))
PASS(WRITE, ssize_t, -1, write, (int fd, const void *buf, size_t len), (fd, buf, len))
PASS(WRITE, ssize_t, -1, pwrite, (int fd, const void *buf, size_t len, off_t at), (fd, buf, len, at))
PASS(WRITE, ssize_t, -1, pwrite64, (int fd, const void *buf, size_t len, off64_t at),
     (fd, buf, len, at))
PASS(WRITE, ssize_t, -1, writev, (int fd, const struct iovec *v, int nr), (fd, v, nr))
PASS(MMAP, void *, MAP_FAILED, mmap, (void *p, size_t len, int prot, int flags, int fd, off_t at),
     (p, len, prot, flags, fd, at))
PASS(MMAP, void *, MAP_FAILED, mmap64,
     (void *p, size_t len, int prot, int flags, int fd, off64_t at), (p, len, prot, flags, fd, at))
PASS(POLL, int, -1, poll, (struct pollfd *fds, nfds_t nr, int timeout), (fds, nr, timeout))
PASS(POLL, int, -1, ppoll,
     (struct pollfd *fds, nfds_t nr, const struct timespec *timeout, const sigset_t *mask),
     (fds, nr, timeout, mask))
PASS(CLONE, int, EAGAIN, pthread_create,
     (pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *), void *arg),
     (thread, attr, start, arg))
PASS(CLONE, pid_t, -1, fork, (void), ())

PUBLIC int ioctl(int fd, unsigned long request, ...)
{
	va_list args;
	void *arg;

	va_start(args, request);
	arg = va_arg(args, void *);
	va_end(args);
	return fails(IOCTL) ? -1 : (int)syscall(SYS_ioctl, fd, request, arg);
}

/* What has no function in libc; perf_event_open is the one that may fail. */
PUBLIC long syscall(long number, ...)
{
	long a[6];
	va_list args;
	REAL(syscall);

	va_start(args, number);
	for (unsigned i = 0; i < 6; i++)
		a[i] = va_arg(args, long);
	va_end(args);
	if (number == SYS_perf_event_open && fails(PERF))
		return -1;
	return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
