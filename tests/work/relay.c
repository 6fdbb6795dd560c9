/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * relay - a bad line: standard input and output to HOST PORT (ssh's ProxyCommand), or to a COMMAND's.
 *
 * relay [-d MS] [-r BITS] [-c BYTES] [-p FILE] [-x FILE] [-o FILE] HOST PORT | -- COMMAND [ARG...]
 *   -d  a byte needs so long, each way      -r  bits a second, each way: what is read waits for its turn
 *   -c  cut once so many bytes went through, both ways together
 *   -p  our pid into FILE                   -x  while FILE is there, no connection
 *   -o  at the end "up=BYTES down=BYTES" into FILE
 * SIGUSR1 cuts; SIGUSR2 stalls, and goes on at the next.  A cut closes everything at once, and what was on its way
 * is gone.  Nothing here sleeps: poll waits until the oldest bytes are due.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>

#include "work.h"

#define PIECE   1400u
#define PIECES  1024u
#define LINE_NS 200000000u /* as much may wait for its turn, as in a router */

struct piece {
	uint64_t due;
	size_t len, done;
	char data[PIECE];
};

struct way {
	int from, to;
	bool ended; /* nothing more comes */
	uint64_t line_free, bytes;
	unsigned first, nr;
	struct piece *pieces;
};

static uint64_t delay_ns, rate, cut_after;
static const char *pid_file, *down_file, *count_file;

static void write_file(const char *path, const char *format, uint64_t a, uint64_t b)
{
	FILE *f = path ? fopen(path, "w") : NULL;

	if (path && (!f || fprintf(f, format, a, b) < 0 || fclose(f)))
		err(1, "%s", path);
}

static int dial(const char *host, const char *port)
{
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port))};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1;

	if (inet_pton(AF_INET, host, &to.sin_addr) != 1)
		errx(1, "%s is no address", host);
	if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof(to)))
		err(1, "%s port %s", host, port);
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	return fd;
}

static int run(char *const command[])
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		err(1, "socketpair");
	switch (fork()) {
	case -1:
		err(1, "fork");
	case 0:
		dup2(pair[1], 0);
		dup2(pair[1], 1);
		execvp(command[0], command);
		err(127, "%s", command[0]);
	default:
		close(pair[1]);
		return pair[0];
	}
}

static struct piece *piece_at(struct way *w, unsigned i)
{
	return &w->pieces[(w->first + i) % PIECES];
}

static bool may_read(const struct way *w, uint64_t now)
{
	return !w->ended && w->nr < PIECES && w->line_free < now + LINE_NS;
}

static void take(struct way *w, uint64_t now)
{
	struct piece *p = piece_at(w, w->nr);
	ssize_t n = read(w->from, p->data, PIECE);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	w->ended = n <= 0;
	p->len = n > 0 ? (size_t)n : 0;
	p->done = 0;
	if (w->line_free < now)
		w->line_free = now;
	if (rate)
		w->line_free += p->len * 8 * 1000000000u / rate;
	p->due = w->line_free + delay_ns;
	w->nr++;
	w->bytes += p->len;
}

/* false: nobody takes it.  An empty piece is the end. */
static bool give(struct way *w, uint64_t now)
{
	while (w->nr && piece_at(w, 0)->due <= now) {
		struct piece *p = piece_at(w, 0);
		ssize_t n = p->len ? write(w->to, p->data + p->done, p->len - p->done) : 0;

		if (n < 0)
			return errno == EAGAIN || errno == EINTR;
		p->done += (size_t)n;
		if (p->done < p->len)
			return true;
		if (!p->len && shutdown(w->to, SHUT_WR))
			close(w->to);
		w->first = (w->first + 1) % PIECES;
		w->nr--;
	}
	return true;
}

/* When this way has something to do again. */
static uint64_t next_due(struct way *w, uint64_t now)
{
	uint64_t due = UINT64_MAX;

	if (w->nr && piece_at(w, 0)->due > now)
		due = piece_at(w, 0)->due;
	if (!w->ended && w->nr < PIECES && !may_read(w, now) && w->line_free - LINE_NS + 1 < due)
		due = w->line_free - LINE_NS + 1;
	return due;
}

static void watch(struct pollfd p[2], struct way *w, uint64_t now, bool stalled)
{
	bool due = w->nr && piece_at(w, 0)->due <= now;

	p[0] = (struct pollfd){.fd = !stalled && may_read(w, now) ? w->from : -1, .events = POLLIN};
	p[1] = (struct pollfd){.fd = !stalled && due ? w->to : -1, .events = POLLOUT};
}

/* Until both ends are done, or the line is cut. */
static void carry(struct way ways[2], int signals)
{
	bool stalled = false;

	for (;;) {
		uint64_t now = work_now(), due = UINT64_MAX;
		struct signalfd_siginfo si;
		struct timespec wait;
		struct pollfd p[5];

		for (int i = 0; i < 2; i++) {
			if (!stalled && !give(&ways[i], now))
				return;
			watch(p + 2 * i, &ways[i], now, stalled);
			if (next_due(&ways[i], now) < due)
				due = next_due(&ways[i], now);
		}
		if ((ways[0].ended && !ways[0].nr && ways[1].ended && !ways[1].nr) ||
		    (cut_after && ways[0].bytes + ways[1].bytes >= cut_after))
			return;
		p[4] = (struct pollfd){.fd = signals, .events = POLLIN};
		wait = (struct timespec){.tv_sec = (time_t)((due - now) / 1000000000u),
					 .tv_nsec = (long)((due - now) % 1000000000u)};
		if (ppoll(p, 5, stalled || due == UINT64_MAX ? NULL : &wait, NULL) < 0 && errno != EINTR)
			err(1, "poll");
		if (p[4].revents && read(signals, &si, sizeof(si)) == sizeof(si)) {
			if (si.ssi_signo != SIGUSR2)
				return;
			stalled = !stalled;
		}
		for (int i = 0; i < 2; i++)
			if (p[2 * i].fd >= 0 && p[2 * i].revents)
				take(&ways[i], work_now());
	}
}

int main(int argc, char **argv)
{
	struct way ways[2] = {{.from = 0}, {.to = 1}};
	sigset_t set;
	int far, opt, signals;

	while ((opt = getopt(argc, argv, "+d:r:c:p:x:o:")) >= 0) {
		switch (opt) {
		case 'd': delay_ns = (uint64_t)(atof(optarg) * 1e6); break;
		case 'r': rate = (uint64_t)atof(optarg); break;
		case 'c': cut_after = (uint64_t)atof(optarg); break;
		case 'p': pid_file = optarg; break;
		case 'x': down_file = optarg; break;
		case 'o': count_file = optarg; break;
		default: errx(2, "see the head of relay.c");
		}
	}
	if (argc - optind < 1)
		errx(2, "see the head of relay.c");
	if (down_file && !access(down_file, F_OK))
		errx(1, "the line is down");
	signal(SIGPIPE, SIG_IGN);
	far = !strcmp(argv[optind - 1], "--") ? run(argv + optind)
					      : dial(argv[optind], argv[optind + 1]);
	sigemptyset(&set);
	for (const int *s = (const int[]){SIGUSR1, SIGUSR2, SIGTERM, SIGINT, SIGHUP, 0}; *s; s++)
		sigaddset(&set, *s);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	ways[0].to = ways[1].from = far;
	for (int i = 0; i < 2; i++) {
		ways[i].pieces = calloc(PIECES, sizeof(struct piece));
		if (!ways[i].pieces)
			err(1, "memory");
		for (const int *fd = (const int[]){ways[i].from, ways[i].to, -1}; *fd >= 0; fd++)
			if (fcntl(*fd, F_SETFL, fcntl(*fd, F_GETFL) | O_NONBLOCK))
				err(1, "descriptor %d", *fd);
	}
	write_file(pid_file, "%" PRIu64 "\n", (uint64_t)getpid(), 0);
	carry(ways, signals);
	write_file(count_file, "up=%" PRIu64 " down=%" PRIu64 "\n", ways[0].bytes, ways[1].bytes);
	return 0;
}
