/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * remote_state - the inside of a remote session, for its files only: remote.c (the ops), remote_connect (from
 * one connection to the next), remote_frames (what comes, what goes), remote_slice (what is handed out).
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_LINK_REMOTE_REMOTE_STATE_H
#define RINGTOP_LINK_REMOTE_REMOTE_STATE_H

#include "link/remote/homefile.h"
#include "link/remote/linkclock.h"
#include "link/remote/remote.h"
#include "link/remote/watch.h"
#include "link/remote/words.h"
#include "link/wire/slicecheck.h"

#define REMOTE_READY 4  /* slices: a gap's, what came, the last */
#define REMOTE_ASKED 16 /* commands without an answer */

enum remote_phase {
	REMOTE_BOOT,  /* ssh and the shell there */
	REMOTE_HELLO, /* an agent runs */
	REMOTE_INFO,  /* it was told what to measure, or whose slices we want */
	REMOTE_UP,    /* its session is open */
	REMOTE_CUT,   /* until the next try */
	REMOTE_OVER,  /* the session has ended or failed; it may still be asked about code */
	REMOTE_PHASES
};

struct remote_asked {
	uint64_t nr; /* 0: none */
	enum session_command command;
	bool replied;
	struct code_place place; /* SESSION_CODE: stays until the code is here */
};

struct remote_pending {
	uint16_t event;
	int16_t cpu;
	bool exact;
	uint64_t pending;
};

/* Ours of the agent's (remote_events). */
struct remote_numbers {
	unsigned own;   /* events that the words ask for: every session there begins with them */
	unsigned shift; /* of what comes later: what came in sessions that were lost */
	bool live;      /* events may come */
	uint16_t pairs; /* its first pairs (slice_between.nr) are this */
	struct {
		uint16_t base; /* its list 1 is this + 1 */
		uint16_t most; /* the highest that was ever said */
	} *list; /* by event */
};

struct remote {
	struct session base;
	struct session_host host;
	struct remote_config c;
	struct watch watch;
	unsigned stamp; /* of what is watched */
	uint64_t now;   /* of this call */

	enum remote_phase phase;
	uint64_t entered;  /* the phase */
	struct boot *boot; /* in REMOTE_BOOT */
	struct transport t;
	bool connected;    /* t is ours */
	struct link *link;
	struct linkclock clock;
	uint64_t heard, sliced; /* when something came last, and a slice */
	uint64_t bytes_in, bytes_out; /* of the link, that a slice has told */
	struct words words; /* of its stderr */
	uint64_t told;     /* when slice_host was handed out last */
	uint64_t retry;    /* in REMOTE_CUT: when */
	unsigned tries;    /* since something was measured */
	bool at_once;      /* the next try without a pause */

	struct remote_numbers numbers;
	struct session_event *again; /* of a new session's INFO; NULL: it is the first one */
	struct slice_between pairs_again; /* the same */
	bool can_change; /* the agent takes SESSION_EVENTS */
	bool can_lines, has_lines; /* the agent takes SESSION_LINES; it was told */

	bool opened;     /* info is known */
	bool fresh;      /* the connection's session is another than the one before: nothing came of it yet */
	bool resuming;   /* the connection is to the same one */
	bool paused;     /* asked for */
	bool stopping;
	uint64_t stopped; /* then: since when */
	bool last;       /* the last slice was handed out, or waits */
	bool end_told;   /* -ESHUTDOWN was said since anything was handed out */
	bool credit;     /* a slice of theirs is ready, or was handed out, and they were not told */
	bool more;       /* frames may be here that nobody has looked at */
	char token[33];  /* of the agent, "": it cannot be resumed */
	uint64_t seq;    /* of the newest slice */
	struct slicecheck *check;
	struct homefile *files; /* on their way here */
	struct session_end end;
	struct err err;  /* why the session is over */

	/* Times: session time is ours of linkclock_now() plus `ahead`, and its own plus `shift`. */
	int64_t ahead;
	uint64_t shift;
	uint64_t newest; /* end of the newest slice */
	uint64_t cut;    /* linkclock_now() when the connection was lost */
	char lost[160];  /* why */
	struct slice_host state;  /* as told last; its counts: not yet told */
	struct slice_self self;   /* newest; nothing counted */
	struct slice_recording recording;
	struct fence_figures helpers[FENCE_PROCESSES];
	uint64_t wall;
	struct remote_pending *pending; /* newest of each event and CPU */
	size_t npending, cap_pending;

	struct slice *ready[REMOTE_READY];
	unsigned nready, burst;
	struct slice *said; /* log lines and answers for the next slice of ours; or NULL */
	struct remote_asked asked[REMOTE_ASKED];
	uint64_t nasked;
};

#endif
