/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "link/remote/fleetcode.h"

#include <errno.h>

static int ask_next(struct fleet *f, struct fleet_asked *a, struct err *err)
{
	unsigned nr = code_of_host(a->place.kind) ? 1 : f->base.info.nhosts;
	int ret = err_set(err, ENOTCONN, "no connected host has it");

	for (unsigned i = 0; i < nr; i++) {
		unsigned host = (a->place.host + i) % f->base.info.nhosts;
		struct session *s = f->members[host].session;
		struct code_place place = a->place;
		struct session_request rq = {.command = SESSION_CODE, .code = &place};

		if (a->asked >> host & 1 || !s)
			continue;
		if (i)
			place.pid = 0; /* the pid means another process there */
		a->asked |= 1ull << host;
		a->host = (uint16_t)host;
		ret = s->ops->command(s, &rq, err);
		if (!ret)
			return 0;
	}
	return ret;
}

int fleet_ask(struct fleet *f, const struct code_place *place, struct err *err)
{
	struct fleet_asked *a = &f->asked[f->nasked++ % FLEET_ASKED];
	int ret;

	code_place_clear(&a->place);
	a->asked = 0;
	if (!code_place_copy(&a->place, place))
		return err_set(err, ENOMEM, "out of memory");
	ret = ask_next(f, a, err);
	if (ret)
		code_place_clear(&a->place);
	return ret;
}

static struct fleet_asked *find_code_request(struct fleet *f, unsigned host,
					     const struct code_place *p)
{
	for (unsigned i = 0; i < FLEET_ASKED; i++) {
		struct fleet_asked *a = &f->asked[i];

		if (a->place.object && a->host == host && a->place.addr == p->addr &&
		    code_place_same(&a->place, p))
			return a;
	}
	return NULL;
}

bool fleet_answer(struct fleet *f, unsigned host, struct code *c)
{
	struct fleet_asked *a;

	c->place.host = (uint16_t)host;
	a = find_code_request(f, host, &c->place);
	if (!a || c->loading || c->again)
		return true;
	if (!c->ninsns && !ask_next(f, a, NULL))
		return false;
	code_place_clear(&a->place);
	return true;
}

void fleet_ask_clear(struct fleet *f)
{
	for (unsigned i = 0; i < FLEET_ASKED; i++)
		code_place_clear(&f->asked[i].place);
}
