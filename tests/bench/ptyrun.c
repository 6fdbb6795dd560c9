/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptyrun - runs a program on a terminal of our own, keeps its screen in libvterm, and measures.
 *
 * ptyrun [-r ROWS] [-c COLS] [-b BYTES] [-o LOG] -- PROGRAM [ARG...] <SCRIPT
 *
 * -b: the line carries so many bytes a second, in steps of 20 ms.
 * A line of the script is one step; each prints name=value words on stdout:
 *   expect SEC TEXT   until TEXT is on the screen          expect_ms=
 *   gone SEC TEXT     until TEXT is not on the screen      gone_ms=
 *   pump SEC          just read for so long
 *   begin / end       a window                             bytes= seconds= cpu_ns= rss_kb= hwm_kb=
 *   run COMMAND       sh -c COMMAND beside it, to its end; its output is passed on
 *   key TEXT          type it; \e \n \t \s and \\ are known
 *   press SEC TEXT WANT  type it, and wait for its answer  key_ms= waited_ms= cpu_ms=
 *                     WANT +TEXT: until TEXT is on the screen, -TEXT: until it is not, neither may be so before;
 *                     =TITLE: until another row is selected, known by what stands in the column TITLE.  Needs libvterm.
 *                     waited: that the program's first thread had no CPU meanwhile; cpu: that it used.
 *   lag               how far the clock at the right end of the first row is behind the time of day   lag_s=
 *   size ROWS COLS    resize the terminal
 *   signal N          send a signal to the program
 *   exit SEC          until the program has ended          exit_ms= status= (since key or signal)
 *   screen            print the screen, each row after "|"
 * expect_ms counts from just before the exec.  A step that runs out of time ends ptyrun with 1; the
 * program is killed then.  Without libvterm (-DPTYRUN_NO_VTERM) only the bytes since the last key
 * are searched, with the escape sequences taken out.
 */
#include <ctype.h>
#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>
#ifndef PTYRUN_NO_VTERM
#include <vterm.h>
#endif

#define SCREEN_COLS_MAX 512

struct pty {
	int fd;
	pid_t pid;
	bool ended;       /* reaped */
	int status;
	struct rusage usage; /* once ended */
	uint64_t started; /* ns, just before the fork */
	uint64_t poked;   /* the last key or signal */
	uint64_t exited;
	uint64_t bytes;
	FILE *log;
	int rows, cols;
	unsigned rate; /* bytes a second, 0: any */
	uint64_t carried; /* the line is busy until then */
#ifdef PTYRUN_NO_VTERM
	char *plain;
	size_t plain_size;
	int escape; /* state: 0 text, 1 after ESC, 2 in CSI */
#else
	VTerm *vterm;
	VTermScreen *screen;
#endif
};

struct window {
	uint64_t start, bytes, cpu;
};

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* --- the screen --- */

#ifdef PTYRUN_NO_VTERM
static void screen_open(struct pty *p)
{
	p->plain = calloc(1, 1);
}

static void screen_write(struct pty *p, const char *data, size_t n)
{
	p->plain = realloc(p->plain, p->plain_size + n + 1);
	if (!p->plain)
		err(1, "realloc");
	for (size_t i = 0; i < n; i++) {
		if (data[i] == '\033')
			p->escape = 1;
		else if (p->escape == 1)
			p->escape = data[i] == '[' ? 2 : 0;
		else if (p->escape == 2)
			p->escape = isalpha((unsigned char)data[i]) ? 0 : 2;
		else
			p->plain[p->plain_size++] = data[i] ? data[i] : ' ';
	}
	p->plain[p->plain_size] = '\0';
}

static bool screen_has(struct pty *p, const char *text)
{
	return strstr(p->plain, text) != NULL;
}

static void screen_forget(struct pty *p)
{
	p->plain_size = 0;
	p->plain[0] = '\0';
}

static void screen_print(struct pty *p)
{
	printf("|%s\n", p->plain);
}

static void screen_row(struct pty *p, int row, char *text, size_t size)
{
	(void)p;
	(void)row;
	(void)size;
	text[0] = '\0'; /* there are no rows */
}

static void screen_resize(struct pty *p)
{
	screen_forget(p);
}

static void screen_selected(struct pty *p, const char *title, char *text, size_t size)
{
	(void)p;
	(void)title;
	(void)size;
	text[0] = '\0'; /* there are no colours to see it by */
}
#else
static void screen_answer(const char *data, size_t n, void *arg)
{
	struct pty *p = arg;

	if (write(p->fd, data, n) < 0 && errno != EIO)
		warn("cannot answer the program");
}

static void screen_open(struct pty *p)
{
	p->vterm = vterm_new(p->rows, p->cols);
	vterm_set_utf8(p->vterm, 1);
	vterm_output_set_callback(p->vterm, screen_answer, p);
	p->screen = vterm_obtain_screen(p->vterm);
	vterm_screen_enable_altscreen(p->screen, 1);
	vterm_screen_reset(p->screen, 1);
}

static void screen_write(struct pty *p, const char *data, size_t n)
{
	vterm_input_write(p->vterm, data, n);
}

/* One row as UTF-8 with trailing blanks cut. */
static void screen_row(struct pty *p, int row, char *text, size_t size)
{
	VTermRect rect = { .start_row = row, .end_row = row + 1, .start_col = 0,
			   .end_col = p->cols };
	size_t n = vterm_screen_get_text(p->screen, text, size - 1, rect);

	while (n && text[n - 1] == ' ')
		n--;
	text[n] = '\0';
}

static bool screen_has(struct pty *p, const char *wanted)
{
	char text[SCREEN_COLS_MAX * 6];

	for (int row = 0; row < p->rows; row++) {
		screen_row(p, row, text, sizeof(text));
		if (strstr(text, wanted))
			return true;
	}
	return false;
}

static void screen_forget(struct pty *p)
{
	(void)p; /* the screen is what it is */
}

static void screen_print(struct pty *p)
{
	char text[SCREEN_COLS_MAX * 6];

	for (int row = 0; row < p->rows; row++) {
		screen_row(p, row, text, sizeof(text));
		printf("|%s\n", text);
	}
}

static void screen_resize(struct pty *p)
{
	vterm_set_size(p->vterm, p->rows, p->cols);
}

/* Cells before `at`: each character takes one. */
static int column_of(const char *row, const char *at)
{
	int col = 0;

	for (; row < at; row++)
		col += ((unsigned char)*row & 0xc0) != 0x80;
	return col;
}

static bool cell_marked(struct pty *p, int row, int col)
{
	VTermScreenCell cell;

	return vterm_screen_get_cell(p->screen, (VTermPos){ .row = row, .col = col }, &cell) &&
	       (cell.attrs.reverse || !VTERM_COLOR_IS_DEFAULT_BG(&cell.bg));
}

/* The row that has the selection's colour from side to side, from the column on that has this title; "": there is none. */
static void screen_selected(struct pty *p, const char *title, char *text, size_t size)
{
	char row[SCREEN_COLS_MAX * 6];
	const char *at = NULL;
	int y = 0, col = 0;

	text[0] = '\0';
	for (; y < p->rows && !at; y++) {
		screen_row(p, y, row, sizeof(row));
		at = strstr(row, title);
		col = at ? column_of(row, at) : 0;
	}
	for (; at && y < p->rows; y++)
		if (cell_marked(p, y, 2) && cell_marked(p, y, p->cols / 2) && cell_marked(p, y, p->cols - 3)) {
			VTermRect rect = { .start_row = y, .end_row = y + 1, .start_col = col, .end_col = p->cols };
			size_t n = vterm_screen_get_text(p->screen, text, size - 1, rect);

			text[n] = '\0';
			return;
		}
}
#endif

/* --- the program --- */

static void pty_spawn(struct pty *p, char **argv)
{
	struct winsize size = { .ws_row = (unsigned short)p->rows,
				.ws_col = (unsigned short)p->cols };

	p->started = p->poked = now_ns();
	p->pid = forkpty(&p->fd, NULL, NULL, &size);
	if (p->pid < 0)
		err(1, "forkpty");
	if (p->pid == 0) {
		if (!getenv("TERM") || !strcmp(getenv("TERM"), "dumb"))
			setenv("TERM", "xterm-256color", 1);
		execvp(argv[0], argv);
		err(127, "%s", argv[0]);
	}
	fcntl(p->fd, F_SETFD, FD_CLOEXEC);
}

static void pty_reap(struct pty *p)
{
	if (!p->ended && wait4(p->pid, &p->status, WNOHANG, &p->usage) == p->pid) {
		p->ended = true;
		p->exited = now_ns();
	}
}

/* Read what there is, waiting at most so long; false when nothing came. */
static bool pty_read(struct pty *p, int wait_ms)
{
	struct pollfd pfd = { .fd = p->fd, .events = POLLIN };
	char data[65536];
	ssize_t n;

	if (p->rate && p->carried > now_ns()) {
		uint64_t rest = (p->carried - now_ns()) / 1000000 + 1;

		poll(NULL, 0, rest < (uint64_t)wait_ms ? (int)rest : wait_ms);
		if (p->carried > now_ns())
			return false;
	}
	if (poll(&pfd, 1, wait_ms) <= 0)
		return false;
	n = read(p->fd, data, p->rate ? p->rate / 50 + 1 : sizeof(data));
	if (p->rate && n > 0)
		p->carried = now_ns() + (uint64_t)n * 1000000000u / p->rate;
	if (n <= 0) {
		/* EIO: the other side is closed; do not spin on it */
		poll(NULL, 0, 1);
		return false;
	}
	p->bytes += (uint64_t)n;
	if (p->log)
		fwrite(data, 1, (size_t)n, p->log);
	screen_write(p, data, (size_t)n);
	return true;
}

static void pty_close(struct pty *p)
{
	if (!p->ended) {
		kill(p->pid, SIGKILL);
		waitpid(p->pid, NULL, 0);
	}
	if (p->log)
		fclose(p->log);
}

/* --- what it uses --- */

/* Run time of all live threads; the kernel keeps it to the nanosecond. */
static uint64_t task_cpu_ns(pid_t pid)
{
	uint64_t sum = 0, ns;
	struct dirent *d;
	char path[320];
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	dir = opendir(path);
	if (!dir)
		return 0;
	while ((d = readdir(dir))) {
		FILE *f;

		snprintf(path, sizeof(path), "/proc/%d/task/%s/schedstat", (int)pid, d->d_name);
		f = isdigit((unsigned char)d->d_name[0]) ? fopen(path, "r") : NULL;
		if (!f)
			continue;
		if (fscanf(f, "%" SCNu64, &ns) == 1)
			sum += ns;
		fclose(f);
	}
	closedir(dir);
	return sum;
}

/* Of the program's first thread: how long it ran, and how long it would have. */
static void thread_times(pid_t pid, uint64_t *ran, uint64_t *waited)
{
	char path[64];
	FILE *f;

	*ran = *waited = 0;
	snprintf(path, sizeof(path), "/proc/%d/task/%d/schedstat", (int)pid, (int)pid);
	f = fopen(path, "r");
	if (!f)
		return;
	if (fscanf(f, "%" SCNu64 " %" SCNu64, ran, waited) != 2)
		*ran = *waited = 0;
	fclose(f);
}

static long status_kb(pid_t pid, const char *name)
{
	char path[64], line[256];
	long kb = -1;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	f = fopen(path, "r");
	if (!f)
		return -1;
	while (kb < 0 && fgets(line, sizeof(line), f))
		if (!strncmp(line, name, strlen(name)))
			kb = strtol(line + strlen(name), NULL, 10);
	fclose(f);
	return kb;
}

/* --- the steps; each 0 or 1 --- */

static int step_until(struct pty *p, const char *args, bool present)
{
	char *text;
	double seconds = strtod(args, &text);
	uint64_t deadline = now_ns() + (uint64_t)(seconds * 1e9);

	text += *text == ' ';
	while (screen_has(p, text) != present) {
		pty_reap(p);
		if (now_ns() > deadline || (p->ended && !pty_read(p, 0))) {
			fprintf(stderr, "ptyrun: \"%s\" %s\n", text,
				p->ended ? "never came: the program ended" : "took too long");
			screen_print(p);
			return 1;
		}
		pty_read(p, 5);
	}
	printf("%s_ms=%.1f\n", present ? "expect" : "gone", (double)(now_ns() - p->started) / 1e6);
	return 0;
}

static int step_expect(struct pty *p, struct window *w, const char *args)
{
	(void)w;
	return step_until(p, args, true);
}

static int step_gone(struct pty *p, struct window *w, const char *args)
{
	(void)w;
	return step_until(p, args, false);
}

static int step_pump(struct pty *p, struct window *w, const char *args)
{
	uint64_t deadline = now_ns() + (uint64_t)(strtod(args, NULL) * 1e9);

	(void)w;
	for (uint64_t now = now_ns(); now < deadline; now = now_ns())
		pty_read(p, (int)((deadline - now) / 1000000) + 1);
	return 0;
}

static int step_begin(struct pty *p, struct window *w, const char *args)
{
	(void)args;
	w->start = now_ns();
	w->bytes = p->bytes;
	w->cpu = task_cpu_ns(p->pid);
	return 0;
}

static int step_end(struct pty *p, struct window *w, const char *args)
{
	(void)args;
	printf("bytes=%" PRIu64 " seconds=%.6f cpu_ns=%" PRIu64 " rss_kb=%ld hwm_kb=%ld\n",
	       p->bytes - w->bytes, (double)(now_ns() - w->start) / 1e9,
	       task_cpu_ns(p->pid) - w->cpu, status_kb(p->pid, "VmRSS:"),
	       status_kb(p->pid, "VmHWM:"));
	return 0;
}

static int step_run(struct pty *p, struct window *w, const char *args)
{
	pid_t pid;
	int status;

	(void)w;
	fflush(NULL);
	pid = fork();
	if (pid < 0)
		err(1, "fork");
	if (pid == 0) {
		int in = open("/dev/null", O_RDONLY);

		dup2(in, STDIN_FILENO);
		execl("/bin/sh", "sh", "-c", args, (char *)NULL);
		err(127, "sh");
	}
	while (waitpid(pid, &status, WNOHANG) == 0)
		pty_read(p, 5);
	if (status)
		fprintf(stderr, "ptyrun: status %#x of: %s\n", (unsigned)status, args);
	return status != 0;
}

/* The text up to its end or, where a blank ends it, to that; where it ended. */
static const char *type_keys(struct pty *p, const char *text, bool word)
{
	static const char names[] = "ents\\", codes[] = "\033\n\t \\";
	char keys[256];
	size_t n = 0;

	for (; *text && !(word && *text == ' ') && n < sizeof(keys); text++) {
		const char *name = *text == '\\' && text[1] ? strchr(names, text[1]) : NULL;

		keys[n++] = name ? codes[name - names] : *text;
		text += name != NULL;
	}
	screen_forget(p);
	p->poked = now_ns();
	if (write(p->fd, keys, n) != (ssize_t)n)
		fprintf(stderr, "ptyrun: cannot type: %s\n", strerror(errno));
	return text;
}

static int step_key(struct pty *p, struct window *w, const char *args)
{
	(void)w;
	type_keys(p, args, false);
	return 0;
}

/* Has what is wanted come about?  `was`: what was selected when the keys were typed. */
static bool answered(struct pty *p, const char *want, const char *was)
{
	char now[SCREEN_COLS_MAX * 6];

	if (*want == '+' || *want == '-')
		return screen_has(p, want + 1) == (*want == '+');
	screen_selected(p, want + 1, now, sizeof(now));
	return now[0] && strcmp(now, was) != 0;
}

static int step_press(struct pty *p, struct window *w, const char *args)
{
	char *keys, was[SCREEN_COLS_MAX * 6];
	double seconds = strtod(args, &keys);
	uint64_t cpu, waited, deadline = now_ns() + (uint64_t)(seconds * 1e9), cpu_was, waited_was;
	const char *want = strchr(keys + 1, ' ');

	(void)w;
	if (*keys != ' ' || !want || !strchr("+-=", want[1])) {
		fprintf(stderr, "ptyrun: press SEC TEXT +TEXT, -TEXT or =TITLE\n");
		return 1;
	}
	want++;
	while (pty_read(p, 0)) /* what is shown now */
		;
	screen_selected(p, want + 1, was, sizeof(was));
	if (answered(p, want, was)) {
		fprintf(stderr, "ptyrun: \"%s\" is so before the key\n", want);
		screen_print(p);
		return 1;
	}
	thread_times(p->pid, &cpu_was, &waited_was);
	type_keys(p, keys + 1, true);
	while (!answered(p, want, was)) {
		pty_reap(p);
		if (now_ns() > deadline || (p->ended && !pty_read(p, 0))) {
			fprintf(stderr, "ptyrun: no answer to%.*s: \"%s\"\n", (int)(want - keys - 1), keys, want);
			screen_print(p);
			return 1;
		}
		pty_read(p, 5);
	}
	thread_times(p->pid, &cpu, &waited);
	printf("key_ms=%.2f waited_ms=%.2f cpu_ms=%.2f\n", (double)(now_ns() - p->poked) / 1e6, (double)(waited - waited_was) / 1e6,
	       (double)(cpu - cpu_was) / 1e6);
	return 0;
}

/* Seconds of the day that the last HH:MM:SS of the text says; -1: there is none. */
static long clock_of(const char *text)
{
	long found = -1;

	for (; *text; text++) {
		unsigned h, m, s;
		int n = 0;

		if (sscanf(text, "%2u:%2u:%2u%n", &h, &m, &s, &n) == 3 && n == 8)
			found = h * 3600L + m * 60L + s;
	}
	return found;
}

static int step_lag(struct pty *p, struct window *w, const char *args)
{
	char row[SCREEN_COLS_MAX * 6];
	time_t now = time(NULL);
	struct tm tm;
	long shown;

	(void)w;
	(void)args;
	while (pty_read(p, 0)) /* it reads what is shown now */
		;
	screen_row(p, 0, row, sizeof(row));
	shown = clock_of(row);
	if (shown < 0 || !localtime_r(&now, &tm)) {
		fprintf(stderr, "ptyrun: the first row ends with no clock: %s\n", row);
		return 1;
	}
	printf("lag_s=%ld\n", (tm.tm_hour * 3600L + tm.tm_min * 60L + tm.tm_sec - shown + 86400) % 86400);
	return 0;
}

static int step_size(struct pty *p, struct window *w, const char *args)
{
	struct winsize size = { .ws_row = 0 };
	int rows, cols;

	(void)w;
	if (sscanf(args, "%d %d", &rows, &cols) != 2 || rows < 1 || cols < 1 ||
	    cols > SCREEN_COLS_MAX)
		return 1;
	p->rows = rows;
	p->cols = cols;
	size.ws_row = (unsigned short)rows;
	size.ws_col = (unsigned short)cols;
	screen_resize(p);
	return ioctl(p->fd, TIOCSWINSZ, &size) ? 1 : 0;
}

static int step_signal(struct pty *p, struct window *w, const char *args)
{
	(void)w;
	p->poked = now_ns();
	return kill(p->pid, atoi(args)) ? 1 : 0;
}

static int step_exit(struct pty *p, struct window *w, const char *args)
{
	uint64_t deadline = now_ns() + (uint64_t)(strtod(args, NULL) * 1e9);

	(void)w;
	while (!p->ended && now_ns() < deadline) {
		pty_read(p, 1);
		pty_reap(p);
	}
	while (pty_read(p, 0))
		;
	if (!p->ended) {
		fprintf(stderr, "ptyrun: the program did not end\n");
		screen_print(p);
		return 1;
	}
	printf("exit_ms=%.1f status=%d max_kb=%ld total_cpu_us=%ld\n",
	       (double)(p->exited - p->poked) / 1e6,
	       WIFEXITED(p->status) ? WEXITSTATUS(p->status) : 128 + WTERMSIG(p->status),
	       p->usage.ru_maxrss,
	       (p->usage.ru_utime.tv_sec + p->usage.ru_stime.tv_sec) * 1000000 +
		       p->usage.ru_utime.tv_usec + p->usage.ru_stime.tv_usec);
	return 0;
}

static int step_screen(struct pty *p, struct window *w, const char *args)
{
	(void)w;
	(void)args;
	screen_print(p);
	return 0;
}

static const struct step {
	const char *name;
	int (*run)(struct pty *p, struct window *w, const char *args);
} steps[] = {
	{ "expect", step_expect }, { "gone", step_gone },     { "pump", step_pump },
	{ "begin", step_begin },   { "end", step_end },	      { "run", step_run },
	{ "key", step_key },	   { "size", step_size },     { "signal", step_signal },
	{ "exit", step_exit },	   { "screen", step_screen }, { "press", step_press },
	{ "lag", step_lag },
};

static int script_line(struct pty *p, struct window *w, char *line)
{
	size_t n = strcspn(line, " ");
	char *args = line + n + (line[n] == ' ');

	if (!*line || *line == '#')
		return 0;
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		if (strlen(steps[i].name) == n && !strncmp(steps[i].name, line, n)) {
			int result = steps[i].run(p, w, args);

			fflush(stdout);
			return result;
		}
	}
	fprintf(stderr, "ptyrun: unknown step: %s\n", line);
	return 1;
}

/* The whole script is read before the program starts: a slow writer must not count as its time. */
static char **script_read(FILE *in)
{
	size_t n = 0, size = 0;
	char **lines = calloc(1, sizeof(*lines)), *line = NULL;

	while (lines && getline(&line, &size, in) > 0) {
		line[strcspn(line, "\n")] = '\0';
		lines[n++] = strdup(line);
		lines = realloc(lines, (n + 1) * sizeof(*lines));
		if (lines)
			lines[n] = NULL;
	}
	free(line);
	if (!lines)
		err(1, "script");
	return lines;
}

int main(int argc, char **argv)
{
	struct pty p = { .rows = 24, .cols = 80 };
	struct window w = { .start = 0 };
	char **lines;
	int opt, failed = 0;

	while ((opt = getopt(argc, argv, "+r:c:b:o:")) != -1) {
		if (opt == 'r')
			p.rows = atoi(optarg);
		else if (opt == 'c')
			p.cols = atoi(optarg);
		else if (opt == 'b')
			p.rate = (unsigned)atoi(optarg);
		else if (opt == 'o')
			p.log = fopen(optarg, "w");
		else
			return 2;
	}
	if (optind == argc || p.rows < 1 || p.cols < 1 || p.cols > SCREEN_COLS_MAX)
		errx(2, "usage: ptyrun [-r ROWS] [-c COLS] [-b BYTES] [-o LOG] -- PROGRAM [ARG...] <SCRIPT");
	lines = script_read(stdin);
	screen_open(&p);
	pty_spawn(&p, argv + optind);
	for (char **line = lines; *line && !failed; line++)
		failed = script_line(&p, &w, *line);
	pty_close(&p);
	return failed;
}
