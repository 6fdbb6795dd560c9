/* SPDX-License-Identifier: GPL-2.0-or-later */
/* remote_slice - what a remote session hands out.  For its files only.  Threads: as the session. */
#ifndef RINGTOP_LINK_REMOTE_REMOTE_SLICE_H
#define RINGTOP_LINK_REMOTE_REMOTE_SLICE_H

#include "link/remote/remote_state.h"

void remote_link_gone(struct remote *r); /* soon: what it has counted is taken over */
uint64_t remote_time(const struct remote *r); /* session time now */
void remote_state(struct remote *r, enum host_state state, const char *why);
int remote_take(struct remote *r, struct message_slice *m, struct err *err); /* owns m->slice if 0 */
void remote_tell(struct remote *r); /* a slice of no length: how the host stands, and what was said */
void remote_hand_out(struct remote *r, struct slice **slice);
void remote_say(struct remote *r, enum slice_log_level level, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void remote_line(void *remote, const char *text); /* of its stderr */
void remote_answer(struct remote *r, const struct code_place *place, const char *why); /* a question about code */

#endif
