/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "names/objects/dso.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomics.h"
#include "base/compare.h"
#include "base/hash.h"
#include "system/sandbox/sandbox.h"
#include "files/unwind/cfi.h"

#define BUCKETS 1024

struct dsos {
	struct dso *bucket[BUCKETS];
	const struct objfile_rules *rules;
	struct dso *last; /* last result: successive maps are often of one file */
	size_t nr;
	uint64_t serial;
};

struct load_job {
	struct job job;
	struct dso *object;
	/* A copy: the resolver may find the file in another process while the job runs. */
	struct objfile file;
	void (*loaded)(void *arg, struct dso *o);
	struct elfsym elf;
	char doubt[OBJFILE_DOUBT];
	int result;
	struct err err;
};

struct dsos *dsos_create(const struct objfile_rules *rules)
{
	struct dsos *os = calloc(1, sizeof(*os));

	if (os)
		os->rules = rules;
	return os;
}

static void dso_free(struct dso *o)
{
	elfsym_clear(&o->elf);
	cfi_free(o->cfi);
	budget_free(o->waiting);
	budget_free(o->asks);
	free(o->path);
	free(o->why);
	free(o->refusal);
	free(o);
}

void dsos_free(struct dsos *os)
{
	for (size_t i = 0; os && i < BUCKETS; i++) {
		for (struct dso *o = os->bucket[i], *next; o; o = next) {
			next = o->next;
			dso_free(o);
		}
	}
	free(os);
}

static const struct {
	const char *prefix;
	enum object_kind kind;
} special[] = {
	{"[vdso", OBJECT_VDSO}, {"[vsyscall", OBJECT_ANON}, {"[heap", OBJECT_ANON},
	{"[stack", OBJECT_ANON}, {"[", OBJECT_ANON}, {"//anon", OBJECT_ANON},
	{"anon_inode:", OBJECT_ANON}, {"/dev/zero", OBJECT_ANON}, {"/SYSV", OBJECT_ANON},
	{"/memfd:", OBJECT_FILE},
};

static enum object_kind object_kind_of(const char *path)
{
	if (!*path)
		return OBJECT_ANON;
	for (size_t i = 0; i < sizeof(special) / sizeof(*special); i++)
		if (!strncmp(path, special[i].prefix, strlen(special[i].prefix)))
			return special[i].kind;
	return OBJECT_FILE;
}

/*
 * Return true if the file is an archive from which loaders map libraries that are stored in it
 * unchanged.
 */
static bool is_archive(const char *path)
{
	static const char *const ends[] = {".apk", ".zip", ".jar"};
	size_t len = strlen(path);

	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		if (len > 4 && !strcmp(path + len - 4, ends[i]))
			return true;
	return false;
}

static struct dso *dso_new(const struct dso_key *key)
{
	struct dso *o = calloc(1, sizeof(*o));

	if (!o || !(o->path = strdup(*key->path ? key->path : "//anon"))) {
		free(o);
		return NULL;
	}
	o->lines_budget.whole = &o->budget;
	o->maj = key->maj;
	o->min = key->min;
	o->ino = key->ino;
	o->offset = key->offset;
	o->len = key->len;
	o->wanted = key->build_id;
	o->kind = object_kind_of(key->path);
	o->archive = is_archive(o->path);
	/* Anonymous memory gets its names from a JIT's map, per process: nothing to load here. */
	o->state = o->kind == OBJECT_ANON ? OBJECT_NAMELESS : OBJECT_LOADING;
	return o;
}

static bool same_object(const struct dso *o, const struct dso_key *key, const char *path)
{
	return o->ino == key->ino && o->maj == key->maj && o->min == key->min &&
	       !strcmp(o->path, path) && build_id_equal(&o->wanted, &key->build_id) &&
	       (!o->archive || o->offset == key->offset);
}

static struct dso **bucket_of(struct dsos *os, const char *path, uint64_t ino)
{
	return &os->bucket[hash_mix(hash_bytes(path, strlen(path)), ino) % BUCKETS];
}

static struct dso *find_or_make(struct dsos *os, const struct dso_key *key, const char *path)
{
	struct dso **bucket = bucket_of(os, path, key->ino), *o;

	for (o = *bucket; o; o = o->next)
		if (same_object(o, key, path))
			return o;
	o = dso_new(key);
	if (!o)
		return NULL;
	o->serial = ++os->serial;
	o->rules = os->rules;
	o->next = *bucket;
	*bucket = o;
	os->nr++;
	return o;
}

struct dso *dsos_get(struct dsos *os, const struct dso_key *key, uint32_t now)
{
	const char *path = *key->path ? key->path : "//anon";

	if (!os->last || !same_object(os->last, key, path))
		os->last = find_or_make(os, key, path);
	if (!os->last)
		return NULL;
	os->last->refs++;
	os->last->used = now;
	return os->last;
}

void dso_put(struct dso *o)
{
	if (o)
		o->refs--;
}

struct dso *dsos_find(struct dsos *os, enum object_kind kind, const char *path,
		      const struct build_id *id)
{
	struct dso *best = NULL;

	for (size_t i = 0; i < BUCKETS; i++)
		for (struct dso *o = os->bucket[i]; o; o = o->next) {
			if (o->kind != kind || strcmp(o->path, path) != 0)
				continue;
			if (id->len && !build_id_equal(&o->elf.build_id, id))
				continue;
			if (!best || o->serial > best->serial)
				best = o;
		}
	return best;
}

struct dso *dsos_next(struct dsos *os, const struct dso *o)
{
	struct dso **bucket = o ? bucket_of(os, o->path, o->ino) + 1 : os->bucket;

	if (o && o->next)
		return o->next;
	for (; bucket < os->bucket + BUCKETS; bucket++)
		if (*bucket)
			return *bucket;
	return NULL;
}

void dsos_sweep(struct dsos *os, uint32_t since)
{
	os->last = NULL;
	for (size_t i = 0; i < BUCKETS; i++) {
		struct dso **at = &os->bucket[i], *o;

		while ((o = *at)) {
			bool loading = o->asked && o->state == OBJECT_LOADING;

			if (o->refs || loading || o->busy || (int32_t)(o->used - since) >= 0) {
				at = &o->next;
				continue;
			}
			*at = o->next;
			os->nr--;
			dso_free(o);
		}
	}
}

/*
 * Make an objfile from the constant members. The process that maps it, and where, changes on the
 * resolver's thread.
 */
static struct objfile file_at(const struct dso *o, const struct build_id *id, pid_t pid,
			      uint64_t start, uint64_t end)
{
	/*
	 * A build-id identifies better than an inode number, and is valid on other machines, too.
	 */
	return (struct objfile){pid,	   start,  end,	    id->len ? 0 : o->ino, o->path, *id,
				o->offset, o->len, o->rules};
}

struct objfile dso_file_named(const struct dso *o)
{
	return file_at(o, &o->elf.build_id, o->pid, o->start, o->end);
}

struct objfile dso_file_at(const struct dso *o, pid_t pid, uint64_t start, uint64_t end)
{
	return file_at(o, &o->wanted, pid, start, end);
}

int dso_open(const struct dso *o, const struct objfile *of, struct image *im, struct budget *b,
	     struct err *err)
{
	return o->kind == OBJECT_VDSO ? image_open_vdso(im, of, b, err)
				      : image_open(im, of, b, err);
}

struct candidate {
	struct dso *object;
	uint32_t unused; /* ms */
};

static int longest_first(const void *left, const void *right)
{
	const struct candidate *a = left, *b = right;

	return COMPARE(b->unused, a->unused);
}

/* Sort once: a process can map any number of files. */
void dsos_evict(struct dsos *os, uint32_t since)
{
	struct candidate *list = budget_tight() ? calloc(os->nr + 1, sizeof(*list)) : NULL;
	size_t nr = 0;

	if (!list)
		return; /* out of memory: try in the next tick */
	for (struct dso *o = dsos_next(os, NULL); o; o = dsos_next(os, o))
		if (o->state == OBJECT_READY && o->elf.symtab && !o->busy &&
		    (int32_t)(o->used - since) < 0)
			list[nr++] = (struct candidate){o, since - o->used};
	qsort(list, nr, sizeof(*list), longest_first);
	for (size_t i = 0; i < nr && budget_tight(); i++) {
		struct dso *o = list[i].object;

		elfsym_clear(&o->elf); /* keeps its build-id */
		o->state = OBJECT_LOADING;
		o->asked = false;
		o->evicted = true;
	}
	free(list);
}

static void load_run(struct job *job)
{
	struct load_job *lj = (struct load_job *)job;
	struct dso *o = lj->object;
	struct image im;

	budget_forgive(&o->budget);
	lj->result = dso_open(o, &lj->file, &im, &o->budget, &lj->err);
	if (!lj->result) {
		memcpy(lj->doubt, im.doubt, sizeof(lj->doubt));
		im.at = o->kind == OBJECT_FILE ? lj->file.offset : 0;
		lj->result = elfsym_load(&im, &lj->elf, &lj->err);
		image_close(&im);
	}
	/* A budget refusal, not the file, is the reason then. */
	if (budget_say(&o->budget, lj->result ? "its symbols" : "the rest of its symbols",
		       &lj->err) &&
	    lj->result)
		lj->result = -ENOBUFS;
}

void dso_refused(struct dso *o, const struct err *err)
{
	if (err->code == ENOBUFS && !o->refusal)
		o->refusal = strdup(err->text);
}

static void note_load_problem(struct dso *o, const struct load_job *lj)
{
	free(o->why);
	o->doubted = *lj->doubt && lj->result >= 0;
	o->why = NULL;
	if (o->doubted && asprintf(&o->why, "%s%s%s", lj->doubt, lj->err.code ? "; " : "",
				   lj->err.code ? lj->err.text : "") < 0)
		o->why = NULL;
	else if (!o->doubted && lj->err.code)
		o->why = strdup(lj->err.text);
	o->put_off = sandbox_later(lj->result);
	o->refused = lj->err.code == ENOBUFS || o->put_off;
	dso_refused(o, &lj->err);
}

static void load_finish(struct job *job, void *arg)
{
	struct load_job *lj = (struct load_job *)job;
	struct dso *o = lj->object;

	o->state = lj->result < 0 ? OBJECT_NAMELESS : OBJECT_READY;
	o->evicted = false;
	o->no_elf = lj->result == -EINVAL;
	o->elf = lj->elf;
	note_load_problem(o, lj);
	lj->loaded(arg, o);
	free(lj);
}

static void again_finish(struct job *job, void *arg)
{
	struct load_job *lj = (struct load_job *)job;
	struct dso *o = lj->object;

	o->busy--;
	if (!lj->result && (o->refused || !lj->elf.partial)) {
		elfsym_clear(&o->elf);
		o->elf = lj->elf;
		o->state = OBJECT_READY;
		note_load_problem(o, lj);
		lj->loaded(arg, o);
	} else {
		elfsym_clear(&lj->elf);
	}
	free(lj);
}

static void load_discard(struct job *job)
{
	struct load_job *lj = (struct load_job *)job;

	elfsym_clear(&lj->elf);
	free(lj);
}

static bool load_submit(struct dso *o, struct workers *w, void (*finish)(struct job *, void *),
			void (*loaded)(void *arg, struct dso *o), bool urgent)
{
	struct load_job *lj = calloc(1, sizeof(*lj));

	if (!lj)
		return false;
	lj->job = (struct job){.run = load_run, .finish = finish, .discard = load_discard};
	lj->object = o;
	lj->file = dso_file_at(o, o->pid, o->start, o->end);
	lj->loaded = loaded;
	workers_submit(w, &lj->job, urgent);
	return true;
}

void dso_load(struct dso *o, struct workers *w, void (*loaded)(void *arg, struct dso *o))
{
	/* Out of memory: the next use tries again. */
	if (!o->asked && o->state == OBJECT_LOADING)
		o->asked = load_submit(o, w, load_finish, loaded, true);
}

void dso_load_again(struct dso *o, struct workers *w, void (*loaded)(void *arg, struct dso *o))
{
	if ((o->state == OBJECT_READY || o->refused) &&
	    load_submit(o, w, again_finish, loaded, false))
		o->busy++;
}

bool dso_may_fit(const struct dso *o)
{
	return o->refused && !o->busy && (o->put_off || atomic_load_relaxed(&o->budget.crowded)) &&
	       !budget_tight();
}

size_t dsos_count(const struct dsos *os)
{
	return os->nr;
}
