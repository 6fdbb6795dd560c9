/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * marked -n N - passes the mark marked:tick 2 N times, at two places, and says how often somebody listened: its
 * semaphore is counted up by who traces it.  The notes are those of SystemTap's sdt.h, written out.
 */
#include "work.h"

unsigned short marked_semaphore __attribute__((section(".probes"), used));

#define MARK() \
	__asm__ volatile( \
		"990: nop\n" \
		".pushsection .note.stapsdt,\"\",\"note\"\n" \
		".balign 4\n" \
		".4byte 992f-991f, 994f-993f, 3\n" \
		"991: .asciz \"stapsdt\"\n" \
		"992: .balign 4\n" \
		"993: .8byte 990b, _.stapsdt.base, marked_semaphore\n" \
		".asciz \"marked\", \"tick\", \"\"\n" \
		"994: .balign 4\n" \
		".popsection\n" \
		".ifndef _.stapsdt.base\n" \
		".pushsection .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n" \
		".weak _.stapsdt.base\n" \
		".hidden _.stapsdt.base\n" \
		"_.stapsdt.base: .space 1\n" \
		".size _.stapsdt.base, 1\n" \
		".popsection\n" \
		".endif\n")

int main(int argc, char **argv)
{
	uint64_t heard = 0;
	struct work w;

	work_parse(&w, argc, argv);
	work_begin(&w);
	for (uint64_t i = 0; i < w.count; i++) {
		MARK();
		heard += *(volatile unsigned short *)&marked_semaphore;
		MARK();
	}
	printf("pid=%d marks=%" PRIu64 " heard=%" PRIu64 "\n", (int)getpid(), 2 * w.count, heard);
	return 0;
}
