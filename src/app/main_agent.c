/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * main_agent - ringtop-agent: a session here for a screen on another machine, and nothing else.
 * One static file without screen, reports and disassembler, which `ringtop -H` sends to machines
 * without ringtop.
 */
#include <stdio.h>
#include <string.h>

#include "app/agentmain.h"
#include "app/helpermain.h"
#include "app/start.h"

static const char about[] =
	"ringtop-agent is the far end of `ringtop -H HOST`, which starts it there with --agent;\n"
	"by itself it shows nothing.  Usage: ringtop-agent --agent | --version\n";

int main(int argc, char *argv[])
{
	const char *word = argc > 1 ? argv[1] : "";

	if (!strcmp(word, HELPER_ARGUMENT))
		return helpermain(argc, argv);
	start_process();
	if (!strcmp(word, AGENT_ARGUMENT))
		return agentmain_run(argc, argv);
	if (!strcmp(word, "--version"))
		return printf("ringtop-agent " RINGTOP_VERSION "\n") < 0 || fflush(stdout);
	fputs(about, stderr);
	return EXIT_USAGE;
}
