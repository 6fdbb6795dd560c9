/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "link/remote/bootscript.h"

#include "base/text.h"

/* Logins without a terminal often have a short PATH. */
static const char ask[] =
	"PATH=$PATH:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin\n"
	"say() { printf '\\n%s %s\\n' \"$n\" \"$*\"; }\n"
	"v=; t=-\n"
	"if p=$(command -v ringtop); then v=$(\"$p\" --agent --wire </dev/null 2>/dev/null); fi\n"
	"for i in 'head -c 2' gzip sha256sum; do ! echo | $i >/dev/null 2>&1 || t=$t,${i%% *}; "
	"done\n"
	"! command -v sudo >/dev/null || t=$t,sudo\n"
	"say ask \"$(uname -s)\" \"$(uname -m)\" \"$(id -u)\" $t \"${v#ringtop-wire }\"\n";

static const char run[] =
	"run() {\n"
	"	say run\n"
	"	[ $s = 0 ] || exec sudo -S -p \"$n\" -- \"$x\" $a\n"
	"	exec \"$x\" $a\n"
	"}\n";

static const char installed[] =
	"x=$p; run\n";

static const char cached[] =
	"good() { set -- $($check <\"$1\" 2>/dev/null); [ \"$1 $2\" = \"$want\" ]; }\n"
	"c=${XDG_CACHE_HOME:-${HOME:-/}/.cache}/ringtop/agent-$h\n"
	"if [ -f \"$c\" ] && [ -O \"$c\" ] && good \"$c\" && \"$c\" --agent --wire </dev/null "
	">/dev/null 2>&1\n"
	"then x=$c; run; fi\n";

/* A directory is tried by running a file in it, and by writing as many bytes as the agent has. */
static const char place[] =
	"trap 'rm -rf \"$t\"' EXIT\n"
	"trap 'exit 1' HUP INT TERM PIPE\n"
	"o=$(uname -n); t=; tried=\n"
	"clean() {\n"
	"	for f in \"$d/.boot-$o-\"*; do\n"
	"		i=${f#\"$d/.boot-$o-\"}\n"
	"		! [ -O \"$f\" ] || kill -0 \"${i%%-*}\" || rm -rf \"$f\"\n"
	"	done\n"
	"}\n"
	"try() {\n"
	"	w='does not exist'; [ -d \"$d\" ] || return\n"
	"	clean\n"
	"	w='is not writable'; mkdir -m 700 \"$t\" || return\n"
	"	w=\"has no room for $len bytes\"; dd if=/dev/zero of=\"$t/x\" bs=4096 count=$((len "
	"/ 4096 + 1)) || return\n"
	"	w='does not allow execution (noexec)'; printf '#!/bin/sh\\nexit 0\\n' >\"$t/x\" && "
	"chmod 700 \"$t/x\" && \"$t/x\"\n"
	"}\n"
	"for d in \"$XDG_RUNTIME_DIR\" /dev/shm /tmp /var/tmp \"$HOME\"; do\n"
	"	[ -n \"$d\" ] || continue\n"
	"	t=$d/.boot-$o-$$-$n\n"
	"	! try </dev/null >/dev/null 2>&1 || break\n"
	"	rm -rf \"$t\"; t=; tried=\"$tried${tried:+; }$d $w\"\n"
	"done\n"
	"[ -n \"$t\" ] || { say none \"$tried\"; exit 1; }\n";

static const char take[] =
	"say send \"$d\"\n"
	"$take$sent | $unpack >\"$t/x\"\n"
	"good \"$t/x\" || { say bad \"$($check <\"$t/x\")\"; exit 1; }\n"
	"chmod 700 \"$t/x\"\n"
	"r=\n"
	"keep() {\n"
	"	mkdir -p -m 700 \"${c%/*}\" && cp \"$t/x\" \"$c.$$\" && chmod 700 \"$c.$$\" && mv "
	"-f \"$c.$$\" \"$c\" && return\n"
	"	rm -f \"$c.$$\"; return 1\n"
	"}\n"
	"[ $k = 0 ] || if keep 2>/dev/null; then r=kept; else r=unkept; fi\n";

/*
 * sudo closes descriptors, so root's shell opens the agent; the user's shell stays to clean up if
 * sudo refuses.
 */
static const char run_sent[] =
	"if [ $s = 0 ]; then exec 3<\"$t/x\"; rm -rf \"$t\"; say run $r; exec /proc/self/fd/3 $a; "
	"fi\n"
	"say run $r\n"
	"sudo -S -p \"$n\" -- /bin/sh -c 'exec 3<\"$1\"; rm -rf \"${1%/*}\"; shift; exec "
	"/proc/self/fd/3 \"$@\"' sh \"$t/x\" $a\n"
	"exit\n";

_Static_assert(sizeof(run) + sizeof(cached) + sizeof(place) + sizeof(take) + sizeof(run_sent) +
			       512 <
		       BOOTSCRIPT_MAX,
	       "with all that is put in");

void bootscript_ask(char *buf, const struct bootscript *s)
{
	text_append(buf, BOOTSCRIPT_MAX, 0, "{ n=%s\n%s}\n", s->mark, ask);
}

static size_t put_script_head(char *buf, const struct bootscript *s)
{
	return text_append(buf, BOOTSCRIPT_MAX, 0, "{ s=%d a='--agent%s%s'\n%s", s->sudo,
			   *s->resume ? " --resume " : "", s->resume, run);
}

void bootscript_installed(char *buf, const struct bootscript *s)
{
	text_append(buf, BOOTSCRIPT_MAX, put_script_head(buf, s), "%s}\n", installed);
}

void bootscript_send(char *buf, const struct bootscript *s)
{
	size_t pos = put_script_head(buf, s);

	pos = text_append(buf, BOOTSCRIPT_MAX, pos,
			  "h=%s check=%s want='%s' take='%s' unpack='%s' len=%zu sent=%zu k=%d\n",
			  s->hash, s->check, s->want, s->take, s->unpack, s->len, s->sent, s->keep);
	text_append(buf, BOOTSCRIPT_MAX, pos, "%s%s%s%s}\n", cached, place, take, run_sent);
}
