/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/perfimage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define HEAD  104
#define MAGIC 0x32454c4946524550ull /* "PERFILE2" */

static void must(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "perfimage: %s\n", what);
	abort();
}

void image_put(struct perfimage *im, const void *bytes, size_t len)
{
	must(len <= PERFIMAGE_MAX - im->size, "it does not fit");
	memcpy(im->data + im->size, bytes, len);
	im->size += len;
}

static void put_number(struct perfimage *im, uint64_t v, size_t len)
{
	uint8_t bytes[8];

	for (size_t i = 0; i < len; i++)
		bytes[im->swap ? len - 1 - i : i] = (uint8_t)(v >> 8 * i);
	image_put(im, bytes, len);
}

void image_put16(struct perfimage *im, uint16_t v)
{
	put_number(im, v, sizeof(v));
}

void image_put32(struct perfimage *im, uint32_t v)
{
	put_number(im, v, sizeof(v));
}

void image_put64(struct perfimage *im, uint64_t v)
{
	put_number(im, v, sizeof(v));
}

void image_put_at(struct perfimage *im, size_t at, uint64_t v, size_t len)
{
	size_t size = im->size;

	im->size = at;
	put_number(im, v, len);
	im->size = size;
}

void image_put_text(struct perfimage *im, const char *text, size_t size)
{
	char field[256] = "";

	must(size <= sizeof(field) && strlen(text) < size, "a text does not fit");
	memcpy(field, text, strlen(text));
	image_put(im, field, size);
}

size_t image_begin(struct perfimage *im, uint32_t type, uint16_t misc)
{
	size_t at = im->size;

	image_put32(im, type);
	image_put16(im, misc);
	image_put16(im, 0);
	return at;
}

void image_end(struct perfimage *im, size_t at)
{
	image_put_at(im, at + 6, im->size - at, 2);
}

void image_put_attr(struct perfimage *im, uint64_t config, uint64_t sample_type)
{
	uint8_t flags[8] = {0};
	size_t at = im->size;

	image_put32(im, PERF_TYPE_SOFTWARE);
	image_put32(im, PERFIMAGE_ATTR);
	image_put64(im, config);
	image_put64(im, 4000 + config);
	image_put64(im, sample_type);
	image_put64(im, 0);
	/* sample_id_all, the 19th bit from the one end or the other */
	flags[2] = im->swap ? 0x20 : 0x04;
	image_put(im, flags, 8);
	while (im->size < at + PERFIMAGE_ATTR)
		image_put(im, "", 1);
}

void image_start(struct perfimage *im, bool swap, uint64_t sample_type)
{
	im->size = 0;
	im->swap = swap;
	image_put64(im, MAGIC);
	image_put64(im, HEAD);
	image_put64(im, PERFIMAGE_ATTR + 16);
	image_put64(im, HEAD);
	image_put64(im, PERFIMAGE_ATTR + 16);
	image_put64(im, HEAD + PERFIMAGE_ATTR + 16);
	while (im->size < HEAD)
		image_put64(im, 0);
	image_put_attr(im, PERF_COUNT_SW_CPU_CLOCK, sample_type);
	image_put64(im, HEAD);
	image_put64(im, 0); /* ids: none */
}

void image_finish(struct perfimage *im)
{
	image_put_at(im, 48, im->size - (HEAD + PERFIMAGE_ATTR + 16), 8);
}

void image_start_stream(struct perfimage *im)
{
	im->size = 0;
	im->swap = false;
	image_put64(im, MAGIC);
	image_put64(im, 16);
}

void image_put_tracepoint(struct perfimage *im, uint64_t number, uint64_t sample_type)
{
	size_t at = image_begin(im, 64, 0);

	image_put_attr(im, number, sample_type);
	image_put_at(im, at + 8, PERF_TYPE_TRACEPOINT, 4);
	image_put_at(im, at + 8 + 16, 1, 8); /* sample_period */
	image_end(im, at);
}

static void put_file(struct perfimage *im, const char *text, size_t size_bytes)
{
	size_t len = text ? strlen(text) : 0;

	if (size_bytes == 8)
		image_put64(im, len);
	else
		image_put32(im, (uint32_t)len);
	if (len)
		image_put(im, text, len);
}

void image_put_tracing(struct perfimage *im, const char *system, const char *const *formats, unsigned nr,
		       const char *kallsyms, const char *printk)
{
	size_t at = image_begin(im, 66, 0), from;

	image_put32(im, 0); /* bytes that follow, later */
	image_put32(im, 0);
	image_end(im, at);
	from = im->size;
	image_put(im, "\027\010\104tracing0.6", 14);
	image_put(im, "\0\010", 2); /* little endian, longs of 8 bytes */
	image_put32(im, 4096);
	image_put(im, "header_page", 12);
	image_put64(im, 0);
	image_put(im, "header_event", 13);
	image_put64(im, 0);
	image_put32(im, 0); /* formats of ftrace's own */
	image_put32(im, 1);
	image_put(im, system, strlen(system) + 1);
	image_put32(im, nr);
	for (unsigned i = 0; i < nr; i++)
		put_file(im, formats[i], 8);
	put_file(im, kallsyms, 4);
	put_file(im, printk, 4);
	image_put64(im, 0); /* names of tasks */
	while ((im->size - from) % 8)
		image_put(im, "", 1);
	image_put_at(im, at + 8, im->size - from, 4);
}

ssize_t image_read(void *arg, void *buf, size_t len, uint64_t offset)
{
	const struct perfimage *im = arg;

	if (offset >= im->size)
		return 0;
	if (len > im->size - offset)
		len = im->size - offset;
	memcpy(buf, im->data + offset, len);
	return (ssize_t)len;
}

int image_fd(const struct perfimage *im)
{
	int fd = memfd_create("perf.data", MFD_CLOEXEC);

	if (fd >= 0 && write(fd, im->data, im->size) == (ssize_t)im->size)
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}
