/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "control/control.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"

static const struct {
	const char *text;
	enum control_word word;
	bool named;
} words[] = {
	{"mark", CONTROL_MARK, true},	   {"enable", CONTROL_RESUME, false},
	{"resume", CONTROL_RESUME, false}, {"disable", CONTROL_PAUSE, false},
	{"pause", CONTROL_PAUSE, false},   {"snapshot", CONTROL_SNAPSHOT, false},
	{"ping", CONTROL_PING, false},	   {"stop", CONTROL_STOP, false},
};

#define BLANKS " \t\r"

/* Parse a line, without the blanks around it. */
static void parse_order(const char *line, struct control_order *order)
{
	const char *at = line + strspn(line, BLANKS), *rest;
	size_t len = strcspn(at, BLANKS), end;

	rest = at + len + strspn(at + len, BLANKS);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strlen(words[i].text) != len || memcmp(words[i].text, at, len) != 0 ||
		    (*rest && !words[i].named))
			continue;
		order->word = words[i].word;
		text_append(order->text, sizeof(order->text), 0, "%s", rest);
		for (end = strlen(order->text); end && strchr(BLANKS, order->text[end - 1]);)
			order->text[--end] = '\0';
		return;
	}
	order->word = CONTROL_UNKNOWN;
	text_append(order->text, sizeof(order->text), 0, "%s", at);
}

/* Finish the line.  Return true if it is not blank: *order is its order, perhaps an unknown one. */
static bool end_order(struct control_lines *l, struct control_order *order)
{
	bool some = l->over;

	l->line[l->len] = '\0';
	some |= l->line[strspn(l->line, BLANKS)] != '\0';
	if (some)
		parse_order(l->line, order);
	if (l->over) {
		order->word = CONTROL_UNKNOWN;
		l->counts.too_long++;
	} else if (some) {
		l->counts.unknown += order->word == CONTROL_UNKNOWN;
		l->counts.orders += order->word != CONTROL_UNKNOWN;
	}
	l->len = 0;
	l->over = false;
	return some;
}

size_t control_take(struct control_lines *l, const char *data, size_t n,
		    struct control_order *order, bool *whole)
{
	*whole = false;
	for (size_t i = 0; i < n; i++) {
		if (data[i] == '\n' || !data[i]) {
			*whole = end_order(l, order);
			return i + 1;
		}
		if (l->len + 1 < sizeof(l->line))
			l->line[l->len++] = data[i];
		else
			l->over = true;
	}
	return n;
}

/* --- the FIFO ------------------------------------------------------------------------------- */

#define SIDES 2 /* orders, acks */

struct control {
	struct control_lines lines;
	struct side {
		char *path;
		int fd; /* -1: there is none */
		bool made;
		dev_t dev;
		ino_t ino;
	} side[SIDES];
	char data[1024];
	size_t at, len;
};

/*
 * Check a FIFO that existed already, by the same rule as the file of settings: its owner, and all
 * users that may write it, could give orders.
 */
static int check_fifo_owner(const struct side *s, const struct stat *st, struct err *err)
{
	if (st->st_uid != geteuid() && st->st_uid)
		err_set(err, EPERM,
			"--control: %s belongs to user %u, who could then give orders to ringtop",
			s->path, (unsigned)st->st_uid);
	else if (!geteuid() && st->st_mode & (S_IWGRP | S_IWOTH))
		err_set(err, EPERM,
			"--control: other users may write to %s (chmod go-w), and ringtop runs as "
			"root", s->path);
	else
		return 0;
	err_advise(err,
		   "name a FIFO that does not exist yet: ringtop creates it for its own user only");
	return -EPERM;
}

static int side_open(struct side *s, const char *path, size_t len, struct err *err)
{
	struct stat st;

	s->path = strndup(path, len);
	if (!s->path)
		return err_room(err, ENOMEM, "--control");
	if (!len)
		return err_set(err, EINVAL,
			       "--control: the FIFO's name is empty; use FIFO or fifo:FIFO[,ACK]");
	s->made = !mkfifo(s->path, 0600);
	if (!s->made && errno != EEXIST)
		return err_set(err, errno, "--control: cannot create the FIFO %s: %s", s->path,
			       strerror(errno));
	/* Both ends: opening does not wait for a writer, and there is no end of file. */
	s->fd = open(s->path, O_RDWR | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW);
	if (s->fd < 0)
		return err_set(err, errno, "--control: cannot open %s: %s", s->path,
			       strerror(errno));
	if (fstat(s->fd, &st) || !S_ISFIFO(st.st_mode))
		return err_set(err, EINVAL, "--control: %s exists and is not a FIFO", s->path);
	s->dev = st.st_dev;
	s->ino = st.st_ino;
	return s->made ? 0 : check_fifo_owner(s, &st, err);
}

/* Close a side; remove its FIFO if it was made here and still is the same one. */
static void side_close(struct side *s)
{
	struct stat st;

	if (s->fd >= 0 && s->made && !lstat(s->path, &st) && st.st_dev == s->dev &&
	    st.st_ino == s->ino)
		unlink(s->path);
	if (s->fd >= 0)
		close(s->fd);
	free(s->path);
}

struct control *control_open(const char *spec, struct err *err)
{
	bool perf = !strncmp(spec, "fifo:", 5);
	const char *path = spec + (perf ? 5 : 0), *comma = perf ? strchr(path, ',') : NULL;
	struct control *c = calloc(1, sizeof(*c));
	int ret;

	if (!strncmp(spec, "fd:", 3)) {
		err_set(err, EINVAL,
			"--control: file descriptors are not supported; use FIFO or "
			"fifo:FIFO[,ACK]");
		free(c);
		return NULL;
	}
	if (!c)
		return err_null(err_room(err, ENOMEM, "--control"));
	c->side[0].fd = c->side[1].fd = -1;
	ret = side_open(&c->side[0], path, comma ? (size_t)(comma - path) : strlen(path), err);
	if (!ret && comma)
		ret = side_open(&c->side[1], comma + 1, strlen(comma + 1), err);
	if (!ret)
		return c;
	control_close(c);
	return NULL;
}

void control_close(struct control *c)
{
	if (!c)
		return;
	for (int i = 0; i < SIDES; i++)
		side_close(&c->side[i]);
	free(c);
}

int control_fd(const struct control *c)
{
	return c ? c->side[0].fd : -1;
}

bool control_next(struct control *c, struct control_order *order)
{
	bool whole = false;

	while (c && !whole) {
		if (c->at == c->len) {
			ssize_t n = read(c->side[0].fd, c->data, sizeof(c->data));

			c->at = 0;
			c->len = n > 0 ? (size_t)n : 0;
			if (n <= 0)
				return false;
		}
		c->at += control_take(&c->lines, c->data + c->at, c->len - c->at, order, &whole);
	}
	return whole;
}

void control_answer(struct control *c)
{
	if (c->side[1].fd >= 0 && write(c->side[1].fd, "ack\n", 4) != 4)
		c->lines.counts.unanswered++;
}

void control_serve(struct control *c, bool (*obey)(void *arg, const struct control_order *order),
		   void *arg)
{
	struct control_order order;

	for (int i = 0; i < CONTROL_AT_ONCE && control_next(c, &order); i++)
		if (obey(arg, &order))
			control_answer(c);
}

const struct control_counts *control_counts(const struct control *c)
{
	return &c->lines.counts;
}
