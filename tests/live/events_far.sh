#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# events_live.sh over -H: its host is this machine, instead of ssh there is a shell.  What is refused there is said with
# the host's name.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/far.sh"
need_root
far_shell
far=(-H there --ssh "$far_shell")
refuser="there: "
. "$(dirname "$0")/events_live.sh"
pass "who refuses it is said"
