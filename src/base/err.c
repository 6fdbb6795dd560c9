/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int err_set(struct err *err, int code, const char *fmt, ...)
{
	va_list ap;

	if (err) {
		err->code = code;
		err->advice[0] = '\0';
		va_start(ap, fmt);
		vsnprintf(err->text, sizeof(err->text), fmt, ap);
		va_end(ap);
	}
	return -code;
}

static const struct scarce {
	int code;
	const char *what, *advice;
} scarce[] = {
	{ENOMEM, "memory", ""},
	{EMFILE, "file descriptors", "raise the limit: ulimit -n"},
	{ENFILE, "file descriptors of the whole machine", "raise fs.file-max"},
	{EAGAIN, "threads", "raise the limit: ulimit -u"},
};

int err_room(struct err *err, int code, const char *fmt, ...)
{
	char name[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(name, sizeof(name), fmt, ap);
	va_end(ap);
	for (size_t i = 0; i < sizeof(scarce) / sizeof(*scarce); i++) {
		if (scarce[i].code != code)
			continue;
		err_set(err, code, "out of %s for %s", scarce[i].what, name);
		err_advise(err, "%s", scarce[i].advice);
		return -code;
	}
	return err_set(err, code, "%s: %s", name, strerror(code));
}

int err_advise(struct err *err, const char *fmt, ...)
{
	va_list ap;

	if (!err)
		return 0;
	va_start(ap, fmt);
	vsnprintf(err->advice, sizeof(err->advice), fmt, ap);
	va_end(ap);
	return -err->code;
}

int err_option(struct err *err, const char *option)
{
	size_t len = strlen(option) + 2;

	if (!err)
		return 0;
	if (err->code == EINVAL && err->text[0] != '-' && len < sizeof(err->text)) {
		memmove(err->text + len, err->text, sizeof(err->text) - len);
		err->text[sizeof(err->text) - 1] = '\0';
		memcpy(err->text, option, len - 2);
		memcpy(err->text + len - 2, ": ", 2);
	}
	return -err->code;
}
