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
