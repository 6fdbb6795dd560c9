/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/privilege.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CAP_PERFMON_BIT 38 /* since 5.8; older headers lack it */

static int read_paranoid(void)
{
	FILE *f = fopen("/proc/sys/kernel/perf_event_paranoid", "re");
	int n = 2; /* the kernel's own default */

	if (f && fscanf(f, "%d", &n) != 1)
		n = 2;
	if (f)
		fclose(f);
	return n;
}

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

void privilege_get(struct privilege *p)
{
	p->paranoid = read_paranoid();
	p->perfmon = have_capability();
	/* Levels above 2 are Debian's and Android's: nothing without the capability. */
	p->any = p->perfmon || p->paranoid <= 2;
	p->kernel = p->perfmon || p->paranoid <= 1;
	p->system_wide = p->perfmon || p->paranoid <= 0;
	p->tracepoints = p->perfmon || p->paranoid <= -1;
}

static const char *what_to_change(const struct privilege *p)
{
	if (p->paranoid > 2)
		return "run as root, give the program CAP_PERFMON (setcap cap_perfmon,cap_sys_ptrace,"
		       "cap_syslog+ep), or: sysctl kernel.perf_event_paranoid=2 for one's own "
		       "processes, 0 for whole CPUs";
	return "run as root, give the program CAP_PERFMON (setcap cap_perfmon,cap_sys_ptrace,"
	       "cap_syslog+ep), or: sysctl kernel.perf_event_paranoid=0 for whole CPUs, -1 for "
	       "tracepoints too; one's own processes can be measured without it: ringtop -u $USER";
}

int privilege_explain(const struct privilege *p, int code, const char *what, struct err *err)
{
	switch (code) {
	case EACCES:
	case EPERM:
		err_set(err, code, "not permitted to measure %s: kernel.perf_event_paranoid is %d%s",
			what, p->paranoid, p->perfmon ? "" : " and CAP_PERFMON is missing");
		err_advise(err, "%s", what_to_change(p));
		break;
	case ENOENT:
	case EOPNOTSUPP:
	case ENODEV:
		err_set(err, code, "this machine cannot count %s: no such event here (%s)", what,
			strerror(code));
		err_advise(err, "-e cpu-clock works everywhere; virtual machines often have no "
				"hardware counters");
		break;
	case EMFILE:
		err_set(err, code, "out of file descriptors for %s", what);
		err_advise(err, "raise the limit (ulimit -n), or choose fewer threads or CPUs");
		break;
	case EBUSY:
		err_set(err, code, "%s is in use by another tool", what);
		break;
	case ESRCH:
		err_set(err, code, "%s: no such process or thread", what);
		break;
	default:
		err_set(err, code, "cannot open %s: %s", what, strerror(code));
	}
	return -code; /* without a text, too */
}
