/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * greedy - a small ELF file that asks for much memory of whoever reads it, and runs.
 *
 * greedy make KIND FILE [MEGABYTES]: a copy of this program with other sections behind it:
 *   zlib, zstd  .debug_info of so many bytes (250 MB) of zeros, compressed
 *   names       7900 symbols whose names are one string of 64 KB, each from another byte on
 *   sparse      a symbol table and strings of so many bytes each (250 MB) that are a hole
 *   ladder      symbols whose names take a demangler time that doubles with every four characters
 *   link        a debug link to FIFO_NAME beside it, which may be anything
 * greedy [work's options]: spins in greedy_spin.
 */
#include "work.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <zlib.h>
#include <zstd.h>

#define FIFO_NAME "greedy.fifo"
#define LADDERS  2000u
#define NAMES    7900u
#define NAME_LEN 65536u
#define MB       (1ull << 20)

static __attribute__((noinline)) uint32_t greedy_spin(uint32_t x)
{
	return work_spin(x, 20011);
}

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static const char names[] = "\0.symtab\0.strtab\0.shstrtab\0.debug_info\0.debug_abbrev\0.text\0.gnu_debuglink";

static uint32_t name_at(const char *name)
{
	for (uint32_t i = 0; i < sizeof(names); i += (uint32_t)strlen(names + i) + 1)
		if (!strcmp(names + i, name))
			return i;
	abort();
}

/* The file under construction: sections are put behind what there is. */
struct file {
	int fd;
	uint64_t end;
	Elf64_Ehdr head;
	Elf64_Shdr sections[8];
	unsigned nr;
};

static Elf64_Shdr *add(struct file *f, const char *name, uint32_t type, const void *data,
		       uint64_t size)
{
	Elf64_Shdr *s = &f->sections[f->nr++];

	f->end = (f->end + 63) & ~63ull;
	*s = (Elf64_Shdr){.sh_name = name_at(name), .sh_type = type, .sh_offset = f->end,
			  .sh_size = size, .sh_addralign = 1};
	if (data && pwrite(f->fd, data, size, (off_t)f->end) != (ssize_t)size)
		die("write");
	f->end += size;
	return s;
}

static void begin(struct file *f, const char *path)
{
	static char buf[1 << 16];
	int own = open("/proc/self/exe", O_RDONLY);
	ssize_t n;

	f->fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0755);
	if (own < 0 || f->fd < 0)
		die(path);
	while ((n = read(own, buf, sizeof(buf))) > 0) {
		if (write(f->fd, buf, (size_t)n) != n)
			die("write");
		f->end += (uint64_t)n;
	}
	close(own);
	if (pread(f->fd, &f->head, sizeof(f->head), 0) != sizeof(f->head))
		die("read");
	f->nr = 1; /* the first is none */
}

static void end(struct file *f)
{
	Elf64_Shdr *s = add(f, ".shstrtab", SHT_STRTAB, names, sizeof(names));

	f->end = (f->end + 63) & ~63ull;
	f->head.e_shoff = f->end;
	f->head.e_shnum = (Elf64_Half)f->nr;
	f->head.e_shstrndx = (Elf64_Half)(s - f->sections);
	if (pwrite(f->fd, f->sections, f->nr * sizeof(*s), (off_t)f->end) < 0 ||
	    pwrite(f->fd, &f->head, sizeof(f->head), 0) < 0 || close(f->fd))
		die("write");
}

/* The code, for symbols to be in. */
static unsigned add_text(struct file *f)
{
	Elf64_Phdr p;

	for (unsigned i = 0; i < f->head.e_phnum; i++) {
		if (pread(f->fd, &p, sizeof(p), (off_t)(f->head.e_phoff + i * sizeof(p))) < 0)
			die("read");
		if (p.p_type == PT_LOAD && p.p_flags & PF_X)
			break;
	}
	f->sections[f->nr] = (Elf64_Shdr){.sh_name = name_at(".text"), .sh_type = SHT_PROGBITS,
					  .sh_flags = SHF_ALLOC | SHF_EXECINSTR, .sh_addr = p.p_vaddr,
					  .sh_offset = p.p_offset, .sh_size = p.p_filesz};
	return f->nr++;
}

static size_t zlib_zeros(uint64_t size, uint8_t *out, size_t room)
{
	static uint8_t zeros[1 << 20];
	z_stream z = {.next_out = out, .avail_out = (uInt)room};

	deflateInit(&z, 9);
	for (uint64_t i = 0; i < size; i += sizeof(zeros)) {
		z.next_in = zeros;
		z.avail_in = sizeof(zeros);
		deflate(&z, i + sizeof(zeros) < size ? Z_NO_FLUSH : Z_FINISH);
	}
	deflateEnd(&z);
	return room - z.avail_out;
}

static size_t zstd_zeros(uint64_t size, uint8_t *out, size_t room)
{
	static uint8_t zeros[1 << 20];
	ZSTD_CStream *z = ZSTD_createCStream();
	ZSTD_outBuffer to = {.dst = out, .size = room};

	for (uint64_t i = 0; i < size; i += sizeof(zeros)) {
		ZSTD_inBuffer from = {.src = zeros, .size = sizeof(zeros)};

		ZSTD_compressStream2(z, &to, &from,
				     i + sizeof(zeros) < size ? ZSTD_e_continue : ZSTD_e_end);
	}
	ZSTD_freeCStream(z);
	return to.pos;
}

static void make_packed(struct file *f, uint64_t size, bool zstd)
{
	static const uint8_t abbrev[] = {1, 0x11, 0, 0, 0, 0};
	size_t room = size / 900 + 65536;
	uint8_t *data = malloc(sizeof(Elf64_Chdr) + room);
	Elf64_Chdr head = {.ch_type = zstd ? 2 : ELFCOMPRESS_ZLIB, .ch_size = size,
			   .ch_addralign = 1};

	memcpy(data, &head, sizeof(head));
	room = (zstd ? zstd_zeros : zlib_zeros)(size, data + sizeof(head), room);
	add(f, ".debug_info", SHT_PROGBITS, data, sizeof(head) + room)->sh_flags = SHF_COMPRESSED;
	add(f, ".debug_abbrev", SHT_PROGBITS, abbrev, sizeof(abbrev));
	free(data);
}

static void add_symbols(struct file *f, const void *table, uint64_t size, const char *strings,
			uint64_t len)
{
	Elf64_Shdr *s = add(f, ".symtab", SHT_SYMTAB, table, size);

	s->sh_entsize = sizeof(Elf64_Sym);
	s->sh_link = f->nr;
	add(f, ".strtab", SHT_STRTAB, strings, len);
}

static void make_names(struct file *f)
{
	static Elf64_Sym table[NAMES + 1];
	char *strings = malloc(NAME_LEN + NAMES + 1);
	unsigned text = add_text(f);

	memset(strings, 'n', NAME_LEN + NAMES);
	strings[0] = strings[NAME_LEN + NAMES] = '\0';
	for (uint32_t i = 1; i <= NAMES; i++)
		table[i] = (Elf64_Sym){.st_name = i, .st_shndx = (Elf64_Section)text,
				       .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), .st_size = 1,
				       .st_value = f->sections[text].sh_addr + i};
	add_symbols(f, table, sizeof(table), strings, NAME_LEN + NAMES + 1);
	free(strings);
}

static void make_sparse(struct file *f, uint64_t size)
{
	add_text(f);
	add_symbols(f, NULL, size / sizeof(Elf64_Sym) * sizeof(Elf64_Sym), NULL, size);
}

static int substitution(char *to, unsigned n) /* the nth, as the ABI numbers them */
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

	if (n > 36)
		return sprintf(to, "S%c%c_", digits[(n - 1) / 36], digits[(n - 1) % 36]);
	return n ? sprintf(to, "S%c_", digits[n - 1]) : sprintf(to, "S_");
}

/* Each type is made of the one before it, twice, within a pack that is empty: nothing is printed. */
static int ladder_name(char *to, unsigned number, unsigned steps)
{
	char *at = to + sprintf(to, "_Z5f%04uIJEDp", number);

	memset(at, 'F', steps);
	at += steps;
	at += sprintf(at, "Pi");
	for (unsigned i = 1; i <= steps; i++) {
		at += substitution(at, i);
		*at++ = 'E';
	}
	return (int)(at - to) + sprintf(at, "EEvv");
}

/* The code is theirs from end to end; every other one is just short enough to be tried. */
static void make_ladder(struct file *f)
{
	static Elf64_Sym table[LADDERS + 1];
	static char strings[1 + LADDERS * 300u];
	unsigned text = add_text(f);
	uint64_t each = f->sections[text].sh_size / LADDERS;
	uint32_t len = 1;

	each = each ? each : 1;
	for (uint32_t i = 1; i <= LADDERS; i++) {
		table[i] = (Elf64_Sym){.st_name = len, .st_shndx = (Elf64_Section)text,
				       .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), .st_size = each,
				       .st_value = f->sections[text].sh_addr + (i - 1) * each};
		len += (uint32_t)ladder_name(strings + len, i, i % 2 ? 40 : 14) + 1;
	}
	add_symbols(f, table, sizeof(table), strings, len);
}

static void make_link(struct file *f)
{
	static const char link[(sizeof(FIFO_NAME) + 3) / 4 * 4 + 4] = FIFO_NAME;

	add(f, ".gnu_debuglink", SHT_PROGBITS, link, sizeof(link));
}

static int make(const char *kind, const char *path, const char *megabytes)
{
	uint64_t size = megabytes ? strtoull(megabytes, NULL, 10) * MB : 0;
	struct file f = {.fd = -1};

	begin(&f, path);
	if (!strcmp(kind, "zlib") || !strcmp(kind, "zstd"))
		make_packed(&f, size ? size : 250 * MB, kind[1] == 's');
	else if (!strcmp(kind, "names"))
		make_names(&f);
	else if (!strcmp(kind, "sparse"))
		make_sparse(&f, size ? size : 250 * MB);
	else if (!strcmp(kind, "ladder"))
		make_ladder(&f);
	else if (!strcmp(kind, "link"))
		make_link(&f);
	else
		return 2;
	end(&f);
	return 0;
}

int main(int argc, char **argv)
{
	uint64_t deadline, turns = 0;
	uint32_t x = 1;
	struct work w;

	if (argc > 3 && !strcmp(argv[1], "make"))
		return make(argv[2], argv[3], argv[4]);
	work_parse(&w, argc, argv);
	work_begin(&w);
	for (deadline = work_deadline(&w); work_now() < deadline; turns++)
		x = greedy_spin(x);
	printf("pid=%d turns=%" PRIu64 " x=%u\n", (int)getpid(), turns, x);
	return 0;
}
