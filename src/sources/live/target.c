/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sources/live/target.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "system/sandbox/sandbox.h"
#include "sources/live/cgroup.h"
#include "sources/live/live.h"
#include "sources/live/pidset.h"
#include "system/proc/descendants.h"
#include "system/proc/procscan.h"
#include "system/proc/user.h"

static int no_memory(struct err *err)
{
	return err_set(err, ENOMEM, "out of memory");
}

static bool push_id(pid_t **list, size_t *nr, pid_t id)
{
	pid_t *grown = reallocarray(*list, *nr + 1, sizeof(*grown));

	if (!grown)
		return false;
	*list = grown;
	grown[(*nr)++] = id;
	return true;
}

static int parse_ids(const char *text, const char *what, pid_t **list, size_t *nr, struct err *err)
{
	const char *s = text;

	for (;;) {
		char *end;
		long id;

		errno = 0;
		id = isdigit((unsigned char)*s) ? strtol(s, &end, 10) : 0;
		if (id <= 0 || id > 0x7fffffff || errno || (*end && *end != ','))
			return err_set(err, EINVAL, "'%s' is not a list of %s ids (such as 42,43)",
				       text, what);
		if (!push_id(list, nr, (pid_t)id))
			return no_memory(err);
		if (!*end)
			return 0;
		s = end + 1;
	}
}

int target_add(struct target *t, pid_t tid)
{
	return push_id(&t->tids, &t->ntids, tid) ? 0 : -ENOMEM;
}

static int add_threads(struct target *t, pid_t pid)
{
	size_t nr;
	pid_t *tids = procscan_tids(pid, &nr);
	int ret = nr ? 0 : -ESRCH;

	for (size_t i = 0; i < nr && !ret; i++)
		if (!push_id(&t->tids, &t->ntids, tids[i]))
			ret = -ENOMEM;
	free(tids);
	return ret;
}

static bool is_alive(pid_t id, bool thread)
{
	if (kill(id, 0) && errno == ESRCH)
		return false;
	return procscan_life(id, thread, NULL) != PROC_ZOMBIE;
}

/* Report why it cannot be measured: the number of a process is in use until that is reaped. */
static int explain_gone(pid_t id, const char *what, struct err *err)
{
	pid_t parent;

	if (procscan_life(id, true, &parent) == PROC_ZOMBIE)
		return err_set(err, ESRCH,
			       "%s %d has ended: it is a zombie that its parent %d has not "
			       "reaped yet", what, id, parent);
	return err_set(err, ESRCH, "there is no %s %d", what, id);
}

static int resolve_pids(const char *text, struct target *t, struct err *err)
{
	int ret = parse_ids(text, "process", &t->pids, &t->npids, err);

	for (size_t i = 0; i < t->npids && !ret; i++) {
		ret = is_alive(t->pids[i], false) ? add_threads(t, t->pids[i]) : -ESRCH;
		if (ret == -ESRCH)
			explain_gone(t->pids[i], "process", err);
		else if (ret)
			no_memory(err);
	}
	snprintf(t->text, sizeof(t->text), "pid %s", text);
	return ret;
}

static int resolve_tids(const char *text, struct target *t, struct err *err)
{
	int ret = parse_ids(text, "thread", &t->tids, &t->ntids, err);

	for (size_t i = 0; i < t->ntids && !ret; i++)
		if (!is_alive(t->tids[i], true))
			ret = explain_gone(t->tids[i], "thread", err);
	snprintf(t->text, sizeof(t->text), "tid %s", text);
	return ret;
}

static bool owned_by(pid_t pid, uid_t uid)
{
	char path[32];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d", pid);
	return !stat(path, &st) && st.st_uid == uid;
}

/*
 * Return true if the process may not be measured, which can happen to the user's own, too: after a
 * change of its user, ssh-agent.  The kernel requires the same right for its maps as for its events
 * (ptrace_may_access).
 */
static bool is_forbidden(const struct target *t, pid_t pid)
{
	char path[32];
	int fd;

	if (!t->limited)
		return false;
	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0)
		close(fd);
	return fd < 0 && (errno == EACCES || errno == EPERM);
}

/* Return false if there is no room for its threads. */
static bool add_process(struct target *t, pid_t pid)
{
	size_t before = t->ntids;

	if (is_forbidden(t, pid)) {
		t->nforbidden++;
		return true;
	}
	if (push_id(&t->fresh_pids, &t->nfresh_pids, pid))
		add_threads(t, pid);
	if (!t->room || t->ntids <= t->room)
		return true;
	t->ntids = before;
	t->nfresh_pids--;
	return false;
}

/* Leave out ringtop's helpers: they are about to give up the right to be measured. */
static void add_users(struct target *t, const struct pidset *known)
{
	size_t nr;
	pid_t *pids = procscan_pids(&nr);

	for (size_t i = 0; i < nr; i++)
		if (!pidset_has(known, pids[i]) && owned_by(pids[i], t->uid) &&
		    !sandbox_is_helper(pids[i]))
			add_process(t, pids[i]);
	free(pids);
}

/* Leave out ringtop itself: measuring the shell that it was started from does not mean ringtop. */
static void add_children(struct target *t, const struct pidset *known)
{
	size_t nr;
	pid_t *pids = descendants_list(t->pids, t->npids, getpid(), &nr);

	t->nleft = 0;
	for (size_t i = 0; i < nr; i++)
		if (!pidset_has(known, pids[i]) && (t->nleft || !add_process(t, pids[i])))
			t->nleft++;
	for (size_t i = 0; i < t->nfresh_pids; i++)
		push_id(&t->children, &t->nchildren, t->fresh_pids[i]);
	free(pids);
}

bool target_finds(const struct target *t)
{
	return t->kind == TARGET_USER || t->room;
}

size_t target_rescan(struct target *t, const pid_t **fresh)
{
	struct pidset known = {.slot = NULL};
	size_t before, kept = 0;

	/* Numbers are reused: forget the dead ones first. */
	for (size_t i = 0; i < t->ntids; i++)
		if (!kill(t->tids[i], 0) || errno != ESRCH)
			t->tids[kept++] = t->tids[i];
	before = t->ntids = kept;
	t->nfresh_pids = t->nforbidden = 0;
	for (size_t i = 0; i < kept; i++)
		pidset_add(&known, t->tids[i]);
	if (t->kind == TARGET_USER)
		add_users(t, &known);
	else if (t->room)
		add_children(t, &known);
	pidset_clear(&known);
	*fresh = t->tids + before;
	return t->ntids - before;
}

static void add_new_threads(struct target *t, const pid_t *pids, size_t npids, struct pidset *known)
{
	for (size_t i = 0; i < npids; i++) {
		size_t nr;
		pid_t *tids = procscan_tids(pids[i], &nr);

		for (size_t k = 0; k < nr; k++)
			if (pidset_add(known, tids[k]) > 0)
				push_id(&t->tids, &t->ntids, tids[k]);
		free(tids);
	}
}

size_t target_rescan_threads(struct target *t, const pid_t **fresh)
{
	struct pidset known = {.slot = NULL};
	size_t before = t->ntids;

	for (size_t i = 0; i < t->ntids; i++)
		pidset_add(&known, t->tids[i]);
	add_new_threads(t, t->pids, t->npids, &known);
	add_new_threads(t, t->children, t->nchildren, &known);
	pidset_clear(&known);
	*fresh = t->tids + before;
	return t->ntids - before;
}

void target_follow(struct target *t, size_t room)
{
	const pid_t *fresh;

	if (t->kind != TARGET_PROCESSES)
		return;
	t->room = room;
	target_rescan(t, &fresh);
}

void target_describe(const struct target *t, char *text, size_t size)
{
	const char *many = t->nchildren == 1 ? "child" : "children";

	if (t->nleft)
		text_append(text, size, 0, "%s with %zu of its %zu running children", t->text,
			    t->nchildren, t->nchildren + t->nleft);
	else if (t->nchildren)
		text_append(text, size, 0, "%s with %zu running %s", t->text, t->nchildren, many);
	else
		text_append(text, size, 0, "%s", t->text);
	if (t->nforbidden && t->kind == TARGET_PROCESSES)
		text_append(text, size, strlen(text), ", without %zu that ringtop is not "
						      "permitted to measure", t->nforbidden);
}

static int resolve_uid(uid_t uid, const char *name, struct target *t, struct err *err)
{
	const pid_t *fresh;

	t->kind = TARGET_USER;
	t->uid = uid;
	if (!target_rescan(t, &fresh))
		return err_set(err, ESRCH, "user %s has no processes to measure", name);
	snprintf(t->text, sizeof(t->text), "processes of user %s", name);
	if (t->nforbidden)
		text_append(t->text, sizeof(t->text), strlen(t->text),
			    ", without %zu that ringtop is not permitted to measure",
			    t->nforbidden);
	return 0;
}

static int resolve_user(const char *text, struct target *t, struct err *err)
{
	uid_t uid;
	int ret = user_find(text, &uid);
	char *end;
	unsigned long number;

	if (!ret)
		return resolve_uid(uid, text, t, err);
	number = strtoul(text, &end, 10);
	if (isdigit((unsigned char)*text) && !*end && number < (uid_t)-1)
		return resolve_uid((uid_t)number, text, t, err);
	if (ret == -ESRCH)
		return err_set(err, EINVAL, "there is no user '%s'", text);
	err_set(err, -ret, "user %s: cannot run id to get the number: %s", text, strerror(-ret));
	return err_advise(err, "-u accepts the number too");
}

static int resolve_system(struct target *t, struct err *err)
{
	t->kind = TARGET_SYSTEM;
	strcpy(t->text, "whole machine");
	return push_id(&t->tids, &t->ntids, -1) ? 0 : no_memory(err);
}

static int resolve_cgroup(const char *name, struct target *t, struct err *err)
{
	int ret = resolve_system(t, err);

	if (ret)
		return ret;
	t->cgroup = cgroup_open(name, err);
	t->by_cgroup = t->cgroup >= 0;
	snprintf(t->text, sizeof(t->text), "cgroup %s", name);
	return t->cgroup < 0 ? err_option(err, "-G") : 0;
}

/* Choose the target where the user has named none. */
static int resolve_default(const struct privilege *p, struct target *t, struct err *err)
{
	char name[64];

	if (p->system_wide)
		return resolve_system(t, err);
	if (!p->any)
		return privilege_explain(p, EACCES, "anything", err);
	user_own_name(name, sizeof(name));
	return resolve_uid(getuid(), name, t, err);
}

static void command_text(char *const *argv, struct target *t)
{
	size_t n = snprintf(t->text, sizeof(t->text), SESSION_COMMAND_TARGET);

	for (; *argv && n < sizeof(t->text); argv++)
		n += snprintf(t->text + n, sizeof(t->text) - n, " %s", *argv);
}

int target_resolve(const struct measure_config *c, const struct privilege *p, struct target *t,
		   struct err *err)
{
	*t = (struct target){.inherit = !c->no_inherit && !c->per_thread, .limited = !p->perfmon};
	if (c->pids) {
		t->kind = TARGET_PROCESSES;
		return resolve_pids(c->pids, t, err) ? err_option(err, "-p") : 0;
	}
	if (c->tids) {
		t->kind = TARGET_THREADS;
		t->inherit = false;
		return resolve_tids(c->tids, t, err) ? err_option(err, "-t") : 0;
	}
	if (c->command && !c->all_cpus) {
		t->kind = TARGET_COMMAND;
		command_text(c->command, t);
		return 0;
	}
	if (c->user)
		return resolve_user(c->user, t, err) ? err_option(err, "-u") : 0;
	if ((c->all_cpus || c->cpus || c->cgroup) && !p->system_wide)
		return privilege_explain(p, EACCES, "whole CPUs", err);
	if (c->cgroup)
		return resolve_cgroup(c->cgroup, t, err);
	return c->all_cpus || c->cpus ? resolve_system(t, err) : resolve_default(p, t, err);
}

bool target_alive(const struct target *t)
{
	const pid_t *ids = t->kind == TARGET_PROCESSES ? t->pids : t->tids;
	size_t nr = t->kind == TARGET_PROCESSES ? t->npids : t->ntids;

	if (t->kind != TARGET_PROCESSES && t->kind != TARGET_THREADS)
		return true;
	for (size_t i = 0; i < nr; i++)
		if (is_alive(ids[i], t->kind == TARGET_THREADS))
			return true;
	return false;
}

void target_clear(struct target *t)
{
	free(t->tids);
	free(t->pids);
	free(t->children);
	free(t->fresh_pids);
	if (t->by_cgroup)
		close(t->cgroup);
	*t = (struct target){0};
}
