/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "tests/sampled.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/vec.h"
#include "tests/images.h"

#define RING_PAGES 128u /* 512 KiB: what anyone may lock */
#define PAGE 4096u

/* --- objects and maps ------------------------------------------------------------------------- */

static void dso_load(struct sampled *s, struct sampled_object *o, size_t map_size)
{
	struct err err = {0};
	struct stat st;
	int fd;

	if (!strcmp(o->path, "[vdso]")) {
		o->data = (const uint8_t *)getauxval(AT_SYSINFO_EHDR);
		o->size = map_size;
		o->cfi = cfi_of_memory(o->data, o->size, &s->memory, &err);
		return;
	}
	fd = open(o->path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	o->cfi = cfi_of_fd(fd, "object", &s->memory, &err);
	if (!fstat(fd, &st) && st.st_size) {
		o->size = (size_t)st.st_size;
		o->data = mmap(NULL, o->size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (o->data == MAP_FAILED)
			o->data = NULL;
	}
	close(fd);
}

static struct sampled_object *object_get(struct sampled *s, const char *path, size_t map_size)
{
	struct sampled_object *o;

	if (path[0] != '/' && strcmp(path, "[vdso]") != 0)
		return NULL;
	for (size_t i = 0; i < s->nobjects; i++) {
		if (!strcmp(s->objects[i]->path, path))
			return s->objects[i];
	}
	if (!vec_reserve(&s->objects, &s->cap_objects, s->nobjects + 1, sizeof(*s->objects)))
		abort();
	o = calloc(1, sizeof(*o));
	if (!o || !(o->path = strdup(path)))
		abort();
	dso_load(s, o, map_size);
	s->objects[s->nobjects++] = o;
	return o;
}

const struct sampled_map *sampled_map(const struct sampled *s, uint64_t addr)
{
	for (size_t i = s->nmaps; i-- > 0;) {
		if (addr >= s->maps[i].start && addr < s->maps[i].end)
			return &s->maps[i];
	}
	return NULL;
}

static bool space_find(void *arg, uint64_t addr, struct unwind_map *map)
{
	const struct sampled_map *m = sampled_map(arg, addr);

	if (!m)
		return false;
	*map = (struct unwind_map){.start = m->start, .end = m->end, .pgoff = m->pgoff,
				   .cfi = m->object ? m->object->cfi : NULL};
	return true;
}

/* --- recording -------------------------------------------------------------------------------- */

struct ring {
	int fd;
	uint8_t *base;
	uint8_t record[1 << 16];
};

static struct perf_event_mmap_page *ring_page(const struct ring *r)
{
	return (struct perf_event_mmap_page *)(void *)r->base;
}

static void take_map(struct sampled *s, const uint8_t *record)
{
	struct sampled_map map = {0};
	uint64_t fields[3];
	const char *path = (const char *)record + 8 + 8 + sizeof(fields) + 24 + 8;
	uint64_t vaddr = 0;

	memcpy(fields, record + 16, sizeof(fields));
	map.start = fields[0];
	map.end = fields[0] + fields[1];
	map.pgoff = fields[2];
	map.object = object_get(s, path, fields[1]);
	if (map.object && map.object->cfi && cfi_vaddr(map.object->cfi, map.pgoff, &vaddr))
		map.bias = map.start - vaddr;
	if (!vec_reserve(&s->maps, &s->cap_maps, s->nmaps + 1, sizeof(*s->maps)))
		abort();
	s->maps[s->nmaps++] = map;
}

static void take_sample(struct sampled *s, const uint8_t *record, size_t max)
{
	unsigned nregs = (unsigned)__builtin_popcountll(UNWIND_REGS_MASK);
	const uint8_t *at = record + 8 + 8; /* header, pid and tid */
	struct sampled_sample sample = {0};
	uint64_t abi, size, dynamic;

	memcpy(&abi, at, 8);
	if (s->nr == max || abi != PERF_SAMPLE_REGS_ABI_64)
		return;
	memcpy(sample.regs, at + 8, nregs * 8);
	at += 8 + nregs * 8;
	memcpy(&size, at, 8);
	if (!size)
		return;
	memcpy(&dynamic, at + 8 + size, 8);
	sample.size = dynamic;
	sample.stack = malloc(dynamic + 1);
	if (!sample.stack || !vec_reserve(&s->samples, &s->cap, s->nr + 1, sizeof(*s->samples)))
		abort();
	memcpy(sample.stack, at + 8, dynamic);
	s->samples[s->nr++] = sample;
}

static void take_record(struct sampled *s, const uint8_t *record, size_t max)
{
	struct perf_event_header h;
	uint64_t n;

	memcpy(&h, record, sizeof(h));
	if (h.type == PERF_RECORD_SAMPLE) {
		take_sample(s, record, max);
	} else if (h.type == PERF_RECORD_MMAP2) {
		take_map(s, record);
	} else if (h.type == PERF_RECORD_LOST) {
		memcpy(&n, record + 16, 8);
		s->lost += n;
	}
}

static void drain(struct sampled *s, struct ring *r, size_t max)
{
	struct perf_event_mmap_page *page = ring_page(r);
	uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE), tail = page->data_tail;
	size_t mask = RING_PAGES * PAGE - 1;
	struct perf_event_header h;

	while (tail < head) {
		memcpy(&h, r->base + PAGE + (tail & mask), sizeof(h));
		for (size_t i = 0; i < h.size; i += 8)
			memcpy(r->record + i, r->base + PAGE + ((tail + i) & mask), 8);
		take_record(s, r->record, max);
		tail += h.size;
	}
	__atomic_store_n(&page->data_tail, tail, __ATOMIC_RELEASE);
}

static int ring_open(struct ring *r, pid_t pid, struct perf_event_attr attr, uint32_t stack_size)
{
	attr.size = sizeof(attr);
	attr.disabled = attr.enable_on_exec = attr.exclude_kernel = 1;
	attr.mmap = attr.mmap2 = attr.watermark = 1;
	attr.wakeup_watermark = RING_PAGES * PAGE / 4;
	attr.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	attr.sample_regs_user = UNWIND_REGS_MASK;
	attr.sample_stack_user = stack_size;
	r->fd = (int)syscall(SYS_perf_event_open, &attr, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (r->fd < 0)
		return -errno;
	r->base = mmap(NULL, (RING_PAGES + 1) * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, r->fd, 0);
	return r->base == MAP_FAILED ? -errno : 0;
}

static pid_t start(char *const argv[], int *go)
{
	int pipes[2];
	char byte;
	pid_t pid;

	if (pipe2(pipes, O_CLOEXEC))
		return -1;
	pid = fork();
	if (pid == 0) {
		int null = open("/dev/null", O_RDWR | O_CLOEXEC);

		close(pipes[1]);
		dup2(null, 1);
		dup2(null, 2);
		personality(ADDR_NO_RANDOMIZE);
		if (read(pipes[0], &byte, 1) == 1)
			execvp(argv[0], argv);
		_exit(127);
	}
	close(pipes[0]);
	*go = pipes[1];
	return pid;
}

static int record(struct sampled *s, char *const argv[], struct perf_event_attr attr,
		  uint32_t stack_size, size_t max)
{
	static struct ring ring;
	struct pollfd poll_fd;
	int go, status, ret;
	pid_t pid = start(argv, &go);

	*s = (struct sampled){.memory.max = 64 << 20};
	s->space = (struct unwind_space){.find = space_find, .arg = s, .id = 1};
	if (pid < 0)
		return -errno;
	ret = ring_open(&ring, pid, attr, stack_size);
	if (!ret && write(go, "", 1) != 1)
		ret = -errno;
	close(go);
	poll_fd = (struct pollfd){.fd = ring.fd, .events = POLLIN};
	while (!ret && waitpid(pid, &status, WNOHANG) == 0) {
		poll(&poll_fd, 1, 20);
		drain(s, &ring, max);
		if (s->nr == max)
			kill(pid, SIGKILL);
	}
	if (ret)
		waitpid(pid, &status, 0);
	else
		drain(s, &ring, max);
	if (ring.fd >= 0)
		close(ring.fd);
	if (!ret)
		munmap(ring.base, (RING_PAGES + 1) * PAGE);
	return ret;
}

int sampled_record(struct sampled *s, char *const argv[], unsigned hz, uint32_t stack_size,
		   size_t max)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK,
				       .freq = 1, .sample_freq = hz};

	return record(s, argv, attr, stack_size, max);
}

int sampled_record_at(struct sampled *s, char *const argv[], uint64_t addr, uint32_t stack_size,
		      size_t max)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_BREAKPOINT, .sample_period = 1,
				       .bp_type = HW_BREAKPOINT_X, .bp_addr = addr,
				       .bp_len = sizeof(long)};

	return record(s, argv, attr, stack_size, max);
}

struct unwind_sample sampled_sample(const struct sampled *s, size_t index)
{
	const struct sampled_sample *from = &s->samples[index];

	return (struct unwind_sample){.mask = UNWIND_REGS_MASK, .regs = from->regs,
				      .stack = from->stack, .size = from->size};
}

/* --- the reference ---------------------------------------------------------------------------- */

#if defined(HAVE_UNWIND) && defined(__x86_64__)

#include <libunwind-x86_64.h>

int _Ux86_64_dwarf_search_unwind_table(unw_addr_space_t as, unw_word_t ip, unw_dyn_info_t *di,
				       unw_proc_info_t *pi, int need_unwind_info, void *arg);

struct asked {
	struct sampled *sampled;
	struct unwind_sample sample;
	uint64_t sp;
};

/*
 * The objects' word at addr; the maps seen are of code only, but segments are where they are from
 * there.  Beyond a segment's end there are zeros, as in memory: .eh_frame may end in a word's middle.
 */
static bool object_word(const struct sampled *s, uint64_t addr, unw_word_t *word)
{
	for (size_t i = 0; i < s->nmaps; i++) {
		const struct sampled_object *o = s->maps[i].object;
		const Elf64_Ehdr *e = o ? (const void *)o->data : NULL;
		const Elf64_Phdr *p;

		if (!e || !o->cfi)
			continue;
		p = (const void *)(o->data + e->e_phoff);
		for (unsigned k = 0; k < e->e_phnum; k++) {
			uint64_t at = addr - s->maps[i].bias - p[k].p_vaddr, left = p[k].p_filesz - at;

			if (p[k].p_type != PT_LOAD || at >= p[k].p_filesz)
				continue;
			*word = 0;
			memcpy(word, o->data + p[k].p_offset + at, left < 8 ? left : 8);
			return true;
		}
	}
	return false;
}

static int find_proc_info(unw_addr_space_t as, unw_word_t ip, unw_proc_info_t *pi, int need,
			  void *arg)
{
	struct asked *a = arg;
	const struct sampled_map *m = sampled_map(a->sampled, ip);
	const Elf64_Ehdr *e = m && m->object ? (const void *)m->object->data : NULL;
	unw_dyn_info_t di = {.format = UNW_INFO_FORMAT_REMOTE_TABLE};
	const Elf64_Phdr *p;
	uint32_t nr;

	if (!e)
		return -UNW_ENOINFO;
	p = (const void *)(m->object->data + e->e_phoff);
	for (unsigned i = 0; i < e->e_phnum; i++) {
		if (p[i].p_type != PT_GNU_EH_FRAME)
			continue;
		memcpy(&nr, m->object->data + p[i].p_offset + 8, 4);
		di.start_ip = m->start;
		di.end_ip = m->end;
		di.u.rti.segbase = m->bias + p[i].p_vaddr;
		di.u.rti.table_data = di.u.rti.segbase + 12;
		di.u.rti.table_len = nr;
		return _Ux86_64_dwarf_search_unwind_table(as, ip, &di, pi, need, arg);
	}
	return -UNW_ENOINFO;
}

static void put_unwind_info(unw_addr_space_t as, unw_proc_info_t *pi, void *arg)
{
	(void)as;
	(void)pi;
	(void)arg;
}

static int get_dyn_info_list_addr(unw_addr_space_t as, unw_word_t *addr, void *arg)
{
	(void)as;
	(void)addr;
	(void)arg;
	return -UNW_ENOINFO;
}

static int access_mem(unw_addr_space_t as, unw_word_t addr, unw_word_t *value, int write, void *arg)
{
	const struct asked *a = arg;

	(void)as;
	if (write)
		return -UNW_EINVAL;
	if (a->sample.size >= 8 && addr - a->sp <= a->sample.size - 8) {
		memcpy(value, a->sample.stack + (addr - a->sp), 8);
		return 0;
	}
	return object_word(a->sampled, addr, value) ? 0 : -UNW_EINVAL;
}

static int access_reg(unw_addr_space_t as, unw_regnum_t reg, unw_word_t *value, int write,
		      void *arg)
{
	const struct asked *a = arg;
	uint64_t v;

	(void)as;
	if (write || !unwind_reg(&a->sample, (unsigned)reg, &v))
		return -UNW_EBADREG;
	*value = v;
	return 0;
}

bool sampled_reference(struct sampled *s, size_t index, uint64_t *ips, uint32_t max, uint32_t *nr,
		      int *ended)
{
	static unw_accessors_t accessors = {
		.find_proc_info = find_proc_info, .put_unwind_info = put_unwind_info,
		.get_dyn_info_list_addr = get_dyn_info_list_addr, .access_mem = access_mem,
		.access_reg = access_reg,
	};
	struct asked asked = {.sampled = s, .sample = sampled_sample(s, index)};
	unw_cursor_t cursor;
	unw_word_t ip;

	if (!s->reference) {
		s->reference = unw_create_addr_space(&accessors, 0);
		unw_set_caching_policy(s->reference, UNW_CACHE_GLOBAL);
	}
	unwind_reg(&asked.sample, CFI_RSP, &asked.sp);
	*nr = 0;
	if (unw_init_remote(&cursor, s->reference, &asked))
		return false;
	do {
		if (unw_get_reg(&cursor, UNW_REG_IP, &ip) || !ip || *nr == max) {
			*ended = 0;
			return true;
		}
		ips[(*nr)++] = ip;
		*ended = unw_step(&cursor);
	} while (*ended > 0);
	return true;
}

static void reference_free(struct sampled *s)
{
	if (s->reference)
		unw_destroy_addr_space(s->reference);
}

#else

bool sampled_reference(struct sampled *s, size_t index, uint64_t *ips, uint32_t max, uint32_t *nr,
		      int *ended)
{
	(void)s;
	(void)index;
	(void)ips;
	(void)max;
	(void)nr;
	(void)ended;
	return false;
}

static void reference_free(struct sampled *s)
{
	(void)s;
}

#endif

void sampled_free(struct sampled *s)
{
	reference_free(s);
	for (size_t i = 0; i < s->nobjects; i++) {
		struct sampled_object *o = s->objects[i];

		if (o->data && o->path[0] == '/')
			munmap((void *)(uintptr_t)o->data, o->size);
		cfi_free(o->cfi);
		free(o->path);
		free(o);
	}
	for (size_t i = 0; i < s->nr; i++)
		free(s->samples[i].stack);
	free(s->objects);
	free(s->maps);
	free(s->samples);
}
