/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pauses between tries grow, so as not to burden a host that is down.  After the start no password
 * is asked for: the screen is on.
 */
#include "link/remote/remote_connect.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "link/remote/remote_frames.h"
#include "link/remote/remote_slice.h"

#define PAUSE_MAX_S  30
#define LATE_NS	     (3 * NSEC_PER_SEC)
/* an ssh packet has up to 32 KB, and arrives as a whole: 16 s at 16 kbit/s */
#define SILENT_NS    (20 * NSEC_PER_SEC)
#define ANSWER_NS    (30 * NSEC_PER_SEC) /* a session may take long to open */
#define BOOT_NS	     NSEC_PER_SEC	 /* boot.h: its deadlines */
#define TELL_NS	     NSEC_PER_SEC
#define ENDED_MS     50 /* for ssh's exit status, after its stdout has ended */

void remote_enter(struct remote *r, enum remote_phase phase)
{
	r->phase = phase;
	r->entered = r->now;
	r->stamp++;
}

/* --- connecting --------------------------------------------------------------------------- */

static bool can_resume(const struct remote *r)
{
	return r->c.linger && r->token[0] && r->now - r->cut < (r->c.linger + 5) * NSEC_PER_SEC;
}

void remote_forget(struct remote *r)
{
	r->token[0] = '\0';
	r->at_once = true;
}

void remote_connect(struct remote *r)
{
	const struct boot_config c = {.host = r->c.host,
				      .ssh = r->c.ssh,
				      .agent_dir = r->c.agent_dir,
				      .sudo = r->c.sudo,
				      .keep = r->c.keep,
				      .batch = r->opened || !r->c.alone,
				      .resume_token = can_resume(r) ? r->token : NULL,
				      .password = r->c.password};
	struct err err = {.code = 0};

	if (!c.resume_token)
		r->token[0] = '\0';
	r->link = link_create();
	if (r->link)
		r->boot = r->c.boot->start(&c, &err);
	else
		err_room(&err, ENOMEM, "the connection");
	r->clock = (struct clocksync){.asked = 0};
	remote_enter(r, REMOTE_BOOT);
	if (!r->boot)
		remote_cut(r, &err);
}

static void step_boot(struct remote *r)
{
	struct err err = {.code = 0};
	int ret = r->c.boot->step(r->boot, &r->t, &err);

	r->stamp++;
	if (!ret)
		return;
	if (ret > 0) {
		if (r->c.boot->note(r->boot)[0])
			remote_say(r, SLICE_INFO, "%s", r->c.boot->note(r->boot));
		r->connected = true;
		r->heard = r->now;
		sshlog_init(&r->words, r->t.err, r->c.output_fd);
		ret = link_feed(r->link, r->t.early, r->t.nearly);
		free(r->t.early);
		r->t.early = NULL;
		remote_enter(r, REMOTE_HELLO);
		if (ret)
			err_set(&err, -ret, "the agent's first message is too long");
	}
	if (ret < 0 && r->token[0] && strstr(err.text, WIRE_NOT_THERE))
		remote_forget(r);
	if (ret)
		remote_cut(r, &err);
}

void remote_up(struct remote *r)
{
	r->sliced = r->now;
	remote_enter(r, REMOTE_UP);
	if (!r->resuming) /* the next slice shows whether resuming works */
		remote_state(r, HOST_UP, "");
}

/* --- losing it ---------------------------------------------------------------------------- */

void remote_disconnect(struct remote *r)
{
	remote_link_gone(r);
	if (r->connected)
		r->c.boot->close(&r->t);
	r->connected = false;
	if (r->boot)
		r->c.boot->free(r->boot);
	r->boot = NULL;
	link_free(r->link);
	r->link = NULL;
	homefile_cut(r->files);
	r->stamp++;
}

void remote_over(struct remote *r, enum host_state state)
{
	remote_enter(r, REMOTE_OVER);
	remote_state(r, state, r->end.text);
}

/* After the session's end, a lost connection changes nothing about it. */
static bool over_already(struct remote *r, const struct err *why)
{
	if (r->phase != REMOTE_OVER)
		return false;
	remote_disconnect(r);
	homefile_gone(r->files, why->text);
	remote_unanswered(r, why->text);
	return true;
}

/*
 * A failure needs a reason to be of use.  One from the agent may lack it: then the text has the
 * error number, or at least that there is no reason.
 */
static const struct err *complete_reason(const struct err *why, struct err *own)
{
	int code = why->code ? why->code : EIO;

	if (why->code && !sshlog_blank(why->text))
		return why;
	*own = *why;
	own->code = code;
	if (sshlog_blank(why->text))
		snprintf(own->text, sizeof(own->text), "%s%s",
			 why->code ? "no reason was given: " : "it failed, and gave no reason",
			 why->code ? strerror(code) : "");
	return own;
}

void remote_fail(struct remote *r, const struct err *cause)
{
	struct err own;
	const struct err *why = complete_reason(cause, &own);

	if (over_already(r, why))
		return;
	r->err = *why;
	/* boot's messages have it already */
	if (strncmp(why->text, r->c.host, strlen(r->c.host)) != 0)
		err_prefix(&r->err, r->c.host);
	r->end.error = -r->err.code;
	snprintf(r->end.text, sizeof(r->end.text), "%s", r->err.text);
	remote_disconnect(r);
	homefile_gone(r->files, why->text);
	remote_over(r, HOST_FAILED);
	remote_unanswered(r, why->text);
}

static void fail_once(struct remote *r, const struct err *why)
{
	struct err err;

	err_set(&err, why->code,
		"the connection is lost, and the session there ended with it (%.300s)", why->text);
	err_advise(&err, "--linger SECONDS keeps it running until the connection is back");
	remote_fail(r, &err);
}

void remote_cut(struct remote *r, const struct err *cause)
{
	struct err own;
	const struct err *why = complete_reason(cause, &own);
	bool was_up = r->state.state == HOST_UP || r->state.state == HOST_LATE;
	unsigned pause = r->tries < 5 ? 1u << r->tries : PAUSE_MAX_S;

	if (!r->opened || r->stopping || r->phase == REMOTE_OVER) {
		remote_fail(r, why);
		return;
	}
	if (was_up) {
		r->cut = r->now;
		snprintf(r->lost, sizeof(r->lost), "%.*s", (int)sizeof(r->lost) - 1, why->text);
	}
	if (r->c.once && !can_resume(r)) {
		fail_once(r, why);
		return;
	}
	remote_disconnect(r);
	remote_state(r, HOST_CUT, why->text);
	if (was_up)
		remote_say(r, SLICE_WARNING, "the connection is lost: %s", why->text);
	remote_enter(r, REMOTE_CUT);
	remote_unanswered(r, why->text);
	r->retry = r->at_once ? r->now : r->now + pause * NSEC_PER_SEC;
	r->tries += !r->at_once;
	r->at_once = false;
}

void remote_gone(struct remote *r, int code)
{
	struct err err = {.code = 0};
	char how[100];
	uint64_t until = UINT64_MAX;

	/* Its last output on stderr has arrived by now, if there was any. */
	for (int i = 0; i < 64 && r->words.fd >= 0 && sshlog_wanted(&r->words, r->now, &until); i++)
		sshlog_read(&r->words, r->now, remote_line, r);
	err_set(&err, code == -EPIPE ? ECONNRESET : -code, "%s",
		sshlog_last(&r->words)[0] ? sshlog_last(&r->words)
		: code == -EPIPE	  ? "the connection has ended"
					  : strerror(-code));
	if (!sshlog_last(&r->words)[0] && transport_ended(&r->t, ENDED_MS, how, sizeof(how)))
		err_set(&err, err.code, "the connection has ended: %s, without output", how);
	remote_cut(r, &err);
}

/* --- deadlines ---------------------------------------------------------------------------- */

static uint64_t silent_at(const struct remote *r)
{
	if (r->phase == REMOTE_HELLO || r->phase == REMOTE_INFO)
		return r->entered + ANSWER_NS;
	return r->heard + SILENT_NS;
}

static uint64_t late_at(const struct remote *r)
{
	uint64_t beats = 3 * r->c.beat_ms * NSEC_PER_MSEC;

	return r->sliced + (beats > LATE_NS ? beats : LATE_NS);
}

static void watch_peer(struct remote *r)
{
	struct message_time ask;
	struct err err;

	if (!r->connected)
		return;
	if (r->now >= silent_at(r)) {
		err_set(&err, ETIMEDOUT, "no data for %.0f s",
			(double)(r->now - r->heard) / NSEC_PER_SEC);
		remote_cut(r, &err);
	} else if (r->phase >= REMOTE_UP) {
		if (clocksync_ask(&r->clock, r->now, &ask))
			remote_put(r, WIRE_TIME, &ask);
		if (r->now >= late_at(r) && r->state.state == HOST_UP)
			remote_state(r, HOST_LATE, "");
	}
}

/* Return when a slice of no length is due: while slices come, they have the host's state. */
static uint64_t tell_at(const struct remote *r)
{
	if (!r->opened || (r->phase == REMOTE_OVER && r->last))
		return UINT64_MAX;
	if (r->phase == REMOTE_OVER)
		return r->now;
	return r->state.state == HOST_UP ? UINT64_MAX : r->told ? r->told + TELL_NS : r->now;
}

uint64_t remote_deadline(const struct remote *r)
{
	const uint64_t at[REMOTE_PHASES] = {
		[REMOTE_BOOT] = r->now + BOOT_NS,
		[REMOTE_HELLO] = silent_at(r),
		[REMOTE_INFO] = silent_at(r),
		[REMOTE_UP] = silent_at(r) < r->clock.due ? silent_at(r) : r->clock.due,
		[REMOTE_CUT] = r->retry,
		[REMOTE_OVER] = r->connected ? r->clock.due : UINT64_MAX,
	};
	uint64_t next = at[r->phase];

	if (r->phase == REMOTE_UP && r->state.state == HOST_UP && late_at(r) < next)
		next = late_at(r);
	return tell_at(r) < next ? tell_at(r) : next;
}

void remote_step(struct remote *r)
{
	if (r->phase == REMOTE_CUT && r->now >= r->retry)
		remote_connect(r);
	if (r->phase == REMOTE_BOOT)
		step_boot(r);
	if (r->connected) {
		remote_flush(r);
		sshlog_read(&r->words, r->now, remote_line, r);
		remote_receive(r);
		remote_fetch(r);
		watch_peer(r);
	}
	if (r->opened && (r->said || r->now >= tell_at(r)))
		remote_tell(r);
}
