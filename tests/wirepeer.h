/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wirepeer - for tests of remote sessions: connections without ssh, and what an agent says over them, word by word.
 *
 * One thread: whoever waits for the other side gives the session under test its turns.
 */
#ifndef RINGTOP_TESTS_WIREPEER_H
#define RINGTOP_TESTS_WIREPEER_H

#include "link/remote/remote.h"

#define WIREPEER_MOST 16

struct wirepeer {
	int fd, err;      /* its end of the connection, and where its stderr goes; -1: it has ended */
	struct link *link;
	char token[33];   /* that was asked for, or "" */
	uint64_t zero;    /* of its session's clock, by wirepeer_clock */
	uint64_t seq, credit;
	unsigned times;   /* TIMEs that were answered */
	bool mute;        /* TIMEs are not */
};

/* All connections since wirepeer_reset, in the order in which they were asked for. */
struct wirepeers {
	struct wirepeer peer[WIREPEER_MOST];
	unsigned nr;
	struct err refuse; /* what so many of the next connections come to */
	unsigned refusals;
	struct session *session; /* under test */
	struct slice *got[256];  /* what it has handed out */
	unsigned ngot;
	int over;                /* what next() said other than 0 */
	uint64_t ahead;          /* of wirepeer_clock */
};

extern struct wirepeers wirepeers;
extern const struct remote_boot wirepeer_boot;

void wirepeer_reset(void); /* slices, connections; the session is the test's to close, before */

/* For remote_config: runs ten times as fast while the test waits. */
uint64_t wirepeer_clock(void);

/* One turn of the session's: all that it has now. */
void wirepeer_turn(void);

/* The same until it has handed out so many slices, or has ended.  Ends the program after 20 s. */
void wirepeer_until(unsigned slices);

/* Wait for the session's descriptor, for 10 ms at the most: was it readable?  Ends the program 20 s after `since`. */
bool wirepeer_wait(uint64_t since, const char *what);

/* The next message of this kind; TIMEs are answered, CREDITs noted, any other ends the program. */
void wirepeer_expect(struct wirepeer *p, enum wire_kind kind, void *message);

void wirepeer_send(struct wirepeer *p, enum wire_kind kind, const void *message);
void wirepeer_send_slice(struct wirepeer *p, struct slice *s); /* with the next number; owns s */
void wirepeer_end(struct wirepeer *p); /* it goes without a word */

/* HELLO both ways, START, and INFO. */
void wirepeer_open(struct wirepeer *p, const char *token, const struct session_info *info);

#endif
