/* SPDX-License-Identifier: GPL-2.0-or-later */
/* figures - what a person can see of the helpers (system/fence/fence.h).  Threads: any. */
#ifndef RINGTOP_SYSTEM_FENCE_FIGURES_H
#define RINGTOP_SYSTEM_FENCE_FIGURES_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum fence_process { FENCE_NAMES, FENCE_FRAMES, FENCE_LINES, FENCE_TRACES, FENCE_EVENTS, FENCE_PROCESSES };

#define FENCE_WHY_MAX 160

/* Of all lives of one helper. */
struct fence_figures {
	const char *name;
	pid_t pid;             /* 0: does not run */
	uid_t uid;             /* as it was when we looked */
	uint64_t calls;
	uint32_t starts, ends; /* ends: of those that were not asked to, or could not be started */
	uint32_t refused;      /* calls, because it ended too often of late */
	uint64_t cpu_ns;
	uint64_t resident, peak; /* bytes, when we looked; peak 0: not known */
	char why[FENCE_WHY_MAX];     /* what the last one ended of, "": none did */
	char missing[FENCE_WHY_MAX]; /* what could not be taken from it, "": it has no rights */
};

/* Look at the memory and the uid of the one that runs. */
void figures_look(struct fence_figures *f);

#define FIGURES_TEXT 480

/* What it did and took; and what went wrong, "" where nothing did.  What came from outside is escaped. */
const char *figures_text(char buf[FIGURES_TEXT], const struct fence_figures *f);
const char *figures_trouble(char buf[FIGURES_TEXT], const struct fence_figures *f);

#endif
