/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * In this order: limits while they can be set, the root directory and the uid while these are
 * rights, then capabilities, and the filter last, which allows none of these.  Each counts without
 * the others, so one that fails is reported, and the rest goes on.
 */
#include "system/sandbox/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * An empty root: a directory that holds only the numbers of the helper's own descriptors, that no
 * process can add to, and that is there wherever /proc is.  The trick is Chromium's sandbox's.
 */
#define EMPTY "/proc/self/fdinfo"

/* Sanitizers map terabytes of shadow, and report errors by calls of their own. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

struct report {
	char *text;
	size_t size, len;
};

static void note_missing_right(struct report *r, const char *what)
{
	int n = snprintf(r->text + r->len, r->size - r->len, "%s%s: %s", r->len ? ", " : "", what,
			 strerror(errno));

	if (n > 0)
		r->len = r->len + (size_t)n < r->size ? r->len + (size_t)n : r->size - 1;
}

static void set_limit(struct report *r, int which, rlim_t n, const char *what)
{
	struct rlimit l = {n, n}, old;

	/* Not even root's are raised: an administrator may have set less. */
	if (!getrlimit((__rlimit_resource_t)which, &old) && old.rlim_max < n)
		l = (struct rlimit){old.rlim_max, old.rlim_max};
	if (setrlimit((__rlimit_resource_t)which, &l))
		note_missing_right(r, what);
}

static void set_limits(struct report *r, uint64_t memory, uint64_t files)
{
	set_limit(r, RLIMIT_CORE, 0, "RLIMIT_CORE");
	set_limit(r, RLIMIT_FSIZE, 0, "RLIMIT_FSIZE");
	set_limit(r, RLIMIT_NOFILE, 256, "RLIMIT_NOFILE");
	set_limit(r, RLIMIT_MEMLOCK, 0, "RLIMIT_MEMLOCK");
	if (SANITIZED)
		return;
	set_limit(r, RLIMIT_DATA, memory, "RLIMIT_DATA");
	set_limit(r, RLIMIT_AS, memory + files, "RLIMIT_AS");
}

/* An ordinary user may in a user namespace of its own, where the system allows these. */
static void drop_root(struct report *r)
{
	int fd = open(EMPTY, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0 || (geteuid() && unshare(CLONE_NEWUSER)) || fchdir(fd) || chroot(".") ||
	    chdir("/"))
		note_missing_right(r, "an empty root directory");
	if (fd >= 0)
		close(fd);
}

static void drop_uid(struct report *r, uid_t uid)
{
	if (geteuid())
		return;
	if (setgroups(0, NULL))
		note_missing_right(r, "setgroups");
	if (setresgid(uid, uid, uid))
		note_missing_right(r, "setresgid");
	if (setresuid(uid, uid, uid))
		note_missing_right(r, "setresuid");
}

/* A helper holds nothing that cannot be read again: when memory runs out it is the one to end. */
static void go_first(void)
{
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	if (write(fd, "1000", 4) < 0)
		errno = 0; /* the system may refuse it, and that leaves no right */
	close(fd);
}

static void drop_capabilities(struct report *r)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct none[2] = {{0}};

	prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); /* since 4.3; before, there are
								   * none */
	if (syscall(SYS_capset, &head, none))
		note_missing_right(r, "capset");
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0))
		note_missing_right(r, "PR_SET_DUMPABLE");
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		note_missing_right(r, "PR_SET_NO_NEW_PRIVS");
}

/* --- the filter --------------------------------------------------------------------------- */

#if defined(__x86_64__)
#define ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCH AUDIT_ARCH_AARCH64
#elif defined(__riscv) && __riscv_xlen == 64
#define ARCH AUDIT_ARCH_RISCV64
#endif

#ifdef ARCH

/*
 * No signal can be blocked or handled anew, so that each limit ends the process.  timer_settime()
 * starts the one timer that was made before (files/elf/demangle.h).
 */
static const int allowed[] = {
	SYS_read,	   SYS_write,		SYS_writev,	  SYS_sendmsg, SYS_recvmsg,
	SYS_ppoll,	   SYS_close,		SYS_dup,	  SYS_pread64, SYS_lseek,
	SYS_fstat,	   SYS_newfstatat,	SYS_brk,	  SYS_munmap,  SYS_mremap,
	SYS_madvise,	   SYS_futex,		SYS_rt_sigreturn, SYS_exit,    SYS_exit_group,
	SYS_clock_gettime, SYS_gettimeofday,	SYS_getrandom,	  SYS_getpid,  SYS_gettid,
	SYS_sched_yield,   SYS_restart_syscall, SYS_sysinfo,	  SYS_timer_settime,
};

/* Allowed by their third argument, which is the protection: only memory that is not to be code. */
static const int mapping[] = {SYS_mmap, SYS_mprotect};

#define LOAD(field)     BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define RETURN(what)    BPF_STMT(BPF_RET | BPF_K, what)
#define IF(op, n, t, f) BPF_JUMP(BPF_JMP | (op) | BPF_K, (uint32_t)(n), t, f)
#define REFUSED         (SECCOMP_RET_ERRNO | (EPERM & SECCOMP_RET_DATA))

#define COUNT(list)     (sizeof(list) / sizeof(*(list)))

struct program {
	struct sock_filter code[3 * (COUNT(allowed) + COUNT(mapping)) + 32];
	unsigned short nr;
};

static void append_code(struct program *p, const struct sock_filter *code, size_t nr)
{
	memcpy(p->code + p->nr, code, nr * sizeof(*code));
	p->nr = (unsigned short)(p->nr + nr);
}

#define ADD(p, ...) append_code(p, (const struct sock_filter[]){__VA_ARGS__}, \
				COUNT(((const struct sock_filter[]){__VA_ARGS__})))

/* Arguments are 64 bits wide, little end first; of both calls protections are the third. */
static void make_filter(struct program *p)
{
	ADD(p, LOAD(arch), IF(BPF_JEQ, ARCH, 1, 0), RETURN(SECCOMP_RET_KILL_PROCESS), LOAD(nr));
	for (size_t i = 0; i < COUNT(allowed); i++)
		ADD(p, IF(BPF_JEQ, allowed[i], 0, 1), RETURN(SECCOMP_RET_ALLOW));
	for (size_t i = 0; i < COUNT(mapping); i++)
		ADD(p, IF(BPF_JEQ, mapping[i], 0, 4), LOAD(args[2]), IF(BPF_JSET, PROT_EXEC, 1, 0),
		    RETURN(SECCOMP_RET_ALLOW), RETURN(REFUSED));
	/* abort() */
	ADD(p, IF(BPF_JEQ, SYS_tgkill, 0, 3), LOAD(args[0]), IF(BPF_JEQ, getpid(), 0, 1),
	    RETURN(SECCOMP_RET_ALLOW), RETURN(REFUSED));
}

static void install_filter(struct report *r)
{
	struct program p = {.nr = 0};
	struct sock_fprog prog;

	make_filter(&p);
	prog = (struct sock_fprog){p.nr, p.code};
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog, 0, 0))
		note_missing_right(r, "seccomp");
}

#else

static void install_filter(struct report *r)
{
	errno = ENOSYS;
	note_missing_right(r, "seccomp on this architecture");
}

#endif

void confine_enter(uint64_t memory, uint64_t files, uid_t uid, char *missing, size_t size)
{
	struct report r = {missing, size, 0};

	*missing = '\0';
	go_first();
	set_limits(&r, memory, files);
	drop_root(&r);
	drop_uid(&r, uid);
	drop_capabilities(&r);
	install_filter(&r);
}
