/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jit_files -s SECONDS - runs generated code in files of every kind that runtimes and libffi put it into, the same work
 * in each, and names it in /tmp/perf-PID.map: jit_devzero, jit_sysv, jit_unlinked, jit_devshm, jit_memfd.  Exit 77 where
 * no code can be generated for the machine, or one of these cannot be made.
 */
#include <fcntl.h>
#include <sys/shm.h>

#include "work.h"

#define CODE_BYTES 4096
#define KINDS      5

#ifdef __x86_64__
/* mov $100000,%ecx; dec %ecx; jnz -4; ret */
static const unsigned char code[] = {0xb9, 0xa0, 0x86, 0x01, 0x00, 0xff, 0xc9, 0x75, 0xfc, 0xc3};
#else
static const unsigned char code[1];
#endif

static const char *const names[KINDS] = {"jit_devzero", "jit_sysv", "jit_unlinked", "jit_devshm", "jit_memfd"};

static void *map_file(int fd)
{
	void *at = MAP_FAILED;

	if (fd >= 0 && !ftruncate(fd, CODE_BYTES))
		at = mmap(NULL, CODE_BYTES, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_SHARED, fd, 0);
	close(fd);
	return at;
}

static void *map_unlinked(void)
{
	char path[] = "/tmp/jit_files.XXXXXX";
	int fd = mkstemp(path);

	unlink(path);
	return map_file(fd);
}

static void *map_zero(void)
{
	int fd = open("/dev/zero", O_RDWR | O_CLOEXEC);
	void *at = mmap(NULL, CODE_BYTES, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_SHARED, fd, 0);

	close(fd);
	return at;
}

static void *map_sysv(void)
{
	int id = shmget(IPC_PRIVATE, CODE_BYTES, IPC_CREAT | 0700);
	void *at = shmat(id, NULL, SHM_EXEC);

	shmctl(id, IPC_RMID, NULL);
	return at == (void *)-1 ? MAP_FAILED : at;
}

int main(int argc, char **argv)
{
	char shm[48], map[48];
	uint64_t deadline;
	void *at[KINDS];
	struct work w;
	FILE *f;

	work_parse(&w, argc, argv);
	if (sizeof(code) == 1)
		return 77;
	snprintf(shm, sizeof(shm), "/dev/shm/jit_files.%d", (int)getpid());
	snprintf(map, sizeof(map), "/tmp/perf-%d.map", (int)getpid());
	at[0] = map_zero();
	at[1] = map_sysv();
	at[2] = map_unlinked();
	at[3] = map_file(open(shm, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0700));
	at[4] = map_file(memfd_create("jit_files", MFD_CLOEXEC));
	f = fopen(map, "we");
	for (int i = 0; i < KINDS && f; i++) {
		if (at[i] == MAP_FAILED) {
			unlink(shm);
			unlink(map);
			errx(77, "%s: cannot be made here", names[i]);
		}
		memcpy((char *)at[i] + 64 * i, code, sizeof(code));
		fprintf(f, "%" PRIxPTR " %zx %s\n", (uintptr_t)at[i] + 64 * (unsigned)i, sizeof(code), names[i]);
	}
	if (!f || fclose(f))
		err(1, "%s", map);
	work_begin(&w);
	for (deadline = work_deadline(&w); work_now() < deadline;) {
		for (int i = 0; i < KINDS; i++) {
			void *code_at = (char *)at[i] + 64 * i;
			void (*run)(void);

			memcpy(&run, &code_at, sizeof(run));
			run();
		}
	}
	unlink(shm);
	unlink(map);
	printf("pid=%d\n", (int)getpid());
	return 0;
}
