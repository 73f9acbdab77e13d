// SPDX-License-Identifier: Apache-2.0
#ifdef __linux__
#define _GNU_SOURCE
#include "CCurlShim.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>

CURLMcode latch_curl_multi_observe(CURLM *multi, curl_socket_callback socket, curl_multi_timer_callback timer,
                                   void *context) {
    CURLMcode code = curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, socket);
    if (code == CURLM_OK) code = curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, context);
    if (code == CURLM_OK) code = curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, timer);
    if (code == CURLM_OK) code = curl_multi_setopt(multi, CURLMOPT_TIMERDATA, context);
    return code;
}

#define SET(option, value)                                                                                            \
    do {                                                                                                              \
        CURLcode code = curl_easy_setopt(easy, option, value);                                                        \
        if (code != CURLE_OK) return code;                                                                            \
    } while (0)

CURLcode latch_curl_configure(CURL *easy, const latch_curl_options *options) {
    SET(CURLOPT_NOSIGNAL, 1L);
    SET(CURLOPT_PROTOCOLS_STR, "http,https");
    SET(CURLOPT_FOLLOWLOCATION, 0L);
    SET(CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
    SET(CURLOPT_HTTP09_ALLOWED, 0L);
    SET(CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_2TLS);
    SET(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    SET(CURLOPT_PATH_AS_IS, 1L);
    SET(CURLOPT_TCP_NODELAY, 1L);
    SET(CURLOPT_NOPROGRESS, 1L);
    SET(CURLOPT_SSL_VERIFYPEER, 1L);
    SET(CURLOPT_SSL_VERIFYHOST, 2L);
    // RFC 8996: TLS 1.0 and 1.1 are not to be used.
    SET(CURLOPT_SSLVERSION, (long)(options->requires_tls13 ? CURL_SSLVERSION_TLSv1_3 : CURL_SSLVERSION_TLSv1_2));
    SET(CURLOPT_CONNECTTIMEOUT_MS, options->connect_timeout_ms);
    SET(CURLOPT_EXPECT_100_TIMEOUT_MS, options->continue_timeout_ms);
    if (options->authorities) SET(CURLOPT_CAINFO, options->authorities);
    SET(CURLOPT_PRIVATE, options->transfer);
    SET(CURLOPT_HEADERFUNCTION, options->on_head);
    SET(CURLOPT_HEADERDATA, options->transfer);
    SET(CURLOPT_WRITEFUNCTION, options->on_body);
    SET(CURLOPT_WRITEDATA, options->transfer);
    SET(CURLOPT_READFUNCTION, options->on_upload);
    SET(CURLOPT_READDATA, options->transfer);
    SET(CURLOPT_SEEKFUNCTION, options->on_rewind);
    SET(CURLOPT_SEEKDATA, options->transfer);
    SET(CURLOPT_ERRORBUFFER, options->error_buffer);
    SET(CURLOPT_ACCEPT_ENCODING, options->codings);
    SET(CURLOPT_OPENSOCKETFUNCTION, options->on_open);
    SET(CURLOPT_OPENSOCKETDATA, options->transfer);
    SET(CURLOPT_CLOSESOCKETFUNCTION, options->on_close);
    SET(CURLOPT_CLOSESOCKETDATA, options->loop);
    return CURLE_OK;
}

CURLcode latch_curl_prepare(CURL *easy, const latch_curl_request *request) {
    SET(CURLOPT_URL, request->url);
    SET(CURLOPT_HTTPHEADER, request->fields);
    // HTTPGET also undoes NOBODY and POST of the request before.
    SET(CURLOPT_HTTPGET, 1L);
    SET(CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)(request->has_content ? request->content_size : -1));
    if (request->is_upload) {
        SET(CURLOPT_COPYPOSTFIELDS, NULL);
        SET(CURLOPT_POST, 1L);
    } else {
        SET(CURLOPT_COPYPOSTFIELDS, request->has_content ? (request->content ? request->content : "") : NULL);
        if (!request->has_content) SET(CURLOPT_HTTPGET, 1L);
    }
    if (request->is_head) SET(CURLOPT_NOBODY, 1L);
    SET(CURLOPT_CUSTOMREQUEST, request->is_usual_method ? NULL : request->method);
    SET(CURLOPT_TIMEOUT_MS, request->timeout_ms);
    SET(CURLOPT_PROXY, request->avoids_proxy ? "" : NULL);
    SET(CURLOPT_PIPEWAIT, (long)request->waits_for_multiplexing);
    return CURLE_OK;
}

int latch_curl_forgets(void) {
    unsigned version = curl_version_info(CURLVERSION_NOW)->version_num;
    return version >= 0x075800 && version < 0x080000;
}

void latch_curl_cork(curl_socket_t socket) {
    int on = 1;
    setsockopt(socket, IPPROTO_TCP, TCP_CORK, &on, sizeof on);
}

void latch_curl_push(curl_socket_t socket) {
    // tcp(7): this sends what is held back, and the cork stays.
    int on = 1;
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

long latch_curl_early_status(CURL *easy) {
#if LIBCURL_VERSION_NUM >= 0x075400
    struct curl_header *header = NULL;
    if (curl_easy_header(easy, ":status", 0, CURLH_PSEUDO, -1, &header) != CURLHE_OK) return 0;
    return strtol(header->value, NULL, 10);
#else
    return 0;
#endif
}

CURLcode latch_curl_assume_http2(CURL *easy, long assumes) {
    // 7.88 greets a second time on a connection that it uses again, and the server ends it.
    long fresh = assumes && latch_curl_forgets();
    SET(CURLOPT_HTTP_VERSION, (long)(assumes ? CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE : CURL_HTTP_VERSION_2TLS));
    SET(CURLOPT_FRESH_CONNECT, fresh);
    SET(CURLOPT_FORBID_REUSE, fresh);
    return CURLE_OK;
}

CURLcode latch_curl_prepare_tls(CURL *easy, const latch_curl_tls *tls) {
    struct curl_blob certificate = {(void *)tls->certificate, tls->certificate_size, CURL_BLOB_COPY};
    struct curl_blob key = {(void *)tls->key, tls->key_size, CURL_BLOB_COPY};
    SET(CURLOPT_PINNEDPUBLICKEY, tls->pins);
    SET(CURLOPT_SSLCERTTYPE, tls->kind);
    SET(CURLOPT_SSLKEYTYPE, tls->key ? tls->kind : NULL);
    SET(CURLOPT_SSLCERT_BLOB, tls->certificate ? &certificate : NULL);
    SET(CURLOPT_SSLKEY_BLOB, tls->key ? &key : NULL);
    SET(CURLOPT_KEYPASSWD, tls->passphrase);
    return CURLE_OK;
}

const char *latch_curl_codings(void) {
    // One text for each set of codings: nothing is put together, so nothing can be read half made.
    static const char *const lists[] = {"identity", "gzip, deflate", "br", "gzip, deflate, br",
                                        "zstd",     "gzip, deflate, zstd", "br, zstd", "gzip, deflate, br, zstd"};
    int features = curl_version_info(CURLVERSION_NOW)->features;
    return lists[(features & CURL_VERSION_LIBZ ? 1 : 0) | (features & CURL_VERSION_BROTLI ? 2 : 0) |
                 (features & CURL_VERSION_ZSTD ? 4 : 0)];
}

CURLcode latch_curl_prepare_mail(CURL *easy, const latch_curl_mail *mail) {
    SET(CURLOPT_NOSIGNAL, 1L);
    SET(CURLOPT_PROTOCOLS_STR, "smtp,smtps");
    SET(CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
    SET(CURLOPT_PROXY, "");
    SET(CURLOPT_PRIVATE, mail->transfer);
    SET(CURLOPT_HEADERFUNCTION, mail->on_reply);
    SET(CURLOPT_HEADERDATA, mail->transfer);
    SET(CURLOPT_WRITEFUNCTION, mail->on_reply);
    SET(CURLOPT_WRITEDATA, mail->transfer);
    SET(CURLOPT_URL, mail->url);
    SET(CURLOPT_USE_SSL, (long)(mail->requires_tls ? CURLUSESSL_ALL : CURLUSESSL_NONE));
    SET(CURLOPT_SSL_VERIFYPEER, 1L);
    SET(CURLOPT_SSL_VERIFYHOST, 2L);
    if (mail->authorities) SET(CURLOPT_CAINFO, mail->authorities);
    if (mail->user) SET(CURLOPT_USERNAME, mail->user);
    if (mail->password) SET(CURLOPT_PASSWORD, mail->password);
    SET(CURLOPT_MAIL_FROM, mail->sender);
    SET(CURLOPT_MAIL_RCPT, mail->recipients);
    SET(CURLOPT_UPLOAD, 1L);
    SET(CURLOPT_READFUNCTION, mail->on_read);
    SET(CURLOPT_READDATA, mail->content);
    SET(CURLOPT_INFILESIZE_LARGE, (curl_off_t)mail->content_size);
    SET(CURLOPT_TIMEOUT_MS, mail->timeout_ms);
    return CURLE_OK;
}

curl_socket_t latch_curl_open_socket(const struct curl_sockaddr *address) {
    int kind = address->socktype | SOCK_CLOEXEC | SOCK_NONBLOCK;
    return socket(address->family, kind, address->protocol);
}

int latch_epoll_create(void) { return epoll_create1(EPOLL_CLOEXEC); }

int latch_eventfd_create(int blocks) { return eventfd(0, EFD_CLOEXEC | (blocks ? 0 : EFD_NONBLOCK)); }

int latch_epoll_wait(int epoll, void *events, int capacity, int64_t nanoseconds) {
    if (nanoseconds < 0) return epoll_wait(epoll, events, capacity, -1);
    if (nanoseconds == 0) return epoll_wait(epoll, events, capacity, 0);
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 35)
    struct timespec time = {.tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000};
    int count = epoll_pwait2(epoll, events, capacity, &time, NULL);
    // Kernels before 5.11 do not know it.
    if (count >= 0 || errno != ENOSYS) return count;
#endif
    int64_t milliseconds = (nanoseconds + 999999) / 1000000;
    return epoll_wait(epoll, events, capacity, milliseconds > INT32_MAX ? INT32_MAX : (int)milliseconds);
}
#endif
