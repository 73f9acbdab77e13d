// SPDX-License-Identifier: Apache-2.0
#ifdef __linux__
#define _GNU_SOURCE
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "CBareCurl.h"
#include "child.h"

static const char answer[] =
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nDate: Thu, 01 Jan 2026 00:00:00 GMT\r\n"
    "Cache-Control: no-store\r\nX-Request-Id: 0123456789abcdef\r\nContent-Length: 95\r\n\r\n"
    "{\"id\":\"42\",\"name\":\"Ada Lovelace\",\"email\":\"ada@example.com\",\"roles\":[\"reader\",\"writer\"],\"n\":123}";

_Static_assert(sizeof answer - 1 == 260, "Content-Length is that of the content, or no connection is kept");

static void serve(int connection) {
    char buffer[16384];
    ssize_t count = recv(connection, buffer, sizeof buffer, 0);
    if (count <= 0) {
        close(connection);
        return;
    }
    // A client that waits for each answer sends whole requests; nothing else is sent here.
    if (count >= 4 && memcmp(buffer + count - 4, "\r\n\r\n", 4) == 0)
        (void)send(connection, answer, sizeof answer - 1, MSG_NOSIGNAL);
}

static void run(int listener) {
    int queue = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN, .data.fd = listener}, events[128];
    epoll_ctl(queue, EPOLL_CTL_ADD, listener, &event);
    for (;;) {
        int count = epoll_wait(queue, events, 128, -1);
        for (int i = 0; i < count; i++) {
            if (events[i].data.fd != listener) {
                serve(events[i].data.fd);
                continue;
            }
            int connection = accept(listener, NULL, NULL), one = 1;
            if (connection < 0) continue;
            setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
            struct epoll_event added = {.events = EPOLLIN, .data.fd = connection};
            epoll_ctl(queue, EPOLL_CTL_ADD, connection, &added);
        }
    }
}

static void run_forever(int listener, void *nothing) {
    (void)nothing;
    run(listener);
}

int bare_server_start(void) { return bare_listen_in_child(1024, run_forever, NULL); }
#endif
