/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/synth_log.h"

#include <stdio.h>
#include <string.h>

#include "base/vec.h"

#define TICK  100000000u /* ns */
#define LINES 6		 /* a tick */

static const char *const comms[] = {"make", "cc1plus", "kworker/0:1", "swapper/1"};

void synth_log_info(struct session_event *events)
{
	strcpy(events[0].name, "sched:sched_switch");
	events[0].unit = "";
}

static void say_switch(struct slice_logged *l, unsigned next)
{
	if (asprintf(&l->text, "prev_comm=%s prev_pid=%d prev_prio=120 prev_state=S ==> next_comm=%s next_pid=%u next_prio=120",
		     l->comm, l->tid, comms[next], 200 + next) < 0 ||
	    asprintf(&l->fields, "prev_comm\ts%s\nprev_pid\tn%d\nprev_prio\tn120\nprev_state\tn1\nnext_comm\ts%s\nnext_pid\tn%u\n"
		     "next_prio\tn120\ncommon_type\tn316\ncommon_flags\tn1\ncommon_pid\tn%d\n", l->comm, l->tid, comms[next],
		     200 + next, l->tid) < 0)
		l->text = l->fields = NULL;
}

static void say_call(struct slice_logged *l, unsigned call)
{
	if (asprintf(&l->text, "NR %u (3, 7ffd1200, 0, 0, 0, 0)", call) < 0 ||
	    asprintf(&l->fields, "id\tn%u\nargs\ts{3, 2147291648, 0, 0, 0, 0}\ncommon_type\tn21\ncommon_pid\tn%d\n", call, l->tid) < 0)
		l->text = l->fields = NULL;
}

static void say_hostile(struct slice_logged *l)
{
	l->text = strdup("prev_comm=\033[31mred\x9b\xe2\x80\xae prev_pid=1");
	l->fields = strdup("prev_comm\ts\033[2J\xe2\x80\xae\nprev_pid\tnnone\n\tn\nbroken");
	memcpy(l->comm, "\033]0;x\a\xff\xfe long....", sizeof(l->comm));
}

void synth_log_tick(struct slice *s, unsigned events, unsigned cpus, uint64_t tick, bool hostile)
{
	for (unsigned i = 0; i < LINES; i++) {
		struct slice_logged *l = VEC_ADD(s->logged, s->nlogged, s->cap_logged);
		unsigned who = (unsigned)(tick + i) % 4;

		if (!l)
			return;
		l->time = s->start + i * TICK / LINES + tick % 10 * 1111;
		l->event = (uint16_t)(events > 1 && i % 2);
		l->cpu = (int16_t)(i % cpus);
		l->late = tick % 4 == 3 && i == LINES - 1;
		l->time -= l->late ? TICK / 2 : 0;
		l->pid = l->tid = (int32_t)(200 + who);
		snprintf(l->comm, sizeof(l->comm), "%s", comms[who]);
		if (hostile && i == 2)
			say_hostile(l);
		else if (l->event)
			say_call(l, (unsigned)(tick * 7 + i) % 300);
		else
			say_switch(l, (who + 1) % 4);
		s->logging.late += l->late;
		s->logging.lines++;
	}
	s->logging.unshown += tick % 3 ? 0 : 12345;
}
