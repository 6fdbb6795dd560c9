/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * main_options - OPTIONS of ringtop(1) from the table of options, for the build alone
 * (man/ringtop.1.in): --help and the page cannot differ.
 */
#include <stdio.h>

#include "app/options.h"

int main(void)
{
	static char text[1 << 17];
	int len = options_man(text, sizeof(text));

	if (len <= 0 || len >= (int)sizeof(text))
		return 1;
	return fputs(text, stdout) < 0 || fflush(stdout);
}
