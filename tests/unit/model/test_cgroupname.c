/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What people call cgroups. */
#include "model/rows/cgroupname.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define UID "c1a1b2c3-0000-4111-8222-333344445555"
#define UID_ "c1a1b2c3_0000_4111_8222_333344445555"

static void test_names(void **state)
{
	static const struct {
		const char *path, *name;
	} of[] = {
		{"/", "/"},
		{"", ""},
		{"/work", "/work"},
		{"/work/a/b", "/work/a/b"},
		{"/system.slice/ssh.service", "ssh.service"},
		{"/system.slice", "system.slice"},
		{"/user.slice/user-1000.slice/session-3.scope", "session-3.scope"},
		{"/user.slice/user-1000.slice/user@1000.service/app.slice/app-term-12.scope", "app-term-12.scope"},
		{"/user.slice/user-1000.slice/user@1000.service/app.slice", "user@1000.service/app.slice"},
		{"/system.slice/web.service/workers", "web.service/workers"},
		{"/docker/" ID, "docker 0123456789ab"},
		{"/docker/" ID "/init", "docker 0123456789ab"},
		{"/system.slice/docker-" ID ".scope", "docker 0123456789ab"},
		{"/machine.slice/libpod-" ID ".scope/container", "podman 0123456789ab"},
		{"/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" UID_ ".slice/cri-containerd-" ID ".scope",
		 "containerd 0123456789ab"},
		{"/kubepods/burstable/pod" UID "/" ID, "k8s 0123456789ab"},
		{"/kubepods/burstable/pod" UID, "pod c1a1b2c30000"},
		{"/kubepods.slice/kubepods-pod" UID_ ".slice", "pod c1a1b2c30000"},
		{"/" ID, "0123456789ab"},
		{"/odd-" ID ".scope", "0123456789ab"},
		{"/x" ID, "/x" ID}, /* not an id behind another word */
		{"/0123456789abcdef", "/0123456789abcdef"},
		{"/.service", "/.service"},
		{"/.slice", "/.slice"},
		{"/pod", "/pod"},
		{"(unknown)", "(unknown)"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(of) / sizeof(*of); i++) {
		char buf[32];
		const char *name = cgroupname(of[i].path, buf);

		if (strcmp(name, of[i].name))
			fail_msg("%s: %s", of[i].path, name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_names)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
