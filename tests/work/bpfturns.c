/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bpfturns ROUNDS MS - two BPF programs of different names and equal work in turn, each loaded, run for so much CPU time
 * and taken away again, so that one comes to stand where the other was.  One process loads them, another runs them: it
 * prints its pid and waits for a line first, then tells in how many turns one stood where the other
 * had been not long before.
 *
 * Ends with 77 where the kernel loads none, runs none or does not say where they are.
 */
#include <errno.h>
#include <linux/bpf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define STEPS  3000 /* instructions that do nothing but take time */
#define PLACES 8    /* newest places of each that are remembered */

static long bpf(int command, union bpf_attr *attr)
{
	return syscall(SYS_bpf, command, attr, sizeof(*attr));
}

static int give_up(const char *what)
{
	fprintf(stderr, "bpfturns: %s: %s\n", what, strerror(errno));
	return 77;
}

/* r0 = 0; r0 += 1, so many times; exit */
static int load(const char *name)
{
	static const char license[] = "GPL";
	static struct bpf_insn code[STEPS + 2];
	union bpf_attr attr;

	code[0] = (struct bpf_insn){.code = BPF_ALU64 | BPF_MOV | BPF_K};
	for (int i = 1; i <= STEPS; i++)
		code[i] = (struct bpf_insn){.code = BPF_ALU64 | BPF_ADD | BPF_K, .imm = 1};
	code[STEPS + 1] = (struct bpf_insn){.code = BPF_JMP | BPF_EXIT};
	memset(&attr, 0, sizeof(attr));
	attr.prog_type = BPF_PROG_TYPE_SOCKET_FILTER;
	attr.insns = (uintptr_t)code;
	attr.insn_cnt = STEPS + 2;
	attr.license = (uintptr_t)license;
	snprintf(attr.prog_name, sizeof(attr.prog_name), "%s", name);
	return (int)bpf(BPF_PROG_LOAD, &attr);
}

/* Return where its code is, and how long; 0: nobody says. */
static uint64_t where(int fd, uint32_t *len)
{
	struct bpf_prog_info info;
	union bpf_attr attr;
	uint64_t address = 0;

	memset(&info, 0, sizeof(info));
	memset(&attr, 0, sizeof(attr));
	info.nr_jited_ksyms = info.nr_jited_func_lens = 1;
	info.jited_ksyms = (uintptr_t)&address;
	info.jited_func_lens = (uintptr_t)len;
	attr.info.bpf_fd = (uint32_t)fd;
	attr.info.info_len = sizeof(info);
	attr.info.info = (uintptr_t)&info;
	return bpf(BPF_OBJ_GET_INFO_BY_FD, &attr) ? 0 : address;
}

static uint64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static int run(int fd, uint64_t ns)
{
	static char packet[64];
	uint64_t until = cpu_ns() + ns;
	union bpf_attr attr;

	do {
		memset(&attr, 0, sizeof(attr));
		attr.test.prog_fd = (uint32_t)fd;
		attr.test.data_in = (uintptr_t)packet;
		attr.test.data_size_in = sizeof(packet);
		attr.test.repeat = 200;
		if (bpf(BPF_PROG_TEST_RUN, &attr))
			return give_up("BPF_PROG_TEST_RUN");
	} while (cpu_ns() < until);
	return 0;
}

/* A message of one byte, with a descriptor. */
union message {
	char control[CMSG_SPACE(sizeof(int))];
	struct cmsghdr align;
};

static int send_fd(int to, int fd)
{
	char byte = 0;
	union message m = {.control = {0}};
	struct iovec iov = {&byte, 1};
	struct msghdr h = {.msg_iov = &iov, .msg_iovlen = 1, .msg_control = m.control, .msg_controllen = sizeof(m.control)};
	struct cmsghdr *c = CMSG_FIRSTHDR(&h);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(fd));
	memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	return sendmsg(to, &h, 0) == 1 ? 0 : -1;
}

static int receive_fd(int from)
{
	char byte;
	union message m;
	struct iovec iov = {&byte, 1};
	struct msghdr h = {.msg_iov = &iov, .msg_iovlen = 1, .msg_control = m.control, .msg_controllen = sizeof(m.control)};
	int fd = -1;

	if (recvmsg(from, &h, 0) == 1 && CMSG_FIRSTHDR(&h))
		memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&h)), sizeof(fd));
	return fd;
}

static int runner(int from, uint64_t ns)
{
	int fd, ret = 0;

	printf("waiting pid=%d\n", (int)getpid());
	fflush(stdout);
	if (getchar() == EOF)
		return 1;
	while (!ret && send(from, "", 1, MSG_NOSIGNAL) == 1 && (fd = receive_fd(from)) >= 0) {
		ret = run(fd, ns);
		close(fd);
	}
	return ret;
}

static int loader(int to, int turns)
{
	static const char *const name[2] = {"turn_alpha", "turn_beta"};
	struct {
		uint64_t at;
		uint32_t len;
	} place[2][PLACES] = {{{0}}}, *new;
	int overlaps = 0;
	char byte;

	for (int turn = 0; turn < turns && read(to, &byte, 1) == 1; turn++) {
		int fd = load(name[turn % 2]);

		if (fd < 0)
			return give_up("BPF_PROG_LOAD");
		new = &place[turn % 2][turn / 2 % PLACES];
		new->at = where(fd, &new->len);
		if (!new->at)
			return give_up("BPF_OBJ_GET_INFO_BY_FD");
		for (int i = 0, found = 0; i < PLACES && !found; i++) {
			found = new->at < place[!(turn % 2)][i].at + place[!(turn % 2)][i].len &&
				place[!(turn % 2)][i].at < new->at + new->len;
			overlaps += found;
		}
		if (send_fd(to, fd))
			return give_up("sendmsg");
		close(fd);
	}
	printf("turns=%d overlaps=%d\n", turns, overlaps);
	return 0;
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 10, s[2], status, ret;
	uint64_t ns = (argc > 2 ? strtoull(argv[2], NULL, 10) : 10) * 1000000u;
	pid_t child;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, s))
		return give_up("socketpair");
	child = fork();
	if (!child) {
		close(s[0]);
		return runner(s[1], ns);
	}
	close(s[1]);
	ret = loader(s[0], 2 * rounds);
	close(s[0]);
	if (waitpid(child, &status, 0) != child || !WIFEXITED(status))
		return 1;
	return ret ? ret : WEXITSTATUS(status);
}
