/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptstream - Intel PT streams for tests, packet by packet by libipt's encoder, and a little program
 * that they run through.  Only with HAVE_IPT.  Threads: one.
 */
#ifndef RINGTOP_TESTS_PTSTREAM_H
#define RINGTOP_TESTS_PTSTREAM_H

#include <stddef.h>
#include <stdint.h>

/*
 * The program, PTSTREAM_BASE its first byte:
 *
 *   main: call work      then: dec ecx    jnz main    jmp *rax
 *   work: nop, nop, nop  ret
 */
#define PTSTREAM_BASE 0x401000u
#define PTSTREAM_MAIN PTSTREAM_BASE
#define PTSTREAM_THEN (PTSTREAM_BASE + 5)
#define PTSTREAM_WORK (PTSTREAM_BASE + 16)
extern const uint8_t ptstream_code[20];

struct ptstream {
	uint8_t data[65536];
	size_t len;
};

/* Each appends, and asserts that there is room. */
void ptstream_sync(struct ptstream *s, uint64_t tsc, uint64_t ip); /* PSB to PSBEND; ip 0: off */
void ptstream_on(struct ptstream *s, uint64_t ip);   /* TIP.PGE */
void ptstream_off(struct ptstream *s, uint64_t ip);  /* FUP, TIP.PGD: stopped before ip */
void ptstream_tsc(struct ptstream *s, uint64_t tsc);
void ptstream_ret(struct ptstream *s);               /* of work to main: TIP */
void ptstream_jump(struct ptstream *s, uint64_t ip); /* of jmp *rax: TIP */
void ptstream_branch(struct ptstream *s, int taken); /* of jnz */
void ptstream_overflow(struct ptstream *s, uint64_t ip);
void ptstream_raw(struct ptstream *s, const void *data, size_t len);

/* `rounds` rounds of the program, the time advancing from tsc by `step` after each. */
void ptstream_rounds(struct ptstream *s, unsigned rounds, uint64_t tsc, uint64_t step);

#endif
