/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Combinations follow perf 6.1 (get_event_modifier): the first of u, k, h excludes all others, so
 * does the first of G, H; u and p leave guests out, and so does an event without any modifier
 * (event.c).
 */
#include "kernel/event/modifiers.h"

#include <errno.h>
#include <string.h>

struct levels {
	bool user, kernel, hv, host, guest; /* excluded */
	bool chosen, chosen_guest;          /* one of u, k, h was given; one of G, H */
};

bool modifiers_are(const char *text)
{
	return *text && !text[strspn(text, MODIFIER_LETTERS)];
}

static void keep_level(struct levels *l, char letter)
{
	if (!l->chosen)
		l->chosen = l->user = l->kernel = l->hv = true;
	if (letter == 'u' && !l->chosen_guest)
		l->guest = true;
	*(letter == 'u' ? &l->user : letter == 'k' ? &l->kernel : &l->hv) = false;
}

static void keep_guest(struct levels *l, char letter)
{
	if (!l->chosen_guest)
		l->chosen_guest = l->guest = l->host = true;
	*(letter == 'G' ? &l->guest : &l->host) = false;
}

static int apply_one(struct event *e, struct levels *l, char letter, struct err *err)
{
	struct perf_event_attr *a = &e->attr;

	switch (letter) {
	case 'u':
	case 'k':
	case 'h':
		keep_level(l, letter);
		return 0;
	case 'G':
	case 'H':
		keep_guest(l, letter);
		return 0;
	case 'p':
		if (++a->precise_ip == 0)
			return err_set(err, EINVAL, "event '%s': at most three p", e->name);
		l->guest |= !l->chosen_guest;
		return 0;
	case 'P':
		e->precise_most = true;
		return 0;
	case 'I':
		a->exclude_idle = 1;
		return 0;
	case 'D':
		a->pinned = 1;
		return 0;
	case 'e':
		a->exclusive = 1;
		return 0;
	case 'W':
		e->weak = true;
		return 0;
	case 'S':
		e->sample_read = true;
		return 0;
	case 'b': /* perf would count by BPF then: the counts are equal */
		return 0;
	default:
		return err_set(err, EINVAL,
			       "event '%s': unknown modifier '%c' (u k h G H I p P S D W e b)",
			       e->name, letter);
	}
}

int modifiers_apply(struct event *e, const char *letters, bool add, const char **wrong,
		    struct err *err)
{
	struct perf_event_attr *a = &e->attr;
	struct levels l = {.user = add && a->exclude_user,
			   .kernel = add && a->exclude_kernel,
			   .hv = add && a->exclude_hv,
			   .host = add && a->exclude_host,
			   .guest = add && a->exclude_guest,
			   .chosen_guest = add && e->guests_chosen};
	int ret = 0;

	l.chosen = l.user || l.kernel || l.hv;
	for (*wrong = letters; **wrong && !ret; (*wrong)++)
		ret = apply_one(e, &l, **wrong, err);
	if (ret) {
		(*wrong)--;
		return ret;
	}
	a->exclude_user = l.user;
	a->exclude_kernel = l.kernel;
	a->exclude_hv = l.hv;
	a->exclude_host = l.host;
	a->exclude_guest = l.guest;
	e->guests_chosen = l.chosen_guest;
	return 0;
}
