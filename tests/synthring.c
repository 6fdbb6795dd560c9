/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/synthring.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/atomics.h"
#include "kernel/capture/privilege.h"

#ifndef PERF_FORMAT_LOST
#define PERF_FORMAT_LOST (1u << 4)
#endif

#define FDS	4096
#define CONFIGS 16
#define RECORD	1024u /* bytes, the largest */
#define HEIRS	8

/* Beside its mapping, which is the reader's: it lives from map to unmap. */
struct ring_of {
	struct perf_event_mmap_page *page;
	char *data;
	uint64_t size, woken; /* up to where it was told of */
	uint64_t lost;        /* not told of yet */
	bool backward, paused;
	char *aux; /* of aux_size bytes, or NULL */
};

struct heir {
	pid_t tid;
	uint64_t left;
};

struct fake_event {
	struct perf_event_attr attr;
	struct ring_of *ring;
	pid_t tid;
	int cpu, fd;
	uint64_t id, value, left, lost;
	uint64_t enabled_ns, running_ns, since;
	bool evicted, error; /* others have its counter; it is pinned, and they had it */
	bool on, dead, gone;
	struct heir heir[HEIRS]; /* children that inherited it */
	unsigned nheirs;
	bool stands; /* its driver found no room */
	bool starved; /* enabled, and never run */
	struct fake_event *leader; /* NULL: leads, or is alone */
};

struct fake_cpu {
	pthread_mutex_t here; /* who is there: a pinned thread that runs, or what is counted */
	int wanted;           /* shared: that thread was woken, and comes first */
	bool online, throttled, starves, misses;
	struct synthring_truth truth[CONFIGS];
	pthread_mutex_t gate; /* held: a pinned thread goes no further */
};

struct synthring {
	struct perf_source source;
	struct synthring_config config;
	pthread_mutex_t lock; /* all below */
	struct fake_event *event[FDS];
	unsigned open, rings;
	int top; /* the highest fd and 1 */
	uint64_t now, ids;
	unsigned fail_open, fail_map; /* countdowns: 0 is now */
	int open_code, map_code;
	struct fake_cpu cpu[SYNTHRING_CPUS];
	pthread_key_t pinned;
	int list[2]; /* files: CPUs online, possible */
	char path[2][32];
};

static struct synthring *synth_of(struct perf_source *s)
{
	return (struct synthring *)s;
}

static struct fake_event *event_at(struct synthring *s, int fd)
{
	return fd >= 0 && fd < FDS ? s->event[fd] : NULL;
}

/* --- records ------------------------------------------------------------------------------ */

struct out {
	_Alignas(8) char bytes[RECORD];
	size_t len;
};

static void put(struct out *o, uint64_t v)
{
	memcpy(o->bytes + o->len, &v, sizeof(v));
	o->len += sizeof(v);
}

static void begin(struct out *o, uint32_t type, uint16_t misc)
{
	struct perf_event_header h = {.type = type, .misc = misc};

	memcpy(o->bytes, &h, sizeof(h));
	o->len = sizeof(h);
}

static uint64_t pair(uint32_t low, uint32_t high)
{
	return low | (uint64_t)high << 32;
}

static void end(struct out *o)
{
	struct perf_event_header h;

	memcpy(&h, o->bytes, sizeof(h));
	h.size = (uint16_t)o->len;
	memcpy(o->bytes, &h, sizeof(h));
}

/* What stands behind every record but samples. */
static void trailer(struct synthring *s, struct out *o, const struct fake_event *e, int cpu, pid_t tid)
{
	uint64_t type = e->attr.sample_id_all ? e->attr.sample_type : 0;

	if (type & PERF_SAMPLE_TID)
		put(o, pair((uint32_t)tid, (uint32_t)tid));
	if (type & PERF_SAMPLE_TIME)
		put(o, s->now++);
	if (type & PERF_SAMPLE_CPU)
		put(o, (uint64_t)cpu);
	if (type & PERF_SAMPLE_IDENTIFIER)
		put(o, e->id);
	end(o);
}

/* The group's member that was opened next after this id. */
static const struct fake_event *member_after(struct synthring *s, const struct fake_event *leader, uint64_t id)
{
	const struct fake_event *next = NULL;

	for (int fd = 0; fd < s->top; fd++) {
		const struct fake_event *e = s->event[fd];

		if (e && (e == leader || e->leader == leader) && e->id > id && (!next || e->id < next->id))
			next = e;
	}
	return next;
}

/* The counts of a group in its leader's sample: as read_group. */
static void put_group(struct synthring *s, struct out *o, const struct fake_event *leader)
{
	size_t at = o->len;
	uint64_t nr = 0;

	put(o, 0);
	put(o, leader->enabled_ns);
	put(o, leader->running_ns);
	for (const struct fake_event *e = leader; e; e = member_after(s, leader, e->id), nr++) {
		put(o, e->value);
		put(o, e->id);
		if (leader->attr.read_format & PERF_FORMAT_LOST)
			put(o, e->lost);
	}
	memcpy(o->bytes + at, &nr, sizeof(nr));
}

static void sample(struct synthring *s, struct out *o, const struct fake_event *e, int cpu, pid_t tid,
		   uint64_t period, uint64_t ip, unsigned depth)
{
	uint64_t type = e->attr.sample_type;

	begin(o, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	if (type & PERF_SAMPLE_IDENTIFIER)
		put(o, e->id);
	if (type & PERF_SAMPLE_IP)
		put(o, ip);
	if (type & PERF_SAMPLE_TID)
		put(o, pair((uint32_t)tid, (uint32_t)tid));
	if (type & PERF_SAMPLE_TIME)
		put(o, s->now++);
	if (type & PERF_SAMPLE_CPU)
		put(o, (uint64_t)cpu);
	if (type & PERF_SAMPLE_PERIOD)
		put(o, period);
	if (type & PERF_SAMPLE_READ)
		put_group(s, o, e);
	if (type & PERF_SAMPLE_CALLCHAIN) {
		put(o, depth + 2);
		put(o, PERF_CONTEXT_USER);
		for (unsigned i = 0; i <= depth; i++)
			put(o, ip + i * 16);
	}
	if (type & PERF_SAMPLE_RAW)
		put(o, pair(4, 0)); /* four bytes, of nothing */
	end(o);
}

/* --- rings -------------------------------------------------------------------------------- */

static void store(struct ring_of *r, uint64_t at, const char *bytes, size_t len)
{
	size_t from = at & (r->size - 1), first = len < r->size - from ? len : r->size - from;

	memcpy(r->data + from, bytes, first);
	memcpy(r->data, bytes + first, len - first);
}

/* All who poll an event of this ring, once a quarter of it is full. */
static void wake(struct synthring *s, struct ring_of *r, uint64_t head, uint32_t watermark)
{
	uint64_t news = r->backward ? r->woken - head : head - r->woken;

	if (news < watermark)
		return;
	r->woken = head;
	for (int fd = 0; fd < s->top; fd++)
		if (s->event[fd] && s->event[fd]->ring == r)
			eventfd_write(fd, 1);
}

static bool has_room(const struct ring_of *r, size_t len)
{
	uint64_t used = r->page->data_head - atomic_load_acquire(&r->page->data_tail);

	return r->backward || used + len <= r->size;
}

static void write_bytes(struct synthring *s, const struct fake_event *e, const char *bytes, size_t len)
{
	struct ring_of *r = e->ring;
	uint64_t head = r->page->data_head;

	if (r->backward)
		head -= len;
	store(r, head, bytes, len);
	if (!r->backward)
		head += len;
	atomic_store_release(&r->page->data_head, head);
	wake(s, r, head, e->attr.wakeup_watermark);
}

/* False: it found no room, or no ring. */
static bool write_record(struct synthring *s, struct fake_event *e, const struct out *o, int cpu, pid_t tid)
{
	struct ring_of *r = e->ring;
	struct out told;

	if (!r)
		return false;
	if (r->lost && !r->paused) {
		begin(&told, PERF_RECORD_LOST, 0);
		put(&told, e->id);
		put(&told, r->lost);
		trailer(s, &told, e, cpu, tid);
	} else {
		told.len = 0;
	}
	if (r->paused || !has_room(r, told.len + o->len)) {
		r->lost++;
		e->lost++;
		return false;
	}
	if (told.len) {
		r->lost = 0;
		write_bytes(s, e, told.bytes, told.len);
	}
	write_bytes(s, e, o->bytes, o->len);
	return true;
}

/* --- counting ----------------------------------------------------------------------------- */

static struct synthring_truth *truth_of(struct synthring *s, int cpu, uint64_t config)
{
	return &s->cpu[cpu].truth[config % CONFIGS];
}

static void end_period(struct synthring *s, struct fake_event *e, int cpu, pid_t tid, uint64_t ip, unsigned depth)
{
	struct synthring_truth *t = truth_of(s, cpu, e->attr.config);
	struct out o;

	t->periods++;
	if (s->cpu[cpu].throttled) {
		t->throttled++;
		return;
	}
	if (s->cpu[cpu].misses)
		return;
	sample(s, &o, e, cpu, tid, e->attr.sample_period, ip, depth);
	if (write_record(s, e, &o, cpu, tid))
		t->written++;
	else if (e->ring && e->ring->paused)
		t->paused++;
	else
		t->refused++;
}

/* How much is left of the task's period, NULL: it has no part in the event. */
static uint64_t *left_of(struct fake_event *e, pid_t tid)
{
	if (e->tid < 0 || e->tid == tid)
		return e->gone ? NULL : &e->left;
	for (unsigned i = 0; i < e->nheirs; i++)
		if (e->heir[i].tid == tid)
			return &e->heir[i].left;
	return NULL;
}

static bool is_on(const struct fake_event *e)
{
	return e->on && (!e->leader || e->leader->on);
}

static bool counts(const struct fake_event *e, int cpu, uint64_t config)
{
	return is_on(e) && !e->dead && !e->starved && !e->evicted && !e->error && (e->cpu == cpu || e->cpu < 0) && e->attr.config == config;
}

static void add(struct synthring *s, struct fake_event *e, uint64_t *left, int cpu, pid_t tid, uint64_t n,
		uint64_t ip, unsigned depth)
{
	e->value += n;
	if (!e->attr.sample_period)
		return;
	truth_of(s, cpu, e->attr.config)->counted += n;
	while (n >= *left) {
		n -= *left;
		*left = e->attr.sample_period;
		end_period(s, e, cpu, tid, ip, depth);
	}
	*left -= n;
}

static void come(struct synthring *s, int cpu)
{
	while (atomic_load_relaxed(&s->cpu[cpu].wanted))
		sched_yield();
	pthread_mutex_lock(&s->cpu[cpu].here);
	pthread_mutex_lock(&s->lock);
}

static void leave(struct synthring *s, int cpu)
{
	pthread_mutex_unlock(&s->lock);
	pthread_mutex_unlock(&s->cpu[cpu].here);
}

void synthring_count(struct synthring *s, int cpu, uint64_t config, pid_t tid, uint64_t n, uint64_t ip,
		     unsigned depth)
{
	uint64_t *left;

	come(s, cpu);
	for (int fd = 0; fd < s->top && s->cpu[cpu].online; fd++)
		if (s->event[fd] && counts(s->event[fd], cpu, config) && (left = left_of(s->event[fd], tid)))
			add(s, s->event[fd], left, cpu, tid, n, ip, depth);
	leave(s, cpu);
}

/* The event that stands for its CPU's sideband, or for its samples. */
static struct fake_event *first_of(struct synthring *s, int cpu, bool side)
{
	for (int fd = 0; fd < s->top && s->cpu[cpu].online; fd++) {
		struct fake_event *e = s->event[fd];

		if (e && e->cpu == cpu && !e->dead && e->ring && side == e->attr.mmap2)
			return e;
	}
	return NULL;
}

void synthring_side(struct synthring *s, int cpu, uint32_t type, const void *body, uint16_t len)
{
	struct fake_event *e;
	struct out o;

	come(s, cpu);
	e = first_of(s, cpu, true);
	if (e) {
		begin(&o, type, PERF_RECORD_MISC_USER);
		memcpy(o.bytes + o.len, body, len);
		o.len += len;
		trailer(s, &o, e, cpu, 1);
		write_record(s, e, &o, cpu, 1);
	}
	leave(s, cpu);
}

void synthring_throttle(struct synthring *s, int cpu, bool on)
{
	struct fake_event *e;
	struct out o;

	come(s, cpu);
	e = first_of(s, cpu, false);
	if (e && on != s->cpu[cpu].throttled) {
		begin(&o, on ? PERF_RECORD_THROTTLE : PERF_RECORD_UNTHROTTLE, 0);
		put(&o, s->now);
		put(&o, e->id);
		put(&o, e->id);
		trailer(s, &o, e, cpu, 1);
		write_record(s, e, &o, cpu, 1);
	}
	s->cpu[cpu].throttled = on;
	leave(s, cpu);
}

void synthring_garble(struct synthring *s, int cpu, const void *bytes, uint16_t len)
{
	struct fake_event *e;
	struct out o = {.len = len};

	memcpy(o.bytes, bytes, len);
	come(s, cpu);
	e = first_of(s, cpu, false);
	if (e)
		write_record(s, e, &o, cpu, 1);
	leave(s, cpu);
}

static struct fake_event *aux_of(struct synthring *s, int cpu)
{
	for (int fd = 0; fd < s->top && s->cpu[cpu].online; fd++) {
		struct fake_event *e = s->event[fd];

		if (e && e->cpu == cpu && !e->dead && e->on && !e->stands && e->ring && e->ring->aux)
			return e;
	}
	return NULL;
}

/* As many bytes as there is room for. */
static uint64_t write_aux(struct ring_of *r, uint64_t n)
{
	struct perf_event_mmap_page *page = r->page;
	uint64_t room = page->aux_size - (page->aux_head - atomic_load_acquire(&page->aux_tail));

	n = n < room ? n : room;
	for (uint64_t i = 0; i < n; i++)
		r->aux[(page->aux_head + i) & (page->aux_size - 1)] = (char)(page->aux_head + i);
	atomic_store_release(&page->aux_head, page->aux_head + n);
	return n;
}

uint64_t synthring_aux(struct synthring *s, int cpu, uint64_t n)
{
	struct fake_event *e;
	uint64_t written = 0;
	struct out o;

	come(s, cpu);
	e = aux_of(s, cpu);
	if (e) {
		uint64_t from = e->ring->page->aux_head;

		written = write_aux(e->ring, n);
		e->stands = written < n;
		begin(&o, PERF_RECORD_AUX, 0);
		put(&o, from);
		put(&o, written);
		put(&o, e->stands ? PERF_AUX_FLAG_TRUNCATED : 0);
		trailer(s, &o, e, cpu, 1);
		write_record(s, e, &o, cpu, 1);
		eventfd_write(e->fd, 1);
	}
	leave(s, cpu);
	return written;
}

/* --- what changes ------------------------------------------------------------------------- */

static void stop_time(struct synthring *s, struct fake_event *e)
{
	if (is_on(e) && !e->dead && !e->error) {
		e->enabled_ns += s->now - e->since;
		e->running_ns += e->starved || e->evicted ? 0 : s->now - e->since;
	}
	e->since = s->now;
}

void synthring_miss(struct synthring *s, int cpu, bool on)
{
	come(s, cpu);
	s->cpu[cpu].misses = on;
	leave(s, cpu);
}

void synthring_evict(struct synthring *s, int cpu, uint64_t config, bool on)
{
	come(s, cpu);
	for (int fd = 0; fd < s->top; fd++) {
		struct fake_event *e = s->event[fd];

		if (!e || e->cpu != cpu || e->attr.config != config)
			continue;
		stop_time(s, e);
		e->evicted = on;
		e->error |= on && e->attr.pinned;
	}
	leave(s, cpu);
}

void synthring_online(struct synthring *s, int cpu, bool on)
{
	come(s, cpu);
	for (int fd = 0; fd < s->top && !on; fd++) {
		struct fake_event *e = s->event[fd];

		if (!e || e->cpu != cpu || e->tid >= 0)
			continue;
		stop_time(s, e);
		e->dead = true;
	}
	s->cpu[cpu].online = on;
	if (pwrite(s->list[0], &(char){(char)('0' + (on ? cpu : 0))}, 1, 2 * cpu) < 0)
		abort();
	leave(s, cpu);
}

void synthring_starve(struct synthring *s, int cpu, bool on)
{
	come(s, cpu);
	s->cpu[cpu].starves = on;
	leave(s, cpu);
}

void synthring_exit(struct synthring *s, pid_t tid)
{
	pthread_mutex_lock(&s->lock);
	for (int fd = 0; fd < s->top; fd++) {
		struct fake_event *e = s->event[fd];

		for (unsigned i = 0; e && i < e->nheirs; i++)
			if (e->heir[i].tid == tid)
				e->heir[i] = e->heir[--e->nheirs];
		if (!e || e->tid != tid)
			continue;
		e->gone = true;
		eventfd_write(fd, 1);
	}
	pthread_mutex_unlock(&s->lock);
}

bool synthring_fork(struct synthring *s, pid_t parent, pid_t child)
{
	bool room = true;

	pthread_mutex_lock(&s->lock);
	for (int fd = 0; fd < s->top; fd++)
		room &= !s->event[fd] || s->event[fd]->nheirs < HEIRS;
	for (int fd = 0; fd < s->top && room; fd++) {
		struct fake_event *e = s->event[fd];

		if (e && e->attr.inherit && e->tid >= 0 && left_of(e, parent) && !left_of(e, child))
			e->heir[e->nheirs++] = (struct heir){child, e->attr.sample_period};
	}
	pthread_mutex_unlock(&s->lock);
	return room;
}

void synthring_hold(struct synthring *s, int cpu, bool on)
{
	if (on)
		pthread_mutex_lock(&s->cpu[cpu].gate);
	else
		pthread_mutex_unlock(&s->cpu[cpu].gate);
}

void synthring_jump(struct synthring *s, int64_t by)
{
	pthread_mutex_lock(&s->lock);
	for (int fd = 0; fd < s->top; fd++)
		if (s->event[fd])
			stop_time(s, s->event[fd]);
	s->now += (uint64_t)by;
	for (int fd = 0; fd < s->top; fd++)
		if (s->event[fd])
			s->event[fd]->since = s->now;
	pthread_mutex_unlock(&s->lock);
}

void synthring_pass(struct synthring *s, uint64_t ns)
{
	pthread_mutex_lock(&s->lock);
	s->now += ns;
	pthread_mutex_unlock(&s->lock);
}

void synthring_fail_open(struct synthring *s, unsigned after, int code)
{
	pthread_mutex_lock(&s->lock);
	s->fail_open = after;
	s->open_code = code;
	pthread_mutex_unlock(&s->lock);
}

void synthring_fail_map(struct synthring *s, unsigned after, int code)
{
	pthread_mutex_lock(&s->lock);
	s->fail_map = after;
	s->map_code = code;
	pthread_mutex_unlock(&s->lock);
}

struct synthring_truth synthring_truth(struct synthring *s, int cpu, uint64_t config)
{
	struct synthring_truth t;

	pthread_mutex_lock(&s->lock);
	t = *truth_of(s, cpu, config);
	pthread_mutex_unlock(&s->lock);
	return t;
}

unsigned synthring_open_count(struct synthring *s)
{
	unsigned nr;

	pthread_mutex_lock(&s->lock);
	nr = s->open + s->rings;
	pthread_mutex_unlock(&s->lock);
	return nr;
}

/* --- the ops ------------------------------------------------------------------------------ */

static bool fails(unsigned *after, int code)
{
	if (!code)
		return false;
	return *after ? (*after)--, false : true;
}

static int refuse(struct synthring *s, const struct perf_event_attr *attr, int cpu)
{
	if (fails(&s->fail_open, s->open_code))
		return s->open_code;
	if (!s->config.format_lost && attr->read_format & PERF_FORMAT_LOST)
		return -EINVAL;
	if (cpu >= (int)s->config.cpus)
		return -EINVAL;
	return cpu >= 0 && !s->cpu[cpu].online ? -ENODEV : 0;
}

static bool is_hardware(const struct perf_event_attr *attr)
{
	return attr->type != PERF_TYPE_SOFTWARE && attr->type != PERF_TYPE_TRACEPOINT && attr->type != PERF_TYPE_BREAKPOINT;
}

/* A group is on the hardware whole. */
static int refuse_member(struct synthring *s, const struct perf_event_attr *attr, const struct fake_event *leader)
{
	unsigned nr = 0;

	if (!leader || leader->leader)
		return -EINVAL;
	for (int fd = 0; fd < s->top; fd++) {
		const struct fake_event *e = s->event[fd];

		nr += e && (e == leader || e->leader == leader) && is_hardware(&e->attr);
	}
	return s->config.hardware && is_hardware(attr) && nr >= s->config.hardware ? -EINVAL : 0;
}

static int add_event(struct synthring *s, const struct perf_event_attr *attr, pid_t tid, int cpu)
{
	struct fake_event *e = calloc(1, sizeof(*e));
	int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

	if (!e || fd < 0 || fd >= FDS) {
		free(e);
		if (fd >= 0)
			close(fd);
		return e ? -EMFILE : -ENOMEM;
	}
	*e = (struct fake_event){.attr = *attr, .tid = tid, .cpu = cpu, .fd = fd, .id = ++s->ids,
				 .left = attr->sample_period, .since = s->now, .on = !attr->disabled,
				 .starved = cpu >= 0 && s->cpu[cpu].starves};
	s->event[fd] = e;
	s->open++;
	if (fd >= s->top)
		s->top = fd + 1;
	return fd;
}

static int synth_open(struct perf_source *src, struct perf_event_attr *attr, pid_t tid, int cpu, int leader,
		      unsigned long flags)
{
	struct synthring *s = synth_of(src);
	int ret;

	(void)flags;
	pthread_mutex_lock(&s->lock);
	ret = refuse(s, attr, cpu);
	if (!ret && leader >= 0)
		ret = refuse_member(s, attr, event_at(s, leader));
	if (!ret)
		ret = add_event(s, attr, tid, cpu);
	if (ret >= 0 && leader >= 0)
		s->event[ret]->leader = event_at(s, leader);
	pthread_mutex_unlock(&s->lock);
	return ret;
}

static void synth_close(struct perf_source *src, int fd)
{
	struct synthring *s = synth_of(src);

	pthread_mutex_lock(&s->lock);
	for (int i = 0; i < s->top; i++)
		if (s->event[i] && s->event[i]->leader == s->event[fd])
			s->event[i]->leader = NULL;
	free(s->event[fd]);
	s->event[fd] = NULL;
	s->open--;
	close(fd);
	pthread_mutex_unlock(&s->lock);
}

static void enable(struct synthring *s, struct fake_event *e, bool on)
{
	for (int fd = 0; fd < s->top; fd++)
		if (s->event[fd] && s->event[fd]->leader == e)
			stop_time(s, s->event[fd]);
	stop_time(s, e);
	e->stands &= on; /* ENABLE alone does nothing */
	e->error &= !on || e->evicted;
	e->on = on;
}

static int control(struct synthring *s, struct fake_event *e, unsigned long request, uintptr_t arg)
{
	switch (request) {
	case PERF_EVENT_IOC_ENABLE:
	case PERF_EVENT_IOC_DISABLE:
		enable(s, e, request == PERF_EVENT_IOC_ENABLE);
		return 0;
	case PERF_EVENT_IOC_ID:
		*(uint64_t *)arg = e->id;
		return 0;
	case PERF_EVENT_IOC_SET_OUTPUT:
		e->ring = event_at(s, (int)arg) ? event_at(s, (int)arg)->ring : NULL;
		return e->ring ? 0 : -EINVAL;
	case PERF_EVENT_IOC_PAUSE_OUTPUT:
		if (e->ring)
			e->ring->paused = arg;
		return e->ring ? 0 : -EINVAL;
	default:
		return -ENOTTY;
	}
}

static int synth_control(struct perf_source *src, int fd, unsigned long request, uintptr_t arg)
{
	struct synthring *s = synth_of(src);
	int ret;

	pthread_mutex_lock(&s->lock);
	ret = event_at(s, fd) ? control(s, s->event[fd], request, arg) : -EBADF;
	pthread_mutex_unlock(&s->lock);
	return ret;
}

/* As PERF_FORMAT_GROUP has it: number, times, and each one's value, with its id and losses where they are wanted. */
static ssize_t read_group(struct synthring *s, struct fake_event *leader, uint64_t *v, size_t len)
{
	uint64_t format = leader->attr.read_format;
	size_t each = 1 + !!(format & PERF_FORMAT_ID) + !!(format & PERF_FORMAT_LOST), n = 3;

	stop_time(s, leader);
	for (const struct fake_event *e = leader; e; e = member_after(s, leader, e->id)) {
		if ((n + each) * sizeof(*v) > len)
			return -ENOSPC;
		v[n] = e->value;
		if (format & PERF_FORMAT_ID)
			v[n + 1] = e->id;
		if (format & PERF_FORMAT_LOST)
			v[n + each - 1] = e->lost;
		n += each;
	}
	v[0] = (n - 3) / each;
	v[1] = leader->enabled_ns;
	v[2] = leader->running_ns;
	return (ssize_t)(n * sizeof(*v));
}

static ssize_t synth_read(struct perf_source *src, int fd, void *buf, size_t len)
{
	struct synthring *s = synth_of(src);
	struct fake_event *e;
	size_t want;

	pthread_mutex_lock(&s->lock);
	e = event_at(s, fd);
	want = e && e->attr.read_format & PERF_FORMAT_LOST ? 32 : 24;
	s->now++;
	if (e && e->error) {
		pthread_mutex_unlock(&s->lock);
		return 0;
	}
	if (e && e->attr.read_format & PERF_FORMAT_GROUP) {
		ssize_t ret = read_group(s, e, buf, len);

		pthread_mutex_unlock(&s->lock);
		return ret;
	}
	if (e && len >= want) {
		stop_time(s, e);
		memcpy(buf, (uint64_t[]){e->value, e->enabled_ns, e->running_ns, e->lost}, want);
	}
	pthread_mutex_unlock(&s->lock);
	return !e ? -EBADF : len < want ? -ENOSPC : (ssize_t)want;
}

static int map_aux(struct fake_event *e, size_t len, void **base)
{
	if (!e->ring)
		return -EINVAL;
	*base = aligned_alloc((size_t)sysconf(_SC_PAGESIZE), len);
	if (!*base)
		return -ENOMEM;
	memset(*base, 0, len);
	e->ring->aux = *base;
	return 0;
}

/* True: it was an AUX area. */
static bool unmap_aux(struct synthring *s, void *base)
{
	for (int fd = 0; fd < s->top; fd++)
		if (s->event[fd] && s->event[fd]->ring && s->event[fd]->ring->aux == base) {
			s->event[fd]->ring->aux = NULL;
			return true;
		}
	return false;
}

/* The ring's own record lies behind its bytes, where unmap finds it. */
static int synth_map(struct perf_source *src, int fd, size_t len, bool writable, uint64_t offset, void **base)
{
	struct synthring *s = synth_of(src);
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct ring_of *r;
	int ret = 0;

	pthread_mutex_lock(&s->lock);
	if (fails(&s->fail_map, s->map_code))
		ret = s->map_code;
	else if (offset)
		ret = map_aux(s->event[fd], len, base);
	if (ret || offset) {
		s->rings += !ret;
		pthread_mutex_unlock(&s->lock);
		return ret;
	}
	*base = aligned_alloc(page, len + page);
	if (*base) {
		memset(*base, 0, page);
		r = (void *)((char *)*base + len);
		*r = (struct ring_of){.page = *base, .data = (char *)*base + page, .size = len - page,
				      .backward = !writable};
		s->event[fd]->ring = r;
		s->rings++;
	} else {
		ret = -ENOMEM;
	}
	pthread_mutex_unlock(&s->lock);
	return ret;
}

static void synth_unmap(struct perf_source *src, void *base, size_t len)
{
	struct synthring *s = synth_of(src);

	pthread_mutex_lock(&s->lock);
	for (int fd = 0; fd < s->top && !unmap_aux(s, base); fd++)
		if (s->event[fd] && s->event[fd]->ring == (void *)((char *)base + len))
			s->event[fd]->ring = NULL;
	s->rings--;
	free(base);
	pthread_mutex_unlock(&s->lock);
}

/* As perf_poll: news are told once, an end for ever. */
static void look(struct synthring *s, struct pollfd *p)
{
	struct fake_event *e = event_at(s, p->fd);
	eventfd_t n;

	if (!e || !(p->revents & POLLIN))
		return;
	if (e->gone)
		p->revents = POLLHUP;
	else
		eventfd_read(p->fd, &n);
}

static int synth_wait(struct perf_source *src, struct pollfd *fds, nfds_t nr, int timeout_ms)
{
	struct synthring *s = synth_of(src);
	struct fake_cpu *here = pthread_getspecific(s->pinned);
	int n;

	if (here)
		pthread_mutex_unlock(&here->here);
	n = poll(fds, nr, s->config.stepping ? 0 : timeout_ms);
	if (here) {
		pthread_mutex_lock(&here->gate);
		pthread_mutex_unlock(&here->gate);
		atomic_store_relaxed(&here->wanted, 1);
		pthread_mutex_lock(&here->here);
		atomic_store_relaxed(&here->wanted, 0);
	}
	pthread_mutex_lock(&s->lock);
	for (nfds_t i = 0; i < nr && n > 0; i++)
		look(s, &fds[i]);
	pthread_mutex_unlock(&s->lock);
	return n < 0 ? -errno : n;
}

static void unpin(void *here)
{
	pthread_mutex_unlock(&((struct fake_cpu *)here)->here);
}

static int synth_pin(struct perf_source *src, int cpu)
{
	struct synthring *s = synth_of(src);
	struct fake_cpu *to = &s->cpu[cpu];
	bool online;

	pthread_mutex_lock(&s->lock);
	online = to->online;
	pthread_mutex_unlock(&s->lock);
	if (!online || s->config.no_pin)
		return -EINVAL;
	if (s->config.stepping || pthread_getspecific(s->pinned))
		return 0; /* it is there already: no reader changes its CPU */
	pthread_mutex_lock(&to->here);
	return -pthread_setspecific(s->pinned, to);
}

/* The machine is ours, but for kernel code: nobody needs its names. */
static void synth_rights(struct perf_source *src, struct privilege *p)
{
	(void)src;
	*p = (struct privilege){.paranoid = 1, .perfmon = true, .any = true, .system_wide = true};
}

/* "0,1,2", where a CPU that is offline is 0 once more: a byte is written at once. */
static int make_lists(struct synthring *s)
{
	char list[2 * SYNTHRING_CPUS];

	for (unsigned i = 0; i < s->config.cpus; i++)
		memcpy(list + 2 * i, (char[]){(char)('0' + i), i + 1 < s->config.cpus ? ',' : '\n'}, 2);
	for (unsigned k = 0; k < 2; k++) {
		s->list[k] = memfd_create("cpus", MFD_CLOEXEC);
		if (s->list[k] < 0 || write(s->list[k], list, 2 * s->config.cpus) < 0)
			return -errno;
		snprintf(s->path[k], sizeof(s->path[k]), "/proc/self/fd/%d", s->list[k]);
	}
	s->source.online = s->path[0];
	s->source.possible = s->path[1];
	return 0;
}

static const struct perf_ops ops = {
	.open = synth_open, .close = synth_close, .control = synth_control, .read = synth_read,
	.map = synth_map, .unmap = synth_unmap, .wait = synth_wait, .pin = synth_pin,
	.rights = synth_rights,
};

struct synthring *synthring_create(const struct synthring_config *c)
{
	struct synthring *s = calloc(1, sizeof(*s));

	if (!s || c->cpus > SYNTHRING_CPUS || pthread_key_create(&s->pinned, unpin)) {
		free(s);
		return NULL;
	}
	s->source.ops = &ops;
	s->config = *c;
	if (make_lists(s)) {
		synthring_free(s);
		return NULL;
	}
	s->now = 1000000;
	pthread_mutex_init(&s->lock, NULL);
	for (unsigned i = 0; i < SYNTHRING_CPUS; i++) {
		s->cpu[i].online = i < c->cpus;
		pthread_mutex_init(&s->cpu[i].here, NULL);
		pthread_mutex_init(&s->cpu[i].gate, NULL);
	}
	return s;
}

struct perf_source *synthring_source(struct synthring *s)
{
	return &s->source;
}

void synthring_free(struct synthring *s)
{
	if (!s)
		return;
	for (int fd = 0; fd < s->top; fd++) {
		if (!s->event[fd])
			continue;
		free(s->event[fd]);
		close(fd);
	}
	for (unsigned k = 0; k < 2; k++)
		if (s->list[k] > 0)
			close(s->list[k]);
	pthread_key_delete(s->pinned);
	free(s);
}
