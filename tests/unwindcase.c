/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "tests/unwindcase.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/images.h"
#include "tests/skip.h"

#define HZ      2999u
#define SAMPLES 150u

#if defined(HAVE_UNWIND) && defined(__x86_64__)
const bool unwindcase_slow = true;
#else
const bool unwindcase_slow = false;
#endif

void unwindcase_load(struct unwindcase_names *names, const struct sampled *s, const char *dir, const char *program)
{
	char path[128];
	struct err err = {0};

	*names = (struct unwindcase_names){0};
	snprintf(path, sizeof(path), "%s/%s", dir, program);
	for (size_t i = 0; i < s->nobjects; i++) {
		if (!strcmp(s->objects[i]->path, path))
			names->object = s->objects[i];
	}
	assert_non_null(names->object);
	if (symbols_of_memory(names->object->data, names->object->size, &names->elf, &err))
		fail_msg("%s", err.text);
}

/* Return true if the function at addr has this name.  "*": any. */
static bool name_is(const struct unwindcase_names *names, const struct sampled *s, uint64_t addr,
		    const char *name)
{
	const struct sampled_map *m = sampled_map(s, addr);
	struct symtab_entry e;

	if (name[0] == '*')
		return true;
	return m && m->object == names->object &&
	       symtab_find(names->elf.symtab, addr - m->bias, &e) && !strcmp(e.name, name);
}

/* --- checks ----------------------------------------------------------------------------------- */

static bool was_interrupted(const struct unwind_path *path, uint32_t frame)
{
	for (uint32_t i = 0; i < path->ninterrupted; i++) {
		if (path->interrupted[i] == frame)
			return true;
	}
	return false;
}

static void check_chain(const struct unwindcase *p, const struct unwindcase_names *names, const struct sampled *s,
			const struct unwind_path *path, enum unwind_end end)
{
	if (p->slow && !unwindcase_slow) {
		assert_int_equal(end, UNWIND_BAD);
		return;
	}
	for (uint32_t i = 1; i < UNWINDCASE_CHAIN && p->chain[i]; i++) {
		uint64_t addr = i < path->nr ? path->ips[i] - !was_interrupted(path, i) : 0;

		if (!name_is(names, s, addr, p->chain[i]))
			fail_msg("%s: frame %u of %u (%#llx) is not %s", p->name, i, path->nr,
				 (unsigned long long)addr, p->chain[i]);
	}
	assert_int_equal(end, p->end);
	assert_int_equal(path->guessed > 0, p->guessed);
	assert_int_equal(path->slow, p->slow);
	assert_int_equal(path->ninterrupted, p->interrupted ? 1 : 0);
	if (path->ninterrupted)
		assert_int_equal(path->interrupted[0], p->interrupted);
}

/*
 * Behind its pop of rbp, gcc's rules of a function still say that rbp is on the stack: below the stack pointer, which no
 * sample has, or at the caller's rbp.  libunwind ends there.
 */
static bool is_popped(const struct sampled *s, uint64_t addr)
{
	const struct sampled_map *m = sampled_map(s, addr);
	struct cfi_rule rule = {.kind = CFI_UNCOVERED};

	if (m && m->object)
		rule = cfi_find(m->object->cfi, addr - m->bias);
	return rule.kind == CFI_REG &&
	       (rule.rbp == CFI_RBP_AT_RBP ||
		(rule.base == CFI_RSP && rule.rbp == CFI_RBP_AT_CFA && rule.cfa_off + rule.rbp_off < 0));
}

/* Both must have the same frames where both come to an end; else ours must be the beginning of the reference's. */
static void check_reference(const struct unwindcase *p, struct sampled *s, size_t index,
			    const struct unwind_path *path, enum unwind_end end)
{
	static uint64_t theirs[SAMPLED_FRAMES_MAX];
	const struct sampled_map *m = sampled_map(s, path->ips[0]);
	int ended = 0;
	uint32_t nr;

	if (p->no_reference || !sampled_reference(s, index, theirs, SAMPLED_FRAMES_MAX, &nr, &ended))
		return;
	if (is_popped(s, path->ips[0]) && ended < 0 && path->nr > nr)
		return;
	if (path->nr > nr || (end == UNWIND_END && nr != path->nr) ||
	    memcmp(theirs, path->ips, path->nr * sizeof(theirs[0])) != 0)
		fail_msg("%s: sample %zu at %#llx of %s: %u frames (end %d), libunwind %u (%d)",
			 p->name, index, m ? (unsigned long long)(path->ips[0] - m->bias) : 0,
			 m && m->object ? m->object->path : "?", path->nr, (int)end, nr, ended);
	if (end == UNWIND_TRUNCATED)
		assert_true(ended < 0);
}

/* Before the leaf has set up its frame, and after it took it down, a guess misses its caller. */
static bool skips_caller(const struct unwindcase *p, const struct unwindcase_names *names, const struct sampled *s,
			 const struct unwind_path *path)
{
	return p->guessed && path->nr > 1 && name_is(names, s, path->ips[0], p->chain[0]) &&
	       name_is(names, s, path->ips[1] - 1, p->chain[2]);
}

unsigned unwindcase_samples(const struct unwindcase *p, struct sampled *s, const struct unwindcase_names *names,
			    struct unwind_counts *counts)
{
	static uint64_t ips[SAMPLED_FRAMES_MAX];
	struct unwind_path path = {.ips = ips, .max = SAMPLED_FRAMES_MAX};
	struct unwinder *u = unwind_create();
	unsigned chained = 0, skipped = 0;

	assert_non_null(u);
	for (size_t i = 0; i < s->nr; i++) {
		struct unwind_sample sample = sampled_sample(s, i);
		enum unwind_end end = unwind_run(u, &sample, &s->space, &path);

		assert_true(path.nr >= 1 && path.nr <= path.max);
		check_reference(p, s, i, &path, end);
		if (skips_caller(p, names, s, &path) ||
		    (p->slow && end == UNWIND_BAD && is_popped(s, ips[0]))) {
			skipped++;
		} else if (p->chain[0] && name_is(names, s, ips[0], p->chain[0])) {
			check_chain(p, names, s, &path, end);
			chained++;
		}
	}
	assert_true(skipped * 20 <= s->nr);
	*counts = *unwind_counts(u);
	assert_int_equal(counts->samples, s->nr);
	assert_int_equal(counts->ends[0] + counts->ends[1] + counts->ends[2] + counts->ends[3], s->nr);
	unwind_free(u);
	return chained;
}

static bool build(const struct unwindcase *p, const char *dir)
{
	char line[2048];
	FILE *f;

	snprintf(line, sizeof(line), "%s/%s", dir, p->name);
	if (!access(line, X_OK))
		return true; /* another test of the group built it */
	snprintf(line, sizeof(line), "%s/%s", dir, p->file);
	f = fopen(line, "w");
	if (!f || fputs(p->text, f) < 0 || fclose(f))
		return false;
	snprintf(line, sizeof(line), "cd %s && { %s && %s -w -DCALLS=%u -DTURNS=%u -o %s %s %s\n} >log 2>&1", dir,
		 p->before ? p->before : "true", p->build, p->calls ? p->calls : 20000, p->calls ? p->calls : 30000,
		 p->name, p->file, p->libs ? p->libs : "");
	return system(line) == 0;
}

/* Sample by cpu-clock, or at the instruction at addr if that is not 0. */
static void record_program(const struct unwindcase *p, const char *dir, uint64_t addr, size_t max, struct sampled *s)
{
	char path[128];
	char *argv[] = {path, NULL};
	int ret;

	if (!build(p, dir))
		fail_msg("%s cannot be built", p->name);
	snprintf(path, sizeof(path), "%s/%s", dir, p->name);
	ret = addr ? sampled_record_at(s, argv, addr, p->stack, max) : sampled_record(s, argv, HZ, p->stack, max);
	if (ret == -EACCES || ret == -EPERM || ret == -ENOENT || ret == -EOPNOTSUPP || ret == -ENODEV ||
	    ret == -ENOSPC) {
		sampled_free(s);
		SKIP("cannot sample stacks: %s", strerror(-ret));
	}
	assert_int_equal(ret, 0);
}

void unwindcase_record(const struct unwindcase *p, const char *dir, struct sampled *s)
{
	record_program(p, dir, 0, SAMPLES, s);
	assert_true(s->nr >= SAMPLES / 2);
}

void unwindcase_check(const struct unwindcase *p, const char *dir, struct unwind_counts *counts)
{
	struct sampled s;
	struct unwindcase_names names;
	unsigned chained;

	unwindcase_record(p, dir, &s);
	unwindcase_load(&names, &s, dir, p->name);
	chained = unwindcase_samples(p, &s, &names, counts);
	if (p->chain[0] && chained < UNWINDCASE_ENOUGH)
		fail_msg("%s: only %u of %zu samples in %s", p->name, chained, s.nr, p->chain[0]);
	elfsym_clear(&names.elf);
	sampled_free(&s);
	assert_int_equal(s.memory.used, 0);
}

/* --- at each instruction ---------------------------------------------------------------------- */

/* Add up to `max` addresses of the function's instructions, in the program's own terms: by objdump. */
static size_t list_instructions(const struct unwindcase *p, const char *dir, const char *function, uint64_t *addrs,
				size_t max)
{
	char line[512];
	size_t nr = 0;
	FILE *f;

	snprintf(line, sizeof(line), "objdump -d --no-show-raw-insn --disassemble=%s %s/%s", function, dir, p->name);
	f = popen(line, "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		unsigned long long addr;
		int end = 0;

		if (nr < max && sscanf(line, " %llx:%n", &addr, &end) == 1 && end && line[end] == '\t')
			addrs[nr++] = addr;
	}
	assert_int_equal(pclose(f), 0);
	return nr;
}

/* Check that the path leads from the chain's function number `at` to those outwards of it. */
static void check_outwards(const struct unwindcase *p, const struct unwindcase_names *names, const struct sampled *s,
			   const struct unwind_path *path, unsigned at)
{
	for (uint32_t i = 0; at + i < UNWINDCASE_CHAIN && p->chain[at + i]; i++) {
		if (i >= path->nr || !name_is(names, s, path->ips[i] - (i > 0), p->chain[at + i]))
			fail_msg("%s: frame %u of %u at %#llx is not %s", p->name, i, path->nr,
				 (unsigned long long)path->ips[0], p->chain[at + i]);
	}
}

/* Return the number of samples at that instruction. */
static size_t check_instruction(const struct unwindcase *p, const char *dir, uint64_t addr, unsigned at)
{
	static uint64_t ips[SAMPLED_FRAMES_MAX];
	struct unwind_path path = {.ips = ips, .max = SAMPLED_FRAMES_MAX};
	struct unwindcase_names names;
	struct unwinder *u = unwind_create();
	struct sampled s;
	size_t nr;

	record_program(p, dir, addr, 4, &s);
	nr = s.nr;
	if (nr)
		unwindcase_load(&names, &s, dir, p->name);
	for (size_t i = 0; i < nr; i++) {
		struct unwind_sample sample = sampled_sample(&s, i);
		enum unwind_end end = unwind_run(u, &sample, &s.space, &path);

		assert_int_equal(ips[0], addr);
		check_reference(p, &s, i, &path, end);
		check_outwards(p, &names, &s, &path, at);
	}
	if (nr)
		elfsym_clear(&names.elf);
	sampled_free(&s);
	unwind_free(u);
	return nr;
}

/* Return the address of the program's own address 0. */
static uint64_t program_bias(const struct sampled *s, const char *dir, const char *program)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", dir, program);
	for (size_t i = 0; i < s->nmaps; i++) {
		if (s->maps[i].object && !strcmp(s->maps[i].object->path, path))
			return s->maps[i].bias;
	}
	fail_msg("%s is not mapped", path);
	return 0;
}

void unwindcase_instructions(const struct unwindcase *p, const char *dir)
{
	struct unwindcase few = *p;
	char name[64];
	uint64_t addrs[256], bias;
	size_t nr, seen;
	struct sampled s;

	snprintf(name, sizeof(name), "%s_few", p->name);
	few.name = name;
	few.calls = 3;
	record_program(&few, dir, 0, SAMPLES, &s); /* any samples tell where the program lies */
	bias = program_bias(&s, dir, few.name);
	sampled_free(&s);
	for (unsigned at = 0; at < UNWINDCASE_CHAIN && p->chain[at]; at++) {
		nr = list_instructions(&few, dir, p->chain[at], addrs, 256);
		seen = 0;
		for (size_t i = 0; i < nr; i++)
			seen += check_instruction(&few, dir, addrs[i] + bias, at) > 0;
		if (seen * 2 < nr || !nr)
			fail_msg("%s: %zu of %zu instructions of %s were sampled", p->name, seen, nr, p->chain[at]);
	}
}
