/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A real helper, by the program that was built: what it may not do, and how it may end. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/atomics.h"
#include "base/clock.h"
#include "system/sandbox/sandbox.h"
#include "system/sandbox/helpermessage.h"
#include "system/sandbox/confinetest.h"
#include "tests/sandboxed.h"
#include "tests/skip.h"

static int ask(enum probe what, struct sandbox_call *c, struct err *err)
{
	*c = (struct sandbox_call){.job = SANDBOX_PROBE, .fd = -1};
	wire_put(&c->ask, what, 4);
	return sandbox_call(c, err);
}

static void figures(struct sandbox_figures *f)
{
	sandbox_figures(SANDBOX_NAMES, f);
}

/* The value of a line of its status. */
static const char *status_of(pid_t pid, const char *key)
{
	static char line[256];
	char path[64];
	FILE *f;
	bool found = false;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	f = fopen(path, "re");
	assert_non_null(f);
	while (!found && fgets(line, sizeof(line), f))
		found = !strncmp(line, key, strlen(key));
	fclose(f);
	assert_true(found);
	line[strcspn(line, "\n")] = '\0';
	return line + strlen(key) + strspn(line + strlen(key), ": \t");
}

/* The first line of a file of its own in /proc. */
static const char *first_line(pid_t pid, const char *file)
{
	static char line[64];
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, file);
	f = fopen(path, "re");
	assert_non_null(f);
	assert_non_null(fgets(line, sizeof(line), f));
	fclose(f);
	line[strcspn(line, "\n")] = '\0';
	return line;
}

static void test_refused(void **state)
{
	struct sandbox_call c;
	struct err err;
	size_t nr;

	(void)state;
	assert_int_equal(ask(CONFINETEST_TRY, &c, &err), 0);
	nr = wire_get_count(&c.in, 9);
	assert_true(nr >= 9);
	for (size_t i = 0; i < nr; i++) {
		const char *name = wire_get_text(&c.in, 64);
		int error = (int)wire_get(&c.in, 4);

		/* No path is refused, for none is there. */
		if (error != EPERM && (strcmp(name, "stat") != 0 || error != ENOENT))
			fail_msg("%s: %s", name, error ? strerror(error) : "it did");
	}
	assert_false(c.in.failed);
	sandbox_done(&c);
}

static void test_rights(void **state)
{
	struct sandbox_figures f;
	struct sandbox_call c;
	struct err err;

	(void)state;
	assert_int_equal(ask(CONFINETEST_ANSWER, &c, &err), 0);
	sandbox_done(&c);
	figures(&f);
	assert_true(sandbox_is_helper(f.pid));
	assert_false(sandbox_is_helper(getpid()));
	assert_string_equal(f.missing, "");
	assert_string_equal(status_of(f.pid, "Name"), "ringtop-names");
	assert_string_equal(first_line(f.pid, "oom_score_adj"), "1000");
	assert_string_equal(status_of(f.pid, "NoNewPrivs"), "1");
	assert_string_equal(status_of(f.pid, "Seccomp"), "2");
	assert_string_equal(status_of(f.pid, "CapEff"), "0000000000000000");
	assert_string_equal(status_of(f.pid, "CapPrm"), "0000000000000000");
	assert_string_equal(status_of(f.pid, "CapInh"), "0000000000000000");
	if (!geteuid()) {
		assert_string_equal(status_of(f.pid, "Uid"), "64242\t64242\t64242\t64242");
		assert_string_equal(status_of(f.pid, "Gid"), "64242\t64242\t64242\t64242");
		assert_string_equal(status_of(f.pid, "Groups"), "");
	}
}

/* Nothing of ours is open there but the socket. */
static void test_descriptors(void **state)
{
	struct sandbox_figures f;
	struct dirent *e;
	char path[64];
	unsigned nr = 0;
	DIR *d;

	(void)state;
	figures(&f);
	snprintf(path, sizeof(path), "/proc/%d/fd", f.pid);
	d = opendir(path);
	if (!d)
		SKIP("cannot look at its descriptors: %s", strerror(errno));
	while ((e = readdir(d)))
		nr += e->d_name[0] != '.';
	closedir(d);
	assert_int_equal(nr, 4);
}

/* A long text both ways, and a file's descriptor with it. */
static void test_much(void **state)
{
	size_t len = 5 << 20;
	uint8_t *bytes = malloc(len);
	struct sandbox_call c = {.job = SANDBOX_PROBE};
	struct err err;

	(void)state;
	for (size_t i = 0; i < len; i++)
		bytes[i] = (uint8_t)(i * 31 >> 3);
	c.fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	wire_put(&c.ask, CONFINETEST_ANSWER, 4);
	wire_put_bytes(&c.ask, bytes, len);
	assert_int_equal(sandbox_call(&c, &err), 0);
	assert_int_equal(c.in.end - c.in.at, len);
	assert_memory_equal(c.in.at, bytes, len);
	sandbox_done(&c);
	close(c.fd);
	free(bytes);
}

static void expect_end(int ret, int expected, const struct err *err, const char *why)
{
	struct sandbox_figures f;
	struct sandbox_call c;
	struct err none;
	uint32_t life;

	figures(&f);
	assert_int_equal(ret, expected);
	if (!strstr(err->text, why))
		fail_msg("\"%s\" says nothing of \"%s\"", err->text, why);
	assert_true(strstr(f.why, why));
	assert_int_equal(f.pid, 0);
	assert_int_equal(ask(CONFINETEST_ANSWER, &c, &none), 0); /* it is there again */
	life = c.life;
	sandbox_done(&c);
	c = (struct sandbox_call){.job = SANDBOX_PROBE, .fd = -1, .life = life - 1};
	assert_int_equal(sandbox_call(&c, &none), -ESTALE);
	sandbox_done(&c);
}

static void test_crash(void **state)
{
	struct sandbox_call c;
	struct err err;
	int ret = ask(CONFINETEST_CRASH, &c, &err);

	(void)state;
	sandbox_done(&c);
	expect_end(ret, -ECONNRESET, &err, "");
}

static void test_loop(void **state)
{
	struct sandbox_call c;
	struct err err;
	int ret;

	(void)state;
	ret = ask(CONFINETEST_LOOP, &c, &err);
	sandbox_done(&c);
	/* By its CPU time, or the clock where the machine has none for it. */
	expect_end(ret, ret == -ETIME ? ret : -ECONNRESET, &err, "it took too");
}

/* What it allocates is bounded, and it goes on. */
static void test_memory(void **state)
{
	struct sandbox_call c;
	struct err err;

	(void)state;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	SKIP("sanitizers need more memory than the bound");
#endif
	assert_int_equal(sandboxed_start_for(false, 60), 0); /* half a gigabyte of pages takes long on a busy machine */
	assert_int_equal(ask(CONFINETEST_EAT, &c, &err), 0);
	assert_in_range(wire_get(&c.in, 8), 1 << 20, budget_limit());
	sandbox_done(&c);
	sandbox_end();
	assert_int_equal(sandboxed_start(false), 0);
}

static void test_stopped(void **state)
{
	struct sandbox_figures f;
	struct sandbox_call c;
	struct err err;
	int ret;

	(void)state;
	sandbox_end();
	assert_int_equal(ask(CONFINETEST_ANSWER, &c, &err), 0);
	sandbox_done(&c);
	figures(&f);
	kill(f.pid, SIGSTOP);
	ret = ask(CONFINETEST_ANSWER, &c, &err);
	sandbox_done(&c);
	expect_end(ret, -ETIME, &err, "too long");
}

/* While nobody asks: it is there again for the next question. */
static void *ask_for_ever(void *arg)
{
	struct sandbox_call c;

	ask(CONFINETEST_LOOP, &c, arg);
	sandbox_done(&c);
	return NULL;
}

/* While one question hangs, others that are brief do not wait for its end. */
static void test_brief(void **state)
{
	struct sandbox_call c = {.job = SANDBOX_PROBE, .fd = -1, .brief = true};
	struct err err, lost = {.code = 0};
	struct sandbox_figures f;
	pthread_t thread;
	uint64_t cpu;
	uint32_t refused;

	(void)state;
	sandbox_end();
	figures(&f);
	cpu = f.cpu_ns;
	refused = f.refused;
	assert_int_equal(pthread_create(&thread, NULL, ask_for_ever, &lost), 0);
	do {
		figures(&f);
		assert_int_equal(f.refused, refused); /* it was started */
		assert_int_equal(lost.code, 0);
	} while (f.cpu_ns < cpu + 50 * NSEC_PER_MSEC);
	kill(f.pid, SIGSTOP);
	assert_int_equal(sandbox_call(&c, &err), -EBUSY);
	sandbox_done(&c);
	pthread_join(thread, NULL);
	assert_int_equal(lost.code, ETIME);
	figures(&f);
	assert_int_equal(f.refused, refused + 1);
}

static void test_killed(void **state)
{
	struct sandbox_figures before, f;
	struct sandbox_call c;
	struct err err;
	siginfo_t gone;

	(void)state;
	assert_int_equal(ask(CONFINETEST_ANSWER, &c, &err), 0);
	sandbox_done(&c);
	figures(&before);
	kill(before.pid, SIGKILL);
	assert_int_equal(waitid(P_PID, (id_t)before.pid, &gone, WEXITED | WNOWAIT), 0);
	assert_int_equal(ask(CONFINETEST_ANSWER, &c, &err), 0);
	sandbox_done(&c);
	figures(&f);
	assert_string_equal(f.why, strsignal(SIGKILL));
	assert_int_equal(f.ends, before.ends + 1);
	assert_int_equal(f.starts, before.starts + 1);
}

static void test_nonsense(void **state)
{
	struct sandbox_call c;
	struct err err;

	(void)state;
	assert_int_equal(ask(CONFINETEST_NONSENSE, &c, &err), 0);
	assert_int_equal(wire_get_count(&c.in, 1), 0);
	assert_true(c.in.failed);
	sandbox_nonsense(&c, &err);
	sandbox_done(&c);
	expect_end(-err.code, -EPROTO, &err, "an invalid answer");
}

/* What they took only grows, whoever asks while they end. */
static void *watch(void *over)
{
	uint64_t before = 0, now;

	do {
		now = sandbox_cpu();
		if (now < before)
			return (void *)1;
		before = now;
	} while (!atomic_load_relaxed((bool *)over));
	return NULL;
}

static void test_cpu(void **state)
{
	struct sandbox_figures f;
	struct sandbox_call c;
	struct err err;
	pthread_t thread;
	bool over = false;
	void *fell;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, watch, &over), 0);
	for (int i = 0; i < 10; i++) {
		assert_int_equal(ask(CONFINETEST_ANSWER, &c, &err), 0);
		sandbox_done(&c);
		sandbox_end();
	}
	atomic_store_relaxed(&over, true);
	assert_int_equal(pthread_join(thread, &fell), 0);
	assert_null(fell);
	figures(&f);
	assert_true(f.cpu_ns > 0);
	assert_int_equal(f.cpu_ns, sandbox_cpu());
}

static void test_texts(void **state)
{
	struct sandbox_figures f = {.name = "names", .uid = 65534, .cpu_ns = 1500000000, .peak = 3 << 20, .calls = 1,
				  .starts = 2};
	char text[FIGURES_TEXT];

	(void)state;
	sandbox_end(); /* what was before is forgiven */
	assert_string_equal(figures_text(text, &f),
			    "names, uid 65534: 1.50 s of CPU, 3M at most, 1 call, 2 starts");
	assert_string_equal(figures_trouble(text, &f), "");
	f.ends = 2;
	f.refused = 3;
	memset(f.why, '\033', sizeof(f.why) - 1);
	memset(f.missing, '\033', sizeof(f.missing) - 1);
	figures_trouble(text, &f);
	assert_true(strstr(text, "failed 2 times, the last time: \\x1b"));
	assert_true(strstr(text, "3 calls refused"));
	assert_null(strchr(text, '\033'));
}

/* Lives that end are rationed, also where every other one answers. */
static void test_often(void **state)
{
	struct sandbox_call c;
	struct err err;
	int ret = 0;

	(void)state;
	for (int i = 0; i < 1000 && ret != -EBUSY; i++) {
		ret = ask(i % 2 ? CONFINETEST_CRASH : CONFINETEST_ANSWER, &c, &err);
		sandbox_done(&c);
		assert_true(ret == (i % 2 ? -ECONNRESET : 0) || ret == -EBUSY);
	}
	assert_int_equal(ret, -EBUSY);
	sandbox_end();
}

/* A question is not put again and again to a helper that is lost each time, and later ones are refused at once. */
static void test_given_up(void **state)
{
	struct sandbox_figures before, f;
	struct sandbox_call c;
	struct err err;

	(void)state;
	figures(&before);
	for (int i = 0; i < SANDBOX_GIVE_UP; i++) {
		assert_int_equal(ask(CONFINETEST_CRASH, &c, &err), -ECONNRESET);
		sandbox_done(&c);
	}
	for (int i = 0; i < 3; i++) {
		assert_int_equal(ask(CONFINETEST_ANSWER, &c, &err), -EHOSTDOWN);
		sandbox_done(&c);
	}
	assert_non_null(strstr(err.text, "disabled for a minute"));
	assert_true(sandbox_later(-EHOSTDOWN));
	figures(&f);
	assert_int_equal(f.starts - before.starts, SANDBOX_GIVE_UP);
	assert_int_equal(f.refused - before.refused, 3);
	sandbox_end();
	assert_int_equal(ask(CONFINETEST_ANSWER, &c, &err), 0);
	sandbox_done(&c);
	sandbox_end();
}

/* One that cannot be started counts as lost, and is not tried without end.  The last test: it stays so. */
static void test_no_start(void **state)
{
	struct sandbox_figures before, f;
	struct sandbox_call c;
	struct err err;
	int ret = 0;

	(void)state;
	figures(&before);
	sandbox_allow(&(struct sandbox_config){.program = "/nonexistent/ringtop", .seconds = 1});
	for (int i = 0; i < 1000 && ret != -EHOSTDOWN; i++) {
		ret = ask(CONFINETEST_ANSWER, &c, &err);
		sandbox_done(&c);
		assert_true(ret == -ENOENT || ret == -EHOSTDOWN);
	}
	assert_int_equal(ret, -EHOSTDOWN);
	figures(&f);
	assert_int_equal(f.starts, before.starts);
	assert_in_range(f.ends - before.ends, 1, 100);
	assert_int_equal(f.refused, before.refused + 1);
	assert_string_equal(f.why, strerror(ENOENT));
}

/* Root's own files are read here, others not. */
static void test_trust(void **state)
{
	char path[] = "/tmp/ringtop-test-XXXXXX";
	int fd = mkstemp(path), sh = open("/bin/sh", O_RDONLY | O_CLOEXEC);

	(void)state;
	assert_true(sandbox_trusts(sh, "/bin/sh"));
	assert_false(sandbox_trusts(sh, "/no/such/file"));
	assert_false(sandbox_trusts(sh, "/bin/true")); /* not what is there for us */
	if (!geteuid()) {
		assert_true(sandbox_trusts(fd, path));
		assert_int_equal(fchmod(fd, 0666), 0);
	}
	assert_false(sandbox_trusts(fd, path));
	close(sh);
	close(fd);
	unlink(path);
}

enum { KEPT, LOST, CANNOT };

/* In a mount namespace of its own: whether a file of root below a mount with these flags is trusted. */
static int trusted_below(unsigned long flags)
{
	static const char path[] = "/mnt/ringtop-test";
	int fd;

	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", "/mnt", "tmpfs", flags, NULL))
		return CANNOT;
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	return fd < 0 ? CANNOT : sandbox_trusts(fd, path) ? KEPT : LOST;
}

static int trusted_in_child(unsigned long flags)
{
	pid_t pid = fork();
	int status;

	if (!pid)
		_exit(trusted_below(flags));
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* What users may mount (FUSE, a stick) says itself whose its files are; it is mounted nosuid. */
static void test_nosuid(void **state)
{
	int plain;

	(void)state;
	if (geteuid())
		SKIP("only root can mount");
	plain = trusted_in_child(0);
	if (plain == CANNOT)
		SKIP("nothing can be mounted on /mnt here");
	assert_int_equal(plain, KEPT);
	assert_int_equal(trusted_in_child(MS_NOSUID), LOST);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refused), cmocka_unit_test(test_rights), cmocka_unit_test(test_descriptors),
		cmocka_unit_test(test_much), cmocka_unit_test(test_crash), cmocka_unit_test(test_memory),
		cmocka_unit_test(test_killed), cmocka_unit_test(test_nonsense), cmocka_unit_test(test_trust),
		cmocka_unit_test(test_nosuid), cmocka_unit_test(test_loop),
		cmocka_unit_test(test_stopped), cmocka_unit_test(test_brief), cmocka_unit_test(test_texts),
		cmocka_unit_test(test_cpu), cmocka_unit_test(test_often), cmocka_unit_test(test_given_up),
		cmocka_unit_test(test_no_start),
	};

	return cmocka_run_group_tests(tests, sandboxed_setup, sandboxed_teardown);
}
