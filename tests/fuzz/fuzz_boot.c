/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a host's login and shell answer while an agent is brought there: lines before and between the marks, answers
 * that were not asked for, stderr, prompts of sudo, ends of either.
 *
 * An input begins with a byte of settings; then come records: a byte that says what happens, one of how many bytes
 * follow, and these.  A byte 1 in them stands for the mark, which is another one each time.
 * `fuzz_boot --seeds DIR` writes the corpus.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "link/remote/boot.h"
#include "tests/fuzz/must.h"

#define MARK 32u
#define ROUNDS_MOST 64u

enum { OUT, ERR, END_OUT, END_ERR, HAPPENINGS };

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char agents[64];

struct shell {
	int out, err, in; /* it writes two and reads one */
	char mark[MARK + 1];
	size_t read;      /* bytes of scripts, and of what was sent */
};

static void remove_agents(void)
{
	static const char *const parts[] = {"/x86_64/ringtop-agent", "/x86_64", ""};
	char path[128];

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		snprintf(path, sizeof(path), "%s%s", agents, parts[i]);
		remove(path);
	}
}

static void make_agents(void)
{
	char path[128];
	FILE *f;

	strcpy(agents, "/tmp/fuzz-boot-XXXXXX");
	must(mkdtemp(agents) != NULL);
	atexit(remove_agents);
	snprintf(path, sizeof(path), "%s/x86_64", agents);
	must(!mkdir(path, 0700));
	snprintf(path, sizeof(path), "%s/x86_64/ringtop-agent", agents);
	f = fopen(path, "wb");
	must(f != NULL);
	for (unsigned i = 0; i < 3000; i++)
		putc((int)(i * i >> 3 & 255), f);
	must(!fclose(f));
}

static int ends(int pipe_ends[2])
{
	return pipe2(pipe_ends, O_CLOEXEC | O_NONBLOCK);
}

static void shell_open(struct shell *sh, struct transport *t)
{
	int in[2], out[2], err[2];

	must(!ends(in) && !ends(out) && !ends(err));
	*t = (struct transport){.in = out[0], .out = in[1], .err = err[0]};
	*sh = (struct shell){.out = out[1], .err = err[1], .in = in[0]};
}

static void shell_end(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* What came to the shell; the first script has the mark. */
static void shell_read(struct shell *sh)
{
	char text[4096];
	ssize_t n;

	while ((n = read(sh->in, text, sizeof(text))) > 0) {
		for (ssize_t i = 0; !*sh->mark && i + (ssize_t)MARK <= n; i++)
			if (strspn(text + i, "0123456789abcdef") >= MARK)
				memcpy(sh->mark, text + i, MARK);
		sh->read += (size_t)n;
	}
}

static void shell_say(struct shell *sh, int fd, const uint8_t *bytes, size_t len)
{
	for (size_t i = 0; fd >= 0 && i < len; i++)
		if (write(fd, bytes[i] == 1 ? (const void *)sh->mark : &bytes[i], bytes[i] == 1 ? MARK : 1) < 0)
			must(errno == EAGAIN);
}

static void happen(struct shell *sh, uint8_t what, const uint8_t *bytes, size_t len)
{
	switch (what % HAPPENINGS) {
	case OUT:
		shell_say(sh, sh->out, bytes, len);
		break;
	case ERR:
		shell_say(sh, sh->err, bytes, len);
		break;
	case END_OUT:
		shell_end(&sh->out);
		break;
	default:
		shell_end(&sh->err);
	}
}

/* Under way, done or refused with words; as long as it goes on it waits for something. */
static int turn(struct boot *b, struct shell *sh, struct transport *t)
{
	struct pollfd p[BOOT_FDS];
	struct err err = {.code = 0};
	int r = 0;

	for (unsigned i = 0; !r && i < 4; i++) {
		r = boot_step(b, t, &err);
		shell_read(sh);
	}
	must(r >= 0 || *err.text);
	must(r <= 1 && strlen(boot_note(b)) < 256);
	must(r || boot_poll(b, p) > 0);
	return r;
}

static void converse(struct boot *b, struct shell *sh, const uint8_t *data, size_t size)
{
	struct transport t = {.in = -1, .out = -1, .err = -1};
	int r = turn(b, sh, &t);

	for (unsigned i = 0; !r && size >= 2 && i < ROUNDS_MOST; i++) {
		size_t len = data[1] < size - 2 ? data[1] : size - 2;

		happen(sh, data[0], data + 2, len);
		data += 2 + len;
		size -= 2 + len;
		r = turn(b, sh, &t);
	}
	must(r != 1 || t.nearly);
	transport_close(&t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t how = size ? data[0] : 0;
	const struct boot_config c = {.host = "h", .sudo = how & 1, .keep = how & 2, .batch = true, .agent_dir = agents,
				      .resume_token = how & 4 ? "0123456789abcdef" : NULL};
	struct transport t;
	struct shell sh;
	struct boot *b;
	struct err err;

	shell_open(&sh, &t);
	b = boot_begin(&c, &t, &err);
	must(b != NULL);
	converse(b, &sh, data + !!size, size - !!size);
	boot_free(b);
	shell_end(&sh.out);
	shell_end(&sh.err);
	shell_end(&sh.in);
	return 0;
}

/* --- seeds -------------------------------------------------------------------------------- */

static void put_record(FILE *f, uint8_t what, const char *text)
{
	putc(what, f);
	putc((int)strlen(text), f);
	fputs(text, f);
}

static void write_seed(const char *dir, const char *name, uint8_t how, const char *const *said)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "wb");
	must(f != NULL);
	putc(how, f);
	for (; *said; said++)
		put_record(f, **said == '!' ? ERR : **said == '.' ? END_OUT : OUT, *said + (**said == '!'));
	must(!fclose(f));
}

static void write_seeds(const char *dir)
{
	static const struct {
		const char *name;
		uint8_t how;
		const char *said[8];
	} seeds[] = {
		{"installed", 0, {"Welcome\n", "\1 ask Linux x86_64 0 ,head,gzip, 1.0\n", "\1 run\n", "HELLO"}},
		{"sent", 2, {"\1 ask Linux x86_64 1000 ,head,gzip,sha256sum, --\n", "\1 send /dev/shm\n", "\1 run unkept\n", "H"}},
		{"cksum", 4, {"\1 ask Linux x86_64 0 ,dd, 0.9\n", "\1 send /tmp\n", "\1 bad 1 2\n"}},
		{"none", 0, {"\1 ask Linux x86_64 0 ,head, --\n", "\1 none /tmp noexec\n"}},
		{"sudo", 1, {"\1 ask Linux x86_64 1000 ,sudo,head, 1.0\n", "\1 run\n", "!\1", "!Sorry\n\1"}},
		{"other", 0, {"\1 ask FreeBSD amd64 0 ,head, --\n"}},
		{"refused", 0, {"!Permission denied (publickey).\n", "."}},
		{"arch", 0, {"\1 ask Linux ../../etc 0 ,head, --\n"}},
	};

	for (size_t i = 0; i < sizeof(seeds) / sizeof(seeds[0]); i++)
		write_seed(dir, seeds[i].name, seeds[i].how, seeds[i].said);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	if (*argc > 2 && !strcmp((*argv)[1], "--seeds")) {
		write_seeds((*argv)[2]);
		exit(0);
	}
	make_agents();
	return 0;
}
