/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench_copy - what moving the bytes of AUX areas costs here: copied in memory by several loops, and
 * written to a file.
 *
 *   bench_copy [MB [FILE]]
 *
 * The memory is touched before, the file is new in each round; MB per second of CPU, the median of
 * ROUNDS rounds.  FILE is removed again.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "kernel/capture/auxarea.h"

#define ROUNDS 9

static void by_memcpy(char *to, const char *from, size_t len)
{
	memcpy(to, from, len);
}

#ifdef __x86_64__
#include <emmintrin.h>

static void by_movsb(char *to, const char *from, size_t len)
{
	asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(len) : : "memory");
}

static void by_movsq(char *to, const char *from, size_t len)
{
	len /= 8;
	asm volatile("rep movsq" : "+D"(to), "+S"(from), "+c"(len) : : "memory");
}

static void by_words(char *to, const char *from, size_t len)
{
	asm volatile("1:\n\tmov (%1), %%rax\n\tmov 8(%1), %%rdx\n\tmov 16(%1), %%r8\n\t"
		     "mov 24(%1), %%r9\n\tmov %%rax, (%0)\n\tmov %%rdx, 8(%0)\n\tmov %%r8, 16(%0)\n\t"
		     "mov %%r9, 24(%0)\n\tadd $32, %0\n\tadd $32, %1\n\tsub $32, %2\n\tjnz 1b"
		     : "+r"(to), "+r"(from), "+r"(len) : : "memory", "rax", "rdx", "r8", "r9", "cc");
}

static void by_sse(char *to, const char *from, size_t len)
{
	asm volatile("1:\n\tmovups (%1), %%xmm0\n\tmovups 16(%1), %%xmm1\n\t"
		     "movups 32(%1), %%xmm2\n\tmovups 48(%1), %%xmm3\n\tmovups %%xmm0, (%0)\n\t"
		     "movups %%xmm1, 16(%0)\n\tmovups %%xmm2, 32(%0)\n\tmovups %%xmm3, 48(%0)\n\t"
		     "add $64, %0\n\tadd $64, %1\n\tsub $64, %2\n\tjnz 1b"
		     : "+r"(to), "+r"(from), "+r"(len)
		     : : "memory", "xmm0", "xmm1", "xmm2", "xmm3", "cc");
}

static void by_sse_nt(char *to, const char *from, size_t len)
{
	for (size_t at = 0; at < len; at += 64)
		for (int i = 0; i < 64; i += 16)
			_mm_stream_si128((__m128i *)(void *)(to + at + i),
					 _mm_loadu_si128((const __m128i *)(const void *)(from + at + i)));
	_mm_ssandbox();
}
#endif

static const struct loop {
	const char *name;
	void (*copy)(char *to, const char *from, size_t len);
} loops[] = {
	{"memcpy", by_memcpy},
#ifdef __x86_64__
	{"rep movsb", by_movsb},
	{"rep movsq", by_movsq},
	{"8-byte moves", by_words},
	{"16-byte moves", by_sse},
	{"16-byte moves past the cache", by_sse_nt},
#endif
};

static char *memory(size_t size)
{
	char *data = mmap(NULL, size, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	if (data == MAP_FAILED) {
		perror("bench_copy");
		exit(1);
	}
	for (size_t at = 0; at < size; at++)
		data[at] = (char)(at * 7 + at / 4096);
	return data;
}

static double cpu_seconds(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
	       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

static int rising(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void print(const char *name, double *seconds, size_t size)
{
	qsort(seconds, ROUNDS, sizeof(*seconds), rising);
	printf("%-30s %9.0f MB/s\n", name, (double)size / 1e6 / seconds[ROUNDS / 2]);
}

static void bench_loop(const struct loop *l, char *to, const char *from, size_t size)
{
	double seconds[ROUNDS];

	for (int i = 0; i < ROUNDS; i++) {
		double start = cpu_seconds();

		l->copy(to, from, size);
		seconds[i] = cpu_seconds() - start;
	}
	if (memcmp(to, from, size)) {
		fprintf(stderr, "bench_copy: %s copies something else\n", l->name);
		exit(1);
	}
	print(l->name, seconds, size);
}

static void bench_write(const char *path, const char *from, size_t size)
{
	double seconds[ROUNDS];

	for (int i = 0; i < ROUNDS; i++) {
		int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
		double start = cpu_seconds();
		ssize_t n = write(fd, from, size);

		seconds[i] = cpu_seconds() - start;
		if (n != (ssize_t)size) {
			perror(path);
			exit(1);
		}
		close(fd);
		unlink(path);
	}
	print("write", seconds, size);
}

int main(int argc, char *argv[])
{
	size_t size = (size_t)(argc > 1 ? atoi(argv[1]) : 4) << 20;
	char *from = memory(size), *to = memory(size);

	for (size_t i = 0; i < sizeof(loops) / sizeof(loops[0]); i++) {
		memset(to, 0, size);
		bench_loop(&loops[i], to, from, size);
	}
	if (argc > 2)
		bench_write(argv[2], from, size);
	return 0;
}
