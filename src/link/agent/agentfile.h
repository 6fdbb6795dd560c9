/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * agentfile - files that this session has written, on their way home: piece by piece, as they are asked for.
 *
 * A file is asked for by a snapshot's number, or as the recording; which file that is only the session's own slices
 * say, never who asks.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_LINK_AGENT_AGENTFILE_H
#define RINGTOP_LINK_AGENT_AGENTFILE_H

#include "core/slice/slice.h"
#include "link/wire/message.h"

#define AGENTFILE_PIECE (512u << 10) /* bytes in an answer at most */

struct agentfile;

struct agentfile *agentfile_create(void); /* NULL: out of memory */
void agentfile_free(struct agentfile *a);

/* What the session says of its files. */
void agentfile_note(struct agentfile *a, const struct slice *s);

/* The answer, to be cleared; what cannot be had is said in its err. */
void agentfile_answer(struct agentfile *a, const struct message_file_ask *ask, struct message_file_part *part);

#endif
