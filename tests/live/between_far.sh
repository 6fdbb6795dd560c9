#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# between_live.sh over -H: its host is this machine, instead of ssh there is a shell.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/far.sh"
need_root
far_shell
far=(-H there --ssh "$far_shell")
. "$(dirname "$0")/between_live.sh"
