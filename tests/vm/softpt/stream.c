// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The Intel PT stream is made of frames that stand alone:
 *
 *   PSB TSC CBR MODE.Exec PSBEND  TIP.PGE loop
 *   { TNT tttttn  TIP leaf  TNT t } x rounds  FUP loop  TIP.PGD
 *
 * and tell of this program, of which ptloop.c has the copy that runs:
 *
 *   loop:	mov $6, %ecx
 *   1:		dec %ecx
 *		jnz 1b			five times taken, once not
 *		lea leaf(%rip), %rax
 *		call *%rax		TIP
 *		jmp loop		no packet
 *   leaf:	ret			compressed: a taken bit
 *
 * A frame is made only while the interrupted task runs in user mode under the name `comm`: what
 * perf's decoder knows from switches and maps agrees with the packets then.
 * Source of the packets' layout: Intel SDM volume 3, chapter "Intel Processor Trace".
 */
#include "stream.h"

#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <asm/irq_regs.h>
#include <asm/msr.h>
#include <asm/ptrace.h>

#include "block.h"

#define ROUND_BYTES 5
#define ROUNDS_MAX  ((STREAM_MAX - 64) / ROUND_BYTES)

static ulong loop_ip, leaf_ip;
static char comm[TASK_COMM_LEN] = "ptloop";
static uint rounds = 200;

module_param(loop_ip, ulong, 0644);
MODULE_PARM_DESC(loop_ip, "intel_pt: address of the loop, as ptloop says");
module_param(leaf_ip, ulong, 0644);
MODULE_PARM_DESC(leaf_ip, "intel_pt: address of what it calls");
module_param_string(comm, comm, sizeof(comm), 0644);
MODULE_PARM_DESC(comm, "intel_pt: name of the program that runs the loop");
module_param(rounds, uint, 0644);
MODULE_PARM_DESC(rounds, "intel_pt: rounds in a frame; a round is 8 taken branches in 5 bytes");

static size_t make_block(u8 *buf, u64 seq)
{
	block_make((struct block *)buf, raw_smp_processor_id(), seq, ktime_get_ns());
	return sizeof(struct block);
}

static u8 *put(u8 *p, const u8 *bytes, size_t len)
{
	memcpy(p, bytes, len);
	return p + len;
}

/* The low `len` bytes of a number, little-endian as the packets are. */
static u8 *put_number(u8 *p, u64 number, size_t len)
{
	for (; len; len--, number >>= 8)
		*p++ = (u8)number;
	return p;
}

static u8 *put_sync(u8 *p)
{
	static const u8 psb[] = {0x02, 0x82, 0x02, 0x82, 0x02, 0x82, 0x02, 0x82,
				 0x02, 0x82, 0x02, 0x82, 0x02, 0x82, 0x02, 0x82};
	static const u8 cbr[] = {0x02, 0x03, 0x22, 0x00}, mode_64[] = {0x99, 0x01};
	static const u8 psbend[] = {0x02, 0x23};

	p = put(p, psb, sizeof(psb));
	*p++ = 0x19; /* TSC */
	p = put_number(p, rdtsc_ordered(), 7);
	p = put(p, cbr, sizeof(cbr));
	p = put(p, mode_64, sizeof(mode_64));
	return put(p, psbend, sizeof(psbend));
}

static bool in_the_loop(void)
{
	struct pt_regs *regs = get_irq_regs();

	return loop_ip && regs && user_mode(regs) && !strncmp(current->comm, comm, sizeof(comm));
}

static size_t make_frame(u8 *buf, u64 seq)
{
	uint n = min_t(uint, READ_ONCE(rounds), ROUNDS_MAX), i;
	u8 *p = buf;

	if (!in_the_loop())
		return 0;
	p = put_sync(p);
	*p++ = 0x71; /* TIP.PGE, 48 bits of address */
	p = put_number(p, loop_ip, 6);
	for (i = 0; i < n; i++) {
		*p++ = 0xfc; /* TNT: taken five times, then not */
		*p++ = 0x2d; /* TIP, the low 16 bits; the rest is as before */
		p = put_number(p, leaf_ip, 2);
		*p++ = 0x06; /* TNT: taken */
	}
	*p++ = 0x3d; /* FUP: interrupted before the next round */
	p = put_number(p, loop_ip, 2);
	*p++ = 0x01; /* TIP.PGD, without an address: to the kernel, which is not traced */
	return p - buf;
}

const struct stream stream_blocks = {.name = "blocks", .make = make_block};
const struct stream stream_pt = {.name = "intel_pt", .make = make_frame};
