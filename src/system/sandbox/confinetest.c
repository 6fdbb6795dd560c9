/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "system/sandbox/confinetest.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static long try_open_root(void)
{
	return open("/", O_RDONLY);
}

static long try_socket(void)
{
	return socket(AF_UNIX, SOCK_STREAM, 0);
}

static long try_ptrace(void)
{
	return ptrace(PTRACE_ATTACH, getppid(), NULL, NULL);
}

static long try_execve(void)
{
	return execve("/bin/true", (char *[]){"true", NULL}, NULL);
}

static long try_fork(void)
{
	return syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
}

static long try_kill(void)
{
	return kill(getppid(), 0);
}

static long try_handler(void)
{
	return signal(SIGXCPU, SIG_IGN) == SIG_ERR ? -1 : 0;
}

static long try_limit(void)
{
	struct rlimit l = {0, 0};

	return setrlimit(RLIMIT_CPU, &l);
}

static long try_code(void)
{
	return mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) ==
			       MAP_FAILED
		       ? -1
		       : 0;
}

static long try_stat(void)
{
	struct stat st;

	return stat("/proc/1", &st) && stat("/etc/passwd", &st) ? -1 : 0;
}

static const struct {
	const char *name;
	long (*call)(void);
} tries[] = {
	{"open", try_open_root}, {"socket", try_socket},   {"ptrace", try_ptrace},
	{"execve", try_execve},	 {"fork", try_fork},	   {"kill", try_kill},
	{"signal", try_handler}, {"setrlimit", try_limit}, {"mmap of code", try_code},
	{"stat", try_stat},
};

static void try_all(struct wire_out *out)
{
	size_t nr = sizeof(tries) / sizeof(*tries);

	wire_put(out, nr, 8);
	for (size_t i = 0; i < nr; i++) {
		errno = 0;
		wire_put_text(out, tries[i].name);
		wire_put(out, tries[i].call() < 0 ? (uint64_t)errno : 0, 4);
	}
}

/* Allocate all memory there is. */
static void eat_memory(struct wire_out *out)
{
	uint64_t eaten = 0;
	char *p;

	while ((p = malloc(1 << 20))) {
		memset(p, 1, 1 << 20);
		eaten += 1 << 20;
	}
	wire_put(out, eaten, 8);
}

void confinetest_serve(struct wire_in *in, int fd, struct wire_out *out)
{
	(void)fd;
	switch ((enum probe)wire_get(in, 4)) {
	case CONFINETEST_LOOP:
		for (volatile unsigned i = 0;; i++)
			;
	case CONFINETEST_CRASH:
		abort();
	case CONFINETEST_EAT:
		wire_put(out, 0, 8);
		out->len = 0; /* its memory stays: later there is none */
		eat_memory(out);
		break;
	case CONFINETEST_NONSENSE:
		wire_put(out, UINT64_MAX, 8);
		break;
	case CONFINETEST_ANSWER:
		wire_put_bytes(out, in->at, (size_t)(in->end - in->at));
		break;
	case CONFINETEST_TRY:
		try_all(out);
	}
}
