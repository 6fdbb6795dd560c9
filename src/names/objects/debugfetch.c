/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "names/objects/debugfetch.h"

#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef HAVE_DEBUGINFOD
#include <dlfcn.h>
#include <elfutils/debuginfod.h>
#endif

#include "base/atomics.h"
#include "base/budget.h"
#include "base/units.h"
#include "base/worker.h"

struct client;

struct debugfetch {
	struct workers *workers; /* one thread, and the client is that thread's */
	struct client *client;   /* NULL: not opened yet */
	bool too_large;          /* result for the file under way; used by that thread only */
	bool stop; /* set by the owner, atomic: abort; carries no other data */
	debugfetch_done *done; /* while debugfetch_collect runs */
	void *arg;
};

struct fetch_job {
	struct job job;
	struct debugfetch *fetch;
	struct dso *object;
	struct build_id id;
	int result;
	struct err err;
};

/* --- the client, on the worker ------------------------------------------------------------ */

#ifdef HAVE_DEBUGINFOD

/* Functions of libdebuginfod, under their own names. */
struct client {
	debuginfod_client *handle;
	__typeof__(debuginfod_begin) *begin;
	__typeof__(debuginfod_end) *end;
	__typeof__(debuginfod_find_debuginfo) *find;
	__typeof__(debuginfod_set_progressfn) *set_progress;
	__typeof__(debuginfod_set_user_data) *set_user_data;
	__typeof__(debuginfod_get_user_data) *get_user_data;
};

/*
 * Access to the callback's state: its only argument is the client's handle, and the library keeps
 * the data.
 */
static __typeof__(debuginfod_get_user_data) *user_data_of;

/* Called about once a second while the client waits; return nonzero to abort. */
static int client_progress(debuginfod_client *handle, long done, long all)
{
	struct debugfetch *f = user_data_of(handle);

	(void)all;
	f->too_large |= done > 0 && (uint64_t)done > budget_limit();
	return f->too_large || atomic_load_relaxed(&f->stop);
}

static bool client_bind(struct client *c, void *library)
{
	const struct {
		const char *name;
		void *to;
	} calls[] = {
		{"debuginfod_begin", &c->begin},
		{"debuginfod_end", &c->end},
		{"debuginfod_find_debuginfo", &c->find},
		{"debuginfod_set_progressfn", &c->set_progress},
		{"debuginfod_set_user_data", &c->set_user_data},
		{"debuginfod_get_user_data", &c->get_user_data},
	};

	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		void *call = dlsym(library, calls[i].name);

		if (!call)
			return false;
		memcpy(calls[i].to, &call, sizeof(call));
	}
	return true;
}

static int client_open(struct debugfetch *f, struct err *err)
{
	void *library = dlopen(DEBUGINFOD_SONAME, RTLD_NOW);
	struct client *c = calloc(1, sizeof(*c));

	if (!library || !c || !client_bind(c, library)) {
		free(c);
		return err_set(err, ENOENT, "%s", library ? "out of memory" : dlerror());
	}
	user_data_of = c->get_user_data;
	c->handle = c->begin();
	if (!c->handle) {
		free(c);
		return err_set(err, ENOMEM, "its client could not be started");
	}
	c->set_user_data(c->handle, f);
	c->set_progress(c->handle, client_progress);
	f->client = c;
	return 0;
}

static void client_close(struct client *c)
{
	if (c)
		c->end(c->handle);
	free(c);
}

static int say_too_large(struct err *err)
{
	char limit[UNITS_LEN];

	units_bytes(limit, (double)budget_limit());
	return err_set(err, ENOBUFS,
		       "the debug file that debuginfod has is larger than --max-memory %s", limit);
}

static int client_find(struct debugfetch *f, const struct build_id *id, struct err *err)
{
	int fd = f->client ? 0 : client_open(f, err);
	struct stat st;

	if (fd < 0)
		return -EOPNOTSUPP;
	f->too_large = false;
	fd = f->client->find(f->client->handle, id->bytes, id->len, NULL);
	/* A whole file may arrive within the second between two callbacks. */
	f->too_large |= fd >= 0 && !fstat(fd, &st) && (uint64_t)st.st_size > budget_limit();
	if (fd >= 0)
		close(fd);
	if (f->too_large)
		return say_too_large(err);
	return fd < 0 ? err_set(err, -fd, "%s", strerror(-fd)) : 0;
}

static int may_fetch(struct err *err)
{
	const char *urls = secure_getenv(DEBUGINFOD_URLS_ENV_VAR);

	if (urls && urls[strspn(urls, " ")])
		return 0;
	err_set(err, EINVAL, "--debuginfod: $" DEBUGINFOD_URLS_ENV_VAR " names no server");
	return err_advise(err,
			  "export " DEBUGINFOD_URLS_ENV_VAR "=https://debuginfod.debian.net, or "
			  "your distribution's; sudo keeps it with "
			  "--preserve-env=" DEBUGINFOD_URLS_ENV_VAR);
}

#else

static void client_close(struct client *c)
{
	(void)c;
}

static int client_find(struct debugfetch *f, const struct build_id *id, struct err *err)
{
	(void)f;
	(void)id;
	return err_set(err, EOPNOTSUPP, "not built in");
}

static int may_fetch(struct err *err)
{
	return err_set(err, EOPNOTSUPP,
		       "--debuginfod: this ringtop was built without libdebuginfod (elfutils)");
}

#endif

static void run_fetch(struct job *job)
{
	struct fetch_job *fj = (struct fetch_job *)job;

	fj->result = -ECANCELED;
	if (!atomic_load_relaxed(&fj->fetch->stop))
		fj->result = client_find(fj->fetch, &fj->id, &fj->err);
}

/* --- the resolver's side ------------------------------------------------------------------ */

static void finish_fetch(struct job *job, void *arg)
{
	struct fetch_job *fj = (struct fetch_job *)job;
	struct debugfetch *f = arg;

	fj->object->busy--;
	f->done(f->arg, fj->object, fj->result, fj->err.text);
	free(fj);
}

static void discard_fetch(struct job *job)
{
	free(job);
}

struct debugfetch *debugfetch_create(void (*begin)(void), struct err *err)
{
	struct debugfetch *f = may_fetch(err) ? NULL : calloc(1, sizeof(*f));

	if (f)
		f->workers = workers_create(1, begin);
	if (f && !f->workers) {
		err_room(err, errno, "--debuginfod");
		free(f);
		f = NULL;
	}
	return f;
}

void debugfetch_free(struct debugfetch *f)
{
	if (!f)
		return;
	atomic_store_relaxed(&f->stop, true);
	workers_close(f->workers);
	client_close(f->client);
	free(f);
}

void debugfetch_ask(struct debugfetch *f, struct dso *o)
{
	struct fetch_job *fj = calloc(1, sizeof(*fj));

	if (!fj)
		return; /* the object keeps its symbols */
	fj->job = (struct job){.run = run_fetch, .finish = finish_fetch, .discard = discard_fetch};
	fj->fetch = f;
	fj->object = o;
	fj->id = o->elf.build_id;
	o->busy++;
	workers_submit(f->workers, &fj->job, false);
}

void debugfetch_collect(struct debugfetch *f, debugfetch_done *done, void *arg)
{
	f->done = done;
	f->arg = arg;
	workers_collect(f->workers, f);
}

size_t debugfetch_pending(const struct debugfetch *f)
{
	return workers_pending(f->workers);
}

int debugfetch_fd(const struct debugfetch *f)
{
	return workers_fd(f->workers);
}
