// SPDX-License-Identifier: Apache-2.0
#ifdef __linux__
#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "CBareCurl.h"

typedef struct {
    size_t count;
    char bytes[65536];
} content;

static size_t receive(char *data, size_t size, size_t count, void *context) {
    content *into = context;
    size_t bytes = size * count;
    if (into->count + bytes > sizeof into->bytes) return 0;
    memcpy(into->bytes + into->count, data, bytes);
    into->count += bytes;
    return bytes;
}

static CURL *prepare(const char *url, struct curl_slist *fields, content *into) {
    CURL *easy = curl_easy_init();
    curl_easy_setopt(easy, CURLOPT_URL, url);
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, fields);
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_PROXY, "");
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, receive);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, into);
    curl_easy_setopt(easy, CURLOPT_PRIVATE, (char *)into);
    return easy;
}

static int succeeded(CURL *easy, CURLcode code) {
    long status = 0;
    curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
    return code == CURLE_OK && status == 200;
}

struct bare_client {
    CURLM *multi;
    CURL **handles;
    content *contents;
    int width;
};

bare_client *bare_client_make(const char *url, const char *field, int width) {
    bare_client *client = malloc(sizeof *client);
    struct curl_slist *fields = curl_slist_append(NULL, field);
    client->multi = curl_multi_init();
    client->handles = calloc((size_t)width, sizeof *client->handles);
    client->contents = calloc((size_t)width, sizeof *client->contents);
    client->width = width;
    for (int i = 0; i < width; i++) client->handles[i] = prepare(url, fields, &client->contents[i]);
    return client;
}

int bare_sequential(bare_client *client, int count) {
    int good = 0;
    for (int i = 0; i < count; i++) {
        client->contents[0].count = 0;
        good += succeeded(client->handles[0], curl_easy_perform(client->handles[0]));
    }
    return good;
}

int bare_multi(bare_client *client, int count) {
    int started = 0, finished = 0, good = 0, running = 0, left = 0;
    for (; started < client->width && started < count; started++) {
        client->contents[started].count = 0;
        curl_multi_add_handle(client->multi, client->handles[started]);
    }
    while (finished < count) {
        curl_multi_perform(client->multi, &running);
        CURLMsg *message;
        while ((message = curl_multi_info_read(client->multi, &left))) {
            CURL *easy = message->easy_handle;
            content *into = NULL;
            good += succeeded(easy, message->data.result);
            finished++;
            curl_easy_getinfo(easy, CURLINFO_PRIVATE, (char **)&into);
            into->count = 0;
            curl_multi_remove_handle(client->multi, easy);
            if (started < count) {
                started++;
                curl_multi_add_handle(client->multi, easy);
            }
        }
        if (finished < count) curl_multi_poll(client->multi, NULL, 0, 1000, NULL);
    }
    return good;
}

double bare_cpu_microseconds(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e6 +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}
#endif
