/* SPDX-License-Identifier: GPL-2.0-or-later */
/* /proc: lines of maps by hand, and this very process. */
#include "system/proc/procscan.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "system/proc/procmem.h"

static void test_lines(void **state)
{
	static const struct {
		const char *line;
		uint64_t start, end, pgoff, ino;
		uint32_t maj, min;
		const char *path;
	} rows[] = {
		{"00400000-00401000 r-xp 00002000 08:01 4711                   /bin/cat", 0x400000,
		 0x401000, 0x2000, 4711, 8, 1, "/bin/cat"},
		{"7f1234560000-7f1234570000 r-xp 00000000 fd:1a 99 /tmp/with space and\\012newline",
		 0x7f1234560000, 0x7f1234570000, 0, 99, 0xfd, 0x1a, "/tmp/with space and\\012newline"},
		{"7ff0000-7ff1000 r-xp 00000000 00:00 0                          [vdso]", 0x7ff0000,
		 0x7ff1000, 0, 0, 0, 0, "[vdso]"},
		{"7ff0000-7ff1000 rwxp 00000000 00:00 0 ", 0x7ff0000, 0x7ff1000, 0, 0, 0, 0, ""},
		{"7ff0000-7ff1000 rwxs 00000000 00:00 0", 0x7ff0000, 0x7ff1000, 0, 0, 0, 0, ""},
		{"ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0 [vsyscall]",
		 0xffffffffff600000, 0xffffffffff601000, 0, 0, 0, 0, "[vsyscall]"},
		{"400000-401000 r-xp 0 103:02 18446744073709551615 /x (deleted)", 0x400000, 0x401000, 0,
		 UINT64_MAX, 0x103, 2, "/x (deleted)"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char *exact = strdup(rows[i].line);
		struct scan_map m;

		if (!procscan_map_line(exact, &m))
			fail_msg("'%s' was refused", rows[i].line);
		assert_int_equal(m.start, rows[i].start);
		assert_int_equal(m.end, rows[i].end);
		assert_int_equal(m.pgoff, rows[i].pgoff);
		assert_int_equal(m.ino, rows[i].ino);
		assert_int_equal(m.maj, rows[i].maj);
		assert_int_equal(m.min, rows[i].min);
		assert_string_equal(m.path, rows[i].path);
		free(exact);
	}
}

static void test_refused(void **state)
{
	static const char *const bad[] = {
		"", " ", "x", "-", "400000", "400000-", "400000-401000", "400000-401000 ",
		"400000-401000 r-", "400000-401000 r-xp", "400000-401000 r-xp ",
		"400000-401000 r-xp 0", "400000-401000 r-xp 0 8", "400000-401000 r-xp 0 8:",
		"400000-401000 r-xp 0 8:1", "401000-400000 r-xp 0 8:1 1 /x",
		"400000-400000 r-xp 0 8:1 1 /x", "400000-401000 rw-p 0 8:1 1 /x",
		"400000-401000 r--p 00000000 08:01 4711 /looks/like/x", "zz-yy r-xp 0 8:1 1 /x",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		char *exact = strdup(bad[i]);
		struct scan_map m;

		if (procscan_map_line(exact, &m))
			fail_msg("'%s' was taken", bad[i]);
		free(exact);
	}
}

/* Every line cut at every length: never beyond its end. */
static void test_cut(void **state)
{
	static const char line[] = "7f1234560000-7f1234570000 r-xp 00002000 fd:1a 99   /usr/lib/x.so";

	(void)state;
	for (size_t len = 0; len < sizeof(line); len++) {
		char *exact = malloc(len + 1);
		struct scan_map m;

		memcpy(exact, line, len);
		exact[len] = '\0';
		if (procscan_map_line(exact, &m))
			assert_true(m.path >= exact && m.path <= exact + len);
		free(exact);
	}
}

int procscan_landmark(int x);

__attribute__((noinline)) int procscan_landmark(int x)
{
	return x + 1;
}

static void test_self(void **state)
{
	uint64_t addr = (uint64_t)(uintptr_t)procscan_landmark;
	const struct scan_map *found = NULL;
	char name[COMM_LEN];
	struct scan s;
	struct stat st;

	(void)state;
	assert_int_equal(prctl(PR_SET_NAME, "odd)\nname (\x01"), 0);
	assert_int_equal(stat("/proc/self/exe", &st), 0);
	assert_int_equal(procscan_read(getpid(), &s), 0);
	assert_string_equal(s.comm, "odd)\nname (\x01");
	assert_false(s.kernel);
	for (size_t i = 0; i < s.nmaps; i++)
		if (s.maps[i].start <= addr && addr < s.maps[i].end)
			found = &s.maps[i];
	assert_non_null(found);
	assert_int_equal(found->ino, st.st_ino);
	assert_int_equal(strcmp(strrchr(found->path, '/') + 1, program_invocation_short_name), 0);
	for (size_t i = 0; i < s.nmaps; i++)
		assert_false(s.maps[i].data);
	procscan_clear(&s);
	assert_true(procscan_comm(getpid(), getpid(), name));
	assert_string_equal(name, "odd)\nname (\x01");
	assert_int_equal(prctl(PR_SET_NAME, "fifteen-letters"), 0);
	assert_true(procscan_comm(getpid(), getpid(), name));
	assert_string_equal(name, "fifteen-letters");
}

static void test_gone(void **state)
{
	pid_t pid = fork();
	char name[COMM_LEN];
	struct scan s;
	size_t nr;

	(void)state;
	if (!pid)
		_exit(0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(procscan_read(pid, &s), -ESRCH);
	assert_int_equal(s.nmaps, 0);
	procscan_clear(&s);
	assert_false(procscan_comm(pid, pid, name));
	assert_null(procscan_tids(pid, &nr));
	assert_int_equal(nr, 0);
}

static void test_lists(void **state)
{
	size_t nr;
	pid_t *list = procscan_pids(&nr);
	bool found = false;

	(void)state;
	for (size_t i = 0; i < nr; i++) {
		assert_true(list[i] > 0);
		found |= list[i] == getpid();
	}
	assert_true(found);
	free(list);
	list = procscan_tids(getpid(), &nr);
	assert_int_equal(nr, 1);
	assert_int_equal(list[0], getpid());
	free(list);
}

static void *idle(void *arg)
{
	char byte;

	return read(*(int *)arg, &byte, 1) ? NULL : arg;
}

/* Its first thread ends and another goes on until the pipe is closed; then it is not reaped. */
static void test_life(void **state)
{
	pid_t pid, parent = 0;
	siginfo_t info;
	pthread_t other;
	int go[2];

	(void)state;
	assert_int_equal(pipe(go), 0);
	pid = fork();
	if (!pid) {
		prctl(PR_SET_NAME, "a) Z 1 (b");
		close(go[1]);
		if (!pthread_create(&other, NULL, idle, &go[0]))
			pthread_exit(NULL);
		_exit(1);
	}
	close(go[0]);
	while (procscan_life(pid, true, NULL) == PROC_ALIVE)
		sched_yield();
	assert_int_equal(procscan_life(pid, true, NULL), PROC_ZOMBIE); /* the first thread alone */
	assert_int_equal(procscan_life(pid, false, &parent), PROC_ALIVE);
	assert_int_equal(parent, getpid());
	close(go[1]);
	assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
	assert_int_equal(procscan_life(pid, false, NULL), PROC_ZOMBIE);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(procscan_life(pid, false, NULL), PROC_GONE);
}

/* One that waits for ever, and where; one that runs, on a CPU that it may not leave. */
static void test_stand(void **state)
{
	struct proc_stand s;
	cpu_set_t one;
	int go[2], cpu;
	char byte;
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(go), 0);
	pid = fork();
	if (!pid) {
		prctl(PR_SET_NAME, "a) R 1 (b");
		close(go[1]);
		_exit(read(go[0], &byte, 1) != 0);
	}
	close(go[0]);
	do
		assert_true(procscan_stand(pid, &s));
	while (s.state != 'S' && !sched_yield());
	assert_int_equal(s.ran, 0);
	assert_int_equal(procscan_process(pid), pid);
	/* Where it may be read at all: in the same libc as here. */
	if (s.ip)
		assert_true(s.ip > 4096);
	close(go[1]);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_false(procscan_stand(pid, &s));
	assert_int_equal(procscan_process(pid), -1);
	cpu = sched_getcpu();
	CPU_ZERO(&one);
	CPU_SET((size_t)cpu, &one);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	assert_true(procscan_stand(getpid(), &s));
	assert_int_equal(s.state, 'R');
	assert_int_equal(s.cpu, cpu);
}

/* What is only read of a file is there, too, and nothing that may be written or is of no file. */
static void test_data(void **state)
{
	static const char constant[] = "is only read"; /* in a part of the file that is not executable */
	uint64_t at = (uint64_t)(uintptr_t)constant, code = (uint64_t)(uintptr_t)procscan_landmark;
	bool data = false, executable = false;
	struct scan s;

	(void)state;
	assert_int_equal(procscan_read_data(getpid(), &s), 0);
	for (size_t i = 0; i < s.nmaps; i++) {
		const struct scan_map *m = &s.maps[i];

		data |= m->data && m->start <= at && at < m->end && m->ino;
		executable |= !m->data && m->start <= code && code < m->end;
		assert_true(!m->data || m->path[0] == '/');
		assert_false(m->start <= (uint64_t)(uintptr_t)&s && (uint64_t)(uintptr_t)&s < m->end);
	}
	assert_true(data);
	assert_true(executable);
	procscan_clear(&s);
}

/* Code is given up to the end of its map, data not at all. */
static void test_code_alone(void **state)
{
	static char data[16];
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uint8_t got[64], *code = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)state;
	assert_true(code != MAP_FAILED);
	memset(code, 0x90, 2 * page);
	if (mprotect(code, page, PROT_READ | PROT_EXEC)) {
		munmap(code, 2 * page);
		skip(); /* a system that lets no memory be written and then run */
	}
	assert_int_equal(procmem_read_code(getpid(), (uintptr_t)code, got, sizeof(got)), sizeof(got));
	assert_memory_equal(got, code, sizeof(got));
	assert_int_equal(procmem_read_code(getpid(), (uintptr_t)code + page - 8, got, sizeof(got)), 8);
	assert_int_equal(procmem_read_code(getpid(), (uintptr_t)code + page, got, sizeof(got)), -EFAULT);
	assert_int_equal(procmem_read_code(getpid(), (uintptr_t)data, got, sizeof(data)), -EFAULT);
	assert_int_equal(procmem_read(getpid(), (uintptr_t)data, got, sizeof(data)), sizeof(data));
	munmap(code, 2 * page);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_data),
		cmocka_unit_test(test_stand),
		cmocka_unit_test(test_lines), cmocka_unit_test(test_refused),
		cmocka_unit_test(test_cut),   cmocka_unit_test(test_self),
		cmocka_unit_test(test_gone),  cmocka_unit_test(test_lists),
		cmocka_unit_test(test_life),  cmocka_unit_test(test_code_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
