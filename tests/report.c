/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char *read_all(int fd)
{
	struct stat st;
	char *text;

	assert_int_equal(fstat(fd, &st), 0);
	text = malloc((size_t)st.st_size + 1);
	assert_non_null(text);
	assert_int_equal(pread(fd, text, (size_t)st.st_size, 0), st.st_size);
	text[st.st_size] = '\0';
	return text;
}

char *report_run(const struct synth_config *c, unsigned ticks, struct headless_options *o,
		 struct headless_result *r, struct err *err, int *ret)
{
	struct session *s = synth_session_create(c);

	assert_non_null(s);
	synth_advance(s, ticks);
	return report_session(s, o, r, err, ret);
}

char *report_session(struct session *s, struct headless_options *o, struct headless_result *r,
		     struct err *err, int *ret)
{
	struct model *m = model_create(&s->info, 0);
	int fd = memfd_create("report", MFD_CLOEXEC);
	char *text;

	assert_non_null(m);
	assert_true(fd >= 0);
	o->out_fd = fd;
	o->version = "0.0";
	*ret = headless_run(s, m, o, r, err);
	text = read_all(fd);
	close(fd);
	model_free(m);
	session_close(s);
	return text;
}

static void compare(const char *path, const char *golden, const char *text)
{
	unsigned line = 1;
	size_t i = 0, begin = 0;

	for (; golden[i] && golden[i] == text[i]; i++) {
		if (golden[i] == '\n') {
			line++;
			begin = i + 1;
		}
	}
	if (golden[i] != text[i])
		fail_msg("%s:%u: column %zu: expected \"%.60s\", got \"%.60s\"", path, line,
			 i - begin + 1, golden + i, text + i);
}

void report_golden(const char *name, const char *text)
{
	const char *top = getenv("RINGTOP_SRCDIR"), *mode = getenv("RINGTOP_GOLDEN");
	char path[4096], *golden;
	FILE *f;

	snprintf(path, sizeof(path), "%s/tests/golden/%s", top ? top : ".", name);
	f = fopen(path, mode && !strcmp(mode, "write") ? "w+" : "r");
	if (!f)
		fail_msg("cannot open %s", path);
	if (mode && !strcmp(mode, "write"))
		assert_true(fputs(text, f) >= 0 && !fflush(f));
	golden = read_all(fileno(f));
	fclose(f);
	compare(path, golden, text);
	free(golden);
}
