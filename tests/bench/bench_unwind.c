/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench_unwind [STACK] [COMMAND...]: frames per second of one thread, rows beside libunwind.
 *
 * Samples with stacks of STACK bytes of real programs (below, or COMMAND) are unwound again and
 * again: "rows, cold" is the very first pass (objects opened, rows built), "rows" the best later one,
 * "libunwind" the best pass of a remote address space that caches what it has seen.  The paths of
 * both must be the same; where they are not, that is said and the benchmark fails.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "tests/sampled.h"

#define SAMPLES 6000u
#define HZ      3999u
#define PASSES  7
#define DEEP    45

static char dir[] = "/tmp/ringtop-bench-XXXXXX";

/* DEEP frames of templates and a virtual call, no frame pointers. */
static const char deep_source[] =
	"#include <string>\n"
	"struct base { virtual unsigned run(unsigned n) = 0; virtual ~base() {} };\n"
	"static volatile unsigned sink;\n"
	"template <int N> struct level : base {\n"
	"	unsigned run(unsigned n) override __attribute__((noinline)) {\n"
	"		level<N - 1> next; std::string s(N, 'x');\n"
	"		base *b = &next; asm volatile(\"\" : \"+r\"(b));\n"
	"		return b->run(n + s.size()) + 1; } };\n"
	"template <> struct level<0> : base {\n"
	"	unsigned run(unsigned n) override __attribute__((noinline)) {\n"
	"		for (unsigned i = 0; i < 20000; i++) sink = sink * 7 + n;\n"
	"		return n; } };\n"
	"int main() { level<40> top; unsigned s = 0;\n"
	"	for (int i = 0; i < 100000; i++) s += top.run(i);\n"
	"	return s == 1; }\n";

struct result {
	double cold, rows, reference; /* seconds a pass */
	uint64_t frames, differ;
	struct unwind_counts counts;
};

static double seconds(uint64_t from)
{
	return (double)(clock_ns() - from) / 1e9;
}

static uint64_t pass_rows(struct unwinder *u, const struct sampled *s, uint64_t *ips)
{
	struct unwind_path path = {.ips = ips, .max = SAMPLED_FRAMES_MAX};
	struct unwind_sample sample;
	uint64_t frames = 0;

	for (size_t i = 0; i < s->nr; i++) {
		sample = sampled_sample(s, i);
		unwind_run(u, &sample, &s->space, &path);
		frames += path.nr;
	}
	return frames;
}

static bool pass_reference(struct sampled *s, uint64_t *ips, double *took)
{
	uint64_t from = clock_ns();
	uint32_t nr;
	int ended;

	for (size_t i = 0; i < s->nr; i++) {
		if (!sampled_reference(s, i, ips, SAMPLED_FRAMES_MAX, &nr, &ended))
			return false;
	}
	*took = seconds(from);
	return true;
}

/* Samples whose ended paths are not the same. */
static uint64_t compare(struct unwinder *u, struct sampled *s)
{
	static uint64_t ours[SAMPLED_FRAMES_MAX], theirs[SAMPLED_FRAMES_MAX];
	struct unwind_path path = {.ips = ours, .max = SAMPLED_FRAMES_MAX};
	struct unwind_sample sample;
	uint64_t differ = 0;
	uint32_t nr;
	int ended;

	for (size_t i = 0; i < s->nr; i++) {
		sample = sampled_sample(s, i);
		if (unwind_run(u, &sample, &s->space, &path) == UNWIND_BAD)
			continue;
		if (!sampled_reference(s, i, theirs, SAMPLED_FRAMES_MAX, &nr, &ended))
			return 0;
		differ += nr < path.nr || memcmp(ours, theirs, path.nr * 8) != 0;
	}
	return differ;
}

static void measure(struct sampled *s, struct result *r)
{
	static uint64_t ips[SAMPLED_FRAMES_MAX];
	struct unwinder *u = unwind_create();
	uint64_t from = clock_ns();
	double took;

	if (!u)
		exit(1);
	*r = (struct result){.rows = 1e9, .reference = 1e9};
	r->frames = pass_rows(u, s, ips);
	r->cold = seconds(from);
	r->counts = *unwind_counts(u);
	for (int i = 0; i < PASSES; i++) {
		from = clock_ns();
		pass_rows(u, s, ips);
		took = seconds(from);
		r->rows = took < r->rows ? took : r->rows;
	}
	for (int i = 0; i < 2 && pass_reference(s, ips, &took); i++)
		r->reference = took < r->reference ? took : r->reference;
	r->differ = compare(u, s);
	unwind_free(u);
}

static void print(const char *name, const struct sampled *s, const struct result *r)
{
	const struct unwind_counts *c = &r->counts;

	printf("%-14s %7zu samples %5.1f frames | M frames/s: rows %6.2f, cold %6.2f, libunwind ",
	       name, s->nr, (double)r->frames / (double)s->nr, (double)r->frames / r->rows / 1e6,
	       (double)r->frames / r->cold / 1e6);
	if (r->reference < 1e9)
		printf("%5.2f", (double)r->frames / r->reference / 1e6);
	else
		printf("    -");
	printf(" | us/sample %.2f\n", r->rows / (double)s->nr * 1e6);
	printf("%14s ends: %llu outermost, %llu truncated, %llu limit, %llu bad; %llu frames guessed, "
	       "%llu samples slow, %.1f %% look-ups missed (cold), %llu KB, %llu differ\n", "",
	       (unsigned long long)c->ends[UNWIND_END], (unsigned long long)c->ends[UNWIND_TRUNCATED],
	       (unsigned long long)c->ends[UNWIND_LIMIT], (unsigned long long)c->ends[UNWIND_BAD],
	       (unsigned long long)c->guessed, (unsigned long long)c->slow,
	       100.0 * (double)c->rows_missed / (double)c->frames,
	       (unsigned long long)s->memory.used / 1024, (unsigned long long)r->differ);
}

static int bench(const char *name, char *const argv[], uint32_t stack_size)
{
	struct sampled s;
	struct result r;
	int ret = sampled_record(&s, argv, HZ, stack_size, SAMPLES);

	if (ret || !s.nr) {
		printf("%-14s not measured: %s\n", name, ret ? strerror(-ret) : "no samples");
		sampled_free(&s);
		return 0;
	}
	measure(&s, &r);
	print(name, &s, &r);
	sampled_free(&s);
	return r.differ != 0;
}

static bool build(const char *file, const char *source, const char *command)
{
	char line[512];
	FILE *f;

	snprintf(line, sizeof(line), "%s/%s", dir, file);
	f = fopen(line, "w");
	if (!f || fputs(source, f) < 0 || fclose(f))
		return false;
	snprintf(line, sizeof(line), "cd %s && %s >/dev/null 2>&1", dir, command);
	return system(line) == 0;
}

static int bench_deep(void)
{
	char program[64];
	char *argv[] = {program, NULL};

	snprintf(program, sizeof(program), "%s/deep", dir);
	if (!build("deep.cc", deep_source, "c++ -O2 -fomit-frame-pointer -o deep deep.cc"))
		return 0;
	return bench("deep C++", argv, 16384);
}

/* clang compiles what any C++ program includes. */
static int bench_clang(void)
{
	char source[64];
	char *argv[] = {"clang-14", "-O2", "-c", "-o", "/dev/null", source, NULL};

	snprintf(source, sizeof(source), "%s/many.cc", dir);
	if (!build("many.cc",
		   "#include <regex>\n#include <map>\n#include <string>\n#include <iostream>\n"
		   "#include <algorithm>\n#include <random>\n"
		   "bool f(const std::string &s) { return std::regex_match(s, std::regex(\"a+b*\")); }\n"
		   "std::map<std::string, std::regex> all;\n"
		   "void g(const std::string &s) { all[s] = std::regex(s); std::cout << s; }\n",
		   "command -v clang-14"))
		return 0;
	return bench("clang -O2", argv, 8192);
}

int main(int argc, char **argv)
{
	char line[64];
	int failed = 0;

	if (argc > 2)
		return bench(argv[2], argv + 2, (uint32_t)atoi(argv[1]));
	if (!mkdtemp(dir))
		return 1;
	failed |= bench_deep();
	failed |= bench_clang();
	snprintf(line, sizeof(line), "rm -rf %s", dir);
	if (system(line))
		failed = 1;
	return failed;
}
