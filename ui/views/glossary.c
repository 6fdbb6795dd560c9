/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/views/glossary.h"

#include <string.h>

#include "ui/parts/widget.h"

/* Words for the columns that several tables have. */
static const struct glossary_entry columns[] = {
	{"SELF%", "the row's own part of 100 %: samples that were in it, not in what it calls"},
	{"TOTAL%",
	 "the same with all that it calls, once however often it is on a path; without call paths shown if sorted by"},
	{"TREND",
	 "SELF% in each tenth of the window, oldest first, of a scale of the row's own; level where they differ by no more than chance"},
	{"SAMPLES", "how many samples the row is made of: fewer than 10 say little"},
	{"FUNCTION", "by symbol; [k]: the kernel's; [0x...]: an address without one"},
	{"OBJECT",
	 "the file that the code is in, [kernel], or [anon] memory; ?: in doubt, i says why"},
	{"TASK",
	 "the thread's name; of several what their names share, or their process's, and (how many threads); or (how many processes)"},
	{"HOST", "the machine, or (how many) it is of"},
	{"TID", "the thread"},
	{"COMMAND", "the process's name"},
	{"WAS%", "the same place's share in the first window"},
	{"DELTA", "what came of it less what it was, in percent points"},
	{"CPU", "as its machine numbers it"},
	{"SIZE", "bytes of the ring"},
	{"COUNT", "what was counted in the window, or how often"},
	{"PER SEC", "the same a second"},
	{"TIME", "of the record, on the machine's clock"},
	{"EVENT", "its name"},
};

const struct glossary_entry glossary_gauges[] = {
	{"◌ BEHIND",
	 "so old is what is shown: the screen, or the way from the machine, is late; nothing is lost by that"},
	{"samples/s", "samples a second of the event shown"},
	{"attributed",
	 "their weight, of what the counters counted: less than 100 % means that rows are a part of the truth"},
	{"lost", "what is missing, in events; 6 tells by cause"},
	{"pending", "counted, and not sampled yet: a period under way, or time on an idle CPU"},
	{"busy cpuN",
	 "how busy each CPU was in the window, idle time apart; /proc/stat: as the kernel says, no clock tells; n0: of a NUMA node's CPUs"},
	{"rings",
	 "in its place where neither is known: how full each is, and ↑ at most in the window; else ring: the fullest, where one was half full"},
	{"self", "ringtop's own CPU time, of one CPU, and its memory"},
	{"100 %",
	 "all samples of the event in the window but idle ones (I), whatever is hidden or filtered; of samples, not of a CPU"},
	{NULL, NULL},
};

/* Common questions, and the keys that answer them. */
const struct glossary_entry glossary_questions[] = {
	{"s c", "what rose just now, against the window before"},
	{"d", "what is other from now on, against the window shown"},
	{"2 s c", "which process rose; 2 s e: by its peak"},
	{"2 g c",
	 "which command, of thousands of processes; g a: by what started them, g g: by cgroup"},
	{"2 Enter", "only this process; Esc climbs"},
	{"1 g l", "which source line, of all functions; 5 v: of one"},
	{"C Enter", "who calls it, from now on"},
	{"o o", "why it waits, from now on"},
	{"E", "what another event tells, from now on: e shows it"},
	{"w y", "for others to see: a file, or the terminal's clipboard"},
	{NULL, NULL},
};

const struct glossary_entry glossary_mouse[] = {
	{"click",
	 "a row: chooses it, again: opens it; a column's title: sorts by it; tabs, keys, boxes: as they say"},
	{"time line", "a click goes to that moment, one at its end back to now"},
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
