/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/capture/privilege.h"

#include <errno.h>
#include <linux/capability.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/io.h"

#define CAP_PERFMON_BIT 38 /* since 5.8; older headers lack it */
#define PARANOID	"/proc/sys/kernel/perf_event_paranoid" /* exists with perf events */

static bool have_capability(void)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2] = {{0}};
	uint64_t effective;

	if (syscall(SYS_capget, &head, data))
		return false;
	effective = (uint64_t)data[1].effective << 32 | data[0].effective;
	return effective & (1ull << CAP_PERFMON_BIT | 1ull << CAP_SYS_ADMIN);
}

/*
 * Return true outside of the initial user namespace, whose inode number is fixed
 * (PROC_USER_INIT_INO): perf_event_open requires capabilities there.
 */
static bool is_namespaced(void)
{
	struct stat st;

	return !stat("/proc/self/ns/user", &st) && st.st_ino != 0xEFFFFFFDu;
}

/*
 * Open an event that counts nothing: 0 or errno. Only a try is reliable: levels above 2 mean
 * nothing at all in Debian's and Android's kernels, and no file tells the prohibitions of security
 * modules and seccomp filters.
 */
static int try_perf_open(pid_t pid, int cpu, bool kernel)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
				       .size = PERF_ATTR_SIZE_VER0,
				       .config = PERF_COUNT_SW_DUMMY,
				       .disabled = 1,
				       .exclude_kernel = !kernel,
				       .exclude_hv = 1};
	long fd = syscall(SYS_perf_event_open, &attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		return errno;
	close((int)fd);
	return 0;
}

/*
 * Return true unless rights are missing. A refusal for another reason, such as a CPU that is
 * offline, does not count.
 */
static bool may_open(pid_t pid, int cpu, bool kernel)
{
	return !privilege_matters(try_perf_open(pid, cpu, kernel));
}

bool privilege_matters(int code)
{
	return code == EACCES || code == EPERM || code == ENOSYS;
}

void privilege_get(struct privilege *p)
{
	int itself = try_perf_open(0, -1, false);

	p->paranoid = (int)io_read_number(PARANOID, 2 /* the kernel's own default */);
	p->namespaced = is_namespaced();
	p->filtered = itself == ENOSYS && !access(PARANOID, F_OK);
	p->perfmon = have_capability() && !p->namespaced;
	p->any = p->perfmon || !privilege_matters(itself);
	p->kernel = p->perfmon || may_open(0, -1, true);
	p->system_wide = p->perfmon || may_open(-1, 0, false);
	p->tracepoints = p->perfmon || p->paranoid <= -1;
}

#define OUTSIDE \
	"run it outside of the namespace (of a rootless container), or there: sysctl " \
	"kernel.perf_event_paranoid=0 for whole CPUs, -1 for tracepoints too; one's own " \
	"processes can be measured without it"

static const char *what_to_change(const struct privilege *p)
{
	if (!p->any)
		return "run as root, give the program CAP_PERFMON (setcap "
		       "cap_perfmon,cap_sys_ptrace,"
		       "cap_syslog+ep), or: sysctl kernel.perf_event_paranoid=2 for one's own "
		       "processes, 0 for whole CPUs";
	return "run as root, give the program CAP_PERFMON (setcap cap_perfmon,cap_sys_ptrace,"
	       "cap_syslog+ep), or: sysctl kernel.perf_event_paranoid=0 for whole CPUs, -1 for "
	       "tracepoints too; one's own processes can be measured without it: ringtop -u $USER";
}

/*
 * Other errors of perf_event_open (its manual page, and kernel/events/core.c); %s: the event and
 * its place.
 */
static const struct reason {
	int code;
	const char *text, *advice;
} reasons[] = {
	{ENOENT, "this machine cannot count %s: no such event here (No such file or directory)",
	 "-e cpu-clock works everywhere; virtual machines often have no hardware counters; "
	 "ringtop --list shows what this machine has"},
	{ENODEV, "this machine cannot count %s: no such event here (No such device)",
	 "-e cpu-clock works everywhere; virtual machines often have no hardware counters; "
	 "ringtop --list shows what this machine has"},
	{EOPNOTSUPP,
	 "this machine cannot count %s this way: no such event here, or not with "
	 "samples, p modifiers, branches or a trace (Operation not supported)",
	 "leave out :p and --call-graph lbr; -e cpu-clock works everywhere"},
	{EINVAL,
	 "the kernel refuses %s: a value in it is out of range, or it does not go with its group, "
	 "a task or a CPU (Invalid argument)",
	 "try it alone, without modifiers; events of the whole machine's PMUs need -a"},
	{EMFILE, "out of file descriptors for %s",
	 "raise the limit (ulimit -n), or choose fewer threads or CPUs"},
	{ENFILE, "out of file descriptors for %s", "raise the machine's limit: fs.file-max"},
	{ENOMEM, "the kernel has no memory for %s", ""},
	{EBUSY, "%s is in use by another tool",
	 "exclusive events, traces and breakpoints have one user at a time"},
	{ENOSPC, "no hardware breakpoint is free for %s",
	 "processors have few (x86: 4); a debugger may hold some"},
	{EOVERFLOW, "%s: call paths of that length are not allowed",
	 "kernel.perf_event_max_stack is the limit"},
	{E2BIG, "this kernel is too old for what %s needs", ""},
	{ENOSYS, "this kernel has no perf events, or cannot copy stacks for %s",
	 "if stacks are to be copied, use --call-graph fp instead"},
	{EBADF, "%s: its group, or its cgroup, is gone", ""},
	{ESRCH, "%s: no such process or thread", ""},
};

static void explain_refusal(const struct privilege *p, int code, const char *what, struct err *err)
{
	if (p->perfmon || p->filtered) {
		err_set(err, code, "not permitted to measure %s, although %s", what,
			p->filtered ? "the kernel has perf events" : "the rights for it are there");
		err_advise(err, "a container's seccomp filter, a security module or kernel "
				"lockdown forbids it; docker: --cap-add PERFMON --security-opt "
				"seccomp=unconfined");
		return;
	}
	err_set(err, code, "not permitted to measure %s: kernel.perf_event_paranoid is %d and %s",
		what, p->paranoid,
		p->namespaced ? "the capabilities of a user namespace do not count"
			      : "CAP_PERFMON is missing");
	err_advise(err, "%s", p->namespaced ? OUTSIDE : what_to_change(p));
}

int privilege_explain(const struct privilege *p, int code, const char *what, struct err *err)
{
	const struct reason *r = reasons, *end = reasons + sizeof(reasons) / sizeof(*reasons);
	struct privilege own = {.paranoid = 0};
	char text[512];

	if (!p && privilege_matters(code))
		privilege_get(&own);
	p = p ? p : &own;
	if (code == ENOSYS && p->filtered)
		code = EPERM;
	while (r < end && r->code != code)
		r++;
	if (code == EACCES || code == EPERM) {
		explain_refusal(p, code, what, err);
	} else if (r == end) {
		err_set(err, code, "cannot open %s: %s", what, strerror(code));
	} else {
		size_t before = (size_t)(strstr(r->text, "%s") - r->text);

		snprintf(text, sizeof(text), "%.*s%s%s", (int)before, r->text, what,
			 r->text + before + 2);
		err_set(err, code, "%s", text);
		err_advise(err, "%s", r->advice);
	}
	return -code; /* even without a text */
}
