/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libunwind finds entries through a search table; ours, at ENTRY_AT in an artificial address space,
 * has one line that fits every address and points to the entry behind it:
 *
 *         ENTRY_AT      int32 lowest address, int32 offset of the FDE
 *         ENTRY_AT + 8  CIE
 *         ...           FDE
 */
#include "files/unwind/unwind_slow.h"

#if defined(HAVE_UNWIND) && defined(__x86_64__)

#include <libunwind-x86_64.h>

#include <stdlib.h>
#include <string.h>

#define ENTRY_AT  0xff00000000000000ull /* not an address of user space */
#define WORDS_MAX 200000u               /* limit of requests for one sample */
#define HEAD_ROOM 96u                   /* maximum bytes before the two programs */
#define FRAMES_MAX 1024u

/* Missing in its headers, but needed for a remote find_proc_info; other programs use it as well. */
int _Ux86_64_dwarf_search_unwind_table(unw_addr_space_t as, unw_word_t ip, unw_dyn_info_t *di,
				       unw_proc_info_t *pi, int need_unwind_info, void *arg);

struct unwind_slow {
	unw_addr_space_t as;
	const struct unwind_sample *sample;
	const struct unwind_space *space;
	uint64_t sp;
	unsigned words;     /* left */
	bool beyond, below; /* it requested a word above or below the copy of the stack */
	bool uncovered;     /* it requested an address without an entry */
	bool signal;        /* or one whose caller was interrupted by a signal */
	bool outermost;     /* or one without a return address */
	struct cfi_copy copy;
	size_t len; /* of entry */
	uint8_t entry[sizeof(struct cfi_copy) + HEAD_ROOM];
};

static void put_entry_bytes(struct unwind_slow *s, const void *bytes, size_t len)
{
	memcpy(s->entry + s->len, bytes, len);
	s->len += len;
}

static void put_u8(struct unwind_slow *s, uint8_t v)
{
	put_entry_bytes(s, &v, 1);
}

static void put_u32(struct unwind_slow *s, uint32_t v)
{
	put_entry_bytes(s, &v, 4);
}

static void put_u64(struct unwind_slow *s, uint64_t v)
{
	put_entry_bytes(s, &v, 8);
}

static void put_uleb(struct unwind_slow *s, uint64_t v)
{
	do {
		put_u8(s, (uint8_t)((v & 0x7f) | (v > 0x7f ? 0x80 : 0)));
		v >>= 7;
	} while (v);
}

static void put_sleb(struct unwind_slow *s, int64_t v)
{
	bool more;

	do {
		uint8_t byte = v & 0x7f;

		v >>= 7;
		more = !((v == 0 && !(byte & 0x40)) || (v == -1 && (byte & 0x40)));
		put_u8(s, byte | (more ? 0x80 : 0));
	} while (more);
}

/* Begin an entry of a length not known yet. */
static size_t entry_begin(struct unwind_slow *s)
{
	put_u32(s, 0);
	return s->len;
}

static void entry_finish(struct unwind_slow *s, size_t begun)
{
	uint32_t len = (uint32_t)(s->len - begun);

	memcpy(s->entry + begun - 4, &len, 4);
}

/* Compose the copied entry as in .eh_frame, with absolute addresses of the sampled process. */
static void entry_build(struct unwind_slow *s, uint64_t bias)
{
	const struct cfi_cie *cie = &s->copy.cie;
	const struct cfi_fde *fde = &s->copy.fde;
	size_t begun, fde_at, cie_at;

	s->len = 0;
	put_u32(s, (uint32_t)INT32_MIN);
	put_u32(s, 0);
	cie_at = s->len;
	begun = entry_begin(s);
	put_u32(s, 0);
	put_u8(s, 1);
	put_entry_bytes(s, cie->signal ? "zRS" : "zR\0", cie->signal ? 4 : 3);
	put_uleb(s, cie->code_align);
	put_sleb(s, cie->data_align);
	put_u8(s, (uint8_t)cie->ra);
	put_uleb(s, 1);
	put_u8(s, CFI_PTR_ABS);
	put_entry_bytes(s, cie->program, cie->len);
	entry_finish(s, begun);
	fde_at = s->len;
	begun = entry_begin(s);
	put_u32(s, (uint32_t)(s->len - cie_at));
	put_u64(s, fde->start + bias);
	put_u64(s, fde->size);
	put_uleb(s, 0);
	put_entry_bytes(s, fde->program, fde->len);
	entry_finish(s, begun);
	memset(s->entry + s->len, 0, 8); /* words are read whole */
	memcpy(s->entry + 4, &(uint32_t){(uint32_t)fde_at}, 4);
}

/* --- objects whose rows a helper builds ------------------------------------------------------ */

#define CFA_UNDEFINED  0x07 /* DW_CFA_... */
#define IN_REGISTER    0x09
#define CFA_EXPRESSION 0x0f
#define AT_EXPRESSION  0x10
#define AT_OFFSET      0x11
#define CFA_REGISTER   0x12
#define IS_EXPRESSION  0x16
#define OP_DEREF       0x06 /* DW_OP_... */
#define OP_PLUS        0x23
#define OP_BREG0       0x70

static void put_at_cfa(struct unwind_slow *s, unsigned reg, int64_t off)
{
	put_u8(s, AT_OFFSET);
	put_uleb(s, reg);
	put_sleb(s, off);
}

static void put_undefined(struct unwind_slow *s, unsigned reg)
{
	put_u8(s, CFA_UNDEFINED);
	put_uleb(s, reg);
}

static void put_in_register(struct unwind_slow *s, unsigned reg, unsigned in)
{
	put_u8(s, IN_REGISTER);
	put_uleb(s, reg);
	put_uleb(s, in);
}

/* Write an expression: base + off, followed by the `len` bytes of `then`. */
static void put_expression(struct unwind_slow *s, unsigned base, int64_t off, const char *then,
			   size_t len)
{
	size_t at = s->len, begun;

	put_u8(s, 0);
	begun = s->len;
	put_u8(s, (uint8_t)(OP_BREG0 + base));
	put_sleb(s, off);
	put_entry_bytes(s, then, len);
	s->entry[at] = (uint8_t)(s->len - begun);
}

static bool put_cfa(struct unwind_slow *s, struct cfi_rule rule)
{
	static const char deref[] = {OP_DEREF, OP_PLUS, 8};

	if (rule.kind == CFI_REG || rule.kind == CFI_OUTERMOST || rule.kind >= CFI_RA_IN) {
		put_u8(s, CFA_REGISTER);
		put_uleb(s, rule.kind == CFI_OUTERMOST ? CFI_RSP : rule.base);
		put_sleb(s, rule.cfa_off);
	} else if (rule.kind == CFI_DEREF || rule.kind == CFI_DEREF8 || rule.kind == CFI_SIGNAL) {
		put_u8(s, CFA_EXPRESSION);
		put_expression(s, rule.base, rule.cfa_off, deref, rule.kind == CFI_DEREF8 ? 3 : 1);
	} else {
		return false;
	}
	if (rule.kind == CFI_OUTERMOST) {
		put_undefined(s, CFI_RA);
		return true;
	}
	if (rule.kind >= CFI_RA_IN) {
		put_in_register(s, CFI_RA, rule.kind - CFI_RA_IN);
		return true;
	}
	if (rule.kind != CFI_SIGNAL) {
		put_at_cfa(s, CFI_RA, -8);
		return true;
	}
	put_u8(s, AT_EXPRESSION);
	put_uleb(s, CFI_RA);
	put_expression(s, rule.base, (int64_t)rule.cfa_off + 8, "", 0);
	return true;
}

static void put_rbp(struct unwind_slow *s, struct cfi_rule rule)
{
	if (rule.rbp == CFI_RBP_AT_CFA) {
		put_at_cfa(s, CFI_RBP, rule.rbp_off);
	} else if (rule.rbp == CFI_RBP_AT_BASE || rule.rbp == CFI_RBP_AT_RBP) {
		put_u8(s, AT_EXPRESSION);
		put_uleb(s, CFI_RBP);
		put_expression(s, rule.rbp == CFI_RBP_AT_BASE ? rule.base : CFI_RBP, rule.rbp_off,
			       "", 0);
	} else if (rule.rbp == CFI_RBP_IN_REG) {
		put_in_register(s, CFI_RBP, (unsigned)rule.rbp_off);
	} else if (rule.rbp == CFI_RBP_IS_CFA && (rule.kind == CFI_REG || rule.kind >= CFI_RA_IN)) {
		put_u8(s, IS_EXPRESSION);
		put_uleb(s, CFI_RBP);
		put_expression(s, rule.base, (int64_t)rule.cfa_off + rule.rbp_off, "", 0);
	} else if (rule.rbp != CFI_RBP_SAME) {
		put_undefined(s, CFI_RBP);
	}
}

/*
 * libunwind's DWARF interpreter trusts its input: remembered states grow a list without end,
 * columns index its tables, and a broken invariant is an assert, which ends this process. So it
 * never gets a program that another user wrote, not even a checked copy, but one composed here from
 * the rule for this address. Lost are frames that only the original program can express (CFI_SLOW,
 * treated as broken), and all registers but rsp and rbp in the callers of such an object, if a
 * frame further out depends on them.
 */
static int copy_rule(struct unwind_slow *s, struct cfi *cfi, uint64_t vaddr)
{
	static const uint8_t lost[] = {0, 1, 2, 3, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15};
	struct cfi_rule rule = cfi_find(cfi, vaddr);

	s->len = 0;
	if (rule.kind == CFI_PLT)
		rule = (struct cfi_rule){
			.kind = CFI_REG,
			.base = rule.base,
			.cfa_off = rule.cfa_off + ((int64_t)(vaddr & 15) >= rule.rbp_off ? 8 : 0)};
	if (!put_cfa(s, rule))
		return -1;
	put_rbp(s, rule);
	for (unsigned i = 0; i < sizeof(lost); i++)
		put_undefined(s, lost[i]);
	memcpy(s->copy.bytes, s->entry, s->len);
	s->copy.cie = (struct cfi_cie){.code_align = 1, .data_align = 1, .ra = CFI_RA,
				       .signal = rule.signal, .program = s->copy.bytes};
	s->copy.fde = (struct cfi_fde){
		.start = vaddr, .size = 1, .program = s->copy.bytes, .len = s->len};
	return 0;
}

static int find_proc_info(unw_addr_space_t as, unw_word_t ip, unw_proc_info_t *pi, int need,
			  void *arg)
{
	unw_dyn_info_t di = {0};
	struct unwind_slow *s = arg;
	struct unwind_map map;
	uint64_t bias;

	if (!unwind_locate(s->space, cfi_arch_here(), ip, &map, &bias) || !map.cfi ||
	    (cfi_helped(map.cfi) ? copy_rule(s, map.cfi, ip - bias)
				 : cfi_copy(map.cfi, ip - bias, &s->copy))) {
		s->uncovered = true;
		return -UNW_ENOINFO;
	}
	s->signal = s->copy.cie.signal;
	s->outermost = cfi_find(map.cfi, ip - bias).kind == CFI_OUTERMOST;
	entry_build(s, bias);
	di.format = UNW_INFO_FORMAT_REMOTE_TABLE;
	di.start_ip = s->copy.fde.start + bias;
	di.end_ip = di.start_ip + s->copy.fde.size;
	di.u.rti.segbase = ENTRY_AT;
	di.u.rti.table_data = ENTRY_AT;
	di.u.rti.table_len = 1;
	return _Ux86_64_dwarf_search_unwind_table(as, ip, &di, pi, need, arg);
}

static void put_unwind_info(unw_addr_space_t as, unw_proc_info_t *pi, void *arg)
{
	(void)as;
	(void)pi;
	(void)arg;
}

static int get_dyn_info_list_addr(unw_addr_space_t as, unw_word_t *addr, void *arg)
{
	(void)as;
	(void)addr;
	(void)arg;
	return -UNW_ENOINFO;
}

static int access_mem(unw_addr_space_t as, unw_word_t addr, unw_word_t *value, int write, void *arg)
{
	struct unwind_slow *s = arg;
	uint64_t at = addr - s->sp;

	(void)as;
	if (write || !s->words)
		return -UNW_EINVAL;
	s->words--;
	if (addr >= ENTRY_AT && addr - ENTRY_AT < s->len) {
		memcpy(value, s->entry + (addr - ENTRY_AT), 8);
		return 0;
	}
	if (s->sample->size < 8 || at > s->sample->size - 8) {
		s->beyond |= addr > s->sp;
		s->below |= addr < s->sp;
		return -UNW_EINVAL;
	}
	memcpy(value, s->sample->stack + at, 8);
	return 0;
}

static int access_reg(unw_addr_space_t as, unw_regnum_t reg, unw_word_t *value, int write,
		      void *arg)
{
	const struct unwind_slow *s = arg;
	uint64_t v;

	(void)as;
	if (write || reg < 0 || !unwind_reg(s->sample, (unsigned)reg, &v))
		return -UNW_EBADREG;
	*value = v;
	return 0;
}

static int access_fpreg(unw_addr_space_t as, unw_regnum_t reg, unw_fpreg_t *value, int write,
			void *arg)
{
	(void)as;
	(void)reg;
	(void)value;
	(void)write;
	(void)arg;
	return -UNW_EINVAL;
}

static int resume(unw_addr_space_t as, unw_cursor_t *cursor, void *arg)
{
	(void)as;
	(void)cursor;
	(void)arg;
	return -UNW_EINVAL;
}

static int get_proc_name(unw_addr_space_t as, unw_word_t addr, char *buf, size_t len,
			 unw_word_t *off, void *arg)
{
	(void)as;
	(void)addr;
	(void)buf;
	(void)len;
	(void)off;
	(void)arg;
	return -UNW_EINVAL;
}

struct unwind_slow *unwind_slow_create(void)
{
	static unw_accessors_t accessors = {
		.find_proc_info = find_proc_info,
		.put_unwind_info = put_unwind_info,
		.get_dyn_info_list_addr = get_dyn_info_list_addr,
		.access_mem = access_mem,
		.access_reg = access_reg,
		.access_fpreg = access_fpreg,
		.resume = resume,
		.get_proc_name = get_proc_name,
	};
	struct unwind_slow *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->as = unw_create_addr_space(&accessors, 0);
	if (!s->as) {
		free(s);
		return NULL;
	}
	/* Samples come from many processes, and their entries are all at one address. */
	unw_set_caching_policy(s->as, UNW_CACHE_NONE);
	return s;
}

void unwind_slow_free(struct unwind_slow *s)
{
	if (!s)
		return;
	unw_destroy_addr_space(s->as);
	free(s);
}

/*
 * Return true for the leaf, and for a frame that a signal interrupted: they may have the return
 * address in a register, and no stack of their own.
 */
static bool has_registers(const struct unwind_path *path)
{
	uint32_t n = path->ninterrupted;

	return path->nr == 1 || (n && path->interrupted[n - 1] == path->nr - 1);
}

/*
 * Step one frame outwards. Return > 0 if there is one. Our entry tells whether a signal interrupted
 * it: unw_is_signal_frame refers to another frame in some versions.
 */
static int step_libunwind(struct unwind_slow *s, unw_cursor_t *cursor, struct unwind_path *path)
{
	unw_word_t before, after;
	int ret;

	unw_get_reg(cursor, UNW_X86_64_RSP, &before);
	s->beyond = s->below = s->uncovered = s->signal = s->outermost = false;
	ret = unw_step(cursor);
	/* libunwind returns 0, as at the outermost frame, if it has lost the caller's rbp. */
	if (ret == 0 && !s->outermost && unw_get_reg(cursor, UNW_X86_64_RBP, &after))
		return -UNW_EBADREG;
	if (ret <= 0)
		return ret;
	if (unw_get_reg(cursor, UNW_X86_64_RSP, &after))
		return -UNW_EBADFRAME;
	if (!s->signal && (after < before || (after == before && !has_registers(path))))
		return -UNW_EBADFRAME;
	if (s->signal) {
		if (path->ninterrupted == UNWIND_SIGNALS_MAX)
			return -UNW_EBADFRAME;
		path->interrupted[path->ninterrupted++] = path->nr;
	}
	path->guessed += s->uncovered;
	return ret;
}

static enum unwind_end run_libunwind(struct unwind_slow *s, struct unwind_path *path)
{
	struct unwind_map map;
	unw_cursor_t cursor;
	unw_word_t ip;
	uint64_t bias;
	int ret;

	if (unw_init_remote(&cursor, s->as, s))
		return UNWIND_BAD;
	do {
		if (unw_get_reg(&cursor, UNW_REG_IP, &ip))
			return UNWIND_BAD;
		if (path->nr && !ip)
			return UNWIND_END;
		if (path->nr && !unwind_locate(s->space, cfi_arch_here(), ip - 1, &map, &bias))
			return UNWIND_BAD;
		if (path->nr == path->max)
			return UNWIND_LIMIT;
		path->ips[path->nr++] = ip;
		ret = step_libunwind(s, &cursor, path);
	} while (ret > 0);
	if (ret == 0 && !s->uncovered)
		return UNWIND_END;
	return s->beyond && !s->below ? UNWIND_TRUNCATED : UNWIND_BAD;
}

enum unwind_end unwind_slow_run(struct unwind_slow *s, const struct unwind_sample *sample,
				const struct unwind_space *space, struct unwind_path *path)
{
	uint64_t ips[FRAMES_MAX];
	struct unwind_path own = {.ips = ips, .slow = true};
	enum unwind_end end;

	own.max = path->max < FRAMES_MAX ? path->max : FRAMES_MAX;
	s->sample = sample;
	s->space = space;
	s->words = WORDS_MAX;
	s->len = 0;
	if (!unwind_reg(sample, CFI_RSP, &s->sp))
		return UNWIND_BAD;
	end = run_libunwind(s, &own);
	if (end == UNWIND_BAD && own.nr <= path->nr)
		return end;
	own.ips = path->ips;
	own.max = path->max;
	*path = own;
	memcpy(path->ips, ips, own.nr * sizeof(ips[0]));
	return end;
}

#else

#include <stddef.h>

struct unwind_slow *unwind_slow_create(void)
{
	return NULL;
}

void unwind_slow_free(struct unwind_slow *s)
{
	(void)s;
}

enum unwind_end unwind_slow_run(struct unwind_slow *s, const struct unwind_sample *sample,
				const struct unwind_space *space, struct unwind_path *path)
{
	(void)s;
	(void)sample;
	(void)space;
	(void)path;
	return UNWIND_BAD;
}

#endif
