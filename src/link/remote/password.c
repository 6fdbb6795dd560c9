/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "link/remote/password.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <termios.h>
#include <unistd.h>

#define LINE_MAX_BYTES 1024

struct password {
	size_t len; /* with the newline; 0: not known */
	char line[LINE_MAX_BYTES];
};

/* Whole pages: mlock and MADV_DONTDUMP work by page, and a heap would reuse the memory. */
struct password *password_create(struct err *err)
{
	struct password *p =
		mmap(NULL, sizeof(*p), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return err_null(err_room(err, errno, "a password"));
	mlock(p, sizeof(*p)); /* above the limit it may go to swap: no reason to refuse */
	madvise(p, sizeof(*p), MADV_DONTDUMP);
	madvise(p, sizeof(*p), MADV_WIPEONFORK);
	return p;
}

void password_free(struct password *p)
{
	if (!p)
		return;
	password_forget(p);
	munmap(p, sizeof(*p));
}

/* Read a line that the terminal's line discipline has edited.  -ECANCELED: no line. */
static int read_password_line(struct password *p, int tty, const sigset_t *open)
{
	struct pollfd wait = {tty, POLLIN, 0};
	ssize_t n;

	for (;;) {
		if (ppoll(&wait, 1, NULL, open) < 0)
			return errno == EINTR ? -ECANCELED : -errno;
		n = read(tty, p->line + p->len, sizeof(p->line) - p->len);
		if (n <= 0)
			return n ? -errno : -ECANCELED;
		p->len += (size_t)n;
		if (p->line[p->len - 1] == '\n')
			return 0;
		if (p->len == sizeof(p->line))
			return -E2BIG;
	}
}

static void interrupted(int sig)
{
	(void)sig;
}

/* Echo must be on again whatever ends the prompt, so stopping it (Ctrl-Z) is disabled. */
static int ask_quietly(struct password *p, int tty, const char *prompt, const sigset_t *open)
{
	struct termios shown, quiet;
	int r;

	if (tcgetattr(tty, &shown))
		return -errno;
	quiet = shown;
	quiet.c_lflag = (quiet.c_lflag & ~(tcflag_t)ECHO) | ECHONL | ICANON | ISIG;
	quiet.c_cc[VSUSP] = _POSIX_VDISABLE;
	tcsetattr(tty, TCSAFLUSH, &quiet);
	r = write(tty, prompt, strlen(prompt)) < 0 ? -errno : read_password_line(p, tty, open);
	tcsetattr(tty, TCSAFLUSH, &shown);
	return r;
}

/* Signals that end ringtop must end the prompt, too, also if they are blocked for a signalfd. */
static int ask_until_signal(struct password *p, int tty, const char *prompt)
{
	static const int ending[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction wake = {.sa_handler = interrupted}, before[3];
	sigset_t open, closed, mask;
	int r;

	sigemptyset(&closed);
	for (int i = 0; i < 3; i++)
		sigaddset(&closed, ending[i]);
	pthread_sigmask(SIG_BLOCK, &closed, &mask);
	open = mask;
	for (int i = 0; i < 3; i++) {
		sigaction(ending[i], &wake, &before[i]);
		sigdelset(&open, ending[i]);
	}
	r = ask_quietly(p, tty, prompt, &open);
	for (int i = 0; i < 3; i++)
		sigaction(ending[i], &before[i], NULL);
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
	return r;
}

int password_ask(struct password *p, const char *prompt, struct err *err)
{
	int tty = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY), r;

	password_forget(p);
	if (tty < 0)
		return err_set(err, ENOTTY, "no terminal to ask for a password");
	r = ask_until_signal(p, tty, prompt);
	close(tty);
	if (!r)
		return 0;
	password_forget(p);
	return err_set(err, -r, "no password was given: %s", strerror(-r));
}

bool password_known(const struct password *p)
{
	return p->len > 0;
}

const char *password_line(const struct password *p, size_t *len)
{
	*len = p->len;
	return p->line;
}

void password_forget(struct password *p)
{
	explicit_bzero(p, sizeof(*p));
}
