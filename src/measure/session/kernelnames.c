/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measure/session/kernelnames.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/log.h"

void kernelnames_init(struct kernelnames *k, const char *path)
{
	*k = (struct kernelnames){.path = path};
}

void kernelnames_init_text(struct kernelnames *k, const char *text, size_t len)
{
	*k = (struct kernelnames){.text = text, .len = len};
}

void kernelnames_clear(struct kernelnames *k)
{
	if (k->tried)
		kallsyms_clear(&k->kallsyms);
	*k = (struct kernelnames){.path = NULL};
}

/* Load the names, once: a file that is unreadable now will stay so. */
static void read_kernel_names(struct kernelnames *k)
{
	struct err err = {.code = 0};
	int fd = k->text ? -1 : open(k->path, O_RDONLY | O_CLOEXEC);

	k->tried = true;
	if (!k->text && fd < 0)
		return;
	if (k->text ? kallsyms_parse(k->text, k->len, &k->kallsyms, &err)
		    : kallsyms_load(fd, &k->kallsyms, &err)) {
		log_msg(LOG_SESSION, "event log: functions are shown as addresses: %s", err.text);
		k->kallsyms = (struct kallsyms){.symtab = NULL};
	}
	if (fd >= 0)
		close(fd);
}

bool kernelnames_find(struct kernelnames *k, uint64_t addr, char *name, size_t size,
		      uint64_t *start)
{
	struct symtab_entry e;

	if (!k->path && !k->text)
		return false;
	if (!k->tried)
		read_kernel_names(k);
	if (!k->kallsyms.symtab || !symtab_find(k->kallsyms.symtab, addr, &e))
		return false;
	snprintf(name, size, "%s", e.name);
	*start = e.addr;
	return true;
}
