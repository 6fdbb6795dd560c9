/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/app/action.h"

#include <errno.h>
#include <string.h>

#include "base/text.h"
#include "ui/app/app.h"
#include "ui/app/callpaths.h"
#include "ui/app/handler.h"
#include "ui/app/handler_files.h"
#include "ui/app/handler_measure.h"
#include "ui/app/handler_time.h"
#include "ui/app/prompt.h"
#include "ui/app/seeking.h"
#include "ui/app/zoom.h"
#include "ui/term/input.h"

const char *const action_groups[ACTION_GROUPS] = {
	[ACTION_VIEWS] = "Views",     [ACTION_MOVE] = "Moving",         [ACTION_FIND] = "Rows",
	[ACTION_TIME] = "Time",       [ACTION_CONTROL] = "Control",
};

/* Columns of a row that shows a view, moves something, or switches a flag of the app. */
#define SHOW(id)       .shows = true, .view = VIEW_##id
#define MOVE(what, nr) .moves = MOVES_##what, .by = nr
#define FLAG(member)   .flag = offsetof(struct app, member)

const struct action actions[] = {
#define VIEW_ACTION(id, name, key, title, help) {#name, {key}, ACTION_VIEWS, title, help, SHOW(id)},
	VIEWS_WITH_KEY(VIEW_ACTION)
	{"next-view", {INPUT_TAB}, ACTION_VIEWS, "Next",
	 "next view", MOVE(TAB, 1)},
	{"previous-view", {INPUT_BACKTAB}, ACTION_VIEWS, "Previous",
	 "previous view", MOVE(TAB, -1)},
	{"view", {'V'}, ACTION_VIEWS, "Saved view",
	 "go to a saved view; without a name, choose", "NAME", .take = handler_view},
	{"save-view", {0}, ACTION_VIEWS, "Save view",
	 "save the current view in the file of settings", "NAME",
	 .take = handler_save_view, .asks = "save-view "},
	{"help", {INPUT_F(1), '?'}, ACTION_VIEWS, "Help",
	 "this page", SHOW(HELP)},

	{"up", {INPUT_UP, 'k'}, ACTION_MOVE, "Up",
	 "a row up", MOVE(ROWS, -1), .step = STEP_UP},
	{"down", {INPUT_DOWN, 'j'}, ACTION_MOVE, "Down",
	 "a row down", MOVE(ROWS, 1), .step = STEP_DOWN},
	{"page-up", {INPUT_PAGE_UP, INPUT_CTRL('b')}, ACTION_MOVE, "Page up",
	 "a page up", MOVE(PAGES, -1)},
	{"page-down", {INPUT_PAGE_DOWN, INPUT_CTRL('f')}, ACTION_MOVE, "Page down",
	 "a page down", MOVE(PAGES, 1)},
	{"first", {INPUT_HOME}, ACTION_MOVE, "First",
	 "the first row", .list = list_first, .step = STEP_FIRST},
	{"last", {'G'}, ACTION_MOVE, "Last",
	 "the last row", .list = list_last},
	{"open", {INPUT_ENTER}, ACTION_MOVE, "Open",
	 "callers; tasks, flame: zoom; tree: fold; code: follow",
	 .run = handler_details, .step = STEP_OPEN},
	{"only", {'O'}, ACTION_MOVE, "Only",
	 "zoom to the row's process, thread, object, function or CPU", .run = zoom_in},
	{"details", {'i'}, ACTION_MOVE, "Details",
	 "all details of the row", .run = handler_details},
	{"hot-path", {'H'}, ACTION_MOVE, "Hot path",
	 "down the hottest path; code: hottest",
	 .step = STEP_HOT, .said = {"hot paths are in views 3, 4 and 5"}},
	{"source", {'v'}, ACTION_MOVE, "Source",
	 "code: source lines between, alone, none; heat: select",
	 .step = STEP_SOURCE, .said = {"source lines are in view 5"}},
	{"edit", {INPUT_CTRL('e')}, ACTION_MOVE, "Editor",
	 "open the source in $VISUAL or $EDITOR", .run = handler_edit},
	{"back", {INPUT_ESC, INPUT_BACKSPACE}, ACTION_MOVE, "Back",
	 "close, climb, back to now, drop search, filter", .run = handler_back},

	{"search", {'/', INPUT_F(3)}, ACTION_FIND, "Search",
	 "search by name", "TEXT", .take = handler_search},
	{"next-match", {'n'}, ACTION_FIND, "Next",
	 "the next match", MOVE(MATCH, 1)},
	{"previous-match", {'N'}, ACTION_FIND, "Previous",
	 "the previous match", MOVE(MATCH, -1)},
	{"filter", {'f', INPUT_F(4)}, ACTION_FIND, "Filter",
	 "rows that match: [!][FIELD:]REGEX ...", "FILTER", .take = handler_filter},
	{"group", {'g'}, ACTION_FIND, "Group",
	 "choose the grouping; Fields: the fields", "BY", .take = handler_group},
	{"sort", {'s', INPUT_F(6)}, ACTION_FIND, "Sort",
	 "choose the column to sort by", "COLUMN", .take = handler_sort},
	{"reverse", {'r'}, ACTION_FIND, "Reverse",
	 "reverse the order", .run = handler_reverse},
	{"turn", {'b'}, ACTION_FIND, "Turn",
	 "tree: bottom-up; flame: upwards",
	 .step = STEP_TURN, .said = {"only views 3 and 4 can turn"}},
	{"by-task", {'t'}, ACTION_FIND, "By task",
	 "group by task, and back", .run = handler_by_task},
	{"event", {'e'}, ACTION_FIND, "Event",
	 "choose the event shown", "EVENT", .take = handler_event},
	{"beside", {'|'}, ACTION_FIND, "Beside",
	 "show the weights of other events in columns", .run = handler_beside},
	{"ratios", {'%'}, ACTION_FIND, "Ratios",
	 "weights per count of the event shown, and back", .run = handler_ratios},
	{"wall-clock", {'o'}, ACTION_FIND, "Wall clock",
	 "time on and off CPUs side by side, and back", .run = handler_wall},
	{"compare", {'d'}, ACTION_FIND, "Compare",
	 "compare later time with this window, or stop", .run = handler_compare},
	{"baseline", {'B'}, ACTION_FIND, "Baseline",
	 "comparing: tree, flame with baseline widths, and back", .run = handler_baseline},
	{"hide-kernel", {'K'}, ACTION_FIND, "Kernel",
	 "hide or show kernel rows", FLAG(hide_kernel), .ends = offsetof(struct app, hide_user)},
	{"hide-user", {'U'}, ACTION_FIND, "User",
	 "hide or show user rows", FLAG(hide_user), .ends = offsetof(struct app, hide_kernel)},
	{"show-idle", {'I'}, ACTION_FIND, "Idle",
	 "count idle time in rows and in 100 %, and back", FLAG(show_idle),
	 .said = {"idle time is not counted in the 100 %",
		  "idle time is shown as rows, and counted in 100 %"}},
	{"whole-names", {'W'}, ACTION_FIND, "Whole names",
	 "show function names in full, or fold the names that are too long", FLAG(whole_names),
	 .said = {"function names are folded if they are too long",
		  "function names are in full"}},
	{"show-self", {0}, ACTION_FIND, "Self",
	 "show or hide ringtop's own row", FLAG(show_self),
	 .said = {"ringtop's own samples are hidden", "ringtop's own samples are shown"}},

	{"freeze", {' '}, ACTION_TIME, "Freeze",
	 "hold the screen; collection goes on", .run = handler_freeze},
	{"earlier", {INPUT_LEFT, 'h'}, ACTION_TIME, "Earlier",
	 "move the window back; tree: fold", MOVE(WINDOW, -1), .step = STEP_LEFT},
	{"later", {INPUT_RIGHT, 'l'}, ACTION_TIME, "Later",
	 "move it forward; tree: unfold", MOVE(WINDOW, 1), .step = STEP_RIGHT},
	{"before", {'<'}, ACTION_TIME, "Before",
	 "every view: move window back", MOVE(WINDOW, -1)},
	{"after", {'>'}, ACTION_TIME, "After",
	 "every view: move window forward", MOVE(WINDOW, 1)},
	{"wider", {'+', '='}, ACTION_TIME, "Wider",
	 "a longer window", .run = handler_wider},
	{"narrower", {'-'}, ACTION_TIME, "Narrower",
	 "a shorter window", .run = handler_narrower},
	{"window", {0}, ACTION_TIME, "Window",
	 "set the window in s, or 'all'", "SECONDS", .take = handler_window, .asks = "window "},
	{"at", {0}, ACTION_TIME, "At",
	 "go to 14:03, 14:03:20, or -600 seconds before the end", "TIME",
	 .take = seeking_go, .asks = "at "},
	{"mark", {'m'}, ACTION_TIME, "Mark",
	 "set a mark at this time", "NAME", .take = handler_mark},
	{"jump", {'\''}, ACTION_TIME, "Marks",
	 "go to a mark", "NAME", .take = handler_jump},
	{"live", {INPUT_END}, ACTION_TIME, "Live",
	 "go to now; then to the last row", .run = handler_live},

	{"zero", {'z'}, ACTION_CONTROL, "Zero",
	 "discard all measurements: press twice", .run = handler_zero},
	{"pause", {'p'}, ACTION_CONTROL, "Pause",
	 "stop and start the counters", .run = handler_pause},
	{"snapshot", {'S'}, ACTION_CONTROL, "Snapshot",
	 "save the AUX areas, else rings, to a file", "WHY", .take = handler_snapshot},
	{"dump", {'D'}, ACTION_CONTROL, "Dump",
	 "save the sample rings to a file", "WHY", .take = handler_dump},
	{"fetch", {'F'}, ACTION_CONTROL, "Fetch",
	 "copy a snapshot, else the recording, here", "[NUMBER] [DIR]", .take = handler_fetch},
	{"add-event", {'E'}, ACTION_CONTROL, "Add",
	 "add an event; without a name, choose from list", "EVENTS", .take = handler_add_event},
	{"replace-event", {'X'}, ACTION_CONTROL, "Replace",
	 "replace the event shown by another", "EVENTS", .take = handler_replace_event},
	{"question", {0}, ACTION_CONTROL, "Question",
	 "common question: its event and its rows; without a name, choose", "NAME",
	 .take = handler_question},
	{"drop-event", {0}, ACTION_CONTROL, "Drop",
	 "stop measuring the event shown", .run = handler_drop_event},
	{"off-cpu", {0}, ACTION_CONTROL, "Off-CPU",
	 "start or stop measuring where threads wait (o)", "on|off", .take = handler_off_cpu},
	{"event-filter", {'\\'}, ACTION_CONTROL, "Event filter",
	 "set the kernel's filter for the event shown", "EXPR", .take = handler_event_filter},
	{"by", {0}, ACTION_CONTROL, "By fields",
	 "sum the event shown by other fields, or by 'none'", "FIELDS", .take = handler_by},
	{"call-graph", {'C'}, ACTION_CONTROL, "Call paths",
	 "call paths of the event shown: best method, then copies of stacks, then none",
	 "auto|fp|dwarf|no", .take = callpaths_switch},
	{"between", {0}, ACTION_CONTROL, "Between",
	 "measure the time between two tracepoints; or 'off'", "A,B[:KEY]",
	 .take = handler_between},
	{"frequency", {0}, ACTION_CONTROL, "Frequency",
	 "set its number of samples per second", "HZ", .take = handler_frequency},
	{"period", {0}, ACTION_CONTROL, "Period",
	 "set counts per sample", "COUNT", .take = handler_period},
	{"ring-size", {0}, ACTION_CONTROL, "Ring size",
	 "set ftrace's buffer size per CPU: 512K", "SIZE", .take = handler_ring_size},
	{"delay", {0}, ACTION_CONTROL, "Delay",
	 "seconds between refreshes", "SECONDS", .take = handler_delay, .asks = "delay "},
	{"write", {'w'}, ACTION_CONTROL, "Write",
	 "write view to a file", "FORMAT:FILE", .take = handler_write},
	{"record", {'R'}, ACTION_CONTROL, "Record",
	 "start or end a recording: perf.data", "FILE", .take = handler_record},
	{"save", {'T'}, ACTION_CONTROL, "Save",
	 "save the time line to a file: its history, and from now on", "FILE",
	 .take = handler_save},
	{"mouse", {'M'}, ACTION_CONTROL, "Mouse",
	 "leave the mouse to the terminal, to select text", .run = handler_mouse},
	{"copy", {'y'}, ACTION_CONTROL, "Copy",
	 "copy the rows to the terminal's clipboard (OSC 52)", .run = handler_copy},
	{"command", {':'}, ACTION_CONTROL, "Command",
	 "run an action; Tab completes", .asks = ""},
	{"redraw", {INPUT_CTRL('l')}, ACTION_CONTROL, "Redraw",
	 "send the whole screen again", .run = handler_redraw},
	{"quit", {'q', INPUT_F(10)}, ACTION_CONTROL, "Quit",
	 "quit; press twice to end a running COMMAND", .run = handler_quit},
};

const size_t actions_nr = sizeof(actions) / sizeof(actions[0]);

bool action_adds(const struct action *action, const struct list *noted)
{
	return (noted->move && (action->moves == MOVES_ROWS || action->moves == MOVES_PAGES)) ||
	       (!noted->move && action->moves == MOVES_MATCH &&
		(action->by > 0) == (noted->seek > 0));
}

static void run_move(struct app *a, enum action_moves moves, int by)
{
	struct list *list = &a->table[a->view].list;
	int v = (int)(view_digit(a->view) ? a->view : a->back);

	switch (moves) {
	case MOVES_ROWS:
		list_move(list, by);
		break;
	case MOVES_PAGES:
		list_page(list, by);
		break;
	case MOVES_MATCH:
		handler_seek_match(a, by, false);
		break;
	case MOVES_TAB:
		do
			v = (v + by + VIEW_NR) % VIEW_NR;
		while (!view_has_tab(a, (enum view_id)v));
		app_show(a, (enum view_id)v);
		break;
	case MOVES_WINDOW:
		handler_move_window(a, by);
		break;
	case MOVES_NOTHING:
		break;
	}
}

/* Switch the row's flag of the app, and end the one that it excludes.  Return the message. */
static const char *switch_flag(struct app *a, const struct action *action)
{
	bool *flag = (bool *)((char *)a + action->flag);

	*flag = !*flag;
	if (*flag && action->ends)
		*(bool *)((char *)a + action->ends) = false;
	return action->said[*flag];
}

void action_run(struct app *a, const struct action *action, const char *arg)
{
	const char *said = action->said[0];

	if (action->step && app_step(a, action->step))
		return;
	if (action->shows)
		app_choose(a, action->view);
	else if (action->asks && (!*arg || !action->take))
		prompt_open(&a->prompt, PROMPT_COMMAND, action->asks);
	else if (action->take)
		action->take(a, arg);
	else if (action->run)
		action->run(a);
	else if (action->list)
		action->list(&a->table[a->view].list);
	else if (action->flag)
		said = switch_flag(a, action);
	run_move(a, action->moves, action->by);
	if (said)
		app_say(a, ROLE_TEXT, "%s", said);
}

const struct action *action_by_key(uint32_t key)
{
	for (size_t i = 0; i < actions_nr; i++)
		for (int k = 0; k < ACTION_KEYS && actions[i].keys[k]; k++)
			if (actions[i].keys[k] == key)
				return &actions[i];
	return NULL;
}

const struct action *action_by_name(const char *name)
{
	for (size_t i = 0; i < actions_nr; i++)
		if (!strcmp(actions[i].name, name))
			return &actions[i];
	return NULL;
}

/* Find an action by the beginning of its name; *matches: how many begin so, 1 for an exact name. */
static const struct action *find_action_by_prefix(const char *name, size_t len, unsigned *matches)
{
	const struct action *found = NULL;

	*matches = 0;
	for (size_t i = 0; i < actions_nr; i++) {
		if (strncmp(actions[i].name, name, len) != 0)
			continue;
		if (!actions[i].name[len]) {
			*matches = 1;
			return &actions[i];
		}
		found = found ? found : &actions[i];
		++*matches;
	}
	return found;
}

int action_command(struct app *a, const char *line, struct err *err)
{
	const struct action *action;
	unsigned matches;
	char hints[200], unused[64], name[64];
	size_t len;

	line += strspn(line, " ");
	len = strcspn(line, " ");
	if (!len)
		return 0;
	text_append(name, sizeof(name), 0, "%.*s", (int)len, line);
	action = find_action_by_prefix(line, len, &matches);
	if (!matches)
		return err_set(err, EINVAL, "there is no action '%s'; Tab lists them", name);
	if (matches > 1) {
		action_complete(name, unused, sizeof(unused), hints, sizeof(hints));
		return err_set(err, EINVAL, "'%s' may be %s", name, hints);
	}
	line += len;
	action_run(a, action, line + strspn(line, " "));
	return 0;
}

void action_complete(const char *line, char *completed, size_t size, char *hints, size_t hints_size)
{
	size_t len, common = 0, pos = 0;
	const char *first = NULL;
	unsigned matches = 0;

	line += strspn(line, " ");
	len = strcspn(line, " ");
	hints[0] = '\0';
	text_append(completed, size, 0, "%s", line);
	if (line[len])
		return;
	for (size_t i = 0; i < actions_nr; i++) {
		const char *name = actions[i].name;

		if (strncmp(name, line, len) != 0)
			continue;
		pos = text_append(hints, hints_size, pos, "%s%s", matches++ ? ", " : "", name);
		if (!first) {
			first = name;
			common = strlen(name);
		}
		while (strncmp(first, name, common) != 0)
			common--;
	}
	if (first)
		text_append(completed, size, 0, "%.*s%s", (int)common, first,
			    matches == 1 ? " " : "");
}
