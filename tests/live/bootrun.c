/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bootrun HOST SSH [sudo] [keep] [batch] [cut] [twice] - the bootstrap alone, for tests over a real sshd: prints what the
 * agent says first and the note, then "gone:" as soon as the pipes are closed.  The agents to send are
 * $RINGTOP_AGENT_DIR's.  cut: closed as soon as the agent's bytes are on the way.  twice: a second time, when nobody is
 * asked for a password.  Exits as ringtop does: 3 where it was not permitted.
 */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "link/remote/boot.h"

static bool has(char *argv[], const char *word)
{
	for (; *argv; argv++)
		if (!strcmp(*argv, word))
			return true;
	return false;
}

static int complain(const struct err *err)
{
	fprintf(stderr, "%s%s%s\n", err->text, *err->advice ? " | " : "", err->advice);
	return err->code == EACCES || err->code == EPERM ? 3 : 1;
}

static int agent_runs(struct boot *b, struct transport *t, uint64_t start)
{
	fwrite(t->early, 1, t->nearly, stdout);
	printf("note: %s\nms: %.1f\n", boot_note(b), (double)(clock_ns() - start) / NSEC_PER_MSEC);
	fflush(stdout);
	getchar(); /* whoever tests looks around */
	transport_close(t);
	return 0;
}

static int run(const struct boot_config *c, bool cut)
{
	uint64_t start = clock_ns();
	struct pollfd p[BOOT_FDS];
	struct transport t;
	struct err err = {.code = 0};
	struct boot *b = boot_start(c, &err);
	int r = b ? 0 : -err.code;

	while (!r && !(cut && strstr(boot_note(b), "sent"))) {
		poll(p, (nfds_t)boot_poll(b, p), 1000);
		r = boot_step(b, &t, &err);
	}
	r = r < 0 ? complain(&err) : r ? agent_runs(b, &t, start) : 0;
	boot_free(b);
	return r;
}

int main(int argc, char *argv[])
{
	struct boot_config c;
	int r;

	if (argc < 3)
		return 2;
	signal(SIGPIPE, SIG_IGN);
	c = (struct boot_config){.host = argv[1], .ssh = argv[2], .sudo = has(argv, "sudo"), .keep = has(argv, "keep"),
				 .batch = has(argv, "batch"), .password = password_create(NULL)};
	r = run(&c, has(argv, "cut"));
	c.batch = true;
	if (!r && has(argv, "twice"))
		r = run(&c, false);
	printf("gone:\n");
	password_free(c.password);
	return r;
}
