/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * remote_state - the inside of a remote session, for its files only: remote.c (the ops),
 * remote_connect (connections), remote_frames (messages), remote_slice (slices handed out),
 * remote_events (event numbers).
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_LINK_REMOTE_REMOTE_STATE_H
#define RINGTOP_LINK_REMOTE_REMOTE_STATE_H

#include "link/remote/homefile.h"
#include "link/remote/clocksync.h"
#include "link/remote/remote.h"
#include "link/remote/pollset.h"
#include "link/remote/sshlog.h"
#include "link/wire/slicecheck.h"

#define REMOTE_READY 4  /* slices: a gap's, the agent's, the last */
#define REMOTE_ASKED 16 /* commands without a reply */

enum remote_phase {
	REMOTE_BOOT,  /* ssh and the shell there */
	REMOTE_HELLO, /* an agent runs */
	REMOTE_INFO,  /* START was sent, INFO is awaited */
	REMOTE_UP,    /* its session is open */
	REMOTE_CUT,   /* until the next try */
	REMOTE_OVER,  /* the session has ended or failed; code may still be requested */
	REMOTE_PHASES
};

struct remote_asked {
	uint64_t nr; /* 0: none */
	enum session_command command;
	bool replied;
	struct code_place place; /* SESSION_CODE: kept until the code has arrived */
};

struct remote_pending {
	uint16_t event;
	int16_t cpu;
	bool exact;
	uint64_t pending;
};

/* Local numbers from the agent's (remote_events). */
struct remote_numbers {
	unsigned own;   /* events by the words: every session there begins with them */
	unsigned shift; /* added to later events' numbers: events added in lost sessions */
	bool live;      /* events may be added */
	uint16_t pairs; /* local number of the agent's first pairs (slice_between.nr) */
	struct {
		uint16_t base; /* the agent's list 1 is this + 1 */
		uint16_t most; /* the highest so far */
	} *list; /* by event */
};

struct remote {
	struct session base;
	struct session_host host;
	struct remote_config c;
	struct pollset watch;
	unsigned stamp; /* changes when a descriptor is replaced (pollset_set) */
	uint64_t now;   /* clock at the start of this call */

	enum remote_phase phase;
	uint64_t entered;  /* when the phase began */
	struct boot *boot; /* in REMOTE_BOOT */
	struct transport t;
	bool connected;    /* t is open */
	struct link *link;
	struct clocksync clock;
	uint64_t heard, sliced; /* when the last bytes came, and the last slice */
	uint64_t bytes_in, bytes_out; /* of the link, already counted in a slice_host */
	struct sshlog words; /* the connection's stderr */
	uint64_t told;     /* when slice_host was handed out last */
	uint64_t retry;    /* in REMOTE_CUT: when to try again */
	unsigned tries;    /* since the last slice */
	bool at_once;      /* no pause before the next try */

	struct remote_numbers numbers;
	/* events of a new session's INFO; NULL: it is the first session */
	struct session_event *again;
	struct slice_between pairs_again; /* pairs of that INFO */
	bool can_change; /* the agent takes SESSION_EVENTS */
	bool can_lines, has_lines; /* the agent takes SESSION_LINES; it was sent */

	bool opened;     /* info is known */
	bool fresh;      /* the connection has a new session, and no slice of it came yet */
	bool resuming;   /* the connection has the same session, and no slice of it came yet */
	bool paused;     /* requested */
	bool stopping;
	uint64_t stopped; /* stopping: since when */
	bool last;       /* the last slice was handed out, or waits */
	bool end_told;   /* -ESHUTDOWN was returned since the last slice */
	bool credit;     /* an agent's slice is ready, or was handed out, without a CREDIT yet */
	bool more;       /* received frames may be left to handle */
	char token[33];  /* of the agent; "": it cannot be resumed */
	uint64_t seq;    /* of the newest slice */
	struct slicecheck *check;
	struct homefile *files; /* being fetched */
	struct session_end end;
	struct err err;  /* why the session is over */

	/*
	 * Session time is clocksync_now() plus `ahead`, or the agent's session time plus `shift`.
	 */
	int64_t ahead;
	uint64_t shift;
	uint64_t newest; /* end of the newest slice */
	uint64_t cut;    /* clocksync_now() when the connection was lost */
	char lost[160];  /* why the connection was lost */
	struct slice_host state;  /* as handed out last; counts: since then */
	struct slice_self self;   /* newest */
	struct slice_recording recording;
	struct sandbox_figures helpers[SANDBOX_PROCESSES];
	uint64_t wall;
	struct remote_pending *pending; /* newest by event and CPU */
	size_t npending, cap_pending;

	struct slice *ready[REMOTE_READY];
	unsigned nready, burst;
	struct slice *said; /* log lines and code replies for the next slice made here; or NULL */
	struct remote_asked asked[REMOTE_ASKED];
	uint64_t nasked;
};

#endif
