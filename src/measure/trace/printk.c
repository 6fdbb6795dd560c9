/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measure/trace/printk.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/io.h"
#include "base/vec.h"
#include "kernel/event/tracepoint.h"

/* Replace \n, \t and \" by the characters they stand for; a newline at the end is left out. */
static void unescape_printk(char *text)
{
	char *to = text;

	for (const char *from = text; *from; from++) {
		if (from[0] == '\\' && from[1] && strchr("nt\"", from[1])) {
			from++;
			*to++ = *from == 'n' ? '\n' : *from == 't' ? '\t' : '"';
		} else {
			*to++ = *from;
		}
	}
	if (to > text && to[-1] == '\n')
		to--;
	*to = '\0';
}

/* Parse a line 0xADDRESS : "TEXT"; others are skipped.  0 or -ENOMEM. */
static int parse_printk_line(struct printk *p, char *line)
{
	char *text = strstr(line, " : \""), *end;
	struct printk_text *to;
	uint64_t addr;

	if (!text || strncmp(line, "0x", 2) != 0 || p->nr == PRINTK_TEXTS)
		return 0;
	addr = strtoull(line, &end, 16);
	text += 4;
	if (end != text - 4 || !addr || !*text || text[strlen(text) - 1] != '"')
		return 0;
	text[strlen(text) - 1] = '\0';
	unescape_printk(text);
	to = VEC_ADD(p->at, p->nr, p->cap);
	if (!to)
		return -ENOMEM;
	*to = (struct printk_text){addr, text};
	return 0;
}

COMPARE_BY(compare_printk_addresses, struct printk_text, addr)

static void keep_each_once(struct printk *p)
{
	size_t nr = 0;

	for (size_t i = 0; i < p->nr; i++)
		if (!nr || p->at[nr - 1].addr != p->at[i].addr)
			p->at[nr++] = p->at[i];
	p->nr = nr;
}

int printk_parse(const char *list, size_t len, struct printk *p)
{
	char *save = NULL;
	int ret = 0;

	*p = (struct printk){.nr = 0};
	len = len < PRINTK_BYTES ? len : PRINTK_BYTES;
	p->bytes = malloc(len + 1);
	if (!p->bytes)
		return -ENOMEM;
	if (len)
		memcpy(p->bytes, list, len);
	p->bytes[len] = '\0';
	for (char *line = strtok_r(p->bytes, "\n", &save); line && !ret;
	     line = strtok_r(NULL, "\n", &save))
		ret = parse_printk_line(p, line);
	if (p->nr)
		qsort(p->at, p->nr, sizeof(*p->at), compare_printk_addresses);
	keep_each_once(p);
	return ret;
}

void printk_clear(struct printk *p)
{
	free(p->at);
	free(p->bytes);
	*p = (struct printk){.nr = 0};
}

const char *printk_find(const struct printk *p, uint64_t addr)
{
	const struct printk_text key = {.addr = addr}, *found;

	if (!p || !p->nr)
		return NULL;
	found = bsearch(&key, p->at, p->nr, sizeof(*p->at), compare_printk_addresses);
	return found ? found->text : NULL;
}

/* --- this kernel's ---------------------------------------------------------------------------- */

char *printk_read(size_t *len)
{
	const char *root = tracepoint_mounted();
	char *list = root ? malloc(PRINTK_BYTES) : NULL, path[256];
	ssize_t n;

	*len = 0;
	if (!list)
		return NULL;
	snprintf(path, sizeof(path), "%.200s/printk_formats", root);
	n = io_read_text(path, list, PRINTK_BYTES);
	if (n > 0) {
		*len = (size_t)n;
		return list;
	}
	free(list);
	return NULL;
}

static struct printk kernel;

static void read_kernel_printks(void)
{
	size_t len;
	char *list = printk_read(&len);

	if (list && printk_parse(list, len, &kernel))
		printk_clear(&kernel);
	free(list);
}

const struct printk *printk_of_kernel(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, read_kernel_printks);
	return &kernel;
}
