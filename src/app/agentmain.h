/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * agentmain - `ringtop --agent`: the process that ringtop starts on another machine over ssh (link/agent/agent.h).
 *
 *   --agent                  talks over stdin and stdout until they end
 *   --agent --resume TOKEN   hands them over to an agent that lives on
 *   --agent --wire           says which wire it speaks: "ringtop-wire 1.0"
 *
 * Threads: the main one.
 */
#ifndef RINGTOP_APP_AGENTMAIN_H
#define RINGTOP_APP_AGENTMAIN_H

#define AGENT_ARGUMENT "--agent"

int agentmain_run(int argc, char *argv[]); /* the exit status */

#endif
