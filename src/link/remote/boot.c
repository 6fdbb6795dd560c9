/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "link/remote/boot.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/text.h"
#include "link/remote/agentimage.h"
#include "link/remote/bootscript.h"
#include "link/remote/sshlog.h"
#include "link/wire/message.h"

#define MARK_BYTES  16
#define LINE_BYTES  2048
#define SWITCHLOG_BYTES  4096        /* newest bytes of stderr that are kept */
#define NOISE_MOST  (1u << 20)  /* bytes that a profile may print */
#define PATIENCE_S  60          /* without a byte from the host */
#define SLOWEST_LINE 1000       /* bytes/s: the slowest transfer of an agent that is allowed */
#define LAST_WORDS_MS 500       /* of stderr, after stdout has ended */
#define ENDED_MS      50        /* for the program's status, after its stdout has ended */

/* Progress of the boot. */
enum stage {
	ASKED,
	TOLD_TO_RUN,
	TOLD_TO_TAKE,
	SENT,
	RUNNING /* the agent, or sudo, has the pipes */
};

struct boot {
	struct boot_config c;
	struct transport t;
	char mark[2 * MARK_BYTES + 1];
	const struct agentimage *image;
	char script[BOOTSCRIPT_MAX];
	const uint8_t *out;     /* bytes to be written */
	size_t nout;
	char line[LINE_BYTES];  /* of stdout, incomplete */
	size_t nline, noise;
	char chatter[160];      /* the last line without the mark */
	char said[SWITCHLOG_BYTES];  /* the newest of stderr */
	size_t nsaid;
	bool packed;            /* the image is sent gzipped */
	uint64_t deadline, ended; /* 0: none; when stdout ended, 0: not yet */
	enum stage stage;
	bool err_ended, tried;  /* tried: the known password was sent */
	char note[256];
};

static void extend(struct boot *b, uint64_t bytes)
{
	b->deadline = clock_ns() + (PATIENCE_S + bytes / SLOWEST_LINE) * NSEC_PER_SEC;
}

static void send_bytes(struct boot *b, const void *bytes, size_t len)
{
	b->out = bytes;
	b->nout = len;
	extend(b, len);
}

static int make_mark(struct boot *b, struct err *err)
{
	uint8_t bytes[MARK_BYTES];

	if (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes))
		return err_set(err, errno, "no random numbers: %s", strerror(errno));
	text_hex(b->mark, bytes, sizeof(bytes));
	return 0;
}

/* The agent chose the token, and it becomes part of a script. */
static int token_check(const char *token, struct err *err)
{
	if (!token || !token[strspn(token, "0123456789abcdef")])
		return 0;
	return err_set(err, EPROTO, "'%s' is not a session token", token);
}

struct boot *boot_begin(const struct boot_config *c, struct transport *t, struct err *err)
{
	struct boot *b = calloc(1, sizeof(*b));

	if (!b) {
		err_room(err, ENOMEM, "a connection to %s", c->host);
		transport_close(t);
		return NULL;
	}
	b->c = *c;
	b->t = *t;
	if (token_check(c->resume_token, err) || make_mark(b, err)) {
		boot_free(b);
		return NULL;
	}
	bootscript_ask(b->script, &(struct bootscript){.mark = b->mark});
	send_bytes(b, b->script, strlen(b->script));
	if (!c->batch)
		b->deadline = 0; /* ssh may prompt, and the user take any time */
	return b;
}

struct boot *boot_start(const struct boot_config *c, struct err *err)
{
	struct transport t = {.in = -1, .out = -1, .err = -1};

	return ssh_start(&t, c->host, c->ssh, c->batch, err) ? NULL : boot_begin(c, &t, err);
}

int boot_poll(struct boot *b, struct pollfd p[BOOT_FDS])
{
	int n = 0;

	if (!b->ended)
		p[n++] = (struct pollfd){b->t.in, POLLIN, 0};
	if (!b->err_ended)
		p[n++] = (struct pollfd){b->t.err, POLLIN, 0};
	if (b->nout)
		p[n++] = (struct pollfd){b->t.out, POLLOUT, 0};
	return n;
}

const char *boot_note(const struct boot *b)
{
	return b->note;
}

void boot_free(struct boot *b)
{
	if (!b)
		return;
	transport_close(&b->t);
	free(b);
}

/* --- errors --- */

/* Write why it ended: the last lines of stderr that fit, stdout's last line, or the status. */
static void last_words(struct boot *b, char *dst, size_t size)
{
	const char *end = b->said + b->nsaid, *start;
	char how[100];
	size_t pos = 0;

	while (end > b->said && (isspace((unsigned char)end[-1]) || !end[-1]))
		end--;
	start = end - b->said > (long)size - 1 ? end - size + 1 : b->said;
	while (start > b->said && start < end && start[-1] != '\n')
		start++;
	for (; start < end && pos + 1 < size; start++)
		if (*start == '\n')
			pos = text_append(dst, size, pos, "; ");
		else if (*start != '\r' && *start)
			dst[pos++] = *start;
	dst[pos] = 0;
	if (!sshlog_blank(dst))
		return;
	if (!sshlog_blank(b->chatter))
		text_append(dst, size, 0, "%s", b->chatter);
	else if (transport_ended(&b->t, ENDED_MS, how, sizeof(how)))
		text_append(dst, size, 0, "%s, without output", how);
	else
		text_append(dst, size, 0, "it ended without output");
}

static bool is_access_refusal(const char *words)
{
	static const char *const texts[] = {"ermission denied", "not allowed", "not in the sudoers",
					    "must have a tty", "password"};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (strstr(words, texts[i]))
			return true;
	return false;
}

static int fail_ended(struct boot *b, struct err *err)
{
	char words[400];

	last_words(b, words, sizeof(words));
	return err_set(err, is_access_refusal(words) ? EACCES : ECONNRESET, "%s: %s", b->c.host,
		       words);
}

/* --- the shell's lines --- */

static void __attribute__((format(printf, 2, 3))) note(struct boot *b, const char *fmt, ...)
{
	size_t pos =
		text_append(b->note, sizeof(b->note), strlen(b->note), "%s", *b->note ? "; " : "");
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(b->note + pos, sizeof(b->note) - pos, fmt, ap);
	va_end(ap);
}

static bool has_tool(const char *tools, const char *name)
{
	const char *at = strstr(tools, name);

	return at && at > tools && at[-1] == ',' && (!at[strlen(name)] || at[strlen(name)] == ',');
}

static int tell_sent(struct boot *b, struct bootscript *s, const char *machine, const char *tools,
		     struct err *err)
{
	bool sha = has_tool(tools, "sha256sum");
	char want[SHA256_TEXT + 2];

	b->packed = has_tool(tools, "gzip");
	b->image = agentimage_get(b->c.agent_dir, machine, err);
	if (!b->image)
		return err_prefix(err, b->c.host);
	if (sha)
		snprintf(want, sizeof(want), "%s -", b->image->hash);
	else
		agentimage_cksum(b->image, want, sizeof(want));
	s->hash = b->image->hash;
	s->check = sha ? "sha256sum" : "cksum";
	s->want = want;
	/* dd is slow so, but reads no further. */
	s->take = has_tool(tools, "head") ? "head -c " : "dd bs=1 count=";
	s->unpack = b->packed ? "gzip -dc" : "cat";
	s->len = b->image->len;
	s->sent = b->packed ? b->image->npacked : b->image->len;
	s->keep = b->c.keep;
	bootscript_send(b->script, s);
	if (!sha)
		note(b, "checked by cksum: the host has no sha256sum");
	return 0;
}

static int on_ask(struct boot *b, const char *rest, struct err *err)
{
	struct bootscript s = {.resume = b->c.resume_token ? b->c.resume_token : ""};
	char kernel[32], machine[32], tools[64];
	unsigned uid, major = 0;
	int r = 0;

	if (sscanf(rest, "%31s %31s %u %63s %u.", kernel, machine, &uid, tools, &major) < 4)
		return err_set(err, EPROTO, "%s: unexpected output of its shell: '%s'", b->c.host,
			       rest);
	if (strcmp(kernel, "Linux"))
		return err_set(err, EOPNOTSUPP, "%s runs %s: ringtop's agent needs Linux",
			       b->c.host, kernel);
	s.sudo = b->c.sudo && uid;
	if (s.sudo && !has_tool(tools, "sudo"))
		return err_set(err, EACCES, "%s has no sudo", b->c.host);
	if (major == WIRE_MAJOR)
		bootscript_installed(b->script, &s);
	else
		r = tell_sent(b, &s, machine, tools, err);
	if (!r)
		send_bytes(b, b->script, strlen(b->script));
	b->stage = b->image ? TOLD_TO_TAKE : TOLD_TO_RUN;
	return r;
}

static int on_send(struct boot *b, const char *rest, struct err *err)
{
	size_t len = b->packed ? b->image->npacked : b->image->len;

	(void)err;
	note(b, "sent %zu KB, by way of %s", len >> 10, rest);
	send_bytes(b, b->packed ? b->image->packed : b->image->data, len);
	b->stage = SENT;
	return 0;
}

static int on_none(struct boot *b, const char *rest, struct err *err)
{
	err_set(err, EACCES, "%s has no directory for ringtop's agent: %s", b->c.host, rest);
	return err_advise(err, "install ringtop on the host, or make room in one of these");
}

static int on_bad(struct boot *b, const char *rest, struct err *err)
{
	char words[200];

	err_set(err, EBADMSG,
		"%s: the agent was changed in transfer: its checksum is %.16s..., not %.16s...",
		b->c.host, rest, b->image->hash);
	last_words(b, words, sizeof(words));
	return b->nsaid ? err_advise(err, "%s", words) : -EBADMSG;
}

static int on_run(struct boot *b, const char *rest, struct err *err)
{
	(void)err;
	b->stage = RUNNING;
	if (!strcmp(rest, "unkept"))
		note(b, "it could not be kept in the host's cache");
	return 0;
}

static const struct answer {
	const char *word;
	unsigned stages; /* bits of the stages in which it is valid */
	int (*take)(struct boot *b, const char *rest, struct err *err);
} answers[] = {
	{"ask", 1 << ASKED, on_ask},
	{"send", 1 << TOLD_TO_TAKE, on_send},
	{"none", 1 << TOLD_TO_TAKE, on_none},
	{"bad", 1 << SENT, on_bad},
	{"run", 1 << TOLD_TO_RUN | 1 << TOLD_TO_TAKE | 1 << SENT, on_run},
};

static int handle_stdout_line(struct boot *b, struct err *err)
{
	size_t n = strlen(b->mark);
	char *word = b->line + n + 1, *rest;

	b->line[b->nline] = 0;
	if (strncmp(b->line, b->mark, n) || b->line[n] != ' ') {
		if (b->line[strspn(b->line, " \t\r")])
			snprintf(b->chatter, sizeof(b->chatter), "%.*s",
				 (int)sizeof(b->chatter) - 1, b->line);
		return 0;
	}
	rest = word + strcspn(word, " ");
	if (*rest)
		*rest++ = 0;
	for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++)
		if (!strcmp(word, answers[i].word) && answers[i].stages >> b->stage & 1)
			return answers[i].take(b, rest, err);
	return err_set(err, EPROTO, "%s: unexpected output of its shell: '%s'", b->c.host, word);
}

/* --- the pipes --- */

/* Keep the agent's first bytes for the caller, which gets the connection now. */
static int take_early(struct boot *b, const uint8_t *bytes, size_t len, struct err *err)
{
	b->t.early = malloc(len);
	if (!b->t.early)
		return err_room(err, ENOMEM, "a connection to %s", b->c.host);
	memcpy(b->t.early, bytes, len);
	b->t.nearly = len;
	return 1;
}

static int handle_stdout(struct boot *b, const uint8_t *bytes, size_t len, struct err *err)
{
	int r = 0;

	for (size_t i = 0; i < len && !r; i++) {
		if (b->stage == RUNNING)
			return take_early(b, bytes + i, len - i, err);
		if (bytes[i] == '\n') {
			r = handle_stdout_line(b, err);
			b->nline = 0;
		} else if (b->nline < sizeof(b->line) - 1) {
			b->line[b->nline++] = (char)bytes[i];
		}
	}
	b->noise += len;
	if (!r && b->noise > NOISE_MOST)
		r = err_set(err, EPROTO, "%s: the login shell does not stop printing: '%s'",
			    b->c.host, b->chatter);
	return r;
}

static int read_out(struct boot *b, struct err *err)
{
	uint8_t bytes[4096];
	ssize_t n = b->ended ? -1 : read(b->t.in, bytes, sizeof(bytes));

	if (n == 0)
		b->ended = clock_ns();
	if (n <= 0)
		return 0;
	if (b->deadline)
		extend(b, b->nout);
	return handle_stdout(b, bytes, (size_t)n, err);
}

static int nobody_asked(const struct boot *b, struct err *err)
{
	err_set(err, EACCES, "%s: sudo wants a password, and there is no terminal to ask for it",
		b->c.host);
	return err_advise(
		err,
		"start ringtop on a terminal, or allow sudo on the host to run an installed "
		"ringtop with NOPASSWD");
}

static int give_password(struct boot *b, struct err *err)
{
	char prompt[160], host[80];
	size_t len;
	const char *line;
	int r;

	if (b->tried)
		password_forget(b->c.password);
	if (!b->c.password || (b->c.batch && !password_known(b->c.password)))
		return nobody_asked(b, err);
	if (!password_known(b->c.password)) {
		text_escape(host, sizeof(host), b->c.host);
		snprintf(prompt, sizeof(prompt), "%ssudo on %s wants your password: ",
			 b->tried ? "It is not that one.  " : "", host);
		r = password_ask(b->c.password, prompt, err);
		if (r)
			return r == -ENOTTY ? nobody_asked(b, err) : r;
	}
	b->tried = true;
	line = password_line(b->c.password, &len);
	if (write(b->t.out, line, len) != (ssize_t)len)
		return err_set(err, EPIPE, "%s: sudo did not accept the password", b->c.host);
	extend(b, 0);
	return 0;
}

/*
 * sudo's prompt is the mark.  Text before it (a lecture, "try again") is dropped: it is not a
 * reason of failure.
 */
static int look_for_prompt(struct boot *b, struct err *err)
{
	char *at = b->stage == RUNNING && b->c.sudo
			   ? memmem(b->said, b->nsaid, b->mark, strlen(b->mark))
			   : NULL;

	if (!at)
		return 0;
	b->nsaid = 0;
	return give_password(b, err);
}

static void read_err(struct boot *b)
{
	char bytes[SWITCHLOG_BYTES / 2 + 1];
	ssize_t n = b->err_ended ? -1 : read(b->t.err, bytes, sizeof(bytes) - 1);

	if (n == 0)
		b->err_ended = true;
	if (n <= 0)
		return;
	bytes[n] = 0;
	log_msg(LOG_SESSION, "%s: %s", b->c.host, bytes);
	if (b->nsaid + (size_t)n > sizeof(b->said)) {
		memmove(b->said, b->said + n, b->nsaid - (size_t)n);
		b->nsaid -= (size_t)n;
	}
	memcpy(b->said + b->nsaid, bytes, (size_t)n);
	b->nsaid += (size_t)n;
}

/* An error here is ignored: a broken pipe also ends stdout, which then has the reason. */
static void write_out(struct boot *b)
{
	ssize_t n = b->nout ? write(b->t.out, b->out, b->nout) : 0;

	if (n > 0) {
		b->out += n;
		b->nout -= (size_t)n;
	} else if (n < 0 && errno != EAGAIN && errno != EINTR) {
		b->nout = 0;
	}
}

static int check_end_and_deadline(struct boot *b, struct err *err)
{
	uint64_t now = clock_ns();

	if (b->ended && (b->err_ended || now > b->ended + LAST_WORDS_MS * NSEC_PER_MSEC))
		return fail_ended(b, err);
	return !b->ended && b->deadline && now > b->deadline
		       ? err_set(err, ETIMEDOUT, "%s: no answer for %d s", b->c.host, PATIENCE_S)
		       : 0;
}

int boot_step(struct boot *b, struct transport *t, struct err *err)
{
	int r;

	read_err(b);
	r = read_out(b, err);
	if (!r)
		r = look_for_prompt(b, err);
	if (!r)
		write_out(b);
	if (!r)
		r = check_end_and_deadline(b, err);
	if (r == 1) {
		*t = b->t;
		b->t = (struct transport){.in = -1, .out = -1, .err = -1};
	}
	return r;
}
