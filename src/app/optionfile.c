/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The name leads into a home that may be another user's (sudo can be configured to keep HOME), so
 * as root the owner of the file itself is checked, once it is open.  A line that is no setting is
 * not quoted in complaints: a link may lead to a file that only root may read.
 */
#include "app/optionfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BLANKS " \t"

void optionfile_complain(struct optionfile *f, unsigned line, const char *fmt, ...)
{
	char *text = NULL, *whole = NULL;
	va_list ap;

	if (f->ncomplaints++ >= OPTIONFILE_COMPLAINTS)
		return;
	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	va_end(ap);
	if (text && line &&
	    asprintf(&whole, "%s:%u: %s", f->name ? f->name : "settings", line, text) < 0)
		whole = NULL;
	if (text && !line && asprintf(&whole, "%s: %s", f->name ? f->name : "settings", text) < 0)
		whole = NULL;
	free(text);
	f->complaint[f->ncomplaints - 1] = whole;
}

/* --- a line --------------------------------------------------------------------------------- */

static char *trim_end(char *text)
{
	size_t len = strlen(text);

	while (len && strchr(BLANKS "\r", text[len - 1]))
		len--;
	text[len] = '\0';
	return text;
}

/* Return true if the text may follow a value: it is blank, or a comment. */
static bool is_rest(const char *text)
{
	text += strspn(text, BLANKS "\r");
	return !*text || *text == '#';
}

/* Return the value at `text`, cut in place; NULL: quotes do not end, or text follows them. */
static char *cut_value(char *text)
{
	char *end;

	if (*text == '"') {
		end = strchr(++text, '"');
		if (!end || !is_rest(end + 1))
			return NULL;
		*end = '\0';
		return text;
	}
	for (end = text; *end; end++)
		if (*end == '#' && (end == text || strchr(BLANKS, end[-1]))) {
			*end = '\0';
			break;
		}
	return trim_end(text);
}

static bool is_setting_key(const char *text)
{
	return *text &&
	       text[strspn(text,
			   "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")] ==
		       '\0';
}

static void parse_setting(struct optionfile *f, char *text, unsigned line)
{
	char *key = text + strspn(text, BLANKS), *equals = strchr(key, '='), *value;

	if (is_rest(key))
		return;
	if (!equals) {
		optionfile_complain(f, line, "not a line of the form: key = value");
		return;
	}
	*equals = '\0';
	trim_end(key);
	value = cut_value(equals + 1 + strspn(equals + 1, BLANKS));
	if (!is_setting_key(key))
		optionfile_complain(f, line, "the text before the = is not the name of a setting");
	else if (!value)
		optionfile_complain(f, line, "%.64s: the value's quotes do not end the line", key);
	else if (f->nr == OPTIONFILE_SETTINGS)
		optionfile_complain(f, line, "more than %d settings; this one is ignored",
				    OPTIONFILE_SETTINGS);
	else
		f->setting[f->nr++] = (struct optionfile_setting){key, value, line};
}

void optionfile_parse(struct optionfile *f, const char *text, size_t len)
{
	unsigned line = 1;
	char *at, *end;

	free(f->text);
	f->nr = 0;
	f->text = malloc(len + 1);
	if (!f->text) {
		optionfile_complain(f, 0, "not read: out of memory");
		return;
	}
	memcpy(f->text, len ? text : "", len);
	f->text[len] = '\0';
	if (memchr(f->text, '\0', len)) {
		optionfile_complain(f, 0, "not read: not a text file (it contains NUL bytes)");
		return;
	}
	for (at = f->text; at; at = end, line++) {
		end = strchr(at, '\n');
		if (end)
			*end++ = '\0';
		parse_setting(f, at, line);
	}
}

/* --- a file --------------------------------------------------------------------------------- */

char *optionfile_name(void)
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	char *name = NULL;
	int n = -1;

	/* the XDG base directory specification wants relative ones to be ignored */
	if (config && *config == '/')
		n = asprintf(&name, "%s/ringtop/config", config);
	else if (home && *home == '/')
		n = asprintf(&name, "%s/.config/ringtop/config", home);
	return n < 0 ? NULL : name;
}

/* Return true if the file may be obeyed. */
static bool may_be_obeyed(struct optionfile *f, const struct stat *st)
{
	if (!S_ISREG(st->st_mode)) {
		optionfile_complain(f, 0, "not read: not a regular file");
		return false;
	}
	if (geteuid())
		return true;
	if (st->st_uid)
		optionfile_complain(f, 0,
				    "not read: it belongs to user %u, and ringtop runs as root",
				    (unsigned)st->st_uid);
	else if (st->st_mode & (S_IWGRP | S_IWOTH))
		optionfile_complain(
			f, 0,
			"not read: other users may write to it (chmod go-w), and ringtop runs as "
			"root");
	return !st->st_uid && !(st->st_mode & (S_IWGRP | S_IWOTH));
}

static void read_settings(struct optionfile *f, int fd)
{
	char *text = malloc(OPTIONFILE_BYTES + 1);
	size_t len = 0;
	ssize_t n = text ? 1 : 0;

	while (n > 0 && len <= OPTIONFILE_BYTES) {
		n = read(fd, text + len, OPTIONFILE_BYTES + 1 - len);
		if (n < 0 && errno == EINTR)
			n = 1;
		else if (n > 0)
			len += (size_t)n;
	}
	if (!text)
		optionfile_complain(f, 0, "not read: out of memory");
	else if (n < 0)
		optionfile_complain(f, 0, "not read: %s", strerror(errno));
	else if (len > OPTIONFILE_BYTES)
		optionfile_complain(f, 0, "not read: it is larger than %u KB",
				    OPTIONFILE_BYTES >> 10);
	else
		optionfile_parse(f, text, len);
	free(text);
}

struct optionfile *optionfile_read(char *name)
{
	struct optionfile *f = calloc(1, sizeof(*f));
	struct stat st;
	int fd;

	if (!f) {
		free(name);
		return NULL;
	}
	f->name = name;
	fd = name ? open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) : -1;
	if (fd < 0) {
		if (name && errno != ENOENT && errno != ENOTDIR)
			optionfile_complain(f, 0, "not read: %s", strerror(errno));
		return f;
	}
	if (fstat(fd, &st))
		optionfile_complain(f, 0, "not read: %s", strerror(errno));
	else if (may_be_obeyed(f, &st))
		read_settings(f, fd);
	close(fd);
	return f;
}

/* --- adding a line -------------------------------------------------------------------------- */

/*
 * Return a line that cut_value() reads back, to be freed.  NULL: one line cannot hold the value,
 * or out of memory.
 */
static char *line_of(const char *key, const char *value, bool newline)
{
	bool quoted = !*value || strchr(BLANKS "#\"", *value) || strstr(value, " #") ||
		      strstr(value, "\t#") || strchr(BLANKS, value[strlen(value) - 1]);
	char *line = NULL;

	if (value[strcspn(value, "\n\r")] || (quoted && strchr(value, '"')))
		return NULL;
	if (asprintf(&line, "%s%s = %s%s%s\n", newline ? "\n" : "", key, quoted ? "\"" : "", value,
		     quoted ? "\"" : "") < 0)
		return NULL;
	return line;
}

/* Return true if it is of that type and our user's, and no other user may write it. */
static bool is_ours_alone(int fd, mode_t type)
{
	struct stat st;

	return !fstat(fd, &st) && (st.st_mode & S_IFMT) == type && st.st_uid == geteuid() &&
	       !(st.st_mode & (S_IWGRP | S_IWOTH));
}

/* Open the directory of `name`, making it if it is missing.  -EPERM: not ours alone; -errno. */
static int open_settings_dir(const char *name)
{
	char *dir = strdup(name), *slash = dir ? strrchr(dir, '/') : NULL, *above;
	int fd = -ENOMEM;

	if (slash) {
		*slash = '\0';
		above = strrchr(dir, '/');
		if (above && above != dir) {
			*above = '\0';
			mkdir(dir, 0700);
			*above = '/';
		}
		mkdir(dir, 0700);
		fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
		fd = fd < 0 ? -errno : fd;
	}
	free(dir);
	if (fd >= 0 && !is_ours_alone(fd, S_IFDIR)) {
		close(fd);
		return -EPERM;
	}
	return fd;
}

/* Append a line, or nothing: a part that was written is cut off again.  0, or -errno with err. */
static int append_setting(int fd, const char *key, const char *value, struct err *err)
{
	struct stat st;
	char last = '\n', *line;
	ssize_t n;
	int ret = 0;

	if (fstat(fd, &st) || (st.st_size && pread(fd, &last, 1, st.st_size - 1) != 1))
		return err_set(err, errno ? errno : EIO, "%s", strerror(errno));
	line = line_of(key, value, last != '\n');
	if (!line)
		return err_set(err, EINVAL, "a setting cannot contain both \" and #, or a newline");
	if ((uint64_t)st.st_size + strlen(line) > OPTIONFILE_BYTES)
		ret = err_set(err, E2BIG, "it would be larger than %u KB", OPTIONFILE_BYTES >> 10);
	n = ret ? 0 : write(fd, line, strlen(line));
	if (!ret && n != (ssize_t)strlen(line)) {
		ret = err_set(err, n < 0 ? errno : ENOSPC, "%s", strerror(n < 0 ? errno : ENOSPC));
		if (n > 0 && ftruncate(fd, st.st_size))
			err_advise(err, "its last line is incomplete");
	}
	free(line);
	return ret;
}

int optionfile_add(const char *name, const char *key, const char *value, struct err *err)
{
	const char *base = strrchr(name, '/');
	int place = open_settings_dir(name), fd, ret;

	if (place < 0)
		return err_set(err, -place, "%s: not written: %s", name,
			       place == -EPERM
				       ? "its directory belongs to another user, or other users "
					 "may write to it"
				       : strerror(-place));
	fd = openat(place, base + 1,
		    O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC,
		    0600);
	if (fd < 0)
		ret = err_set(err, errno, "not written: %s", strerror(errno));
	else if (!is_ours_alone(fd, S_IFREG))
		ret = err_set(
			err, EPERM,
			"not written: it belongs to another user, other users may write to it, or "
			"it is not a regular file");
	else
		ret = append_setting(fd, key, value, err);
	if (ret)
		err_prefix(err, name);
	if (fd >= 0 && close(fd) && !ret)
		ret = err_set(err, errno, "%s: %s", name, strerror(errno));
	close(place);
	return ret;
}

void optionfile_free(struct optionfile *f)
{
	if (!f)
		return;
	for (unsigned i = 0; i < OPTIONFILE_COMPLAINTS; i++)
		free(f->complaint[i]);
	free(f->text);
	free(f->name);
	free(f);
}
