/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * id(1) knows every user, but costs a process each: so /etc/passwd is read first, and only so many
 * users without an entry are looked up by id.  A user that may map user ids could have processes of
 * all ids.
 */
#include "system/proc/owner.h"

#include <pthread.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/vec.h"
#include "system/proc/user.h"

#define USERS_ASKED 64   /* looked up by id(1) */
#define USERS_KEPT  4096 /* others have numbers */
#define CGROUP_TEXT 16384

struct named {
	uid_t uid;
	char name[OWNER_USER];
};

struct users {
	pthread_mutex_t lock;
	struct named *named;
	size_t nr, cap;
	unsigned asked;
};

struct users *users_create(void)
{
	struct users *us = calloc(1, sizeof(*us));

	if (us)
		pthread_mutex_init(&us->lock, NULL);
	return us;
}

void users_free(struct users *us)
{
	if (!us)
		return;
	pthread_mutex_destroy(&us->lock);
	free(us->named);
	free(us);
}

static bool in_passwd(uid_t uid, char name[OWNER_USER])
{
	FILE *f = fopen("/etc/passwd", "re");
	struct passwd entry, *found = NULL;
	char buf[4096];

	while (f && !fgetpwent_r(f, &entry, buf, sizeof(buf), &found) && found->pw_uid != uid)
		found = NULL;
	if (f)
		fclose(f);
	if (!found || !*found->pw_name)
		return false;
	snprintf(name, OWNER_USER, "%s", found->pw_name);
	return true;
}

static const struct named *find_known_user(const struct users *us, uid_t uid)
{
	for (size_t i = 0; i < us->nr; i++)
		if (us->named[i].uid == uid)
			return &us->named[i];
	return NULL;
}

void users_name(struct users *us, uid_t uid, char name[OWNER_USER])
{
	const struct named *known;
	struct named fresh = {.uid = uid};
	bool ask;

	pthread_mutex_lock(&us->lock);
	known = find_known_user(us, uid);
	if (known)
		memcpy(name, known->name, OWNER_USER);
	ask = !known && us->asked < USERS_ASKED;
	pthread_mutex_unlock(&us->lock);
	if (known)
		return;
	if (!in_passwd(uid, fresh.name)) {
		snprintf(fresh.name, sizeof(fresh.name), "%u", (unsigned)uid);
		if (ask)
			user_name(uid, fresh.name, sizeof(fresh.name));
	} else {
		ask = false;
	}
	pthread_mutex_lock(&us->lock);
	us->asked += ask;
	if (us->nr < USERS_KEPT && !find_known_user(us, uid) &&
	    vec_reserve(&us->named, &us->cap, us->nr + 1, sizeof(*us->named)))
		us->named[us->nr++] = fresh;
	pthread_mutex_unlock(&us->lock);
	memcpy(name, fresh.name, OWNER_USER);
}

/* Return true if the word is in the list, which commas separate. */
static bool is_in_list(const char *list, size_t len, const char *word)
{
	size_t n = strlen(word);

	for (const char *at = list; at + n <= list + len;) {
		const char *comma = memchr(at, ',', (size_t)(list + len - at));
		const char *end = comma ? comma : list + len;

		if ((size_t)(end - at) == n && !memcmp(at, word, n))
			return true;
		at = end + 1;
	}
	return false;
}

/*
 * Rank a line "NUMBER:CONTROLLERS:PATH", one of each hierarchy.  Version 1's controller cpu is
 * first where it has the process in a cgroup below the root; then version 2's, without controllers;
 * then systemd's own hierarchy.
 */
static int rank_hierarchy(const char *controllers, size_t len, const char *path)
{
	if (is_in_list(controllers, len, "cpu"))
		return strcmp(path, "/") ? 4 : 1;
	if (!len)
		return 3;
	return is_in_list(controllers, len, "name=systemd") ? 2 : 0;
}

const char *owner_cgroup(char *text, bool *v1)
{
	const char *best = NULL;
	int most = 0;

	*v1 = false;
	for (char *next, *line = text; line && *line; line = next) {
		char *controllers = strchr(line, ':'), *path, *end = strchr(line, '\n');
		int is;

		next = end ? end + 1 : NULL;
		if (end)
			*end = '\0';
		controllers = controllers && (!end || controllers < end) ? controllers + 1 : NULL;
		path = controllers ? strchr(controllers, ':') : NULL;
		if (!path || path[1] != '/')
			continue;
		is = rank_hierarchy(controllers, (size_t)(path - controllers), path + 1);
		if (is > most) {
			most = is;
			best = path + 1;
			*v1 = is_in_list(controllers, (size_t)(path - controllers), "cpu");
		}
	}
	return best;
}

static char *read_cgroup(pid_t pid, bool *v1)
{
	char path[32], *text = malloc(CGROUP_TEXT), *copy = NULL;
	const char *found;

	snprintf(path, sizeof(path), "/proc/%d/cgroup", (int)pid);
	if (text && io_read_text(path, text, CGROUP_TEXT) > 0) {
		found = owner_cgroup(text, v1);
		copy = found ? strdup(found) : NULL;
	}
	free(text);
	return copy;
}

void owner_look(struct users *us, pid_t pid, struct owner_seen *o)
{
	struct proc_owner p;

	*o = (struct owner_seen){.found = false};
	if (!procscan_owner(pid, &p))
		return;
	o->found = true;
	users_name(us, p.effective, o->user);
	o->cgroup = read_cgroup(pid, &o->v1);
	o->parent = p.parent;
	if (p.parent > 0)
		procscan_comm(p.parent, p.parent, o->parent_comm);
}

void owner_clear(struct owner_seen *o)
{
	free(o->cgroup);
	*o = (struct owner_seen){.found = false};
}
