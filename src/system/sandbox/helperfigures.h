/* SPDX-License-Identifier: GPL-2.0-or-later */
/* helperfigures - figures of the helpers for people (system/sandbox/sandbox.h).  Threads: any. */
#ifndef RINGTOP_SYSTEM_SANDBOX_HELPERFIGURES_H
#define RINGTOP_SYSTEM_SANDBOX_HELPERFIGURES_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum sandbox_process {
	SANDBOX_NAMES,
	SANDBOX_FRAMES,
	SANDBOX_LINES,
	SANDBOX_TRACES,
	SANDBOX_EVENTS,
	SANDBOX_PROCESSES
};

#define SANDBOX_WHY_MAX 160

/* Sums of all lives of one helper. */
struct sandbox_figures {
	const char *name;
	pid_t pid;             /* 0: does not run */
	uid_t uid;             /* at the last look */
	uint64_t calls;
	uint32_t starts, ends; /* ends: without request, or it could not be started */
	uint32_t refused;      /* calls refused, because it ended too often of late */
	uint64_t cpu_ns;
	uint64_t resident, peak; /* bytes, at the last look; peak 0: not known */
	char why[SANDBOX_WHY_MAX];     /* why the last one ended, "": none did */
	char missing[SANDBOX_WHY_MAX]; /* rights that could not be taken from it, "": it has none */
};

/* Read the memory and the uid of the helper that runs. */
void figures_look(struct sandbox_figures *f);

#define FIGURES_TEXT 480

/* Write its work and cost; its troubles, "" if none.  Text from outside is escaped. */
const char *figures_text(char buf[FIGURES_TEXT], const struct sandbox_figures *f);
const char *figures_trouble(char buf[FIGURES_TEXT], const struct sandbox_figures *f);

#endif
