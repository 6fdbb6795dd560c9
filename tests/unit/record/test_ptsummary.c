/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A made-up trace of this very process: its code is put where the stream says, the sideband says that
 * we ran, and the answer must find our functions, our name, and what is lost.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "files/decode/perfwrite.h"
#include "names/pt/ptdecode.h"
#include "sources/record/ptsummary.h"
#include "sources/record/sidelog.h"
#include "tests/ptstream.h"
#include "tests/skip.h"

#ifdef HAVE_IPT

static struct ptstream stream;

static void put_switch(struct perfwrite *w, uint32_t pid, uint64_t time, bool out)
{
	const struct perf_event_header h = {PERF_RECORD_SWITCH_CPU_WIDE,
					    out ? PERF_RECORD_MISC_SWITCH_OUT : 0, sizeof(h) + 8};
	const uint64_t body[2] = {0, 0};
	struct perf_event_header record[2];

	memcpy(record, &h, sizeof(h));
	memcpy(record + 1, body, 8);
	perfwrite_again(w, record, sizeof(record), &(struct perfwrite_id){pid, pid, time, 0, 1});
}

/* On CPU 1 we run until 1500, then somebody who is not there. */
static struct snapfile *make_snapfile(void)
{
	struct snapfile *f = calloc(1, sizeof(*f));
	struct perfwrite w = {.trailer = SIDELOG_TYPE};

	put_switch(&w, (uint32_t)getpid(), 1500, true);
	put_switch(&w, 0x3ffffff0, 1500, false);
	f->sideband = w.data;
	f->sideband_len = w.len;
	f->said.nr = 7;
	strcpy(f->aux_event.pmu, "intel_pt");
	f->aux = (struct auxset_info){.event = &f->aux_event, .pmu = f->aux_event.pmu,
				      .time_mult = 1, .mode = AUX_SNAPSHOT};
	f->copies = calloc(1, sizeof(*f->copies));
	f->copies->copy = calloc(1, sizeof(*f->copies->copy));
	f->copies->nr = 1;
	f->copies->copy[0] = (struct aux_copy){.cpu = 1, .tid = -1, .data = (char *)stream.data,
					       .len = stream.len};
	return f;
}

static void free_snapfile(struct snapfile *f)
{
	free(f->copies->copy);
	free(f->copies);
	f->copies = NULL;
	snapfile_free(f);
}

static void put_code(void)
{
	void *at = mmap((void *)(uintptr_t)(PTSTREAM_BASE & ~4095u), 4096,
			PROT_READ | PROT_WRITE | PROT_EXEC,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	if (at != (void *)(uintptr_t)(PTSTREAM_BASE & ~4095u))
		SKIP("the made-up trace's addresses are taken");
	memcpy((void *)(uintptr_t)PTSTREAM_BASE, ptstream_code, sizeof(ptstream_code));
}

static void test_answer(void **state)
{
	static const uint8_t noise[] = {1, 2, 3};
	bool cancel = false;
	struct slice_pt *pt;
	struct snapfile *f;

	(void)state;
	prctl(PR_SET_NAME, "pt-answer");
	put_code();
	stream.len = 0;
	ptstream_raw(&stream, noise, sizeof(noise));
	ptstream_sync(&stream, 1000, PTSTREAM_MAIN);
	ptstream_rounds(&stream, 20, 1000, 50); /* until 2000 */
	f = make_snapfile();
	assert_true(ptsummary_possible(f));
	pt = ptsummary_make(f, &cancel);
	assert_non_null(pt);
	assert_null(pt->error);
	assert_int_equal(pt->snapshot, 7);
	assert_int_equal(pt->bytes, stream.len);
	assert_int_equal(pt->lost_bytes[PT_LOST_HEAD], sizeof(noise));
	/* Half of it is ours; the other's code is nowhere. */
	assert_in_range(pt->insns, 60, 80);
	assert_int_equal(pt->lost[PT_LOST_CODE], 1);
	assert_int_equal(pt->decoded + pt->lost_bytes[PT_LOST_HEAD] + pt->lost_bytes[PT_LOST_CODE],
			 pt->bytes);
	assert_int_equal(pt->nrows, 1); /* memory without a name: one row of it */
	assert_null(pt->rows[0].function);
	assert_string_equal(pt->rows[0].object, "[anon]");
	assert_string_equal(pt->rows[0].comm, "pt-answer");
	assert_int_equal(pt->rows[0].pid, getpid());
	assert_int_equal(pt->rows[0].insns, pt->insns);
	assert_in_range(pt->rows[0].ns, 400, 550);
	assert_int_equal(pt->rows[0].ns, pt->ns);
	assert_int_equal(pt->nstretches, 2);
	assert_int_equal(pt->stretches[0].cpu, 1);
	assert_int_equal(pt->stretches[1].cause, PT_LOST_CODE);
	assert_non_null(pt->stretches[1].why);
	slice_pt_free(pt);
	cancel = true;
	assert_null(ptsummary_make(f, &cancel));
	free_snapfile(f);
}

/* Whatever the bytes: the sums hold. */
static void test_noise(void **state)
{
	bool cancel = false;
	struct slice_pt *pt;
	struct snapfile *f;
	uint64_t sum = 0;

	(void)state;
	stream.len = 0;
	ptstream_sync(&stream, 1000, PTSTREAM_MAIN);
	for (unsigned i = 0; i < 5000; i++) {
		const uint8_t byte = (uint8_t)(i * i * 7 >> 3);

		ptstream_raw(&stream, &byte, 1);
		if (i % 500 == 0)
			ptstream_sync(&stream, 1000 + i, i % 1000 ? PTSTREAM_MAIN : 0);
	}
	f = make_snapfile();
	pt = ptsummary_make(f, &cancel);
	assert_non_null(pt);
	for (int i = 0; i < PT_LOST_NR; i++)
		sum += pt->lost_bytes[i];
	assert_int_equal(pt->decoded + sum, stream.len);
	slice_pt_free(pt);
	free_snapfile(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_answer), cmocka_unit_test(test_noise)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
	puts("built without libipt");
	return 77;
}

#endif
