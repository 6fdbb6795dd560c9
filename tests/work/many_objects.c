/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * many_objects - as many objects as are wanted, all at once, each with one page fault in a function of its own.
 *
 * many_objects LIBRARY DIR N: copies of this source's other half, in which the number stands for 0000: in the
 * function's name and in the build-id.  Prints "faulted" and waits to be killed, for a minute at the most.
 */
#include "work.h"

#ifdef MANY_LIBRARY

void many_enter(volatile char *page);

static __attribute__((noinline)) void object_0000(volatile char *page)
{
	*page = 1;
}

void many_enter(volatile char *page)
{
	object_0000(page);
	__asm__ volatile("" ::: "memory"); /* not the last call: it stays one */
}

#else

#include <dlfcn.h>

static char library[1 << 20];
static size_t length;

static void read_library(const char *path)
{
	FILE *f = fopen(path, "re");

	if (!f || !(length = fread(library, 1, sizeof(library), f)) || length == sizeof(library))
		err(1, "%s", path);
	fclose(f);
}

static void write_copy(const char *path, unsigned number)
{
	char digits[16], *copy = malloc(length);
	FILE *f = fopen(path, "we");

	if (!f || !copy)
		err(1, "%s", path);
	snprintf(digits, sizeof(digits), "%04u", number);
	memcpy(copy, library, length);
	for (char *at = copy; (at = memmem(at, length - (size_t)(at - copy), "ect_0000", 8)); at += 8)
		memcpy(at + 4, digits, 4);
	if (fwrite(copy, 1, length, f) != length || fclose(f))
		err(1, "%s", path);
	free(copy);
}

static void fault_in(const char *path)
{
	volatile char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	void (*enter)(volatile char *);

	if (!object || page == MAP_FAILED)
		errx(1, "%s: %s", path, dlerror());
	*(void **)&enter = dlsym(object, "many_enter");
	enter(page);
}

int main(int argc, char *argv[])
{
	char path[4096];

	if (argc != 4)
		errx(2, "usage: many_objects LIBRARY DIR N");
	read_library(argv[1]);
	for (unsigned i = 1; i <= (unsigned)atoi(argv[3]); i++) {
		snprintf(path, sizeof(path), "%s/object%u.so", argv[2], i);
		write_copy(path, i);
		fault_in(path);
	}
	puts("faulted");
	fflush(stdout);
	alarm(60);
	pause();
	return 0;
}

#endif
