/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "system/sandbox/helper.h"

#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/heap.h"
#include "base/log.h"
#include "system/sandbox/helpermessage.h"
#include "system/sandbox/process.h"
#include "system/sandbox/confine.h"
#include "system/proc/rootopen.h"

#define ASK_MAX (64u << 20)

static unsigned logs_left; /* messages, while this request is served */

/* Open a file through ringtop, in place of rootopen. */
static int want_file(const char *root, const char *path, bool nofollow, struct stat *st)
{
	struct wire_out o = {.len = 0};
	struct message m = {.kind = HELPERMESSAGE_WANT};
	int fd = -1, ret;

	wire_put(&o, root != NULL, 1);
	wire_put(&o, nofollow, 1);
	wire_put_text(&o, path);
	m.len = o.len;
	ret = o.failed ? -ENOMEM : helpermessage_post(HELPER_SOCKET, &m, o.data, -1, 0);
	wire_clear(&o);
	if (!ret)
		ret = helpermessage_receive(HELPER_SOCKET, &m, &fd, 0);
	if (ret || m.kind != HELPERMESSAGE_GIVE)
		_exit(1); /* no process to reply to */
	if (fd >= 0 && st && fstat(fd, st))
		memset(st, 0, sizeof(*st));
	return fd >= 0 ? fd : -(int)m.job;
}

void helper_need(const struct wire_out *ask, struct wire_in *in, void **bytes)
{
	struct message m = {.kind = HELPERMESSAGE_NEED, .len = ask->len};
	int fd = -1, ret = helpermessage_post(HELPER_SOCKET, &m, ask->data, -1, 0);

	if (!ret)
		ret = helpermessage_receive(HELPER_SOCKET, &m, &fd, 0);
	if (ret || m.kind != HELPERMESSAGE_BYTES || m.len > ASK_MAX)
		_exit(1);
	*bytes = malloc(m.len + 1);
	if (!*bytes || helpermessage_receive_bytes(HELPER_SOCKET, *bytes, m.len, 0))
		_exit(1);
	*in = (struct wire_in){*bytes, (uint8_t *)*bytes + m.len, false};
}

static void send_text(enum helpermessage_kind kind, const char *text)
{
	struct wire_out o = {.len = 0};
	struct message m = {.kind = kind};

	wire_put_text(&o, text);
	m.len = o.len;
	if (o.failed || helpermessage_post(HELPER_SOCKET, &m, o.data, -1, 0))
		_exit(1);
	wire_clear(&o);
}

static void log_there(const char *text)
{
	if (!logs_left)
		return;
	send_text(HELPERMESSAGE_LOG, --logs_left ? text : "and more that is left out");
}

static void serve_and_reply(const struct message *ask, const uint8_t *bytes, int fd,
			    helper_serve *const serve[SANDBOX_JOBS])
{
	struct wire_in in = {bytes, bytes + ask->len, false};
	struct wire_out out = {.len = 0};
	struct message m = {.kind = HELPERMESSAGE_ANSWER, .job = ask->job};

	logs_left = HELPER_LOGS_MAX;
	serve[ask->job](&in, fd, &out);
	if (out.failed || out.len > HELPERMESSAGE_MAX) {
		wire_clear(&out);
		helper_put_error(&out, -ENOMEM,
				 &(struct err){.code = ENOMEM, .text = "out of memory"});
	}
	m.len = out.len;
	if (helpermessage_post(HELPER_SOCKET, &m, out.data, -1, 0))
		_exit(1);
	wire_clear(&out);
	heap_trim();
}

/* Return false if there was no request. */
static bool serve_one(helper_serve *const serve[SANDBOX_JOBS])
{
	struct message ask;
	uint8_t *bytes = NULL;
	int fd, ret = helpermessage_receive(HELPER_SOCKET, &ask, &fd, 0);

	if (!ret && ask.kind == HELPERMESSAGE_ASK && ask.job < SANDBOX_JOBS && serve[ask.job] &&
	    ask.len <= ASK_MAX)
		bytes = malloc(ask.len + 1);
	if (!bytes || helpermessage_receive_bytes(HELPER_SOCKET, bytes, ask.len, 0))
		return false;
	serve_and_reply(&ask, bytes, fd, serve);
	free(bytes);
	if (fd >= 0)
		close(fd);
	return true;
}

int helper_main(int argc, char *const argv[], helper_serve *const serve[SANDBOX_JOBS])
{
	const struct process_kind *kind =
		argc == PROCESS_ARGUMENTS ? process_kind_named(argv[2]) : NULL;
	char missing[SANDBOX_WHY_MAX];
	struct stat st;

	if (!kind || fstat(HELPER_SOCKET, &st) || !S_ISSOCK(st.st_mode)) {
		fprintf(stderr, "ringtop: %s is for internal use: ringtop starts such processes "
				"itself\n", HELPER_ARGUMENT);
		return 2;
	}
	prctl(PR_SET_NAME, kind->comm);
	close_range(HELPER_SOCKET + 1, ~0u, 0);
	budget_set_limit(strtoull(argv[3], NULL, 10));
	mallopt(M_ARENA_MAX, 1);
	heap_return_large();
	process_lower(kind);
	confine_enter(process_memory(kind), kind->files, (uid_t)strtoul(argv[4], NULL, 10), missing,
		      sizeof(missing));
	rootopen_by(want_file);
	log_to(log_there);
	send_text(HELPERMESSAGE_HELLO, missing);
	while (serve_one(serve))
		;
	_exit(0);
}

/* --- both sides --------------------------------------------------------------------------- */

void helper_put_error(struct wire_out *out, int ret, const struct err *err)
{
	wire_put(out, (uint32_t)-ret, 4);
	wire_put_err(out, err);
}

int helper_get_error(struct wire_in *in, struct err *err)
{
	uint32_t ret = (uint32_t)wire_get(in, 4);

	wire_get_err(in, err);
	in->failed |= ret >= 4096;
	return in->failed ? err_set(err, EPROTO, "the helper sent an invalid answer") : -(int)ret;
}
