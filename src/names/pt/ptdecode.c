/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two passes: first the packets alone, which need no code and always give counts, then the blocks.
 * After an error decoding continues at the next PSB after it, found here and not by libipt: so
 * every round moves forward.
 *
 * libipt gets no files: it would map them, and a file truncated under a mapping is a SIGBUS.
 */
#include "names/pt/ptdecode.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "system/sandbox/sandbox.h"
#include "names/pt/ptdecode_sandbox.h"

uint64_t ptdecode_time(const struct ptdecode_clock *c, uint64_t tsc)
{
	uint64_t quot, rem;

	if (!c->mult || c->shift > 32)
		return tsc;
	quot = tsc >> c->shift;
	rem = tsc & ((1ull << c->shift) - 1);
	return c->zero + quot * c->mult + ((rem * c->mult) >> c->shift);
}

void ptdecode_clear(struct ptdecode_result *r)
{
	free(r->places);
	memset(r, 0, sizeof(*r));
}

int ptdecode_run(const struct ptdecode_config *c, struct ptdecode_result *out, struct err *err)
{
	return (sandbox_allowed() ? ptdecode_ask : ptdecode_here)(c, out, err);
}

#ifdef HAVE_IPT

#include <intel-pt.h>

#include "base/atomics.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/search.h"

#define INSNS_MAX  (2000u * 1000 * 1000)
#define PLACES_MAX (1u << 17)
#define STILL_MAX  (1u << 20) /* instructions without progress in the stream: the code has a loop */
#define LOOK_EVERY 64         /* blocks between checks of the clock */

static const uint8_t psb[16] = {2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82,
				2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82};

struct pending {
	uint32_t place;
	uint64_t insns;
};

struct walk {
	const struct ptdecode_config *c;
	struct ptdecode_result *r;
	struct pt_block_decoder *decoder;
	uint32_t *index;     /* hash of the places: 1 + index, 0: free */
	uint32_t mask, max_places;
	uint64_t *waiting;   /* per place: its part of waiting_all */
	uint32_t *touched;   /* places with a part of waiting_all */
	uint32_t ntouched;
	uint64_t waiting_all, waiting_folded; /* instructions since the last timing packet */
	uint64_t time;       /* of the last timing packet, 0: none yet */
	uint32_t who;
	size_t run;          /* index into c->runs */
	bool off, gap;       /* tracing is off; packets were lost since the last time */
	bool called;         /* the last block ended in a call */
	uint64_t max_insns, still, offset;
	unsigned blocks;
	int open;            /* stretch whose end is not known yet, -1: none */
};

/* --- time --------------------------------------------------------------------------------- */

static void find_runner(struct walk *w)
{
	const struct ptdecode_config *c = w->c;
	size_t above;

	if (!c->nruns)
		return;
	if (c->runs[w->run].time <= w->time &&
	    (w->run + 1 == c->nruns || c->runs[w->run + 1].time > w->time))
		return;
	above = SEARCH_ABOVE(c->runs, c->nruns, time, w->time);
	w->run = above ? above - 1 : 0;
	w->who = c->runs[w->run].who;
}

/* Divide `time` among the blocks since the last timing packet, and forget them. */
static void divide_time(struct walk *w, uint64_t time)
{
	uint64_t left = time;

	for (uint32_t i = 0; i < w->ntouched; i++) {
		uint32_t at = w->touched[i];
		uint64_t part = (uint64_t)((double)time * (double)w->waiting[at] /
					   (double)w->waiting_all);

		part = part < left ? part : left;
		w->r->places[at].time += part;
		w->r->places[at].timed += time ? w->waiting[at] : 0;
		w->waiting[at] = 0;
		left -= part;
	}
	if (w->waiting_folded)
		w->r->folded_time += left;
	else if (w->ntouched)
		w->r->places[w->touched[0]].time += left; /* rest of rounding */
	if (w->waiting_all)
		w->r->time += time;
	w->r->timed += time ? w->waiting_all : 0;
	w->ntouched = 0;
	w->waiting_all = w->waiting_folded = 0;
}

static void set_time(struct walk *w, uint64_t tsc)
{
	uint64_t now = ptdecode_time(&w->c->clock, tsc);
	struct ptdecode_stretch *s = w->open >= 0 ? &w->r->stretches[w->open] : NULL;

	if (now == w->time)
		return;
	/* Time going backwards: the stream was resumed, or is wrong. */
	divide_time(w, w->time && now > w->time && !w->off && !w->gap ? now - w->time : 0);
	if (s && now >= s->start)
		s->end = now;
	w->open = -1;
	w->gap = false;
	w->time = now;
	if (!w->r->first)
		w->r->first = now;
	if (now > w->r->last)
		w->r->last = now;
	find_runner(w);
}

/* --- places ------------------------------------------------------------------------------- */

static uint32_t place_slot(const struct walk *w, uint64_t addr)
{
	uint32_t at = (uint32_t)hash_mix(hash_u64(addr), w->who) & w->mask;

	while (w->index[at]) {
		const struct ptdecode_place *p = &w->r->places[w->index[at] - 1];

		if (p->addr == addr && p->who == w->who)
			break;
		at = (at + 1) & w->mask;
	}
	return at;
}

static void count_block(struct walk *w, const struct pt_block *b)
{
	struct ptdecode_result *r = w->r;
	uint32_t at = place_slot(w, b->ip), place;

	r->insns += b->ninsn;
	w->waiting_all += b->ninsn;
	if (!w->index[at] && r->nplaces == w->max_places) {
		r->folded_insns += b->ninsn;
		w->waiting_folded += b->ninsn;
		return;
	}
	if (!w->index[at]) {
		r->places[r->nplaces] = (struct ptdecode_place){.addr = b->ip, .who = w->who};
		w->index[at] = (uint32_t)++r->nplaces;
	}
	place = w->index[at] - 1;
	r->places[place].blocks++;
	r->places[place].insns += b->ninsn;
	r->places[place].calls += w->called;
	if (!w->waiting[place])
		w->touched[w->ntouched++] = place;
	w->waiting[place] += b->ninsn;
}

/* --- lost stretches ----------------------------------------------------------------------- */

static void add_lost_stretch(struct walk *w, enum pt_lost cause, uint64_t offset, uint64_t bytes,
			     const char *why)
{
	struct ptdecode_result *r = w->r;
	struct ptdecode_stretch *s;

	r->lost[cause]++;
	r->lost_bytes[cause] += bytes;
	if (r->nstretches == PTDECODE_STRETCHES)
		return;
	w->open = (int)r->nstretches;
	s = &r->stretches[r->nstretches++];
	*s = (struct ptdecode_stretch){
		.cause = (uint8_t)cause, .offset = offset, .bytes = bytes, .start = w->time};
	snprintf(s->why, sizeof(s->why), "%s", why);
}

static uint64_t find_psb(const struct ptdecode_config *c, uint64_t from)
{
	const uint8_t *at = from < c->len ? memmem(c->data + from, c->len - from, psb, sizeof(psb))
					  : NULL;

	return at ? (uint64_t)(at - c->data) : c->len;
}

/* --- the packets alone -------------------------------------------------------------------- */

static void count_packet(struct ptdecode_result *r, const struct ptdecode_clock *clock,
			 const struct pt_packet *p)
{
	switch (p->type) {
	case ppt_psb:
		r->psbs++;
		break;
	case ppt_ovf:
		r->overflows++;
		break;
	case ppt_tnt_8:
	case ppt_tnt_64:
		r->branches += p->payload.tnt.bit_size;
		break;
	case ppt_tip:
	case ppt_tip_pge:
	case ppt_tip_pgd:
		r->targets++;
		break;
	case ppt_tsc:
		r->last = ptdecode_time(clock, p->payload.tsc.tsc);
		if (!r->first)
			r->first = r->last;
		break;
	default:
		break;
	}
}

static bool cancelled(const struct ptdecode_config *c)
{
	return c->cancel && atomic_load_relaxed(c->cancel);
}

static int count_packets(const struct ptdecode_config *c, const struct pt_config *config,
			 struct ptdecode_result *r)
{
	struct pt_packet_decoder *d = pt_pkt_alloc_decoder(config);
	uint64_t at = find_psb(c, 0);
	struct pt_packet p;

	if (!d)
		return -ENOMEM;
	while (at < c->len && !cancelled(c) && pt_pkt_sync_set(d, at) >= 0) {
		while (pt_pkt_next(d, &p, sizeof(p)) >= 0)
			count_packet(r, &c->clock, &p);
		/* After the last packet, or an invalid one: continue at the next PSB. */
		if (pt_pkt_get_offset(d, &at) < 0)
			break;
		at = find_psb(c, at + 1);
	}
	pt_pkt_free_decoder(d);
	return cancelled(c) ? -ECANCELED : 0;
}

/* --- the blocks --------------------------------------------------------------------------- */

static int read_code_for_libipt(uint8_t *buf, size_t size, const struct pt_asid *asid, uint64_t ip,
				void *arg)
{
	struct walk *w = arg;
	int n = w->c->read ? w->c->read(w->c->arg, w->who, ip, buf, size) : -ENOENT;

	(void)asid; /* the process is known from the switches, not from CR3 */
	return n > 0 ? n : -pte_nomap;
}

static void take_trace_event(struct walk *w, const struct pt_event *e)
{
	if (e->type == ptev_enabled)
		w->off = true; /* the time since the last packet was not traced */
	if (e->has_tsc)
		set_time(w, e->tsc);
	switch (e->type) {
	case ptev_enabled:
		w->off = false;
		w->called = false;
		break;
	case ptev_disabled:
	case ptev_async_disabled:
		w->off = true;
		divide_time(w, 0);
		break;
	case ptev_overflow:
		divide_time(w, 0);
		add_lost_stretch(w, PT_LOST_OVERFLOW, w->offset, 0, "");
		w->off = e->ip_suppressed;
		w->gap = true;
		w->called = false;
		break;
	case ptev_async_branch:
		w->called = false;
		break;
	default:
		break;
	}
}

static int drain_events(struct walk *w, int status)
{
	struct pt_event e;

	while (status >= 0 && status & pts_event_pending) {
		status = pt_blk_event(w->decoder, &e, sizeof(e));
		if (status >= 0)
			take_trace_event(w, &e);
	}
	return status;
}

#define GO_ON PT_LOST_HEAD /* never a reason to stop */

static enum pt_lost check_limits(struct walk *w, const struct pt_block *b, const char **why)
{
	uint64_t now;

	if (pt_blk_get_offset(w->decoder, &now) >= 0 && now != w->offset) {
		w->offset = now;
		w->still = 0;
	}
	w->still += b->ninsn + 1u;
	*why = "the code loops without a branch in the trace";
	if (w->still > STILL_MAX)
		return PT_LOST_ERROR;
	*why = "enough instructions";
	if (w->r->insns > w->max_insns)
		return PT_LOST_LIMIT;
	if (++w->blocks % LOOK_EVERY)
		return GO_ON;
	*why = "out of time";
	if ((w->c->deadline && clock_ns() > w->c->deadline) || cancelled(w->c))
		return PT_LOST_LIMIT;
	return GO_ON;
}

/* Decode from a PSB to an error, a limit or the end.  Return the cause; GO_ON: the end. */
static enum pt_lost walk_blocks(struct walk *w, uint64_t from, const char **why)
{
	int status = pt_blk_sync_set(w->decoder, from);
	enum pt_lost lost;
	uint64_t tsc;

	w->offset = from;
	w->still = 0;
	w->called = false;
	w->off = true; /* until code is seen: time before that is not counted */
	if (status >= 0 && pt_blk_time(w->decoder, &tsc, NULL, NULL) >= 0)
		set_time(w, tsc);
	for (;;) {
		struct pt_block b = {.ninsn = 0};

		status = drain_events(w, status);
		if (status < 0 || status & pts_eos)
			break;
		status = pt_blk_next(w->decoder, &b, sizeof(b));
		if (b.ninsn) {
			w->off = false;
			count_block(w, &b);
			w->called = b.iclass == ptic_call;
		}
		lost = check_limits(w, &b, why);
		if (lost != GO_ON)
			return lost;
		if (status < 0)
			break;
	}
	if (status >= 0 || status == -pte_eos)
		return GO_ON;
	*why = pt_errstr(pt_errcode(status));
	return status == -pte_nomap ? PT_LOST_CODE : PT_LOST_ERROR;
}

static void walk_stream(struct walk *w)
{
	const struct ptdecode_config *c = w->c;
	uint64_t at = find_psb(c, 0), next;
	const char *why = "";

	if (at)
		add_lost_stretch(w, PT_LOST_HEAD, 0, at, "");
	while (at < c->len) {
		enum pt_lost lost = walk_blocks(w, at, &why);
		uint64_t stop = w->offset > at ? w->offset : at;

		divide_time(w, 0);
		pt_blk_get_offset(w->decoder, &stop);
		if (stop < at || stop > c->len)
			stop = at;
		if (lost == GO_ON) {
			w->r->decoded += c->len - at;
			return;
		}
		next = lost == PT_LOST_LIMIT ? c->len : find_psb(c, stop > at ? stop : at + 1);
		w->r->decoded += stop - at;
		add_lost_stretch(w, lost, stop, next - stop, why);
		at = next;
	}
}

/* --- setting up --------------------------------------------------------------------------- */

static void configure(const struct ptdecode_config *c, struct pt_config *config)
{
	pt_config_init(config);
	/* libipt only reads; it is not const there because its encoder writes. */
	config->begin = (uint8_t *)(uintptr_t)c->data;
	config->end = config->begin + c->len;
	config->cpu.vendor = c->cpu.intel ? pcv_intel : pcv_unknown;
	config->cpu.family = c->cpu.family;
	config->cpu.model = c->cpu.model;
	config->cpu.stepping = c->cpu.stepping;
	if (c->cpu.intel && pt_cpu_errata(&config->errata, &config->cpu) < 0)
		memset(&config->errata, 0, sizeof(config->errata)); /* newer CPU: none are known */
	config->cpuid_0x15_eax = c->cpu.tsc_ctc_ratio_d;
	config->cpuid_0x15_ebx = c->cpu.tsc_ctc_ratio_n;
	config->mtc_freq = c->cpu.mtc_period;
	config->nom_freq = c->cpu.max_ratio;
	config->flags.variant.block.end_on_call = 1;
	config->flags.variant.block.end_on_jump = 1;
	config->flags.variant.block.enable_tick_events = 1;
}

static uint32_t power_of_two(uint32_t n)
{
	uint32_t p = 1;

	while (p < n)
		p *= 2;
	return p;
}

static bool walk_init(struct walk *w, const struct pt_config *config)
{
	const struct ptdecode_config *c = w->c;

	w->max_places = c->max_places && c->max_places < PLACES_MAX ? c->max_places : PLACES_MAX;
	w->max_insns = c->max_insns ? c->max_insns : INSNS_MAX;
	w->mask = power_of_two(w->max_places * 2) - 1;
	w->open = -1;
	w->who = c->nruns ? c->runs[0].who : 0;
	w->index = calloc((size_t)w->mask + 1, sizeof(*w->index));
	w->waiting = calloc(w->max_places, sizeof(*w->waiting));
	w->touched = calloc(w->max_places, sizeof(*w->touched));
	w->r->places = calloc(w->max_places, sizeof(*w->r->places));
	w->decoder = pt_blk_alloc_decoder(config);
	return w->index && w->waiting && w->touched && w->r->places && w->decoder &&
	       pt_image_set_callback(pt_blk_get_image(w->decoder), read_code_for_libipt, w) >= 0;
}

static void walk_clear(struct walk *w)
{
	if (w->decoder)
		pt_blk_free_decoder(w->decoder);
	free(w->index);
	free(w->waiting);
	free(w->touched);
}

int ptdecode_here(const struct ptdecode_config *c, struct ptdecode_result *out, struct err *err)
{
	struct walk w = {.c = c, .r = out};
	struct pt_config config;
	int ret = 0;

	memset(out, 0, sizeof(*out));
	out->bytes = c->len;
	if (!c->len)
		return 0;
	configure(c, &config);
	ret = count_packets(c, &config, out);
	if (!ret && !walk_init(&w, &config))
		ret = -ENOMEM;
	if (!ret)
		walk_stream(&w);
	if (!ret && cancelled(c))
		ret = -ECANCELED;
	walk_clear(&w);
	if (!ret)
		return 0;
	ptdecode_clear(out);
	return err_set(err, -ret, ret == -ENOMEM ? "out of memory for decoding a trace"
						 : "decoding was aborted");
}

#else

int ptdecode_here(const struct ptdecode_config *c, struct ptdecode_result *out, struct err *err)
{
	(void)c;
	memset(out, 0, sizeof(*out));
	/* Agents return this text too: it is all that a screen elsewhere shows. */
	err_set(err, EOPNOTSUPP,
		"this build has no libipt to decode Intel PT: from another host fetch the "
		"snapshot (F) and open it with ringtop -i FILE, or use perf script");
	return err_advise(err, "or install libipt-dev and rebuild");
}

#endif
