/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "link/agent/linger.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "link/wire/message.h"

#define DESCRIPTORS 3

int linger_token(char token[LINGER_TOKEN])
{
	unsigned char bytes[(LINGER_TOKEN - 1) / 2];

	if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
		return -EIO;
	for (size_t i = 0; i < sizeof(bytes); i++)
		snprintf(token + 2 * i, 3, "%02x", bytes[i]);
	return 0;
}

/* Write the token's abstract socket name.  Return its length. */
static socklen_t token_address(struct sockaddr_un *a, const char *token)
{
	int len;

	*a = (struct sockaddr_un){.sun_family = AF_UNIX};
	len = snprintf(a->sun_path + 1, sizeof(a->sun_path) - 1, "ringtop-agent-%.*s",
		       LINGER_TOKEN - 1, token);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)len);
}

static bool same_user(int fd)
{
	struct ucred who;
	socklen_t len = sizeof(who);

	return !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &len) && who.uid == geteuid();
}

int linger_listen(const char *token, struct err *err)
{
	struct sockaddr_un a;
	socklen_t len = token_address(&a, token);
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), code;

	if (fd >= 0 && !bind(fd, (struct sockaddr *)&a, len) && !listen(fd, 4))
		return fd;
	code = errno;
	if (fd >= 0)
		close(fd);
	return err_room(err, code, "a socket for reconnecting");
}

/*
 * Take the three descriptors of a message; close them if there is another number.  False: no three.
 */
static bool receive_descriptors(struct msghdr *m, int fds[DESCRIPTORS])
{
	struct cmsghdr *c = CMSG_FIRSTHDR(m);
	size_t nr = 0;
	int got[16];

	if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS) {
		nr = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		nr = nr < 16 ? nr : 16;
		memcpy(got, CMSG_DATA(c), nr * sizeof(int));
	}
	if (nr == DESCRIPTORS && !(m->msg_flags & MSG_CTRUNC)) {
		memcpy(fds, got, sizeof(int) * DESCRIPTORS);
		return true;
	}
	while (nr)
		close(got[--nr]);
	return false;
}

int linger_accept(int fd, struct linger_peer *peer)
{
	/* A proper peer sends as soon as it is connected. */
	struct timeval soon = {.tv_sec = 1};
	union {
		struct cmsghdr align;
		char room[CMSG_SPACE(16 * sizeof(int))];
	} control;
	char byte;
	struct iovec io = {&byte, 1};
	struct msghdr m = {.msg_iov = &io,
			   .msg_iovlen = 1,
			   .msg_control = &control,
			   .msg_controllen = sizeof(control)};
	int s = accept4(fd, NULL, NULL, SOCK_CLOEXEC), fds[DESCRIPTORS];

	if (s < 0)
		return -errno;
	setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &soon, sizeof(soon));
	if (!same_user(s) || recvmsg(s, &m, MSG_CMSG_CLOEXEC) != 1 ||
	    !receive_descriptors(&m, fds)) {
		close(s);
		return -EAGAIN;
	}
	*peer = (struct linger_peer){fds[0], fds[1], fds[2], s};
	return 0;
}

static int send_descriptors(int s)
{
	static const int fds[DESCRIPTORS] = {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO};
	union {
		struct cmsghdr align;
		char room[CMSG_SPACE(sizeof(fds))];
	} control = {.room = {0}};
	struct iovec io = {(char[]){1}, 1};
	struct msghdr m = {.msg_iov = &io,
			   .msg_iovlen = 1,
			   .msg_control = &control,
			   .msg_controllen = sizeof(control)};
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(fds));
	memcpy(CMSG_DATA(c), fds, sizeof(fds));
	return sendmsg(s, &m, MSG_NOSIGNAL) == 1 ? 0 : -errno;
}

int linger_resume(const char *token, struct err *err)
{
	struct sockaddr_un a;
	socklen_t len = token_address(&a, token);
	int s = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0), ret = 0;
	char byte;

	if (s < 0)
		return err_room(err, errno, "a socket");
	if (connect(s, (struct sockaddr *)&a, len))
		ret = err_set(err, errno, WIRE_NOT_THERE ": %s", strerror(errno));
	else if (!same_user(s))
		ret = err_set(err, EPERM, "the agent with this token belongs to another user");
	else if ((ret = send_descriptors(s)))
		err_set(err, -ret, "the agent did not accept the connection: %s", strerror(-ret));
	while (!ret && recv(s, &byte, 1, 0) > 0)
		;
	close(s);
	return ret;
}
