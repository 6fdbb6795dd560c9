/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * agentfile - sends files that this session has written to home, piece by piece as home requests
 * them.
 *
 * A request names a snapshot by its number, or the recording.  Only the session's own slices say
 * which file that is, never the request.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_LINK_AGENT_AGENTFILE_H
#define RINGTOP_LINK_AGENT_AGENTFILE_H

#include "core/slice/slice.h"
#include "link/wire/message.h"

#define AGENTFILE_PIECE (512u << 10) /* bytes of a piece at most */

struct agentfile;

struct agentfile *agentfile_create(void); /* NULL: out of memory */
void agentfile_free(struct agentfile *a);

/* Remember the files that a slice reports as written. */
void agentfile_note(struct agentfile *a, const struct slice *s);

/* Read the requested piece into *part, for message_clear().  A failure is in part->err. */
void agentfile_answer(struct agentfile *a, const struct message_file_ask *ask,
		      struct message_file_part *part);

#endif
