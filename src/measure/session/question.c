/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measure/session/question.h"

#include <errno.h>
#include <string.h>

#include "base/text.h"

#define TRACEPOINT(name, title, event, by) {name, title, event, event, by, NULL, "fields"}

const struct question questions[] = {
    TRACEPOINT("syscalls", "system calls by name", "raw_syscalls:sys_enter", "id.syscall"),
    TRACEPOINT("syscalls-by-command", "system calls by command", "raw_syscalls:sys_enter",
	       "comm,id.syscall"),
    {"syscall-times", "how long system calls take", NULL, "raw_syscalls:sys_exit", NULL, "syscalls",
     "fields"},
    {"waits", "off-CPU waits: where threads wait, and how long", NULL, NULL, NULL, NULL,
     "functions; wall-clock"},
    TRACEPOINT("switches", "context switches, by the command that leaves the CPU",
	       "sched:sched_switch", "prev_comm"),
    TRACEPOINT("wakeups", "wakeups: woken threads by CPU", "sched:sched_waking", "comm,target_cpu"),
    TRACEPOINT("migrations", "migrations between CPUs", "sched:sched_migrate_task",
	       "comm,orig_cpu,dest_cpu"),
    TRACEPOINT("forks", "forks: who starts processes and threads, even short-lived ones",
	       "sched:sched_process_fork", "parent_comm"),
    TRACEPOINT("programs", "programs started (exec)", "sched:sched_process_exec", "filename"),
    {"page-faults", "page faults by function", "page-faults/period=1/", "page-faults", NULL, NULL,
     "functions"},
    TRACEPOINT("block-io", "block I/O requests by device and thread", "block:block_rq_issue",
	       "comm,dev,rwbs"),
    TRACEPOINT("packets", "packets sent, by interface", "net:net_dev_queue", "name"),
    TRACEPOINT("signals", "signals, by receiver and number", "signal:signal_generate", "comm,sig"),
    TRACEPOINT("interrupts", "interrupts by device", "irq:irq_handler_entry", "name"),
    TRACEPOINT("softirqs", "softirqs by number", "irq:softirq_entry", "vec"),
};

const size_t questions_nr = sizeof(questions) / sizeof(questions[0]);

const struct question *question_find(const char *name, struct err *err)
{
	char names[512], safe[64];
	size_t pos = 0;

	for (size_t i = 0; i < questions_nr; i++) {
		if (!strcmp(questions[i].name, name))
			return &questions[i];
		pos = text_append(names, sizeof(names), pos, "%s%s", i ? ", " : "",
				  questions[i].name);
	}
	text_escape(safe, sizeof(safe), name);
	err_set(err, EINVAL, "unknown question '%s': %s", safe, names);
	return NULL;
}

void question_text(const struct question *q, char *buf, size_t size)
{
	size_t pos = text_append(buf, size, 0, "%s", q->title);

	if (q->between)
		text_append(buf, size, pos, " (--between %s)", q->between);
	else if (!q->event)
		text_append(buf, size, pos, " (--off-cpu)");
	else
		text_append(buf, size, pos, " (%s%s%s)", q->event, q->by ? " by " : "",
			    q->by ? q->by : "");
}
