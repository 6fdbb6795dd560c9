/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/app/action.h"

#include <errno.h>
#include <string.h>

#include "base/text.h"
#include "ui/app/handler.h"
#include "ui/app/handler_files.h"
#include "ui/app/handler_measure.h"
#include "ui/app/handler_time.h"
#include "ui/term/input.h"

const char *const action_groups[ACTION_GROUPS] = {
	[ACTION_VIEWS] = "Views",     [ACTION_MOVE] = "Moving",         [ACTION_FIND] = "Rows",
	[ACTION_TIME] = "Time",       [ACTION_CONTROL] = "Control",
};

const struct action actions[] = {
	{"functions", {'1'}, ACTION_VIEWS, "Functions",
	 "where the time goes", NULL, handler_functions},
	{"tasks", {'2'}, ACTION_VIEWS, "Tasks",
	 "who spends it", NULL, handler_tasks},
	{"tree", {'3'}, ACTION_VIEWS, "Tree",
	 "who calls whom", NULL, handler_tree},
	{"flame", {'4'}, ACTION_VIEWS, "Flame",
	 "all call paths as boxes", NULL, handler_flame},
	{"code", {'5'}, ACTION_VIEWS, "Code",
	 "the selected function's instructions", NULL, handler_code},
	{"buffers", {'6'}, ACTION_VIEWS, "Buffers",
	 "every ring, every loss by cause", NULL, handler_buffers},
	{"aux", {'7'}, ACTION_VIEWS, "AUX",
	 "hardware trace and its snapshots", NULL, handler_aux},
	{"counters", {'8'}, ACTION_VIEWS, "Counters",
	 "what is only counted, and what counters say together", NULL, handler_counters},
	{"events", {'9'}, ACTION_VIEWS, "Events",
	 "tracepoints' records, as they come", NULL, handler_events},
	{"fields", {'0'}, ACTION_VIEWS, "Fields",
	 "sums by fields of tracepoints, and times between two", NULL, handler_fields},
	{"explain", {'x'}, ACTION_VIEWS, "Explain",
	 "what stands out in the window shown, in ten lines", NULL, handler_explain},
	{"heat", {'a'}, ACTION_VIEWS, "Heat",
	 "how busy each 100 ms was, and a window picked there", NULL, handler_heat},
	{"next-view", {INPUT_TAB}, ACTION_VIEWS, "Next",
	 "the next view", NULL, handler_next_view},
	{"previous-view", {INPUT_BACKTAB}, ACTION_VIEWS, "Previous",
	 "the view before", NULL, handler_previous_view},
	{"view", {'V'}, ACTION_VIEWS, "Saved view",
	 "go to a saved view; without a name, choose", "NAME", handler_view},
	{"save-view", {0}, ACTION_VIEWS, "Save view",
	 "what is shown as a saved view, in the file of settings", "NAME", handler_save_view},
	{"help", {INPUT_F(1), '?'}, ACTION_VIEWS, "Help",
	 "this page", NULL, handler_help},

	{"up", {INPUT_UP, 'k'}, ACTION_MOVE, "Up",
	 "a row up", NULL, handler_up},
	{"down", {INPUT_DOWN, 'j'}, ACTION_MOVE, "Down",
	 "a row down", NULL, handler_down},
	{"page-up", {INPUT_PAGE_UP, INPUT_CTRL('b')}, ACTION_MOVE, "Page up",
	 "a page up", NULL, handler_page_up},
	{"page-down", {INPUT_PAGE_DOWN, INPUT_CTRL('f')}, ACTION_MOVE, "Page down",
	 "a page down", NULL, handler_page_down},
	{"first", {INPUT_HOME}, ACTION_MOVE, "First",
	 "the first row", NULL, handler_first},
	{"last", {'G'}, ACTION_MOVE, "Last",
	 "the last row", NULL, handler_last},
	{"open", {INPUT_ENTER}, ACTION_MOVE, "Open",
	 "callers; tasks, flame: zoom; tree: fold; code: follow", NULL, handler_open},
	{"only", {'O'}, ACTION_MOVE, "Only",
	 "zoom to the row's process, thread, object, function or CPU", NULL, handler_only},
	{"details", {'i'}, ACTION_MOVE, "Details",
	 "all that is known of the row", NULL, handler_details},
	{"hot-path", {'H'}, ACTION_MOVE, "Hot path",
	 "down the hottest path; code: hottest", NULL, handler_hot_path},
	{"source", {'v'}, ACTION_MOVE, "Source",
	 "code: source lines between, alone, none; heat: select", NULL, handler_source},
	{"edit", {INPUT_CTRL('e')}, ACTION_MOVE, "Editor",
	 "the source line in $VISUAL or $EDITOR", NULL, handler_edit},
	{"back", {INPUT_ESC, INPUT_BACKSPACE}, ACTION_MOVE, "Back",
	 "close, climb, back to now, drop search, filter", NULL, handler_back},

	{"search", {'/', INPUT_F(3)}, ACTION_FIND, "Search",
	 "find rows by name", "TEXT", handler_search},
	{"next-match", {'n'}, ACTION_FIND, "Next",
	 "the next row found", NULL, handler_next_match},
	{"previous-match", {'N'}, ACTION_FIND, "Previous",
	 "the row found before", NULL, handler_previous_match},
	{"filter", {'f', INPUT_F(4)}, ACTION_FIND, "Filter",
	 "rows that match: [!][FIELD:]REGEX ...", "FILTER", handler_filter},
	{"group", {'g'}, ACTION_FIND, "Group",
	 "what makes a row; fields: which of them", "BY", handler_group},
	{"sort", {'s', INPUT_F(6)}, ACTION_FIND, "Sort",
	 "choose the column to sort by", "COLUMN", handler_sort},
	{"reverse", {'r'}, ACTION_FIND, "Reverse",
	 "turn the order round", NULL, handler_reverse},
	{"turn", {'b'}, ACTION_FIND, "Turn",
	 "tree: bottom-up; flame: upwards", NULL, handler_turn},
	{"by-task", {'t'}, ACTION_FIND, "By task",
	 "group by task, and back", NULL, handler_by_task},
	{"event", {'e'}, ACTION_FIND, "Event",
	 "choose the event shown", "EVENT", handler_event},
	{"beside", {'|'}, ACTION_FIND, "Beside",
	 "the other events' weights in columns beside", NULL, handler_beside},
	{"ratios", {'%'}, ACTION_FIND, "Ratios",
	 "the same per weight of the event shown, and back", NULL, handler_ratios},
	{"wall-clock", {'o'}, ACTION_FIND, "Wall clock",
	 "time on and off CPUs beside each other, and back", NULL, handler_wall},
	{"compare", {'d'}, ACTION_FIND, "Compare",
	 "the window shown with what comes, and end that", NULL, handler_compare},
	{"baseline", {'B'}, ACTION_FIND, "Baseline",
	 "compared: tree, flame by the baseline's widths, and back", NULL, handler_baseline},
	{"hide-kernel", {'K'}, ACTION_FIND, "Kernel",
	 "hide or show kernel rows", NULL, handler_hide_kernel},
	{"hide-user", {'U'}, ACTION_FIND, "User",
	 "hide or show user rows", NULL, handler_hide_user},
	{"show-idle", {'I'}, ACTION_FIND, "Idle",
	 "idle time as rows and as a part of 100 %, or apart", NULL, handler_show_idle},
	{"whole-names", {'W'}, ACTION_FIND, "Whole names",
	 "names of functions as they are, or folded where they are too long", NULL, handler_whole_names},
	{"show-self", {0}, ACTION_FIND, "Self",
	 "show or hide ringtop's own row", NULL, handler_show_self},

	{"freeze", {' '}, ACTION_TIME, "Freeze",
	 "hold the screen; collection goes on", NULL, handler_freeze},
	{"earlier", {INPUT_LEFT, 'h'}, ACTION_TIME, "Earlier",
	 "move the window back; tree: fold", NULL, handler_earlier},
	{"later", {INPUT_RIGHT, 'l'}, ACTION_TIME, "Later",
	 "move it forward; tree: unfold", NULL, handler_later},
	{"before", {'<'}, ACTION_TIME, "Before",
	 "the window back, in every view", NULL, handler_before},
	{"after", {'>'}, ACTION_TIME, "After",
	 "the window forward, in every view", NULL, handler_after},
	{"wider", {'+', '='}, ACTION_TIME, "Wider",
	 "a longer window", NULL, handler_wider},
	{"narrower", {'-'}, ACTION_TIME, "Narrower",
	 "a shorter window", NULL, handler_narrower},
	{"window", {0}, ACTION_TIME, "Window",
	 "its length in seconds, or 'all'", "SECONDS", handler_window},
	{"at", {0}, ACTION_TIME, "At",
	 "go to 14:03, 14:03:20, or -600 seconds before the end", "TIME", handler_at},
	{"mark", {'m'}, ACTION_TIME, "Mark",
	 "give this moment a name", "NAME", handler_mark},
	{"jump", {'\''}, ACTION_TIME, "Marks",
	 "go to a mark", "NAME", handler_jump},
	{"live", {INPUT_END}, ACTION_TIME, "Live",
	 "back to now; the last row if there", NULL, handler_live},

	{"zero", {'z'}, ACTION_CONTROL, "Zero",
	 "forget what was measured so far: twice", NULL, handler_zero},
	{"pause", {'p'}, ACTION_CONTROL, "Pause",
	 "stop and start the counters", NULL, handler_pause},
	{"snapshot", {'S'}, ACTION_CONTROL, "Snapshot",
	 "what AUX areas, else rings, hold, to a file", "WHY", handler_snapshot},
	{"dump", {'D'}, ACTION_CONTROL, "Dump",
	 "what the sample rings hold, to a file", "WHY", handler_dump},
	{"fetch", {'F'}, ACTION_CONTROL, "Fetch",
	 "bring a snapshot, else the recording, home", "[NUMBER] [DIR]", handler_fetch},
	{"add-event", {'E'}, ACTION_CONTROL, "Add",
	 "measure one event more; without a name, choose", "EVENTS", handler_add_event},
	{"replace-event", {'X'}, ACTION_CONTROL, "Replace",
	 "measure another instead of the event shown", "EVENTS", handler_replace_event},
	{"question", {0}, ACTION_CONTROL, "Question",
	 "what is asked often: its event, and its rows; without a name, choose", "NAME", handler_question},
	{"drop-event", {0}, ACTION_CONTROL, "Drop",
	 "measure the event shown no more", NULL, handler_drop_event},
	{"off-cpu", {0}, ACTION_CONTROL, "Off-CPU",
	 "measure where threads wait, and end that: o shows it", "on|off", handler_off_cpu},
	{"event-filter", {'\\'}, ACTION_CONTROL, "Event filter",
	 "of the event shown only what the kernel lets pass", "EXPR", handler_event_filter},
	{"by", {0}, ACTION_CONTROL, "By fields",
	 "sum the event shown up by other fields, or by 'none'", "FIELDS", handler_by},
	{"call-graph", {'C'}, ACTION_CONTROL, "Call paths",
	 "of the event shown: as they are found best, then by copies of stacks, then no more", "auto|fp|dwarf|no", handler_call_graph},
	{"between", {0}, ACTION_CONTROL, "Between",
	 "how long it takes from one tracepoint to another; or 'off'", "A,B[:KEY]", handler_between},
	{"frequency", {0}, ACTION_CONTROL, "Frequency",
	 "sample the event shown so often a second", "HZ", handler_frequency},
	{"period", {0}, ACTION_CONTROL, "Period",
	 "or every so many counts", "COUNT", handler_period},
	{"ring-size", {0}, ACTION_CONTROL, "Ring size",
	 "of ftrace's buffers, each CPU's: 512K, 16M", "SIZE", handler_ring_size},
	{"delay", {0}, ACTION_CONTROL, "Delay",
	 "seconds between refreshes", "SECONDS", handler_delay},
	{"write", {'w'}, ACTION_CONTROL, "Write",
	 "what is shown to a file", "FORMAT:FILE", handler_write},
	{"record", {'R'}, ACTION_CONTROL, "Record",
	 "start or end a recording: perf.data", "FILE", handler_record},
	{"save", {'T'}, ACTION_CONTROL, "Save",
	 "the time line to a file: what is kept of it, and from now on", "FILE", handler_save},
	{"mouse", {'M'}, ACTION_CONTROL, "Mouse",
	 "the mouse to the terminal, to select text, and back", NULL, handler_mouse},
	{"copy", {'y'}, ACTION_CONTROL, "Copy",
	 "the rows shown to the terminal's clipboard (OSC 52)", NULL, handler_copy},
	{"command", {':'}, ACTION_CONTROL, "Command",
	 "any action by name; Tab completes", NULL, handler_command},
	{"redraw", {INPUT_CTRL('l')}, ACTION_CONTROL, "Redraw",
	 "send the whole screen again", NULL, handler_redraw},
	{"quit", {'q', INPUT_F(10)}, ACTION_CONTROL, "Quit",
	 "leave; a COMMAND that still runs is ended: twice", NULL, handler_quit},
};

const size_t actions_nr = sizeof(actions) / sizeof(actions[0]);

enum action_adds action_adds(const struct action *action)
{
	static const struct {
		void (*run)(struct app *a, const char *arg);
		enum action_adds adds;
	} adding[] = {
		{handler_up, ADDS_ROWS},	      {handler_down, ADDS_ROWS},
		{handler_page_up, ADDS_ROWS},	      {handler_page_down, ADDS_ROWS},
		{handler_next_match, ADDS_FORWARD}, {handler_previous_match, ADDS_BACKWARD},
	};

	for (size_t i = 0; i < sizeof(adding) / sizeof(adding[0]); i++)
		if (action->run == adding[i].run)
			return adding[i].adds;
	return ADDS_NOTHING;
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
	action->run(a, line + strspn(line, " "));
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
