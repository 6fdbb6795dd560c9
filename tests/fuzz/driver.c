/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * driver - main() for fuzz targets where libFuzzer is not there, or not wanted: replays the files of
 * a corpus and a fixed number of mutations of each: simple ones, or the target's own
 * (LLVMFuzzerCustomMutator).  Always the same for the same corpus, so a failure comes back; the input at fault is left beside the test logs as crash-TARGET.
 *
 * Without arguments the corpus is RINGTOP_SRCDIR/tests/corpus/NAME for tests/fuzz/fuzz_NAME.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define INPUT_MAX (1u << 20)
#define MUTATIONS 20000
#define SECONDS   3  /* for mutations, whatever their number */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv) __attribute__((weak));
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max); /* for the next one, as libFuzzer's */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
	__attribute__((weak));

static uint64_t seed = 0x9e3779b97f4a7c15ull;
static uint8_t *shared; /* the input under test, in a file that outlives us */
static uint8_t scratch[INPUT_MAX];
static char crash_path[4096];
static int crash_fd = -1;
static unsigned long runs;

static uint64_t random_u64(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static void keep_input(const uint8_t *data, size_t size)
{
	if (crash_fd >= 0 && size && !ftruncate(crash_fd, (off_t)size))
		memcpy(shared, data, size);
}

/* An exact copy on the heap, so that a sanitizer sees one byte too many. */
static void run_input(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);

	if (!copy)
		exit(1);
	if (size)
		memcpy(copy, data, size);
	keep_input(data, size);
	LLVMFuzzerTestOneInput(copy, size);
	free(copy);
	runs++;
}

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max)
{
	static const uint64_t odd[] = {0, 1, 7, 8, 0x7f, 0x80, 0xff, 0x7fff, 0xffff, 0x7fffffff,
				       0xffffffff, 0x7fffffffffffffff, UINT64_MAX};
	size_t at = size ? random_u64() % size : 0, n = random_u64() % 32;

	switch (size ? random_u64() % 6 : 4) {
	case 0:
		data[at] ^= (uint8_t)(1u << random_u64() % 8);
		break;
	case 1:
		data[at] = (uint8_t)random_u64();
		break;
	case 2: /* a number that breaks bounds, of 1 to 8 bytes */
		n = 1u << random_u64() % 4;
		if (at + n <= size)
			memcpy(data + at, &odd[random_u64() % (sizeof(odd) / sizeof(*odd))], n);
		break;
	case 3: /* cut the end off */
		size = at;
		break;
	case 4: /* insert bytes, a copy of what stands there */
		if (size + n <= max) {
			memmove(data + at + n, data + at, size - at);
			if (!size)
				memset(data, (int)random_u64(), n);
			size += n;
		}
		break;
	default: /* take bytes out */
		if (at + n <= size) {
			memmove(data + at, data + at + n, size - at - n);
			size -= n;
		}
	}
	return size;
}

static size_t mutate(uint8_t *data, size_t size)
{
	return LLVMFuzzerCustomMutator
		       ? LLVMFuzzerCustomMutator(data, size, INPUT_MAX, (unsigned)random_u64())
		       : LLVMFuzzerMutate(data, size, INPUT_MAX);
}

static void run_mutations(const uint8_t *data, size_t size, unsigned nr, time_t until)
{
	for (unsigned i = 0; i < nr && time(NULL) < until; i++) {
		size_t n = size;

		if (size)
			memcpy(scratch, data, size);
		for (uint64_t steps = 1 + random_u64() % 8; steps; steps--)
			n = mutate(scratch, n);
		run_input(scratch, n);
	}
}

static int replay_file(const char *path, unsigned mutations, time_t until)
{
	uint8_t *data = malloc(INPUT_MAX);
	FILE *f = fopen(path, "rb");
	size_t size;

	if (!f || !data) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		free(data);
		if (f)
			fclose(f);
		return 1;
	}
	size = fread(data, 1, INPUT_MAX, f);
	fclose(f);
	run_input(data, size);
	run_mutations(data, size, mutations, until);
	free(data);
	return 0;
}

static int hidden_skip(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static int replay(const char *path, time_t until)
{
	struct dirent **names;
	struct stat st;
	int nr, failed = 0;

	if (stat(path, &st) || !S_ISDIR(st.st_mode))
		return replay_file(path, MUTATIONS, until);
	nr = scandir(path, &names, hidden_skip, alphasort);
	if (nr < 0) {
		perror(path);
		return 1;
	}
	for (int i = 0; i < nr; i++) {
		char file[4096];

		snprintf(file, sizeof(file), "%s/%s", path, names[i]->d_name);
		failed |= replay_file(file, MUTATIONS / (unsigned)nr, until);
		free(names[i]);
	}
	free(names);
	return failed;
}

static const char *target_name(const char *program)
{
	static char name[256];
	const char *base = strrchr(program, '/');

	base = base ? base + 1 : program;
	if (!strncmp(base, "fuzz_", 5))
		base += 5;
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(base, "."), base);
	return name;
}

static void open_crash_file(const char *target)
{
	const char *dir = getenv("RINGTOP_BUILDDIR");

	if (dir)
		snprintf(crash_path, sizeof(crash_path), "%s/build-logs/crash-%s", dir, target);
	else
		snprintf(crash_path, sizeof(crash_path), "/tmp/crash-%s", target);
	crash_fd = open(crash_path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (crash_fd < 0)
		return;
	shared = mmap(NULL, INPUT_MAX, PROT_READ | PROT_WRITE, MAP_SHARED, crash_fd, 0);
	if (shared == MAP_FAILED) {
		close(crash_fd);
		crash_fd = -1;
	}
}

/* One more line of what report.sh adds up. */
static void note_runs(const char *target)
{
	const char *found = getenv("FUZZ_FOUND"), *dir = getenv("RINGTOP_BUILDDIR");
	char path[4200];
	FILE *f;

	if (!found && !dir)
		return;
	snprintf(path, sizeof(path), "%s%s", found ? found : dir, found ? "" : "/build-found");
	if (mkdir(path, 0777) && errno != EEXIST)
		return;
	snprintf(path + strlen(path), sizeof(path) - strlen(path), "/fuzz_%s.count", target);
	f = fopen(path, "a");
	if (!f)
		return;
	fprintf(f, "%lu\n", runs);
	fclose(f);
}

int main(int argc, char **argv)
{
	const char *target = target_name(argv[0]), *top = getenv("RINGTOP_SRCDIR");
	time_t until = time(NULL) + SECONDS;
	char corpus[4096];
	int failed = 0;

	if (LLVMFuzzerInitialize)
		LLVMFuzzerInitialize(&argc, &argv);
	open_crash_file(target);
	run_input(NULL, 0);
	if (!LLVMFuzzerCustomMutator) /* which knows what to change in something, not in nothing */
		run_mutations(NULL, 0, MUTATIONS, until);
	for (int i = 1; i < argc; i++)
		failed |= replay(argv[i], until);
	snprintf(corpus, sizeof(corpus), "%s/tests/corpus/%s", top ? top : ".", target);
	if (argc == 1 && !access(corpus, F_OK))
		failed |= replay(corpus, until);
	if (crash_fd >= 0)
		unlink(crash_path);
	note_runs(target);
	printf("%s: %lu inputs\n", target, runs);
	return failed;
}
