// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CBareServer.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <microhttpd.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

struct framing {
    int lengths, codings, hosts, bad;
};

// The guards that can be built on what the library shows. What it hides cannot be refused: NUL cuts a line short, a
// bare LF ends it, and a folded field is joined, before any handler is asked.
static enum MHD_Result note(void *closure, enum MHD_ValueKind kind, const char *name, size_t name_size,
                            const char *value, size_t value_size) {
    (void)kind;
    struct framing *framing = closure;
    for (size_t i = 0; i < name_size; i++)
        if (!isgraph((unsigned char)name[i])) framing->bad = 1;
    for (size_t i = 0; i < value_size; i++)
        if ((unsigned char)value[i] < 0x20 && value[i] != '\t') framing->bad = 1;
    if (strcasecmp(name, "content-length") == 0) {
        framing->lengths++;
        for (size_t i = 0; i < value_size; i++)
            if (!isdigit((unsigned char)value[i])) framing->bad = 1;
    } else if (strcasecmp(name, "transfer-encoding") == 0) {
        framing->codings++;
        if (strcasecmp(value, "chunked") != 0) framing->bad = 1;
    } else if (strcasecmp(name, "host") == 0) {
        framing->hosts++;
        for (size_t i = 0; i < value_size; i++)
            if (!isalnum((unsigned char)value[i]) && !strchr("-._~:[]", value[i])) framing->bad = 1;
    }
    return MHD_YES;
}

static int is_sound(struct MHD_Connection *connection) {
    struct framing framing = {0, 0, 0, 0};
    MHD_get_connection_values_n(connection, MHD_HEADER_KIND, note, &framing);
    return !framing.bad && framing.hosts == 1 && framing.lengths + framing.codings <= 1;
}

static enum MHD_Result reply(struct MHD_Connection *connection, unsigned status, const char *text, int closes) {
    struct MHD_Response *response = MHD_create_response_from_buffer(strlen(text), (void *)text, MHD_RESPMEM_MUST_COPY);
    if (!response) return MHD_NO;
    MHD_add_response_header(response, "Content-Type", "application/json");
    MHD_add_response_header(response, "Cache-Control", "no-store");
    if (closes) MHD_add_response_header(response, "Connection", "close");
    enum MHD_Result result = MHD_queue_response(connection, status, response);
    MHD_destroy_response(response);
    return result;
}

static enum MHD_Result answer(void *closure, struct MHD_Connection *connection, const char *url, const char *method,
                              const char *version, const char *upload, size_t *upload_size, void **state) {
    (void)closure, (void)version, (void)upload;
    static int begun;
    if (!*state) {
        *state = &begun;
        return is_sound(connection) ? MHD_YES : reply(connection, 400, "{\"status\":400}", 1);
    }
    if (*upload_size) {
        *upload_size = 0;
        return MHD_YES;
    }
    if (strcmp(method, "GET") != 0) return reply(connection, 405, "{\"status\":405}", 0);
    if (strncmp(url, "/users/", 7) != 0 || strchr(url + 7, '/')) return reply(connection, 404, "{\"status\":404}", 0);
    char text[128];
    snprintf(text, sizeof text, "{\"id\":\"%.64s\",\"name\":\"Ann\",\"roles\":[\"reader\",\"writer\"]}", url + 7);
    return reply(connection, 200, text, 0);
}

static void silent(void *closure, const char *format, va_list arguments) { (void)closure, (void)format, (void)arguments; }

int bare_server_start(void) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct MHD_Daemon *daemon = MHD_start_daemon(
        MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_ERROR_LOG, 0, NULL, NULL, answer, NULL,  //
        MHD_OPTION_EXTERNAL_LOGGER, silent, NULL,                                       //
        MHD_OPTION_SOCK_ADDR, &address, MHD_OPTION_STRICT_FOR_CLIENT, 1,                //
        MHD_OPTION_CONNECTION_LIMIT, 10000u, MHD_OPTION_PER_IP_CONNECTION_LIMIT, 1000u,  //
        MHD_OPTION_CONNECTION_TIMEOUT, 60u, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)32768, MHD_OPTION_END);
    if (!daemon) return -1;
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT);
    return info ? info->port : -1;
}
