/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The bootstrap against real shells, without ssh: any command that leads to a shell is a way to a host.  Agents are
 * scripts that say how they were called.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "link/remote/boot.h"
#include "tests/shell.h"
#include "tests/skip.h"

static char dir[64];  /* of the test: bin (first in PATH there), run (XDG_RUNTIME_DIR), home, agents/ARCH */
static char ssh[1024];

/*
 * An agent that says its arguments, then echoes; `wire` is what it answers when it is asked.  What stands behind is not run:
 * random bytes may be >NAME.
 */
static void make_agent(const char *path, const char *wire)
{
	assert_true(shell_run(dir, "mkdir -p $(dirname %s) && cat >%s <<'E'\n#!/bin/sh\n"
				   "case $* in *--wire*) echo ringtop-wire %s; exit;; esac\n"
				   "echo HELLO \"$@\"; cat; exit; : %.*d\nE\nchmod 755 %s",
			      path, path, wire, 3000, 0, path));
}

static void make_tool(const char *name, const char *text)
{
	assert_true(shell_run(dir, "printf '#!/bin/sh\\n%%s\\n' '%s' >bin/%s; chmod 755 bin/%s", text, name, name));
}

/* The host's shell, with only what is in bin and usual places; `before` is what its login does. */
static const char *shell_of(const char *shell, const char *before)
{
	snprintf(ssh, sizeof(ssh), "env -i HOME=%s/home XDG_RUNTIME_DIR=%s/run PATH=%s/bin:/usr/bin:/bin "
				   "/bin/sh -c '%s exec %s' %%h", dir, dir, dir, before, shell);
	return ssh;
}

static int set_up(void **state)
{
	struct utsname u;
	char agent[128];

	(void)state;
	strcpy(dir, "/tmp/test-boot-XXXXXX");
	if (!mkdtemp(dir) || uname(&u))
		return -1;
	snprintf(agent, sizeof(agent), "agents/%s/ringtop-agent", u.machine);
	assert_true(shell_run(dir, "mkdir bin run home agents"));
	make_agent(agent, "1.0");
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	return shell_remove(dir);
}

static struct boot_config config(const char *command)
{
	static char agents[128];

	snprintf(agents, sizeof(agents), "%s/agents", dir);
	return (struct boot_config){.host = "web01", .ssh = command, .agent_dir = agents, .batch = true};
}

/* To the end of it; the note is copied. */
static int boot(const struct boot_config *c, struct transport *t, char note[256], struct err *err)
{
	struct boot *b = boot_start(c, err);
	struct pollfd p[BOOT_FDS];
	int r;

	if (!b)
		return -err->code;
	while (r = boot_step(b, t, err), !r)
		assert_true(poll(p, (nfds_t)boot_poll(b, p), 10000) > 0);
	snprintf(note, 256, "%s", boot_note(b));
	boot_free(b);
	return r;
}

/* What the agent says first, of which some is there already. */
static const char *first_line(struct transport *t)
{
	static char line[256];
	size_t n = t->nearly < sizeof(line) - 1 ? t->nearly : sizeof(line) - 1;

	memcpy(line, t->early, n);
	while (!n || line[n - 1] != '\n') {
		ssize_t r;

		assert_int_equal(poll(&(struct pollfd){t->in, POLLIN, 0}, 1, 10000), 1);
		r = read(t->in, line + n, sizeof(line) - 1 - n);
		assert_true(r > 0);
		n += (size_t)r;
	}
	line[n - 1] = 0;
	return line;
}

/* What is sent to it comes back, also what a shell would read as its own. */
static void assert_echoes(struct transport *t)
{
	static const char text[] = "\n}; echo swallowed; exit\n";
	char back[sizeof(text)];
	size_t n = 0;

	assert_int_equal(write(t->out, text, sizeof(text)), sizeof(text));
	while (n < sizeof(text)) {
		ssize_t r;

		assert_int_equal(poll(&(struct pollfd){t->in, POLLIN, 0}, 1, 10000), 1);
		r = read(t->in, back + n, sizeof(back) - n);
		assert_true(r > 0);
		n += (size_t)r;
	}
	assert_memory_equal(back, text, sizeof(text));
}

static void assert_nothing_left(void)
{
	assert_true(shell_run(dir, "[ -z \"$(find run home -mindepth 1)\" ]"));
}

static void assert_boots(const struct boot_config *c, const char *hello, char note[256])
{
	struct transport t;
	struct err err = {.code = 0};
	int r = boot(c, &t, note, &err);

	if (r != 1)
		print_message("%s: %s\n", c->ssh, err.text);
	assert_int_equal(r, 1);
	assert_string_equal(first_line(&t), hello);
	assert_echoes(&t);
	transport_close(&t);
}

static void assert_fails(const struct boot_config *c, int code, const char *words)
{
	struct transport t;
	struct err err = {.code = 0};
	char note[256];

	assert_int_equal(boot(c, &t, note, &err), -code);
	if (!strstr(err.text, words))
		print_message("%s: not %s\n", err.text, words);
	assert_non_null(strstr(err.text, words));
}

static const char *const shells[] = {"/bin/sh", "dash", "bash --posix", "busybox sh"};

static bool have(const char *shell)
{
	return shell_run(dir, "echo exit | %s", shell);
}

static void is_installed(void **state)
{
	struct boot_config c;
	char note[256];

	(void)state;
	make_agent("bin/ringtop", "1.7");
	for (size_t i = 0; i < sizeof(shells) / sizeof(shells[0]); i++) {
		if (!have(shells[i]))
			continue;
		c = config(shell_of(shells[i], ""));
		assert_boots(&c, "HELLO --agent", note);
		assert_string_equal(note, "");
		c.resume_token = "0123abc";
		assert_boots(&c, "HELLO --agent --resume 0123abc", note);
		assert_nothing_left();
	}
}

static void is_sent(void **state)
{
	struct boot_config c;
	char note[256];

	(void)state;
	make_agent("bin/ringtop", "2.0"); /* of another time */
	for (size_t i = 0; i < sizeof(shells) / sizeof(shells[0]); i++) {
		if (!have(shells[i]))
			continue;
		c = config(shell_of(shells[i], "echo hello from the profile; printf x;"));
		assert_boots(&c, "HELLO --agent", note);
		assert_non_null(strstr(note, "sent "));
		assert_non_null(strstr(note, "/run"));
		assert_nothing_left();
	}
}


/* What a host may lack: each of these is done without. */
static void without_tools(void **state)
{
	static const char *const tools[] = {"gzip", "sha256sum", "head"};
	struct boot_config c;
	char note[256];

	(void)state;
	for (size_t i = 0; i < sizeof(tools) / sizeof(tools[0]); i++) {
		make_tool(tools[i], "exit 1");
		c = config(shell_of("/bin/sh", ""));
		assert_boots(&c, "HELLO --agent", note);
		assert_int_equal(!strstr(note, "cksum"), i < 1);
		assert_nothing_left();
	}
}

static void cached(void **state)
{
	struct boot_config c;
	char note[256];

	(void)state;
	c = config(shell_of("/bin/sh", ""));
	c.keep = true;
	assert_boots(&c, "HELLO --agent", note);
	assert_non_null(strstr(note, "sent "));
	assert_true(shell_run(dir, "[ $(stat -c %%a home/.cache/ringtop home/.cache/ringtop/agent-* | tr -d '\\n') = 700700 ] &&"
				   "[ $(ls -A home/.cache/ringtop | wc -l) = 1 ] && [ -z \"$(ls -A run)\" ]"));
	c.keep = false;
	assert_boots(&c, "HELLO --agent", note);
	assert_string_equal(note, "");
	assert_true(shell_run(dir, "echo : >>$(ls home/.cache/ringtop/agent-*)")); /* is not what its name says */
	assert_boots(&c, "HELLO --agent", note);
	assert_non_null(strstr(note, "sent "));
	assert_true(shell_run(dir, "rm -r home/.cache; : >home/.cache"));
	c.keep = true;
	assert_boots(&c, "HELLO --agent", note);
	assert_non_null(strstr(note, "could not be kept"));
}

/* Each place is tried by running a file in it; none left: all are listed, with why. */
static void places(void **state)
{
	struct boot_config c;
	char note[256];

	(void)state;
	make_tool("chmod", "case $2 in */run/*) exit 1;; esac; exec /bin/chmod \"$@\"");
	c = config(shell_of("/bin/sh", ""));
	assert_boots(&c, "HELLO --agent", note);
	assert_null(strstr(note, "/run"));
	make_tool("chmod", "exit 1");
	assert_fails(&c, EACCES, "web01 has no directory for ringtop's agent: ");
	assert_fails(&c, EACCES, "/run does not allow execution (noexec); ");
	make_tool("dd", "exit 1");
	assert_fails(&c, EACCES, "/home has no room for ");
	make_tool("mkdir", "exit 1");
	assert_fails(&c, EACCES, "; /tmp is not writable; ");
	assert_true(shell_run(dir, "rmdir run home"));
	assert_fails(&c, EACCES, "/home does not exist");
	assert_true(shell_run(dir, "mkdir run home"));
}

static void refusals(void **state)
{
	struct boot_config c = config(shell_of("/bin/sh", ""));

	(void)state;
	make_tool("uname", "case $1 in -s) echo FreeBSD;; *) exec /bin/uname $1;; esac");
	assert_fails(&c, EOPNOTSUPP, "web01 runs FreeBSD");
	make_tool("uname", "case $1 in -m) echo mips64;; *) exec /bin/uname $1;; esac");
	assert_fails(&c, ENOENT, "web01: no agent for mips64 to send: /tmp/");
	assert_fails(&c, ENOENT, "/agents/mips64/ringtop-agent does not exist");
	make_tool("uname", "case $1 in -m) echo ../../../etc;; *) exec /bin/uname $1;; esac");
	assert_fails(&c, EPROTO, "is not an architecture");
	make_tool("uname", "exit 1");
	assert_fails(&c, EPROTO, "unexpected output of its shell");
	assert_true(shell_run(dir, "rm bin/uname"));
	make_tool("gzip", "[ $# = 1 ] || exec /bin/gzip; /bin/gzip $1; echo more");
	assert_fails(&c, EBADMSG, "the agent was changed in transfer");
	assert_nothing_left();
	c.sudo = true;
	if (getuid())
		assert_fails(&c, EACCES, "web01 has no sudo");
}

/* Whoever ends before there is a shell has said why: on stderr, or as some do on stdout. */
static void never_there(void **state)
{
	struct boot_config c = config("sh -c 'echo This account is not available.; exit 1' %h");

	(void)state;
	assert_fails(&c, ECONNRESET, "web01: This account is not available.");
	c.ssh = "sh -c 'echo x; echo \"u@web01: Permission denied (publickey).\" >&2; exit 255' %h";
	assert_fails(&c, EACCES, "web01: u@web01: Permission denied (publickey).");
	c.ssh = "sh -c 'echo first >&2; printf \"second\\r\\n\" >&2; exit 255' %h";
	assert_fails(&c, ECONNRESET, "web01: first; second");
	/* Or how it ended is all there is to say. */
	c.ssh = "true %h";
	assert_fails(&c, ECONNRESET, "web01: ssh ended with status 0, without output");
	c.ssh = "sh -c 'exit 255' %h";
	assert_fails(&c, ECONNRESET, "web01: ssh ended with status 255, without output");
	c.ssh = "sh -c 'printf \"\\n \\t\\r\\n\\n\" | tee /dev/fd/2; exit 255' %h";
	assert_fails(&c, ECONNRESET, "web01: ssh ended with status 255, without output");
	c.ssh = "sh -c 'printf \"\\0\\0\\0\" >&2; exit 255' %h";
	assert_fails(&c, ECONNRESET, "web01: ssh ended with status 255, without output");
	c.ssh = "sh -c 'printf \"a\\0b\\0\" >&2; exit 255' %h";
	assert_fails(&c, ECONNRESET, "web01: ab");
	c.ssh = "sh -c 'kill -9 $$' %h";
	assert_fails(&c, ECONNRESET, "web01: ssh was ended by signal 9 (Killed), without output");
	c.ssh = "sh -c 'exec >&- 2>&-; exec sleep 100' %h";
	assert_fails(&c, ECONNRESET, "web01: it ended without output");
	c.ssh = "yes noise %h";
	assert_fails(&c, EPROTO, "web01: the login shell does not stop printing: 'noise web01'");
	c.ssh = "sh -c 'head -c 3000000 /dev/zero; exec sleep 100' %h";
	assert_fails(&c, EPROTO, "web01: the login shell does not stop printing");
}

/* A peer that is no shell of ours: answers that do not belong where they come, or are none. */
static void out_of_order(void **state)
{
	static const char *const answers[] = {"send /x", "bad x", "none x", "run", "ask", "", "asked Linux x86_64 0 - 1.0"};
	struct boot_config c = config(ssh);

	(void)state;
	for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++) {
		snprintf(ssh, sizeof(ssh), "sh -c 'read -r a m; echo \"${m#n=} %s\"; exec cat' %%h", answers[i]);
		assert_fails(&c, EPROTO, "web01: unexpected output of its shell");
	}
	snprintf(ssh, sizeof(ssh), "sh -c 'read -r a m; m=${m#n=}; echo \"$m ask Linux x86_64 0 - 1.0\"; "
				   "echo \"$m bad x\"; exec cat' %%h");
	assert_fails(&c, EPROTO, "web01: unexpected output of its shell: 'bad'");
	/* Nothing is to be sent; tools that are none. */
	snprintf(ssh, sizeof(ssh), "sh -c 'read -r a m; m=${m#n=}; echo \"$m ask Linux x86_64 0 - 1.0\"; "
				   "echo \"$m send /x\"; exec cat' %%h");
	assert_fails(&c, EPROTO, "web01: unexpected output of its shell: 'send'");
	snprintf(ssh, sizeof(ssh), "sh -c 'read -r a m; echo \"${m#n=} ask Linux none 0 sha256sum 0.1\"; exec cat' %%h");
	assert_fails(&c, ENOENT, "no agent for none");
	c.resume_token = "0'; rm -rf /";
	assert_fails(&c, EPROTO, "is not a session token");
	c.resume_token = NULL;
	/* A prompt that nobody waits for gets nothing. */
	snprintf(ssh, sizeof(ssh), "sh -c 'read -r a m; m=${m#n=}; echo \"$m ask Linux x86_64 0 - 1.0\"; "
				   "echo \"$m\" >&2; echo \"$m run\"; echo sorry >&2' %%h");
	assert_fails(&c, ECONNRESET, "; sorry");
}

/* An agent that cannot run: its words are the last ones. */
static void does_not_run(void **state)
{
	struct boot_config c = config(shell_of("/bin/sh", ""));

	(void)state;
	make_tool("ringtop", "case $* in *--wire*) echo ringtop-wire 1.0;; *) echo no rights, sorry >&2; exit 3;; esac");
	assert_fails(&c, ECONNRESET, "web01: no rights, sorry");
}

static bool running(const struct boot *b)
{
	return strstr(boot_note(b), "sent");
}

/* As far as its agent is on the way, which has more bytes than pipes. */
static struct boot *half_way(const struct boot_config *c)
{
	struct boot *b = boot_start(c, NULL);
	struct pollfd p[BOOT_FDS];
	struct transport t;

	assert_non_null(b);
	while (!running(b)) {
		assert_true(poll(p, (nfds_t)boot_poll(b, p), 10000) > 0);
		assert_int_equal(boot_step(b, &t, NULL), 0);
	}
	assert_true(shell_run(dir, "ls -d run/.boot-*"));
	return b;
}

static bool left_in_run(void)
{
	return shell_run(dir, "ls -d run/.boot-*");
}

static void cut(void **state)
{
	struct boot_config c = config(shell_of("/bin/sh", ""));
	struct boot *b;
	char note[256];

	(void)state;
	assert_true(shell_run(dir, "head -c 3000000 /dev/urandom >>agents/$(uname -m)/ringtop-agent"));
	b = half_way(&c);
	boot_free(b);
	for (int i = 0; i < 1000 && left_in_run(); i++)
		poll(NULL, 0, 10);
	assert_nothing_left();

	/* What a shell that was killed leaves, the next one takes away. */
	b = half_way(&c);
	assert_true(shell_run(dir, "d=$(echo run/.boot-*); p=${d%%-*}; kill -9 ${p##*-}"));
	boot_free(b);
	assert_true(left_in_run());
	assert_true(shell_run(dir, "mkdir run/.boot-$(uname -n)-$PPID-00 run/.boot-other-1-00"));
	b = half_way(&c);
	assert_true(shell_run(dir, "[ $(ls -d run/.boot-* | wc -l) = 3 ]")); /* of a live one, another machine's, its own */
	boot_free(b);
	assert_true(shell_run(dir, "rmdir run/.boot-$(uname -n)-$PPID-00 run/.boot-other-1-00"));
	make_agent("agents/$(uname -m)/ringtop-agent", "1.0");
	for (int i = 0; i < 1000 && left_in_run(); i++)
		poll(NULL, 0, 10);
	assert_boots(&c, "HELLO --agent", note);
}

/* At each of its steps, until one comes through: whatever the shell there is at, it leaves nothing. */
static void cut_anywhere(void **state)
{
	struct boot_config c = config(shell_of("/bin/sh", ""));
	int r = 0;

	(void)state;
	assert_true(shell_run(dir, "head -c 300000 /dev/urandom >>agents/$(uname -m)/ringtop-agent"));
	for (unsigned steps = 1; r != 1; steps++) {
		struct boot *b = boot_start(&c, NULL);
		struct pollfd p[BOOT_FDS];
		struct transport t;

		assert_non_null(b);
		r = 0;
		for (unsigned i = 0; i < steps && !r; i++) {
			assert_true(poll(p, (nfds_t)boot_poll(b, p), 10000) > 0);
			r = boot_step(b, &t, NULL);
		}
		if (r == 1)
			transport_close(&t);
		boot_free(b);
		for (int i = 0; i < 1000 && left_in_run(); i++)
			poll(NULL, 0, 10);
		assert_nothing_left();
	}
}

/* sudo as it behaves with -S -p MARK: three tries, byte by byte from stdin; `free` there: without a password. */
static void make_sudo(void)
{
	make_tool("id", "[ $1 != -u ] || echo 1000");
	make_tool("sudo", "p=$3; shift 4; [ ! -e $HOME/../free ] || exec env SUDO=1 \"$@\"\n"
			  "for i in 1 2 3; do printf \"%s\" \"$p\" >&2; IFS= read -r w || exit 1\n"
			  "[ \"$w\" != geheim ] || exec env SUDO=1 \"$@\"; echo Sorry, try again. >&2; done\n"
			  "echo sudo: 3 incorrect password attempts >&2; exit 1");
	assert_true(shell_run(dir, "sed -i 's/HELLO/HELLO$SUDO/' agents/*/ringtop-agent"));
}

static void sudo_is_free(void **state)
{
	struct boot_config c = config(shell_of("/bin/sh", ""));
	char note[256];

	(void)state;
	make_sudo();
	c.sudo = true;
	assert_fails(&c, EACCES, "web01: sudo wants a password, and there is no terminal to ask for it");
	assert_nothing_left();
	assert_true(shell_run(dir, ": >free"));
	assert_boots(&c, "HELLO1 --agent", note);
	assert_nothing_left();
	c.resume_token = "abc";
	c.keep = true;
	assert_boots(&c, "HELLO1 --agent --resume abc", note);
	assert_boots(&c, "HELLO1 --agent --resume abc", note); /* the one that was kept */
	assert_string_equal(note, "");
}

/* What a person does at a terminal while `child` runs there: a line for each prompt. */
static int at_terminal(int (*child)(const char *ssh), const char *const typed[], char screen[1024])
{
	size_t n = 0;
	ssize_t r;
	int tty, status;
	pid_t pid = forkpty(&tty, NULL, NULL, NULL);

	if (pid == 0)
		_exit(child(ssh));
	while (r = read(tty, screen + n, 1023 - n), r > 0) {
		n += (size_t)r;
		screen[n] = 0;
		/* the prompt is written after the echo went off */
		if (*typed && n >= 2 && !strcmp(screen + n - 2, ": ") &&
		    write(tty, *typed, strlen(*typed)) == (ssize_t)strlen(*typed))
			typed++;
	}
	screen[n] = 0;
	waitpid(pid, &status, 0);
	close(tty);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Twice: for the second one nobody may be asked.  0: both run; or which failed with which words, on the screen. */
static int ask_and_keep(const char *command)
{
	struct boot_config c = config(command);
	struct err err = {.code = 0};
	struct transport t;
	char note[256];

	c.sudo = true;
	c.password = password_create(&err);
	for (int i = 0; i < 2; i++) {
		c.batch = i;
		if (boot(&c, &t, note, &err) != 1) {
			dprintf(STDOUT_FILENO, "\n%d: %s\n", i, err.text);
			return err.code == EACCES ? 10 + i : err.code == ECANCELED ? 20 + i : 1;
		}
		if (strcmp(first_line(&t), "HELLO1 --agent"))
			return 2;
		transport_close(&t);
	}
	password_free(c.password);
	return 0;
}

static void sudo_asks(void **state)
{
	static const char *const right[] = {"geheim\n", NULL}, *const second[] = {"falsch\n", "geheim\n", NULL};
	static const char *const wrong[] = {"a\n", "b\n", "c\n", NULL}, *const broken[] = {"gehe\003", NULL};
	static const char prompt[] = "sudo on web01 wants your password: ";
	char screen[1024];

	(void)state;
	make_sudo();
	shell_of("/bin/sh", "");
	assert_int_equal(at_terminal(ask_and_keep, right, screen), 0);
	assert_memory_equal(screen, prompt, strlen(prompt));
	assert_null(strstr(screen, "geheim"));
	assert_int_equal(at_terminal(ask_and_keep, second, screen), 0);
	assert_non_null(strstr(screen, "It is not that one.  sudo on web01"));
	assert_null(strstr(screen, "falsch"));
	assert_int_equal(at_terminal(ask_and_keep, wrong, screen), 10);
	assert_non_null(strstr(screen, "0: web01: "));
	assert_non_null(strstr(screen, "3 incorrect password attempts"));
	assert_int_equal(at_terminal(ask_and_keep, broken, screen), 20);
	assert_non_null(strstr(screen, "no password was given"));
	assert_nothing_left();
}

/* Also where signals are kept for a signalfd, Ctrl-C ends the question; and nothing is typed on the screen. */
static int ask_blocked(const char *command)
{
	struct password *p = password_create(NULL);
	sigset_t all;
	size_t len;
	int r;

	(void)command;
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	r = password_ask(p, "one: ", NULL);
	if (r || strcmp(password_line(p, &len), "first\n") || len != 6)
		return 1;
	r = password_ask(p, "two: ", NULL);
	return r == -ECANCELED && !password_known(p) && !*password_line(p, &len) ? 0 : 2;
}

static int ask_nowhere(const char *command)
{
	struct password *p = password_create(NULL);

	(void)command;
	signal(SIGHUP, SIG_IGN); /* who lets go of its terminal is told so */
	return setsid() < 0 && ioctl(STDIN_FILENO, TIOCNOTTY) == 0 && password_ask(p, "one: ", NULL) == -ENOTTY ? 0 : 1;
}

static void passwords(void **state)
{
	static const char *const typed[] = {"first\n", "sec\003", NULL}, *const nothing[] = {NULL};
	char screen[1024];

	(void)state;
	assert_int_equal(at_terminal(ask_blocked, typed, screen), 0);
	assert_string_equal(screen, "one: \r\ntwo: ");
	assert_int_equal(at_terminal(ask_nowhere, nothing, screen), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(is_installed, set_up, tear_down),
		cmocka_unit_test_setup_teardown(is_sent, set_up, tear_down),
		cmocka_unit_test_setup_teardown(without_tools, set_up, tear_down),
		cmocka_unit_test_setup_teardown(cached, set_up, tear_down),
		cmocka_unit_test_setup_teardown(places, set_up, tear_down),
		cmocka_unit_test_setup_teardown(refusals, set_up, tear_down),
		cmocka_unit_test_setup_teardown(never_there, set_up, tear_down),
		cmocka_unit_test_setup_teardown(out_of_order, set_up, tear_down),
		cmocka_unit_test_setup_teardown(does_not_run, set_up, tear_down),
		cmocka_unit_test_setup_teardown(cut, set_up, tear_down),
		cmocka_unit_test_setup_teardown(cut_anywhere, set_up, tear_down),
		cmocka_unit_test_setup_teardown(sudo_is_free, set_up, tear_down),
		cmocka_unit_test_setup_teardown(sudo_asks, set_up, tear_down),
		cmocka_unit_test(passwords),
	};

	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
