/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/ptstream.h"

#ifdef HAVE_IPT

#include <intel-pt.h>
#include <stdlib.h>
#include <string.h>

const uint8_t ptstream_code[20] = {
	0xe8, 0x0b, 0, 0, 0,    /* call work */
	0xff, 0xc9,             /* dec %ecx */
	0x75, 0xf7,             /* jnz main */
	0xff, 0xe0,             /* jmp *%rax */
	0xcc, 0xcc, 0xcc, 0xcc, 0xcc,
	0x90, 0x90, 0x90, 0xc3, /* work */
};

static void put(struct ptstream *s, const struct pt_packet *p)
{
	struct pt_config c;
	struct pt_encoder *e;
	int n;

	pt_config_init(&c);
	c.begin = s->data + s->len;
	c.end = s->data + sizeof(s->data);
	e = pt_alloc_encoder(&c);
	n = e ? pt_enc_next(e, p) : -1;
	if (n < 0)
		abort();
	s->len += (size_t)n;
	pt_free_encoder(e);
}

static void put_type(struct ptstream *s, enum pt_packet_type type)
{
	put(s, &(struct pt_packet){.type = type});
}

static void put_ip(struct ptstream *s, enum pt_packet_type type, uint64_t ip)
{
	struct pt_packet p = {.type = type};

	p.payload.ip.ipc = ip ? pt_ipc_full : pt_ipc_suppressed;
	p.payload.ip.ip = ip;
	put(s, &p);
}

static void put_mode(struct ptstream *s)
{
	struct pt_packet p = {.type = ppt_mode};

	p.payload.mode.leaf = pt_mol_exec;
	p.payload.mode.bits.exec.csl = 1;
	put(s, &p);
}

void ptstream_tsc(struct ptstream *s, uint64_t tsc)
{
	struct pt_packet p = {.type = ppt_tsc};

	p.payload.tsc.tsc = tsc;
	put(s, &p);
}

void ptstream_sync(struct ptstream *s, uint64_t tsc, uint64_t ip)
{
	put_type(s, ppt_psb);
	if (ip)
		put_ip(s, ppt_fup, ip);
	put_mode(s);
	ptstream_tsc(s, tsc);
	put_type(s, ppt_psbend);
}

void ptstream_on(struct ptstream *s, uint64_t ip)
{
	put_mode(s);
	put_ip(s, ppt_tip_pge, ip);
}

void ptstream_off(struct ptstream *s, uint64_t ip)
{
	put_ip(s, ppt_fup, ip);
	put_ip(s, ppt_tip_pgd, 0);
}

void ptstream_ret(struct ptstream *s)
{
	put_ip(s, ppt_tip, PTSTREAM_THEN);
}

void ptstream_jump(struct ptstream *s, uint64_t ip)
{
	put_ip(s, ppt_tip, ip);
}

void ptstream_branch(struct ptstream *s, int taken)
{
	struct pt_packet p = {.type = ppt_tnt_8};

	p.payload.tnt.bit_size = 1;
	p.payload.tnt.payload = taken != 0;
	put(s, &p);
}

void ptstream_overflow(struct ptstream *s, uint64_t ip)
{
	put_type(s, ppt_ovf);
	put_ip(s, ppt_fup, ip);
}

void ptstream_raw(struct ptstream *s, const void *data, size_t len)
{
	if (len > sizeof(s->data) - s->len)
		abort();
	memcpy(s->data + s->len, data, len);
	s->len += len;
}

void ptstream_rounds(struct ptstream *s, unsigned rounds, uint64_t tsc, uint64_t step)
{
	for (unsigned i = 1; i <= rounds; i++) {
		ptstream_ret(s);
		ptstream_branch(s, 1);
		ptstream_tsc(s, tsc + i * step);
	}
}

#endif
