/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The main loop: session, keys, signals and clock share one poll(), the only place that waits.
 * Keys are always read; a frame is painted only when the terminal has taken the previous one.
 */
#include "ui/app/ui.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "base/log.h"
#include "control/control.h"
#include "ui/app/app.h"
#include "ui/app/app_input.h"
#include "ui/app/handler_measure.h"
#include "ui/app/marking.h"
#include "ui/app/request.h"
#include "ui/code/editor.h"
#include "ui/term/paint.h"
#include "ui/term/signals.h"
#include "ui/term/terminal.h"
#include "ui/term/terminal_keys.h"

#define RATE_SLOTS 8
#define TAKE_NS	   (10 * NSEC_PER_MSEC) /* longest time for slices before keys are polled again */
#define PUT_OFF	   8 /* most turns in a row in which keys put off a refresh */
#define REFRESH_LATE_NS (500 * NSEC_PER_MSEC) /* longest time that a refresh waits for slices */

struct loop {
	struct app *app;
	struct terminal *terminal;
	struct paint paint;
	uint64_t begun, next_refresh, refreshes;
	bool dirty, size_changed, left;
	bool more;     /* parts of the scene are still to be painted */
	bool urgent;   /* the screen is dirty because of a key */
	bool no_mouse; /* the terminal's present state */
	bool answered; /* the last turn only handled keys */
	unsigned put_off; /* turns in a row in which keys put off the due refresh */
	pid_t editor;  /* the editor that has the terminal; 0: none */
	int error; /* of the line or the session, -errno */
	struct {
		uint64_t at, bytes;
	} sent[RATE_SLOTS]; /* at the last refreshes */
};

static void traffic(struct loop *l, uint64_t now)
{
	struct app_traffic *t = &l->app->traffic;
	size_t slot = l->refreshes % RATE_SLOTS;
	uint64_t since = l->sent[slot].at ? l->sent[slot].at : l->begun;

	t->bytes = terminal_bytes(l->terminal);
	t->frames = l->paint.frames;
	t->dropped = l->paint.dropped;
	t->terminal = terminal_traits(l->terminal)->name;
	t->known = true;
	if (now > since)
		t->rate = (double)(t->bytes - l->sent[slot].bytes) * (double)NSEC_PER_SEC /
			  (double)(now - since);
	l->sent[slot].at = now;
	l->sent[slot].bytes = t->bytes;
}

static void refresh_due(struct loop *l, uint64_t now)
{
	uint64_t delay = (uint64_t)(l->app->options.show.delay * (double)NSEC_PER_SEC);

	l->next_refresh += delay;
	if (l->next_refresh <= now) /* late by whole periods: leave them out */
		l->next_refresh = now + delay;
	/* The next frame waits until the line has taken the previous one. */
	l->paint.dropped += !terminal_room(l->terminal);
	if (!l->more) {
		app_follow(l->app);
		l->dirty = true;
	}
	traffic(l, now);
	l->refreshes++;
	if (l->app->options.show.iterations && l->refreshes > l->app->options.show.iterations)
		l->app->quit = true;
}

static void paint(struct loop *l)
{
	struct app *a = l->app;
	size_t room;

	if (l->left)
		return;
	if (l->size_changed) {
		int rows, cols;

		terminal_resize(l->terminal, &rows, &cols);
		if (scene_resize(&a->scene, rows, cols))
			l->size_changed = l->more = false;
		l->dirty = true;
	}
	if (a->redraw) {
		paint_redraw(&l->paint, l->terminal);
		a->redraw = false;
	}
	room = terminal_room(l->terminal);
	if (!room)
		return; /* still dirty */
	if (l->dirty && (l->urgent || !l->more)) {
		app_draw(a);
		l->more = paint_begin(&l->paint, &a->scene, l->urgent);
		l->dirty = !l->more;
		l->urgent = false;
	}
	if (l->more)
		l->more = paint_rows(&l->paint, l->terminal, &a->scene, room);
}

static void take_terminal(struct loop *l)
{
	l->left = false;
	terminal_enter(l->terminal);
	l->app->redraw = l->size_changed = l->dirty = true;
}

/* --- the editor ------------------------------------------------------------------------- */

static void edit(struct loop *l)
{
	struct editor_file *f = l->app->edit;
	struct err err = {0};

	if (!f->path[0])
		return;
	l->left = true;
	terminal_leave(l->terminal);
	signals_interrupts(false);
	if (editor_start(f, &l->editor, &err)) {
		l->editor = 0;
		signals_interrupts(true);
		take_terminal(l);
		app_say(l->app, ROLE_WARN, "%s", err.text);
		f->path[0] = '\0';
	}
}

static void serve_editor(struct loop *l)
{
	struct app *a = l->app;
	int status = 0;
	pid_t pid = l->editor ? waitpid(l->editor, &status, WNOHANG) : 0;

	if (!pid)
		return;
	l->editor = 0;
	signals_interrupts(true);
	take_terminal(l);
	if (pid > 0 && WIFEXITED(status) && !WEXITSTATUS(status))
		app_say(a, ROLE_TEXT, "%s:%u was opened in the editor", a->edit->path,
			a->edit->line);
	else if (pid > 0)
		app_say(a, ROLE_WARN, "the editor (%s) %s %d", editor_command(),
			WIFEXITED(status) ? "ended with" : "was ended by signal",
			WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
	a->edit->path[0] = '\0';
}

/* Handle signals while an editor runs: it shares our job, so job control stops both. */
static void serve_editor_signals(struct loop *l, unsigned bits)
{
	if (bits & SIGNALS_QUIT) {
		l->app->quit = true;
		kill(l->editor, SIGTERM); /* it can save changes; ringtop ends when it has ended */
	}
	if (bits & SIGNALS_SUSPEND)
		signals_suspend();
}

static void serve_signals(struct loop *l)
{
	unsigned bits = signals_take();

	if (bits & SIGNALS_CHILD)
		serve_editor(l);
	if (l->editor) {
		serve_editor_signals(l, bits);
		bits &= SIGNALS_SNAPSHOT | SIGNALS_MARK;
	}
	if (bits & SIGNALS_QUIT)
		l->app->quit = true;
	if (bits & SIGNALS_SNAPSHOT)
		request_snapshot(l->app, SESSION_SNAPSHOT, "signal");
	if (bits & SIGNALS_MARK)
		marking_set(l->app, app_now(l->app), "");
	if (bits & SIGNALS_SUSPEND) {
		l->left = true;
		terminal_leave(l->terminal);
		signals_suspend();
		bits |= SIGNALS_CONTINUE | signals_take();
	}
	if (bits & SIGNALS_CONTINUE)
		take_terminal(l);
	if (bits & SIGNALS_RESIZE)
		l->size_changed = l->dirty = true;
}

/* Carry out a script's order.  False: it failed. */
static bool obey(void *arg, const struct control_order *order)
{
	struct app *a = arg;

	switch (order->word) {
	case CONTROL_MARK:
		marking_set(a, app_now(a), order->text);
		return app_now(a) > 0;
	case CONTROL_RESUME:
	case CONTROL_PAUSE:
		if (a->paused != (order->word == CONTROL_PAUSE))
			handler_pause(a);
		return a->paused == (order->word == CONTROL_PAUSE);
	case CONTROL_SNAPSHOT:
		return !request_snapshot(a, SESSION_SNAPSHOT, "control");
	case CONTROL_STOP:
		a->quit = true;
		return true;
	case CONTROL_PING:
		return true;
	default:
		app_say(a, ROLE_WARN, "--control: unknown order '%.60s' (%llu so far)", order->text,
			(unsigned long long)control_counts(a->options.control)->unknown);
		return false;
	}
}

static void serve_control(struct loop *l)
{
	control_serve(l->app->options.control, obey, l->app);
	l->dirty = true;
}

static void copy(struct loop *l)
{
	struct app *a = l->app;

	if (a->copy && !terminal_copy(l->terminal, a->copy))
		app_say(a, ROLE_WARN,
			"%s has no clipboard for programs: w text:FILE writes a file",
			terminal_traits(l->terminal)->name);
	free(a->copy);
	a->copy = NULL;
}

static void mouse(struct loop *l)
{
	if (l->no_mouse == l->app->options.show.no_mouse)
		return;
	l->no_mouse = l->app->options.show.no_mouse;
	terminal_mouse(l->terminal, !l->no_mouse);
}

static void serve_keys(struct loop *l)
{
	struct input in;

	while (!l->app->quit && !l->editor && terminal_read(l->terminal, &in)) {
		app_input(l->app, &in);
		l->dirty = l->urgent = true;
		edit(l);
	}
	copy(l);
	mouse(l);
}

static void take_session_slices(struct loop *l, uint64_t now, struct err *err)
{
	struct app *a = l->app;
	bool rows;
	bool ended = a->ended;
	int ret = app_take(a, now + TAKE_NS, &rows, err);

	if (ret && ret != -ESHUTDOWN) {
		l->error = ret;
		return;
	}
	if (a->answered)
		l->dirty = true;
	a->answered = false;
	if (a->ended && !ended) {
		/* Show the last measurements, whatever ended the session. */
		app_follow(a);
		l->dirty = true;
	}
	if (rows && now < a->hurry_until && !l->more) {
		app_follow(a);
		l->dirty = true;
	}
}

static void expire(struct loop *l, uint64_t now)
{
	struct app *a = l->app;

	if (a->message[0] && now >= a->message_until) {
		a->message[0] = '\0';
		l->dirty = true;
	}
	if (a->options.show.duration > 0 &&
	    now - l->begun >= (uint64_t)(a->options.show.duration * (double)NSEC_PER_SEC))
		a->quit = true;
}

static int next_poll_timeout(const struct loop *l, uint64_t now)
{
	const struct app *a = l->app;
	uint64_t at = l->next_refresh,
		 room = l->dirty || l->more ? terminal_room_at(l->terminal) : UINT64_MAX;

	at = room < at ? room : at;
	if (a->message[0] && a->message_until < at)
		at = a->message_until;
	if (a->options.show.duration > 0) {
		uint64_t end =
			l->begun + (uint64_t)(a->options.show.duration * (double)NSEC_PER_SEC);

		at = end < at ? end : at;
	}
	return at > now ? (int)((at - now + NSEC_PER_MSEC - 1) / NSEC_PER_MSEC) : 0;
}

/* Return true if a key is waiting, unless keys have put off too many turns already. */
static bool keys_wait(struct loop *l)
{
	struct pollfd p = {.fd = l->editor ? -1 : terminal_fd(l->terminal), .events = POLLIN};
	bool wait = l->put_off < PUT_OFF && poll(&p, 1, 0) > 0 && p.revents & POLLIN;

	l->put_off = wait ? l->put_off + 1 : 0;
	return wait && !l->error;
}

/*
 * Paint the answer to a key first, from the rows on the screen: with 100 000 rows slices and a
 * refresh take long.  Not twice in a row, so that constant typing does not hold them off.
 */
static bool keys_first(struct loop *l, bool keys)
{
	l->answered = keys && !l->answered && l->dirty && !l->app->quit && !l->editor && !l->error;
	if (l->answered)
		paint(l);
	return l->answered;
}

/* Return true if slices are ready: a refresh waits for them, but for REFRESH_LATE_NS at most. */
static bool slices_first(struct loop *l, uint64_t now)
{
	struct pollfd p = {.fd = l->error ? -1 : l->app->session->ops->fd(l->app->session),
			   .events = POLLIN};

	return model_info(l->app->own)->live && now < l->next_refresh + REFRESH_LATE_NS &&
	       poll(&p, 1, 0) > 0;
}

enum { POLL_SESSION, POLL_KEYS, POLL_SIGNALS, POLL_CONTROL, POLL_NR };

static void loop_turn(struct loop *l, struct err *err)
{
	struct app *a = l->app;
	size_t pending = terminal_pending(l->terminal);
	struct pollfd p[POLL_NR] = {
	    [POLL_SESSION] = {.fd = l->error ? -1 : a->session->ops->fd(a->session),
			      .events = POLLIN},
	    [POLL_KEYS] = {.fd = l->editor ? -1 : terminal_fd(l->terminal),
			   .events = (short)(POLLIN | (pending ? POLLOUT : 0))},
	    [POLL_SIGNALS] = {.fd = signals_fd(), .events = POLLIN},
	    [POLL_CONTROL] = {.fd = control_fd(a->options.control), .events = POLLIN},
	};
	uint64_t now;

	if (poll(p, POLL_NR, next_poll_timeout(l, clock_ns())) < 0 && errno != EINTR) {
		l->error = err_set(err, errno, "cannot wait for keys: %s", strerror(errno));
		return;
	}
	now = clock_ns();
	if (p[POLL_SIGNALS].revents)
		serve_signals(l);
	if (p[POLL_CONTROL].revents)
		serve_control(l);
	if (p[POLL_KEYS].revents & POLLIN)
		serve_keys(l);
	if (p[POLL_KEYS].revents & (POLLHUP | POLLERR | POLLNVAL) || terminal_write(l->terminal))
		a->quit = true; /* the line is gone: no message can be shown */
	if (keys_first(l, p[POLL_KEYS].revents & POLLIN))
		return;
	if (p[POLL_SESSION].revents) {
		take_session_slices(l, now, err);
		if (keys_wait(l))
			return;
	}
	if (now >= l->next_refresh && !slices_first(l, now))
		refresh_due(l, now);
	expire(l, now);
	if ((l->dirty || l->more) && !a->quit)
		paint(l);
}

static int loop_run(struct loop *l, struct err *err)
{
	l->begun = clock_ns();
	l->next_refresh = l->begun;
	l->size_changed = l->dirty = true;
	while ((!l->app->quit && !l->error) || l->editor)
		loop_turn(l, err);
	log_msg(LOG_UI, "%llu frames, %llu dropped, %llu bytes",
		(unsigned long long)l->paint.frames, (unsigned long long)l->paint.dropped,
		(unsigned long long)terminal_bytes(l->terminal));
	return l->error;
}

int ui_run(struct session *s, struct model *m, const struct ui_options *o, struct err *err)
{
	struct terminal_options wanted = {.ascii = o->show.ascii,
					  .mono = o->show.mono,
					  .colour = o->show.colour,
					  .palette = theme_palette(o->show.palette),
					  .no_mouse = o->show.no_mouse};
	struct loop l = {.no_mouse = o->show.no_mouse};
	int ret;

	l.app = app_create(s, m, o, err);
	if (!l.app)
		return err && err->code ? -err->code : -ENOMEM;
	ret = signals_open(err);
	if (ret)
		goto out_app;
	/* After signals_open(): curses installs its own handlers only where there are none. */
	ret = terminal_open(&wanted, &l.terminal, err);
	if (ret)
		goto out_signals;
	l.app->scene.ascii = terminal_traits(l.terminal)->ascii;
	l.app->mono = terminal_traits(l.terminal)->mono;
	ret = loop_run(&l, err);
	terminal_close(l.terminal);
	paint_free(&l.paint);
out_signals:
	signals_close();
out_app:
	app_free(l.app);
	return ret;
}
