/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "files/decode/perfdata_sections.h"

#include <byteswap.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "files/decode/perfdata_state.h"

struct section {
	uint64_t offset, size;
};

/* Read a whole section into malloc'ed *bytes. */
static int read_section(struct perfdata *p, struct section s, char **bytes)
{
	size_t got = 0;

	*bytes = NULL;
	if (s.size > PERFDATA_SECTION_MAX || s.offset > INT64_MAX - s.size)
		return -EBADMSG;
	*bytes = malloc(s.size + 1);
	if (!*bytes)
		return -ENOMEM;
	while (got < s.size) {
		ssize_t n = p->in.source->read(p->in.source->arg, *bytes + got, s.size - got,
					       s.offset + got);

		if (n <= 0) {
			free(*bytes);
			*bytes = NULL;
			return n ? (int)n : -EBADMSG;
		}
		got += (size_t)n;
	}
	return 0;
}

static struct section get_file_section(const struct perfdata *p, const char *at)
{
	return (struct section){perfdata_get64(p, at), perfdata_get64(p, at + 8)};
}

static int read_ids(struct perfdata *p, struct section s, uint32_t event)
{
	char *bytes;
	int ret = read_section(p, s, &bytes);

	for (size_t at = 0; !ret && at + 8 <= s.size; at += 8)
		ret = perfdata_ids_add(&p->ids, perfdata_get64(p, bytes + at), event);
	free(bytes);
	return ret;
}

static int read_attrs(struct perfdata *p, struct section s, uint64_t each, struct err *err)
{
	char *bytes;
	int ret;

	if (!s.size)
		return perfdata_broken(err, s.offset,
				       "no event is described: the table of events is empty");
	if (each < PERFDATA_ATTR_MIN + 16 || each > PERFDATA_ATTR_MAX || s.size < each ||
	    s.size / each > PERFDATA_EVENTS_MAX)
		return perfdata_broken(err, s.offset, "broken descriptions of events");
	ret = read_section(p, s, &bytes);
	for (size_t i = 0; !ret && i < s.size / each; i++) {
		const char *at = bytes + i * each;

		ret = perfdata_add_event(p, at, each - 16);
		if (!ret)
			ret = read_ids(p, get_file_section(p, at + each - 16), (uint32_t)i);
	}
	free(bytes);
	if (ret == -EBADMSG)
		return perfdata_broken(err, s.offset, "broken descriptions of events");
	if (ret == -E2BIG || ret == -ENOMEM)
		return perfdata_ids_explain(&p->ids, -ret, err);
	return ret ? err_set(err, -ret, "cannot read the file's events: %s", strerror(-ret)) : 0;
}

static int read_feature(struct perfdata *p, unsigned f, uint64_t entry)
{
	char *where, *bytes;
	struct section s;
	int ret = read_section(p, (struct section){entry, 16}, &where);

	if (ret)
		return ret;
	s = get_file_section(p, where);
	free(where);
	ret = read_section(p, s, &bytes);
	if (!ret)
		ret = perfdata_feature(&p->s, f, bytes, s.size);
	free(bytes);
	return ret;
}

static void read_features(struct perfdata *p, const uint64_t bits[4], uint64_t table)
{
	for (unsigned f = 0; f < PERFDATA_FEATURES; f++) {
		if (!(bits[f / 64] >> f % 64 & 1))
			continue;
		if (perfdata_feature_wanted(f) && read_feature(p, f, table))
			perfdata_complain(p, table, "a section that cannot be read");
		table += 16;
	}
}

/* The set of features is an array of the recording machine's longs. */
static void get_features(const struct perfdata *p, const char *at, uint64_t bits[4])
{
	memcpy(bits, at, 32);
	if (!p->info.swapped)
		return;
	for (int i = 0; i < 4; i++)
		bits[i] = bswap_64(bits[i]);
	/* Every file names its host, except old ones, which have one empty half. */
	if (bits[0] >> 3 & 1 || (bits[0] & UINT32_MAX && !(bits[0] >> 35 & 1)))
		return;
	for (int i = 0; i < 4; i++)
		bits[i] = bits[i] << 32 | bits[i] >> 32;
}

static void read_types(struct perfdata *p, struct section s)
{
	char *bytes;

	if (s.size && read_section(p, s, &bytes))
		perfdata_complain(p, s.offset, "names of events that cannot be read");
	else if (s.size)
		for (size_t at = 0; at + PERFDATA_TYPE_SIZE <= s.size; at += PERFDATA_TYPE_SIZE)
			perfdata_name_type(p, bytes + at, PERFDATA_TYPE_SIZE);
	if (s.size)
		free(bytes);
}

/*
 * Report a killed recording: perf writes the size at the end, and then the sections on host and
 * names. Everything before is shown.
 */
static void say_unfinished(struct perfdata *p)
{
	p->bad_records++;
	err_set(&p->problem, EBADMSG,
		"the recording was killed before it was finished: the data written until then is "
		"shown; parts that are written last (event names, the host) are missing");
}

int perfdata_open_sections(struct perfdata *p, const char *header, uint64_t size, struct err *err)
{
	struct section attrs = get_file_section(p, header + 24),
		       data = get_file_section(p, header + 40);
	uint64_t bits[4] = {0};
	int ret = read_attrs(p, attrs, perfdata_get64(p, header + 16), err);

	if (ret)
		return ret;
	if (data.offset > INT64_MAX || data.size > INT64_MAX - data.offset)
		return perfdata_broken(err, 40, "a data section of size 0");
	read_types(p, get_file_section(p, header + 56));
	p->info.data = data.offset;
	p->info.data_end = UINT64_MAX;
	p->unfinished = !data.size;
	if (data.size) {
		p->info.data_end = data.offset + data.size;
		if (size == PERFDATA_HEADER)
			get_features(p, header + PERFDATA_HEADER_OLD, bits);
		read_features(p, bits, p->info.data_end);
	} else {
		say_unfinished(p);
	}
	perfdata_input_seek(&p->in, data.offset);
	p->in.limit = p->info.data_end;
	return 0;
}
