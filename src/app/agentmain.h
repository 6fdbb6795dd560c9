/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * agentmain - `ringtop --agent`: the process that ringtop starts on another machine over ssh
 * (link/agent/agent.h).
 *
 *   --agent                  serves a session over stdin and stdout until they end
 *   --agent --resume TOKEN   hands stdin and stdout over to an agent that is still running
 *   --agent --wire           prints the version of its wire protocol: "ringtop-wire 1.0"
 *
 * Threads: the main one.
 */
#ifndef RINGTOP_APP_AGENTMAIN_H
#define RINGTOP_APP_AGENTMAIN_H

#define AGENT_ARGUMENT "--agent"

int agentmain_run(int argc, char *argv[]); /* returns the exit status */

#endif
