/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cfientry - reads the entries (CIE, FDE) of .eh_frame and .debug_frame, piece by piece.
 *
 * Every length and pointer comes from a file that is not trusted: bytes are fetched with pread into
 * a window of fixed size (or are in memory already), and no reference is followed more than once.
 *
 * Threads: a section is read-only and may be shared; readers and cursors have one owner.
 * Allocates: never.
 */
#ifndef RINGTOP_FILES_UNWIND_CFIENTRY_H
#define RINGTOP_FILES_UNWIND_CFIENTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "files/elf/dwarfcursor.h"

/* A section with entries. */
struct cfi_section {
	uint64_t vaddr;      /* of its first byte; meaningless in .debug_frame */
	uint64_t size;
	uint64_t offset;     /* in the file */
	int fd;              /* -1: in memory */
	const uint8_t *data; /* in memory, or NULL */
	bool is_debug;       /* .debug_frame */
};

/* A window into a section. */
struct cfi_reader {
	const struct cfi_section *section;
	uint8_t *buf;
	size_t cap, len;
	uint64_t at; /* offset of buf's first byte */
};

/* Get n bytes at offset, valid until the next call; NULL: out of bounds, unreadable, or n > cap. */
const uint8_t *cfi_bytes(struct cfi_reader *r, uint64_t offset, size_t n);

/* DW_EH_PE_*: encoding of a pointer. */
#define CFI_PTR_ABS     0x00
#define CFI_PTR_FORM    0x0f
#define CFI_PTR_PCREL   0x10
#define CFI_PTR_DATAREL 0x30
#define CFI_PTR_OMIT    0xff

/*
 * Read a pointer. vaddr: address of c's end, as pointers may be relative to their own place;
 * datarel: base of DATAREL. Indirect, text- and function-relative ones fail.
 */
uint64_t cfi_get_pointer(struct dwarf_cursor *c, uint8_t encoding, uint64_t vaddr,
			 uint64_t datarel);

struct cfi_head {
	uint64_t body;  /* offset after the length and the id */
	uint64_t next;  /* offset of the next entry */
	uint64_t cie;   /* of an FDE: offset of its CIE */
	bool is_cie, is_last;
};

/* Read an entry's length and id. Return 0 or -EINVAL. */
int cfi_head_read(struct cfi_reader *r, uint64_t offset, struct cfi_head *head);

struct cfi_cie {
	uint64_t code_align;
	int64_t data_align;
	uint64_t ra;             /* column of the return address */
	uint8_t encoding;        /* of its FDEs' addresses */
	bool augmented;          /* FDEs have a block of augmentation data */
	bool signal;             /* frames of signal handlers' callers */
	const uint8_t *program;  /* in the reader's window */
	size_t len;
};

struct cfi_fde {
	uint64_t start, size;    /* range of its code */
	const uint8_t *program;  /* in the reader's window */
	size_t len;
	uint64_t vaddr;          /* address of program's end */
};

/* Limits on entries' sizes, in bytes. */
#define CFI_CIE_MAX 512u
#define CFI_FDE_MAX (1u << 20)

/* Read an entry. Return 0, -EINVAL, or -EFBIG if it does not fit into the reader's window. */
int cfi_cie_read(struct cfi_reader *r, uint64_t offset, struct cfi_cie *cie);
int cfi_fde_read(struct cfi_reader *r, const struct cfi_head *head, const struct cfi_cie *cie,
		 struct cfi_fde *fde);

/* Read only start and size. */
int cfi_fde_range(struct cfi_reader *r, const struct cfi_head *head, const struct cfi_cie *cie,
		  struct cfi_fde *fde);

#endif
