// SPDX-License-Identifier: Apache-2.0
// A server for much content: it takes any upload and counts it, and answers GET with as many bytes as it was told.
#ifdef __linux__
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "CBareCurl.h"
#include "child.h"

static int64_t volume;

static int send_all(int connection, const char *bytes, size_t count) {
    while (count > 0) {
        ssize_t sent = send(connection, bytes, count, MSG_NOSIGNAL);
        if (sent <= 0) return 0;
        bytes += sent;
        count -= (size_t)sent;
    }
    return 1;
}

static int send_volume(int connection, char *buffer, size_t size) {
    char head[128];
    int count = snprintf(head, sizeof head, "HTTP/1.1 200 OK\r\nContent-Length: %lld\r\n\r\n", (long long)volume);
    if (!send_all(connection, head, (size_t)count)) return 0;
    for (int64_t left = volume; left > 0;) {
        size_t piece = left < (int64_t)size ? (size_t)left : size;
        if (!send_all(connection, buffer, piece)) return 0;
        left -= (int64_t)piece;
    }
    return 1;
}

// Reads what is announced, of which `taken` bytes have come, and answers with how much that was.
static int take_volume(int connection, const char *head, int64_t taken, char *buffer, size_t size) {
    const char *field = strcasestr(head, "\r\nContent-Length:");
    int64_t announced = field ? atoll(field + 17) : 0;
    static const char leave[] = "HTTP/1.1 100 Continue\r\n\r\n";
    if (strcasestr(head, "\r\nExpect: 100-continue") && !send_all(connection, leave, sizeof leave - 1)) return 0;
    while (taken < announced) {
        ssize_t count = recv(connection, buffer, size, 0);
        if (count <= 0) return 0;
        taken += count;
    }
    char digits[32], answer[128];
    int count = snprintf(digits, sizeof digits, "%lld", (long long)taken);
    count = snprintf(answer, sizeof answer, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", count, digits);
    return send_all(connection, answer, (size_t)count);
}

static void *serve(void *argument) {
    int connection = (int)(intptr_t)argument;
    size_t size = 1 << 20, count = 0;
    char *buffer = calloc(1, size + 1), *content = calloc(1, size);
    ssize_t got;
    while (buffer && content && (got = recv(connection, buffer + count, 65536 - count, 0)) > 0) {
        count += (size_t)got;
        buffer[count] = 0;
        char *end = strstr(buffer, "\r\n\r\n");
        if (!end) continue;
        int64_t taken = (int64_t)count - (end + 4 - buffer);
        end[2] = 0;
        int goes_on = buffer[0] == 'G' ? send_volume(connection, content, size)
                                       : take_volume(connection, buffer, taken, content, size);
        if (!goes_on) break;
        count = 0;
    }
    free(buffer);
    free(content);
    close(connection);
    return NULL;
}

static void accept_forever(int listener, void *size) {
    volume = *(int64_t *)size;
    for (;;) {
        int connection = accept(listener, NULL, NULL);
        pthread_t thread;
        if (connection < 0) continue;
        if (pthread_create(&thread, NULL, serve, (void *)(intptr_t)connection)) close(connection);
        else pthread_detach(thread);
    }
}

int bare_volume_start(int64_t size) { return bare_listen_in_child(64, accept_forever, &size); }
#endif
