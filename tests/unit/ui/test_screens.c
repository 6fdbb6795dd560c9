/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Golden screens: drawn off the screen from a made-up session, compared with tests/golden/screens/.
 * UPDATE_GOLDEN=1 writes them anew; read the difference before keeping it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/units.h"
#include "model/judge/alerts.h"
#include "model/judge/condition_actions.h"
#include "model/core/model.h"
#include "tests/synth.h"
#include "ui/app/action.h"
#include "ui/app/app.h"
#include "ui/app/app_input.h"
#include "ui/app/lateness.h"
#include "ui/app/marking.h"
#include "ui/app/zoom.h"
#include "ui/code/editor.h"
#include "ui/code/view_code.h"
#include "ui/parts/eventcolumns.h"
#include "ui/parts/timeline.h"
#include "ui/term/input.h"
#include "ui/views/glossary.h"
#include "ui/parts/widget.h"
#include "ui/views/view_changes.h"
#include "ui/views/view_flame.h"
#include "ui/views/view_heat.h"

#define TICKS 47

static const struct synth_config calm = {.functions = 30, .callchains = true};
static const struct synth_config owned = {.functions = 30, .callchains = true, .owned = true};
static const struct synth_config one = {.functions = 30, .one = true};
static const struct synth_config one_many = {.cpus = 64, .one = true};
static const struct synth_config two_nodes = {.cpus = 64, .one = true, .nodes = 2};
static const struct synth_config eight_nodes = {.cpus = 256, .one = true, .nodes = 8};
static const struct synth_config hosts_nodes = {.cpus = 32, .one = true, .hosts = 2, .nodes = 2};
static const struct synth_config hosts_one_node = {.cpus = 8, .one = true, .hosts = 3, .nodes = 1};
static const struct synth_config hosts_no_nodes = {.cpus = 16, .hosts = 3};
static const struct synth_config many_hosts_nodes = {.cpus = 8, .one = true, .hosts = 20, .nodes = 2};
static const struct synth_config nodes_clock = {.cpus = 64, .nodes = 4};
static const struct synth_config owned_hosts = {.functions = 30, .owned = true, .hosts = 2};
static const struct synth_config reading = {.functions = 30, .callchains = true, .file = true};
static const struct synth_config lossy = {.functions = 30, .losses = true, .second_event = 1};
static const struct synth_config turns = {.functions = 30, .event = "cycles:u", .second_event = 7, .shared = 48};
static const struct synth_config barred = {.functions = 30, .event = "cycles:u", .second_event = 7, .barred = true};
static const struct synth_config later_event = {.functions = 30, .second_event = 1, .second_from = 1000};
static const struct synth_config unnamed_code = {.functions = 30, .callchains = true, .jit = true};
static const struct synth_config astray = {.callchains = true, .astray = true};
static const struct synth_config own_paths = {.callchains = true, .event = "cpu-clock/call-graph=dwarf/"};
static const struct synth_config auto_paths = {.functions = 30, .callchains = true, .unwind = true, .auto_paths = true};
static const struct synth_config unwinding = {.functions = 30, .callchains = true, .unwind = true};
static const struct synth_config costly = {.functions = 30, .costly = true};
static const struct synth_config greedy = {.functions = 30, .greedy = true};
static const struct synth_config deep = {.functions = 30, .callchains = true, .deep = true};
static const struct synth_config hostile_deep = {.hostile = true, .callchains = true, .deep = true};
static const struct synth_config hostile = {.hostile = true};
static const struct synth_config many_cpus = {.cpus = 64, .losses = true};
static const struct synth_config code = {.functions = 30, .callchains = true, .code = true};
static const struct synth_config hostile_code = {.hostile = true, .callchains = true, .code = true};
static const struct synth_config aux_snapshot = {.aux = SYNTH_AUX_SNAPSHOT};
static const struct synth_config aux_measured = {.aux = SYNTH_AUX_MEASURED};
static const struct synth_config aux_full = {.aux = SYNTH_AUX_FULL};
static const struct synth_config aux_hostile = {.aux = SYNTH_AUX_SNAPSHOT, .hostile = true};
static const struct synth_config aux_pt = {.aux = SYNTH_AUX_PT};
static const struct synth_config aux_pt_hostile = {.aux = SYNTH_AUX_PT, .hostile = true};
static const struct synth_config aux_dumps = {.aux = SYNTH_AUX_DUMPS};
static const struct synth_config aux_many = {.aux = SYNTH_AUX_SNAPSHOT, .cpus = 64};
static const struct synth_config three_hosts = {.hosts = 3, .functions = 30, .callchains = true, .losses = true};
static const struct synth_config one_host = {.hosts = 1, .functions = 30};
static const struct synth_config host_cut = {.hosts = 1, .functions = 30, .cut_from = 25, .cut_to = 1000};
static const struct synth_config hosts_cut = {.hosts = 3, .losses = true, .cut_from = 25, .cut_to = 1000,
					      .aux = SYNTH_AUX_FULL, .callchains = true};
static const struct synth_config hosts_hostile = {.hosts = 2, .hostile = true, .cut_from = 25, .cut_to = 1000};
static const struct synth_config many_hosts = {.hosts = 20, .cpus = 4, .losses = true, .cut_from = 25,
					       .cut_to = 35};
static const struct synth_config aux_unread = {.aux = SYNTH_AUX_FULL, .unread = true};
static const struct synth_config counted = {.counters = true};
static const struct synth_config counted_hostile = {.counters = true, .hostile = true};
static const struct synth_config waiting = {.functions = 30, .callchains = true, .off_cpu = true};
static const struct synth_config waiting_lossy = {.functions = 30, .callchains = true, .off_cpu = true, .losses = true};
static const struct synth_config logged = {.logged = true, .second_event = 1, .losses = true};
static const struct synth_config logged_hostile = {.logged = true, .hostile = true};
static const struct synth_config logged_hosts = {.logged = true, .hosts = 3};
static const struct synth_config counted_hosts = {.counters = true, .hosts = 3};
static const struct synth_config shifted = {.functions = 30, .callchains = true, .shift = TICKS};
static const struct synth_config shifted_code = {.functions = 30, .callchains = true, .code = true, .shift = TICKS};
static const struct synth_config lined = {.functions = 2, .callchains = true, .code = true, .lines = true, .load_ticks = 1000};
static const struct synth_config unlined = {.hosts = 1, .functions = 2, .code = true, .lines = true, .by_function = true};
static const struct synth_config unlined_saved = {.file = true, .functions = 2, .code = true, .lines = true, .by_function = true};
static const struct synth_config lined_far = {.hosts = 1, .functions = 2, .code = true, .lines = true, .by_line = true};
static const struct synth_config lined_hostile = {.callchains = true, .lines = true, .hostile = true};
static const struct synth_config shifted_lossy = {.functions = 30, .losses = true, .second_event = 1, .shift = TICKS};
static const struct synth_config shifted_hostile = {.hostile = true, .shift = TICKS};
static const struct synth_config hosts_shifted = {.functions = 30, .callchains = true, .hosts = 2, .host_shift = true};
static const struct synth_config hostlinks_absent = {.functions = 30, .hosts = 2, .host_shift = true, .cut_from = 0, .cut_to = TICKS};
static const struct synth_config idle = {.callchains = true, .idle = 20};
static const struct synth_config ftraced = {.cpus = 1, .ftrace = true};
static const struct synth_config fielded = {.fields = true};
static const struct synth_config fielded_in_kernel = {.fields = true, .in_kernel = true};
static const struct synth_config fielded_stacks = {.fields = true, .stacks = true, .callchains = true, .deep = true};
static const struct synth_config fielded_stacks_hostile = {.fields = true, .stacks = true, .callchains = true, .hostile = true, .functions = 4};
static const struct synth_config fielded_hostile = {.fields = true, .hostile = true};
static const struct synth_config idle_cpus = {.cpus = 256, .idle = 25};
static const struct synth_config quiet = {.quiet = true};
static const struct synth_config several = {.callchains = true, .several = true};
static const struct synth_config doubt = {.callchains = true, .doubt = true};
static const struct synth_config loading = {.load_ticks = 1000};

enum look { TEXT, ROLES, MONO };

static const struct screen {
	const char *name;
	const struct synth_config *config;
	int rows, cols;
	bool ascii;
	const char *keys; /* "<Enter>" and the like for named ones */
	enum look look;
} screens[] = {
	{"functions-80x24", &calm, 24, 80, false, "1", TEXT},
	{"functions-80x24-ascii", &calm, 24, 80, true, "1", TEXT},
	{"functions-200x50", &calm, 50, 200, false, "1", TEXT},
	{"functions-200x50-ascii", &calm, 50, 200, true, "1", TEXT},
	{"functions-40x10", &calm, 10, 40, false, "1", TEXT},
	{"functions-40x10-ascii", &calm, 10, 40, true, "1", TEXT},
	{"functions-20x3", &calm, 3, 20, false, "1", TEXT},
	{"functions-80x24-roles", &calm, 24, 80, false, "1", ROLES},
	{"functions-few", &calm, 24, 80, false, "1:window 0.1\n", TEXT},
	{"functions-few-roles", &calm, 24, 80, false, "1:window 0.1\n", ROLES},
	{"functions-few-details", &calm, 24, 140, true, "1:window 0.1\nGi", TEXT},
	{"functions-80x24-mono", &calm, 24, 80, false, "1", MONO},
	{"hosts-functions", &three_hosts, 24, 80, false, "1", TEXT},
	{"hosts-functions-ascii", &three_hosts, 24, 80, true, "1", TEXT},
	{"hosts-functions-200x50", &many_hosts, 50, 200, false, "1", TEXT},
	{"hosts-opened", &three_hosts, 24, 80, false, "1<Down><Enter>", TEXT},
	{"hosts-groups", &three_hosts, 24, 80, false, "1g", TEXT},
	{"hosts-tasks", &three_hosts, 24, 80, false, "2", TEXT},
	{"hosts-cpus", &three_hosts, 24, 80, false, "1:group cpu\n", TEXT},
	{"hosts-details", &three_hosts, 24, 80, false, "1i", TEXT},
	{"host-functions", &one_host, 24, 80, false, "1", TEXT},
	{"host-functions-200x50", &one_host, 50, 200, false, "1", TEXT},
	{"host-cut", &host_cut, 24, 80, false, "1", TEXT},
	{"host-cut-roles", &host_cut, 24, 80, false, "1", ROLES},
	{"host-cut-40x10", &host_cut, 10, 40, false, "1", TEXT},
	{"host-cut-40x3", &host_cut, 3, 40, false, "1", TEXT},
	{"host-cut-200x50-ascii", &host_cut, 50, 200, true, "1", TEXT},
	{"hosts-cut", &hosts_cut, 24, 80, false, "1", TEXT},
	{"hosts-cut-200x50", &hosts_cut, 50, 200, false, "1", TEXT},
	{"hosts-cut-mono", &hosts_cut, 24, 80, true, "1", MONO},
	{"hosts-hostile", &hosts_hostile, 50, 200, false, "6", TEXT},
	{"hosts-buffers", &hosts_cut, 24, 80, false, "6", TEXT},
	{"hosts-buffers-200x50", &many_hosts, 50, 200, false, "6", TEXT},
	{"hosts-buffers-ring", &hosts_cut, 24, 80, false, "6<Down>i", TEXT},
	{"hosts-aux", &hosts_cut, 50, 200, false, "7", TEXT},
	{"hosts-tree", &hosts_cut, 24, 80, false, "3:group host\n", TEXT},
	{"hosts-flame", &hosts_cut, 24, 80, false, "4t", TEXT},
	{"functions-lossy", &lossy, 24, 80, false, "1", TEXT},
	{"functions-lossy-100", &lossy, 24, 100, false, "1", TEXT},
	{"functions-calm-100", &calm, 24, 100, false, "1", TEXT},
	{"functions-elsewhere", &later_event, 24, 80, false, "1e<Down><Enter>", TEXT},
	{"functions-unnamed-details", &unnamed_code, 24, 80, false, "1/JIT\ni", TEXT},
	{"tree-astray", &astray, 24, 120, false, "3", TEXT},
	{"functions-own-paths", &own_paths, 24, 120, false, "1", TEXT},
	{"tree-unnamed-details", &unnamed_code, 24, 80, false, "3b/JIT\ni", TEXT},
	{"functions-turns", &turns, 24, 100, false, "1", TEXT},
	{"functions-turns-roles", &turns, 24, 100, false, "1", ROLES},
	{"functions-turns-details", &turns, 24, 80, false, "1<Enter>", TEXT},
	{"functions-barred", &barred, 24, 100, false, "1e<Down><Enter>", TEXT},
	{"functions-lossy-roles", &lossy, 24, 80, false, "1", ROLES},
	{"functions-lossy-mono", &lossy, 24, 80, false, "1", MONO},
	{"functions-hostile", &hostile, 24, 80, false, "1", TEXT},
	{"functions-loading", &loading, 24, 80, false, "1", TEXT},
	{"functions-several", &several, 24, 80, false, "1/parse_expr\ni", TEXT},
	{"functions-doubt", &doubt, 24, 80, false, "1/main\ni", TEXT},
	{"functions-quiet", &quiet, 24, 80, false, "1", TEXT},
	{"functions-idle", &idle, 24, 80, false, "1", TEXT},
	{"functions-idle-shown", &idle, 24, 120, false, "1I", TEXT},
	{"functions-idle-details", &idle, 24, 80, false, "1i", TEXT},
	{"functions-idle-roles", &idle, 24, 80, false, "1", ROLES},
	{"buffers-ftrace", &ftraced, 30, 100, false, "6<Down><Down>i", TEXT},
	{"fields-80x24", &fielded, 24, 80, false, "0", TEXT},
	{"fields-80x24-ascii", &fielded, 24, 80, true, "0", TEXT},
	{"fields-80x24-roles", &fielded, 24, 80, false, "0", ROLES},
	{"fields-80x24-mono", &fielded, 24, 80, false, "0", MONO},
	{"fields-200x50", &fielded, 50, 200, false, "0", TEXT},
	{"fields-40x10", &fielded, 10, 40, false, "0", TEXT},
	{"fields-hist", &fielded, 24, 80, false, "0<Down><Down><Enter>", TEXT},
	{"fields-hist-pairs", &fielded, 24, 80, true, "0<Enter>", TEXT},
	{"fields-hist-closed", &fielded, 24, 80, false, "0<Enter><Esc>", TEXT},
	{"fields-details", &fielded, 24, 100, false, "0<Down>i", TEXT},
	{"fields-details-pairs", &fielded, 24, 100, false, "0i", TEXT},
	{"fields-sorted", &fielded, 24, 100, false, "0:sort key\nr", TEXT},
	{"fields-search", &fielded, 24, 100, false, "0/clang\n", TEXT},
	{"fields-window", &fielded, 24, 100, false, "0-<Left><Left>", TEXT},
	{"fields-hostile", &fielded_hostile, 24, 100, false, "0<Down>i", TEXT},
	{"fields-stacks", &fielded_stacks, 24, 100, false, "0", TEXT},
	{"fields-stacks-40x10", &fielded_stacks, 10, 40, false, "0", TEXT},
	{"fields-stacks-details", &fielded_stacks, 30, 100, false, "0<Down><Down>i", TEXT},
	{"fields-stacks-sorted", &fielded_stacks, 24, 100, false, "0:sort key\n", TEXT},
	{"fields-stacks-search", &fielded_stacks, 24, 100, false, "0/main\n", ROLES},
	{"fields-stacks-filter", &fielded_stacks, 24, 100, false, "0f!stack:main\n", TEXT},
	{"fields-stacks-hostile", &fielded_stacks_hostile, 24, 100, false, "0i", TEXT},
	{"fields-in-kernel", &fielded_in_kernel, 24, 100, false, "0", TEXT},
	{"fields-in-kernel-details", &fielded_in_kernel, 24, 100, false, "0<Down>i", TEXT},
	{"fields-in-kernel-hist", &fielded_in_kernel, 24, 100, false, "0<Down><Enter>", TEXT},
	{"fields-unheard", &fielded_stacks, 24, 100, false, "0fuser:nobody\n", TEXT},
	{"functions-unheard", &fielded_stacks, 24, 100, false, "1fstack:nosuch\n", TEXT},
	{"fields-stacks-empty", &fielded_stacks, 24, 100, false, "0fstack:nosuch\n", TEXT},
	{"note-120", &calm, 12, 120, false, "fm\n", TEXT},
	{"fields-none", &calm, 24, 80, false, "0", TEXT},
	{"fields-none-40x10", &calm, 10, 40, true, "0", TEXT},
	{"functions-256-cpus", &idle_cpus, 24, 120, false, "1", TEXT},
	{"functions-256-cpus-ascii", &idle_cpus, 24, 80, true, "1", TEXT},
	{"functions-64-cpus", &many_cpus, 24, 120, false, "1", TEXT},
	{"sort-by-letter", &calm, 24, 80, false, "1sp", TEXT},
	{"group-menu-roles", &calm, 24, 80, false, "2g", ROLES},
	{"group-by-letter", &calm, 24, 80, false, "2gg", TEXT},
	{"functions-by-object", &calm, 24, 80, false, "g<Down><Enter>", TEXT},
	{"functions-sorted", &calm, 24, 80, false, "<Down><Down>:sort name\n", TEXT},
	{"functions-filter", &calm, 24, 80, false, "fgzip !function:main\n", TEXT},
	{"functions-search", &calm, 24, 80, false, "/MAIN<Esc>/main\n", TEXT},
	{"functions-menu", &calm, 24, 80, false, "s", TEXT},
	{"functions-details", &calm, 24, 80, false, "<Down>i", TEXT},
	{"functions-details-40x10", &calm, 10, 40, false, "<Down>i", TEXT},
	{"functions-user-only", &calm, 24, 80, false, "K", TEXT},
	{"functions-earlier", &calm, 24, 80, false, "--<Left><Left>", TEXT},
	{"functions-frozen", &calm, 24, 80, false, "1 ", TEXT},
	{"tasks-80x24", &calm, 24, 80, false, "2", TEXT},
	{"tasks-80x24-ascii", &calm, 24, 80, true, "2", TEXT},
	{"tasks-200x50", &calm, 50, 200, false, "2", TEXT},
	{"tasks-40x10", &calm, 10, 40, false, "2", TEXT},
	{"tasks-80x24-roles", &calm, 24, 80, false, "2", ROLES},
	{"tasks-80x24-mono", &calm, 24, 80, false, "2", MONO},
	{"tasks-threads", &calm, 24, 80, false, "2:group thread\n", TEXT},
	{"tasks-details", &calm, 24, 80, false, "2i", TEXT},
	{"zoom-thread", &calm, 24, 80, false, "2<Enter><Enter>", TEXT},
	{"zoom-refused", &calm, 24, 80, false, "3O", TEXT},
	{"zoom-function-200x50", &calm, 50, 200, false, "2<Enter><Enter>O", TEXT},
	{"zoom-ascii", &calm, 24, 80, true, "1OfWrite\n", TEXT},
	{"zoom-hosts", &three_hosts, 24, 120, false, "1<Down>O", TEXT},
	{"group-command", &calm, 24, 80, false, "2:group command\n", TEXT},
	{"group-pattern", &calm, 24, 100, false, "1:group pattern\n", TEXT},
	{"busy-stat-80x24", &one, 24, 80, false, "", TEXT},
	{"busy-stat-200x50", &one, 50, 200, false, "", TEXT},
	{"busy-stat-40x10", &one, 10, 40, false, "", TEXT},
	{"busy-stat-64", &one_many, 24, 120, false, "", TEXT},
	{"busy-nodes-64", &two_nodes, 24, 120, false, "", TEXT},
	{"busy-nodes-256", &eight_nodes, 24, 160, false, "", TEXT},
	{"busy-nodes-narrow", &eight_nodes, 24, 100, false, "", TEXT},
	{"busy-hosts-nodes", &hosts_nodes, 24, 160, false, "", TEXT},
	{"busy-hosts-nodes-narrow", &hosts_nodes, 24, 104, false, "", TEXT},
	{"busy-hosts-one-node", &hosts_one_node, 24, 160, false, "", TEXT},
	{"busy-hosts-no-nodes", &hosts_no_nodes, 24, 120, false, "", TEXT},
	{"busy-hosts-many", &many_hosts_nodes, 24, 120, false, "", TEXT},
	{"busy-nodes-clock", &nodes_clock, 24, 120, false, "", TEXT},
	{"busy-stat-buffers", &one, 24, 200, false, "6<Down><Enter>", TEXT},
	{"heat-one", &one, 24, 80, false, "<Ticks><Ticks><Ticks>a<Left>v<Right>", TEXT},
	{"group-user", &owned, 24, 80, false, "2:group user\n", TEXT},
	{"group-cgroup", &owned, 24, 100, false, "1:group cgroup\n", TEXT},
	{"group-parent", &owned, 24, 80, false, "2:group parent\n", TEXT},
	{"group-cgroup-throttled", &owned, 24, 100, false, "2:group cgroup\n:sort throttled\n", TEXT},
	{"group-cgroup-sorts", &owned, 24, 100, false, "2:group cgroup\ns", TEXT},
	{"group-user-sorts", &owned, 24, 100, false, "2:group cgroup\n:sort throttled\n:group user\ns", TEXT},
	{"group-cgroup-zoomed", &owned, 24, 100, false, "2:group cgroup\nO", TEXT},
	{"group-cgroup-details", &owned, 24, 100, false, "2:group cgroup\n<Down>i", TEXT},
	{"group-owner-details", &owned, 24, 100, false, "2<Down>i", TEXT},
	{"group-user-unknown", &calm, 24, 80, false, "1:group user\n", TEXT},
	{"group-unknown-zoomed", &owned, 24, 80, false, "2:group user\nO", TEXT},
	{"group-cgroup-hosts", &owned_hosts, 24, 120, false, "1:group cgroup\n", TEXT},
	{"group-line", &lined, 24, 100, false, "1:group line\n", TEXT},
	{"group-line-80x24", &lined, 24, 80, false, "1:group line\n", TEXT},
	{"group-line-40x10", &lined, 10, 40, false, "1:group line\n", TEXT},
	{"group-line-wide", &lined, 24, 160, false, "1:group line\n", TEXT},
	{"group-line-details", &lined, 24, 140, true, "1:group line\n<Down>i", TEXT},
	{"group-line-none-details", &lined, 30, 140, true, "1:group line\n<Down><Down><Down><Down>i", TEXT},
	{"group-line-code", &lined, 30, 100, true, "1:group line\n<Enter>", TEXT},
	{"group-line-zoomed", &lined, 24, 100, false, "1:group line\n<Down>O", TEXT},
	{"group-line-host", &one_host, 24, 100, false, "1:group line\n", TEXT},
	{"group-line-by-function", &unlined, 24, 80, false, "1:group line\n", TEXT},
	{"group-line-by-function-details", &unlined, 24, 140, true, "1:group line\ni", TEXT},
	{"group-line-saved", &unlined_saved, 24, 80, false, "1:group line\n", TEXT},
	{"group-line-hostile", &lined_hostile, 24, 100, false, "1:group line\n", TEXT},
	{"group-zoomed", &calm, 24, 100, false, "2:group pattern\n<Down><Down>O", TEXT},
	{"sort-peak", &calm, 24, 80, false, "1:sort peak\n", TEXT},
	{"sort-change", &shifted, 24, 100, false, "1<Ticks>:sort change\n", TEXT},
	{"sort-fell", &shifted, 24, 100, false, "2<Ticks>:sort change\nr", TEXT},
	{"sort-change-none", &calm, 24, 100, false, "1++++++++:sort change\n", TEXT},
	{"heat-80x24", &lossy, 24, 80, false, "<Ticks><Ticks><Ticks><Ticks><Ticks><Ticks>a<Left><Left>v<Right><Down>", TEXT},
	{"heat-80x24-ascii", &lossy, 24, 80, true, "<Ticks><Ticks><Ticks><Ticks><Ticks><Ticks>a<Left><Left>v<Right><Down>", TEXT},
	{"heat-80x24-roles", &lossy, 24, 80, false, "<Ticks><Ticks><Ticks><Ticks><Ticks><Ticks>a<Left><Left>v<Right><Down>", ROLES},
	{"heat-mono", &lossy, 24, 80, false, "<Ticks><Ticks><Ticks><Ticks><Ticks><Ticks>a<Left><Left>v<Right><Down>", MONO},
	{"heat-40x10", &lossy, 10, 40, false, "<Ticks><Ticks><Ticks><Ticks><Ticks><Ticks>a", TEXT},
	{"heat-200x50", &lossy, 50, 200, false, "<Ticks><Ticks><Ticks><Ticks><Ticks><Ticks>a", TEXT},
	{"heat-taken", &lossy, 24, 80, false, "<Ticks><Ticks><Ticks><Ticks><Ticks><Ticks>2a<Left>v<Down><Down><Enter>", TEXT},
	{"heat-old", &lossy, 24, 80, false, "<Ticks><Ticks><Ticks><Ticks><Ticks><Ticks>a<Left><Left><Left><Left><Left><Left><Left><Left><Left><Left><Left><Left><Left><Left><Left><Left><Left><Left><Left><Left><Left><Left><Left><Left><Left>v", TEXT},
	{"timeline-row", &calm, 24, 80, false, "1/longest\n", TEXT},
	{"timeline-row-roles", &calm, 24, 120, false, "1/longest\n", ROLES},
	{"timeline-row-120x40", &shifted, 40, 120, false, "1<Ticks>/copy_page\n", TEXT},
	{"timeline-events", &lossy, 24, 120, false, "1e<Down><Enter>", TEXT},
	{"timeline-past-120x40", &shifted, 40, 120, false, "1<Ticks>--<Left><Left>", TEXT},
	{"tree-80x24", &deep, 24, 80, false, "3H", TEXT},
	{"tree-80x24-ascii", &deep, 24, 80, true, "3H", TEXT},
	{"tree-200x50", &deep, 50, 200, false, "3H", TEXT},
	{"tree-200x50-ascii", &deep, 50, 200, true, "3H", TEXT},
	{"tree-40x10", &deep, 10, 40, false, "3H", TEXT},
	{"tree-40x10-ascii", &deep, 10, 40, true, "3H", TEXT},
	{"tree-80x24-roles", &deep, 24, 80, false, "3H", ROLES},
	{"tree-80x24-mono", &deep, 24, 80, false, "3H", MONO},
	{"tree-no-paths", &lossy, 24, 80, false, "3", TEXT},
	{"tree-quiet", &quiet, 24, 80, false, "3", TEXT},
	{"tree-several", &several, 24, 80, false, "3H/parse_expr\ni", TEXT},
	{"tree-doubt", &doubt, 24, 80, false, "3H", TEXT},
	{"tree-hostile", &hostile_deep, 24, 80, false, "3H", TEXT},
	{"tree-by-task", &deep, 24, 80, false, "3t<Right>", TEXT},
	{"tree-details", &deep, 24, 80, false, "3<Down>i", TEXT},
	{"tree-details-inlined", &deep, 24, 80, false, "3/hash_step\ni", TEXT},
	{"tree-search", &deep, 24, 80, false, "3/hash\n", TEXT},
	{"tree-after-callers", &deep, 24, 80, false, "1<Enter>23", TEXT},
	{"flame-80x24", &deep, 24, 80, false, "4", TEXT},
	{"flame-80x24-ascii", &deep, 24, 80, true, "4", TEXT},
	{"flame-200x50", &deep, 50, 200, false, "4", TEXT},
	{"flame-200x50-ascii", &deep, 50, 200, true, "4", TEXT},
	{"flame-40x10", &deep, 10, 40, false, "4", TEXT},
	{"flame-40x10-ascii", &deep, 10, 40, true, "4", TEXT},
	{"flame-80x24-roles", &deep, 24, 80, false, "4", ROLES},
	{"flame-80x24-mono", &deep, 24, 80, false, "4", MONO},
	{"flame-no-paths", &lossy, 24, 80, false, "4", TEXT},
	{"flame-quiet", &quiet, 24, 80, false, "4", TEXT},
	{"flame-hostile", &hostile_deep, 24, 80, false, "4H", TEXT},
	{"flame-by-task", &deep, 24, 80, false, "4t<Right>", TEXT},
	{"flame-details", &deep, 24, 80, false, "4<Down>i", TEXT},
	{"flame-search", &deep, 24, 80, false, "4/hash\n", TEXT},
	{"tree-bottom-up", &deep, 24, 80, false, "3b<Down><Right>", TEXT},
	{"tree-user-only", &deep, 24, 80, false, "3KH", TEXT},
	{"tree-callers", &deep, 24, 80, false, "1/copy_page\n<Enter>", TEXT},
	{"tree-callees", &deep, 24, 80, false, "1/app::run\n<Enter>b", TEXT},
	{"flame-upwards", &deep, 24, 80, false, "4b", TEXT},
	{"flame-zoomed", &deep, 24, 80, false, "4<Down><Enter>", TEXT},
	{"flame-hot-40x10", &deep, 10, 40, false, "4/descend\nH", TEXT},
	{"code-80x24", &code, 24, 80, false, "15<Tick>", TEXT},
	{"code-80x24-ascii", &code, 24, 80, true, "15<Tick>", TEXT},
	{"code-200x50", &code, 50, 200, false, "15<Tick>", TEXT},
	{"code-200x50-ascii", &code, 50, 200, true, "15<Tick>", TEXT},
	{"code-40x10", &code, 10, 40, false, "15<Tick>", TEXT},
	{"code-80x24-roles", &code, 24, 80, false, "15<Tick>", ROLES},
	{"code-80x24-mono", &code, 24, 80, false, "15<Tick>", MONO},
	{"code-no-source", &code, 24, 80, false, "15<Tick>vv", TEXT},
	{"code-details", &code, 24, 80, false, "15<Tick>i", TEXT},
	{"code-lines", &code, 24, 80, false, "15<Tick>v", TEXT},
	{"code-lines-roles", &code, 24, 80, false, "15<Tick>v", ROLES},
	{"code-lines-200x50", &code, 50, 200, true, "15<Tick>v", TEXT},
	{"code-lines-details", &code, 24, 100, false, "15<Tick>vi", TEXT},
	{"code-lines-opened", &code, 24, 80, false, "15<Tick>v<Down>\n", TEXT},
	{"code-lines-far", &lined_far, 24, 100, false, "15<Tick>v", TEXT},
	{"code-lines-far-both", &lined_far, 24, 100, false, "15<Tick>", TEXT},
	{"code-lines-hostile", &hostile_code, 24, 80, false, "15<Tick>v", TEXT},
	{"code-search", &code, 24, 80, false, "15<Tick>/memcpy\n", TEXT},
	{"code-jump", &code, 24, 80, false, "15<Tick>/jne\n<Enter>", TEXT},
	{"code-callee", &code, 24, 80, false, "15<Tick>/callq\n<Enter><Tick>", TEXT},
	{"code-kernel", &code, 24, 80, false, "1/do_sys\n5<Tick>", TEXT},
	{"code-kernel-wide", &code, 24, 120, false, "1/do_sys\n5<Tick>", TEXT},
	{"code-hostile", &hostile_code, 24, 80, false, "15<Tick>", TEXT},
	{"code-flame", &code, 24, 80, false, "4/parse_expr\n5<Tick>", TEXT},
	{"code-changes-80x24", &shifted_code, 24, 80, false, "d<Ticks>/compress_b\n5<Tick>", TEXT},
	{"code-changes-80x24-ascii", &shifted_code, 24, 80, true, "d<Ticks>/compress_b\n5<Tick>", TEXT},
	{"code-changes-80x24-roles", &shifted_code, 24, 80, false, "d<Ticks>/compress_b\n5<Tick>", ROLES},
	{"code-changes-80x24-mono", &shifted_code, 24, 80, false, "d<Ticks>/compress_b\n5<Tick>", MONO},
	{"code-changes-40x10", &shifted_code, 10, 40, false, "d<Ticks>/compress_b\n5<Tick>", TEXT},
	{"code-changes-200x50", &shifted_code, 50, 200, false, "d<Ticks>/compress_b\n5<Tick>", TEXT},
	{"code-changes-lines", &shifted_code, 24, 80, false, "d<Ticks>/compress_b\n5<Tick>v", TEXT},
	{"code-changes-details", &shifted_code, 24, 100, false, "d<Ticks>/compress_b\n5<Tick>i", TEXT},
	{"code-changes-begun", &shifted_code, 24, 80, false, "15<Tick>d<Tab><Tab><Tab><Tab>", TEXT},
	{"code-none", &quiet, 24, 80, false, "5", TEXT},
	{"write-prompt", &calm, 24, 80, false, "wfolded:out", TEXT},
	{"buffers-80x24", &lossy, 24, 80, false, "6", TEXT},
	{"buffers-turns", &turns, 24, 120, false, "6", TEXT},
	{"buffers-barred", &barred, 24, 120, false, "6", TEXT},
	{"buffers-waiting", &waiting_lossy, 24, 80, false, "6", TEXT},
	{"buffers-waiting-end", &waiting_lossy, 24, 80, false, "6G", TEXT},
	{"buffers-80x24-ascii", &lossy, 24, 80, true, "6", TEXT},
	{"buffers-200x50", &lossy, 50, 200, false, "6", TEXT},
	{"buffers-40x10", &lossy, 10, 40, false, "6", TEXT},
	{"buffers-80x24-roles", &lossy, 24, 80, false, "6", ROLES},
	{"buffers-80x24-mono", &lossy, 24, 80, false, "6", MONO},
	{"buffers-auto", &auto_paths, 24, 120, false, "6", TEXT},
	{"buffers-unwind", &unwinding, 24, 120, false, "6", TEXT},
	{"buffers-memory", &greedy, 24, 120, false, "6", TEXT},
	{"functions-memory-80x24", &greedy, 24, 80, false, "1", TEXT},
	{"functions-memory-roles", &greedy, 24, 120, false, "1", ROLES},
	{"functions-costly-40x10", &costly, 10, 40, false, "1", TEXT},
	{"functions-costly-80x24", &costly, 24, 80, false, "1", TEXT},
	{"functions-costly-200x50", &costly, 50, 200, false, "1", TEXT},
	{"functions-costly-roles", &costly, 24, 120, false, "1", ROLES},
	{"buffers-64-cpus", &many_cpus, 24, 80, false, "6<PgDn>", TEXT},
	{"buffers-details", &lossy, 24, 80, false, "6<Down><Down><Enter>", TEXT},
	{"aux-80x24", &aux_snapshot, 24, 80, false, "7", TEXT},
	{"aux-80x24-ascii", &aux_snapshot, 24, 80, true, "7", TEXT},
	{"aux-200x50", &aux_measured, 50, 200, false, "7", TEXT},
	{"aux-200x50-ascii", &aux_measured, 50, 200, true, "7", TEXT},
	{"aux-40x10", &aux_measured, 10, 40, false, "7", TEXT},
	{"aux-full", &aux_full, 24, 80, false, "7", TEXT},
	{"aux-full-roles", &aux_full, 24, 80, false, "7", ROLES},
	{"aux-full-mono", &aux_full, 24, 80, false, "7", MONO},
	{"aux-full-details", &aux_full, 40, 100, false, "7<Down>i", TEXT},
	{"aux-hostile", &aux_hostile, 24, 120, false, "7", TEXT},
	{"aux-pt-80x24", &aux_pt, 24, 80, false, "7", TEXT},
	{"aux-pt-120x40", &aux_pt, 40, 120, false, "7", TEXT},
	{"aux-pt-40x12", &aux_pt, 12, 40, false, "7", TEXT},
	{"aux-pt-hostile", &aux_pt_hostile, 40, 120, false, "7", TEXT},
	{"aux-dumps", &aux_dumps, 24, 80, false, "7", TEXT},
	{"aux-unread", &aux_unread, 40, 120, false, "7<Down>i", TEXT},
	{"buffers-unread", &aux_unread, 40, 120, false, "6G<Up><Up>i", TEXT},
	{"aux-none", &calm, 24, 80, false, "7", TEXT},
	{"aux-64-cpus", &aux_many, 24, 80, false, "7<PgDn>", TEXT},
	{"buffers-aux", &aux_full, 24, 100, false, "6", TEXT},
	{"buffers-aux-snapshot", &aux_snapshot, 24, 100, false, "6", TEXT},
	{"file-80x24", &reading, 24, 80, false, "1", TEXT},
	{"file-120x24-ascii", &reading, 24, 120, true, "1", TEXT},
	{"file-40x10", &reading, 10, 40, false, "1", TEXT},
	{"file-aux-80x24", &reading, 24, 80, false, "7S", TEXT},
	{"recording-80x24", &calm, 24, 80, false, "6:record /tmp/web.data\n<Tick><Tick>", TEXT},
	{"recording-40x10", &calm, 10, 40, false, "1:record /tmp/web.data\n<Tick>", TEXT},
	{"recording-lossy-roles", &lossy, 24, 80, false, "1:record /tmp/web.data\n<Tick><Tick><Tick>",
	 ROLES},
	{"recording-failed", &calm, 24, 80, false, "6:record full.data\n<Tick>", TEXT},
	{"recording-ended", &calm, 24, 80, false, "6:record a\n<Tick>R<Tick>", TEXT},
	{"help-search", &calm, 24, 80, false, "3?/attributed\n", TEXT},
	{"help-120x60", &calm, 60, 120, false, "5?", TEXT},
	{"help-80x24", &calm, 24, 80, false, "?", TEXT},
	{"help-80x24-end", &calm, 24, 80, false, "?<End>", TEXT},
	{"help-80x24-ascii", &calm, 24, 80, true, "?", TEXT},
	{"help-200x50", &calm, 50, 200, false, "?", TEXT},
	{"help-40x10", &calm, 10, 40, false, "?", TEXT},
	{"help-80x24-roles", &calm, 24, 80, false, "?", ROLES},
	{"help-80x24-mono", &calm, 24, 80, false, "?", MONO},
	{"command-line", &calm, 24, 80, false, ":hi", TEXT},
	{"counters-80x24", &counted, 24, 80, false, "8", TEXT},
	{"counters-80x24-ascii", &counted, 24, 80, true, "8", TEXT},
	{"counters-200x50", &counted, 50, 200, false, "8", TEXT},
	{"counters-40x10", &counted, 10, 40, false, "8", TEXT},
	{"counters-80x24-roles", &counted, 24, 80, false, "8", ROLES},
	{"counters-mono", &counted, 24, 80, false, "8", MONO},
	{"counters-opened", &counted, 24, 120, false, "8<Down><Down><Enter>", TEXT},
	{"counters-details", &counted, 24, 100, false, "8<Down><Down>i", TEXT},
	{"counters-ratio", &counted, 24, 100, false, "8<End>Gi", TEXT},
	{"counters-window", &counted, 24, 120, false, "8-<Left><Left>", TEXT},
	{"counters-search", &counted, 24, 100, false, "8/stalled\n", TEXT},
	{"counters-hostile", &counted_hostile, 24, 120, false, "8", TEXT},
	{"counters-hosts", &counted_hosts, 24, 120, false, "8<Enter>", TEXT},
	{"counters-none", &calm, 24, 80, false, "8", TEXT},

	{"events-80x24", &logged, 24, 80, false, "9", TEXT},
	{"events-80x24-ascii", &logged, 24, 80, true, "9", TEXT},
	{"events-200x50", &logged, 50, 200, false, "9", TEXT},
	{"events-40x10", &logged, 10, 40, false, "9", TEXT},
	{"events-80x24-roles", &logged, 24, 80, false, "9/cc1plus\n", ROLES},
	{"events-mono", &logged, 24, 80, false, "9", MONO},
	{"events-details", &logged, 50, 120, false, "9<Up><Enter>", TEXT},
	{"events-back", &logged, 24, 120, false, "9<PgUp><PgUp>", TEXT},
	{"events-first", &logged, 24, 120, false, "9<Home>", TEXT},
	{"events-still", &logged, 24, 120, false, "9-<Left><Left>", TEXT},
	{"events-search", &logged, 24, 120, false, "9/NR 12\nn", TEXT},
	{"events-filter", &logged, 24, 120, false, "9fevent:sched comm:^make$ cpu:0\n", TEXT},
	{"events-filter-none", &logged, 24, 120, false, "9ftext:nowhere\n", TEXT},
	{"events-hostile", &logged_hostile, 24, 120, false, "9<Up><Up><Up>i", TEXT},
	{"events-hosts", &logged_hosts, 24, 140, false, "9", TEXT},
	{"events-none", &calm, 24, 80, false, "9", TEXT},
	{"choose-80x24", &calm, 24, 80, false, "E", TEXT},
	{"choose-200x50", &calm, 50, 200, false, "E", TEXT},
	{"choose-40x10", &calm, 10, 40, false, "E", TEXT},
	{"choose-ascii", &calm, 24, 80, true, "E", TEXT},
	{"choose-roles", &calm, 24, 80, false, "E<Down>", ROLES},
	{"choose-search", &calm, 24, 80, false, "E/touched\n", TEXT},
	{"choose-add", &calm, 24, 80, false, "E<Down><Down><Down><Down><Enter>", TEXT},
	{"choose-replace", &calm, 24, 80, false, "E<Down><Down><Down><Down><Down>X", TEXT},
	{"choose-back", &calm, 24, 80, false, "6E<Esc>", TEXT},
	{"choose-question", &calm, 24, 80, false, "E<Enter>", TEXT},
	{"choose-question-replace", &calm, 24, 80, false, "E<Down><Down>X", TEXT},
	{"question-wrong", &calm, 24, 120, false, ":question nosuch\n", TEXT},
	{"rate-wrong", &calm, 24, 80, false, ":frequency 0\n", TEXT},
	{"beside-120x24", &lossy, 24, 120, false, "|", TEXT},
	{"beside-turns", &turns, 24, 120, false, "|", TEXT},
	{"beside-turns-ratio", &turns, 24, 120, false, "%", TEXT},
	{"beside-barred", &barred, 24, 120, false, "|", TEXT},
	{"beside-80x24", &lossy, 24, 80, false, "|", TEXT},
	{"beside-ratio", &lossy, 24, 120, false, "%", TEXT},
	{"beside-tasks", &lossy, 24, 120, false, "2|", TEXT},
	{"beside-other", &lossy, 24, 120, false, "|e<Down><Enter>", TEXT},
	{"wall-functions-80x24", &waiting, 24, 80, false, "o", TEXT},
	{"wall-functions-200x50", &waiting, 50, 200, false, "o", TEXT},
	{"wall-tasks", &waiting, 24, 80, false, "2o", TEXT},
	{"wall-task-details", &waiting, 50, 200, false, "2oi", TEXT},
	{"wall-tree-80x24", &waiting, 24, 80, false, "3o<Down><Right>", TEXT},
	{"wall-tree-roles", &waiting, 24, 80, false, "3o<Down><Right>", ROLES},
	{"wall-flame-80x24", &waiting, 24, 80, false, "4o", TEXT},
	{"wall-flame-ascii", &waiting, 24, 80, true, "4o", TEXT},
	{"wall-flame-roles", &waiting, 24, 80, false, "4o", ROLES},
	{"wall-flame-mono", &waiting, 24, 80, false, "4o", MONO},
	{"wall-flame-200x50", &waiting, 50, 200, false, "4o", TEXT},
	{"wall-back", &waiting, 24, 80, false, "oo", TEXT},
	{"wall-none", &calm, 24, 80, false, "o", TEXT},
	{"wall-begun", &calm, 24, 80, false, "oo", TEXT},
	{"wall-asked", &calm, 24, 80, false, "oz", TEXT}, /* that one question was asked answers no other */
	{"beside-none", &calm, 24, 80, false, "|", TEXT},
	{"message-wrapped", &calm, 24, 30, false, "|", TEXT},
	{"changes-80x24", &shifted, 24, 80, false, "d<Ticks>", TEXT},
	{"changes-80x24-ascii", &shifted, 24, 80, true, "d<Ticks>", TEXT},
	{"changes-120x40", &shifted, 40, 120, false, "d<Ticks>", TEXT},
	{"changes-40x10", &shifted, 10, 40, false, "d<Ticks>", TEXT},
	{"changes-80x24-roles", &shifted, 24, 80, false, "d<Ticks>", ROLES},
	{"changes-80x24-mono", &shifted, 24, 80, false, "d<Ticks>", MONO},
	{"changes-lossy", &shifted_lossy, 24, 120, false, "d<Ticks>", TEXT},
	{"changes-hostile", &shifted_hostile, 24, 120, false, "d<Ticks>", TEXT},
	{"changes-details", &shifted, 24, 100, false, "d<Ticks>i", TEXT},
	{"changes-search", &shifted, 24, 100, false, "d<Ticks>/gzip\n", TEXT},
	{"changes-begun", &shifted, 24, 80, false, "d", TEXT},
	{"changes-past", &shifted, 24, 100, false, "--<Left>d<Ticks><Left><Left>", TEXT},
	{"changes-other-event", &shifted_lossy, 24, 100, false, "d<Ticks>e<Down><Enter>", TEXT},
	{"changes-ended", &shifted, 24, 80, false, "d<Ticks>d", TEXT},
	{"hosts-changes", &hosts_shifted, 24, 100, false, "", TEXT},
	{"hosts-changes-tree", &hosts_shifted, 24, 100, false, "3H", TEXT},
	{"hosts-changes-tree-baseline", &hosts_shifted, 24, 100, false, "3BH", TEXT},
	{"hosts-changes-flame", &hosts_shifted, 24, 100, false, "4", TEXT},
	{"hosts-changes-absent", &hostlinks_absent, 24, 100, false, "", TEXT},
	{"hosts-changes-ended", &hosts_shifted, 24, 100, false, "d", TEXT},
	{"hosts-changes-again", &hosts_shifted, 24, 100, false, "dd", TEXT},
	{"changes-tree-80x24", &shifted, 24, 80, false, "d<Ticks>3H", TEXT},
	{"changes-tree-200x50", &shifted, 50, 200, false, "d<Ticks>3H", TEXT},
	{"changes-tree-roles", &shifted, 24, 80, false, "d<Ticks>3H", ROLES},
	{"changes-tree-baseline", &shifted, 24, 80, false, "d<Ticks>3BH", TEXT},
	{"changes-tree-bottom-up", &shifted, 24, 80, false, "d<Ticks>3b", TEXT},
	{"changes-tree-details", &shifted, 24, 100, false, "d<Ticks>3Hi", TEXT},
	{"changes-tree-begun", &shifted, 24, 80, false, "d3", TEXT},
	{"changes-flame-80x24", &shifted, 24, 80, false, "d<Ticks>4", TEXT},
	{"changes-flame-200x50", &shifted, 50, 200, false, "d<Ticks>4", TEXT},
	{"changes-flame-ascii", &shifted, 24, 80, true, "d<Ticks>4", TEXT},
	{"changes-flame-roles", &shifted, 24, 80, false, "d<Ticks>4", ROLES},
	{"changes-flame-mono", &shifted, 24, 80, false, "d<Ticks>4", MONO},
	{"changes-flame-baseline", &shifted, 24, 80, false, "d<Ticks>4B", TEXT},
	{"changes-flame-hostile", &shifted_hostile, 24, 120, false, "d<Ticks>4", TEXT},
	{"marks-80x24", &shifted, 24, 80, false, "mdeploy\n<Ticks>m\n<Tick>", TEXT},
	{"marks-80x24-ascii", &shifted, 24, 80, true, "mdeploy\n<Ticks>", TEXT},
	{"marks-120x40", &shifted, 40, 120, false, "mdeploy\n<Ticks>", TEXT},
	{"marks-80x24-roles", &shifted, 24, 80, false, "mdeploy\n<Ticks>", ROLES},
	{"marks-prompt", &shifted, 24, 80, false, "m", TEXT},
	{"marks-menu", &shifted, 24, 80, false, "mdeploy\n<Ticks>m\n<Tick>'", TEXT},
	{"marks-jump", &shifted, 24, 80, false, "---mdeploy\n<Ticks>m\n<Tick>'<Down><Enter>", TEXT},
	{"marks-compare", &shifted, 24, 100, false, "---mdeploy\n<Ticks>:jump deploy\n<d", TEXT},
	{"explain-80x24", &calm, 24, 80, false, "<Ticks>x", TEXT},
	{"explain-80x24-ascii", &calm, 24, 80, true, "<Ticks>x", TEXT},
	{"explain-80x24-roles", &calm, 24, 80, false, "<Ticks>x", ROLES},
	{"explain-waiting", &waiting, 24, 100, false, "<Ticks>x", TEXT},
	{"explain-lossy", &lossy, 24, 80, false, "<Ticks>x", TEXT},
	{"explain-120x40", &shifted, 40, 120, false, "<Ticks>-x", TEXT},
	{"explain-40x10", &calm, 10, 40, false, "<Ticks>x<Down>", TEXT},
	{"explain-hostile", &hostile, 24, 80, false, "<Ticks>x", TEXT},
	{"explain-past", &shifted, 24, 80, false, "<Ticks>--x<Left>", TEXT},
	{"marks-none", &shifted, 24, 80, false, "'", TEXT},
	{"bad-filter", &calm, 24, 80, false, "f[\n", TEXT},
	{"bad-filter-long", &calm, 24, 80, false, "ffunction:a_name_of_a_function_that_leaves_no_room[\n", TEXT},
};

#define SCREENS (sizeof(screens) / sizeof(screens[0]))

/* --- an app over a made-up session ------------------------------------------------------- */

struct stage {
	struct session *session;
	struct model *model;
	struct app *app;
};

/* One by one: app_take takes one in any case, and others only while that takes no time. */
static void take_ticks(struct stage *g, unsigned ticks)
{
	bool rows;

	for (; ticks; ticks--) {
		synth_advance(g->session, 1);
		assert_int_equal(app_take(g->app, UINT64_MAX, &rows, NULL), 0);
	}
}

static void advance(struct stage *g, unsigned ticks)
{
	take_ticks(g, ticks);
	app_follow(g->app);
}

static uint64_t stage_clock = 1000 * NSEC_PER_SEC;

/* The clock stands still but where a test moves it: a machine that is late makes no screen late. */
static uint64_t stage_time(void)
{
	return stage_clock;
}

static void stage_open_within(struct stage *g, const struct synth_config *config, bool ascii,
			      size_t budget)
{
	struct ui_options o = {.show.ascii = ascii, .show.by_host = config->host_shift};
	struct err err = {0};

	g->session = synth_session_create(config);
	assert_non_null(g->session);
	g->model = model_create(&g->session->info, budget);
	assert_non_null(g->model);
	g->app = app_create(g->session, g->model, &o, &err);
	assert_non_null(g->app);
	g->app->clock = stage_time;
}

static void stage_open(struct stage *g, const struct synth_config *config, bool ascii)
{
	stage_open_within(g, config, ascii, MODEL_BUDGET);
}

static void stage_close(struct stage *g)
{
	app_free(g->app);
	model_free(g->model);
	session_close(g->session);
}

static const struct {
	const char *name;
	uint32_t key;
} named[] = {
	{"<Up>", INPUT_UP}, {"<Down>", INPUT_DOWN}, {"<Left>", INPUT_LEFT},
	{"<Right>", INPUT_RIGHT}, {"<Enter>", INPUT_ENTER}, {"<Esc>", INPUT_ESC},
	{"<End>", INPUT_END}, {"<Home>", INPUT_HOME}, {"<PgDn>", INPUT_PAGE_DOWN},
	{"<Tab>", INPUT_TAB},
};

static void press(struct app *a, uint32_t key)
{
	app_input(a, &(struct input){.key = key});
	app_draw(a);
}

/* <Tick>: what was asked for comes with the next slice; <Ticks>: 50 of them, 5 s. */
static void tick(struct app *a)
{
	bool rows;

	synth_advance(a->session, 1);
	assert_int_equal(app_take(a, UINT64_MAX, &rows, NULL), 0);
	app_follow(a);
	app_draw(a);
}

static void keys(struct app *a, const char *text)
{
	while (*text) {
		size_t i, n = sizeof(named) / sizeof(named[0]);

		for (i = 0; i < n; i++)
			if (!strncmp(text, named[i].name, strlen(named[i].name)))
				break;
		if (!strncmp(text, "<Tick>", 6)) {
			tick(a);
			text += 6;
			continue;
		}
		if (!strncmp(text, "<Ticks>", 7)) {
			for (int t = 0; t < 50; t++)
				tick(a);
			text += 7;
			continue;
		}
		press(a, i < n ? named[i].key : *text == '\n' ? INPUT_ENTER : (unsigned char)*text);
		text += i < n ? strlen(named[i].name) : 1;
	}
}

static char *dump(const struct app *a, enum look look)
{
	static char buf[200000];

	assert_true(scene_dump(&a->scene,
			       look == ROLES  ? theme_letter
			       : look == MONO ? theme_letter_mono
					      : NULL,
			       buf, sizeof(buf)) < sizeof(buf));
	return buf;
}

/* --- golden files ------------------------------------------------------------------------ */

static void golden_path(char *buf, size_t size, const char *name)
{
	const char *dir = getenv("RINGTOP_SRCDIR");

	if (!dir)
		dir = getenv("srcdir");
	snprintf(buf, size, "%s/tests/golden/screens/%s.txt", dir ? dir : ".", name);
}

static void compare_golden(const char *name, const char *text)
{
	static char want[200000];
	char path[512];
	FILE *f;
	size_t n;

	golden_path(path, sizeof(path), name);
	if (getenv("UPDATE_GOLDEN")) {
		f = fopen(path, "w");
		assert_non_null(f);
		assert_int_equal(fwrite(text, 1, strlen(text), f), strlen(text));
		assert_int_equal(fclose(f), 0);
		return;
	}
	f = fopen(path, "r");
	if (!f)
		fail_msg("%s: %s (UPDATE_GOLDEN=1 writes it)", path, strerror(errno));
	n = fread(want, 1, sizeof(want) - 1, f);
	fclose(f);
	want[n] = '\0';
	if (strcmp(want, text) != 0)
		fail_msg("%s differs; expected\n%s\ngot\n%s", name, want, text);
}

static void draw_screen(struct stage *g, const struct screen *s)
{
	stage_open(g, s->config, s->ascii);
	g->app->mono = s->look == MONO;
	assert_true(scene_resize(&g->app->scene, s->rows, s->cols));
	advance(g, TICKS);
	app_draw(g->app);
	keys(g->app, s->keys);
}

static void test_golden(void **state)
{
	(void)state;
	for (size_t i = 0; i < SCREENS; i++) {
		struct stage g;

		draw_screen(&g, &screens[i]);
		compare_golden(screens[i].name, dump(g.app, screens[i].look));
		stage_close(&g);
	}
}

/* --- rules ------------------------------------------------------------------------------- */

static void test_nothing_escapes(void **state)
{
	(void)state;
	for (int v = 0; v < 19; v++) {
		static const char *const ways[] = {"1", "2", "6", "?", "1<Enter>", "2<Enter>",
						   "3H", "4", "3Hi", "4Hi", "15<Tick>",
						   "15<Tick>i", "6", "6i", "1i", "1<Enter>", "4t", "2i", "d<Ticks>i"};
		struct screen s = {"", v < 6    ? &hostile
				       : v < 10 ? &hostile_deep
				       : v < 12 ? &hostile_code
						: &hosts_hostile, 24, v < 12 ? 80 : 180, v % 2 != 0, ways[v], TEXT};
		struct stage g;

		draw_screen(&g, &s);
		for (const char *c = dump(g.app, TEXT); *c; c++) {
			assert_true(*c == '\n' || (unsigned char)*c >= 0x20);
			assert_int_not_equal(*c, 0x7f);
			if (s.ascii)
				assert_true((unsigned char)*c < 0x80);
		}
		stage_close(&g);
	}
}

static void test_any_size(void **state)
{
	static const char *const ways[] = {"1", "2", "6", "?", "1<Enter>", "1s", "1/x", ":sort",
					   "3H", "4H", "4bH", "4t<Down><Enter>i", "3bi", "w",
					   "15<Tick>", "15<Tick>i", "15<Tick>v", "15<Tick>vv", "5", "1<Enter>", "6i", "7", "4t", "d<Ticks>i"};

	(void)state;
	for (size_t v = 0; v < sizeof(ways) / sizeof(ways[0]); v++) {
		struct screen s = {"", v < 8 ? &lossy : v < 19 ? &deep : &hosts_cut, 24, 80, false, ways[v], TEXT};
		struct stage g;

		draw_screen(&g, &s);
		for (int rows = 1; rows <= 14; rows++)
			for (int cols = 1; cols <= 90; cols = cols < 12 ? cols + 1 : cols + 13) {
				assert_true(scene_resize(&g.app->scene, rows, cols));
				app_draw(g.app);
			}
		assert_true(scene_resize(&g.app->scene, 300, 1000));
		app_draw(g.app);
		stage_close(&g);
	}
}

static uint64_t selected(const struct app *a)
{
	return a->table[a->view].list.key;
}

static void test_selection_stays(void **state)
{
	struct screen s = {"", &calm, 24, 80, false, "<Down><Down><Down>", TEXT};
	struct stage g;
	uint64_t key;

	(void)state;
	draw_screen(&g, &s);
	key = selected(g.app);
	assert_int_not_equal(key, 0);
	for (int size = 50; size > 0; size -= 7) {
		assert_true(scene_resize(&g.app->scene, size, size * 2));
		app_draw(g.app);
		assert_int_equal(selected(g.app), key);
	}
	assert_true(scene_resize(&g.app->scene, 24, 80));
	keys(g.app, ":sort name\nrr:sort total\nr");
	assert_int_equal(selected(g.app), key);
	advance(&g, 20);
	app_draw(g.app);
	assert_int_equal(selected(g.app), key);
	keys(g.app, "26?1");
	assert_int_equal(selected(g.app), key);
	stage_close(&g);
}

/* No column goes without a word in the help. */
static void test_columns_are_explained(void **state)
{
	(void)state;
	for (int v = 0; v < VIEW_NR; v++) {
		struct widget_column columns[WIDGET_COLUMNS];
		unsigned nr = view_columns((enum view_id)v, columns);

		for (unsigned i = 0; i < nr; i++)
			if (*columns[i].title && !glossary_column(&columns[i]))
				fail_msg("%s: nothing explains the column %s", view_names[v], columns[i].title);
	}
	assert_null(glossary_column(&(struct widget_column){.title = "NOSUCH"}));
	assert_string_equal(glossary_column(&(struct widget_column){.title = "NOSUCH", .help = "x"}), "x");
}

static bool shows(struct stage *g, const char *text)
{
	return strstr(dump(g->app, TEXT), text) != NULL;
}

/* The picture is of 48 s ago, as nothing newer was taken: then it is not called live, until something newer is. */
static void test_behind(void **state)
{
	struct screen s = {"", &calm, 24, 80, false, "1", TEXT}, small = {"", &calm, 5, 80, false, "1", TEXT};
	struct stage g;

	(void)state;
	draw_screen(&g, &s);
	assert_true(shows(&g, "● LIVE"));
	stage_clock += 2 * NSEC_PER_SEC;
	app_draw(g.app);
	assert_true(shows(&g, "● LIVE") && !shows(&g, "BEHIND"));
	stage_clock += 46 * NSEC_PER_SEC;
	app_draw(g.app);
	compare_golden("functions-behind", dump(g.app, TEXT));
	g.app->scene.ascii = true;
	app_draw(g.app);
	compare_golden("functions-behind-ascii", dump(g.app, TEXT));
	g.app->scene.ascii = false;
	keys(g.app, " "); /* a picture that stands still on purpose is not late */
	assert_true(shows(&g, "FROZEN") && !shows(&g, "BEHIND"));
	keys(g.app, "<End>");
	assert_true(shows(&g, "◌ 48 s BEHIND"));
	g.app->lateness->zero = (int64_t)stage_clock - (int64_t)model_now(g.model); /* the slices count as in time */
	advance(&g, 10);
	app_draw(g.app);
	assert_true(shows(&g, "● LIVE"));
	stage_close(&g);
	draw_screen(&g, &small);
	stage_clock += 5 * NSEC_PER_SEC;
	app_draw(g.app);
	assert_true(shows(&g, "◌ 5 s BEHIND"));
	stage_close(&g);
}

/* What somebody built for an hour is not ended by one key. */
static void test_quit_asks(void **state)
{
	static const struct synth_config building = {.command = true};
	struct screen s = {"", &building, 24, 80, false, "1q", TEXT};
	struct stage g;

	(void)state;
	draw_screen(&g, &s);
	assert_false(g.app->quit);
	assert_non_null(strstr(dump(g.app, TEXT), "still runs"));
	keys(g.app, "jq"); /* another key in between */
	assert_false(g.app->quit);
	keys(g.app, "q");
	assert_true(g.app->quit);
	stage_close(&g);
	draw_screen(&g, &s);
	keys(g.app, ":quit\n");
	assert_true(g.app->quit);
	stage_close(&g);
	s.config = &calm; /* nothing of ours runs there */
	draw_screen(&g, &s);
	assert_true(g.app->quit);
	stage_close(&g);
}

static void test_freeze_holds(void **state)
{
	struct screen s = {"", &calm, 24, 80, false, " ", TEXT};
	struct stage g;
	struct window w;

	(void)state;
	draw_screen(&g, &s);
	w = app_window(g.app);
	advance(&g, 30);
	assert_int_equal(app_window(g.app).to, w.to);
	keys(g.app, "<Left>");
	assert_true(app_window(g.app).to < w.to || g.app->message[0]);
	keys(g.app, "<End>");
	assert_int_equal(app_window(g.app).to, model_now(g.model));
	keys(g.app, "++++++++++");
	assert_int_equal(app_window(g.app).to, UINT64_MAX);
	keys(g.app, "----------");
	w = app_window(g.app);
	assert_int_equal(w.to - w.from, 1000000000);
	stage_close(&g);
}

/* Each level leaves less, and Esc leads up again the way that one came, to the row that one came from. */
static void test_zoom(void **state)
{
	struct screen s = {"", &calm, 24, 120, false, "2<Down>", TEXT};
	struct stage g;
	uint64_t process;

	(void)state;
	draw_screen(&g, &s);
	process = selected(g.app);
	keys(g.app, "O");
	assert_true(shows(&g, "web01 › gzip 4242") && !shows(&g, "clang"));
	assert_int_equal(g.app->table[VIEW_TASKS].group, GROUP_THREAD);
	keys(g.app, "O");
	assert_int_equal(g.app->view, VIEW_FUNCTIONS);
	assert_true(shows(&g, "gzip 4242 › gzip 4242") && shows(&g, "compress_block") && !shows(&g, "clang"));
	keys(g.app, "O"); /* by CPU, and no further than there is something below */
	assert_int_equal(g.app->table[VIEW_FUNCTIONS].group, GROUP_CPU);
	keys(g.app, "3");
	assert_true(shows(&g, "compress_block") && !shows(&g, "longest_match"));
	keys(g.app, "1fnothing_such\n");
	assert_true(shows(&g, "(Esc climbs)"));
	keys(g.app, ":filter .\n<Esc>");
	assert_int_equal(g.app->zoom->nr, 2);
	assert_true(shows(&g, "longest_match"));
	keys(g.app, "<Esc><Esc><Esc>");
	assert_int_equal(g.app->view, VIEW_TASKS);
	assert_int_equal(g.app->table[VIEW_TASKS].group, GROUP_TASK);
	assert_int_equal(selected(g.app), process);
	assert_true(!g.app->filter && shows(&g, "clang"));
	for (int i = 0; i < ZOOM_LEVELS + 2; i++)
		keys(g.app, "1:group cpu\nO");
	assert_int_equal(g.app->zoom->nr, ZOOM_LEVELS);
	assert_true(shows(&g, "Esc climbs"));
	stage_close(&g);
}

/* A row's line is made of its weight, to the event, whatever was drawn of it before. */
static void test_row_line(void **state)
{
	struct screen s = {"", &shifted, 24, 120, false, "fclang\n<Down><Down><Ticks>", TEXT};
	double bins[40] = {0}, sum = 0;
	bool found = false;
	const struct row *r;
	struct timeline_part p;
	struct window all;
	struct stage g;
	struct query q;

	(void)state;
	draw_screen(&g, &s);
	q = app_query(g.app, &g.app->table[VIEW_FUNCTIONS]);
	all = (struct window){model_first(g.model), model_now(g.model)};
	r = &model_rows(g.model, &q, all)->row[0];
	p = (struct timeline_part){.bins = all, .until = all.to};
	assert_int_equal(model_row_timeline(g.model, &q, r->id, &p, bins, 40), all.to);
	for (int i = 0; i < 40; i++)
		sum += bins[i];
	assert_true(r->self && fabs(sum - (double)r->self) < 1);
	assert_true(shows(&g, "≤") && g.app->line->chosen && g.app->line->upto == all.to);
	sum = 0;
	for (size_t i = 0; i < TIMELINE_MAX; i++)
		sum += g.app->line->bins[i];
	for (size_t i = 0; i < model_rows(g.model, &q, all)->nr; i++) {
		r = &model_rows(g.model, &q, all)->row[i];
		found |= r->key == g.app->line->key && fabs(sum - (double)r->self) < 1;
	}
	assert_true(found);
	stage_close(&g);
}

/* A window picked in the map by keys, and by the mouse, is that of all views, to 100 ms. */
static void test_heat(void **state)
{
	struct screen s = {"", &lossy, 24, 80, false, "<Ticks><Ticks>2a", TEXT};
	struct input in = {.key = INPUT_CLICK};
	struct view_heat_map *map;
	struct stage g;

	(void)state;
	draw_screen(&g, &s);
	keys(g.app, "<Left>v<Down><Down><Enter>");
	assert_true(g.app->view == VIEW_TASKS && g.app->held && g.app->span == 300 * NSEC_PER_MSEC);
	assert_int_equal(app_window(g.app).to - app_window(g.app).from, 300 * NSEC_PER_MSEC);
	assert_int_equal(app_window(g.app).from, model_now(g.model) - 1100 * NSEC_PER_MSEC);
	keys(g.app, "a");
	app_draw(g.app);
	map = &view_heat_state(g.app)->map;
	in.y = map->at.y + 5;
	in.x = map->at.x + 3;
	app_input(g.app, &in);
	in.y++;
	in.x = map->at.x + 4;
	app_input(g.app, &in);
	app_draw(g.app);
	assert_true(shows(&g, "00:00:03.5") && shows(&g, "00:00:04.7, 1.2 s"));
	in.y = map->at.y + 9;
	in.x = map->at.x + 3; /* into what is selected */
	app_input(g.app, &in);
	assert_int_equal(app_window(g.app).from, 3500 * NSEC_PER_MSEC);
	assert_int_equal(app_window(g.app).to, 4700 * NSEC_PER_MSEC);
	assert_true(g.app->view == VIEW_TASKS);
	keys(g.app, "av<Esc>");
	assert_true(g.app->view == VIEW_HEAT && !view_heat_state(g.app)->selecting);
	keys(g.app, "v<Up><End>");
	assert_true(!g.app->held && !view_heat_state(g.app)->selecting && !view_heat_state(g.app)->touched);
	assert_int_equal(g.app->span, 5 * NSEC_PER_SEC); /* as long as before one was picked */
	keys(g.app, "<Home><Up><Left>");
	assert_int_equal(view_heat_state(g.app)->at, model_first(g.model));
	keys(g.app, "<Esc>");
	assert_true(g.app->view == VIEW_TASKS);
	stage_close(&g);
}

/* Of old seconds rows are kept together, but how busy each 100 ms was is known, and that is said. */
static void test_heat_of_old(void **state)
{
	struct screen s = {"", &lossy, 24, 80, false, "<Ticks><Ticks><Ticks><Ticks><Ticks><Ticks><Ticks><Ticks>", TEXT};
	struct stage g;

	(void)state;
	draw_screen(&g, &s);
	keys(g.app, "1a<Home>");
	app_draw(g.app);
	assert_true(shows(&g, "rows only by 1 s"));
	keys(g.app, "<Enter>");
	assert_int_equal(app_window(g.app).to - app_window(g.app).from, NSEC_PER_SEC);
	stage_close(&g);
}

/* Of a long command the begin stands, and all that stands beside a short one. */
static void test_long_command(void **state)
{
	struct screen s = {"", &calm, 24, 80, false, "1", TEXT};
	struct stage g;

	(void)state;
	draw_screen(&g, &s);
	snprintf(g.session->info.target, sizeof(g.session->info.target),
		 "command: /usr/local/bin/some-programme --with-a-long-option=of-this-length --and-another ümläüts");
	app_draw(g.app);
	assert_true(shows(&g, "ringtop") && shows(&g, "web01") && shows(&g, "00:00:04") && shows(&g, "cpu-clock"));
	assert_true(shows(&g, "command: /usr/local/bin…"));
	assert_true(scene_resize(&g.app->scene, 24, 200));
	app_draw(g.app);
	assert_true(shows(&g, "some-programme --with") && shows(&g, "…, 2 CPUs"));
	stage_close(&g);
}

static void test_spikes(void **state)
{
	double bins[10] = {1, 1, 2, 1, 1, 9, 1, 1, 2, 1};

	(void)state;
	assert_true(timeline_spike(bins, 7, 16) == INFINITY);
	assert_true(timeline_spike(bins, 10, 16) == 4); /* a quarter of a full cell */
	assert_true(timeline_spike(bins, 10, 4) == 2);
}

/* What is left by a filter, as a part of all. */
static void test_shown(void **state)
{
	struct screen s = {"", &calm, 24, 120, false, "ftask:clang\n", TEXT};
	struct stage g;

	(void)state;
	draw_screen(&g, &s);
	assert_true(shows(&g, "filter: task:clang  shown 47.0 % of all"));
	keys(g.app, "2");
	assert_true(shows(&g, "shown 47.0 % of all"));
	keys(g.app, "<Esc>");
	assert_true(!shows(&g, "of all  "));
	stage_close(&g);
}

/* What is compared goes on beside other views, follows the filter, and ends by d and by Esc. */
static void test_compare(void **state)
{
	struct screen s = {"", &shifted, 24, 100, false, "d", TEXT};
	struct view_changes_state *c;
	struct stage g;

	(void)state;
	draw_screen(&g, &s);
	c = view_changes_state(g.app);
	assert_true(g.app->comparing && !c->comparison.nr && shows(&g, "no data since the baseline"));
	/* A tenth of a second tells nothing, and no more of a function that has samples on one side alone. */
	advance(&g, 1);
	app_draw(g.app);
	assert_true(c->comparison.nr && !c->comparison.significant && shows(&g, "copy_page"));
	assert_true(!shows(&g, " new") && !shows(&g, " gone"));
	advance(&g, 49);
	app_draw(g.app);
	assert_int_equal(c->comparison.significant, 3);
	assert_true(c->window.from >= c->baseline.to);
	keys(g.app, "2");
	assert_int_equal(g.app->view, VIEW_TASKS);
	keys(g.app, "?<Esc>1");
	assert_int_equal(g.app->view, VIEW_CHANGES);
	keys(g.app, "fparse_expr\n");
	assert_int_equal(c->comparison.nr, 1);
	assert_int_equal(c->comparison.significant, 1);
	keys(g.app, "/parse\n<Enter>");
	assert_int_equal(g.app->view, VIEW_TREE);
	keys(g.app, "<Esc><Esc>1");
	assert_int_equal(g.app->view, VIEW_CHANGES);
	app_set_filter(g.app, "", NULL);
	keys(g.app, "3");
	assert_true(shows(&g, "WAS%") && shows(&g, "now's widths; 6 places changed"));
	keys(g.app, "B");
	assert_true(shows(&g, "NOW%") && shows(&g, "baseline's widths; 6 places changed"));
	keys(g.app, "1d");
	assert_true(!g.app->comparing && g.app->view == VIEW_FUNCTIONS);
	keys(g.app, "3B");
	assert_true(!shows(&g, "WAS%") && shows(&g, "nothing is compared"));
	keys(g.app, "1");
	keys(g.app, "dd3d");
	assert_int_equal(g.app->view, VIEW_CHANGES);
	keys(g.app, "<Esc>");
	assert_true(!g.app->comparing && g.app->view == VIEW_FUNCTIONS);
	stage_close(&g);
}

/* Over, of a hostile name, and its command failed. */
static void past_alert(struct stage *g)
{
	struct alert *a = alerts_add(model_alerts(g->model), 2000000000, "function>3%", "function>3% (\x1b[31mhot 9.0%)");

	a->until = 4000000000;
	snprintf(a->command, sizeof(a->command), "exit 3");
}

/* What stands is said above the tabs, what stood in the window shown, too. */
static void test_alerts(void **state)
{
	static const struct {
		const char *condition;
		struct screen s;
	} alerts[] = {
		{"function>3%:1s", {"alerts-80x24", &calm, 24, 80, false, "", TEXT}},
		{"function>3%:1s", {"alerts-80x24-ascii", &calm, 24, 80, true, "", TEXT}},
		{"function>3%:1s", {"alerts-80x24-roles", &calm, 24, 80, false, "", ROLES}},
		{"function>3%:1s", {"alerts-120x40", &calm, 40, 120, false, "", TEXT}},
		{"function>3%:1s", {"alerts-40x10", &calm, 10, 40, false, "", TEXT}},
		{NULL, {"alerts-over", &shifted, 24, 100, false, "<Ticks><Left>", TEXT}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(alerts) / sizeof(*alerts); i++) {
		struct conditions conditions = {.nr = 0};
		struct stage g;

		stage_open(&g, alerts[i].s.config, alerts[i].s.ascii);
		if (alerts[i].condition)
			assert_int_equal(conditions_add(&conditions, CONDITIONS_ALERT, alerts[i].condition, NULL), 0);
		else
			past_alert(&g);
		g.app->options.conditions = &conditions;
		assert_true(scene_resize(&g.app->scene, alerts[i].s.rows, alerts[i].s.cols));
		advance(&g, TICKS);
		app_draw(g.app);
		keys(g.app, alerts[i].s.keys);
		compare_golden(alerts[i].s.name, dump(g.app, alerts[i].s.look));
		stage_close(&g);
	}
}

/* A mark is of the moment when it was asked for, or of the end of a window of the past. */
static void test_marks(void **state)
{
	struct screen s = {"", &shifted, 24, 100, false, "mone<Ticks>\n", TEXT};
	const struct mark *mark;
	uint64_t then = TICKS * 100000000ull;
	struct stage g;

	(void)state;
	draw_screen(&g, &s);
	assert_int_equal(model_marks(g.model, &mark), 1);
	assert_int_equal(mark[0].time, then);
	assert_string_equal(mark[0].name, "one");
	keys(g.app, "m<Esc>--<Left>");
	assert_true(g.app->held);
	keys(g.app, ":mark one\n");
	assert_int_equal(model_marks(g.model, &mark), 2);
	assert_int_equal(mark[1].time, app_window(g.app).to);
	keys(g.app, "<End>:jump 1\n");
	assert_int_equal(app_window(g.app).from, then);
	keys(g.app, ":jump one\n"); /* the newest of that name */
	assert_int_equal(app_window(g.app).from, mark[1].time);
	keys(g.app, ":jump two\n");
	assert_true(shows(&g, "there is no mark 'two'"));
	marking_set(g.app, marking_time(g.app), "\x1b[31mred\xff\xe2\x80\xae\n");
	keys(g.app, "'");
	for (const char *c = dump(g.app, TEXT); *c; c++)
		assert_true(*c == '\n' || (unsigned char)*c >= 0x20);
	assert_true(shows(&g, "[31mred"));
	model_zero(g.model);
	assert_int_equal(model_marks(g.model, &mark), 0);
	stage_close(&g);
}

/* A function opens into its hosts, one of them into it there, that into its callers; Esc all the way back. */
static void test_open_hosts(void **state)
{
	struct screen s = {"", &three_hosts, 24, 80, false, "ftask:gzip\n<Down>", TEXT};
	struct stage g;
	uint64_t key;

	(void)state;
	draw_screen(&g, &s);
	key = selected(g.app);
	assert_true(shows(&g, "longest_match"));
	keys(g.app, "<Enter>");
	assert_int_equal(g.app->table[VIEW_FUNCTIONS].group, GROUP_HOST);
	assert_true(shows(&g, "web01 ") && shows(&g, "root@web02 ") && shows(&g, "web03 "));
	keys(g.app, "<Enter>");
	assert_int_equal(g.app->table[VIEW_FUNCTIONS].group, GROUP_FUNCTION);
	assert_true(shows(&g, "root@web") && !shows(&g, "(3)"));
	assert_int_equal(selected(g.app), key);
	keys(g.app, "<Enter>");
	assert_int_equal(g.app->view, VIEW_TREE);
	keys(g.app, "1<Esc><Esc>");
	assert_string_equal(g.app->filter_text, "task:gzip");
	assert_int_equal(selected(g.app), key);
	assert_int_equal(g.app->table[VIEW_FUNCTIONS].group, GROUP_FUNCTION);
	keys(g.app, "<Esc>");
	assert_null(g.app->filter);
	stage_close(&g);
}

/* The newest that is written, or that of a number; what nobody has written is nobody's. */
static void test_fetch(void **state)
{
	struct screen s = {"", &aux_snapshot, 24, 80, false, "7F", TEXT};
	struct stage g;

	(void)state;
	draw_screen(&g, &s);
	assert_true(shows(&g, "it is already on this machine: "));
	keys(g.app, ":fetch 99\n");
	assert_true(shows(&g, "no file of that number"));
	stage_close(&g);
	s.config = &calm;
	draw_screen(&g, &s);
	assert_true(shows(&g, "no file is written yet"));
	keys(g.app, ":record r.data\n<Tick>R<Tick>F");
	assert_true(shows(&g, "it is already on this machine: was.data"));
	stage_close(&g);
	s.config = &(const struct synth_config){.hosts = 1, .aux = SYNTH_AUX_SNAPSHOT};
	draw_screen(&g, &s);
	keys(g.app, "F");
	assert_true(shows(&g, "fetching "));
	stage_close(&g);
}

/* While the counters are stopped the window stands at the last of what they counted. */
static void test_pause_stands(void **state)
{
	struct screen s = {"", &calm, 24, 80, false, "1p<Tick>", TEXT};
	struct stage g;
	struct window w;

	(void)state;
	draw_screen(&g, &s);
	keys(g.app, "<Tick><Esc>");
	w = app_window(g.app);
	assert_int_equal(w.to, (TICKS + 1) * 100000000ull); /* one more was counted */
	advance(&g, 200);
	app_draw(g.app);
	assert_int_equal(app_window(g.app).to, w.to);
	compare_golden("functions-paused", dump(g.app, TEXT));
	keys(g.app, "-<Left>");
	assert_true(g.app->held && app_window(g.app).to < w.to);
	keys(g.app, "<Right><Right>");
	assert_false(g.app->held);
	assert_int_equal(app_window(g.app).to, w.to);
	keys(g.app, "p<Tick>");
	assert_int_equal(app_window(g.app).to, model_now(g.model));
	stage_close(&g);
}

/* Of a wait that was runnable at its end both parts are told: 45 and 15 of 60 ms a tick. */
static void test_wait_splits(void **state)
{
	static const struct synth_config queued = {.off_cpu = true, .queued = true, .callchains = true};
	struct screen s = {"", &queued, 50, 200, false, "2oi", TEXT};
	char until[UNITS_LEN], then[UNITS_LEN], text[100];
	struct stage g;

	(void)state;
	draw_screen(&g, &s);
	snprintf(text, sizeof(text), ": until woken %s, then runnable %s", units_span(until, TICKS * 45000000ull),
		 units_span(then, TICKS * 15000000ull));
	assert_true(shows(&g, text));
	assert_true(shows(&g, ": runnable all the time"));
	stage_close(&g);
}

/* With no other event nothing stands beside, and what comes later was not asked for. */
static void test_beside_nothing(void **state)
{
	static const char *const asked[] = {"|", "||", "%", "|%"};
	struct screen s = {"", &calm, 24, 80, false, "", TEXT};
	struct stage g;

	(void)state;
	for (size_t i = 0; i < sizeof(asked) / sizeof(*asked); i++) {
		s.keys = asked[i];
		draw_screen(&g, &s);
		assert_false(g.app->beside->on);
		assert_false(g.app->beside->ratio);
		assert_true(shows(&g, "the session has no other event: E adds one"));
		stage_close(&g);
	}
}

/* Of a snapshot that is written the message says where it is and what opens it. */
static void test_snapshot_opens(void **state)
{
	static const char file[] = "ringtop-snapshot-20260101-120001-1.data";
	struct screen s = {"", &aux_snapshot, 24, 200, false, "", TEXT};
	char text[200];
	struct stage g;

	(void)state;
	draw_screen(&g, &s);
	snprintf(text, sizeof(text), "snapshot 1 is in %s: ringtop -i %s opens it", file, file);
	assert_true(shows(&g, text));
	stage_close(&g);
}

/* What cannot be had again is not thrown away by one key; and nothing of a recording is. */
static void test_zero_asks(void **state)
{
	struct screen s = {"", &calm, 24, 80, false, "1z", TEXT};
	struct stage g;

	(void)state;
	draw_screen(&g, &s);
	assert_true(shows(&g, "press z again to discard all measurements"));
	assert_int_equal(model_first(g.model), 0);
	keys(g.app, "jz");
	assert_int_equal(model_first(g.model), 0);
	keys(g.app, "z");
	assert_int_equal(model_first(g.model), model_now(g.model));
	advance(&g, 10);
	keys(g.app, ":zero\n");
	assert_int_equal(model_first(g.model), model_now(g.model));
	stage_close(&g);
	s.config = &reading;
	s.keys = "1zz:zero\n";
	draw_screen(&g, &s);
	assert_true(shows(&g, "this is a recording"));
	assert_int_equal(model_first(g.model), 0);
	assert_true(shows(&g, "compress_block"));
	stage_close(&g);
}

/* Paused, and then all is forgotten: the moment of the pause lies before all there is. */
static void test_zero_while_paused(void **state)
{
	struct screen s = {"", &calm, 24, 80, false, "1p<Tick>", TEXT};
	struct stage g;

	(void)state;
	draw_screen(&g, &s);
	advance(&g, 200);
	keys(g.app, "zz");
	app_draw(g.app);
	advance(&g, 200);
	for (const char *k = "123456"; *k; k++) {
		keys(g.app, (char[]){*k, '\0'});
		app_draw(g.app);
	}
	assert_true(app_now(g.app) >= model_first(g.model));
	stage_close(&g);
}

/* The way back from the past is said, and Esc is one; the last row is no way out. */
static void test_way_back(void **state)
{
	struct screen s = {"", &calm, 24, 80, false, "1--<Left>", TEXT};
	struct stage g;
	struct list *l;

	(void)state;
	draw_screen(&g, &s);
	l = &g.app->table[VIEW_FUNCTIONS].list;
	assert_true(shows(&g, " End Live F1 Help"));
	keys(g.app, "G");
	assert_true(g.app->held);
	assert_int_equal(l->index, l->count - 1);
	keys(g.app, "fgzip\n<Esc>");
	assert_false(g.app->held);
	assert_non_null(g.app->filter);
	assert_false(shows(&g, "End Live"));
	keys(g.app, "<Esc> ");
	assert_null(g.app->filter);
	assert_true(g.app->frozen);
	assert_false(shows(&g, "Space Freeze"));
	keys(g.app, "i<Esc>");
	assert_true(g.app->frozen);
	keys(g.app, "<Esc>");
	assert_false(g.app->held || g.app->frozen);
	stage_close(&g);
}

/* Back through what is merged: a window is what is kept, and each begins where the last one ended. */
static void test_past(void **state)
{
	struct stage g;
	uint64_t to;

	(void)state;
	stage_open(&g, &calm, false);
	assert_true(scene_resize(&g.app->scene, 24, 80));
	advance(&g, 7003);
	keys(g.app, ":window 300\n<Left><Left>:window 5\n<Left><Left>");
	compare_golden("functions-past", dump(g.app, TEXT));
	do {
		to = app_window(g.app).from;
		keys(g.app, "<Left>");
		assert_null(strstr(dump(g.app, TEXT), "waiting"));
		assert_null(strstr(dump(g.app, TEXT), "no samples"));
		assert_int_equal(to ? app_window(g.app).to : 0, to);
	} while (to);
	for (int i = 0; i < 200 && g.app->held; i++) {
		to = app_window(g.app).to;
		keys(g.app, "<Right>");
		assert_true(!g.app->held || app_window(g.app).from == to);
	}
	assert_false(g.app->held);
	stage_close(&g);
}

/* Where old slices were thinned, the views say so. */
static void test_thinned_is_said(void **state)
{
	struct synth_config c = {.functions = 300, .strangers = 40, .callchains = true};
	struct stage g;

	(void)state;
	stage_open_within(&g, &c, false, 11u << 20);
	assert_true(scene_resize(&g.app->scene, 24, 80));
	advance(&g, 900);
	keys(g.app, "1:window 1\n"); /* the newest second is never merged */
	assert_false(shows(&g, "names thinned here"));
	keys(g.app, ":window 30\n<Left><Left>");
	compare_golden("functions-thinned", dump(g.app, TEXT));
	keys(g.app, "2");
	assert_false(shows(&g, "thinned"));
	keys(g.app, "3");
	assert_true(shows(&g, "call paths thinned here"));
	keys(g.app, "4");
	assert_true(shows(&g, "call paths thinned here"));
	keys(g.app, "1<Esc>:window 1\n");
	assert_false(shows(&g, "thinned here"));
	stage_close(&g);
}

/* What is kept may be less than the run: then the legend does not call it all. */
static void test_forgotten_is_said(void **state)
{
	struct synth_config c = {.functions = 300, .strangers = 40, .callchains = true};
	struct stage g;

	(void)state;
	stage_open_within(&g, &c, false, 4u << 20);
	assert_true(scene_resize(&g.app->scene, 24, 80));
	advance(&g, 20);
	keys(g.app, "1:window 60\n");
	assert_true(shows(&g, "all of 2 s"));
	assert_false(shows(&g, " kept"));
	advance(&g, 3000);
	keys(g.app, ":window 2\n");
	assert_true(shows(&g, " kept"));
	stage_close(&g);
}

/* Where all that is on the screen was forgotten before the next refresh, a key shows what is there now. */
static void test_forgotten_moves_on(void **state)
{
	struct synth_config c = {.functions = 300, .strangers = 40, .callchains = true};
	struct stage g;

	(void)state;
	stage_open_within(&g, &c, false, 4u << 20);
	assert_true(scene_resize(&g.app->scene, 24, 80));
	app_draw(g.app);
	assert_true(shows(&g, "waiting for the first samples"));
	advance(&g, 20);
	app_draw(g.app);
	assert_true(shows(&g, "00:00:02"));
	take_ticks(&g, 3000);
	assert_true(model_first(g.model) > g.app->to); /* or this tests nothing */
	keys(g.app, "j");
	assert_false(shows(&g, "waiting for"));
	assert_false(shows(&g, "forgotten"));
	assert_true(shows(&g, "00:05:02"));
	stage_close(&g);
}

static const struct zone *find_zone(const struct app *a, enum zone_kind kind, uint64_t value)
{
	for (unsigned i = 0; i < a->nzones; i++)
		if (a->zones[i].kind == kind && a->zones[i].value == value)
			return &a->zones[i];
	fail_msg("nothing to click");
	return NULL;
}

static void click(struct app *a, enum zone_kind kind, uint64_t value)
{
	const struct zone *z = find_zone(a, kind, value);

	app_input(a, &(struct input){.key = INPUT_CLICK, .y = z->at.y, .x = z->at.x});
	app_draw(a);
}

static void test_mouse(void **state)
{
	struct screen s = {"", &calm, 24, 80, false, "1", TEXT};
	struct stage g;
	struct app *a;

	(void)state;
	draw_screen(&g, &s);
	a = g.app;
	click(a, ZONE_ROW, 4);
	assert_int_equal(a->table[VIEW_FUNCTIONS].list.index, 4);
	keys(a, "i");
	assert_true(a->panel);
	keys(a, "<Esc>");
	assert_false(a->panel);
	click(a, ZONE_ROW, 4);
	assert_int_equal(a->view, VIEW_TREE);
	keys(a, "<Esc>");
	assert_int_equal(a->view, VIEW_FUNCTIONS);
	click(a, ZONE_SORT, SORT_OBJECT);
	assert_int_equal(a->table[VIEW_FUNCTIONS].sort, SORT_OBJECT);
	assert_false(a->table[VIEW_FUNCTIONS].reverse);
	click(a, ZONE_SORT, SORT_OBJECT);
	assert_true(a->table[VIEW_FUNCTIONS].reverse);
	click(a, ZONE_VIEW, VIEW_BUFFERS);
	assert_int_equal(a->view, VIEW_BUFFERS);
	keys(a, "1g");
	click(a, ZONE_MENU, GROUP_CPU);
	assert_int_equal(a->table[VIEW_FUNCTIONS].group, GROUP_CPU);
	for (unsigned i = 0; i < a->nzones; i++)
		if (a->zones[i].kind == ZONE_TIME) {
			click(a, ZONE_TIME, a->zones[i].value);
			break;
		}
	assert_true(a->held);
	app_input(a, &(struct input){.key = INPUT_CLICK, .y = -5, .x = 1000});
	app_input(a, &(struct input){.key = INPUT_WHEEL_DOWN, .y = 10, .x = 10});
	app_draw(a);
	stage_close(&g);
}

/* Every action by name, with and without nonsense behind it, in every view and over everything
 * open. */
static void test_every_action(void **state)
{
	static const char *const args[] = {"", "x", "all", "-1", "task", "9e99"};
	struct stage g;

	(void)state;
	stage_open(&g, &lossy, false);
	advance(&g, TICKS);
	for (int v = 0; v < VIEW_NR; v++)
		for (size_t i = 0; i < actions_nr; i++)
			for (size_t n = 0; n < sizeof(args) / sizeof(args[0]); n++) {
				app_show(g.app, (enum view_id)v);
				app_draw(g.app);
				action_run(g.app, &actions[i], args[n]);
				app_draw(g.app);
				press(g.app, INPUT_ESC);
			}
	assert_true(g.app->quit);
	stage_close(&g);
}

static void test_end_of_session(void **state)
{
	struct synth_config config = {.command = true, .end_ticks = 10};
	struct stage g;
	bool rows;

	(void)state;
	stage_open(&g, &config, false);
	synth_advance(g.session, 20);
	assert_int_equal(app_take(g.app, UINT64_MAX, &rows, NULL), -ESHUTDOWN);
	assert_true(g.app->ended);
	assert_true(g.app->end.command);
	app_follow(g.app);
	app_draw(g.app);
	assert_non_null(strstr(dump(g.app, TEXT), "ENDED"));
	stage_close(&g);
	config = (struct synth_config){.end_ticks = 5, .fail = EIO};
	stage_open(&g, &config, false);
	synth_advance(g.session, 20);
	assert_int_equal(app_take(g.app, UINT64_MAX, &rows, NULL), -EIO);
	stage_close(&g);
}

/* The code stands, whatever comes in; and every way in has its way back. */
/* No sample is in two rows, or in none, however the code is listed. */
static uint64_t shown_weight(const struct app *a, enum listing_kind kind)
{
	const struct listing *l = &view_code_state(a)->listing;
	uint64_t sum = 0;

	for (size_t i = 0; i < l->nr; i++)
		sum += l->row[i].kind == kind ? l->row[i].weight : 0;
	return sum;
}

/* A row by line opens its code where that is, and its source is the line's. */
static void test_line_rows(void **state)
{
	struct screen s = {"", &lined, 24, 100, false, "1:group line\n/deflate.c:48\n", TEXT};
	static struct editor_file f;
	struct stage g;

	(void)state;
	draw_screen(&g, &s);
	f = (struct editor_file){.line = 0};
	assert_true(views[VIEW_FUNCTIONS]->source(g.app, &f));
	assert_string_equal(f.path, "/src/zlib/deflate.c");
	assert_int_equal(f.line, 48);
	assert_string_equal(f.text, "");
	keys(g.app, "<Enter><Tick>");
	assert_int_equal(g.app->view, VIEW_CODE);
	assert_int_equal(selected(g.app), (0x3a10ull + 0x21) << 1); /* imulq, of that line */
	assert_true(shows(&g, "compress_block"));
	keys(g.app, "<Esc><Esc>"); /* the search, the view */
	assert_int_equal(g.app->view, VIEW_FUNCTIONS);
	keys(g.app, "/do_sysc\n");
	assert_false(views[VIEW_FUNCTIONS]->source(g.app, &f));
	keys(g.app, "/deflate.c:48\nO");
	assert_int_equal(g.app->table[VIEW_FUNCTIONS].group, GROUP_FUNCTION);
	assert_true(shows(&g, "deflate.c:48") && shows(&g, "compress_block") && !shows(&g, "parse_expr"));
	stage_close(&g);
}

static void test_code_selection(void **state)
{
	struct screen s = {"", &code, 24, 80, false, "15<Tick>/jne\n", TEXT};
	struct stage g;
	uint64_t jump, callee, weight;

	(void)state;
	draw_screen(&g, &s);
	jump = selected(g.app);
	advance(&g, 20);
	for (int size = 50; size > 0; size -= 7) {
		assert_true(scene_resize(&g.app->scene, size, size * 2));
		app_draw(g.app);
		assert_int_equal(selected(g.app), jump);
	}
	assert_true(scene_resize(&g.app->scene, 24, 80));
	weight = shown_weight(g.app, LISTING_INSN);
	assert_int_not_equal(weight, 0);
	keys(g.app, "v"); /* to its line, and from that to its hottest instruction */
	assert_int_not_equal(selected(g.app), jump);
	assert_int_equal(shown_weight(g.app, LISTING_LINE), weight);
	keys(g.app, "v");
	assert_int_equal(shown_weight(g.app, LISTING_INSN), weight);
	keys(g.app, "v<Esc>/jne\n");
	assert_int_equal(selected(g.app), jump);
	keys(g.app, "<Enter>");
	assert_int_not_equal(selected(g.app), jump);
	keys(g.app, "H");
	assert_int_equal(selected(g.app), (0x3a10ull + 0x10) << 1); /* the hottest */
	keys(g.app, "<Esc>/callq\n<Esc>");
	callee = selected(g.app);
	keys(g.app, "<Enter><Tick>");
	assert_non_null(strstr(dump(g.app, TEXT), " longest_match  libz"));
	keys(g.app, "<Esc>");
	assert_int_equal(selected(g.app), callee);
	assert_non_null(strstr(dump(g.app, TEXT), " compress_block  libz"));
	keys(g.app, "<Esc>");
	assert_int_equal(g.app->view, VIEW_FUNCTIONS);
	keys(g.app, "<Tab><Tab><Tab><Tab>"); /* still there */
	assert_int_equal(g.app->view, VIEW_CODE);
	assert_int_equal(selected(g.app), callee);
	stage_close(&g);
}

/* How many cells change from one refresh to the next, of ten. */
static unsigned cells_changing(struct stage *g)
{
	static struct cell before[24 * 80];
	unsigned changed = 0;

	for (int i = 0; i < 10; i++) {
		app_draw(g->app);
		memcpy(before, g->app->scene.cells, sizeof(before));
		advance(g, 10);
		app_draw(g->app);
		for (size_t c = 0; c < 24 * 80; c++)
			changed += memcmp(&before[c], &g->app->scene.cells[c], sizeof(*before)) != 0;
	}
	return changed / 10;
}

/* A refresh of a steady load must not rewrite the screen: few cells change from one to the next. */
static void test_steady_screen(void **state)
{
	struct stage g;

	(void)state;
	stage_open(&g, &calm, false);
	advance(&g, 100);
	assert_in_range(cells_changing(&g), 1, 200);
	stage_close(&g);
}

/* The same node stays selected, whatever comes in and however large the screen is. */
static void test_tree_selection(void **state)
{
	struct screen s = {"", &deep, 24, 80, false, "3/hash\n", TEXT};
	struct stage g;
	uint64_t key;

	(void)state;
	draw_screen(&g, &s);
	key = selected(g.app);
	assert_int_not_equal(key, 0);
	advance(&g, 20);
	for (int size = 50; size > 0; size -= 7) {
		assert_true(scene_resize(&g.app->scene, size, size * 2));
		app_draw(g.app);
		assert_int_equal(selected(g.app), key);
	}
	assert_true(scene_resize(&g.app->scene, 24, 80));
	keys(g.app, "<Left>");
	assert_int_not_equal(selected(g.app), key);
	keys(g.app, "<Left><Right>n");
	assert_int_equal(selected(g.app), key);
	stage_close(&g);
}

/* Keys that come together do what they do one after the other. */
static void test_keys_together(void **state)
{
	struct screen s = {"", &calm, 24, 80, false, "1", TEXT};
	struct stage together, apart;

	(void)state;
	draw_screen(&together, &s);
	app_input(together.app, &(struct input){.key = INPUT_DOWN});
	app_input(together.app, &(struct input){.key = INPUT_DOWN});
	app_input(together.app, &(struct input){.key = '5'});
	draw_screen(&apart, &s);
	for (int i = 0; i < 2; i++) {
		app_input(apart.app, &(struct input){.key = INPUT_DOWN});
		app_draw(apart.app);
	}
	app_input(apart.app, &(struct input){.key = '5'});
	assert_string_equal(view_code_state(together.app)->now.name, view_code_state(apart.app)->now.name);
	assert_true(view_code_state(together.app)->now.name[0]);
	assert_string_not_equal(view_code_state(together.app)->now.name, "compress_block"); /* the first row */
	stage_close(&together);
	stage_close(&apart);
}

/*
 * Press so many of a key at once, as one that is held while the screen is late leaves them.  Return the frames drawn
 * for it.
 */
static uint64_t hold(struct app *a, uint32_t key, int times)
{
	uint64_t before = a->drawn;

	for (int i = 0; i < times; i++)
		app_input(a, &(struct input){.key = key});
	app_draw(a);
	return a->drawn - before;
}

/* A key that is held is worked off with one frame, one tree and one layout, and does what single ones do. */
static void test_held_keys(void **state)
{
	struct screen s = {"", &calm, 24, 80, false, "4", TEXT}, tree = {"", &deep, 24, 80, false, "3H", TEXT};
	struct stage held, single;
	uint64_t layouts, made, start;

	(void)state;
	draw_screen(&held, &s);
	draw_screen(&single, &s);
	keys(held.app, "<Down><Left><Left><Left><Left>");
	keys(single.app, "<Down><Left><Left><Left><Left>");
	layouts = view_flame_state(held.app)->layouts;
	made = view_flame_state(held.app)->laid.made;
	start = view_flame_state(held.app)->selected;
	assert_int_equal(hold(held.app, INPUT_RIGHT, 60), 1);
	assert_int_not_equal(view_flame_state(held.app)->selected, start);
	for (int i = 0; i < 60; i++)
		keys(single.app, "<Right>");
	assert_int_equal(view_flame_state(held.app)->selected, view_flame_state(single.app)->selected);
	assert_int_equal(view_flame_state(held.app)->layouts, layouts);
	assert_true(made && view_flame_state(held.app)->laid.made == made);
	keys(held.app, "/e\n");
	keys(single.app, "/e\n");
	assert_int_equal(hold(held.app, 'n', 61), 1);
	for (int i = 0; i < 61; i++)
		keys(single.app, "n");
	assert_int_equal(view_flame_state(held.app)->selected, view_flame_state(single.app)->selected);
	assert_int_equal(view_flame_state(held.app)->layouts, layouts);
	stage_close(&held);
	stage_close(&single);
	draw_screen(&held, &tree);
	draw_screen(&single, &tree);
	keys(held.app, "/e\n");
	keys(single.app, "/e\n");
	for (const char *c = "nN\njk"; *c; c++) {
		uint32_t key = *c == '\n' ? INPUT_ENTER : (uint32_t)*c;

		assert_int_equal(hold(held.app, key, 59), 1);
		for (int i = 0; i < 59; i++)
			press(single.app, key);
		assert_int_equal(selected(held.app), selected(single.app));
	}
	stage_close(&held);
	stage_close(&single);
}

static void test_flame_selection(void **state)
{
	struct screen s = {"", &deep, 24, 80, false, "4/descend\n", TEXT};
	struct stage g;
	uint64_t key, root;

	(void)state;
	draw_screen(&g, &s);
	key = view_flame_state(g.app)->selected;
	root = view_flame_state(g.app)->box[0].id;
	assert_int_not_equal(key, root);
	advance(&g, 20);
	assert_true(scene_resize(&g.app->scene, 50, 200));
	app_draw(g.app);
	assert_int_equal(view_flame_state(g.app)->selected, key);
	keys(g.app, "<Enter>");
	assert_int_equal(view_flame_state(g.app)->box[0].id, key);
	assert_int_equal(view_flame_state(g.app)->box[0].cols, 200);
	keys(g.app, "<Esc><Esc>");
	assert_int_equal(view_flame_state(g.app)->box[0].id, root);
	assert_int_equal(view_flame_state(g.app)->selected, key);
	keys(g.app, "<Up>");
	assert_int_not_equal(view_flame_state(g.app)->selected, key);
	app_input(g.app, &(struct input){.key = INPUT_CLICK, .y = 6, .x = 199});
	app_draw(g.app);
	stage_close(&g);
}

static char written[256];

static int write_noted(struct model *arg, const struct query *q, struct window w, const struct ui_compared *was, const char *format,
		       const char *file, struct err *err)
{
	(void)arg;
	(void)q;
	assert_true(w.to > w.from);
	if (was) /* no time is in both, and no more is named than on the screen */
		assert_true(was->how.again && was->model && was->window.to > was->window.from && was->window.to <= w.from);
	snprintf(written, sizeof(written), "%s|%s%s%s", format, file, was ? "|" : "", was ? was->name : "");
	return !strcmp(file, "bad") ? err_set(err, EACCES, "not there") : was && !strcmp(format, "pprof");
}

/* What is compared is written so, where the format can. */
static void test_write_compared(void **state)
{
	static const char *const formats[] = {"folded", "pprof", NULL};
	struct screen s = {"", &shifted, 24, 80, false, "1<Ticks>d<Ticks>", TEXT};
	struct stage g;

	(void)state;
	draw_screen(&g, &s);
	g.app->options.write = write_noted;
	g.app->options.formats = formats;
	keys(g.app, ":write folded:x\n");
	assert_string_equal(written, "folded|x|the time from 4.7 s to 9.7 s");
	assert_non_null(strstr(g.app->message, "x written, with changes"));
	keys(g.app, ":write pprof:y\n");
	assert_non_null(strstr(g.app->message, "y written, without the comparison: not in this format"));
	keys(g.app, "d:write folded:z\n");
	assert_string_equal(written, "folded|z");
	assert_string_equal(g.app->message, "z written");
	stage_close(&g);
}

static void test_write(void **state)
{
	static const char *const formats[] = {"folded", "pprof", NULL};
	struct screen s = {"", &deep, 24, 80, false, "4", TEXT};
	struct stage g;

	(void)state;
	draw_screen(&g, &s);
	keys(g.app, "wfolded:x\n");
	assert_string_equal(written, "");
	keys(g.app, "<Esc>");
	g.app->options.write = write_noted;
	g.app->options.formats = formats;
	keys(g.app, "w<Tab>a:b\n");
	assert_string_equal(written, "pprof|a:b");
	keys(g.app, ":write folded:bad\n");
	assert_non_null(strstr(g.app->message, "not there"));
	written[0] = '\0';
	keys(g.app, ":write nonsense:x\n");
	assert_string_equal(written, "");
	stage_close(&g);
}

/* Boxes stay where they are: a refresh costs a terminal as little as one of rows does. */
static void test_steady_flame(void **state)
{
	struct stage g;

	(void)state;
	stage_open(&g, &deep, false);
	advance(&g, 100);
	keys(g.app, "4");
	assert_in_range(cells_changing(&g), 1, 300);
	stage_close(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_golden),          cmocka_unit_test(test_nothing_escapes),
		cmocka_unit_test(test_any_size),        cmocka_unit_test(test_selection_stays),
		cmocka_unit_test(test_quit_asks), cmocka_unit_test(test_behind),
		cmocka_unit_test(test_columns_are_explained),
		cmocka_unit_test(test_freeze_holds),    cmocka_unit_test(test_past),
		cmocka_unit_test(test_thinned_is_said), cmocka_unit_test(test_forgotten_is_said),
		cmocka_unit_test(test_forgotten_moves_on),
		cmocka_unit_test(test_zoom), cmocka_unit_test(test_shown), cmocka_unit_test(test_row_line),
		cmocka_unit_test(test_long_command), cmocka_unit_test(test_heat), cmocka_unit_test(test_heat_of_old),
		cmocka_unit_test(test_spikes),
		cmocka_unit_test(test_compare),
		cmocka_unit_test(test_marks),
		cmocka_unit_test(test_alerts),
		cmocka_unit_test(test_open_hosts),
		cmocka_unit_test(test_fetch),
		cmocka_unit_test(test_pause_stands),    cmocka_unit_test(test_zero_asks), cmocka_unit_test(test_wait_splits),
		cmocka_unit_test(test_beside_nothing), cmocka_unit_test(test_snapshot_opens),
		cmocka_unit_test(test_way_back),	cmocka_unit_test(test_zero_while_paused),
		cmocka_unit_test(test_mouse),
		cmocka_unit_test(test_every_action),    cmocka_unit_test(test_end_of_session),
		cmocka_unit_test(test_steady_screen),   cmocka_unit_test(test_steady_flame),
		cmocka_unit_test(test_tree_selection),  cmocka_unit_test(test_keys_together), cmocka_unit_test(test_held_keys),
		cmocka_unit_test(test_flame_selection),
		cmocka_unit_test(test_write), cmocka_unit_test(test_write_compared),           cmocka_unit_test(test_line_rows), cmocka_unit_test(test_code_selection),
	};

	setenv("TZ", "UTC", 1);
	tzset();
	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
