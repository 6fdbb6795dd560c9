/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "system/sandbox/helperfigures.h"

#include <stdio.h>

#include "base/clock.h"
#include "base/text.h"
#include "base/units.h"

void figures_look(struct sandbox_figures *f)
{
	unsigned long long n;
	char path[32], line[128];
	FILE *file;

	f->resident = 0;
	snprintf(path, sizeof(path), "/proc/%d/status", f->pid);
	file = f->pid ? fopen(path, "re") : NULL;
	while (file && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "Uid: %llu", &n) == 1)
			f->uid = (uid_t)n;
		if (sscanf(line, "VmHWM: %llu", &n) == 1 && f->peak < n << 10)
			f->peak = n << 10;
		if (sscanf(line, "VmRSS: %llu", &n) == 1)
			f->resident = n << 10;
	}
	if (file)
		fclose(file);
}

const char *figures_text(char buf[FIGURES_TEXT], const struct sandbox_figures *f)
{
	char peak[UNITS_LEN];

	snprintf(buf, FIGURES_TEXT,
		 "%s, uid %u: %.2f s of CPU, %s at most, %llu call%s, %u start%s", f->name,
		 (unsigned)f->uid, (double)f->cpu_ns / NSEC_PER_SEC,
		 f->peak ? units_bytes(peak, (double)f->peak) : "-", (unsigned long long)f->calls,
		 f->calls == 1 ? "" : "s", f->starts, f->starts == 1 ? "" : "s");
	return buf;
}

const char *figures_trouble(char buf[FIGURES_TEXT], const struct sandbox_figures *f)
{
	char text[2 * SANDBOX_WHY_MAX];
	size_t pos = 0;

	*buf = '\0';
	if (f->ends) {
		text_escape(text, sizeof(text), f->why);
		pos = text_append(buf, FIGURES_TEXT, pos, "failed %u time%s, the last time: %s",
				  f->ends, f->ends == 1 ? "" : "s", text);
	}
	if (f->refused)
		pos = text_append(buf, FIGURES_TEXT, pos,
				  "%s%u calls refused, it failed too often", pos ? ", " : "",
				  f->refused);
	if (f->missing[0]) {
		text_escape(text, sizeof(text), f->missing);
		text_append(buf, FIGURES_TEXT, pos, "%sit could not drop its privileges: %s",
			    pos ? ", " : "", text);
	}
	return buf;
}
