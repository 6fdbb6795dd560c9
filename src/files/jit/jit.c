/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "files/jit/jit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/budget.h"
#include "files/elf/objfile.h"
#include "files/jit/jitdump_sandbox.h"

#define RELATE_NS (10 * NSEC_PER_SEC) /* validity of a relation of the clocks */
#define LATE_NS (2 * NSEC_PER_SEC) /* maximum age of samples that wait for a name */

static void dump_clear(struct jit_dump *d)
{
	free(d->path);
	if (d->fd >= 0)
		close(d->fd);
}

void jit_clear(struct jit *j)
{
	symtab_free(j->symtab);
	jitcode_free(j->code);
	for (unsigned i = 0; i < j->ndumps; i++)
		dump_clear(&j->dump[i]);
	budget_free(j->waiting);
	jitlines_clear(&j->lines);
	*j = (struct jit){.version = j->version + 1, .life = j->life + 1, .queued = j->queued};
}

void jit_mapped(struct jit *j, const char *path, uint64_t ino, uint64_t start, uint64_t end)
{
	struct jit_dump *d = &j->dump[j->ndumps];
	uint32_t number;

	if (j->ndumps == JIT_DUMPS || !jitdump_is_name(path, &number))
		return;
	for (unsigned i = 0; i < j->ndumps; i++)
		if (j->dump[i].ino == ino && !strcmp(j->dump[i].path, path))
			return;
	*d = (struct jit_dump){.path = strdup(path), .ino = ino, .start = start, .end = end,
			       .number = number, .fd = -1};
	j->ndumps += d->path != NULL;
}

bool jit_wait(struct jit *j, uint32_t frame, uint64_t ip, uint64_t time, unsigned looks)
{
	bool room = j->nwaiting < JIT_WAITING_MAX;

	if (!room) {
		size_t oldest = JIT_WAITING_MAX / 8; /* several at once, as the others are moved */

		j->nwaiting -= oldest;
		memmove(j->waiting, j->waiting + oldest, j->nwaiting * sizeof(*j->waiting));
	}
	if (!budget_reserve(NULL, BUDGET_JIT, &j->waiting, &j->cap_waiting, j->nwaiting + 1,
			    sizeof(*j->waiting)))
		return false;
	j->waiting[j->nwaiting++] = (struct jit_wait){ip, time, frame, (uint8_t)looks, false};
	return room;
}

void jit_hurry(struct jit *j)
{
	j->looked = 0;
	j->pace = (struct timeshare){0};
}

/* Return true if the map may be looked at. */
static bool map_due(const struct jit *j, uint64_t now)
{
	unsigned doubled = j->idle / JIT_LOOKS;

	doubled = doubled < JIT_PAUSES ? doubled : JIT_PAUSES;
	return now >= j->looked + (JIT_LOOK_NS << doubled) && timeshare_open(&j->pace, now);
}

void jit_ask_line(struct jit *j, const struct jit_name *n, uint64_t ip, uint32_t frame,
		  uint32_t symbol)
{
	struct jitlines_ask ask = {.frame = frame, .symbol = symbol, .ip = ip};

	if (!n->function || !n->function->lines)
		return;
	ask.offset = ip - n->function->start;
	ask.size = n->function->size;
	ask.record = n->function->lines;
	ask.dump = n->function->dump;
	jitlines_add(&j->lines, &ask);
}

void jit_exit(struct jit *j)
{
	j->ending = j->nwaiting || j->lines.nr;
	j->exited = clock_ns();
	jit_hurry(j);
}

bool jit_overdue(const struct jit *j, uint64_t now)
{
	return j->ending && !j->busy && now >= j->exited + JIT_LAST_NS;
}

void jit_give_up(struct jit *j)
{
	j->given_up = true;
	j->ending = false;
}

static bool unknown_yet(const struct jit *j, uint64_t time)
{
	/* If times cannot be compared, all that was read is valid. */
	return j->ndumps && !j->timeless && time > j->known && time != UINT64_MAX;
}

bool jit_pending(const struct jit *j, uint64_t time)
{
	return !j->given_up && unknown_yet(j, time);
}

bool jit_find(const struct jit *j, uint64_t ip, uint64_t time, struct jit_name *n)
{
	bool dumps = j->code && !(j->given_up && unknown_yet(j, time));
	const struct jitcode_function *f = dumps ? jitcode_find(j->code, ip, time) : NULL;
	struct symtab_entry e;

	if (f) {
		*n = (struct jit_name){f->name, f->start, f->size, f};
		return true;
	}
	if (!j->symtab || !symtab_find(j->symtab, ip, &e))
		return false;
	*n = (struct jit_name){e.name, e.addr, e.size, NULL};
	return true;
}

/* --- on a worker -------------------------------------------------------------------------- */

static void spend(struct timeshare *all, uint64_t cost)
{
	timeshare_spend(all, clock_ns(), cost, JITS_PERCENT, JITS_BURST_NS);
}

/* Return true if all processes' share of time allows a due read now. */
static bool affordable(struct jit_job *jj, const struct timeshare *all)
{
	if (timeshare_open(all, clock_ns()))
		return true;
	jj->put_off = true;
	return false;
}

/* Check as for perf-PID.map: the file is the process's or root's, and named after the process. */
static int check_dump_owner(const struct jit_job *jj, const struct jit_dump *d,
			    const struct stat *st, struct err *err)
{
	const struct proc_owner *o = &jj->owner;

	if (st->st_uid && st->st_uid != o->real && st->st_uid != o->effective)
		return err_set(err, EPERM, "%s belongs to user %u, not to process %d", d->path,
			       (unsigned)st->st_uid, (int)jj->pid);
	if (d->number != (uint32_t)jj->pid && d->number != (uint32_t)o->inner)
		return err_set(err, EPERM, "%s is not named after process %d, which maps it",
			       d->path, (int)jj->pid);
	return 0;
}

/* Open the dump once and keep it open: it may be deleted, or vanish with its process's root. */
static int open_dump(const struct jit_job *jj, struct jit_dump *d, uint64_t *size, struct err *err)
{
	struct objfile of = {.pid = jj->pid, .start = d->start, .end = d->end, .ino = d->ino,
			     .path = d->path};
	bool opened = d->fd < 0;
	struct stat st;

	if (opened)
		d->fd = objfile_open(&of, NULL, err);
	if (d->fd < 0)
		return d->fd;
	if (fstat(d->fd, &st))
		return err_set(err, errno, "%s: %s", d->path, strerror(errno));
	*size = (uint64_t)st.st_size;
	return opened ? check_dump_owner(jj, d, &st, err) : 0;
}

static void read_lines(struct jit_job *jj, unsigned i)
{
	const struct jit_dump *d = &jj->dump[i].dump;
	struct jitdump_file f = {.fd = d->fd, .path = d->path};
	struct stat st;

	if (!jj->lines.nr || d->fd < 0 || fstat(d->fd, &st))
		return;
	f.size = (uint64_t)st.st_size;
	jitlines_read(&jj->lines, (uint8_t)i, &f, &d->place);
}

static int read_dump(struct jit_job *jj, struct jit_dump *d, struct jitdump_batch *b,
		     struct err *err)
{
	struct jitdump_file f = {.path = d->path};
	int ret = open_dump(jj, d, &f.size, err);

	d->tried = true;
	if (ret)
		return ret;
	if (!jj->dumps_due || !affordable(jj, &jj->paces->dumps))
		return -EAGAIN;
	f.fd = d->fd;
	ret = jitdump_load(&f, &d->place, b, err);
	if (ret)
		err_prefix(err, d->path);
	return ret;
}

/* Relate the clocks once, and again after a while if there are events: the clocks drift apart. */
static void relate_to_perf_clock(struct jit_job *jj, bool events)
{
	if (jj->related && (!events || jj->begun - jj->related < RELATE_NS))
		return;
	jj->clock_result = jj->clock ? jj->clock(&jj->relation) : -ENOSYS;
	jj->related = jj->clock_result ? 0 : clock_ns();
}

static void read_map(struct jit_job *jj)
{
	struct proc_owner owner;

	jj->look_at_map = jj->look_at_map && affordable(jj, &jj->paces->maps);
	if (jj->look_at_map || !jj->owner.found)
		if (procscan_owner(jj->pid, &owner))
			jj->owner = owner;
	jj->map.result = -EALREADY;
	if (jj->look_at_map)
		jj->map.result = perfmap_load(jj->pid, &jj->map.stamp, &jj->map.symtab,
					      &jj->map.err);
	jj->map.cost = clock_ns() - jj->begun;
	spend(&jj->paces->maps, jj->map.cost);
}

static void read_dumps(struct jit_job *jj)
{
	uint64_t begun = clock_ns(), from = begun, now;
	bool events = false;

	for (unsigned i = 0; i < jj->ndumps; i++, from = now) {
		if (!jj->dump[i].dump.failed)
			jj->dump[i].result = read_dump(jj, &jj->dump[i].dump, &jj->dump[i].batch,
						       &jj->dump[i].err);
		events |= jj->dump[i].batch.nr != 0;
		if (!jj->dump[i].dump.failed && jj->dump[i].result != -EAGAIN)
			read_lines(jj, i);
		now = clock_ns();
		spend(&jj->paces->dumps, now - from);
	}
	relate_to_perf_clock(jj, events);
	jj->dumps_cost = clock_ns() - begun;
}

static void run_job(struct job *job)
{
	struct jit_job *jj = (struct jit_job *)job;

	jj->begun = clock_ns();
	if (jj->recorded) {
		jj->map.result = perfmap_load_recorded(jj->pid, &jj->map.stamp, &jj->map.symtab,
						       &jj->map.err);
		return;
	}
	read_map(jj);
	if (jj->ndumps)
		read_dumps(jj);
}

void jit_job_free(struct jit_job *jj)
{
	symtab_free(jj->map.symtab);
	jitlines_clear(&jj->lines);
	for (unsigned i = 0; i < jj->ndumps; i++) {
		jitdump_batch_clear(&jj->dump[i].batch);
		dump_clear(&jj->dump[i].dump);
	}
	free(jj);
}

static void discard_job(struct job *job)
{
	jit_job_free((struct jit_job *)job);
}

/* Return true if this process's share of time allows reading dumps, as does the last look. */
static bool dumps_due(const struct jit *j, uint64_t now)
{
	return !j->given_up && (j->ending || timeshare_open(&j->dump_pace, now));
}

/*
 * Return true if a dump was not opened yet. It may vanish with its process, so it is opened even if
 * it may not be read yet.
 */
static bool untried(const struct jit *j)
{
	bool all = true;

	for (unsigned i = 0; i < j->ndumps; i++)
		all &= j->dump[i].tried;
	return !all;
}

struct jit_job *jit_look(struct jit *j, pid_t pid, uint64_t serial, jit_clock *clock,
			 struct jit_paces *paces, void (*finish)(struct job *job, void *arg))
{
	uint64_t now = clock_ns();
	bool look_at_map = map_due(j, now) && timeshare_open(&paces->maps, now);
	bool due = dumps_due(j, now) && timeshare_open(&paces->dumps, now);
	unsigned ndumps = due || untried(j) ? j->ndumps : 0;
	struct jit_job *jj = j->busy || (!look_at_map && !ndumps) ? NULL : calloc(1, sizeof(*jj));

	if (!jj)
		return NULL;
	jj->look_at_map = look_at_map;
	jj->dumps_due = due;
	jj->paces = paces;
	jj->relation = j->relation;
	jj->related = j->related;
	jj->job = (struct job){.run = run_job, .finish = finish, .discard = discard_job};
	jj->pid = pid;
	jj->serial = serial;
	jj->life = j->life;
	jj->last = j->ending;
	jj->clock = clock;
	jj->owner = j->owner.found ? j->owner
				   : (struct proc_owner){.real = geteuid(),
							 .effective = geteuid(),
							 .inner = pid};
	jj->map.stamp = j->stamp;
	for (unsigned i = 0; i < ndumps; i++) {
		jj->dump[i].dump = j->dump[i];
		jj->dump[i].dump.path = strdup(j->dump[i].path);
		jj->dump[i].dump.fd = -1;
		if (!jj->dump[i].dump.path)
			break;
		if (j->dump[i].fd >= 0)
			jj->dump[i].dump.fd = fcntl(j->dump[i].fd, F_DUPFD_CLOEXEC, 0);
		jj->ndumps++;
	}
	if (ndumps) /* the lines are read from these dumps */
		jitlines_take(&j->lines, &jj->lines);
	j->busy = true;
	return jj;
}

struct jit_job *jit_look_recorded(struct jit *j, pid_t pid, uint64_t serial,
				  void (*finish)(struct job *job, void *arg))
{
	struct jit_paces none = {.maps.until = 0};
	struct jit_job *jj =
		j->busy || j->tried ? NULL : jit_look(j, pid, serial, NULL, &none, finish);

	if (!jj)
		return NULL;
	jj->recorded = true;
	jj->paces = NULL;
	return jj;
}

/* --- results ---------------------------------------------------------------------------------- */

/* Convert a dump's time to perf's clock, at most the present time; 0: not possible. */
static uint64_t event_time(const struct jit_job *jj, const struct jitdump_place *at, uint64_t time)
{
	uint64_t now;

	if (!jj->related || (at->arch_time && !jj->relation.counter))
		return 0;
	now = clock_from_monotonic(&jj->relation, clock_ns());
	time = at->arch_time ? clock_from_counter(&jj->relation, time)
			     : clock_from_monotonic(&jj->relation, time);
	return time < now ? time : now;
}

static void apply_batch(struct jit *j, const struct jit_job *jj, unsigned i, struct err *complaint)
{
	const struct jitdump_batch *b = &jj->dump[i].batch;
	uint64_t refused = jitcode_refused(j->code);

	for (size_t k = 0; k < b->nr; k++) {
		const struct jitdump_event *e = &b->event[k];
		struct jitcode_function f = {.start = e->addr, .size = e->size, .index = e->index,
					     .code = e->code, .lines = e->lines,
					     .unwind = e->unwind, .dump = (uint8_t)i};
		uint64_t time = event_time(jj, &jj->dump[i].dump.place, e->time);

		j->newest = time > j->newest ? time : j->newest;
		/* A move of a function that was refused, or never loaded, changes nothing. */
		if (e->kind == JITDUMP_MOVE)
			jitcode_move(j->code, e->from, e->addr, e->index, j->newest);
		else
			jitcode_load(j->code, &f, b->names + e->name, j->newest);
	}
	if (!refused && jitcode_refused(j->code))
		err_set(complaint, EFBIG,
			"%s names more code than ringtop keeps: the latest code has no names",
			jj->dump[i].dump.path);
	if (j->newest || j->timeless)
		return;
	j->timeless = true;
	err_set(complaint, ENOTSUP,
		"the clock of %s cannot be compared with perf's: an address that was reused gets "
		"its last name", jj->dump[i].dump.path);
}

static void take_dump(struct jit *j, struct jit_job *jj, unsigned i, struct err *complaint)
{
	struct jit_dump *d = &j->dump[i];
	int result = jj->dump[i].result;

	if (d->failed)
		return;
	d->tried = jj->dump[i].dump.tried;
	if (d->fd < 0) {
		d->fd = jj->dump[i].dump.fd;
		jj->dump[i].dump.fd = -1;
	}
	if (jj->dump[i].batch.nr && !j->code)
		j->code = jitcode_create();
	if (jj->dump[i].batch.nr && !j->code)
		return; /* no memory: read from the same place again */
	if (jj->dump[i].batch.nr)
		apply_batch(j, jj, i, complaint);
	d->place = jj->dump[i].dump.place;
	/* A missing or incomplete file may still come; a wrong one stays wrong. */
	d->failed =
		result == -EPERM || result == -ESTALE || result == -EINVAL || sandbox_lost(result);
	if (d->failed || (result == -ENOBUFS && !j->refused))
		*complaint = jj->dump[i].err;
	j->refused |= result == -ENOBUFS;
}

/* Keep the requests that the pass did not get to, for the next one. */
static void take_lines(struct jit *j, const struct jit_job *jj)
{
	bool short_of = !jj->dumps_due || jj->put_off || jj->lines.bytes >= JITLINES_BYTES;

	for (size_t i = 0; short_of && i < jj->lines.nr; i++)
		if (!jj->lines.ask[i].done)
			jitlines_add(&j->lines, &jj->lines.ask[i]);
}

void jit_take(struct jit *j, struct jit_job *jj, uint64_t settled, struct err *complaint)
{
	bool more = jj->put_off || (jj->ndumps && !jj->dumps_due);

	*complaint = (struct err){0};
	if (jj->life != j->life)
		return;
	j->busy = false;
	j->tried = true;
	j->owner = jj->owner;
	j->stamp = jj->map.stamp;
	if (!jj->map.result) {
		symtab_free(j->symtab);
		j->symtab = jj->map.symtab;
		jj->map.symtab = NULL;
		j->version++;
	}
	if (jj->map.result == -EPERM || jj->map.result == -ENOBUFS || sandbox_lost(jj->map.result))
		*complaint = jj->map.err;
	if (jj->look_at_map) {
		j->looked = clock_ns();
		j->idle = jj->map.result ? j->idle + 1 : 0;
		timeshare_spend(&j->pace, j->looked, jj->map.cost, JIT_PERCENT, 0);
	}
	timeshare_spend(&j->dump_pace, clock_ns(), jj->dumps_cost, JIT_PERCENT, JIT_BURST_NS);
	j->relation = jj->relation;
	j->related = jj->related;
	for (unsigned i = 0; i < jj->ndumps; i++) {
		take_dump(j, jj, i, complaint);
		more |= jj->dump[i].batch.more;
	}
	if (jj->ndumps == j->ndumps && !more)
		j->known =
			jj->related ? clock_from_monotonic(&jj->relation, jj->begun) : UINT64_MAX;
	take_lines(j, jj);
	if (j->code)
		jitcode_settle(j->code, settled > LATE_NS ? settled - LATE_NS : 0);
	j->unread = more;
	if (jj->last && !more && !j->lines.nr)
		j->ending = false;
}
