// SPDX-License-Identifier: Apache-2.0
// The least that a server of HTTP/1.1 can do: threads that wait with epoll and send the same bytes after each empty line.
//
// usage: epoll PORT THREADS <RESPONSE; a signal ends it.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

static char response[65536];
static size_t length;
static int port;

static int listening(void) {
    int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), on = 1;
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on);
    if (bind(descriptor, (struct sockaddr *)&address, sizeof address) != 0 || listen(descriptor, 1024) != 0) exit(1);
    return descriptor;
}

static void watch(int poll, int descriptor) {
    struct epoll_event event = {.events = EPOLLIN, .data.fd = descriptor};
    epoll_ctl(poll, EPOLL_CTL_ADD, descriptor, &event);
}

static void *serve(void *unused) {
    int poll = epoll_create1(0), listener = listening(), on = 1;
    char request[8192];
    struct epoll_event events[128];
    watch(poll, listener);
    for (;;) {
        int count = epoll_wait(poll, events, 128, -1);
        for (int i = 0; i < count; i++) {
            int descriptor = events[i].data.fd;
            if (descriptor == listener) {
                int accepted = accept4(listener, NULL, NULL, SOCK_NONBLOCK);
                if (accepted < 0) continue;
                setsockopt(accepted, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
                watch(poll, accepted);
                continue;
            }
            ssize_t received = recv(descriptor, request, sizeof request, 0);
            if (received <= 0) close(descriptor);
            else if (memmem(request, (size_t)received, "\r\n\r\n", 4) && send(descriptor, response, length, MSG_NOSIGNAL) < 0)
                close(descriptor);
        }
    }
    return unused;
}

int main(int count, char **arguments) {
    if (count != 3) return 2;
    port = atoi(arguments[1]);
    length = fread(response, 1, sizeof response, stdin);
    pthread_t thread;
    for (int i = 1; i < atoi(arguments[2]); i++) pthread_create(&thread, NULL, serve, NULL);
    serve(NULL);
}
