/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measure/trace/syscalls.h"

#include <asm/unistd.h>
#include <stddef.h>

static const struct {
	const char *name;
	int64_t number;
} syscalls[] = {
#include "measure/trace/syscallnames.inc"
};

const char *syscalls_name(int64_t number)
{
	for (size_t i = 0; i < sizeof(syscalls) / sizeof(*syscalls); i++)
		if (syscalls[i].number == number)
			return syscalls[i].name;
	return NULL;
}
