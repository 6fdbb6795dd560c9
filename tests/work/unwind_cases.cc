/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwind_cases CASE [SECONDS] - spins in case_hot for so many seconds of its own CPU time, called in ways
 * that only unwind information can follow: without frame pointers, by
 *
 *	cxx	templates and a virtual call, from a catch block that std::sort's comparison threw to
 *	recurse	40 calls of itself
 *	signal	a handler, of a signal that the program sends itself
 *	alt	the same on a stack of its own
 *	vdso	not case_hot: clock_gettime, in the kernel's page
 *	alloca	frames of a size that only a register knows
 *	deep	1000 calls of 64 bytes and more each
 *	child	not case_hot: vfork, whose return address waits in a register; every other child runs /bin/true
 */
#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <stdexcept>
#include <vector>

#include <alloca.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))

static double seconds = 1;
static volatile uint64_t sink;

/* What follows a call keeps it from being a jump. */
#define AFTER() __asm__ volatile("" ::: "memory")

/* Samples are of CPU time: a busy machine makes no fewer of them. */
static double passed()
{
	timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return double(now.tv_sec) + double(now.tv_nsec) / 1e9;
}

/* About 20 ms: what leads here is no part of it that counts. */
extern "C" NOINLINE void case_hot()
{
	uint64_t x = sink;

	for (unsigned i = 0; i < 10000000; i++)
		x = x * 6364136223846793005u + 1442695040888963407u;
	sink = x;
}

template <typename T> struct level {
	virtual NOINLINE void run(T depth)
	{
		if (depth)
			run(depth - 1);
		else
			case_hot();
		AFTER();
	}
	virtual ~level() {}
};

static NOINLINE void case_cxx()
{
	std::vector<int> v(100, 1);

	try {
		std::sort(v.begin(), v.end(), [](int a, int b) -> bool {
			if (a == b)
				throw std::runtime_error("equal");
			return a < b;
		});
	} catch (const std::exception &) {
		level<long> l;
		level<long> *p = &l;

		__asm__ volatile("" : "+r"(p));
		p->run(3);
	}
}

static NOINLINE void recurse(unsigned depth)
{
	if (depth)
		recurse(depth - 1);
	else
		case_hot();
	AFTER();
}

static void case_recurse()
{
	recurse(40);
	AFTER();
}

static void on_signal(int)
{
	case_hot();
	AFTER();
}

static NOINLINE void case_signal()
{
	raise(SIGUSR1);
	AFTER();
}

static NOINLINE void case_alt()
{
	raise(SIGUSR2);
	AFTER();
}

static NOINLINE void case_vdso()
{
	timespec now;

	for (unsigned i = 0; i < 200000; i++)
		clock_gettime(CLOCK_MONOTONIC, &now);
	sink = sink + uint64_t(now.tv_nsec);
}

static NOINLINE void case_alloca()
{
	size_t size = 64 + sink % 512;
	char *p = static_cast<char *>(alloca(size));

	memset(p, 1, size);
	case_hot();
	sink = sink + uint64_t(p[size / 2]);
}

static NOINLINE void deep(unsigned depth, unsigned x)
{
	volatile unsigned room[16] = {x};

	if (depth)
		deep(depth - 1, x + 1);
	else
		case_hot();
	sink = sink + room[0];
}

static void case_deep()
{
	deep(1000, 1);
	AFTER();
}

static NOINLINE void case_child()
{
	static unsigned count;
	bool runs = ++count % 2 == 0;
	pid_t child = vfork();

	if (!child) {
		if (runs)
			execl("/bin/true", "true", nullptr);
		_exit(0);
	}
	waitpid(child, nullptr, 0);
}

static const struct {
	const char *name;
	void (*run)();
} cases[] = {
	{"cxx", case_cxx}, {"recurse", case_recurse}, {"signal", case_signal}, {"alt", case_alt},
	{"vdso", case_vdso}, {"alloca", case_alloca}, {"deep", case_deep},
	{"child", case_child},
};

static void set_handlers()
{
	static char stack[65536];
	stack_t alt = {};
	struct sigaction sa = {};

	alt.ss_sp = stack;
	alt.ss_size = sizeof(stack);
	sigaltstack(&alt, nullptr);
	sa.sa_handler = on_signal;
	sigaction(SIGUSR1, &sa, nullptr);
	sa.sa_flags = SA_ONSTACK;
	sigaction(SIGUSR2, &sa, nullptr);
}

int main(int argc, char **argv)
{
	if (argc > 2)
		seconds = atof(argv[2]);
	set_handlers();
	for (auto &c : cases) {
		if (argc < 2 || strcmp(argv[1], c.name) != 0)
			continue;
		while (passed() < seconds)
			c.run();
		return 0;
	}
	fprintf(stderr, "unwind_cases: which case?\n");
	return 2;
}
