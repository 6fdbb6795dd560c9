/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/manynames.h"

#include <stdio.h>
#include <string.h>

#define OBJECTS 64

static bool put_string(struct slice *s, uint32_t id, const char *text)
{
	return !slice_upsert(s, DICT_STRING, &(struct dict_string){id, (uint32_t)strlen(text), text});
}

static bool put_object(struct slice *s, uint32_t id)
{
	char text[128];

	snprintf(text, sizeof(text), "/usr/lib/x86_64-linux-gnu/libbench-%u.so.1", id);
	return put_string(s, 1 + id, text) &&
	       !slice_upsert(s, DICT_OBJECT, &(struct dict_object){.id = id, .name = 1 + id, .kind = OBJECT_FILE,
								   .state = OBJECT_READY});
}

static bool put_function(struct slice *s, uint32_t id)
{
	uint32_t name = 1 + OBJECTS + id, object = 1 + id % OBJECTS;
	char text[128];

	snprintf(text, sizeof(text), "bench::some_function_%u(std::string const&, int)", id);
	return put_string(s, name, text) &&
	       !slice_upsert(s, DICT_SYMBOL, &(struct dict_symbol){.id = id, .name = name, .object = object}) &&
	       !slice_upsert(s, DICT_FRAME, &(struct dict_frame){.id = id, .symbol = id, .addr = 0x1000 + id * 16,
								 .object = object}) &&
	       !slice_upsert(s, DICT_PATH, &(struct dict_path){.id = id, .frame = id});
}

bool manynames_put(struct slice *s, uint32_t functions)
{
	bool ok = put_string(s, 1, "worker") &&
		  !slice_upsert(s, DICT_TASK, &(struct dict_task){.id = 1, .comm = 1, .pid = 10, .tid = 10});

	for (uint32_t i = 1; ok && i <= OBJECTS; i++)
		ok = put_object(s, i);
	for (uint32_t i = 1; ok && i <= functions; i++)
		ok = put_function(s, i);
	return ok;
}
