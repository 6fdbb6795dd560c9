/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/vec.h"
#include "core/slice/merge.h"
#include "core/slice/slice.h"

static struct slice *make(uint64_t start, uint64_t end)
{
	struct slice *s = slice_create();

	assert_non_null(s);
	s->start = start;
	s->end = end;
	return s;
}

static void put_string(struct slice *s, uint32_t id, const char *text)
{
	struct dict_string e = {.id = id, .len = (uint32_t)strlen(text), .text = text};

	assert_int_equal(slice_upsert(s, DICT_STRING, &e), 0);
}

static void put_task(struct slice *s, uint32_t id, uint32_t comm, int32_t pid)
{
	struct dict_task e = {.id = id, .comm = comm, .pid = pid, .tid = pid};

	assert_int_equal(slice_upsert(s, DICT_TASK, &e), 0);
}

static void put_row(struct slice *s, uint32_t path, uint32_t task, uint32_t samples)
{
	struct slice_row *r = slice_add_row(s);

	assert_non_null(r);
	*r = (struct slice_row){.path = path, .task = task, .samples = samples,
				.weight = samples * 10ull};
}

/* What a receiver makes of task ids: pid by session id, as dict.c does it. */
struct receiver {
	int32_t pid[16], temp[16];
	int32_t of_pid[1000]; /* samples */
};

static int32_t *receiver_slot(struct receiver *r, uint32_t id)
{
	uint32_t i = id >= DICT_TEMP ? id - DICT_TEMP : id;

	assert_true(i < 16);
	return id >= DICT_TEMP ? &r->temp[i] : &r->pid[i];
}

static void receive(struct receiver *r, const struct slice *s)
{
	const struct dict_delta *d = &s->dict;

	for (size_t i = 0; i < d->nmoved[DICT_TASK]; i++) {
		*receiver_slot(r, d->moved[DICT_TASK][i].to) =
			*receiver_slot(r, d->moved[DICT_TASK][i].from);
		*receiver_slot(r, d->moved[DICT_TASK][i].from) = 0;
	}
	for (size_t i = 0; i < d->nr[DICT_TASK]; i++)
		*receiver_slot(r, d->tasks[i].id) = d->tasks[i].pid;
	for (size_t i = 0; i < s->nrows; i++) {
		int32_t pid = *receiver_slot(r, s->rows[i].task);

		assert_in_range(pid, 1, 999);
		r->of_pid[pid] += (int32_t)s->rows[i].samples;
	}
	for (size_t i = 0; i < d->nreleased[DICT_TASK]; i++)
		*receiver_slot(r, d->released[DICT_TASK][i]) = 0;
	memset(r->temp, 0, sizeof(r->temp));
}

static void test_copies(void **state)
{
	struct slice *s = make(0, 100);
	char text[] = "gzip";

	(void)state;
	put_string(s, 1, text);
	text[0] = 'x';
	assert_string_equal(s->dict.strings[0].text, "gzip");
	assert_int_equal(slice_log(s, SLICE_WARNING, "%d lost", 3), 0);
	assert_string_equal(s->logs[0].text, "3 lost");
	slice_free(s);
	slice_free(NULL);
}

static void test_merge_counts(void **state)
{
	struct slice *a = make(0, 100), *b = make(100, 200);
	struct slice_account *x, *y;

	(void)state;
	put_row(a, 1, 1, 5);
	put_row(a, 2, 1, 1);
	put_row(b, 2, 1, 3);
	put_row(b, 3, 1, 7);
	x = slice_add_account(a);
	*x = (struct slice_account){.cpu = 1, .exact = true, .counted = 100, .attributed = 60,
				    .lost = {30}, .pending = 10, .unsampled = 7,
				    .unsampled_why = {[UNSAMPLED_IDLE] = 5, [UNSAMPLED_STOLEN] = 2}};
	y = slice_add_account(b);
	*y = (struct slice_account){.cpu = 1, .counted = 50, .attributed = 55, .pending = 5,
				    .unsampled = -1, .unsampled_why = {[UNSAMPLED_IDLE] = -1}};
	y = slice_add_account(b);
	*y = (struct slice_account){.cpu = 2, .counted = 1, .pending = 1};
	slice_log(a, SLICE_INFO, "one");
	slice_log(b, SLICE_INFO, "two");
	a->self = (struct slice_self){.cpu_ns = 3, .rss_bytes = 10, .table_rows = 9,
				      .maps_forgotten = 1, .switches_forgotten = 5,
				      .process_maps_forgotten = 2, .names_given_up = 3};
	b->self = (struct slice_self){.cpu_ns = 4, .rss_bytes = 20, .table_rows = 8,
				      .switches_forgotten = 6, .names_given_up = 4};
	b->last = true;
	assert_int_equal(slice_merge(a, b), 0);
	assert_int_equal(a->nrows, 3);
	assert_int_equal(a->rows[1].samples, 4);
	assert_int_equal(a->rows[1].weight, 40);
	assert_int_equal(a->naccounts, 2);
	assert_int_equal(a->accounts[0].counted, 150);
	assert_int_equal(a->accounts[0].attributed, 115);
	assert_int_equal(a->accounts[0].lost[LOST_OVERWRITTEN], 30);
	assert_int_equal(a->accounts[0].pending, 5);
	assert_int_equal(a->accounts[0].unsampled, 6);
	assert_int_equal(a->accounts[0].unsampled_why[UNSAMPLED_IDLE], 4);
	assert_int_equal(a->accounts[0].unsampled_why[UNSAMPLED_STOLEN], 2);
	assert_false(a->accounts[0].exact);
	assert_int_equal(a->nlogs, 2);
	assert_string_equal(a->logs[1].text, "two");
	assert_int_equal(a->self.cpu_ns, 7);
	assert_int_equal(a->self.maps_forgotten, 1);
	assert_int_equal(a->self.process_maps_forgotten, 2);
	assert_int_equal(a->self.names_given_up, 7);
	assert_int_equal(a->self.switches_forgotten, 11);
	assert_int_equal(a->self.rss_bytes, 20);
	assert_int_equal(a->self.table_rows, 9);
	assert_int_equal(a->self.merged, 1);
	assert_int_equal(a->start, 0);
	assert_int_equal(a->end, 200);
	assert_true(a->last);
	slice_free(a);
}

static void test_merge_gauges(void **state)
{
	struct slice *a = make(0, 100), *b = make(100, 200);

	(void)state;
	*slice_add_gauge(a) = (struct slice_gauge){.size = 100, .unread = 5, .unread_max = 90,
						   .bytes = 7, .lost = GAUGE_UNKNOWN, .late_ns = 3};
	*slice_add_gauge(b) = (struct slice_gauge){.size = 100, .unread = 6, .unread_max = 20,
						   .bytes = 8, .lost = GAUGE_UNKNOWN,
						   .late_ns = GAUGE_UNKNOWN};
	*slice_add_gauge(b) = (struct slice_gauge){.size = 50, .lost = 2};
	assert_int_equal(slice_merge(a, b), 0);
	assert_int_equal(a->ngauges, 2);
	assert_int_equal(a->gauges[0].unread, 6);
	assert_int_equal(a->gauges[0].unread_max, 90);
	assert_int_equal(a->gauges[0].bytes, 15);
	assert_true(a->gauges[0].lost == GAUGE_UNKNOWN);
	assert_int_equal(a->gauges[0].late_ns, 3);
	assert_int_equal(a->gauges[1].lost, 2);
	slice_free(a);
}

/* Task 1 is pid 10, released, then pid 11, released, then pid 12, over five slices. */
static struct slice *story(int part)
{
	struct slice *s = make((uint64_t)part * 100, (uint64_t)part * 100 + 100);

	switch (part) {
	case 0:
		put_string(s, 1, "a");
		put_task(s, 1, 1, 10);
		put_task(s, 2, 1, 20);
		put_row(s, 1, 1, 1);
		put_row(s, 1, 2, 100);
		break;
	case 1:
		put_row(s, 1, 1, 2);
		slice_release(s, DICT_TASK, 1);
		break;
	case 2:
		put_task(s, 1, 1, 11);
		put_row(s, 1, 1, 4);
		put_row(s, 1, 2, 100);
		slice_release(s, DICT_TASK, 1);
		break;
	case 3:
		put_task(s, 1, 1, 12);
		put_row(s, 1, 1, 8);
		slice_release(s, DICT_TASK, 2);
		break;
	default:
		put_task(s, 2, 1, 21);
		put_row(s, 1, 1, 16);
		put_row(s, 1, 2, 32);
		slice_release(s, DICT_TASK, 1);
	}
	return s;
}

/* However the story is cut into slices, every pid keeps its samples. */
static void test_merge_reused_ids(void **state)
{
	(void)state;
	for (unsigned cuts = 0; cuts < 16; cuts++) {
		for (int order = 0; order < 2; order++) {
			struct slice *part[5];
			struct receiver r = {0};

			for (int i = 0; i < 5; i++)
				part[i] = story(i);
			/* joined from the front or from the back: merged ones merge again */
			for (int k = 0; k < 4; k++) {
				int i = order ? 3 - k : k, to = i;

				if (!(cuts & 1u << i))
					continue;
				while (!part[to])
					to--;
				assert_int_equal(slice_merge(part[to], part[i + 1]), 0);
				part[i + 1] = NULL;
			}
			for (int i = 0; i < 5; i++) {
				if (part[i])
					receive(&r, part[i]);
				slice_free(part[i]);
			}
			assert_int_equal(r.of_pid[10], 3);
			assert_int_equal(r.of_pid[11], 4);
			assert_int_equal(r.of_pid[12], 24);
			assert_int_equal(r.of_pid[20], 200);
			assert_int_equal(r.of_pid[21], 32);
			assert_int_equal(r.pid[1], 0);
			assert_int_equal(r.pid[2], 21);
		}
	}
}

static void put_host(struct slice *s, enum host_state state, uint64_t bytes, uint32_t merged)
{
	struct slice_host *h = slice_add_host(s);

	assert_non_null(h);
	*h = (struct slice_host){.state = state, .bytes_in = bytes, .merged = merged, .folded_samples = 3,
				 .self = {.cpu_ns = 7, .rss_bytes = bytes}};
}

/* Of hosts too: counts add up, the rest is as it is at the end; one more may have come. */
static void test_merge_hosts(void **state)
{
	struct slice *a = make(0, 100), *b = make(100, 200);

	(void)state;
	put_host(a, HOST_UP, 1000, 1);
	put_host(b, HOST_CUT, 24, 2);
	put_host(b, HOST_CONNECTING, 0, 0);
	assert_int_equal(slice_merge(a, b), 0);
	assert_int_equal(a->nhosts, 2);
	assert_int_equal(a->hosts[0].state, HOST_CUT);
	assert_int_equal(a->hosts[0].bytes_in, 1024);
	assert_int_equal(a->hosts[0].merged, 3);
	assert_int_equal(a->hosts[0].folded_samples, 6);
	assert_int_equal(a->hosts[0].self.cpu_ns, 14);
	assert_int_equal(a->hosts[0].self.rss_bytes, 24);
	assert_int_equal(a->hosts[1].state, HOST_CONNECTING);
	slice_free(a);
}

static void put_logged(struct slice *s, unsigned from, unsigned to)
{
	for (unsigned i = from; i < to; i++) {
		struct slice_logged *l = VEC_ADD(s->logged, s->nlogged, s->cap_logged);

		assert_non_null(l);
		*l = (struct slice_logged){.time = i, .late = i == 3, .text = strdup("text"), .fields = strdup("")};
		s->logging.lines++;
		s->logging.late += l->late;
	}
}

/* Of more lines than a slice may have the oldest go, and are counted as others that nobody saw. */
static void test_merge_logged(void **state)
{
	struct slice *a = make(0, 10), *b = make(10, 20);

	(void)state;
	put_logged(a, 0, SLICE_LOGGED_MOST);
	put_logged(b, SLICE_LOGGED_MOST, SLICE_LOGGED_MOST + 10);
	b->logging.unshown = 5;
	assert_int_equal(slice_merge(a, b), 0);
	assert_int_equal(a->nlogged, SLICE_LOGGED_MOST);
	assert_int_equal(a->logged[0].time, 10);
	assert_int_equal(a->logged[SLICE_LOGGED_MOST - 1].time, SLICE_LOGGED_MOST + 9);
	assert_int_equal(a->logging.lines, SLICE_LOGGED_MOST);
	assert_int_equal(a->logging.unshown, 15);
	assert_int_equal(a->logging.late, 0);
	slice_logged_fit(a->logged, &a->nlogged, 5 * (sizeof(*a->logged) + 4) + 3, &a->logging);
	assert_int_equal(a->nlogged, 5);
	assert_int_equal(a->logged[0].time, SLICE_LOGGED_MOST + 5);
	assert_int_equal(a->logging.lines, 5);
	slice_logged_fit(a->logged, &a->nlogged, 0, &a->logging);
	assert_int_equal(a->nlogged, 0);
	assert_int_equal(a->logging.lines + a->logging.unshown, SLICE_LOGGED_MOST + 15);
	slice_free(a);
}

static void test_logged_fields(void **state)
{
	const char *at = "prev_comm\tsa b\nn\tn-12\nbig\tn18446744073709551615\nlie\tn12a\nzero\tn0\noctal\tn012\n\tn";
	static const struct {
		const char *name, *value;
		bool number;
	} want[] = {{"prev_comm", "a b", false}, {"n", "-12", true}, {"big", "18446744073709551615", true}, {"lie", "12a", false},
		    {"zero", "0", true}, {"octal", "012", false}};
	struct slice_logged_field f;

	(void)state;
	for (size_t i = 0; i < sizeof(want) / sizeof(*want); i++) {
		assert_true(slice_logged_next(&at, &f));
		assert_int_equal(f.name_len, strlen(want[i].name));
		assert_memory_equal(f.name, want[i].name, f.name_len);
		assert_int_equal(f.value_len, strlen(want[i].value));
		assert_memory_equal(f.value, want[i].value, f.value_len);
		assert_int_equal(f.number, want[i].number);
	}
	assert_false(slice_logged_next(&at, &f));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_copies),
		cmocka_unit_test(test_merge_counts),
		cmocka_unit_test(test_merge_gauges),
		cmocka_unit_test(test_merge_hosts),
		cmocka_unit_test(test_merge_logged),
		cmocka_unit_test(test_logged_fields),
		cmocka_unit_test(test_merge_reused_ids),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
