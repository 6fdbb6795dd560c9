/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/code/editor.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "base/shellwords.h"

#define LINE_MAX_BYTES 4096

extern char **environ;

/* --- checking the file ------------------------------------------------------------------ */

/* Read line `wanted` without its end, as far as there is room.  False: the file is shorter. */
static bool read_source_line(FILE *f, unsigned wanted, char *line, size_t size)
{
	size_t len = 0;
	unsigned at = 1;
	int c;

	while ((c = getc(f)) != EOF && at <= wanted) {
		if (c == '\n')
			at++;
		else if (at == wanted && len + 1 < size)
			line[len++] = (char)c;
	}
	while (len && line[len - 1] == '\r')
		len--;
	line[len] = '\0';
	return at > wanted || (at == wanted && len);
}

/* Return true if the line begins with f->text, which may be only its beginning.  Closes fd. */
static bool says_so(int fd, const struct editor_file *f)
{
	char line[LINE_MAX_BYTES];
	FILE *file = fdopen(fd, "r");
	bool same;

	if (!file) {
		close(fd);
		return false;
	}
	same = read_source_line(file, f->line, line, sizeof(line)) &&
	       !strncmp(line, f->text, strlen(f->text));
	fclose(file);
	return same;
}

static int check_text(const struct editor_file *f, const char *shown, struct err *err)
{
	/* The file may have become a FIFO since stat(). */
	int fd = open(f->path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return err_set(err, errno, "cannot read %s: %s", shown, strerror(errno));
	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		close(fd);
		return err_set(err, EINVAL, "%s is not a regular file", shown);
	}
	if (!f->text[0]) {
		close(fd);
		return 0;
	}
	return says_so(fd, f)
		       ? 0
		       : err_set(err, ESTALE,
				 "%s here has another line %u than shown: the file was changed, or "
				 "belongs to a host or container's",
				 shown, f->line);
}

int editor_check(const struct editor_file *f, bool *others, struct err *err)
{
	char shown[300];
	struct stat st;

	text_escape(shown, sizeof(shown), f->path);
	*others = false;
	if (!f->path[0] || !f->line)
		return err_set(err, ENOENT, "no source line known here");
	if (f->path[0] != '/')
		return err_set(err, EINVAL,
			       "%s: debug information does not have its directory", shown);
	for (const char *c = f->path; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			return err_set(err, EINVAL,
				       "%s: a name with control characters is not opened", shown);
	if (stat(f->path, &st))
		return err_set(err, errno, "the source is not here: %s: %s", shown,
			       strerror(errno));
	if (!S_ISREG(st.st_mode))
		return err_set(err, EINVAL, "%s is not a regular file", shown);
	*others = st.st_uid != 0 && st.st_uid != geteuid();
	return check_text(f, shown, err);
}

/* --- the command ------------------------------------------------------------------------ */

/* Ways to pass editors the line; all others take +LINE. */
static const struct editor_style {
	const char *name;
	const char *option; /* put before the file, NULL: none */
	bool behind;        /* FILE:LINE */
	bool none;          /* no line can be passed */
} styles[] = {
	{"code", "-g", true, false},   {"codium", "-g", true, false}, {"subl", NULL, true, false},
	{"hx", NULL, true, false},     {"helix", NULL, true, false},  {"zed", NULL, true, false},
	{"ed", NULL, false, true},     {"cat", NULL, false, true},
};

const char *editor_command(void)
{
	const char *visual = getenv("VISUAL"), *editor = getenv("EDITOR");

	return visual && *visual ? visual : editor && *editor ? editor : "vi";
}

static const struct editor_style *style_of(const char *program)
{
	for (size_t i = 0; i < sizeof(styles) / sizeof(styles[0]); i++)
		if (!strcmp(styles[i].name, text_base(program)))
			return &styles[i];
	return NULL;
}

/* Join two lists of words in one block: the pointers, then the strings. */
static char **join_words(char *const *words, size_t nr, const char *const *more)
{
	size_t bytes = 0, n = nr;
	char **all, *at;

	for (size_t i = 0; i < nr; i++)
		bytes += strlen(words[i]) + 1;
	for (; *more; more++, n++)
		bytes += strlen(*more) + 1;
	more -= n - nr;
	all = malloc((n + 1) * sizeof(*all) + bytes);
	if (!all)
		return NULL;
	at = (char *)(all + n + 1);
	for (size_t i = 0; i < n; i++) {
		all[i] = at;
		at = stpcpy(at, i < nr ? words[i] : more[i - nr]) + 1;
	}
	all[n] = NULL;
	return all;
}

char **editor_words(const char *command, const struct editor_file *f, struct err *err)
{
	char **words = shellwords_split(command, "VISUAL or EDITOR", err), **all;
	const struct editor_style *s = words ? style_of(words[0]) : NULL;
	char line[16], place[EDITOR_PATH + 16];
	const char *more[3] = {NULL};
	size_t nr = 0, n = 0;

	if (!words)
		return NULL;
	while (words[nr])
		nr++;
	snprintf(line, sizeof(line), "+%u", f->line);
	snprintf(place, sizeof(place), "%s:%u", f->path, f->line);
	if (s && s->option)
		more[n++] = s->option;
	if (!s)
		more[n++] = line;
	more[n] = s && s->behind ? place : f->path;
	all = join_words(words, nr, more);
	free(words);
	if (!all)
		err_set(err, ENOMEM, "out of memory: no editor");
	return all;
}

/* --- running it ------------------------------------------------------------------------- */

/* Reset the signals that the screen handles or ignores to their defaults for the editor. */
static void set_signals(posix_spawnattr_t *attr)
{
	static const int ours[] = {SIGINT,  SIGTERM, SIGHUP,  SIGTSTP,	SIGCONT,
				   SIGPIPE, SIGUSR1, SIGUSR2, SIGWINCH, SIGCHLD};
	sigset_t none, dfl;

	sigemptyset(&none);
	sigemptyset(&dfl);
	for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
		sigaddset(&dfl, ours[i]);
	posix_spawnattr_setsigmask(attr, &none);
	posix_spawnattr_setsigdefault(attr, &dfl);
	posix_spawnattr_setflags(attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
}

int editor_start(const struct editor_file *f, pid_t *pid, struct err *err)
{
	char **words = editor_words(editor_command(), f, err);
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	int ret, tty;

	if (!words)
		return err && err->code ? -err->code : -ENOMEM;
	/* Use the terminal for those of descriptors 0 to 2 that are redirected. */
	tty = open("/dev/tty", O_RDWR | O_CLOEXEC);
	ret = posix_spawn_file_actions_init(&files);
	if (!ret) {
		posix_spawnattr_init(&attr);
		set_signals(&attr);
		for (int to = 0; to < 3 && !ret; to++)
			if (!isatty(to) && tty >= 0)
				ret = posix_spawn_file_actions_adddup2(&files, tty, to);
		ret = ret ? ret : posix_spawnp(pid, words[0], &files, &attr, words, environ);
		posix_spawnattr_destroy(&attr);
		posix_spawn_file_actions_destroy(&files);
	}
	if (ret)
		err_set(err, ret, "cannot run the editor '%s' (VISUAL, EDITOR): %s", words[0],
			strerror(ret));
	if (tty >= 0)
		close(tty);
	free(words);
	return -ret;
}
