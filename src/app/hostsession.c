/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Several hosts are tried side by side without prompts; hosts that refused us are then tried once
 * more, one after the other, so that the user can answer the prompts of each.
 */
#include "app/hostsession.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "link/remote/fleet.h"
#include "link/remote/password.h"
#include "link/remote/remote.h"

#define TICKS_MAX  10 /* ticks of 100 ms in a slice */
#define HOST_BUDGET (32u << 20) /* a dictionary of some 100 000 functions and 200 000 paths */
#define OPEN_NS    (15 * NSEC_PER_SEC) /* wait for slow hosts: agents of the others wait 20 s for
					* us */
#define LOOK_MS    200

struct login {
	struct remote_config c;
	struct session *session; /* NULL: not begun, or failed: err */
	bool open;
	struct err err;
};

static struct password *passwords[FLEET_MAX];

uint32_t hostsession_beat_ms(const struct options *o)
{
	uint64_t delay = (uint64_t)llround((o->show.delay > 0 ? o->show.delay : 1) * 10),
		 duration = (uint64_t)llround(o->show.duration * 10);
	uint32_t ticks = TICKS_MAX;

	if (options_watch(o))
		return 100; /* conditions are checked with each slice */
	while (delay % ticks || duration % ticks)
		ticks--;
	return 100 * ticks;
}

static int login_prepare(struct login *l, const struct options *o, unsigned nr, struct err *err)
{
	passwords[nr] = password_create(err);
	l->c = (struct remote_config){
		.host = o->hosts[nr],
		.ssh = o->ssh,
		.sudo = o->sudo,
		.keep = o->keep,
		.once = o->measure.command || o->measure.record,
		.password = passwords[nr],
		.linger = (unsigned)o->linger,
		.beat_ms = hostsession_beat_ms(o),
		.words = o->there,
		.nwords = o->nthere,
		.budget = REMOTE_BUDGET / o->nhosts > HOST_BUDGET ? REMOTE_BUDGET / o->nhosts
								  : HOST_BUDGET,
		.stop_fd = o->measure.stop_fd,
		.output_fd = o->measure.screen ? -1 : STDERR_FILENO,
		.fetch = o->fetch,
		.lines = options_by_line(o),
	};
	return passwords[nr] ? 0 : -err->code;
}

static void login_look(struct login *l)
{
	int ret = remote_ready(l->session, &l->err);

	l->open = ret > 0;
	if (ret >= 0)
		return;
	session_close(l->session);
	l->session = NULL;
}

static bool stopped(int stop_fd)
{
	struct pollfd p = {.fd = stop_fd, .events = POLLIN};

	return stop_fd >= 0 && poll(&p, 1, 0) > 0;
}

/* Wait until each login is open or has failed. */
static void logins_wait(struct login *l, unsigned nr, int stop_fd)
{
	uint64_t deadline = clock_ns() + OPEN_NS;
	struct pollfd p[FLEET_MAX + 1];
	unsigned waiting;

	do {
		nfds_t n = 0;

		waiting = 0;
		for (unsigned i = 0; i < nr; i++) {
			if (!l[i].session || l[i].open)
				continue;
			login_look(&l[i]);
			if (!l[i].session || l[i].open)
				continue;
			p[n++] = (struct pollfd){.fd = l[i].session->ops->fd(l[i].session),
						 .events = POLLIN};
			waiting++;
		}
		if (!waiting)
			return;
		p[n] = (struct pollfd){.fd = stop_fd, .events = POLLIN};
		poll(p, n + 1, LOOK_MS);
	} while (clock_ns() < deadline && !stopped(stop_fd));
	for (unsigned i = 0; i < nr; i++) {
		if (!l[i].session || l[i].open)
			continue;
		session_close(l[i].session);
		l[i].session = NULL;
		err_set(&l[i].err, ETIMEDOUT, "%s: no session in %u s", l[i].c.host,
			(unsigned)(OPEN_NS / NSEC_PER_SEC));
	}
}

/* Try hosts that refused us again, now with prompts. */
static void logins_ask(struct login *l, unsigned nr, int stop_fd)
{
	for (unsigned i = 0; i < nr && !stopped(stop_fd); i++) {
		if (l[i].session || (l[i].err.code != EACCES && l[i].err.code != EPERM))
			continue;
		memset(&l[i].err, 0, sizeof(l[i].err));
		l[i].c.alone = true;
		l[i].session = remote_open(&l[i].c, &l[i].err);
		l[i].open = l[i].session;
	}
}

static struct session *open_several(struct login *l, const struct options *o, struct err *err)
{
	int stop_fd = o->measure.stop_fd;
	struct fleet_member members[FLEET_MAX];
	struct fleet_config c = {.beat_ms = hostsession_beat_ms(o)};

	for (unsigned i = 0; i < o->nhosts; i++)
		l[i].session = remote_begin(&l[i].c, &l[i].err);
	logins_wait(l, o->nhosts, stop_fd);
	if (isatty(STDIN_FILENO))
		logins_ask(l, o->nhosts, stop_fd);
	for (unsigned i = 0; i < o->nhosts; i++)
		members[i] = (struct fleet_member){
			.name = o->hosts[i], .session = l[i].session, .why = l[i].err.text};
	for (unsigned i = 0; i < o->nhosts; i++)
		if (l[i].session)
			return fleet_open(members, o->nhosts, &c, err);
	*err = l[0].err;
	return NULL;
}

/* Check --fetch before anything is measured: files come when it is over. */
static int check_fetch(const char *directory, struct err *err)
{
	struct stat st;

	if (!directory || (!stat(directory, &st) && S_ISDIR(st.st_mode)))
		return 0;
	return err_set(err, EINVAL, "--fetch: %.400s is not a directory on this machine",
		       directory);
}

struct session *hostsession_open(const struct options *o, struct err *err)
{
	struct session *s = NULL;
	struct login *logins;
	int ret = check_fetch(o->fetch, err);

	if (ret)
		return NULL;
	if (o->nhosts > FLEET_MAX)
		return err_null(err_set(err, EINVAL, "-H: at most %d hosts", FLEET_MAX));
	logins = calloc(o->nhosts, sizeof(*logins));
	if (!logins)
		return err_null(err_set(err, ENOMEM, "out of memory"));
	for (unsigned i = 0; i < o->nhosts && !ret; i++)
		ret = login_prepare(&logins[i], o, i, err);
	if (!ret && o->nhosts > 1) {
		s = open_several(logins, o, err);
	} else if (!ret) {
		logins->c.alone = true;
		s = remote_open(&logins->c, err);
	}
	free(logins);
	return s;
}

void hostsession_forget(void)
{
	for (unsigned i = 0; i < FLEET_MAX; i++) {
		password_free(passwords[i]);
		passwords[i] = NULL;
	}
}
