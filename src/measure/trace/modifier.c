/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measure/trace/modifier.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "measure/trace/syscalls.h"

static const char *const names[] = {
	[MODIFIER_HEX] = "hex", [MODIFIER_LOG2] = "log2", [MODIFIER_SYSCALL] = "syscall",
};

int modifier_find(const char *name, size_t *len, enum modifier *m, struct err *err)
{
	const char *dot = strrchr(name, '.');

	for (size_t i = MODIFIER_NONE + 1; dot && i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(dot + 1, names[i])) {
			*len = (size_t)(dot - name);
			*m = (enum modifier)i;
			return 0;
		}
	return err_set(err, EINVAL, "%s: after the dot of a field only hex, log2 or syscall is "
				    "valid",
		       name);
}

void modifier_text(enum modifier m, uint64_t word, char *buf, size_t size)
{
	const char *name = m == MODIFIER_SYSCALL ? syscalls_name((int64_t)word) : NULL;

	if (name)
		snprintf(buf, size, "%s", name);
	else if (m == MODIFIER_SYSCALL)
		snprintf(buf, size, "%lld", (long long)word);
	else
		snprintf(buf, size, m == MODIFIER_HEX ? "0x%llx" : "%llu",
			 (unsigned long long)word);
}
