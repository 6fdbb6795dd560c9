/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "files/elf/demangle.h"

#include <ctype.h>
#include <libiberty/demangle.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "files/elf/mangled.h"

#define OPTIONS	  DMGL_NO_OPTS
#define OPTIONS_D DMGL_PARAMS /* libiberty's demangler for D prints parameters even without it */

/*
 * libiberty refuses C++ names over 1024 bytes unless its limit is lifted, and then recurses as
 * deep as the name is long: up to 0.5 MB of stack for a hostile name of this length.
 */
#define LONG_MAX_LEN 2048

struct output {
	char *text; /* DEMANGLE_MAX bytes */
	size_t len;
	bool overflow, late; /* too long; out of time */
	jmp_buf stop;
};

/* Call a libiberty printer for `in`, which writes to `out`. Return 0 if it is not mangled. */
typedef int writer(const void *in, struct output *out);

/*
 * Collect printed text. longjmp leaves a name that gets too long to be shown, for a demangler
 * cannot be stopped otherwise; mangled.h refuses names that take long and print nothing. Demanglers
 * work on the stack, except for one buffer that the Rust one holds while it hands over an
 * identifier that is not ASCII; then the jump waits until the next call.
 */
static void collect_output(const char *text, size_t len, void *arg)
{
	struct output *out = arg;

	if (!out->overflow && len < DEMANGLE_MAX - out->len) {
		if (len) /* libiberty passes empty pieces as NULL */
			memcpy(out->text + out->len, text, len);
		out->len += len;
		return;
	}
	out->overflow = true;
	for (size_t i = 0; i < len; i++)
		if (text[i] & 0x80)
			return;
	longjmp(out->stop, 1);
}

/*
 * Printing of a C++ name can take any time without a call of collect_output, but it holds no memory
 * and no lock. So a timer of the thread's CPU time ends it, by a signal to the thread, when a
 * second tick finds the same name. The timer runs from the first name to a tick between two, and
 * goes with the thread: the kernel keeps timers of ended threads, and counts them against the
 * user's limit.
 */
#define TICK_NS (10 * NSEC_PER_MSEC)

static _Thread_local struct {
	bool tried; /* to make the timer */
	volatile bool made, runs;
	timer_t timer;
	struct output *volatile out; /* while a name is printed */
	volatile unsigned names, at_tick; /* names so far; until the last tick */
} limit;

static void run_timer(bool runs)
{
	struct itimerspec ticks = {.it_value = {.tv_nsec = runs ? TICK_NS : 0},
				   .it_interval = {.tv_nsec = TICK_NS}};

	limit.runs = runs;
	timer_settime(limit.timer, 0, &ticks, NULL);
}

static void on_tick(int sig)
{
	struct output *out = limit.out;

	(void)sig;
	if (!limit.made)
		return; /* a signal from elsewhere: limit.timer, still 0, may be another thread's */
	if (!out) {
		run_timer(false);
	} else if (limit.at_tick != limit.names) {
		limit.at_tick = limit.names;
	} else {
		limit.out = NULL;
		out->late = true;
		longjmp(out->stop, 1);
	}
}

static void delete_timer(void *arg)
{
	(void)arg;
	limit.made = false;
	timer_delete(limit.timer);
}

static pthread_key_t thread_end;
static bool has_thread_end;

static void make_thread_end(void)
{
	has_thread_end = !pthread_key_create(&thread_end, delete_timer);
}

bool demangle_prepare(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct sigaction act = {.sa_handler = on_tick, .sa_flags = SA_NODEFER | SA_RESTART};
	struct sigevent to_thread = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGRTMIN};
	sigset_t mine;

	if (limit.tried)
		return limit.made;
	limit.tried = true;
	pthread_once(&once, make_thread_end);
	to_thread._sigev_un._tid = gettid();
	sigemptyset(&mine);
	sigaddset(&mine, SIGRTMIN);
	limit.made = has_thread_end && !sigaction(SIGRTMIN, &act, NULL) &&
		     !pthread_sigmask(SIG_UNBLOCK, &mine, NULL) &&
		     !timer_create(CLOCK_THREAD_CPUTIME_ID, &to_thread, &limit.timer);
	if (limit.made && pthread_setspecific(thread_end, &limit))
		delete_timer(NULL);
	return limit.made;
}

static char *run_demangler(writer *write, const void *in, bool *late)
{
	struct output *out = calloc(1, sizeof(*out));
	char *text = NULL;
	bool done = false;

	if (!out)
		return NULL;
	out->text = malloc(DEMANGLE_MAX);
	if (out->text && !setjmp(out->stop))
		done = write(in, out) && !out->overflow && out->len;
	limit.out = NULL; /* the text may have got too long */
	if (done) {
		out->text[out->len] = '\0';
		text = strdup(out->text);
	}
	*late = out->late;
	free(out->text);
	free(out);
	return text;
}

static int write_cxx(const void *in, struct output *out)
{
	int ret;

	limit.names++;
	limit.out = out; /* from here on no tick stops the timer */
	if (!limit.runs)
		run_timer(true);
	ret = cplus_demangle_print_callback(OPTIONS, (void *)in, collect_output, out);
	limit.out = NULL;
	return ret;
}

/* params: also print parts that are not the name, such as parameters. `name` is a C++ name. */
static char *demangle_name(const char *name, bool params, bool *refused)
{
	size_t len = strlen(name);
	struct demangle_component *root;
	char *text;
	void *comps;

	*refused = len > LONG_MAX_LEN || !mangled_cxx_parses(name) || !mangled_cxx_fits(name) ||
		   !demangle_prepare();
	if (*refused)
		return NULL;
	root = cplus_demangle_v3_components(name, (params ? DMGL_PARAMS : OPTIONS) |
					    (len > 1000 ? DMGL_NO_RECURSE_LIMIT : 0), &comps);
	if (!root)
		return NULL;
	text = run_demangler(write_cxx, root, refused);
	free(comps);
	return text;
}

static char *demangle_cxx(const char *name, bool *refused)
{
	return demangle_name(name, false, refused);
}

/* Demangle "_GLOBAL__I_" and a name: code that runs before main() for its file; "_D_": after it. */
static char *demangle_global(const char *name, bool *refused)
{
	const char *of = name + sizeof("_GLOBAL__I_") - 1;
	char *text = NULL, *inner = NULL;

	if (strncmp(of, "_Z", 2) == 0 && !(inner = demangle_name(of, true, refused)))
		return NULL;
	if (asprintf(&text, "global %s keyed to %s", of[-2] == 'I' ? "constructors" : "destructors",
		     inner ? inner : of) < 0)
		text = NULL;
	free(inner);
	return text;
}

static int write_rust(const void *in, struct output *out)
{
	return rust_demangle_callback(in, OPTIONS, collect_output, out);
}

static char *demangle_rust(const char *name, bool *refused)
{
	*refused = !mangled_rust_ends(name);
	return *refused ? NULL : run_demangler(write_rust, name, refused);
}

static char *demangle_d(const char *name, bool *refused)
{
	char *text;

	*refused = !mangled_d_ends(name);
	text = *refused ? NULL : dlang_demangle(name, OPTIONS_D);
	if (text && strlen(text) >= DEMANGLE_MAX) {
		free(text);
		return NULL;
	}
	return text;
}

/* Recognize "_ZN4core3fmt5write17h0123456789abcdefE": C++'s form, but with Rust's hash. */
static bool is_rust_legacy(const char *name)
{
	const char *end = strstr(name, "E.");
	size_t len = end ? (size_t)(end - name) + 1 : strlen(name);

	if (len < 24 || name[len - 1] != 'E' || strncmp(name + len - 20, "17h", 3) != 0)
		return false;
	return strspn(name + len - 17, "0123456789abcdef") == 16;
}

static bool is_d(const char *name)
{
	return isdigit((unsigned char)name[2]) || !strcmp(name, "_Dmain");
}

static bool is_any(const char *name)
{
	return name[2] != '\0';
}

static bool is_global(const char *name)
{
	return strlen(name) > 11 && strchr("_.$", name[8]) && strchr("ID", name[9]) &&
	       name[10] == '_';
}

/* In order: a legacy Rust name is a valid C++ one, too. The C++ demangler handles suffixes. */
static const struct language {
	const char *prefix;
	bool (*is)(const char *name);
	char *(*demangle)(const char *name, bool *refused);
	enum { SUFFIX_TAKEN, SUFFIX_DROPPED, SUFFIX_KEPT } suffix;
} languages[] = {
	{"_ZN", is_rust_legacy, demangle_rust, SUFFIX_DROPPED},
	{"_Z", is_any, demangle_cxx, SUFFIX_TAKEN},
	{"_GLOBAL_", is_global, demangle_global, SUFFIX_TAKEN},
	{"_R", is_any, demangle_rust, SUFFIX_DROPPED},
	{"_D", is_d, demangle_d, SUFFIX_KEPT},
};

/* Return the offset of a compiler's ".llvm.123"; legacy Rust names have dots before "E". */
static size_t suffix_at(const char *name)
{
	const char *dot = strncmp(name, "_Z", 2) == 0 ? strstr(name, "E.") : strchr(name, '.');

	if (!dot)
		return strlen(name);
	return (size_t)(dot - name) + (*dot == 'E');
}

static char *append_suffix(char *text, const char *suffix)
{
	char *joined = NULL;

	if (!text || !*suffix)
		return text;
	if (asprintf(&joined, *suffix == '@' ? "%s%s" : "%s [clone %s]", text, suffix) < 0)
		joined = NULL;
	free(text);
	return joined;
}

static const struct language *language_of(const char *name)
{
	for (size_t i = 0; i < sizeof(languages) / sizeof(languages[0]); i++)
		if (!strncmp(name, languages[i].prefix, strlen(languages[i].prefix)) &&
		    languages[i].is(name))
			return &languages[i];
	return NULL;
}

static char *demangle_bare(const char *name, bool *refused)
{
	const struct language *l = language_of(name);
	char bare[DEMANGLE_MAX];
	size_t at;

	if (l->suffix == SUFFIX_TAKEN)
		return l->demangle(name, refused);
	at = suffix_at(name);
	memcpy(bare, name, at);
	bare[at] = '\0';
	return append_suffix(l->demangle(bare, refused), l->suffix == SUFFIX_KEPT ? name + at : "");
}

static char *demangle_any(const char *name, bool *refused)
{
	size_t len = strlen(name), tail = sizeof("@plt") - 1;
	char bare[DEMANGLE_MAX];

	if (len <= tail || strcmp(name + len - tail, "@plt") != 0)
		return demangle_bare(name, refused);
	memcpy(bare, name, len - tail);
	bare[len - tail] = '\0';
	return language_of(bare) ? append_suffix(demangle_bare(bare, refused), "@plt") : NULL;
}

bool demangle_wants(const char *name)
{
	return name[0] == '_' && strnlen(name, DEMANGLE_MAX) < DEMANGLE_MAX && language_of(name);
}

char *demangle(const char *name, struct demangle_work *work)
{
	bool refused = work->ns >= DEMANGLE_NS_MAX;
	char *text = NULL;
	uint64_t start;

	if (!demangle_wants(name))
		return NULL;
	if (!refused) {
		start = clock_read(CLOCK_THREAD_CPUTIME_ID);
		text = demangle_any(name, &refused);
		work->ns += clock_read(CLOCK_THREAD_CPUTIME_ID) - start;
	}
	work->left += refused;
	return text;
}
