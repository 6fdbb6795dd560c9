/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measure/trace/fieldform.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "measure/trace/syscalls.h"

static const char *const names[] = {
	[FIELDFORM_HEX] = "hex", [FIELDFORM_LOG2] = "log2", [FIELDFORM_SYSCALL] = "syscall",
};

int fieldform_find(const char *name, size_t *len, enum modifier *m, struct err *err)
{
	const char *dot = strrchr(name, '.');

	for (size_t i = FIELDFORM_NONE + 1; dot && i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(dot + 1, names[i])) {
			*len = (size_t)(dot - name);
			*m = (enum modifier)i;
			return 0;
		}
	return err_set(err, EINVAL, "%s: after the dot of a field only hex, log2 or syscall is "
				    "valid", name);
}

void fieldform_text(enum modifier m, uint64_t word, char *buf, size_t size)
{
	const char *name = m == FIELDFORM_SYSCALL ? syscalls_name((int64_t)word) : NULL;

	if (name)
		snprintf(buf, size, "%s", name);
	else if (m == FIELDFORM_SYSCALL)
		snprintf(buf, size, "%lld", (long long)word);
	else
		snprintf(buf, size, m == FIELDFORM_HEX ? "0x%llx" : "%llu",
			 (unsigned long long)word);
}
