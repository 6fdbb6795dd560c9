// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * softpt - an AUX PMU without hardware, for ringtop's tests in a virtual machine.
 *
 * A pinned timer per CPU plays the tracing unit: it writes `rate` KB/s in steps of `chunk` bytes to
 * the AUX area of the event that is on.  What it does at the edges of that area is what the
 * intel_pt driver makes its hardware do:
 *
 *  - full mode: a record ends at the page of the wake-up mark; tracing stops at the last page that
 *    is free, the record says TRUNCATED, and goes on only if there is room by then;
 *  - snapshot mode: it runs round and round, and tells the head only when it is stopped: the offset
 *    in the area, with the whole area as the size.  With snap_mono=1 as CoreSight does: a head that
 *    only grows, and what was written as the size.
 *
 * AUX samples get the newest bytes (snapshot mode), through a function that the kernel does not export:
 * its address is asked of a kprobe.  Where the kernel has pause and resume (6.13, later 6.12 too) a paused event's
 * time stands still: no unit is made, written or lost.
 *
 * What it cannot do: address filters.
 *
 * Never to be loaded on a machine that matters.
 */
#include <linux/hrtimer.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/version.h>

#include "stats.h"
#include "stream.h"
#include "sysfs.h"

#define TIMER_MIN_NS (50 * NSEC_PER_USEC)
#define TIMER_MAX_NS (10 * NSEC_PER_MSEC)
#define STEP_MAX     (512u << 10) /* of one timer's work; what is due above it is not made */
#define NEVER	     U64_MAX

struct softpt_buffer {
	void **pages;
	u64 size;
	bool snapshot;
};

/* Of one CPU; touched on it, with interrupts off. */
struct softpt_cpu {
	struct perf_output_handle handle;
	struct softpt_buffer *buffer; /* NULL: no record is open */
	struct perf_event *event;     /* started, or NULL */
	u64 start, pos;               /* in the area, not wrapped: of this record, of the next byte */
	u64 wake_at, stop_at;
	struct hrtimer timer;
	u64 last_ns;                  /* up to when all is made */
	bool paused;
	u64 chunks;
	struct softpt_stats stats;
	u8 unit[STREAM_MAX] __aligned(64);
};

/* Older kernels never ask for these. */
#ifndef PERF_EF_PAUSE
#define PERF_EF_PAUSE		 0
#define PERF_EF_RESUME		 0
#define PERF_PMU_CAP_AUX_PAUSE	 0
#define PAUSED_AT_START(event) false
#else
#define PAUSED_AT_START(event) ((event)->hw.aux_paused)
#endif

static char *name = "softaux";
static uint rate = 1000, chunk = 4096;
static bool snap_mono, bare, can_pause = PERF_PMU_CAP_AUX_PAUSE;
static uint truncate_every, partial_every, collision_every, skip_every;

module_param(name, charp, 0444);
MODULE_PARM_DESC(name, "of the PMU; intel_pt makes a packet stream, others make numbered blocks");
module_param(rate, uint, 0644);
MODULE_PARM_DESC(rate, "KB/s of each CPU (decimal); 0: nothing");
module_param(chunk, uint, 0644);
MODULE_PARM_DESC(chunk, "bytes written at once");
module_param(snap_mono, bool, 0644);
MODULE_PARM_DESC(snap_mono, "snapshot mode: a head that only grows");
module_param(bare, bool, 0444);
MODULE_PARM_DESC(bare, "no AUX samples and no pause, as most PMUs");
module_param(can_pause, bool, 0444);
MODULE_PARM_DESC(can_pause, "told: the kernel has pause and resume");
module_param(truncate_every, uint, 0644);
MODULE_PARM_DESC(truncate_every, "each so many chunks one is lost and the record TRUNCATED; 0: never");
module_param(partial_every, uint, 0644);
MODULE_PARM_DESC(partial_every, "each so many chunks one is lost and the record PARTIAL; 0: never");
module_param(collision_every, uint, 0644);
MODULE_PARM_DESC(collision_every, "each so many chunks the record says COLLISION; 0: never");
module_param(skip_every, uint, 0644);
MODULE_PARM_DESC(skip_every, "each so many chunks 64 zeros that no record covers; 0: never");

static DEFINE_PER_CPU(struct softpt_cpu, softpt_cpus);
static const struct stream *stream = &stream_blocks;
static struct pmu softpt_pmu;

/* --- the record that is open ---------------------------------------------------------------- */

/* Where to end the record and where to stop: on pages, as Intel PT's table of pages has it. */
static bool set_limits(struct softpt_cpu *c)
{
	u64 head = c->handle.head, page = head >> PAGE_SHIFT;
	u64 pages = c->handle.size >> PAGE_SHIFT, wake = c->handle.wakeup >> PAGE_SHIFT;

	/* A free area says one byte less than it has. */
	if (PAGE_ALIGNED(head + c->handle.size + 1))
		pages++;
	if (!pages)
		return false;
	c->stop_at = (page + pages) << PAGE_SHIFT;
	wake = min_t(u64, wake, page + pages - 1);
	c->wake_at = wake > page ? wake << PAGE_SHIFT : NEVER;
	return true;
}

static void end_record(struct softpt_cpu *c)
{
	u64 written = c->pos - c->start;

	if (!c->buffer)
		return;
	if (c->buffer->snapshot && snap_mono) {
		c->handle.head = c->pos;
		written = min(written, c->buffer->size);
	} else if (c->buffer->snapshot) {
		c->handle.head = c->pos & (c->buffer->size - 1);
		written = c->buffer->size;
	}
	c->buffer = NULL;
	c->stats.on = false;
	perf_aux_output_end(&c->handle, written);
}

static void flag(struct softpt_cpu *c, u64 what, u64 *count)
{
	perf_aux_output_flag(&c->handle, what);
	(*count)++;
}

/* False: there is no room, or no area at all. */
static bool begin_record(struct softpt_cpu *c)
{
	c->buffer = perf_aux_output_begin(&c->handle, c->event);
	if (!c->buffer)
		return false;
	c->start = c->pos = c->handle.head;
	c->wake_at = c->stop_at = NEVER;
	c->stats.on = true;
	if (c->buffer->snapshot || set_limits(c))
		return true;
	flag(c, PERF_AUX_FLAG_TRUNCATED, &c->stats.truncated);
	end_record(c);
	return false;
}

/* The core disables the event after this, some day; until then it goes on where it finds room. */
static void overrun(struct softpt_cpu *c)
{
	flag(c, PERF_AUX_FLAG_TRUNCATED, &c->stats.truncated);
	end_record(c);
	begin_record(c);
}

static bool put(struct softpt_cpu *c, const u8 *bytes, size_t len)
{
	while (len && c->buffer) {
		u64 at = c->pos & (c->buffer->size - 1);
		size_t n = min_t(u64, len, PAGE_SIZE - offset_in_page(at));

		memcpy(c->buffer->pages[at >> PAGE_SHIFT] + offset_in_page(at), bytes, n);
		bytes += n;
		len -= n;
		c->pos += n;
		c->stats.bytes += n;
		if (c->pos == c->stop_at) {
			overrun(c);
			return !len; /* a unit that is cut is not taken up again: its rest is lost */
		}
	}
	/* Not inside a unit: decoders rely on records that end where a packet does. */
	if (c->buffer && c->pos >= c->wake_at) {
		end_record(c);
		begin_record(c);
	}
	return !len;
}

/* --- making ---------------------------------------------------------------------------------- */

/* One unit; its length, 0: nothing is to be told. */
static size_t make_unit(struct softpt_cpu *c, bool lose)
{
	size_t len = stream->make(c->unit, c->stats.made);

	if (!len)
		return 0;
	c->stats.made++;
	if (!lose && put(c, c->unit, len))
		c->stats.written++;
	else
		c->stats.lost++;
	return len;
}

static u64 make_chunk(struct softpt_cpu *c, bool lose)
{
	u64 done = 0, want = max(READ_ONCE(chunk), 64u);

	while (done < want) {
		size_t len = make_unit(c, lose);

		if (!len)
			return want;
		done += len;
	}
	return done;
}

static bool every(const struct softpt_cpu *c, uint *n)
{
	uint count = READ_ONCE(*n);

	return count && c->buffer && c->chunks % count == 0;
}

/* Padding is only possible where a record begins: it moves the head that is told. */
static void skip(struct softpt_cpu *c)
{
	static const u8 zeros[64];

	if (c->buffer->snapshot)
		return;
	end_record(c);
	if (!begin_record(c) || c->handle.size < 2 * sizeof(zeros) || !put(c, zeros, sizeof(zeros)) ||
	    !c->buffer || perf_aux_output_skip(&c->handle, sizeof(zeros)))
		return;
	c->start = c->pos;
	c->stats.skipped++;
}

static void inject(struct softpt_cpu *c)
{
	c->chunks++;
	if (every(c, &collision_every)) {
		flag(c, PERF_AUX_FLAG_COLLISION, &c->stats.collision);
		end_record(c);
		begin_record(c);
	}
	if (every(c, &partial_every)) {
		make_chunk(c, true);
		flag(c, PERF_AUX_FLAG_PARTIAL, &c->stats.partial);
		end_record(c);
		begin_record(c);
	}
	if (every(c, &truncate_every)) {
		make_chunk(c, true);
		overrun(c);
	}
	if (every(c, &skip_every))
		skip(c);
}

/* --- the timer ------------------------------------------------------------------------------- */

static u64 ns_of_bytes(u64 bytes)
{
	return div_u64(bytes * USEC_PER_SEC, max(READ_ONCE(rate), 1u));
}

static enum hrtimer_restart tick(struct hrtimer *timer)
{
	struct softpt_cpu *c = container_of(timer, struct softpt_cpu, timer);
	u64 now = ktime_get_ns(), step = ns_of_bytes(max(READ_ONCE(chunk), 64u)), done = 0;

	while (READ_ONCE(rate) && !c->paused && c->last_ns + step <= now && done < STEP_MAX) {
		u64 made = make_chunk(c, false);

		done += made;
		c->last_ns += ns_of_bytes(made);
		inject(c);
	}
	if (done >= STEP_MAX || !READ_ONCE(rate) || c->paused)
		c->last_ns = now;
	hrtimer_forward_now(timer, ns_to_ktime(clamp_t(u64, step, TIMER_MIN_NS, TIMER_MAX_NS)));
	return HRTIMER_RESTART;
}

/* --- the PMU --------------------------------------------------------------------------------- */

/* On the CPU of the event, with interrupts off: by a sample of the event's group. */
static void pause(struct softpt_cpu *c, struct perf_event *event, bool on)
{
	if (c->event != event || c->paused == on)
		return;
	c->paused = c->stats.paused = on;
	c->last_ns = ktime_get_ns();
	if (on)
		c->stats.pauses++;
	else
		c->stats.resumes++;
}

static void softpt_start(struct perf_event *event, int mode)
{
	struct softpt_cpu *c = this_cpu_ptr(&softpt_cpus);

	if (mode & PERF_EF_RESUME) {
		pause(c, event, false);
		return;
	}
	if (c->buffer)
		return;
	c->event = event;
	if (!begin_record(c)) {
		event->hw.state = PERF_HES_STOPPED;
		c->event = NULL;
		return;
	}
	event->hw.state = 0;
	c->paused = c->stats.paused = PAUSED_AT_START(event);
	c->stats.starts++;
	c->last_ns = ktime_get_ns();
	hrtimer_start(&c->timer, ns_to_ktime(TIMER_MIN_NS), HRTIMER_MODE_REL_PINNED_HARD);
}

static void softpt_stop(struct perf_event *event, int mode)
{
	struct softpt_cpu *c = this_cpu_ptr(&softpt_cpus);

	if (mode & PERF_EF_PAUSE) {
		pause(c, event, true);
		return;
	}
	if (c->event != event)
		return;
	hrtimer_cancel(&c->timer);
	event->hw.state = PERF_HES_STOPPED;
	if (mode & PERF_EF_UPDATE) {
		end_record(c);
		c->event = NULL;
	}
}

static int softpt_add(struct perf_event *event, int mode)
{
	event->hw.state = PERF_HES_STOPPED;
	if (this_cpu_ptr(&softpt_cpus)->event)
		return -EBUSY;
	if (!(mode & PERF_EF_START))
		return 0;
	softpt_start(event, 0);
	return event->hw.state == PERF_HES_STOPPED ? -EINVAL : 0;
}

static void softpt_del(struct perf_event *event, int mode)
{
	softpt_stop(event, PERF_EF_UPDATE);
}

static void softpt_read(struct perf_event *event)
{
}

static int softpt_event_init(struct perf_event *event)
{
	if (event->attr.type != softpt_pmu.type)
		return -ENOENT;
	return event->attr.config & ~SOFTPT_CONFIG_MASK ? -EINVAL : 0;
}

static typeof(&perf_output_copy_aux) copy_aux;

/* The last `size` bytes up to now, into a sample; nothing is written while it runs. */
static long softpt_snapshot_aux(struct perf_event *event, struct perf_output_handle *handle,
				unsigned long size)
{
	struct softpt_cpu *c = this_cpu_ptr(&softpt_cpus);

	if (c->event != event || !c->buffer || !c->buffer->snapshot)
		return 0;
	c->stats.samples++;
	/* The area begins anew below 0. */
	return copy_aux(&c->handle, handle, c->pos + c->buffer->size - size, c->pos);
}

static int find_copy_aux(void)
{
	struct kprobe probe = {.symbol_name = "perf_output_copy_aux"};
	int ret = register_kprobe(&probe);

	if (ret)
		return ret;
	copy_aux = (typeof(copy_aux))probe.addr;
	unregister_kprobe(&probe);
	return 0;
}

static void *softpt_setup_aux(struct perf_event *event, void **pages, int nr, bool overwrite)
{
	struct softpt_buffer *b = kzalloc(sizeof(*b), GFP_KERNEL);

	if (b)
		*b = (struct softpt_buffer){pages, (u64)nr << PAGE_SHIFT, overwrite};
	return b;
}

static void softpt_free_aux(void *buffer)
{
	kfree(buffer);
}

static struct pmu softpt_pmu = {
	.module = THIS_MODULE,
	.capabilities = PERF_PMU_CAP_EXCLUSIVE | PERF_PMU_CAP_ITRACE | PERF_PMU_CAP_AUX_PAUSE,
	.task_ctx_nr = perf_sw_context,
	.attr_groups = softpt_attr_groups,
	.event_init = softpt_event_init,
	.add = softpt_add,
	.del = softpt_del,
	.start = softpt_start,
	.stop = softpt_stop,
	.read = softpt_read,
	.setup_aux = softpt_setup_aux,
	.free_aux = softpt_free_aux,
	.snapshot_aux = softpt_snapshot_aux,
};

static void set_up_timer(struct hrtimer *timer)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
	hrtimer_setup(timer, tick, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
#else
	hrtimer_init(timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	timer->function = tick;
#endif
}

static const struct softpt_stats *stats_of_cpu(int cpu)
{
	return &per_cpu(softpt_cpus, cpu).stats;
}

static int __init softpt_init(void)
{
	int cpu, ret;

	if (!strcmp(name, "intel_pt"))
		stream = &stream_pt;
	for_each_possible_cpu(cpu)
		set_up_timer(&per_cpu(softpt_cpus, cpu).timer);
	if (bare) {
		softpt_pmu.capabilities &= ~PERF_PMU_CAP_AUX_PAUSE;
		softpt_pmu.snapshot_aux = NULL;
	}
	ret = bare ? 0 : find_copy_aux();
	if (!ret)
		ret = stats_create(stats_of_cpu);
	if (ret)
		return ret;
	ret = perf_pmu_register(&softpt_pmu, name, -1);
	if (ret)
		stats_remove();
	return ret;
}

static void __exit softpt_exit(void)
{
	perf_pmu_unregister(&softpt_pmu);
	stats_remove();
}

module_init(softpt_init);
module_exit(softpt_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("AUX PMU without hardware, for tests");
