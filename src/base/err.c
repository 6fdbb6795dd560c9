/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

int err_set(struct err *err, int code, const char *fmt, ...)
{
	va_list ap;

	if (err) {
		err->code = code;
		err->advice[0] = '\0';
		err->quote[0] = '\0';
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
		return -EINVAL;
	va_start(ap, fmt);
	vsnprintf(err->advice, sizeof(err->advice), fmt, ap);
	va_end(ap);
	return -err->code;
}

#define QUOTE_BEFORE 60 /* bytes of the input quoted before the error */
#define QUOTE_LENGTH 76

int err_point(struct err *err, const char *written, const char *at)
{
	size_t from = (size_t)(at - written);

	if (!err)
		return -EINVAL;
	from = from > QUOTE_BEFORE ? from - QUOTE_BEFORE : 0;
	snprintf(err->quote, sizeof(err->quote), "%.*s", QUOTE_LENGTH, written + from);
	err->caret = (unsigned)(at - written - (ptrdiff_t)from);
	return -err->code;
}

int err_prefix(struct err *err, const char *what)
{
	size_t len = strlen(what) + 2;

	if (!err)
		return -EINVAL;
	if (len < sizeof(err->text)) {
		memmove(err->text + len, err->text, sizeof(err->text) - len);
		err->text[sizeof(err->text) - 1] = '\0';
		memcpy(err->text, what, len - 2);
		memcpy(err->text + len - 2, ": ", 2);
	}
	return -err->code;
}

int err_option(struct err *err, const char *option)
{
	if (err && err->code == EINVAL && err->text[0] != '-')
		err_prefix(err, option);
	return err ? -err->code : -EINVAL;
}
