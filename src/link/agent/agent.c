/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "link/agent/agent.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "link/agent/agentfile.h"
#include "link/agent/watchdog.h"
#include "link/agent/linger.h"
#include "link/agent/outgoing.h"
#include "base/clock.h"
#include "base/io.h"
#include "link/wire/message.h"

#define MESSAGE_BUDGET (1u << 20) /* bytes of memory for a message from home */
#define SILENT_S       20         /* until START sets another limit */
#define FAREWELL_NS    (5 * NSEC_PER_SEC) /* for sending the rest when the agent is leaving */

enum state {
	AGENT_HELLO,   /* a connection, before home's HELLO */
	AGENT_START,   /* waiting for START or RESUME */
	AGENT_RUNNING, /* a session; it may have ended */
	AGENT_AWAY,    /* a session without a connection */
	AGENT_LEAVING, /* the rest is being sent */
	AGENT_DONE
};

struct agent {
	const struct agent_config *config;
	enum state state;
	struct link *link;
	struct linger_peer peer; /* of a connection that was handed over; relay -1: it was not */
	int in, out;
	int stop_fd, listen_fd;
	struct watchdog *watchdog;
	struct session *session;
	struct outgoing *outgoing;
	struct agentfile *files;
	uint32_t linger_s, silent_s;
	char token[LINGER_TOKEN];
	/* when home sent last; AWAY: when the connection ended; LEAVING: since when */
	uint64_t heard;
	bool stopped;    /* home sent STOP */
	bool ended;      /* END was sent over this connection */
	bool abandoned;
	int status;
};

/* --- sending ---------------------------------------------------------------------------- */

static void start_leaving(struct agent *a, int status)
{
	a->state = AGENT_LEAVING;
	a->heard = clock_ns();
	a->status = status;
}

/* End the agent after an error, and send it to home if there is a connection. */
static void abort_agent(struct agent *a, const struct err *err)
{
	struct message_end m = {.err = *err};

	if (a->state == AGENT_LEAVING || a->state == AGENT_DONE)
		return;
	if (a->link)
		message_send(a->link, WIRE_END, &m);
	start_leaving(a, 1);
}

static int send_to_home(struct agent *a, enum wire_kind kind, const void *message, struct err *err)
{
	int ret = message_send(a->link, kind, message);

	return ret ? err_set(err, -ret, "cannot send an answer: %s", strerror(-ret)) : 0;
}

static void read_first_line(const char *path, char *text, size_t size)
{
	io_read_text(path, text, size);
	text[strcspn(text, "\n")] = '\0';
}

static int say_hello(struct agent *a, struct err *err)
{
	struct message_hello h = {.major = WIRE_MAJOR,
				  .minor = WIRE_MINOR,
				  .uid = geteuid(),
				  .pid = getpid(),
				  .capabilities = CAN_LINGER | CAN_FETCH | CAN_FOLD | CAN_CHANGE |
						  CAN_LINES};
	struct utsname u;

	if (!uname(&u)) {
		snprintf(h.host, sizeof(h.host), "%s", u.nodename);
		snprintf(h.arch, sizeof(h.arch), "%.*s", (int)sizeof(h.arch) - 1, u.machine);
	}
	snprintf(h.version, sizeof(h.version), "%s", a->config->version);
	snprintf(h.token, sizeof(h.token), "%s", a->token);
	read_first_line("/proc/sys/kernel/random/boot_id", h.boot_id, sizeof(h.boot_id));
	return send_to_home(a, WIRE_HELLO, &h, err);
}

void agent_wire(char *text, unsigned size)
{
	snprintf(text, size, "ringtop-wire %d.%d", WIRE_MAJOR, WIRE_MINOR);
}

/* --- receiving -------------------------------------------------------------------------- */

union message {
	struct message_hello hello;
	struct message_start start;
	struct message_resume resume;
	struct message_command command;
	struct message_credit credit;
	struct message_time time;
	struct message_file_ask file_ask;
};

static int take_hello(struct agent *a, union message *m, struct err *err)
{
	if (m->hello.major != WIRE_MAJOR)
		return err_set(err, EPROTO,
			       "the agent uses version %d of the wire protocol, this ringtop %u",
			       WIRE_MAJOR, m->hello.major);
	a->state = AGENT_START;
	return 0;
}

static uint64_t bounded(uint64_t n, uint64_t least, uint64_t most)
{
	return n < least ? least : n > most ? most : n;
}

static int take_start(struct agent *a, union message *m, struct err *err)
{
	const struct message_start *s = &m->start;
	struct outgoing_config oc = {.beat_ms = (uint32_t)bounded(s->beat_ms, 100, 1000),
				     .window = bounded(s->window, 16 << 10, 4 << 20)};

	if (a->session)
		return err_set(err, EPROTO, "START, but the session already exists");
	a->silent_s = (uint32_t)bounded(s->silent_s ? s->silent_s : SILENT_S, 1, 3600);
	a->linger_s = (uint32_t)bounded(s->linger_s, 0, 86400);
	if (a->linger_s)
		a->listen_fd = linger_listen(a->token, err);
	if (a->linger_s && a->listen_fd < 0)
		return a->listen_fd;
	err->code = 0;
	a->session =
		a->config->open(a->config->arg, s->words, (unsigned)s->nwords, oc.beat_ms, err);
	if (!a->session)
		return err->code ? -err->code : err_set(err, ENOMEM, "out of memory");
	a->heard = clock_ns(); /* opening may take long */
	oc.live = a->session->info.live;
	oc.files = a->files;
	oc.lines = s->lines;
	a->outgoing = outgoing_create(&oc);
	if (!a->outgoing)
		return err_set(err, ENOMEM, "out of memory");
	a->state = AGENT_RUNNING;
	return send_to_home(a, WIRE_INFO, &a->session->info, err);
}

static int take_resume(struct agent *a, union message *m, struct err *err)
{
	if (!a->session || strcmp(m->resume.token, a->token) != 0)
		return err_set(err, ENOENT, "there is no session to resume");
	a->state = AGENT_RUNNING;
	a->ended = false;
	return outgoing_resume(a->outgoing, m->resume.seq, err);
}

static int handle_command(struct agent *a, union message *m, struct err *err)
{
	struct session_request rq = {.command = m->command.command,
				     .code = m->command.place,
				     .text = m->command.text,
				     .change = m->command.change,
				     .event = m->command.event,
				     .number = m->command.number};
	struct message_reply r = {.nr = m->command.nr};

	if (rq.command == SESSION_CODE && !rq.code)
		return err_set(err, EPROTO, "a request for code without its place");
	if (rq.command == SESSION_EVENTS && !rq.text)
		rq.text = "";
	if (rq.command == SESSION_CODE)
		outgoing_watch(a->outgoing, rq.code);
	if (rq.command == SESSION_LINES)
		outgoing_lines(a->outgoing);
	else if (a->session->ops->command(a->session, &rq, &r.err) && !r.err.code)
		err_set(&r.err, EIO, "the command failed");
	outgoing_hurry(a->outgoing);
	return send_to_home(a, WIRE_REPLY, &r, err);
}

static int take_credit(struct agent *a, union message *m, struct err *err)
{
	return outgoing_acknowledge(a->outgoing, m->credit.seq, err);
}

static int handle_time(struct agent *a, union message *m, struct err *err)
{
	m->time.t2 = outgoing_now(a->outgoing);
	m->time.wall = clock_read(CLOCK_REALTIME);
	m->time.t3 = outgoing_now(a->outgoing);
	return send_to_home(a, WIRE_TIME, &m->time, err);
}

static int take_file_ask(struct agent *a, union message *m, struct err *err)
{
	struct message_file_part part;
	int ret;

	agentfile_answer(a->files, &m->file_ask, &part);
	ret = send_to_home(a, WIRE_FILE_PART, &part, err);
	message_clear(WIRE_FILE_PART, &part);
	return ret;
}

static int take_stop(struct agent *a, union message *m, struct err *err)
{
	(void)m;
	(void)err;
	if (!a->stopped)
		a->session->ops->stop(a->session);
	a->stopped = true;
	return 0;
}

static const struct handler {
	enum state state; /* the only one in which the message is valid */
	int (*take)(struct agent *a, union message *m, struct err *err);
} handlers[WIRE_KINDS] = {
	[WIRE_HELLO] = {AGENT_HELLO, take_hello},
	[WIRE_START] = {AGENT_START, take_start},
	[WIRE_RESUME] = {AGENT_START, take_resume},
	[WIRE_COMMAND] = {AGENT_RUNNING, handle_command},
	[WIRE_CREDIT] = {AGENT_RUNNING, take_credit},
	[WIRE_TIME] = {AGENT_RUNNING, handle_time},
	[WIRE_FILE_ASK] = {AGENT_RUNNING, take_file_ask},
	[WIRE_STOP] = {AGENT_RUNNING, take_stop},
};

static int handle_frame(struct agent *a, const struct link_frame *f, struct err *err)
{
	const struct handler *h = f->kind < WIRE_KINDS ? &handlers[f->kind] : &handlers[0];
	union message m;
	int ret;

	if (!h->take || h->state != a->state)
		return err_set(err, EPROTO, "an unexpected message of kind %d", (int)f->kind);
	ret = message_get(f, &m, MESSAGE_BUDGET, err);
	if (ret)
		return ret;
	a->heard = clock_ns();
	ret = h->take(a, &m, err);
	message_clear(f->kind, &m);
	return ret;
}

/* --- connections ------------------------------------------------------------------------ */

static void set_blocking(int fd, bool blocking)
{
	int flags = fcntl(fd, F_GETFL);

	fcntl(fd, F_SETFL, blocking ? flags & ~O_NONBLOCK : flags | O_NONBLOCK);
}

static void disconnect(struct agent *a)
{
	link_free(a->link);
	a->link = NULL;
	if (a->in >= 0)
		close(a->in);
	if (a->out >= 0)
		close(a->out);
	if (a->peer.relay >= 0)
		close(a->peer.relay);
	a->in = a->out = a->peer.relay = -1;
}

static int connect_to(struct agent *a, int in, int out, struct err *err)
{
	a->in = in;
	a->out = out;
	set_blocking(in, false);
	set_blocking(out, false);
	a->heard = clock_ns();
	a->ended = false;
	a->state = AGENT_HELLO;
	a->link = link_create();
	return a->link ? say_hello(a, err) : err_set(err, ENOMEM, "out of memory");
}

/* Return true if the agent should live on without a connection. */
static bool may_linger(const struct agent *a)
{
	return a->linger_s && a->session && a->state != AGENT_LEAVING && !a->stopped &&
	       (!a->ended || outgoing_unacknowledged(a->outgoing));
}

static void cut_connection(struct agent *a)
{
	bool linger = may_linger(a);

	disconnect(a);
	a->state = linger ? AGENT_AWAY : AGENT_DONE;
	a->heard = clock_ns();
}

/* Take a new connection; the one before is closed, even if its end was not noticed. */
static void reconnect(struct agent *a)
{
	struct err err = {.code = 0};
	struct linger_peer p;

	if (linger_accept(a->listen_fd, &p))
		return;
	disconnect(a);
	a->peer = p;
	dup2(p.error, STDERR_FILENO);
	close(p.error);
	if (connect_to(a, p.in, p.out, &err))
		abort_agent(a, &err);
}

static void hear(struct agent *a)
{
	struct err err = {.code = 0};
	struct link_frame f;
	int ret = link_receive(a->link, a->in), more = 1;

	while (a->state < AGENT_AWAY && (more = link_next(a->link, &f, &err)) == 1)
		if (handle_frame(a, &f, &err)) {
			abort_agent(a, &err);
			return;
		}
	if (more < 0)
		abort_agent(a, &err);
	else if (ret)
		cut_connection(a);
}

/* --- the session ------------------------------------------------------------------------ */

static void abandon(struct agent *a)
{
	if (!a->abandoned)
		a->config->leave(a->config->arg, a->session);
	a->abandoned = true;
}

static void send_end(struct agent *a)
{
	struct message_end m = {.err = {.code = 0}};
	struct err err = {.code = 0};

	/* After a STOP, END also reports the outcome of the files. */
	if (a->stopped)
		abandon(a);
	a->session->ops->end(a->session, &m.end);
	a->ended = true;
	if (send_to_home(a, WIRE_END, &m, &err))
		abort_agent(a, &err);
}

static void pump_session(struct agent *a)
{
	struct link *l = a->state == AGENT_RUNNING ? a->link : NULL;
	struct err err = {.code = 0};
	int ret;

	if (!a->session || a->state >= AGENT_LEAVING)
		return;
	ret = outgoing_pump(a->outgoing, a->session, l, &err);
	if (ret == -ESHUTDOWN && l && !a->ended)
		send_end(a);
	else if (ret && ret != -ESHUTDOWN)
		abort_agent(a, &err);
}

/* --- the loop --------------------------------------------------------------------------- */

static uint64_t deadline(const struct agent *a)
{
	uint64_t after = a->state == AGENT_LEAVING ? FAREWELL_NS
			 : NSEC_PER_SEC * (a->state == AGENT_AWAY ? a->linger_s : a->silent_s);

	return a->heard + after;
}

static int poll_timeout_ms(const struct agent *a)
{
	uint64_t now = clock_ns(), then = deadline(a);

	return then <= now ? 0 : (int)((then - now) / NSEC_PER_MSEC) + 1;
}

static void late(struct agent *a)
{
	if (clock_ns() < deadline(a))
		return;
	if (a->state == AGENT_AWAY || a->state == AGENT_LEAVING)
		a->state = AGENT_DONE;
	else
		cut_connection(a);
}

enum { AT_IN, AT_OUT, AT_RELAY, AT_SESSION, AT_STOP, AT_LISTEN, ATS };

static void poll_agent(struct agent *a, struct pollfd p[ATS], bool wait)
{
	bool wants = a->session && a->state < AGENT_LEAVING && outgoing_wants(a->outgoing);

	p[AT_IN] = (struct pollfd){.fd = a->state < AGENT_AWAY ? a->in : -1, .events = POLLIN};
	p[AT_OUT] = (struct pollfd){.fd = a->out,
				    .events = a->link && link_unsent(a->link) ? POLLOUT : 0};
	p[AT_RELAY] = (struct pollfd){.fd = a->peer.relay, .events = POLLIN};
	p[AT_SESSION] = (struct pollfd){.fd = wants ? a->session->ops->fd(a->session) : -1,
					.events = POLLIN};
	p[AT_STOP] = (struct pollfd){.fd = a->stop_fd, .events = POLLIN};
	p[AT_LISTEN] = (struct pollfd){.fd = a->state < AGENT_LEAVING ? a->listen_fd : -1,
				       .events = POLLIN};
	watchdog_alive(a->watchdog, a->in, a->out);
	if (poll(p, ATS, wait ? poll_timeout_ms(a) : 0) < 0)
		for (int i = 0; i < ATS; i++)
			p[i].revents = 0;
}

/* A second signal ends the agent at once. */
static void handle_signal(struct agent *a)
{
	struct signalfd_siginfo info;
	struct err err = {.code = 0};

	if (read(a->stop_fd, &info, sizeof(info)) != sizeof(info))
		return;
	if (a->state == AGENT_LEAVING)
		a->state = AGENT_DONE;
	err_set(&err, EINTR, "the agent was terminated: %s", strsignal((int)info.ssi_signo));
	abort_agent(a, &err);
}

/* Receive before sending. */
bool agent_turn(struct agent *a, bool wait)
{
	struct pollfd p[ATS];

	if (a->state == AGENT_DONE)
		return false;
	poll_agent(a, p, wait);
	if (p[AT_STOP].revents)
		handle_signal(a);
	if (p[AT_IN].revents)
		hear(a);
	if ((p[AT_RELAY].revents || p[AT_OUT].revents & POLLERR) && a->link)
		cut_connection(a);
	if (p[AT_LISTEN].revents && a->state < AGENT_LEAVING)
		reconnect(a);
	late(a);
	pump_session(a);
	if (a->link && link_send(a->link, a->out))
		cut_connection(a);
	if (a->state == AGENT_LEAVING && (!a->link || !link_unsent(a->link)))
		a->state = AGENT_DONE;
	return a->state != AGENT_DONE;
}

static int stop_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static int begin_agent(struct agent *a, struct err *err)
{
	int ret = linger_token(a->token);

	a->stop_fd = stop_signals();
	a->watchdog = watchdog_start(a->stop_fd);
	a->files = agentfile_create();
	if (ret || a->stop_fd < 0 || !a->watchdog || !a->files)
		return err_room(err, errno, "the agent");
	return connect_to(a, a->config->in, a->config->out, err);
}

struct agent *agent_begin(const struct agent_config *c)
{
	struct agent *a = calloc(1, sizeof(*a));
	struct err err = {.code = 0};

	if (!a)
		return NULL;
	*a = (struct agent){.config = c,
			    .in = -1,
			    .out = -1,
			    .peer = {.relay = -1},
			    .listen_fd = -1,
			    .stop_fd = -1,
			    .silent_s = SILENT_S};
	if (begin_agent(a, &err)) {
		fprintf(stderr, "ringtop: %s\n", err.text);
		a->state = AGENT_DONE;
		a->status = 1;
	}
	return a;
}

int agent_end(struct agent *a)
{
	int status = a->status;

	watchdog_stop(a->watchdog);
	disconnect(a);
	if (a->session)
		abandon(a);
	if (a->listen_fd >= 0)
		close(a->listen_fd);
	if (a->stop_fd >= 0)
		close(a->stop_fd);
	outgoing_free(a->outgoing);
	agentfile_free(a->files);
	free(a);
	return status;
}

int agent_run(const struct agent_config *c)
{
	struct agent *a = agent_begin(c);

	if (!a)
		return 1;
	while (agent_turn(a, true))
		;
	return agent_end(a);
}
