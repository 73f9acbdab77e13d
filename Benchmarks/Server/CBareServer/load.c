// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CBareServer.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static const char request[] =
    "GET /users/42 HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: bench-server/1\r\nAccept: application/json\r\n"
    "Accept-Encoding: gzip, deflate\r\nX-Request-Id: 0123456789abcdef\r\n"
    "Authorization: Bearer eyJhbGciOiJFUzI1NiIsInR5cCI6ImF0K2p3dCJ9.eyJzdWIiOiI0MiIsImV4cCI6MTg5MzQ1NjAwMH0."
    "MEUCIQDZ0d9cV4mQ3J0bX1cJ8mB3eZs1iY7d0yLq4kTq8h2nZwIgYw0m1cJ8mB3eZs1iY7d0yLq4kTq8h2nZw0d9cV4mQ3J0\r\n\r\n";

struct one {
    int socket;
    size_t have;
    char bytes[2048];
};

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static int connected(int port) {
    int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    if (connect(descriptor, (struct sockaddr *)&address, sizeof address) != 0) {
        close(descriptor);
        return -1;
    }
    setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return descriptor;
}

// The length of the answer that is there whole, or 0.
static size_t whole(const struct one *one) {
    const char *end = memmem(one->bytes, one->have, "\r\n\r\n", 4);
    if (!end) return 0;
    const char *length = memmem(one->bytes, (size_t)(end - one->bytes), "Content-Length: ", 16);
    size_t total = (size_t)(end - one->bytes) + 4 + (length ? (size_t)atoi(length + 16) : 0);
    return one->have >= total ? total : 0;
}

static int ask(struct one *one) {
    one->have = 0;
    return send(one->socket, request, sizeof request - 1, MSG_NOSIGNAL) == (ssize_t)sizeof request - 1;
}

static void take(struct one *one, struct bare_load *load, int *open) {
    ssize_t count = recv(one->socket, one->bytes + one->have, sizeof one->bytes - 1 - one->have, MSG_DONTWAIT);
    if (count < 0 && errno == EAGAIN) return;
    if (count > 0) {
        one->have += (size_t)count;
        one->bytes[one->have] = 0;
        if (!whole(one)) return;
        load->answers++;
        if (strncmp(one->bytes, "HTTP/1.1 200", 12) != 0) load->failures++;
        if (ask(one)) return;
    }
    load->failures++;
    (*open)--;
    close(one->socket);
    one->socket = -1;
}

struct bare_load bare_load_run(int port, int connections, double seconds) {
    struct bare_load load = {0, 0, 0};
    struct one *all = calloc((size_t)connections, sizeof *all);
    int poll = epoll_create1(EPOLL_CLOEXEC), open = 0;
    for (int i = 0; i < connections; i++) {
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = &all[i]};
        all[i].socket = connected(port);
        if (all[i].socket < 0) {
            load.failures++;
            continue;
        }
        epoll_ctl(poll, EPOLL_CTL_ADD, all[i].socket, &event);
        open++;
    }
    double start = now(), end = start + seconds;
    for (int i = 0; i < connections; i++)
        if (all[i].socket >= 0 && !ask(&all[i])) load.failures++;
    struct epoll_event events[128];
    while (open > 0 && now() < end) {
        int count = epoll_wait(poll, events, 128, 100);
        for (int i = 0; i < count; i++) take(events[i].data.ptr, &load, &open);
    }
    load.seconds = now() - start;
    for (int i = 0; i < connections; i++)
        if (all[i].socket >= 0) close(all[i].socket);
    close(poll);
    free(all);
    return load;
}

double bare_cpu_microseconds(int pid) {
    clockid_t id;
    struct timespec time;
    if (clock_getcpuclockid(pid, &id) != 0 || clock_gettime(id, &time) != 0) return 0;
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

int64_t bare_resident_kib(int pid) {
    char path[64], line[256];
    long long kib = 0;
    snprintf(path, sizeof path, "/proc/%d/status", pid);
    FILE *file = fopen(path, "r");
    if (!file) return 0;
    while (fgets(line, sizeof line, file))
        if (sscanf(line, "VmRSS: %lld", &kib) == 1) break;
    fclose(file);
    return kib;
}
