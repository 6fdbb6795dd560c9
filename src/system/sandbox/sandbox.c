/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A helper that did anything but reply in time is killed and reaped at once, by the calling thread;
 * so between two calls a helper either waits for a request or does not run.  It ends by itself when
 * the socket does, that is with ringtop, however that ends; one that computes then ends with its
 * CPU time.
 */
#include "system/sandbox/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/atomics.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/timeshare.h"
#include "system/sandbox/helper.h"
#include "system/sandbox/helpermessage.h"
#include "system/sandbox/process.h"
#include "system/proc/rootopen.h"

#define TEXT_MAX     4096
#define TURN_NS      (2 * NSEC_PER_SEC) /* for a brief request */
#define GRACE_MS     200 /* from a closed socket to the end of its process */

/* Ends in a row are cheap to cause: bounds of the time that goes into starts. */
#define ENDS_PERCENT 5
#define END_COST_NS  (20 * NSEC_PER_MSEC)
#define STALL_COST_NS (500 * NSEC_PER_MSEC) /* of a helper that was too slow */
#define ENDS_BURST   NSEC_PER_SEC
#define GIVEN_UP_NS  (60 * NSEC_PER_SEC)

struct process {
	pthread_mutex_t lock; /* held during a call */
	int socket;
	uint32_t life;
	uint64_t asked;       /* CLOCK_MONOTONIC ns of the last request */
	pid_t pid;            /* shared: 0, does not run */
	uint64_t cpu_before;  /* of those that have ended */
	struct timeshare ends;
	unsigned ended_in_row; /* lives without a reply */
	uint64_t ended;	      /* CLOCK_MONOTONIC ns: the newest of these */
	struct sandbox_figures figures; /* under figures_lock; pid, cpu_ns: as of a reading */
};

static struct process processes[SANDBOX_PROCESSES] = {
	[0 ... SANDBOX_PROCESSES - 1] = {.lock = PTHREAD_MUTEX_INITIALIZER, .socket = -1},
};
static pthread_mutex_t figures_lock = PTHREAD_MUTEX_INITIALIZER;
static bool allowed;
static bool abandoned; /* shared */
static struct sandbox_config config;

void sandbox_allow(const struct sandbox_config *c)
{
	allowed = true;
	config = *c;
}

bool sandbox_allowed(void)
{
	return allowed;
}

bool sandbox_trusts(int fd, const char *path)
{
	struct statvfs fs;
	struct stat st, ours;

	if (!allowed)
		return true;
	return !config.distrust && !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_uid == 0 &&
	       !(st.st_mode & (S_IWGRP | S_IWOTH)) && !fstatvfs(fd, &fs) &&
	       !(fs.f_flag & ST_NOSUID) && path && !stat(path, &ours) && ours.st_dev == st.st_dev &&
	       ours.st_ino == st.st_ino;
}

/* --- life of a helper --------------------------------------------------------------------- */

static uint64_t cpu_time_of(pid_t pid)
{
	clockid_t clock;

	return pid && !clock_getcpuclockid(pid, &clock) ? clock_read(clock) : 0;
}

#define COUNT(list) (sizeof(list) / sizeof(*(list)))

/* Environment for a helper: where debuginfod's client keeps files, and settings of sanitizers. */
static const char *const passed_on[] = {
	"DEBUGINFOD_CACHE_PATH=", "XDG_CACHE_HOME=", "HOME=",
	"ASAN_OPTIONS=",	  "UBSAN_OPTIONS=",  "TSAN_OPTIONS="};

static void pass_on(char **environment)
{
	for (char **e = environ; *e; e++)
		for (size_t i = 0; i < COUNT(passed_on); i++)
			if (!strncmp(*e, passed_on[i], strlen(passed_on[i])))
				*environment++ = *e;
	*environment = NULL;
}

static uid_t helper_uid;

/*
 * Return the uid of PROCESS_USER in /etc/passwd, 0 where it has no such user.  Directories of users
 * that are reached over the network may not reply while a machine is in trouble, and no name may
 * wait for them.
 */
static uid_t local_uid(void)
{
	FILE *f = fopen("/etc/passwd", "re");
	char line[512];
	unsigned uid = 0;

	while (f && !uid && fgets(line, sizeof(line), f))
		if (sscanf(line, PROCESS_USER ":%*[^:]:%u:", &uid) != 1)
			uid = 0;
	if (f)
		fclose(f);
	return uid;
}

/*
 * A helper that ran as nobody would share its uid with other processes, and be within reach of
 * their signals.
 */
static void find_uid(void)
{
	helper_uid = local_uid();
	if (!helper_uid)
		helper_uid = PROCESS_NOBODY;
}

static int spawn_helper(int socket, const struct process_kind *kind, pid_t *pid)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	char limit[24], name[16], uid[16];
	char *argv[PROCESS_ARGUMENTS + 1] = {
		"ringtop-helper", HELPER_ARGUMENT, name, limit, uid, NULL};
	char *environment[COUNT(passed_on) + 1];
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	const char *program = config.program ? config.program : "/proc/self/exe";
	sigset_t all, none;
	int ret;

	snprintf(limit, sizeof(limit), "%llu", (unsigned long long)budget_limit());
	snprintf(name, sizeof(name), "%s", kind->name);
	pthread_once(&once, find_uid);
	snprintf(uid, sizeof(uid), "%u", (unsigned)(config.uid ? config.uid : helper_uid));
	pass_on(environment);
	sigfillset(&all);
	sigemptyset(&none);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
						POSIX_SPAWN_SETPGROUP);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setsigdefault(&attr, &all);
	posix_spawnattr_setpgroup(&attr, 0); /* Ctrl-C on the terminal is for ringtop */
	posix_spawn_file_actions_init(&files);
	for (int fd = 0; fd <= STDERR_FILENO; fd++)
		posix_spawn_file_actions_addopen(&files, fd, "/dev/null", O_RDWR, 0);
	posix_spawn_file_actions_adddup2(&files, socket, HELPER_SOCKET);
	ret = posix_spawn(pid, program, &files, &attr, argv, environment);
	posix_spawn_file_actions_destroy(&files);
	posix_spawnattr_destroy(&attr);
	return -ret;
}

/* Log the rights once, however often it is started. */
static void log_kept_rights(struct process *p, const char *missing)
{
	bool new = strcmp(p->figures.missing, missing) != 0;

	pthread_mutex_lock(&figures_lock);
	p->figures.starts++;
	snprintf(p->figures.missing, sizeof(p->figures.missing), "%s", missing);
	pthread_mutex_unlock(&figures_lock);
	if (new)
		log_msg(LOG_RESOLVE, "a helper could not drop its privileges: %s", missing);
}

/* Receive its first message. */
static int greet(struct process *p, uint64_t until)
{
	uint8_t bytes[SANDBOX_WHY_MAX + 8];
	struct message m;
	int fd, ret = helpermessage_receive(p->socket, &m, &fd, until);
	struct wire_in in;
	const char *missing;

	if (!ret && (m.kind != HELPERMESSAGE_HELLO || m.len > sizeof(bytes) || fd >= 0))
		ret = -EPROTO;
	if (!ret)
		ret = helpermessage_receive_bytes(p->socket, bytes, m.len, until);
	if (fd >= 0)
		close(fd);
	if (ret)
		return ret;
	in = (struct wire_in){bytes, bytes + m.len, false};
	missing = wire_get_text(&in, SANDBOX_WHY_MAX);
	if (in.failed)
		return -EPROTO;
	log_kept_rights(p, missing);
	return 0;
}

static void update_figures(struct process *p)
{
	p->figures.pid = atomic_load_relaxed(&p->pid);
	p->figures.cpu_ns = p->cpu_before + cpu_time_of(p->figures.pid);
	figures_look(&p->figures);
}

/*
 * Kill and reap the process, and return its status.  Until then no other process has its pid, so
 * other threads may look at it.
 */
static int end_process(struct process *p)
{
	pid_t pid = atomic_load_relaxed(&p->pid);
	siginfo_t gone;
	int status = 0;

	if (p->socket >= 0)
		close(p->socket);
	p->socket = -1;
	if (!pid)
		return 0;
	pthread_mutex_lock(&figures_lock);
	update_figures(p);
	pthread_mutex_unlock(&figures_lock);
	kill(pid, SIGKILL);
	while (waitid(P_PID, (id_t)pid, &gone, WEXITED | WNOWAIT) && errno == EINTR)
		;
	pthread_mutex_lock(&figures_lock);
	p->cpu_before += cpu_time_of(pid);
	atomic_store_relaxed(&p->pid, 0);
	waitpid(pid, &status, 0);
	pthread_mutex_unlock(&figures_lock);
	return status;
}

static unsigned seconds_for(const struct process *p)
{
	return config.seconds ? config.seconds : process_kinds[p - processes].seconds;
}

/* --- a call ------------------------------------------------------------------------------- */

/* Open a file that a helper wants.  Only ELF files: it has no business in others. */
static int open_wanted(const struct sandbox_call *c, struct wire_in *in)
{
	bool below = wire_get(in, 1), nofollow = wire_get(in, 1);
	const char *path = wire_get_text(in, TEXT_MAX);
	char magic[4];
	int fd;

	if (in->failed || path[0] != '/')
		return -EINVAL;
	fd = rootopen(below ? c->root : NULL, path, nofollow, NULL);
	if (fd < 0 ||
	    (pread(fd, magic, sizeof(magic), 0) == sizeof(magic) && !memcmp(magic, "\177ELF", 4)))
		return fd;
	close(fd);
	return -EINVAL;
}

static int send_file(struct process *p, const struct sandbox_call *c, struct wire_in *in,
		     uint64_t until)
{
	int fd = open_wanted(c, in), ret;
	struct message m = {.kind = HELPERMESSAGE_GIVE, .job = fd < 0 ? (uint32_t)-fd : 0};

	ret = helpermessage_post(p->socket, &m, NULL, fd, until);
	if (fd >= 0)
		close(fd);
	return ret;
}

static int answer_need(struct process *p, const struct sandbox_call *c, struct wire_in *in,
		       uint64_t until)
{
	struct message m = {.kind = HELPERMESSAGE_BYTES};
	struct wire_out out = {.len = 0};
	int ret;

	c->need(c->arg, in, &out);
	m.len = out.len;
	ret = out.failed ? -ENOMEM : helpermessage_post(p->socket, &m, out.data, -1, until);
	wire_clear(&out);
	return ret;
}

/* Serve a message before the reply: short, and a bounded number except for what the job needs. */
static int attend(struct process *p, const struct sandbox_call *c, const struct message *m,
		  unsigned *left, uint64_t until)
{
	uint8_t bytes[TEXT_MAX + 16];
	struct wire_in in = {bytes, bytes + m->len, false};
	bool need = m->kind == HELPERMESSAGE_NEED && c->need;
	int ret;

	if (m->len > sizeof(bytes) || (!need && !*left))
		return -EPROTO;
	*left -= !need;
	ret = helpermessage_receive_bytes(p->socket, bytes, m->len, until);
	if (ret)
		return ret;
	if (need)
		return answer_need(p, c, &in, until);
	if (m->kind == HELPERMESSAGE_WANT)
		return send_file(p, c, &in, until);
	if (m->kind != HELPERMESSAGE_LOG)
		return -EPROTO;
	log_msg(LOG_RESOLVE, "%s", wire_get_text(&in, TEXT_MAX));
	return in.failed ? -EPROTO : 0;
}

/* Skip a reply that there is no memory for: the helper is not to blame. */
static int skip_reply(struct process *p, uint64_t len, uint64_t until)
{
	uint8_t bytes[16384];
	int ret = 0;

	while (len && !ret) {
		size_t part = len < sizeof(bytes) ? len : sizeof(bytes);

		ret = helpermessage_receive_bytes(p->socket, bytes, part, until);
		len -= part;
	}
	return ret;
}

static int receive_answer(struct process *p, struct sandbox_call *c, uint64_t until)
{
	unsigned left = HELPER_WANTS_MAX + HELPER_LOGS_MAX;
	struct message m;
	int fd, ret;

	do {
		ret = helpermessage_receive(p->socket, &m, &fd, until);
		if (fd >= 0) {
			close(fd);
			return -EPROTO; /* it has none of its own to give */
		}
		if (!ret && m.kind != HELPERMESSAGE_ANSWER)
			ret = attend(p, c, &m, &left, until);
	} while (!ret && m.kind != HELPERMESSAGE_ANSWER);
	if (ret)
		return ret;
	if (m.job != c->job)
		return -EPROTO;
	c->bytes = budget_alloc(c->budget, BUDGET_READING, m.len + 1);
	if (!c->bytes)
		return skip_reply(p, m.len, until);
	ret = helpermessage_receive_bytes(p->socket, c->bytes, m.len, until);
	c->in = (struct wire_in){c->bytes, (uint8_t *)c->bytes + m.len, false};
	return ret;
}

/* Set the limit of its CPU time to the time used so far and as much more for this request. */
static void limit_cpu(const struct process *p)
{
	rlim_t most = cpu_time_of(p->pid) / NSEC_PER_SEC + 1 + seconds_for(p);
	struct rlimit l;

	if (prlimit(p->pid, RLIMIT_CPU, NULL, &l))
		return; /* the clock's bound holds */
	l.rlim_cur = most < l.rlim_max ? most : l.rlim_max;
	prlimit(p->pid, RLIMIT_CPU, &l, NULL);
}

static void describe_end(char *why, size_t size, int ret, int status)
{
	if (ret == -ETIME)
		snprintf(why, size, "it took too long");
	else if (ret == -EPROTO)
		snprintf(why, size, "it sent an invalid answer");
	else if (ret == -ENOMEM)
		snprintf(why, size, "its answer exceeded --max-memory");
	else if (ret != -ECONNRESET)
		snprintf(why, size, "%s", strerror(-ret));
	else if (WIFSIGNALED(status))
		snprintf(why, size,
			 WTERMSIG(status) == SIGXCPU ? "it took too much CPU time (%s)" : "%s",
			 strsignal(WTERMSIG(status)));
	else
		snprintf(why, size, "status %d", WEXITSTATUS(status));
}

/* Wait for the end of a helper whose socket is closed, so that its status has the reason. */
static void await_end(pid_t pid)
{
	struct pollfd p = {.fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN};

	if (p.fd < 0)
		return;
	poll(&p, 1, GRACE_MS);
	close(p.fd);
}

/* End the helper after a failure, and report it. */
static int end_after_failure(struct process *p, int ret, const char *what, struct err *err)
{
	const struct process_kind *kind = &process_kinds[p - processes];
	char why[SANDBOX_WHY_MAX];
	int status;

	if (ret == -EPIPE)
		ret = -ECONNRESET;
	if (ret == -ECONNRESET)
		await_end(p->pid);
	status = end_process(p);
	describe_end(why, sizeof(why), ret, status);
	p->ended_in_row++;
	p->ended = clock_ns();
	timeshare_spend(&p->ends, p->ended, ret == -ETIME ? STALL_COST_NS : END_COST_NS,
			ENDS_PERCENT, ENDS_BURST);
	pthread_mutex_lock(&figures_lock);
	p->figures.ends++;
	memcpy(p->figures.why, why, sizeof(why));
	pthread_mutex_unlock(&figures_lock);
	return err_set(err, -ret, "the helper for %s %s: %s", kind->name, what, why);
}

static int start_helper(struct process *p, uint64_t until, struct err *err)
{
	const struct process_kind *kind = &process_kinds[p - processes];
	int pair[2], ret;
	pid_t pid;

	if (p->socket >= 0)
		return 0;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		return err_room(err, errno, "the helper for %s", kind->name);
	ret = spawn_helper(pair[1], kind, &pid);
	close(pair[1]);
	p->socket = pair[0];
	if (!ret) {
		p->life++;
		atomic_store_relaxed(&p->pid, pid);
		ret = greet(p, until);
	}
	return ret ? end_after_failure(p, ret, "could not be started", err) : 0;
}

static int refuse_call(struct process *p, int code, const char *why, struct err *err)
{
	const struct process_kind *kind = &process_kinds[p - processes];

	pthread_mutex_lock(&figures_lock);
	p->figures.refused++;
	pthread_mutex_unlock(&figures_lock);
	return err_set(err, code, "the helper for %s %s", kind->name, why);
}

/*
 * Return 0 if it may be started, else -errno with err.  A caller that waits for all names must end
 * also where each helper is killed at once.
 */
static int check_ends(struct process *p, struct err *err)
{
	uint64_t now = clock_ns();

	if (p->ended_in_row >= SANDBOX_GIVE_UP && now - p->ended < GIVEN_UP_NS)
		return refuse_call(p, EHOSTDOWN,
				   "is disabled for a minute: it failed each time it was started",
				   err);
	return timeshare_open(&p->ends, now) ? 0
					: refuse_call(p, EBUSY, "failed too often recently", err);
}

static int call_locked(struct process *p, struct sandbox_call *c, struct err *err)
{
	const struct process_kind *kind = &process_kinds[p - processes];
	struct message m = {.kind = HELPERMESSAGE_ASK, .job = c->job, .len = c->ask.len};
	struct pollfd s = {.fd = p->socket};
	struct err nobody;
	uint64_t until;
	int ret;

	p->asked = clock_ns();
	until = p->asked + seconds_for(p) * PROCESS_PATIENCE * NSEC_PER_SEC;
	/* It ended between calls (say, the kernel was short of memory): that costs no reply. */
	if (p->socket >= 0 && poll(&s, 1, 0) > 0)
		end_after_failure(p, -ECONNRESET, "ended", &nobody);
	if (c->life && (p->socket < 0 || p->life != c->life))
		return err_set(err, ESTALE, "the helper for %s was started anew", kind->name);
	ret = p->socket < 0 ? check_ends(p, err) : 0;
	if (!ret)
		ret = atomic_load_relaxed(&abandoned) ? err_set(err, ECANCELED, "ringtop ends")
						      : start_helper(p, until, err);
	if (ret)
		return ret;
	c->life = p->life;
	limit_cpu(p);
	if (!c->ask.failed)
		ret = helpermessage_post(p->socket, &m, c->ask.data, c->fd, until);
	if (!c->ask.failed && !ret)
		ret = receive_answer(p, c, until);
	pthread_mutex_lock(&figures_lock);
	p->figures.calls++;
	pthread_mutex_unlock(&figures_lock);
	if (ret)
		return end_after_failure(p, ret, "failed on it", err);
	p->ended_in_row = 0;
	return c->bytes ? 0 : err_set(err, ENOMEM, "out of memory");
}

/* Wait for the helper; a brief call must not wait as long as a hostile file takes. */
static int wait_turn(struct process *p, bool brief)
{
	/* TSan knows no other clock here */
	struct timespec until = clock_timespec(clock_read(CLOCK_REALTIME) + TURN_NS);

	return brief ? pthread_mutex_timedlock(&p->lock, &until) : pthread_mutex_lock(&p->lock);
}

int sandbox_call(struct sandbox_call *c, struct err *err)
{
	struct process *p = &processes[process_of(c->job)];
	uint64_t begun;
	int ret;

	if (wait_turn(p, c->brief))
		return refuse_call(p, EBUSY, "is busy with other requests", err);
	begun = clock_ns();
	ret = call_locked(p, c, err);
	c->took = clock_ns() - begun;
	pthread_mutex_unlock(&p->lock);
	return ret;
}

int sandbox_call_or(struct sandbox_call *c, helper_serve *serve, struct err *err)
{
	struct wire_in in = {c->ask.data, c->ask.data + c->ask.len, false};
	struct wire_out out = {.len = 0};

	if (allowed)
		return sandbox_call(c, err);
	if (!c->ask.failed)
		serve(&in, c->fd, &out);
	c->bytes = c->ask.failed || out.failed
			   ? NULL
			   : budget_alloc(c->budget, BUDGET_READING, out.len + 1);
	if (c->bytes)
		memcpy(c->bytes, out.data, out.len);
	c->in = (struct wire_in){c->bytes, (uint8_t *)c->bytes + out.len, false};
	wire_clear(&out);
	return c->bytes ? 0 : err_set(err, ENOMEM, "out of memory");
}

void sandbox_done(struct sandbox_call *c)
{
	wire_clear(&c->ask);
	budget_free(c->bytes);
	c->bytes = NULL;
}

int sandbox_nonsense(struct sandbox_call *c, struct err *err)
{
	struct process *p = &processes[process_of(c->job)];
	int ret = -EPROTO;

	pthread_mutex_lock(&p->lock);
	if (p->life == c->life && p->socket >= 0)
		end_after_failure(p, ret, "failed on it", err);
	else
		err_set(err, -ret, "a helper sent an invalid answer");
	pthread_mutex_unlock(&p->lock);
	return ret;
}

int sandbox_taken(struct sandbox_call *c, int ret, struct err *err)
{
	if (c->in.failed)
		ret = sandbox_nonsense(c, err);
	sandbox_done(c);
	return ret;
}

void sandbox_end(void)
{
	for (unsigned i = 0; i < SANDBOX_PROCESSES; i++) {
		end_process(&processes[i]);
		processes[i].ends = (struct timeshare){0};
		processes[i].ended_in_row = 0;
	}
}

void sandbox_rest(enum sandbox_process which, uint64_t idle_ns)
{
	struct process *p = &processes[which];

	if (pthread_mutex_trylock(&p->lock))
		return;
	if (p->socket >= 0 && clock_ns() - p->asked > idle_ns)
		end_process(p);
	pthread_mutex_unlock(&p->lock);
}

void sandbox_abandon(void)
{
	atomic_store_relaxed(&abandoned, true);
	for (unsigned i = 0; i < SANDBOX_PROCESSES; i++) {
		pid_t pid = atomic_load_relaxed(&processes[i].pid);

		if (pid)
			kill(pid, SIGKILL);
	}
}

/* --- figures ------------------------------------------------------------------------------ */

void sandbox_figures(enum sandbox_process which, struct sandbox_figures *f)
{
	struct process *p = &processes[which];

	pthread_mutex_lock(&figures_lock);
	p->figures.name = process_kinds[which].name;
	update_figures(p);
	*f = p->figures;
	pthread_mutex_unlock(&figures_lock);
}

uint64_t sandbox_cpu(void)
{
	uint64_t sum = 0;

	pthread_mutex_lock(&figures_lock);
	for (unsigned i = 0; i < SANDBOX_PROCESSES; i++)
		sum += processes[i].cpu_before +
		       cpu_time_of(atomic_load_relaxed(&processes[i].pid));
	pthread_mutex_unlock(&figures_lock);
	return sum;
}

bool sandbox_is_helper(pid_t pid)
{
	for (unsigned i = 0; i < SANDBOX_PROCESSES; i++)
		if (pid == atomic_load_relaxed(&processes[i].pid) && pid)
			return true;
	return false;
}
