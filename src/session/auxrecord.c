/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "session/auxrecord.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include "base/atomics.h"
#include "session/auxinfo.h"

#define LANE_LEAST (8u << 20)
#define LANE_NONE  4096 /* nothing is ever put into it */
#define LANES_MOST (512u << 20) /* of all of them; only what is used is resident */
#define RECORD_MOST (16u << 20) /* frames are joined up to it */

/* In a lane ahead of the bytes, which are padded to 8. */
struct frame {
	uint64_t len, offset, reference;
};

struct stream {
	struct lane bytes;
	struct lane *records; /* the CPU reader's own */
	uint64_t taken;       /* shared, relaxed: bytes of trace given by the reader */
	uint64_t written;     /* shared, relaxed: of them in the file */
};

struct auxrecord {
	struct auxset *set;
	struct aux_sink sink;
	struct perf_event_attr attr;
	struct stream *streams;
	unsigned nr;
};

/* --- the readers' side -------------------------------------------------------------------- */

static struct stream *stream_of(struct auxrecord *ar, int cpu, pid_t tid)
{
	unsigned i = auxset_find(ar->set, cpu, tid);

	return i < ar->nr ? &ar->streams[i] : NULL;
}

static size_t take_bytes(void *arg, int cpu, pid_t tid, const struct auxarea_span *span)
{
	struct stream *s = stream_of(arg, cpu, tid);
	struct frame f = {.len = span->len[0] + span->len[1], .offset = span->offset,
			  .reference = auxarea_counter()};
	size_t room, first;
	char *to = s ? lane_room(&s->bytes, &room) : NULL;

	if (!to || room < sizeof(f) + 8)
		return 0;
	/* A part is better than nothing: what follows is flagged as lost. */
	if (f.len > room - sizeof(f))
		f.len = room - sizeof(f);
	first = f.len < span->len[0] ? f.len : span->len[0];
	memcpy(to, &f, sizeof(f));
	memcpy(to + sizeof(f), span->part[0], first);
	memcpy(to + sizeof(f) + first, span->part[1], f.len - first);
	lane_commit(&s->bytes, sizeof(f) + f.len + perfwrite_padding(f.len));
	atomic_add_relaxed(&s->taken, f.len);
	return f.len;
}

static void take_records(void *arg, int cpu, pid_t tid, const char *data, size_t len)
{
	struct stream *s = stream_of(arg, cpu, tid);

	if (s && s->records)
		lane_put(s->records, data, len, NULL, NULL);
}

/* --- making it ---------------------------------------------------------------------------- */

struct auxrecord *auxrecord_create(struct auxset *set, int wake_fd)
{
	struct auxrecord *ar = calloc(1, sizeof(*ar));
	struct auxset_info info;
	size_t size, share;

	if (!ar)
		return NULL;
	auxset_info(set, &info);
	auxset_attr(set, &ar->attr);
	ar->set = set;
	ar->sink = (struct aux_sink){.arg = ar, .bytes = take_bytes, .records = take_records};
	ar->streams = calloc(auxset_nr(set) + 1, sizeof(*ar->streams));
	share = LANES_MOST / (auxset_nr(set) + 1);
	size = 4 * info.size < LANE_LEAST ? LANE_LEAST : 4 * info.size;
	size = size > share ? share : size;
	if (info.mode != AUX_FULL)
		size = LANE_NONE;
	for (unsigned i = 0; ar->streams && i < auxset_nr(set); i++, ar->nr++)
		if (lane_init(&ar->streams[i].bytes, size, 0, wake_fd)) {
			lane_clear(&ar->streams[i].bytes);
			break;
		}
	if (ar->streams && ar->nr == auxset_nr(set))
		return ar;
	auxrecord_free(ar);
	return NULL;
}

void auxrecord_free(struct auxrecord *ar)
{
	if (!ar)
		return;
	for (unsigned i = 0; i < ar->nr; i++)
		lane_clear(&ar->streams[i].bytes);
	free(ar->streams);
	free(ar);
}

void auxrecord_lane(struct auxrecord *ar, unsigned i, struct lane *lane)
{
	ar->streams[i].records = lane;
}

void auxrecord_on(struct auxrecord *ar, bool on)
{
	auxset_sink(ar->set, on ? &ar->sink : NULL);
}

/* --- the recorder's side ------------------------------------------------------------------ */

bool auxrecord_event(struct auxrecord *ar, struct perfwrite_event *e, uint64_t **ids)
{
	size_t nr;

	*ids = auxset_ids(ar->set, &nr);
	*e = (struct perfwrite_event){.attr = &ar->attr, .ids = *ids, .nids = nr,
				      .name = auxset_name(ar->set)};
	return *ids;
}

int auxrecord_begin(struct auxrecord *ar, struct perffile *file)
{
	struct perfwrite w = {.failed = false};
	struct auxset_info info;
	struct auxinfo words;
	int cpu, ret;
	pid_t tid;

	auxset_info(ar->set, &info);
	auxset_who(ar->set, 0, &cpu, &tid);
	auxinfo_make(&info, cpu >= 0, &words);
	perfwrite_auxtrace_info(&w, words.type, words.words, words.nr);
	w.failed |= words.failed;
	auxinfo_clear(&words);
	ret = w.failed ? -ENOMEM : perffile_records(file, w.data, w.len);
	perfwrite_clear(&w);
	return ret;
}

/*
 * The frames at the beginning of `bytes` that follow each other in the trace, as one record: *a and the
 * parts of it.  Returns what they take in the lane.
 */
static size_t join_frames(const char *bytes, size_t len, struct perfwrite_auxtrace *a,
			  struct iovec *parts, unsigned *nr)
{
	size_t at = 0;

	*nr = 0;
	a->size = 0;
	while (at < len && *nr < PERFFILE_PARTS && a->size < RECORD_MOST) {
		struct frame f;

		memcpy(&f, bytes + at, sizeof(f));
		if (!*nr) {
			a->offset = f.offset;
			a->reference = f.reference;
		} else if (f.offset != a->offset + a->size) {
			break; /* something was lost between, or the area is another one */
		}
		parts[(*nr)++] = (struct iovec){(char *)bytes + at + sizeof(f), f.len};
		a->size += f.len;
		at += sizeof(f) + f.len + perfwrite_padding(f.len);
	}
	return at;
}

static int write_stream(struct auxrecord *ar, unsigned i, struct perffile *file)
{
	struct lane *l = &ar->streams[i].bytes;
	struct perfwrite_auxtrace a = {.idx = i};
	struct iovec parts[PERFFILE_PARTS];
	size_t len, at = 0;
	const char *bytes = lane_peek(l, lane_head(l), &len);
	int ret = 0;

	auxset_who(ar->set, i, &a.cpu, &a.tid);
	while (at < len && !ret) {
		unsigned nr;
		size_t n = join_frames(bytes + at, len - at, &a, parts, &nr);

		ret = perffile_auxtrace(file, &a, parts, nr);
		if (!ret)
			atomic_add_relaxed(&ar->streams[i].written, a.size);
		lane_take(l, n);
		at += n;
	}
	/* After a failed write too: the lane must not fill up. */
	lane_take(l, len - at);
	return ret;
}

uint64_t auxrecord_unwritten(const struct auxrecord *ar)
{
	uint64_t bytes = 0;

	for (unsigned i = 0; i < ar->nr; i++)
		bytes += atomic_load_relaxed(&ar->streams[i].taken) -
			 atomic_load_relaxed(&ar->streams[i].written);
	return bytes;
}

int auxrecord_write(struct auxrecord *ar, struct perffile *file)
{
	int ret = 0, r;

	for (unsigned i = 0; i < ar->nr; i++) {
		r = write_stream(ar, i, file);
		ret = ret ? ret : r;
	}
	return ret;
}
