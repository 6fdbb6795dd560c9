/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * message - the messages between ringtop ("home") and its agent (link.h): a struct for each kind.
 *
 * The agent sends HELLO at once; home replies with its own, then START or RESUME; the agent sends
 * INFO when its session is open, or END.  Then the agent sends SLICEs, and home CREDIT, COMMAND,
 * TIME, FILE_ASK and STOP; the agent replies with REPLY, TIME and FILE_PART, and with END when its
 * session has ended and all slices are sent.  `man 7 ringtop-wire` has the whole protocol.
 *
 * Threads: the owner of the link.
 */
#ifndef RINGTOP_LINK_WIRE_MESSAGE_H
#define RINGTOP_LINK_WIRE_MESSAGE_H

#include "base/err.h"
#include "measure/session/session.h"
#include "base/fieldtable.h"
#include "link/wire/link.h"

#define WIRE_MAJOR 1 /* must be equal at both ends */
#define WIRE_MINOR 0 /* additions since then can be skipped */
#define WIRE_MAGIC "RNGTPWR1" /* HELLO begins with it */

/*
 * Part of the message of `ringtop --agent --resume TOKEN` on stderr where it finds no agent.  The
 * other side looks for it, so it stays: agents of other versions send it, too.
 */
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
	uint32_t linger_s; /* seconds that the agent lives on without a connection */
	uint32_t silent_s; /* seconds that home may be silent */
	uint64_t window;   /* bytes of slices that may be unacknowledged */
	bool lines;        /* functions are sent by source line */
};

struct message_resume {
	char token[33];
	uint64_t seq; /* the last slice that home has; 0: none */
};

struct message_info {
	struct session_info info; /* without hosts and places, which only home knows */
};

struct message_slice {
	uint64_t seq;     /* 1, 2, ... */
	uint64_t sent_ns; /* on the agent's session clock */
	struct slice *slice;
};

struct message_command {
	uint64_t nr; /* for the REPLY */
	uint32_t command; /* enum session_command */
	struct code_place *place; /* or NULL */
	char *text;               /* or NULL */
	/* SESSION_EVENTS: as in struct session_request. */
	uint32_t change, event;
	uint64_t number;
};

struct message_reply {
	uint64_t nr;
	struct err err;
};

struct message_credit {
	uint64_t seq; /* home has all slices up to this one */
};

/*
 * t1: home's clock.  The agent's reply repeats it, and has the agent's clock on arrival (t2) and on
 * leaving (t3).
 */
struct message_time {
	uint64_t nr, t1, t2, t3;
	uint64_t wall; /* CLOCK_REALTIME at t3 */
};

/*
 * Request for one piece of a file that the agent's session has written; the next request follows
 * the piece.
 */
struct message_file_ask {
	uint64_t nr;       /* for the FILE_PART */
	uint32_t snapshot; /* the snapshot's number; 0: the recording written last */
	uint64_t offset;
	uint32_t length;   /* bytes; the FILE_PART may have fewer */
	uint64_t id;       /* the file's id from an earlier part; 0: none has come */
};

struct message_file_part {
	uint64_t nr;
	uint64_t offset, total;
	uint64_t id;        /* of the file; each file has its own */
	uint8_t *bytes;
	size_t nbytes;
	bool last;          /* sha256 is valid, and of the whole file */
	uint8_t sha256[32]; /* zeros but in the last part */
	struct err err;     /* why no more parts follow; code 0: no error */
};

struct message_end {
	/* why there is no session; code 0: there was one, and `end` has its outcome */
	struct err err;
	struct session_end end;
};

/* Append a message (STOP: NULL) as bytes to o.  Check o->failed, or let link_put do so. */
void message_put(struct wire_out *o, enum wire_kind kind, const void *message);

/*
 * Append a message to the link's send buffer, packed where message_packed().  Return as link_put.
 */
int message_send(struct link *l, enum wire_kind kind, const void *message);

/* Return true if messages of this kind are worth packing. */
bool message_packed(enum wire_kind kind);

/* Return the table of the kind's struct. */
const struct fields *message_fields(enum wire_kind kind);

/*
 * Decode a frame into the struct of its kind, overwriting it, with at most `budget` bytes of
 * memory.  Return 0, and the caller calls message_clear(); -EPROTO or -ENOMEM with err, and there
 * is nothing to clear.  A slice is to be trusted only after slicecheck.
 */
int message_get(const struct link_frame *f, void *message, size_t budget, struct err *err);

/* Free the memory that the struct owns; to keep a part, set its pointer to NULL before. */
void message_clear(enum wire_kind kind, void *message);

#endif
