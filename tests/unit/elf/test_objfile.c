/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "files/elf/objfile.h"
#include "tests/sandboxed.h"
#include "tests/skip.h"

static char dir[] = "/tmp/ringtop-test-XXXXXX";
static char path[64];

static uint64_t make_file(const char *text)
{
	struct stat st;
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fstat(fileno(f), &st), 0);
	assert_int_equal(fclose(f), 0);
	return (uint64_t)st.st_ino;
}

static int setup(void **state)
{
	(void)state;
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/object", dir);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	unlink(path);
	return rmdir(dir);
}

static int clean(void **state)
{
	(void)state;
	unlink(path);
	rmdir(path);
	return 0;
}

static void check_opens(const struct objfile *f, const char *text)
{
	struct err err;
	char buf[32] = "";
	int fd = objfile_open(f, NULL, &err);

	assert_true(fd >= 0);
	assert_int_equal(read(fd, buf, sizeof(buf) - 1), strlen(text));
	assert_string_equal(buf, text);
	close(fd);
}

static void check_fails(const struct objfile *f, int code)
{
	struct err err = {0};

	assert_int_equal(objfile_open(f, NULL, &err), -code);
	assert_int_equal(err.code, code);
	assert_non_null(strstr(err.text, f->path));
	assert_int_equal(objfile_open(f, NULL, NULL), -code);
}

static void test_by_path(void **state)
{
	uint64_t ino = make_file("first");
	struct objfile f = {.pid = getpid(), .ino = ino, .path = path};

	(void)state;
	check_opens(&f, "first");
	f.ino = 0;
	check_opens(&f, "first");
	f.ino = ino + 1;
	check_fails(&f, ESTALE);
	f.pid = 0; /* the process is not known */
	check_fails(&f, ESTALE);
	f.ino = ino;
	check_opens(&f, "first");
}

static void test_deleted(void **state)
{
	uint64_t ino = make_file("kept");
	char deleted[80], other[80];
	struct objfile f = {.pid = getpid(), .ino = ino, .path = deleted};

	(void)state;
	snprintf(deleted, sizeof(deleted), "%s (deleted)", path);
	check_opens(&f, "kept"); /* has another name, or was put back: the inode tells */
	f.ino = 0;
	check_fails(&f, ENOENT);
	snprintf(other, sizeof(other), "%s/other", dir);
	f.ino = ino;
	assert_int_equal(rename(path, other), 0); /* keeps the inode number in use */
	make_file("replaced");
	check_fails(&f, ESTALE);
	unlink(path);
	check_fails(&f, ENOENT);
	unlink(other);
}

/* A mapped file that was deleted and replaced is found through the mapping. */
static void test_mapping(void **state)
{
	uint64_t ino = make_file("mapped");
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct objfile f = {.pid = getpid(), .ino = ino, .path = path};
	char link[96];
	void *map;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	(void)state;
	map = mmap(NULL, page, PROT_READ, MAP_PRIVATE, fd, 0);
	assert_ptr_not_equal(map, MAP_FAILED);
	close(fd);
	unlink(path);
	make_file("replaced");
	f.start = (uintptr_t)map;
	f.end = f.start + page;
	snprintf(link, sizeof(link), "/proc/self/map_files/%llx-%llx",
		 (unsigned long long)f.start, (unsigned long long)f.end);
	fd = open(link, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		munmap(map, page);
		SKIP("no right to open map_files");
	}
	close(fd);
	check_opens(&f, "mapped");
	munmap(map, page);
	check_fails(&f, ESTALE);
}

static void test_not_files(void **state)
{
	static const char *const names[] = {"[heap]", "[vdso]", "//anon", "", "relative"};
	struct objfile f = {.pid = getpid()};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		f.path = names[i];
		check_fails(&f, ENOENT);
	}
	f.path = "/dev/null";
	check_fails(&f, EINVAL);
	f.path = path;
	assert_int_equal(mkfifo(path, 0600), 0);
	check_fails(&f, EINVAL); /* and does not wait for a writer */
	unlink(path);
	assert_int_equal(mkdir(path, 0700), 0);
	check_fails(&f, EINVAL);
}

/* Regular files all, and none on a disk: to read some of them does something, or never ends. */
static void test_kernels_own(void **state)
{
	static const char *const names[] = {"/proc/version", "/proc/self/status", "/sys/kernel/notes"};
	struct objfile f = {.pid = getpid()};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (access(names[i], R_OK))
			SKIP("no %s here", names[i]);
		f.path = names[i];
		check_fails(&f, EINVAL);
		f.path = path; /* as a debuglink's name may be a link */
		assert_int_equal(symlink(names[i], path), 0);
		check_fails(&f, EINVAL);
		unlink(path);
	}
}

/* --- recordings ------------------------------------------------------------------------------- */

#define RECORDED 2000000000ull /* s: the end of a recording */

/* A copy of this program at `to`, last changed at that second; *f: its code as it is mapped here. */
static void copy_self(const char *to, time_t changed, struct objfile *f)
{
	struct timespec times[2] = {{.tv_sec = changed}, {.tv_sec = changed}};
	char command[200], line[512], exe[256];
	unsigned long long start, end, offset;
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	FILE *maps = fopen("/proc/self/maps", "r");

	assert_true(n > 0 && maps);
	exe[n] = '\0';
	while (fgets(line, sizeof(line), maps))
		if (strstr(line, exe) && sscanf(line, "%llx-%llx r-xp %llx", &start, &end, &offset) == 3) {
			f->offset = offset;
			f->len = end - start;
		}
	fclose(maps);
	assert_true(f->len);
	snprintf(command, sizeof(command), "cp /proc/%d/exe %s", (int)getpid(), to);
	assert_int_equal(system(command), 0);
	assert_int_equal(utimensat(AT_FDCWD, to, times, 0), 0);
}

static int open_found(const struct objfile *f, struct objfile_found *found, struct err *err)
{
	int fd = objfile_open(f, found, err);

	if (fd >= 0)
		close(fd);
	return fd < 0 ? fd : 0;
}

/* No build-id, no process: what speaks for a file decides, and whoever takes it says so. */
static void test_evidence(void **state)
{
	struct objfile_rules rules = {.recorded = true, .until = RECORDED * 1000000000ull};
	struct objfile f = {.path = path, .ino = 1, .rules = &rules};
	struct objfile_found found;
	struct err err;
	struct stat st;

	(void)state;
	copy_self(path, RECORDED - 1, &f);
	assert_int_equal(open_found(&f, &found, &err), 0);
	assert_non_null(strstr(found.doubt, "inode"));
	rules.host = "web02";
	assert_int_equal(open_found(&f, &found, &err), 0);
	assert_non_null(strstr(found.doubt, "on web02"));
	f.ino = 0;
	assert_int_equal(open_found(&f, &found, &err), 0);
	assert_non_null(strstr(found.doubt, "no inode number either"));
	f.len += 4096; /* another build's */
	assert_int_equal(open_found(&f, &found, &err), -ESTALE);
	assert_non_null(strstr(err.text, "differs in address or size"));
	f.len -= 4096;
	f.offset += 4096;
	assert_int_equal(open_found(&f, &found, &err), -ESTALE);
	f.offset -= 4096;
	assert_int_equal(stat(path, &st), 0);
	f.ino = st.st_ino;
	assert_int_equal(open_found(&f, &found, &err), 0);
	assert_string_equal(found.doubt, "");
	/* The very file, but written since. */
	copy_self(path, RECORDED + 1, &f);
	assert_int_equal(open_found(&f, &found, &err), -ESTALE);
	assert_non_null(strstr(err.text, "changed after the recording"));
	unlink(path);
	assert_int_equal(open_found(&f, &found, &err), -ENOENT);
	assert_non_null(strstr(err.text, "is not here"));
}

static void test_symfs(void **state)
{
	struct objfile_rules rules = {.symfs = dir, .recorded = true, .until = RECORDED * 1000000000ull};
	struct objfile f = {.path = "/object", .ino = 1, .rules = &rules};
	struct objfile_found found;
	struct err err;

	(void)state;
	assert_int_equal(objfile_rules_check(&rules, &err), 0);
	copy_self(path, RECORDED + 1, &f); /* whoever names the directory knows */
	assert_int_equal(open_found(&f, &found, &err), 0);
	assert_true(found.symfs);
	assert_string_equal(found.doubt, "");
	f.len -= 4096;
	assert_int_equal(open_found(&f, &found, &err), 0);
	assert_non_null(strstr(found.doubt, "longer"));
	f.len = 1 << 30;
	assert_int_equal(open_found(&f, &found, &err), -ESTALE);
	assert_non_null(strstr(err.text, path));
	assert_non_null(strstr(err.text, "is not the file that was recorded"));
	f.id = build_id_of("another build's", 15);
	assert_int_equal(open_found(&f, &found, &err), -ESTALE);
	/* Without a file of its own below the directory the object is looked for as ever. */
	f.path = "/proc/version";
	assert_int_equal(open_found(&f, &found, &err), -EINVAL);
	rules.symfs = path;
	assert_int_equal(objfile_rules_check(&rules, &err), -ENOTDIR);
	assert_non_null(strstr(err.text, "--symfs"));
}

/* Live, the very file goes before: of the directory's only the same build is as good. */
static void test_symfs_live(void **state)
{
	struct objfile_rules rules = {.symfs = dir};
	struct objfile f = {.pid = getpid(), .path = path, .rules = &rules};
	struct objfile_found found;
	struct err err;

	(void)state;
	f.ino = make_file("what runs");
	assert_int_equal(open_found(&f, &found, &err), 0);
	assert_false(found.symfs);
	unlink(path);
	assert_int_equal(open_found(&f, &found, &err), -ENOENT);
	f = (struct objfile){.pid = getpid(), .path = "/object", .rules = &rules};
	copy_self(path, RECORDED, &f);
	assert_int_equal(open_found(&f, &found, &err), 0); /* there is no other */
	assert_true(found.symfs);
}

static void test_gone_process(void **state)
{
	uint64_t ino = make_file("left");
	struct objfile f = {.pid = 0x3ffffff0, .ino = ino, .start = 0x1000, .end = 0x2000,
			    .path = path};

	(void)state;
	check_opens(&f, "left");
	f.ino = ino + 1;
	check_fails(&f, ESTALE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_by_path, clean),
		cmocka_unit_test_teardown(test_deleted, clean),
		cmocka_unit_test_teardown(test_mapping, clean),
		cmocka_unit_test_teardown(test_not_files, clean),
		cmocka_unit_test_teardown(test_kernels_own, clean),
		cmocka_unit_test_teardown(test_evidence, clean),
		cmocka_unit_test_teardown(test_symfs, clean),
		cmocka_unit_test_teardown(test_symfs_live, clean),
		cmocka_unit_test_teardown(test_gone_process, clean),
	};

	int failed = cmocka_run_group_tests_name("in this process", tests, setup, NULL);

	failed += cmocka_run_group_tests_name("by a helper", tests, sandboxed_setup_all, teardown);
	sandbox_end();
	return failed;
}
