/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/views/glossary.h"

#include <string.h>

#include "ui/parts/widget.h"

/* Words for the columns that several tables have. */
static const struct glossary_entry columns[] = {
	{"SELF%", "the row's own share of 100 %: samples in its code, not in its callees"},
	{"TOTAL%",
	 "SELF% and all callees, once per path also if recursive; without call paths shown when "
	 "sorted by it"},
	{"TREND",
	 "SELF% in each tenth of the window, oldest first, on a scale of the row; flat if the "
	 "differences are no more than chance"},
	{"SAMPLES", "number of samples in the row: fewer than 10 are too few"},
	{"FUNCTION",
	 "symbol; [k]: of the kernel; [k!]: its time passed before it, with interrupts off, i "
	 "shows why; [0x...]: address without symbol"},
	{"OBJECT",
	 "the file with the code, [kernel], or [anon] memory; ?: in doubt, i shows why"},
	{"TASK",
	 "thread name; for several: their common part, or the process name, and (number of "
	 "threads); or (number of processes)"},
	{"HOST", "the machine, or (their number)"},
	{"TID", "thread ID"},
	{"COMMAND", "process name"},
	{"WAS%", "share in the baseline window"},
	{"DELTA", "share now minus share then, in percent points"},
	{"CPU", "CPU number on its host"},
	{"SIZE", "ring size, bytes"},
	{"COUNT", "count in the window, or number of times"},
	{"PER SEC", "count a second"},
	{"TIME", "record time, by the host's clock"},
	{"EVENT", "its name"},
};

const struct glossary_entry glossary_gauges[] = {
	{"◌ BEHIND",
	 "age of the data shown: the screen, or the connection to the host, is late; no data is "
	 "lost by it"},
	{"samples/s", "samples per second of this event"},
	{"attributed",
	 "weight of the samples, as a share of the counters: below 100 % the rows miss a part of "
	 "the load"},
	{"lost", "missing events; view 6 has them by cause"},
	{"pending", "counted, not sampled yet: a period in progress, or time on an idle CPU"},
	{"busy cpuN",
	 "load of each CPU in the window, idle time excluded; /proc/stat: from the kernel, for "
	 "lack of a clock event; n0: of a NUMA node"},
	{"rings",
	 "shown if neither source is known: fill of each ring, and ↑ maximum in the window; else "
	 "ring: the fullest, if one was half full"},
	{"self", "CPU time of ringtop, of one CPU, and its memory"},
	{"100 %",
	 "all samples of the event in the window except idle ones (I), also hidden and filtered "
	 "ones; not CPU time"},
	{NULL, NULL},
};

/* Common questions, and the keys that answer them. */
const struct glossary_entry glossary_questions[] = {
	{"s c", "which rows grew, against the previous window"},
	{"d", "what changes from now on, against this window"},
	{"2 s c", "which process grew; 2 s e: by its peak"},
	{"2 g c",
	 "which command, of thousands of processes; g a: by parent process, g g: by cgroup"},
	{"2 Enter", "only this process; Esc back"},
	{"1 g l", "which source line, in all functions; 5 v: in one"},
	{"C Enter", "its callers, from now on"},
	{"o o", "why it waits, from now on"},
	{"E", "measure another event from now on: e shows it"},
	{"w y", "share the view: file, or the terminal's clipboard"},
	{NULL, NULL},
};

const struct glossary_entry glossary_mouse[] = {
	{"click",
	 "a row: selects it, again: opens it; a column title: sorts by it; tabs, keys, boxes: "
	 "their action"},
	{"time line", "a click goes to that time, at its end back to now"},
	{"wheel", "up and down"},
	{"M", "gives the mouse to the terminal, to select text"},
	{NULL, NULL},
};

const char *glossary_column(const struct widget_column *c)
{
	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]) && !c->help; i++)
		if (!strcmp(columns[i].word, c->title))
			return columns[i].text;
	return c->help;
}
