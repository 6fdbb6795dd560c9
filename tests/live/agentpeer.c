/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * agentpeer - the near side of an agent, for tests: starts it with pipes, talks, and says what came.
 *
 *   agentpeer [--beat MS] [--seconds S] [--linger S] [--resume] [--silent] [--die MS] PROGRAM [WORD...]
 *
 * Prints "agent PID" as soon as it runs, "named NS" at the first row with a name, and at the end NAME=NUMBER.  --die: it
 * is killed by SIGKILL so long after INFO.  --resume: every second the connection is cut, and resumed over another one,
 * until that was done three times.
 * --silent: nothing is said after START.  What comes is checked as a remote session checks it.  Exit status: 1, the
 * agent refused (its words are on stderr); 2, what it said is wrong.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "model/core/model.h"
#include "link/wire/message.h"
#include "link/wire/slicecheck.h"

#define SETTLE_NS   (5 * NSEC_PER_SEC) /* the rate is that of what comes later */
#define PATIENCE_NS (30 * NSEC_PER_SEC)
#define RESUMES_LEAST 3

static struct peer {
	double seconds, die;
	bool resumes, silent;
	struct message_start start;
	char *program;
	struct link *link;
	int in, out;
	pid_t child, agent;
	char token[33];
	struct session_info info;
	struct model *model;
	struct slicecheck *check;
	uint64_t began, opened, named, cut_at;
	uint64_t seq, slices, rows, entries, bytes, resumed, merged, folded, settled;
	bool stopping, ended;
	struct message_end end;
} peer;

static void quit(int status, const char *text)
{
	fprintf(stderr, "agentpeer: %s\n", text);
	exit(status);
}

static void say(struct peer *p, enum wire_kind kind, const void *message)
{
	if (message_send(p->link, kind, message))
		quit(2, "a message cannot be sent");
}

static void run(const struct peer *p, int in, int out)
{
	dup2(in, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	close_range(STDERR_FILENO + 1, ~0u, 0);
	execl(p->program, p->program, "--agent", p->token[0] ? "--resume" : NULL, p->token, NULL);
	_exit(127);
}

/* A process of the program at the other end of two pipes. */
static void connect_to(struct peer *p)
{
	struct message_hello h = {.major = WIRE_MAJOR, .minor = WIRE_MINOR, .version = "agentpeer"};
	int to[2], from[2];

	if (pipe2(to, O_CLOEXEC) || pipe2(from, O_CLOEXEC))
		quit(2, "no pipes");
	p->child = fork();
	if (!p->child)
		run(p, to[0], from[1]);
	close(to[0]);
	close(from[1]);
	p->in = from[0];
	p->out = to[1];
	fcntl(p->in, F_SETFL, O_NONBLOCK);
	fcntl(p->out, F_SETFL, O_NONBLOCK);
	p->link = link_create();
	say(p, WIRE_HELLO, &h);
}

static void disconnect(struct peer *p)
{
	p->bytes += link_bytes_in(p->link);
	link_free(p->link);
	close(p->in);
	close(p->out);
}

static void look_for_name(struct peer *p)
{
	struct query q = {.group = GROUP_FUNCTION};
	const struct rows *rows = p->named ? NULL : model_rows(p->model, &q, WINDOW_ALL);

	for (size_t i = 0; rows && i < rows->nr && !p->named; i++)
		if (!(rows->row[i].flags & (ROW_UNRESOLVED | ROW_LOADING)) && *rows->row[i].name != '[')
			p->named = clock_ns();
	if (rows && p->named)
		printf("named %llu\n", (unsigned long long)(p->named - p->began));
}

static void take_slice(struct peer *p, struct message_slice *m, struct err *err)
{
	const struct slice *s = m->slice;

	if (m->seq != p->seq + 1)
		quit(2, "a slice is missing, or came twice");
	p->seq = m->seq;
	if (slicecheck_take(p->check, s, err))
		quit(2, err->text);
	p->slices++;
	p->rows += s->nrows;
	for (int k = 0; k < DICT_NR; k++)
		p->entries += s->dict.nr[k];
	for (size_t i = 0; i < s->nhosts; i++) {
		p->merged += s->hosts[i].merged;
		p->folded += s->hosts[i].folded_samples;
	}
	model_add(p->model, m->slice);
	m->slice = NULL;
	look_for_name(p);
	if (!p->silent)
		say(p, WIRE_CREDIT, &(struct message_credit){p->seq});
}

static void take_info(struct peer *p, struct session_info *info, struct err *err)
{
	p->info = *info;
	info->events = NULL;
	info->nevents = 0;
	p->opened = p->cut_at = clock_ns();
	if (slicecheck_info(&p->info, err))
		quit(2, err->text);
	p->model = model_create(&p->info, MODEL_BUDGET);
	p->check = slicecheck_create(&p->info, 64 << 20);
	printf("info %llu\n", (unsigned long long)(p->opened - p->began));
}

static void take(struct peer *p, const struct link_frame *f)
{
	union {
		struct message_hello hello;
		struct message_slice slice;
		struct session_info info;
		struct message_end end;
		struct message_reply reply;
		struct message_time time;
	} m;
	struct err err = {.code = 0};

	if (message_get(f, &m, 64 << 20, &err))
		quit(2, err.text);
	if (f->kind == WIRE_HELLO && !p->agent) {
		p->agent = m.hello.pid;
		snprintf(p->token, sizeof(p->token), "%s", m.hello.token);
		printf("agent %d\n", (int)p->agent);
		say(p, WIRE_START, &p->start);
	} else if (f->kind == WIRE_HELLO) {
		struct message_resume r = {.seq = p->seq};

		memcpy(r.token, p->token, sizeof(r.token));
		say(p, WIRE_RESUME, &r);
		p->resumed++;
	} else if (f->kind == WIRE_INFO) {
		take_info(p, &m.info, &err);
	} else if (f->kind == WIRE_SLICE) {
		take_slice(p, &m.slice, &err);
	} else if (f->kind == WIRE_END) {
		p->end = m.end;
		p->ended = true;
	}
	message_clear(f->kind, &m);
}

/* What the time has come for. */
static void do_due(struct peer *p)
{
	uint64_t now = clock_ns();

	if (p->die >= 0 && p->opened && now - p->opened >= (uint64_t)(p->die * 1e6))
		raise(SIGKILL);
	if (!p->opened || p->stopping)
		return;
	if (!p->settled && now - p->opened >= SETTLE_NS)
		p->settled = p->bytes + link_bytes_in(p->link);
	if (p->seconds > 0 && now - p->opened >= (uint64_t)(p->seconds * 1e9) &&
	    (!p->resumes || p->resumed >= RESUMES_LEAST)) {
		say(p, WIRE_STOP, NULL);
		p->stopping = true;
	} else if (p->resumes && now - p->cut_at >= NSEC_PER_SEC) {
		disconnect(p);
		connect_to(p);
		p->cut_at = now;
	}
}

static void talk(struct peer *p)
{
	struct err err = {.code = 0};
	struct link_frame f;
	uint64_t heard = clock_ns();
	int more;

	while (!p->ended) {
		struct pollfd fds[2] = {{.fd = p->in, .events = POLLIN}, {.fd = p->out, .events = 0}};
		int gone;

		do_due(p);
		if (link_send(p->link, p->out) && !p->silent)
			quit(2, "the agent does not listen any more");
		poll(fds, 2, 5);
		gone = link_receive(p->link, p->in);
		while ((more = link_next(p->link, &f, &err)) == 1) {
			take(p, &f);
			heard = clock_ns();
		}
		if (more < 0)
			quit(2, err.text);
		if (gone && !p->ended)
			quit(p->silent ? 0 : 2, "the agent went away without a word");
		if (clock_ns() - heard > PATIENCE_NS)
			quit(2, "nothing comes any more");
	}
}

static int tell(struct peer *p)
{
	uint64_t took = clock_ns() - p->opened;
	struct account a = {.counted = 0};
	double rate;

	disconnect(p);
	rate = (double)(p->bytes - p->settled) * 1e9 / (double)(p->settled ? took - SETTLE_NS : took);
	if (p->end.err.code) {
		fprintf(stderr, "agentpeer: the agent says: %s (%s)\n", p->end.err.text, p->end.err.advice);
		return 1;
	}
	model_account(p->model, 0, ALL_CPUS, WINDOW_ALL, &a);
	printf("bytes=%llu slices=%llu rows=%llu entries=%llu merged=%llu folded=%llu resumed=%llu ms=%llu\n",
	       (unsigned long long)p->bytes, (unsigned long long)p->slices, (unsigned long long)p->rows,
	       (unsigned long long)p->entries, (unsigned long long)p->merged, (unsigned long long)p->folded,
	       (unsigned long long)p->resumed, (unsigned long long)(took / NSEC_PER_MSEC));
	printf("counted=%llu attributed=%llu lost=%llu pending=%llu samples=%llu rate=%.0f error=%d\n",
	       (unsigned long long)a.counted, (unsigned long long)a.attributed, (unsigned long long)a.lost_all,
	       (unsigned long long)a.pending, (unsigned long long)a.samples, rate,
	       p->end.end.error);
	return 0;
}

static char **options(struct peer *p, char **argv)
{
	for (; *argv && !strncmp(*argv, "--", 2); argv++) {
		if (!strcmp(*argv, "--resume"))
			p->resumes = true;
		else if (!strcmp(*argv, "--silent"))
			p->silent = true;
		else if (!strcmp(*argv, "--beat"))
			p->start.beat_ms = (uint32_t)atoi(*++argv);
		else if (!strcmp(*argv, "--seconds"))
			p->seconds = atof(*++argv);
		else if (!strcmp(*argv, "--linger"))
			p->start.linger_s = (uint32_t)atoi(*++argv);
		else if (!strcmp(*argv, "--silence"))
			p->start.silent_s = (uint32_t)atoi(*++argv);
		else if (!strcmp(*argv, "--die"))
			p->die = atof(*++argv);
		else
			quit(2, "usage");
	}
	return argv;
}

int main(int argc, char **argv)
{
	struct peer *p = &peer;
	int status;

	(void)argc;
	setvbuf(stdout, NULL, _IOLBF, 0);
	signal(SIGPIPE, SIG_IGN);
	p->die = -1;
	p->seconds = 5;
	p->start = (struct message_start){.beat_ms = 1000, .silent_s = 20, .window = 256 << 10};
	argv = options(p, argv + 1);
	if (!*argv)
		quit(2, "usage");
	p->program = *argv++;
	p->start.words = argv;
	while (argv[p->start.nwords])
		p->start.nwords++;
	p->began = clock_ns();
	connect_to(p);
	talk(p);
	status = tell(p);
	while (wait(NULL) > 0)
		;
	if (!status) {
		struct rusage ru;

		getrusage(RUSAGE_CHILDREN, &ru);
		printf("cpu=%ld\n", (long)(ru.ru_utime.tv_sec + ru.ru_stime.tv_sec) * 1000 +
					    (long)(ru.ru_utime.tv_usec + ru.ru_stime.tv_usec) / 1000);
	}
	return status;
}
