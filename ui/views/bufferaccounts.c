/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/views/bufferaccounts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "base/units.h"
#include "model/core/rates.h"
#include "ui/app/app.h"
#include "ui/parts/hosttexts.h"

static char *new_account_line(struct bufferaccounts *l, enum role role)
{
	static char spare[512];

	if (l->nr == BUFFERLINES_MAX)
		return spare;
	l->line[l->nr].role = role;
	l->line[l->nr].text[0] = '\0';
	return l->line[l->nr++].text;
}

#define LINE sizeof(((struct bufferaccounts *)0)->line[0].text)

static const char *amount(char buf[UNITS_LEN], const struct session_event *e, uint64_t n)
{
	return strcmp(e->unit, "ns") ? units_count(buf, (double)n) : units_span(buf, n);
}

/* Append the counts without samples by reason: " (idle 1.2 s, stolen 30 ms)". */
static size_t append_unsampled_reasons(char *text, size_t pos, const struct session_event *e,
				       const struct account *acc)
{
	char n[UNITS_LEN];
	bool any = false;

	for (int i = 0; i < UNSAMPLED_NR; i++) {
		if (!acc->unsampled_why[i])
			continue;
		pos = text_append(text, LINE, pos, "%s%s %s", any ? ", " : " (",
				  unsampled_why_names[i], amount(n, e, acc->unsampled_why[i]));
		any = true;
	}
	return any ? text_append(text, LINE, pos, ")") : pos;
}

/* Append the kernel counter's counts of tasks that are not measured. */
static void add_others(char *text, size_t pos, const struct session_event *e,
		       const struct account *acc)
{
	char n[UNITS_LEN];

	if (acc->others)
		text_append(text, LINE, pos, "  not counted: %s of other tasks",
			    amount(n, e, acc->others));
}

static void add_event_account(const struct app *a, struct bufferaccounts *l, unsigned event)
{
	const struct session_event *e = &model_info(a->model)->events[event];
	struct account acc;
	char name[140], counted[UNITS_LEN], attributed[UNITS_LEN], pending[UNITS_LEN], *text;
	size_t pos;

	model_account(a->model, event, ALL_CPUS, WINDOW_ALL, &acc);
	text_escape(name, sizeof(name), e->name);
	text = new_account_line(l, theme_loss(1 - acc.attributed_share));
	if (!acc.counted) {
		pos = text_append(
			text, LINE, 0, " %-14s counted -  attributed -%s", name,
			acc.unknown ? "  it had no counter: other events use the hardware"
				    : "");
		add_others(text, pos, e, &acc);
		return;
	}
	pos = text_append(text, LINE, 0, " %-14s counted %s%s  attributed %s  ", name,
			  acc.lost[LOST_MULTIPLEXED] ? "~" : "", amount(counted, e, acc.counted),
			  amount(attributed, e, acc.attributed));
	if (isnan(acc.attributed_share))
		pos = text_append(text, LINE, pos, "-");
	else
		pos = text_append(text, LINE, pos, "%.2f%%",
				  floor(acc.attributed_share * 10000) / 100);
	pos = text_append(text, LINE, pos, "  pending %s", amount(pending, e, acc.pending));
	pos = append_unsampled_reasons(text, pos, e, &acc);
	if (1 - acc.attributed_share > 0.10)
		text_append(text, LINE, pos, "  HEAVY LOSS");
	else if (1 - acc.attributed_share > 0.01)
		text_append(text, LINE, pos, "  LOSS");
	text = new_account_line(l, ROLE_TEXT);
	pos = text_append(text, LINE, 0, "   lost:");
	for (int c = 0; c < LOST_CAUSES; c++) {
		char n[UNITS_LEN];

		if (c == LOST_MULTIPLEXED && !acc.lost[c])
			continue;
		pos = text_append(text, LINE, pos, "%s %s %s%s", c ? " " : "", lost_cause_names[c],
				  units_count(n, (double)acc.lost_samples[c]),
				  acc.lost_samples[c] && !acc.exact ? "~" : "");
	}
	if (acc.throttles)
		pos = text_append(text, LINE, pos, "  throttled %llu times",
				  (unsigned long long)acc.throttles);
	if (acc.starved)
		pos = text_append(text, LINE, pos, "  counted %.2f%% of the time",
				  model_counter_share(&acc) * 100);
	add_others(text, pos, e, &acc);
}

/* Add a line for each former rate of the event. */
static void add_rates(const struct app *a, struct bufferaccounts *l, unsigned event)
{
	const struct session_event *e = &model_info(a->model)->events[event];
	const struct rate *r = model_next_rate(a->model, event, NULL);

	for (; r && l->nr < BUFFERLINES_MAX / 2; r = model_next_rate(a->model, event, r)) {
		char counted[UNITS_LEN], samples[UNITS_LEN], how[64],
			*text = new_account_line(l, ROLE_DIM);

		if (!r->on)
			snprintf(how, sizeof(how), "off");
		else if (r->frequency)
			snprintf(how, sizeof(how), "%u Hz", r->frequency);
		else
			snprintf(how, sizeof(how), "every %llu", (unsigned long long)r->period);
		snprintf(text, LINE, "   from %llu s: %s: counted %s, %s samples",
			 (unsigned long long)(r->from / NSEC_PER_SEC), how,
			 amount(counted, e, r->counted + rate_multiplexed(r)),
			 units_count(samples, (double)r->samples));
	}
}

/* Add the state of --call-graph auto; nothing if no event uses it. */
static void add_auto(const struct slice_self *self, struct bufferaccounts *l)
{
	const struct slice_unwind *u = &self->unwind;
	char rate[UNITS_LEN], budget[UNITS_LEN], names[sizeof(self->shallow)], *text;
	size_t pos;

	if (!u->auto_budget)
		return;
	text_escape(names, sizeof(names), self->shallow);
	text = new_account_line(l, self->shallow[0] && !u->auto_stack ? ROLE_WARN : ROLE_TEXT);
	pos = text_append(text, LINE, 0, " Call paths     auto: ");
	if (u->auto_stack)
		pos = text_append(text, LINE, pos, "copies of %u bytes of stacks%s%s",
				  u->auto_stack, names[0] ? " for " : "", names);
	else if (names[0])
		pos = text_append(
			text, LINE, pos,
			"frame pointers alone, which end after one function or outside code in %s",
			names);
	else
		pos = text_append(text, LINE, pos, "frame pointers, with complete paths");
	pos = text_append(text, LINE, pos, ": samples take %s/s of %s/s",
			  units_bytes(rate, (double)u->auto_rate),
			  units_bytes(budget, (double)u->auto_budget));
	if (u->crowded)
		text_append(text, LINE, pos, "  no room for %llu copies",
			    (unsigned long long)u->crowded);
}

/* Add the share of frame pointers' paths whose first callers are proved. */
static void add_proofs(const struct slice_unwind *u, struct bufferaccounts *l)
{
	double all = (double)(u->proved + u->unproved);

	if (all > 0)
		text_append(
			new_account_line(l, ROLE_TEXT), LINE, 0,
			" First callers  proved %.1f%% (skipped by frame pointers: %.1f%%), not "
			"%.1f%%",
			100 * (double)u->proved / all, 100 * (double)u->inserted / all,
			100 * (double)u->unproved / all);
}

/* Add figures of unwinding; nothing if no stacks are copied. */
static void add_unwind(const struct app *a, struct bufferaccounts *l)
{
	const struct slice_unwind *u;
	char capacity[UNITS_LEN], n[UNITS_LEN], *text;
	struct head h;
	size_t pos;

	model_head(a->model, a->event, app_window(a), &h);
	u = &h.self.unwind;
	add_auto(&h.self, l);
	add_proofs(u, l);
	if (!u->stack_bytes)
		return;
	text = new_account_line(l, u->dropped ? ROLE_BAD : ROLE_TEXT);
	pos = text_append(text, LINE, 0, " Unwinding      %s samples",
			  units_count(n, (double)u->samples));
	for (int i = 0; i < SLICE_UNWIND_ENDS && u->samples; i++)
		pos = text_append(text, LINE, pos, "  %s %.1f%%", slice_unwind_end_names[i],
				  100 * (double)u->ends[i] / (double)u->samples);
	if (!u->capacity)
		return; /* a file */
	text_append(text, LINE, pos, "  backlog %.0f%% of %s (%.0f%% at most)  dropped %s",
		    100 * (double)u->bytes / (double)u->capacity,
		    units_bytes(capacity, (double)u->capacity),
		    100 * (double)u->bytes_max / (double)u->capacity,
		    units_count(n, (double)u->dropped));
}

/* Add the state of the recording; nothing if there is none. */
static void add_recording(const struct app *a, struct bufferaccounts *l)
{
	const struct slice_recording *r = model_recording(a->model);
	char file[300], bytes[UNITS_LEN], samples[UNITS_LEN], lost[UNITS_LEN];

	if (!r)
		return;
	text_escape(file, sizeof(file), r->file);
	snprintf(new_account_line(l, r->state == RECORDING_FAILED ? ROLE_BAD : ROLE_TEXT), LINE,
		 " Recording      %s: %s, %s, %s samples, %s lost", file,
		 recording_state_names[r->state], units_bytes(bytes, (double)r->bytes),
		 units_count(samples, (double)r->samples), units_count(lost, (double)r->lost));
	if (r->lost_sideband)
		snprintf(
			new_account_line(l, ROLE_BAD), LINE,
			"                %s records of maps, names and switches lost before "
			"the disk", units_count(lost, (double)r->lost_sideband));
	if (r->lost_aux)
		snprintf(new_account_line(l, ROLE_BAD), LINE,
			 "                %s of the trace read and lost",
			 units_bytes(bytes, (double)r->lost_aux));
}

/* Add the number of forks that may or may not be measured; nothing if there are none. */
static void add_unsure(const struct app *a, struct bufferaccounts *l)
{
	char n[UNITS_LEN];
	struct head h;

	model_head(a->model, a->event, WINDOW_ALL, &h);
	if (h.self.births_unsure)
		snprintf(new_account_line(l, ROLE_WARN), LINE,
			 " Forks unsure   %s: forked while their parents' events were opened, "
			 "maybe missed", units_count(n, (double)h.self.births_unsure));
}

/* Add refusals by the memory budget; nothing if there were none. */
static void add_refused(const struct app *a, struct bufferaccounts *l)
{
	char taken[UNITS_LEN], limit[UNITS_LEN], n[UNITS_LEN];
	struct head h;

	model_head(a->model, a->event, WINDOW_ALL, &h);
	if (h.self.budget_refusals)
		snprintf(new_account_line(l, ROLE_WARN), LINE,
			 " Memory refused %s times: symbols and lines use %s, --max-memory is %s",
			 units_count(n, (double)h.self.budget_refusals),
			 units_bytes(taken, (double)h.self.budget_bytes),
			 units_bytes(limit, (double)h.self.budget_limit));
}

/* Add the helper processes; nothing if none was needed. */
static void add_helpers(const struct app *a, struct bufferaccounts *l)
{
	const struct sandbox_figures *f = model_helpers(a->model);
	char text[FIGURES_TEXT];

	for (unsigned i = 0; i < SANDBOX_PROCESSES; i++, f++) {
		if (f->starts || f->ends)
			snprintf(new_account_line(l, ROLE_TEXT), LINE, " Helper for     %s",
				 figures_text(text, f));
		if (*figures_trouble(text, f))
			snprintf(new_account_line(l, ROLE_WARN), LINE, "                %s", text);
	}
}

/*
 * Add how much sideband for snapshots and names is no longer kept, and how many names were given
 * up; nothing if all is there.
 */
static void add_forgotten(const struct app *a, struct bufferaccounts *l)
{
	char maps[UNITS_LEN], switches[UNITS_LEN], names[UNITS_LEN];
	struct head h;

	model_head(a->model, a->event, WINDOW_ALL, &h);
	if (h.self.maps_forgotten || h.self.switches_forgotten)
		snprintf(new_account_line(l, ROLE_TEXT), LINE,
			 " For snapshots  dropped as too old: %s maps and names, %s switches",
			 units_count(maps, (double)h.self.maps_forgotten),
			 units_count(switches, (double)h.self.switches_forgotten));
	if (h.self.process_maps_forgotten)
		snprintf(new_account_line(l, ROLE_WARN), LINE,
			 " Maps forgotten %s: of processes with too many maps; their samples "
			 "are [unknown]", units_count(maps, (double)h.self.process_maps_forgotten));
	if (h.self.names_given_up)
		snprintf(
			new_account_line(l, ROLE_WARN), LINE,
			" Names given up  %s: unnamed addresses, as their files took too long to "
			"read",
			units_count(names, (double)h.self.names_given_up));
}

#define HOSTS_SHOWN 4

/* Add the hosts with the most losses; nothing if only this machine is measured. */
static void add_hosts(const struct app *a, struct bufferaccounts *l)
{
	unsigned order[HOSTS_SHOWN];
	size_t nr = hosttexts_worst(a, order, HOSTS_SHOWN);

	for (size_t i = 0; i < nr && i < HOSTS_SHOWN; i++) {
		char *text = new_account_line(l, ROLE_TEXT);

		text_append(text, LINE, 0,
			    i	     ? "               "
			    : nr > 1 ? " Worst hosts   "
				     : " Host          ");
		l->line[l->nr - 1].role =
			hosttexts_line(a, order[i], text + strlen(text), LINE - strlen(text));
	}
	if (nr > HOSTS_SHOWN)
		text_append(new_account_line(l, ROLE_DIM), LINE, 0,
			    "                and %zu more: 1, g, host", nr - HOSTS_SHOWN);
}

void bufferaccounts_advice(struct app *a, struct bufferaccounts *l)
{
	const char *advice = model_advice(a->model, a->event, app_window(a));
	size_t pos;
	char *text;

	if (!advice)
		return;
	text = new_account_line(l, ROLE_WARN);
	pos = text_append(text, LINE, 0, " Advice: ");
	text_escape(text + pos, LINE - pos, advice);
}

/* Return true if the event lost nothing that needs a line, and is not the selected one. */
static bool folds(const struct app *a, unsigned event)
{
	struct account acc;

	model_account(a->model, event, ALL_CPUS, WINDOW_ALL, &acc);
	return event != a->event && !acc.lost_all && !acc.others && !acc.starved && !acc.unknown &&
	       !acc.throttles && !model_next_rate(a->model, event, NULL);
}

/* Return the length of the prefix shared by names of one source, such as "off-cpu:"; 0: none. */
static size_t family_length(const char *name)
{
	const char *colon = strchr(name, ':');

	return colon ? (size_t)(colon - name) + 1 : 0;
}

/* Count the folded events with this one's prefix; 0: they were counted at an earlier one. */
static unsigned family_size(const struct app *a, const bool *folded, unsigned event)
{
	const struct session_info *info = model_info(a->model);
	const char *name = info->events[event].name;
	size_t len = family_length(name);
	unsigned n = 0;

	for (unsigned e = 0; len && e < info->nevents; e++)
		if (folded[e] && !strncmp(info->events[e].name, name, len)) {
			if (e < event)
				return 0;
			n++;
		}
	return len ? n : 1;
}

/* Add the folded events: " Nothing lost:  on-cpu, off-cpu:* (6)". */
static void add_folded(const struct app *a, struct bufferaccounts *l, const bool *folded)
{
	const struct session_info *info = model_info(a->model);
	char name[140], *text = new_account_line(l, ROLE_TEXT);
	size_t pos = text_append(text, LINE, 0, " Nothing lost:  "), first = pos;

	for (unsigned e = 0; e < info->nevents; e++) {
		unsigned n = folded[e] ? family_size(a, folded, e) : 0;

		if (!n)
			continue;
		text_escape(name, sizeof(name), info->events[e].name);
		pos = text_append(text, LINE, pos, "%s%.*s", pos > first ? ", " : "",
				  n > 1 ? (int)family_length(name) : (int)strlen(name), name);
		if (n > 1)
			pos = text_append(text, LINE, pos, "* (%u)", n);
	}
}

#define FOLDED_LEAST 3 /* folding fewer accounts would not save much room */

static void add_event_accounts(const struct app *a, struct bufferaccounts *l)
{
	unsigned nr = model_info(a->model)->nevents, whole = 0;
	bool *folded = calloc(nr + 1, sizeof(*folded));

	for (unsigned e = 0; folded && e < nr; e++)
		whole += folded[e] = folds(a, e);
	for (unsigned e = 0; e < nr && l->nr < BUFFERLINES_MAX / 2; e++) {
		if (whole >= FOLDED_LEAST && folded[e])
			continue;
		add_event_account(a, l, e);
		add_rates(a, l, e);
	}
	if (whole >= FOLDED_LEAST)
		add_folded(a, l, folded);
	free(folded);
}

void bufferaccounts_add(struct app *a, struct bufferaccounts *l)
{
	const struct session_info *info = model_info(a->model);
	const struct slice_log *logs[3];
	size_t nlogs;

	snprintf(new_account_line(l, ROLE_STRONG), LINE,
		 " Loss since start or 'z', by cause (samples; ~ is an estimate)");
	add_event_accounts(a, l);
	add_hosts(a, l);
	add_unwind(a, l);
	add_recording(a, l);
	add_forgotten(a, l);
	add_unsure(a, l);
	add_refused(a, l);
	add_helpers(a, l);
	if (info->note[0]) {
		char *text = new_account_line(l, ROLE_TEXT);

		text[0] = ' ';
		text_escape(text + 1, LINE - 1, info->note);
	}
	nlogs = model_logs(a->model, logs, 3);
	for (size_t i = 0; i < nlogs; i++) {
		char *text;

		if (!strcmp(logs[i]->text, info->note))
			continue; /* shown above */
		text = new_account_line(l, logs[i]->level == SLICE_WARNING ? ROLE_WARN : ROLE_DIM);

		text[0] = ' ';
		text_escape(text + 1, LINE - 1, logs[i]->text);
	}
}
