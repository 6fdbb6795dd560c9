/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/term/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <termios.h>
#include <unistd.h>

#include "ui/term/terminal_line.h"
#include "ui/term/terminal_state.h"

#include <term.h> /* last: its macros have common names */

#define ESCAPE_MS   25 /* longest time between an Esc and the rest of a key's sequence */
#define CELL_BYTES  2  /* bytes per cell of a whole screen on the line, colours included */

#define PASTES_ON  "\x1b[?2004h" /* bracketed paste: terminfo's BE and BD, if it has them */
#define PASTES_OFF "\x1b[?2004l"

/* --- restoring the terminal in signal handlers ------------------------------------------ */

static struct {
	volatile sig_atomic_t armed;
	int fd;
	size_t len;
	char bytes[512];
	struct termios saved;
} rescue = {.fd = -1};

static const int crashes[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL};

#define CRASHES (sizeof(crashes) / sizeof(crashes[0]))

static struct sigaction crash_before[CRASHES];

static void rescue_write(const char *bytes, size_t len)
{
	struct pollfd p = {.fd = rescue.fd, .events = POLLOUT};

	while (len) {
		ssize_t n = write(rescue.fd, bytes, len);

		if (n < 0 && (errno != EAGAIN || poll(&p, 1, TERMINAL_DRAIN_MS) <= 0))
			return;
		if (n > 0) {
			bytes += n;
			len -= (size_t)n;
		}
	}
}

/* Async-signal-safe.  Begins with CAN, which ends an incomplete escape sequence. */
static void rescue_now(void)
{
	if (!rescue.armed)
		return;
	rescue.armed = 0;
	rescue_write("\x18", 1);
	rescue_write(rescue.bytes, rescue.len);
	tcsetattr(rescue.fd, TCSANOW, &rescue.saved);
}

static void on_crash(int number, siginfo_t *info, void *context)
{
	(void)context;
	rescue_now();
	for (size_t i = 0; i < CRASHES; i++)
		if (crashes[i] == number)
			sigaction(number, &crash_before[i], NULL);
	/* On return a fault recurs, for the former handler; a sent signal must be raised again. */
	if (info->si_code <= 0)
		raise(number);
}

static void crash_catch(void)
{
	static char stack[16384];
	stack_t ss = {.ss_sp = stack, .ss_size = sizeof(stack)}, old;
	struct sigaction sa = {.sa_sigaction = on_crash, .sa_flags = SA_SIGINFO | SA_ONSTACK};

	if (sigaltstack(NULL, &old) == 0 && old.ss_flags & SS_DISABLE)
		sigaltstack(&ss, NULL);
	sigemptyset(&sa.sa_mask);
	for (size_t i = 0; i < CRASHES; i++)
		sigaction(crashes[i], &sa, &crash_before[i]);
}

static void crash_release(void)
{
	for (size_t i = 0; i < CRASHES; i++)
		sigaction(crashes[i], &crash_before[i], NULL);
}

/* --- opening ---------------------------------------------------------------------------- */

/* Open a separate file description, so that O_NONBLOCK does not affect the shell. */
static int open_terminal_line(struct terminal *t, struct err *err)
{
	const char *path = isatty(STDOUT_FILENO) ? ttyname(STDOUT_FILENO) : "/dev/tty";

	t->fd = path ? open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC) : -1;
	if (t->fd < 0 && isatty(STDOUT_FILENO)) {
		t->fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
		t->blocking = true;
	}
	if (t->fd < 0)
		return err_set(err, ENOTTY, "there is no terminal to draw on");
	if (tcgetattr(t->fd, &t->saved) < 0)
		return err_set(err, errno, "cannot ask the terminal for its settings: %s",
			       strerror(errno));
	t->raw = t->saved;
	t->raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO | ECHONL | IEXTEN);
	t->raw.c_iflag &= ~(tcflag_t)(IXON | INLCR | ICRNL);
	t->raw.c_oflag &= ~(tcflag_t)OPOST; /* curses expects \n to move straight down */
	t->raw.c_cc[VMIN] = 1;
	t->raw.c_cc[VTIME] = 0;
	return 0;
}

static int open_memory(struct terminal *t, struct err *err)
{
	int out, in;

	t->memory = memfd_create("ringtop-screen", MFD_CLOEXEC);
	out = t->memory < 0 ? -1 : fcntl(t->memory, F_DUPFD_CLOEXEC, 3);
	in = fcntl(t->fd, F_DUPFD_CLOEXEC, 3);
	t->out = out < 0 ? NULL : fdopen(out, "w");
	t->in = in < 0 ? NULL : fdopen(in, "r");
	if (!t->out && out >= 0)
		close(out);
	if (!t->in && in >= 0)
		close(in);
	if (!t->out || !t->in)
		return err_set(err, errno, "cannot make the screen's memory: %s", strerror(errno));
	return 0;
}

/*
 * Ignore the user's own terminal descriptions if the program has more rights than the user.  curses
 * only checks for a change of user, not for file capabilities.
 */
static void leave_own_terminfo(void)
{
	static const char *const variables[] = {"HOME", "TERMCAP", "TERMINFO", "TERMINFO_DIRS",
						"TERMPATH"};

	for (size_t i = 0; getauxval(AT_SECURE) && i < sizeof(variables) / sizeof(*variables); i++)
		unsetenv(variables[i]);
}

static int open_curses(struct terminal *t, struct err *err)
{
	const char *name = getenv("TERM");
	char *cup;

	if (!name || !*name) {
		err_set(err, ENOTSUP, "TERM is not set");
		return err_advise(err, "try TERM=xterm, or --text for a report without a screen");
	}
	snprintf(t->name, sizeof(t->name), "%s", name);
	leave_own_terminfo();
	t->traits.name = t->name;
	if (!newterm(NULL, t->out, t->in)) {
		err_set(err, ENOTSUP, "the terminal '%s' is not in the terminfo database", name);
		return err_advise(err, "try TERM=xterm, or --text for a report without a screen");
	}
	cup = cursor_address; /* tigetstr crashes without memory for its table */
	if (!cup || cup == (char *)-1) {
		err_set(err, ENOTSUP, "the terminal '%s' cannot place its cursor", name);
		return err_advise(err, "use --text for a report without a screen");
	}
	/* Terminals of this kind ignore unknown modes. */
	t->pastes = t->signs = !strncmp(cup, "\x1b[", 2);
	t->keys = newpad(1, 1);
	return t->keys ? 0 : err_set(err, ENOMEM, "out of memory");
}

/*
 * Return true if colours are refused by NO_COLOR (no-color.org), or by CLICOLOR=0 unless
 * CLICOLOR_FORCE is set (bixense.com/clicolors).
 */
static bool colours_unwanted(void)
{
	const char *no = getenv("NO_COLOR"), *wanted = getenv("CLICOLOR"),
		   *force = getenv("CLICOLOR_FORCE");

	if (no && *no)
		return true;
	if (force && *force && strcmp(force, "0") != 0)
		return false;
	return wanted && !strcmp(wanted, "0");
}

static bool mono_wanted(const struct terminal_options *o)
{
	return o->mono || !has_colors() || (!o->colour && colours_unwanted());
}

/* With more than 256 colours, numbers from 8 on are RGB values (terminfo's RGB). */
static int foreground(const struct theme_look *l)
{
	if (!l->fine || COLORS < 256)
		return l->fg;
	return COLORS == 256 ? l->fine : (int)theme_rgb(l->fine);
}

/* Return true for the Linux console, whose fonts lack most block, circle and triangle glyphs. */
static bool plain_font(void)
{
	const char *term = getenv("TERM");

	return term && (!strcmp(term, "linux") || !strncmp(term, "linux-", 6));
}

/*
 * Pair of the terminal's default colours, used instead of pair 0: when curses changes to pair 0 it
 * sends all attributes again behind the colour, twice the bytes.
 */
#define OWN_PAIR (ROLE_NR + 1)

/* Make this pair the background's, so that curses may erase blanks instead of writing them. */
static void own_background(short pair)
{
	cchar_t blank;

	if (setcchar(&blank, L" ", A_NORMAL, pair, NULL) == OK)
		bkgrndset(&blank);
}

static void choose_traits(struct terminal *t, const struct terminal_options *o)
{
	t->traits.ascii = o->ascii || plain_font() || strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
	t->traits.mono = mono_wanted(o);
	t->palette = o->palette;
	if (t->traits.mono || start_color() == ERR) {
		t->traits.mono = true;
		return;
	}
	use_default_colors();
	for (short i = 0; i < ROLE_NR; i++) {
		const struct theme_look *l = theme_look(o->palette, (enum role)i);
		short pair = (short)(l->fg < 0 && l->bg < 0 ? OWN_PAIR : i + 1);

		if (init_extended_pair(pair, foreground(l), l->bg) != ERR)
			t->pair[i] = pair;
	}
	own_background(t->pair[ROLE_TEXT]);
}

static void set_modes(struct terminal *t)
{
	typeahead(-1); /* input must not postpone painting: ui.c orders them */
	nonl();
	noecho();
	cbreak();
	curs_set(0);
	set_escdelay(ESCAPE_MS);
	keypad(t->keys, TRUE);
	nodelay(t->keys, TRUE);
	mouseinterval(0);
	terminal_mouse(t, true); /* so that the rescue bytes switch it off */
}

void terminal_mouse(struct terminal *t, bool on)
{
	t->no_mouse = !on;
	mousemask(on ? BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED : 0, NULL);
	keyok(KEY_MOUSE, on); /* else curses would take only the beginning of a report */
	fflush(t->out);
	terminal_collect(t);
}

/* Let curses enter and leave once in memory, to record the bytes of leaving for the rescue. */
static void learn_rescue(struct terminal *t)
{
	int rows, cols;

	refresh();
	terminal_resize(t, &rows, &cols);
	terminal_collect(t);
	t->start = t->len = 0;
	endwin();
	terminal_collect(t);
	if (t->pastes)
		terminal_append(t, PASTES_OFF);
	rescue.len = t->len < sizeof(rescue.bytes) ? t->len : sizeof(rescue.bytes);
	memcpy(rescue.bytes, t->pending ? t->pending : "", rescue.len);
	rescue.fd = t->fd;
	rescue.saved = t->saved;
	t->start = t->len = 0;
}

int terminal_open(const struct terminal_options *o, struct terminal **result, struct err *err)
{
	static bool registered;
	struct terminal *t = calloc(1, sizeof(*t));
	int ret;

	*result = NULL;
	if (!t)
		return err_set(err, ENOMEM, "out of memory");
	t->memory = t->fd = -1;
	setlocale(LC_CTYPE, "");
	ret = open_terminal_line(t, err);
	if (!ret)
		ret = open_memory(t, err);
	if (!ret)
		ret = open_curses(t, err);
	if (ret) {
		terminal_close(t);
		return ret;
	}
	choose_traits(t, o);
	set_modes(t);
	learn_rescue(t);
	if (o->no_mouse)
		terminal_mouse(t, false);
	if (!registered)
		registered = atexit(rescue_now) == 0;
	crash_catch();
	terminal_enter(t);
	*result = t;
	return 0;
}

/* Let curses draw.  Bytes that found no room in memory are lost, and only errno shows it. */
static void draw_screen(struct terminal *t)
{
	errno = 0;
	refresh();
	if (errno == ENOSPC || errno == ENOMEM)
		clearok(curscr, TRUE);
	terminal_collect(t);
}

void terminal_enter(struct terminal *t)
{
	rescue.armed = 1;
	tcsetattr(t->fd, TCSANOW, &t->raw);
	t->entered = true;
	terminal_redraw(t);
	draw_screen(t);
	if (t->pastes)
		terminal_append(t, PASTES_ON);
	t->paste_at = 0;
	t->pace = (struct ttyflow){.gives = t->pace.gives};
	terminal_ask_sign(t);
	t->pace.ahead = (size_t)LINES * (size_t)COLS * CELL_BYTES;
	terminal_write(t);
}

void terminal_leave(struct terminal *t)
{
	if (!t->entered)
		return;
	t->entered = false;
	terminal_drain(t);
	terminal_await_signs(t);
	endwin();
	terminal_collect(t); /* discarded: rescue_now() writes the same bytes to the line */
	t->start = t->len = 0;
	rescue_now();
}

void terminal_close(struct terminal *t)
{
	if (!t)
		return;
	if (t->entered) {
		terminal_leave(t);
		crash_release();
		rescue.fd = -1;
	}
	if (t->keys)
		delwin(t->keys);
	/*
	 * No delscreen(): in ncurses 6.4 it allocates, and crashes without memory.  So newterm()'s
	 * memory is kept.
	 */
	if (t->out)
		fclose(t->out);
	if (t->in)
		fclose(t->in);
	if (t->memory >= 0)
		close(t->memory);
	if (t->fd >= 0)
		close(t->fd);
	free(t->pending);
	free(t);
}

/* --- cells ------------------------------------------------------------------------------ */

void terminal_resize(struct terminal *t, int *rows, int *cols)
{
	struct winsize ws = {0};

	if (ioctl(t->fd, TIOCGWINSZ, &ws) < 0 || !ws.ws_row || !ws.ws_col) {
		ws.ws_row = 24;
		ws.ws_col = 80;
	}
	if (ws.ws_row != LINES || ws.ws_col != COLS)
		resizeterm(ws.ws_row, ws.ws_col);
	*rows = LINES;
	*cols = COLS;
}

void terminal_redraw(struct terminal *t)
{
	(void)t;
	erase();
	clearok(curscr, TRUE);
}

static attr_t attributes(unsigned flags)
{
	return (flags & THEME_BOLD ? A_BOLD : 0) | (flags & THEME_DIM ? A_DIM : 0) |
	       (flags & THEME_REVERSE ? A_REVERSE : 0) |
	       (flags & THEME_UNDERLINE ? A_UNDERLINE : 0);
}

void terminal_put(struct terminal *t, int y, int x, const struct cell *c)
{
	enum role role = c->role < ROLE_NR ? (enum role)c->role : ROLE_TEXT;
	wchar_t text[3] = {(wchar_t)c->ch, (wchar_t)c->mark, 0};
	attr_t attr = attributes(t->traits.mono ? theme_roles[role].mono
						: theme_look(t->palette, role)->flags);
	cchar_t cell;

	if (c->width == 0)
		return; /* put with its left half */
	if (setcchar(&cell, text, attr, t->traits.mono ? 0 : t->pair[c->role], NULL) == OK)
		mvadd_wch(y, x, &cell);
}

void terminal_flush(struct terminal *t)
{
	draw_screen(t);
	terminal_ask_sign(t);
	terminal_write(t);
}
