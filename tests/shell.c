/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/shell.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

bool shell_run(const char *dir, const char *fmt, ...)
{
	char command[4096];
	int n = snprintf(command, sizeof(command), "cd %s && { ", dir);
	va_list ap;

	va_start(ap, fmt);
	n += vsnprintf(command + n, sizeof(command) - (size_t)n, fmt, ap);
	va_end(ap);
	snprintf(command + n, sizeof(command) - (size_t)n, "\n} >log 2>&1");
	return system(command) == 0;
}

int shell_remove(const char *dir)
{
	char command[4096];

	snprintf(command, sizeof(command), "rm -rf '%s'", dir);
	return system(command);
}
