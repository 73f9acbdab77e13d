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

int bare_sequential(const char *url, const char *field, int count) {
    struct curl_slist *fields = curl_slist_append(NULL, field);
    content *into = malloc(sizeof *into);
    CURL *easy = prepare(url, fields, into);
    int good = 0;
    for (int i = 0; i < count; i++) {
        into->count = 0;
        good += succeeded(easy, curl_easy_perform(easy));
    }
    curl_easy_cleanup(easy);
    curl_slist_free_all(fields);
    free(into);
    return good;
}

int bare_multi(const char *url, const char *field, int count, int width) {
    struct curl_slist *fields = curl_slist_append(NULL, field);
    CURLM *multi = curl_multi_init();
    CURL **handles = calloc((size_t)width, sizeof *handles);
    content *contents = calloc((size_t)width, sizeof *contents);
    int started = 0, finished = 0, good = 0, running = 0, left = 0;
    for (; started < width && started < count; started++) {
        handles[started] = prepare(url, fields, &contents[started]);
        curl_multi_add_handle(multi, handles[started]);
    }
    while (finished < count) {
        curl_multi_perform(multi, &running);
        CURLMsg *message;
        while ((message = curl_multi_info_read(multi, &left))) {
            CURL *easy = message->easy_handle;
            content *into = NULL;
            good += succeeded(easy, message->data.result);
            finished++;
            curl_easy_getinfo(easy, CURLINFO_PRIVATE, (char **)&into);
            into->count = 0;
            curl_multi_remove_handle(multi, easy);
            if (started < count) {
                started++;
                curl_multi_add_handle(multi, easy);
                running = 1;
            }
        }
        if (finished < count) curl_multi_poll(multi, NULL, 0, 1000, NULL);
    }
    for (int i = 0; i < width; i++) curl_easy_cleanup(handles[i]);
    curl_multi_cleanup(multi);
    curl_slist_free_all(fields);
    free(handles);
    free(contents);
    return good;
}

double bare_cpu_microseconds(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e6 +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}
#endif
