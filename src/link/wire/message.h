/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * message - what the two ends of a connection say to each other (link.h): a struct for each kind.
 *
 * The agent says HELLO at once, home answers with its own, then START or RESUME; the agent says INFO when its
 * session is open, or END.  Then SLICEs come, and go CREDIT, COMMAND, TIME, FILE_ASK and STOP; the agent answers
 * with REPLY, TIME and FILE_PART, and with END when its session has ended and all slices are sent.
 * `man 7 ringtop-wire` has all of it.
 *
 * Threads: as link.h.
 */
#ifndef RINGTOP_LINK_WIRE_MESSAGE_H
#define RINGTOP_LINK_WIRE_MESSAGE_H

#include "base/err.h"
#include "measure/session/session.h"
#include "link/wire/fields.h"
#include "link/wire/link.h"

#define WIRE_MAJOR 1 /* equal at both ends, or they cannot talk */
#define WIRE_MINOR 0 /* what was added since can be passed over */
#define WIRE_MAGIC "RNGTPWR1" /* HELLO begins with it */

/* In what `ringtop --agent --resume TOKEN` says on its stderr where it finds nobody. */
#define WIRE_NOT_THERE "no agent lives on with this token"

enum { CAN_LINGER = 1, CAN_FETCH = 2, CAN_FOLD = 4, CAN_CHANGE = 8, CAN_LINES = 16 };

struct message_hello {
	uint32_t major, minor;
	char version[32], host[65], arch[32];
	uint32_t uid;
	int32_t pid;
	char boot_id[40];
	uint64_t capabilities; /* CAN_* */
	char token[33];        /* the agent's: for RESUME */
};

struct message_start {
	char **words; /* of the command line, without the program's name */
	size_t nwords;
	uint32_t beat_ms;
	uint32_t linger_s; /* how long to live on without a connection */
	uint32_t silent_s; /* how long the other side may be silent */
	uint64_t window;   /* bytes that may be unacknowledged */
	bool lines;        /* functions are sent by source line */
};

struct message_resume {
	char token[33];
	uint64_t seq; /* the last slice that is here; 0: none */
};

struct message_info {
	struct session_info info; /* without hosts and places, which are ours to know */
};

struct message_slice {
	uint64_t seq;     /* 1, 2, ... */
	uint64_t sent_ns; /* on its session's clock */
	struct slice *slice;
};

struct message_command {
	uint64_t nr; /* for the REPLY */
	uint32_t command; /* enum session_command */
	struct code_place *place; /* or NULL */
	char *text;               /* or NULL */
	/* SESSION_EVENTS: as session_request's. */
	uint32_t change, event;
	uint64_t number;
};

struct message_reply {
	uint64_t nr;
	struct err err;
};

struct message_credit {
	uint64_t seq; /* all up to this slice is here */
};

/* t1: the asker's clock.  The answer has it again, and its own of arriving (t2) and of leaving (t3). */
struct message_time {
	uint64_t nr, t1, t2, t3;
	uint64_t wall; /* CLOCK_REALTIME at t3 */
};

/* One piece of a file that the session there has written; the next is asked for when it has come. */
struct message_file_ask {
	uint64_t nr;       /* for the FILE_PART */
	uint32_t snapshot; /* its number; 0: the recording written last */
	uint64_t offset;
	uint32_t length;   /* bytes; the answer may have fewer */
	uint64_t id;       /* what a part said of the file, 0: none has come */
};

struct message_file_part {
	uint64_t nr;
	uint64_t offset, total;
	uint64_t id;        /* of the file: another one has another */
	uint8_t *bytes;
	size_t nbytes;
	bool last;          /* then sha256 is of the whole file */
	uint8_t sha256[32]; /* zeros before */
	struct err err;     /* why there will be no more; code 0: nothing is wrong */
};

struct message_end {
	struct err err; /* why there is no session; code 0: there was one, and `end` tells how it ended */
	struct session_end end;
};

/* The struct of this kind (STOP has none: NULL) as bytes, put into o.  Look at o->failed, or let link_put do so. */
void message_put(struct wire_out *o, enum wire_kind kind, const void *message);

/* The same into the send buffer: as link_put, packed where that is worth it. */
int message_send(struct link *l, enum wire_kind kind, const void *message);

bool message_packed(enum wire_kind kind); /* is it worth that? */
const struct fields *message_fields(enum wire_kind kind);

/*
 * Of a frame's kind into the struct, whatever was in it, of no more than `budget` bytes.  0; -EPROTO, -ENOMEM: err
 * says why, and there is nothing to clear.  A slice is not to be believed before slicecheck.
 */
int message_get(const struct link_frame *f, void *message, size_t budget, struct err *err);

/* Frees what the struct owns; to keep a part, set its pointer to NULL. */
void message_clear(enum wire_kind kind, void *message);

#endif
