/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/views/glossary.h"

#include <string.h>

#include "ui/app/view.h"

static const struct glossary_entry columns[] = {
	{"SELF%", "the row's own part of 100 %: samples that were in it, not in what it calls", -1},
	{"TOTAL%",
	 "the same with all that it calls, once however often it is on a path; without call paths shown if sorted by",
	 -1},
	{"SHARE%",
	 "the row's part of 100 %, which are all samples of the event but idle ones, ringtop's own among them",
	 -1},
	{"SHARE%", "the key's part of all that the event counted", VIEW_FIELDS},
	{"SHARE%", "the function's part of the second window", VIEW_CHANGES},
	{"±",
	 "half the width of SELF's 95 % interval, in percent points, if samples were drawn by lot",
	 -1},
	{"CHANGE",
	 "SELF% less what it was in the window before, which is as long; in percent points", -1},
	{"PEAK%", "the largest SELF% in a tenth of the window", -1},
	{"THROTTLED%",
	 "how long the cgroup's CPU quota let it wait, on each CPU, of one CPU's time; -: no quota is known",
	 -1},
	{"TREND",
	 "SELF% in each tenth of the window, oldest first, of a scale of the row's own; level where they differ by no more than chance",
	 -1},
	{"TREND", "its rate in each tenth of the window, oldest first, of a scale of its own",
	 VIEW_COUNTERS},
	{"TREND", "bytes in each tenth of the window, oldest first, of a scale of its own",
	 VIEW_AUX},
	{"SAMPLES", "how many samples the row is made of: fewer than 10 say little", -1},
	{"FUNCTION", "by symbol; [k]: the kernel's; [0x...]: an address without one", -1},
	{"LINE",
	 "where rows are by source line (g): file and line of the code, of what is inlined its own; FUNCTION is which it is of",
	 -1},
	{"OBJECT",
	 "the file that the code is in, [kernel], or [anon] memory; ?: in doubt, i says why", -1},
	{"TASK",
	 "the thread's name; of several what their names share, or their process's, and (how many threads); or (how many processes)",
	 -1},
	{"HOST", "the machine, or (how many) it is of", -1},
	{"PID", "the process", -1},
	{"TID", "the thread", -1},
	{"PROCESSES", "how many of that name", -1},
	{"COMMAND", "the process's name", -1},
	{"WAS%", "the same place's share in the first window", -1},
	{"WAS%", "the same in the baseline, where it is the same code", VIEW_CODE},
	{"DELTA", "what came of it less what it was, in percent points", -1},
	{"+-95",
	 "half the width of DELTA's 95 % interval, by how much seconds differ from each other", -1},
	{"DELTA/s", "the difference of its weight per second", -1},
	{"SURE?", "whether that is more than chance", -1},
	{"ON-CPU/s", "time on CPUs per second", -1},
	{"OFF-CPU/s", "time that its threads waited per second", -1},
	{"FN%", "the instruction's or line's part of the function's own samples", -1},
	{"NEAR%", "the same of the instruction and two on either side: interrupts come late", -1},
	{"ADDRESS", "as in the file, or in memory where there is none", -1},
	{"OFFSET", "from the function's begin", -1},
	{"INSTRUCTION", "with where it goes; lines at its left are jumps", -1},
	{"CPU", "as its machine numbers it", -1},
	{"RING", "what it holds: samples, side (maps, names, forks), or one thread's", -1},
	{"MODE", "whether the kernel writes over what is old, or waits for room", -1},
	{"SIZE", "bytes of the ring", -1},
	{"FILL", "bytes unread when it was last read, as a share of its size", -1},
	{"↑", "the highest fill since the start, or since z", -1},
	{"REC/s", "records read a second", -1},
	{"BYTES/s", "bytes read a second", -1},
	{"OVERWRTN", "bytes written over before they were read: a loss, larger -m helps", -1},
	{"LOST", "records that the kernel found no room for", -1},
	{"OLDEST", "how far back the ring reaches", -1},
	{"CPU BUSY",
	 "what the CPU did: u user mode, k the kernel, lost what a clock missed, st what a host took",
	 -1},
	{"RATE", "bytes of trace a second", -1},
	{"BYTES", "of trace in the window", -1},
	{"HELD", "how much time the area holds", -1},
	{"TRUNC", "times that the area was full", -1},
	{"COLL", "times that two events collided in it", -1},
	{"PART", "times that a part was missing", -1},
	{"GAPS", "times that trace was lost in between", -1},
	{"LAST", "how long ago trace came", -1},
	{"COUNT", "what was counted in the window, or how often", -1},
	{"PER SEC", "the same a second", -1},
	{"RUN%",
	 "the part of the time that the counter was on the hardware: below 100 % the count is scaled",
	 -1},
	{"TOTAL", "since the start, or since z", -1},
	{"COUNTER", "the event, and what several say together", -1},
	{"TIME", "of the record, on the machine's clock", -1},
	{"EVENT", "its name", -1},
	{"RECORD", "what it says, as the kernel prints it", -1},
	{"SUM", "of the weight, or the times between", -1},
	{"AVERAGE", "SUM by COUNT", -1},
	{"MIN", "the least", -1},
	{"MAX", "the most", -1},
	{"KEY",
	 "the values of the fields that rows are by; a call path stands last, its leaf first", -1},
	{"KIND", "who counts it: hardware, software, a PMU, a tracepoint", -1},
	{"WHAT IT COUNTS", "in words, as far as somebody wrote them", -1},
};

const struct glossary_entry glossary_gauges[] = {
	{"◌ BEHIND",
	 "so old is what is shown: the screen, or the way from the machine, is late; nothing is lost by that",
	 -1},
	{"samples/s", "samples a second of the event shown", -1},
	{"attributed",
	 "their weight, of what the counters counted: less than 100 % means that rows are a part of the truth",
	 -1},
	{"lost", "what is missing, in events; 6 tells by cause", -1},
	{"pending", "counted, and not sampled yet: a period under way, or time on an idle CPU", -1},
	{"busy cpuN",
	 "how busy each CPU was in the window, idle time apart; /proc/stat: as the kernel says, no clock tells; n0: of a NUMA node's CPUs",
	 -1},
	{"rings",
	 "in its place where neither is known: how full each is, and ↑ at most in the window; else ring: the fullest, where one was half full",
	 -1},
	{"self", "ringtop's own CPU time, of one CPU, and its memory", -1},
	{"100 %",
	 "all samples of the event in the window but idle ones (I), whatever is hidden or filtered; of samples, not of a CPU",
	 -1},
	{NULL, NULL, -1},
};

/* Common questions, and the keys that answer them. */
const struct glossary_entry glossary_questions[] = {
	{"s c", "what rose just now, against the window before", -1},
	{"d", "what is other from now on, against the window shown", -1},
	{"2 s c", "which process rose; 2 s e: by its peak", -1},
	{"2 g c",
	 "which command, of thousands of processes; g a: by what started them, g g: by cgroup", -1},
	{"2 Enter", "only this process; Esc climbs", -1},
	{"1 g l", "which source line, of all functions; 5 v: of one", -1},
	{"C Enter", "who calls it, from now on", -1},
	{"o o", "why it waits, from now on", -1},
	{"E", "what another event tells, from now on: e shows it", -1},
	{"w y", "for others to see: a file, or the terminal's clipboard", -1},
	{NULL, NULL, -1},
};

const struct glossary_entry glossary_mouse[] = {
	{"click",
	 "a row: chooses it, again: opens it; a column's title: sorts by it; tabs, keys, boxes: as they say",
	 -1},
	{"time line", "a click goes to that moment, one at its end back to now", -1},
	{"wheel", "up and down", -1},
	{"M", "gives the mouse to the terminal, to select text", -1},
	{NULL, NULL, -1},
};

const char *glossary_column(int view, const char *title)
{
	const char *text = NULL;

	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
		if (strcmp(columns[i].word, title) != 0)
			continue;
		if (columns[i].view == view)
			return columns[i].text;
		if (columns[i].view < 0)
			text = columns[i].text;
	}
	return text;
}
