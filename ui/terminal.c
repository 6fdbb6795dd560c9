/* SPDX-License-Identifier: GPL-2.0-or-later */
#define NCURSES_WIDECHAR 1
#include "ui/terminal.h"

#include <curses.h>
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

/* From <term.h>, whose macros take half the alphabet. */
extern char *tigetstr(const char *);

#include "base/clock.h"
#include "base/vec.h"
#include "ui/escape.h"
#include "ui/pace.h"

#define ESC 0x1b

#define ESCAPE_MS   25 /* how long an Esc may be the start of a key */
#define SEQUENCE_NS NSEC_PER_SEC /* a sequence whose rest is away for longer is over */
#define PASTE_NS    NSEC_PER_SEC /* a paste whose end never came ends when nothing came for so long */
#define DRAIN_MS    40 /* how long the way out waits for a slow line */
#define SIGN_MS     500 /* and for a sign that would be typed into the shell behind us */

struct terminal {
	struct terminal_traits traits;
	char name[64];
	int fd;          /* the line, opened by ourselves where possible: non-blocking */
	bool blocking;   /* it is not: then only small writes after POLLOUT */
	int memory;      /* where curses paints */
	FILE *out, *in;  /* curses' view of memory and line */
	WINDOW *keys;    /* read from: a pad, so that reading never paints */
	struct termios saved, raw;
	enum palette palette;
	short pair[ROLE_NR];
	char *pending;
	size_t start, len, cap;
	uint64_t bytes;
	int error;
	bool entered;
	bool no_mouse;     /* reports that come all the same are nothing */
	bool pastes;       /* it is asked to say where a paste begins and ends */
	uint64_t paste_at; /* clock_ns of the last of a paste that is under way, 0: none is */
	struct escape sequence; /* under way, or done */
	uint64_t sequence_at;   /* clock_ns of its last character */
	bool signs;        /* it is asked for them: it is of a kind that knows how */
	struct pace pace;
};

#define PASTES_ON  "\x1b[?2004h" /* bracketed paste; terminfo's BE and BD, where it has them */
#define PASTES_OFF "\x1b[?2004l"
#define ASK_SIGN   "\x1b[5n" /* DSR, "are you all right?" */

/* --- the way back, for signal handlers -------------------------------------------------- */

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

		if (n < 0 && (errno != EAGAIN || poll(&p, 1, DRAIN_MS) <= 0))
			return;
		if (n > 0) {
			bytes += n;
			len -= (size_t)n;
		}
	}
}

/* Async-signal-safe.  CAN first: it ends an escape sequence that was cut. */
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
	/* A fault happens again on return, with the former handler; a sent signal would not. */
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

/* --- bytes ------------------------------------------------------------------------------ */

/* Move what curses painted from its memory to the end of what is pending. */
static void collect(struct terminal *t)
{
	off_t size = lseek(t->memory, 0, SEEK_CUR);
	size_t n = size > 0 ? (size_t)size : 0;

	if (n && vec_reserve(&t->pending, &t->cap, t->start + t->len + n, 1)) {
		/* What is not had curses takes for drawn: then it draws all of it the next time. */
		if (pread(t->memory, t->pending + t->start + t->len, n, 0) == (ssize_t)n)
			t->len += n;
		else
			clearok(curscr, TRUE);
	} else if (n) {
		t->error = ENOMEM;
	}
	if (lseek(t->memory, 0, SEEK_SET) < 0 || ftruncate(t->memory, 0) < 0)
		t->error = errno;
}

int terminal_write(struct terminal *t)
{
	while (t->len && !t->error) {
		struct pollfd p = {.fd = t->fd, .events = POLLOUT};
		size_t want = t->blocking && t->len > 128 ? 128 : t->len;
		ssize_t n;

		if (t->blocking && poll(&p, 1, 0) <= 0)
			break;
		n = write(t->fd, t->pending + t->start, want);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			if (errno != EAGAIN)
				t->error = errno;
			break;
		}
		t->start += (size_t)n;
		t->len -= (size_t)n;
		t->bytes += (uint64_t)n;
	}
	if (!t->len)
		t->start = 0;
	return -t->error;
}

static void put(struct terminal *t, const char *bytes)
{
	size_t n = strlen(bytes);

	if (!vec_reserve(&t->pending, &t->cap, t->start + t->len + n, 1)) {
		t->error = ENOMEM;
		return;
	}
	memcpy(t->pending + t->start + t->len, bytes, n);
	t->len += n;
}

bool terminal_copy(struct terminal *t, const char *text)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const unsigned char *in = (const unsigned char *)text;
	size_t len = strlen(text), n = 0;
	char *coded;

	/* The console of Linux prints what it does not know. */
	if (!t->pastes || !strncmp(t->name, "linux", 5))
		return false;
	coded = malloc((len + 2) / 3 * 4 + 1);
	if (!coded)
		return false;
	for (size_t i = 0; i < len; i += 3) {
		uint32_t bits = (uint32_t)in[i] << 16 | (i + 1 < len ? (uint32_t)in[i + 1] << 8 : 0) |
				(i + 2 < len ? in[i + 2] : 0);

		coded[n++] = digits[bits >> 18];
		coded[n++] = digits[bits >> 12 & 63];
		coded[n++] = i + 1 < len ? digits[bits >> 6 & 63] : '=';
		coded[n++] = i + 2 < len ? digits[bits & 63] : '=';
	}
	coded[n] = '\0';
	put(t, "\x1b]52;c;");
	put(t, coded);
	put(t, "\a");
	free(coded);
	return true;
}

/* The way out: what is pending goes if the line takes it soon, and is thrown away if not. */
static void drain(struct terminal *t)
{
	struct pollfd p = {.fd = t->fd, .events = POLLOUT};

	while (!terminal_write(t) && t->len)
		if (poll(&p, 1, DRAIN_MS) <= 0)
			break;
	if (t->len)
		tcflush(t->fd, TCOFLUSH);
	t->start = t->len = 0;
}

/* Behind what was put. */
static void ask_sign(struct terminal *t)
{
	if (!t->signs || t->pace.mute || !t->len)
		return;
	pace_asked(&t->pace, clock_ns(), t->len);
	put(t, ASK_SIGN);
}

/*
 * Signs that are still to come would be keys of whoever reads the line next.  A byte at a time, so that what is typed
 * behind the last one stays his; from one that never gave any none is expected any more.
 */
static void await_signs(struct terminal *t)
{
	static const char sign[] = "\x1b[0n";
	struct pollfd p = {.fd = t->fd, .events = POLLIN};
	uint64_t now = clock_ns(), end = now + SIGN_MS * NSEC_PER_MSEC;
	size_t at = 0;
	char c;

	while (t->pace.asked && !t->pace.mute && (t->pace.gives || now < pace_until(&t->pace)) && now < end) {
		if (poll(&p, 1, (int)((end - now) / NSEC_PER_MSEC) + 1) > 0 && read(t->fd, &c, 1) != 1)
			return;
		at = p.revents & POLLIN ? (c == sign[at] ? at + 1 : c == sign[0]) : at;
		if (at == sizeof(sign) - 1) {
			pace_sign(&t->pace, clock_ns());
			at = 0;
		}
		now = clock_ns();
	}
}

size_t terminal_room(struct terminal *t)
{
	return t->len ? 0 : pace_room(&t->pace, clock_ns());
}

uint64_t terminal_room_at(const struct terminal *t)
{
	return t->len ? UINT64_MAX : pace_until(&t->pace);
}

size_t terminal_pending(const struct terminal *t)
{
	return t->len;
}

uint64_t terminal_bytes(const struct terminal *t)
{
	return t->bytes;
}

int terminal_fd(const struct terminal *t)
{
	return t->fd;
}

const struct terminal_traits *terminal_traits(const struct terminal *t)
{
	return &t->traits;
}

/* --- opening ---------------------------------------------------------------------------- */

/* A description of our own, so that O_NONBLOCK does not reach the shell behind us. */
static int open_line(struct terminal *t, struct err *err)
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
	t->raw.c_oflag &= ~(tcflag_t)OPOST; /* curses counts on \n going straight down */
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
 * Where we have rights that whoever started us has not, terminal descriptions of his own are no input
 * for us.  curses looks for a change of user alone, not for capabilities that came with the file.
 */
static void leave_own_terminfo(void)
{
	static const char *const variables[] = {"HOME", "TERMCAP", "TERMINFO", "TERMINFO_DIRS", "TERMPATH"};

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
	cup = tigetstr("cup");
	if (!cup || cup == (char *)-1) {
		err_set(err, ENOTSUP, "the terminal '%s' cannot place its cursor", name);
		return err_advise(err, "use --text for a report without a screen");
	}
	/* A mode that it does not know is nothing to a terminal of this kind. */
	t->pastes = t->signs = !strncmp(cup, "\x1b[", 2);
	return 0;
}

/*
 * Not wanted by no-color.org, nor by bixense.com/clicolors: NO_COLOR says so to all, CLICOLOR=0 to those that
 * nothing forces.
 */
static bool colours_unwanted(void)
{
	const char *no = getenv("NO_COLOR"), *wanted = getenv("CLICOLOR"), *force = getenv("CLICOLOR_FORCE");

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

/* Where there are more than 256, numbers are the colours' values (terminfo's RGB), but for the first eight. */
static int foreground(const struct theme_look *l)
{
	if (!l->fine || COLORS < 256)
		return l->fg;
	return COLORS == 256 ? l->fine : (int)theme_rgb(l->fine);
}

/* The fonts of the kernel's own console have 256 or 512 glyphs: few of eighths, circles and triangles. */
static bool plain_font(void)
{
	const char *term = getenv("TERM");

	return term && (!strcmp(term, "linux") || !strncmp(term, "linux-", 6));
}

/*
 * The terminal's own colours are a pair like any other: on the way back to pair 0 curses sends all attributes anew
 * behind the colour, twice the bytes.
 */
#define OWN_PAIR (ROLE_NR + 1)

/* So that what is blank is so in the pair that it is written in, and may be erased instead. */
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
	typeahead(-1); /* input never postpones painting: it is we who order them */
	nonl();
	noecho();
	cbreak();
	curs_set(0);
	set_escdelay(ESCAPE_MS);
	t->keys = newpad(1, 1);
	if (t->keys) {
		keypad(t->keys, TRUE);
		nodelay(t->keys, TRUE);
	}
	mouseinterval(0);
	terminal_mouse(t, true); /* so that the way out has it off, whoever switches it on later */
}

void terminal_mouse(struct terminal *t, bool on)
{
	t->no_mouse = !on;
	mousemask(on ? BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED : 0, NULL);
	keyok(KEY_MOUSE, on); /* off, curses would take a report's beginning alone */
	fflush(t->out);
	collect(t);
}

/* Let curses enter and leave in memory once: the bytes of leaving are the rescue. */
static void learn_rescue(struct terminal *t)
{
	int rows, cols;

	refresh();
	terminal_resize(t, &rows, &cols);
	collect(t);
	t->start = t->len = 0;
	endwin();
	collect(t);
	if (t->pastes)
		put(t, PASTES_OFF);
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
	ret = open_line(t, err);
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

void terminal_enter(struct terminal *t)
{
	rescue.armed = 1;
	tcsetattr(t->fd, TCSANOW, &t->raw);
	t->entered = true;
	terminal_redraw(t);
	refresh();
	collect(t);
	if (t->pastes)
		put(t, PASTES_ON);
	t->paste_at = 0;
	t->pace = (struct pace){.gives = t->pace.gives};
	ask_sign(t);
	terminal_write(t);
}

void terminal_leave(struct terminal *t)
{
	if (!t->entered)
		return;
	t->entered = false;
	drain(t);
	await_signs(t);
	endwin();
	collect(t); /* curses believes it has left; the line gets the same bytes from the rescue */
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
	/* Not delscreen: that of ncurses 6.4 allocates, and crashes where there is no memory.  Curses keeps what newterm made. */
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
	attr_t attr = attributes(t->traits.mono ? theme_roles[role].mono : theme_look(t->palette, role)->flags);
	cchar_t cell;

	if (c->width == 0)
		return; /* came with its left half */
	if (setcchar(&cell, text, attr, t->traits.mono ? 0 : t->pair[c->role], NULL) == OK)
		mvadd_wch(y, x, &cell);
}

void terminal_flush(struct terminal *t)
{
	refresh();
	collect(t);
	ask_sign(t);
	terminal_write(t);
}

/* --- keys ------------------------------------------------------------------------------- */

static const struct {
	wint_t curses;
	uint32_t ours;
} keys[] = {
	{KEY_UP, INPUT_UP},
	{KEY_DOWN, INPUT_DOWN},
	{KEY_LEFT, INPUT_LEFT},
	{KEY_RIGHT, INPUT_RIGHT},
	{KEY_PPAGE, INPUT_PAGE_UP},
	{KEY_NPAGE, INPUT_PAGE_DOWN},
	{KEY_HOME, INPUT_HOME},
	{KEY_FIND, INPUT_HOME},
	{KEY_END, INPUT_END},
	{KEY_SELECT, INPUT_END},
	{KEY_ENTER, INPUT_ENTER},
	{KEY_BACKSPACE, INPUT_BACKSPACE},
	{KEY_DC, INPUT_DELETE},
	{KEY_BTAB, INPUT_BACKTAB},
};

static uint32_t named_key(wint_t ch)
{
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (keys[i].curses == ch)
			return keys[i].ours;
	if (ch >= (wint_t)KEY_F(1) && ch <= (wint_t)KEY_F(12))
		return INPUT_F(ch - (wint_t)KEY_F0);
	return INPUT_OTHER;
}

static uint32_t plain_key(wint_t ch)
{
	switch (ch) {
	case '\r':
	case '\n':
		return INPUT_ENTER;
	case '\t':
		return INPUT_TAB;
	case ESC:
		return INPUT_ESC;
	case 0x08:
	case 0x7f:
		return INPUT_BACKSPACE;
	case 0:
		return INPUT_OTHER;
	default:
		return (uint32_t)ch;
	}
}

static void mouse_key(struct input *in)
{
	MEVENT e;

	if (getmouse(&e) != OK)
		return;
	in->y = e.y;
	in->x = e.x;
	in->key = e.bstate & BUTTON1_PRESSED   ? INPUT_CLICK
		  : e.bstate & BUTTON4_PRESSED ? INPUT_WHEEL_UP
		  : e.bstate & BUTTON5_PRESSED ? INPUT_WHEEL_DOWN
					       : INPUT_NONE;
}

/* What follows the Esc that has come, or the character that is both.  False: no sequence, what came is a key. */
static bool begin_sequence(struct terminal *t, wint_t first)
{
	wint_t ch;
	int got;

	if (escape_is_c1(first)) {
		(void)escape_begin_c1(&t->sequence, first);
		return true;
	}
	if (first != ESC)
		return false;
	got = wget_wch(t->keys, &ch);
	if (got == ERR)
		return false;
	if (got == OK && escape_begin(&t->sequence, ch))
		return true;
	if (got == KEY_CODE_YES)
		ungetch((int)ch);
	else
		unget_wch((wchar_t)ch);
	return false;
}

/*
 * What curses did not know.  A line may cut a sequence anywhere, and its rest would be keys: so it is waited for,
 * until nothing came for SEQUENCE_NS.  False: it is a key.
 */
static bool take_sequence(struct terminal *t, int got, wint_t ch, struct input *in)
{
	uint64_t now = clock_ns();
	bool goes_on =
	    escape_goes_on(&t->sequence) && got == OK && now - t->sequence_at < SEQUENCE_NS;

	if (goes_on) {
		escape_add(&t->sequence, ch);
	} else {
		t->sequence = (struct escape){.state = ESCAPE_DONE};
		if (got != OK || !begin_sequence(t, ch))
			return false;
	}
	t->sequence_at = now;
	*in = escape_input(&t->sequence);
	return true;
}

/* What is for us, and no key: a sign, the ends of a paste.  Between these there are no keys. */
static void take_own(struct terminal *t, struct input *in)
{
	uint64_t now = clock_ns();

	if (in->key == INPUT_SIGN) {
		pace_sign(&t->pace, now);
		in->key = INPUT_NONE;
	}
	if (in->key == INPUT_PASTE_BEGIN || in->key == INPUT_PASTE_END) {
		t->paste_at = in->key == INPUT_PASTE_BEGIN ? now : 0;
		in->key = INPUT_NONE;
	}
	if (t->paste_at && now - t->paste_at > PASTE_NS)
		t->paste_at = 0;
	if (!t->paste_at)
		return;
	t->paste_at = now;
	in->pasted = true;
}

/* INPUT_NONE: what came is no key. */
static struct input input_of(struct terminal *t, int got, wint_t ch)
{
	struct input in = {.key = INPUT_NONE};

	if (take_sequence(t, got, ch, &in))
		; /* as escape says */
	else if (got == KEY_CODE_YES && ch == KEY_MOUSE)
		mouse_key(&in);
	else if (got == KEY_CODE_YES)
		in.key = ch == KEY_RESIZE ? INPUT_NONE : named_key(ch);
	else
		in.key = plain_key(ch);
	if (t->no_mouse && (in.key == INPUT_CLICK || in.key == INPUT_WHEEL_UP || in.key == INPUT_WHEEL_DOWN))
		in.key = INPUT_NONE;
	return in;
}

bool terminal_read(struct terminal *t, struct input *in)
{
	wint_t ch;
	int got;

	while (t->keys && (got = wget_wch(t->keys, &ch)) != ERR) {
		*in = input_of(t, got, ch);
		take_own(t, in);
		if (in->key != INPUT_NONE)
			return true;
	}
	*in = (struct input){.key = INPUT_NONE};
	return false;
}
