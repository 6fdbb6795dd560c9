/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "system/sandbox/helpermessage.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"

union control {
	char space[CMSG_SPACE(sizeof(int))];
	struct cmsghdr align;
};

/* Wait until the socket has room, or something to read. */
static int wait_for_socket(int socket, short events, uint64_t until)
{
	uint64_t now = until ? clock_ns() : 0, left = until > now ? until - now : 0;
	struct timespec ts = {(time_t)(left / NSEC_PER_SEC), (long)(left % NSEC_PER_SEC)};
	struct pollfd p = {.fd = socket, .events = events};

	if (until && !left)
		return -ETIME;
	return ppoll(&p, 1, until ? &ts : NULL, NULL) < 0 && errno != EINTR ? -errno : 0;
}

static int send_some(int socket, struct msghdr *h, size_t *sent, uint64_t until)
{
	ssize_t n = sendmsg(socket, h, MSG_NOSIGNAL | MSG_DONTWAIT);

	*sent = n > 0 ? (size_t)n : 0;
	if (n >= 0 || errno == EINTR)
		return 0;
	return errno == EAGAIN ? wait_for_socket(socket, POLLOUT, until) : -errno;
}

int helpermessage_post(int socket, const struct message *m, const void *bytes, int fd,
		       uint64_t until)
{
	union control control = {.space = ""};
	struct iovec iov[2] = {{(void *)m, sizeof(*m)}, {(void *)bytes, m->len}};
	struct msghdr h = {.msg_iov = iov, .msg_iovlen = 2};
	size_t sent;
	int ret = 0;

	if (fd >= 0) {
		h.msg_control = control.space;
		h.msg_controllen = sizeof(control.space);
		control.align = (struct cmsghdr){.cmsg_len = CMSG_LEN(sizeof(fd)),
						 .cmsg_level = SOL_SOCKET,
						 .cmsg_type = SCM_RIGHTS};
		memcpy(CMSG_DATA(&control.align), &fd, sizeof(fd));
	}
	while (!ret && iov[0].iov_len + iov[1].iov_len) {
		ret = send_some(socket, &h, &sent, until);
		if (sent) { /* the descriptor went with the first byte */
			h.msg_control = NULL;
			h.msg_controllen = 0;
		}
		for (unsigned i = 0; i < 2; i++) {
			size_t part = sent < iov[i].iov_len ? sent : iov[i].iov_len;

			iov[i].iov_base = (char *)iov[i].iov_base + part;
			iov[i].iov_len -= part;
			sent -= part;
		}
	}
	return ret;
}

/* Keep the first descriptor of a message, and close others: a helper gains nothing by them. */
static void take_sent_descriptors(struct msghdr *h, int *fd)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(h); c; c = CMSG_NXTHDR(h, c)) {
		size_t nr = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);

		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		for (size_t i = 0; i < nr; i++) {
			int got;

			memcpy(&got, CMSG_DATA(c) + i * sizeof(int), sizeof(got));
			if (fd && *fd < 0)
				*fd = got;
			else
				close(got);
		}
	}
}

static int receive(int socket, void *bytes, size_t len, int *fd, uint64_t until)
{
	char *at = bytes;

	while (len) {
		union control control = {.space = ""};
		struct iovec iov = {at, len};
		struct msghdr h = {.msg_iov = &iov, .msg_iovlen = 1, .msg_control = control.space,
				   .msg_controllen = sizeof(control.space)};
		ssize_t n = recvmsg(socket, &h, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
		int ret = 0;

		if (n == 0)
			return -ECONNRESET;
		if (n > 0) {
			take_sent_descriptors(&h, fd);
			at += n;
			len -= (size_t)n;
		} else if (errno == EAGAIN) {
			ret = wait_for_socket(socket, POLLIN, until);
		} else if (errno != EINTR) {
			ret = -errno;
		}
		if (ret)
			return ret;
	}
	return 0;
}

int helpermessage_receive(int socket, struct message *m, int *fd, uint64_t until)
{
	int ret;

	*fd = -1;
	ret = receive(socket, m, sizeof(*m), fd, until);
	if (!ret && (m->kind >= HELPERMESSAGE_KINDS || m->len > HELPERMESSAGE_MAX))
		ret = -EPROTO;
	if (ret && *fd >= 0) {
		close(*fd);
		*fd = -1;
	}
	return ret;
}

int helpermessage_receive_bytes(int socket, void *bytes, size_t len, uint64_t until)
{
	return receive(socket, bytes, len, NULL, until);
}
