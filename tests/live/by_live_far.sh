#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# by_live.sh over -H: its host is this machine, instead of ssh there is a shell.  What is refused there is said with
# the host's name.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/far.sh"
need_root
far_shell
far=(-H there --ssh "$far_shell")
. "$(dirname "$0")/by_live.sh"
has_text "$tmp/screen" "there: .*nosuch" || fail "what the kernel says has no host"
pass "who refuses it is said"
