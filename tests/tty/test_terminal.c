/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The screens on a real terminal line: a child runs ui_run on a pty, libvterm is the terminal,
 * keys go in, screen text comes out.  Waits are for what the screen shows, never for a time.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>
#include <vterm.h>

#include "base/clock.h"
#include "model/core/model.h"
#include "tests/tty/paced.h"
#include "ui/term/terminal.h"
#include "ui/app/ui.h"

#define CUT_NS (60 * NSEC_PER_MSEC)
#define PATIENCE_NS (20 * NSEC_PER_SEC)

struct tty {
	pid_t pid;
	int master, slave;
	VTerm *vt;
	VTermScreen *screen;
	uint64_t bytes;
	int tick;      /* of a slow line: timerfd, 0: it is as fast as can be */
	size_t a_tick; /* bytes that it carries */
	bool cut;      /* half a sequence is typed: what the terminal answers stands behind it */
	bool alternate, cursor, hung_up, coloured, mouse;
	int status;
	char text[100000];
	char clip[65536]; /* what came of OSC 52, from its ESC on */
	size_t nclip;
};

/* --- the child --------------------------------------------------------------------------- */

struct child {
	struct synth_config config;
	struct ui_options options;
	const char *term, *no_color, *locale, *clicolor, *force;
};

static const int crash_signals[] = {SIGSEGV, SIGABRT, SIGBUS};

static void child_run(const struct child *c)
{
	struct session *s;
	struct model *m;
	struct err err = {0};
	int ret;

	setenv("TERM", c->term ? c->term : "xterm-256color", 1);
	setenv("LC_ALL", c->locale ? c->locale : "C.UTF-8", 1);
	unsetenv("NO_COLOR");
	setenv("XDG_CONFIG_HOME", "/dev/null", 1);
	if (c->no_color)
		setenv("NO_COLOR", c->no_color, 1);
	unsetenv("CLICOLOR");
	unsetenv("CLICOLOR_FORCE");
	if (c->clicolor)
		setenv("CLICOLOR", c->clicolor, 1);
	if (c->force)
		setenv("CLICOLOR_FORCE", c->force, 1);
	prctl(PR_SET_DUMPABLE, 0); /* no cores */
	/* cmocka's handlers would go on with the tests in the child. */
	for (size_t i = 0; i < sizeof(crash_signals) / sizeof(crash_signals[0]); i++)
		signal(crash_signals[i], SIG_DFL);
	unsetenv("LINES");
	unsetenv("COLUMNS");
	s = paced_session_create(&c->config);
	m = s ? model_create(&s->info, MODEL_BUDGET) : NULL;
	if (!m)
		_exit(99);
	ret = ui_run(s, m, &c->options, &err);
	if (ret)
		printf("error: %s\n", err.text);
	fflush(stdout);
	model_free(m);
	session_close(s);
	_exit(ret ? 1 : 0);
}

/* --- the terminal ------------------------------------------------------------------------ */

static int on_property(VTermProp prop, VTermValue *value, void *user)
{
	struct tty *t = user;

	if (prop == VTERM_PROP_ALTSCREEN)
		t->alternate = value->boolean;
	if (prop == VTERM_PROP_CURSORVISIBLE)
		t->cursor = value->boolean;
	return 1;
}

static const VTermScreenCallbacks callbacks = {.settermprop = on_property};

static void tty_open(struct tty *t, const struct child *c, int rows, int cols)
{
	struct winsize ws = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)cols};
	char name[64];

	memset(t, 0, sizeof(*t));
	t->cursor = true;
	t->vt = vterm_new(rows, cols);
	vterm_set_utf8(t->vt, 1);
	t->screen = vterm_obtain_screen(t->vt);
	vterm_screen_enable_altscreen(t->screen, 1);
	vterm_screen_set_callbacks(t->screen, &callbacks, t);
	vterm_screen_reset(t->screen, 1);
	t->pid = forkpty(&t->master, name, NULL, &ws);
	assert_true(t->pid >= 0);
	if (!t->pid)
		child_run(c);
	/* Held open, so that the line's settings can be asked for after the child's end. */
	t->slave = open(name, O_RDWR | O_NOCTTY);
	assert_true(t->slave >= 0);
}

static void tty_close(struct tty *t)
{
	if (t->pid > 0) {
		kill(t->pid, SIGKILL);
		waitpid(t->pid, NULL, 0);
	}
	close(t->master);
	close(t->slave);
	vterm_free(t->vt);
	if (t->tick > 0)
		close(t->tick);
}

/* Keep an OSC 52, which may come in pieces, up to its BEL. */
static void tty_clip(struct tty *t, const char *buf, size_t n)
{
	const char *begin = t->nclip ? buf : memmem(buf, n, "\x1b]52;c;", 7);
	size_t len = begin ? n - (size_t)(begin - buf) : 0, room = sizeof(t->clip) - 1 - t->nclip;

	if (t->nclip && t->clip[t->nclip - 1] == '\a')
		return;
	for (size_t i = 0; i < len && i < room && (!t->nclip || t->clip[t->nclip - 1] != '\a'); i++)
		t->clip[t->nclip++] = begin[i];
}

/* From now on the line carries so much, and what is written to it stands in the kernel meanwhile. */
static void tty_slow(struct tty *t, size_t bytes_per_s)
{
	struct itimerspec every = {.it_interval = {0, 100000000}, .it_value = {0, 100000000}};

	t->tick = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	assert_true(t->tick > 0);
	t->a_tick = bytes_per_s / 10;
	assert_int_equal(timerfd_settime(t->tick, 0, &every, NULL), 0);
}

static void tty_reply(struct tty *t)
{
	char reply[1024];
	size_t r = t->cut ? 0 : vterm_output_read(t->vt, reply, sizeof(reply));

	while (r && write(t->master, reply, r) < 0 && errno == EINTR)
		;
}

/* Take what came; false: nothing within `ms`. */
static bool tty_read(struct tty *t, int ms)
{
	struct pollfd p = {.fd = t->master, .events = POLLIN};
	char buf[65536];
	uint64_t ticks;
	ssize_t n;

	/* What was late is not made up for: the line is never faster. */
	if (t->tick > 0 && read(t->tick, &ticks, sizeof(ticks)) != sizeof(ticks))
		return false;
	if (poll(&p, 1, t->tick > 0 ? 0 : ms) <= 0)
		return false;
	n = read(t->master, buf, t->tick > 0 ? t->a_tick : sizeof(buf));
	if (n <= 0) {
		t->hung_up = true;
		return false;
	}
	t->bytes += (uint64_t)n;
	for (ssize_t i = 0; i + 3 < n; i++) /* 39 and 49 are the terminal's own colours */
		t->coloured |= buf[i] == 0x1b && buf[i + 1] == '[' &&
			       (buf[i + 2] == '3' || buf[i + 2] == '4') && buf[i + 3] >= '0' &&
			       buf[i + 3] <= '7';
	t->mouse |= memmem(buf, (size_t)n, "1000h", 5) != NULL;
	tty_clip(t, buf, (size_t)n);
	vterm_input_write(t->vt, buf, (size_t)n);
	tty_reply(t);
	return true;
}

static const char *tty_text(struct tty *t)
{
	int rows, cols;
	size_t n = 0;

	vterm_get_size(t->vt, &rows, &cols);
	for (int y = 0; y < rows; y++) {
		VTermRect r = {y, y + 1, 0, cols};

		n += vterm_screen_get_text(t->screen, t->text + n, sizeof(t->text) - n - 2, r);
		t->text[n++] = '\n';
	}
	t->text[n] = '\0';
	return t->text;
}

static void tty_wait(struct tty *t, const char *want)
{
	uint64_t end = clock_ns() + PATIENCE_NS;

	while (!strstr(tty_text(t), want)) {
		if (clock_ns() > end || t->hung_up)
			fail_msg("'%s' never came; the screen is\n%s", want, tty_text(t));
		tty_read(t, 100);
	}
}

static void tty_keys(struct tty *t, const char *keys)
{
	assert_int_equal(write(t->master, keys, strlen(keys)), strlen(keys));
}

static void tty_size(struct tty *t, int rows, int cols)
{
	struct winsize ws = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)cols};

	vterm_set_size(t->vt, rows, cols);
	assert_int_equal(ioctl(t->master, TIOCSWINSZ, &ws), 0);
}

/* Wait for the child; *ms tells how long it took. */
static int tty_end(struct tty *t, double *ms)
{
	uint64_t begin = clock_ns();

	while (waitpid(t->pid, &t->status, WNOHANG) == 0) {
		if (clock_ns() > begin + PATIENCE_NS)
			fail_msg("the screens did not end; they show\n%s", tty_text(t));
		tty_read(t, 5);
	}
	if (ms)
		*ms = (double)(clock_ns() - begin) / 1e6;
	while (tty_read(t, 0))
		;
	t->pid = 0;
	return t->status;
}

static void check_restored(struct tty *t)
{
	struct termios now;

	char marks[32];

	assert_false(t->alternate);
	assert_true(t->cursor);
	vterm_keyboard_start_paste(t->vt);
	assert_int_equal(vterm_output_read(t->vt, marks, sizeof(marks)), 0);
	assert_int_equal(tcgetattr(t->slave, &now), 0);
	assert_true(now.c_lflag & ICANON);
	assert_true(now.c_lflag & ECHO);
	assert_true(now.c_oflag & OPOST);
	assert_true(now.c_iflag & ICRNL);
}

/* --- tests ------------------------------------------------------------------------------- */

static struct tty tty;

static int teardown(void **state)
{
	(void)state;
	if (tty.vt)
		tty_close(&tty);
	memset(&tty, 0, sizeof(tty));
	return 0;
}

static void test_first_screen_and_quit(void **state)
{
	struct child c = {.config = {.callchains = true}};
	double ms;

	(void)state;
	tty_open(&tty, &c, 24, 80);
	tty_wait(&tty, "compress_block");
	assert_true(tty.alternate);
	assert_false(tty.cursor);
	tty_keys(&tty, "q");
	assert_int_equal(tty_end(&tty, &ms), 0);
	print_message("q to the end: %.1f ms\n", ms);
	check_restored(&tty);
}

static void test_keys(void **state)
{
	struct child c = {.config = {.losses = true, .functions = 30}};

	(void)state;
	tty_open(&tty, &c, 24, 80);
	tty_wait(&tty, "compress_block");
	tty_keys(&tty, "2");
	tty_wait(&tty, "SHARE%");
	tty_keys(&tty, "6");
	tty_wait(&tty, "Loss since");
	tty_keys(&tty, "\t");
	tty_wait(&tty, "no AUX event is open");
	tty_keys(&tty, "\t");
	tty_wait(&tty, "events of perf stat");
	tty_keys(&tty, "\t");
	tty_wait(&tty, "no record yet");
	tty_keys(&tty, "\t");
	tty_wait(&tty, "FUNCTION");
	tty_keys(&tty, "\x1bOP"); /* F1 */
	tty_wait(&tty, "Columns of Functions");
	tty_keys(&tty, "\x1b");
	tty_wait(&tty, "FUNCTION");
	tty_keys(&tty, "fgzip\r");
	tty_wait(&tty, "filter: gzip");
	tty_keys(&tty, "\x1b[B\r"); /* Down, Enter */
	tty_wait(&tty, "details");
	tty_keys(&tty, "\x7f"); /* Backspace */
	tty_keys(&tty, "/zzz\r");
	tty_wait(&tty, "no row matches 'zzz'");
	tty_keys(&tty, ":quit\r");
	assert_int_equal(tty_end(&tty, NULL), 0);
	check_restored(&tty);
}

static size_t decoded(const char *text, size_t len, char *to)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	uint32_t bits = 0;
	size_t n = 0;

	for (size_t i = 0; i < len && text[i] != '='; i++) {
		const char *digit = strchr(digits, text[i]);

		assert_non_null(digit);
		bits = bits << 6 | (uint32_t)(digit - digits);
		if (i % 4)
			to[n++] = (char)(bits >> (6 - 2 * (i % 4)));
	}
	to[n] = '\0';
	return n;
}

/* The clipboard gets the rows as they stand, below their columns' names; a terminal that has none gets no bytes. */
static void test_copy(void **state)
{
	struct child c = {.config = {.functions = 30}}, console = c;
	char text[sizeof(tty.clip)];

	(void)state;
	tty_open(&tty, &c, 24, 80);
	tty_wait(&tty, "compress_block");
	tty_keys(&tty, " y");
	tty_wait(&tty, "rows sent to the terminal's clipboard");
	assert_memory_equal(tty.clip, "\x1b]52;c;", 7);
	assert_int_equal(tty.clip[tty.nclip - 1], '\a');
	decoded(tty.clip + 7, tty.nclip - 8, text);
	assert_non_null(strstr(text, "FUNCTION"));
	assert_non_null(strstr(text, "compress_block"));
	assert_null(strstr(text, "Help"));
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		assert_non_null(strstr(tty_text(&tty), line));
	tty_keys(&tty, "q");
	assert_int_equal(tty_end(&tty, NULL), 0);
	teardown(NULL);
	console.term = "linux";
	tty_open(&tty, &console, 24, 80);
	tty_wait(&tty, "compress_block");
	tty_keys(&tty, "y");
	tty_wait(&tty, "linux has no clipboard for programs");
	assert_int_equal(tty.nclip, 0);
	tty_keys(&tty, "q");
	assert_int_equal(tty_end(&tty, NULL), 0);
}

/* Text as the terminal would send it, if it was asked to say so: within the marks of a paste. */
static void tty_paste(struct tty *t, const char *text)
{
	char marks[32];

	vterm_keyboard_start_paste(t->vt);
	assert_true(vterm_output_read(t->vt, marks, sizeof(marks)) > 0);
	tty_keys(t, "\x1b[200~");
	tty_keys(t, text);
	tty_keys(t, "\x1b[201~");
}

/* A line that cuts: the rest comes when the first was read, and longer away than an Esc may be the start of a key. */
static void tty_cut(struct tty *t, const char *first, const char *rest)
{
	uint64_t end = clock_ns() + PATIENCE_NS;
	int left = 1;

	t->cut = true;
	tty_keys(t, first);
	while (left && clock_ns() < end) {
		assert_int_equal(ioctl(t->slave, FIONREAD, &left), 0);
		tty_read(t, 1);
	}
	for (end = clock_ns() + CUT_NS; clock_ns() < end;)
		tty_read(t, 10);
	tty_keys(t, rest);
	t->cut = false;
	tty_reply(t);
}

/* What terminfo has no name for is no key, and a paste is no keys at all. */
static void test_no_keys(void **state)
{
	static const char *const terms[] = {"xterm-256color", "screen", "linux", "vt100"};

	(void)state;
	for (size_t i = 0; i < sizeof(terms) / sizeof(terms[0]); i++) {
		struct child c = {.config = {.callchains = true}, .term = terms[i]};

		tty_open(&tty, &c, 24, 80);
		tty_wait(&tty, "compress_block");
		tty_keys(&tty, "fgzip\r");
		tty_wait(&tty, "filter: gzip");
		/* Focus, answers, Ctrl-Up, another mouse's: each would drop the filter, or quit. */
		tty_keys(&tty, "\x1b[I\x1b[O\x1b[?62;q\x1b[1;5A\x1b[99;8q\x1bO2q\x1b]0;q\a\x1b[<35;9;9M");
		tty_cut(&tty, "\x1b[1", ";5q");
		tty_cut(&tty, "\x1b]11;rgb:1e1e/", "1q1e/1e1e\x1b\\");
		tty_keys(&tty, "\xc2\x9b" "5q\xc2\x9d" "11;quit\xc2\x9c\x1b[1\x1b[I");
		tty_paste(&tty, "quit\r:quit\rq\x1bz\x1b[Az");
		tty_wait(&tty, "pasted text is ignored");
		assert_non_null(strstr(tty_text(&tty), "filter: gzip"));
		tty_keys(&tty, "f\x15"); /* Ctrl-U */
		tty_paste(&tty, "com\rp\t\x7f");
		tty_wait(&tty, "filter: comp");
		tty_keys(&tty, "\r\x1b[B\x1b[A\x1bOB\x1bOA2"); /* both forms of the arrows */
		tty_wait(&tty, "SHARE%");
		assert_non_null(strstr(tty_text(&tty), "filter: comp"));
		tty_keys(&tty, "\x1b[<0;2;4M\x1b[<0;2;4m"); /* on the tab of Functions, which is but "1" beside a filter */
		tty_wait(&tty, "FUNCTION");
		tty_keys(&tty, "q");
		assert_int_equal(tty_end(&tty, NULL), 0);
		check_restored(&tty);
		teardown(NULL);
	}
}

/* What was said before the screen came is behind it. */
static void test_notice(void **state)
{
	struct child c = {.config = {.callchains = true}, .options = {.notice = "config:1: unknown setting f\x1boo"}};

	(void)state;
	tty_open(&tty, &c, 24, 80);
	tty_wait(&tty, "config:1: unknown setting f");
	assert_null(strstr(tty_text(&tty), "\x1b"));
	tty_keys(&tty, "q");
	assert_int_equal(tty_end(&tty, NULL), 0);
}

static void test_mouse(void **state)
{
	struct child c = {.config = {.callchains = true}};

	(void)state;
	tty_open(&tty, &c, 24, 80);
	tty_wait(&tty, "compress_block");
	tty_keys(&tty, "\x1b[<0;16;4M\x1b[<0;16;4m"); /* on the tab "2 Tasks" */
	tty_wait(&tty, "SHARE%");
	tty_keys(&tty, "\x1b[<0;3;4M\x1b[<0;3;4m");
	tty_wait(&tty, "FUNCTION");
	assert_true(tty.mouse);
}

/* It is not asked for; a report that comes all the same does nothing. */
static void test_no_mouse(void **state)
{
	struct child c = {.config = {.callchains = true}, .options = {.show.no_mouse = true}};

	(void)state;
	tty_open(&tty, &c, 24, 80);
	tty_wait(&tty, "compress_block");
	assert_false(tty.mouse);
	tty_keys(&tty, "\x1b[<0;16;4M\x1b[<0;16;4m"); /* on the tab "2 Tasks" */
	tty_keys(&tty, "3");
	tty_wait(&tty, "CALL");
	assert_false(tty.mouse);
	tty_keys(&tty, "M");
	tty_wait(&tty, "the mouse selects rows");
	assert_true(tty.mouse);
	tty_keys(&tty, "\x1b[<0;16;4M\x1b[<0;16;4m");
	tty_wait(&tty, "SHARE%");
	tty_keys(&tty, "M");
	tty_wait(&tty, "the terminal has the mouse");
	tty_keys(&tty, "\x1b[<0;3;4M\x1b[<0;3;4m"); /* on the tab "1 Functions" */
	tty_keys(&tty, "4");
	tty_wait(&tty, "compress_block");
	assert_null(strstr(tty_text(&tty), "FUNCTION"));
	tty_keys(&tty, "q");
	assert_int_equal(tty_end(&tty, NULL), 0);
	check_restored(&tty);
}

/* What the command line says counts before the environment, NO_COLOR before CLICOLOR_FORCE. */
static void test_colours(void **state)
{
	static const struct {
		const char *term, *no_color, *clicolor, *force;
		bool always, never, colours;
	} cases[] = {
		{.colours = true},
		{.never = true},
		{.force = "1", .never = true},
		{.no_color = "", .colours = true},
		{.no_color = "1"},
		{.no_color = "1", .always = true, .colours = true},
		{.no_color = "1", .force = "1"},
		{.clicolor = "0"},
		{.clicolor = "1", .colours = true},
		{.clicolor = "0", .force = "1", .colours = true},
		{.clicolor = "0", .force = "0"},
		{.clicolor = "0", .always = true, .colours = true},
		{.term = "vt100", .always = true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct child c = {.term = cases[i].term, .no_color = cases[i].no_color, .clicolor = cases[i].clicolor,
				  .force = cases[i].force,
				  .options = {.show.colour = cases[i].always, .show.mono = cases[i].never}};

		tty_open(&tty, &c, 24, 80);
		tty_wait(&tty, "do_syscall_64");
		if (tty.coloured != cases[i].colours)
			fail_msg("case %zu: %scolours", i, tty.coloured ? "" : "no ");
		tty_keys(&tty, "q");
		assert_int_equal(tty_end(&tty, NULL), 0);
		check_restored(&tty);
		teardown(NULL);
	}
}

static void test_resize_storm(void **state)
{
	static const int sizes[][2] = {{24, 80}, {1, 1},   {50, 200}, {10, 40},
				       {3, 7},	 {2, 200}, {60, 3}};
	struct child c = {.config = {.functions = 30}};

	(void)state;
	tty_open(&tty, &c, 24, 80);
	tty_wait(&tty, "compress_block");
	for (int round = 0; round < 60; round++) {
		tty_size(&tty, sizes[round % 7][0], sizes[round % 7][1]);
		tty_keys(&tty, round % 3 ? "j" : "2");
		tty_keys(&tty, round % 3 ? "1" : "6");
		tty_read(&tty, 20);
	}
	tty_size(&tty, 24, 80);
	tty_keys(&tty, "1");
	tty_wait(&tty, "F1 Help");
	tty_wait(&tty, "ringtop");
	tty_keys(&tty, "q");
	assert_int_equal(tty_end(&tty, NULL), 0);
	check_restored(&tty);
}

static void test_signals(void **state)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};

	(void)state;
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		struct child c = {.config = {.callchains = true}};

		tty_open(&tty, &c, 24, 80);
		tty_wait(&tty, "compress_block");
		kill(tty.pid, signals[i]);
		assert_int_equal(tty_end(&tty, NULL), 0);
		check_restored(&tty);
		teardown(NULL);
	}
}

/* A crash gives the terminal back first, and then is the crash that it was. */
static void test_crashes(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(crash_signals) / sizeof(crash_signals[0]); i++) {
		struct child c = {.config = {.callchains = true}};

		tty_open(&tty, &c, 24, 80);
		tty_wait(&tty, "compress_block");
		kill(tty.pid, crash_signals[i]);
		tty_end(&tty, NULL);
		/* Sanitizers turn the signal into an exit of theirs. */
		assert_true(WIFSIGNALED(tty.status) ? WTERMSIG(tty.status) == crash_signals[i]
						    : WEXITSTATUS(tty.status) != 0);
		check_restored(&tty);
		teardown(NULL);
	}
}

static void test_stop_and_continue(void **state)
{
	struct child c = {.config = {.callchains = true}};
	uint64_t end;
	int status;

	(void)state;
	tty_open(&tty, &c, 24, 80);
	tty_wait(&tty, "compress_block");
	/* forkpty's child leads an orphaned group, which SIGTSTP does not stop: SIGSTOP does. */
	kill(tty.pid, SIGSTOP);
	assert_int_equal(waitpid(tty.pid, &status, WUNTRACED), tty.pid);
	assert_true(WIFSTOPPED(status));
	while (tty_read(&tty, 0))
		;
	vterm_screen_reset(tty.screen, 1);
	kill(tty.pid, SIGCONT);
	tty_wait(&tty, "compress_block"); /* painted anew */
	kill(tty.pid, SIGTSTP);
	for (end = clock_ns() + PATIENCE_NS; clock_ns() < end && tty.bytes;) {
		uint64_t before = tty.bytes;

		tty_read(&tty, 100);
		if (tty.bytes > before && strstr(tty_text(&tty), "compress_block"))
			break;
	}
	tty_keys(&tty, "q");
	assert_int_equal(tty_end(&tty, NULL), 0);
	check_restored(&tty);
}

static void test_looks(void **state)
{
	static const struct {
		const char *term, *no_color, *locale, *expect;
		bool colours;
	} looks[] = {
		{"xterm-256color", NULL, "C.UTF-8", "●", true},
		{"xterm", NULL, "C.UTF-8", "●", true},
		{"xterm-256color", "1", "C.UTF-8", "●", false},
		{"linux", NULL, "C.UTF-8", "* LIVE", true},
		{"vt100", NULL, "C.UTF-8", "●", false},
		{"xterm-256color", NULL, "C", "* LIVE", true},
		{"vt100", NULL, "POSIX", "* LIVE", false},
		{"screen", NULL, "C.UTF-8", "●", true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(looks) / sizeof(looks[0]); i++) {
		struct child c = {.config = {.hostile = true}, .term = looks[i].term,
				  .no_color = looks[i].no_color, .locale = looks[i].locale};

		tty_open(&tty, &c, 24, 80);
		tty_wait(&tty, "do_syscall_64");
		tty_wait(&tty, looks[i].expect);
		assert_int_equal(tty.coloured, looks[i].colours);
		tty_keys(&tty, "q");
		assert_int_equal(tty_end(&tty, NULL), 0);
		check_restored(&tty);
		teardown(NULL);
	}
}

static void test_terminals_refused(void **state)
{
	static const char *const terms[] = {"dumb", "no-such-terminal", ""};

	(void)state;
	for (size_t i = 0; i < sizeof(terms) / sizeof(terms[0]); i++) {
		struct child c = {.term = terms[i]};

		tty_open(&tty, &c, 24, 80);
		assert_int_equal(WEXITSTATUS(tty_end(&tty, NULL)), 1);
		assert_non_null(strstr(tty_text(&tty), "error:"));
		check_restored(&tty);
		teardown(NULL);
	}
}

/* Nobody reads the line: frames are dropped, keys obeyed, and the end comes soon. */
static void test_slow_terminal(void **state)
{
	struct child c = {.config = {.functions = 300}, .options = {.show.delay = 0.1}};
	uint64_t begin, end = clock_ns() + PATIENCE_NS;

	(void)state;
	tty_open(&tty, &c, 50, 200);
	tty_wait(&tty, "compress_block");
	/* Fill the line: redraws until the child can write no more. */
	for (int i = 0; i < 200; i++)
		tty_keys(&tty, "\x0c");
	for (int i = 0; i < 20; i++)
		tty_keys(&tty, "126");
	tty_keys(&tty, "q");
	begin = clock_ns();
	while (waitpid(tty.pid, &tty.status, WNOHANG) == 0)
		if (clock_ns() > end)
			fail_msg("a line that nobody reads keeps the screens from ending");
	print_message("q on a blocked line: %.1f ms\n", (double)(clock_ns() - begin) / 1e6);
	tty.pid = 0;
	assert_int_equal(tty.status, 0);
}

/* Type it, and wait for what it shows; returns how many bytes the line carried until then. */
static uint64_t tty_answer(struct tty *t, const char *keys, const char *want)
{
	uint64_t before = t->bytes;

	assert_null(strstr(tty_text(t), want));
	tty_keys(t, keys);
	tty_wait(t, want);
	return t->bytes - before;
}

/*
 * A modem's line, always busy with frames, and buffers before it that would hold seconds of them: what a key shows is
 * not behind these.  Told in bytes that the line carried, of which 960 are a second, so that a busy machine tells no tales.
 */
static void test_keys_on_a_slow_line(void **state)
{
	static const struct {
		const char *keys, *want, *away;
	} keys[] = {
		{"2", "SHARE%", "1"}, {"f", "filter: ", "\x1b"}, {"/", "\n/", "\x1b"}, {":", "\n:", "\x1b"},
		{" ", "FROZEN", " "},   {"m", "\nmark: ", "\x1b"},
	};
	struct child c = {.config = {.functions = 60, .callchains = true, .forks = 10}, .options = {.show.delay = 0.2}};
	uint64_t most = 0;

	(void)state;
	tty_open(&tty, &c, 24, 80);
	tty_slow(&tty, 960);
	tty_wait(&tty, "F1 Help");
	/* The sign stands behind the first screen, which goes out before the line is known. */
	tty_answer(&tty, keys[0].keys, keys[0].want);
	tty_keys(&tty, keys[0].away);
	while (strstr(tty_text(&tty), keys[0].want))
		tty_read(&tty, 100);
	for (size_t round = 0; round < 2; round++)
		for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
			uint64_t bytes = tty_answer(&tty, keys[i].keys, keys[i].want);

			most = bytes > most ? bytes : most;
			tty_keys(&tty, keys[i].away);
			while (strstr(tty_text(&tty), keys[i].want))
				tty_read(&tty, 100);
		}
	print_message("from key to screen: %llu bytes of the line at most\n", (unsigned long long)most);
	assert_in_range(most, 1, 960);
	tty.bytes = 0;
	tty_keys(&tty, "q");
	assert_int_equal(tty_end(&tty, NULL), 0);
	print_message("q: %llu bytes\n", (unsigned long long)tty.bytes);
	assert_in_range(tty.bytes, 1, 960);
	check_restored(&tty);
}

#define ROOM_ERROR 9

/* The child of a terminal that says nothing: has it room for a whole screen as soon as it is there? */
static void room_run(void)
{
	struct terminal_options o = {.mono = true};
	struct terminal *t;
	struct err err = {0};
	bool room;

	setenv("TERM", "xterm-256color", 1);
	if (terminal_open(&o, &t, &err))
		_exit(ROOM_ERROR);
	room = terminal_room(t) >= 24 * 80;
	terminal_close(t);
	_exit(!room);
}

/*
 * A terminal that answers nothing, which a script's or an old one's is: the first screen does not wait for it.  A machine
 * that is late makes it mute, which has room as well, so that it is no matter here.
 */
static void test_room_before_any_sign(void **state)
{
	struct winsize ws = {.ws_row = 24, .ws_col = 80};
	char buf[4096];
	int master, status;
	pid_t pid;

	(void)state;
	pid = forkpty(&master, NULL, NULL, &ws);
	assert_true(pid >= 0);
	if (!pid)
		room_run();
	while (read(master, buf, sizeof(buf)) > 0) /* EIO: it has ended */
		;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	close(master);
	assert_int_equal(status, 0);
}

/* What refreshes send a second, gauges and trends moving. */
static void send_at_most(int rows, int cols, uint64_t most)
{
	struct child c = {
	    .config = {.losses = true, .functions = 60, .forks = 10, .callchains = true}};
	char clock[16] = "";
	unsigned seconds = 0;
	uint64_t begin = 0;

	tty_open(&tty, &c, rows, cols);
	tty_wait(&tty, "run 2 s");
	begin = tty.bytes;
	for (seconds = 3; seconds <= 6; seconds++) {
		snprintf(clock, sizeof(clock), "run %u s", seconds);
		tty_wait(&tty, clock);
	}
	print_message("%llu bytes/s\n", (unsigned long long)((tty.bytes - begin) / 4));
	assert_in_range((tty.bytes - begin) / 4, 1, most);
	tty_keys(&tty, "q");
	assert_int_equal(tty_end(&tty, NULL), 0);
}

static void test_bytes(void **state)
{
	(void)state;
	send_at_most(24, 80, 2000);
}

static void test_bytes_wide(void **state)
{
	(void)state;
	send_at_most(40, 120, 3000);
}

static void test_what_ended_stays(void **state)
{
	struct child c = {.config = {.command = true, .end_ticks = 8}};

	(void)state;
	tty_open(&tty, &c, 24, 80);
	tty_wait(&tty, "ENDED");
	tty_keys(&tty, "2");
	tty_wait(&tty, "SHARE%");
	tty_keys(&tty, "q");
	assert_int_equal(tty_end(&tty, NULL), 0);
	check_restored(&tty);
	teardown(NULL);
	c = (struct child){.config = {.end_ticks = 8}};
	tty_open(&tty, &c, 24, 80);
	tty_wait(&tty, "ENDED");
	tty_wait(&tty, "compress_block");
	tty_keys(&tty, "q");
	assert_int_equal(tty_end(&tty, NULL), 0);
	check_restored(&tty);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_first_screen_and_quit, teardown),
		cmocka_unit_test_teardown(test_keys, teardown),
		cmocka_unit_test_teardown(test_copy, teardown),
		cmocka_unit_test_teardown(test_notice, teardown),
		cmocka_unit_test_teardown(test_mouse, teardown),
		cmocka_unit_test_teardown(test_no_mouse, teardown),
		cmocka_unit_test_teardown(test_colours, teardown),
		cmocka_unit_test_teardown(test_no_keys, teardown),
		cmocka_unit_test_teardown(test_resize_storm, teardown),
		cmocka_unit_test_teardown(test_signals, teardown),
		cmocka_unit_test_teardown(test_crashes, teardown),
		cmocka_unit_test_teardown(test_stop_and_continue, teardown),
		cmocka_unit_test_teardown(test_looks, teardown),
		cmocka_unit_test_teardown(test_terminals_refused, teardown),
		cmocka_unit_test_teardown(test_slow_terminal, teardown),
		cmocka_unit_test_teardown(test_keys_on_a_slow_line, teardown),
		cmocka_unit_test(test_room_before_any_sign),
		cmocka_unit_test_teardown(test_bytes, teardown),
		cmocka_unit_test_teardown(test_bytes_wide, teardown),
		cmocka_unit_test_teardown(test_what_ended_stays, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
