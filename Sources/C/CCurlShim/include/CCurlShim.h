// SPDX-License-Identifier: Apache-2.0
// What Swift cannot call: libcurl's variadic setters and getters, one function per argument type, and the two lists of
// settings that every transfer needs, each in one call.
#pragma once
#include <curl/curl.h>
#include <stddef.h>
#include <stdint.h>
#ifdef __linux__
#include <sys/epoll.h>
#endif

/// The pointer that was stored with CURLOPT_PRIVATE.
static inline void *latch_curl_private(CURL *easy) {
    char *value = NULL;
    return curl_easy_getinfo(easy, CURLINFO_PRIVATE, &value) == CURLE_OK ? value : NULL;
}

/// The announced size of the content, -1 where none was announced.
static inline int64_t latch_curl_content_length(CURL *easy) {
    curl_off_t value = -1;
    return curl_easy_getinfo(easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &value) == CURLE_OK ? value : -1;
}

/// How many bytes of content have come, before codings are taken off.
static inline int64_t latch_curl_downloaded(CURL *easy) {
    curl_off_t value = 0;
    return curl_easy_getinfo(easy, CURLINFO_SIZE_DOWNLOAD_T, &value) == CURLE_OK ? value : 0;
}

/// The codings that this libcurl can take off, as `Accept-Encoding` lists them.
const char *latch_curl_codings(void);

static inline CURLMcode latch_curl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

/// Tells the loop which sockets to watch and when to call again.
CURLMcode latch_curl_multi_observe(CURLM *multi, curl_socket_callback socket, curl_multi_timer_callback timer,
                                   void *context);

/// What stays the same for every transfer of a handle.
typedef struct {
    void *transfer;
    curl_write_callback on_head;
    curl_write_callback on_body;
    curl_read_callback on_upload;
    curl_seek_callback on_rewind;
    /// CURL_ERROR_SIZE bytes.
    char *error_buffer;
    /// The codings that are taken off the content of answers.
    const char *codings;
    void *loop;
    curl_opensocket_callback on_open;
    curl_closesocket_callback on_close;
    long connect_timeout_ms;
    long continue_timeout_ms;
    const char *authorities;
    /// Nothing older than TLS 1.3.
    int requires_tls13;
} latch_curl_options;

CURLcode latch_curl_configure(CURL *easy, const latch_curl_options *options);

/// What changes with every transfer; each member is set each time, so that nothing stays behind from the one before.
typedef struct {
    const char *url;
    const char *method;
    struct curl_slist *fields;
    const void *content;
    int64_t content_size;
    int has_content;
    /// The content comes from the read callback; its size may be -1.
    int is_upload;
    int is_head;
    /// HEAD, GET without content or POST with: libcurl names it without being told.
    int is_usual_method;
    int avoids_proxy;
    int waits_for_multiplexing;
    long timeout_ms;
} latch_curl_request;

CURLcode latch_curl_prepare(CURL *easy, const latch_curl_request *request);

/// Whether this libcurl is one of 7.88, which forgets two things about HTTP/2 without TLS: that a connection was greeted,
/// and that it holds bytes of which the socket says nothing any more.
int latch_curl_forgets(void);

/// The socket of a transfer under way; CURL_SOCKET_BAD where it has none.
static inline curl_socket_t latch_curl_socket(CURL *easy) {
    curl_socket_t value = CURL_SOCKET_BAD;
    return curl_easy_getinfo(easy, CURLINFO_ACTIVESOCKET, &value) == CURLE_OK ? value : CURL_SOCKET_BAD;
}

/// The status that HTTP/2 has brought, also of a head that libcurl did not hand out; 0 where there is none.
long latch_curl_early_status(CURL *easy);

/// Holds what is written to a socket back until it is pushed (tcp(7), TCP_CORK), so that several writes go out as one.
void latch_curl_cork(curl_socket_t socket);

/// Sends what a corked socket holds back.
void latch_curl_push(curl_socket_t socket);

/// Whether plain http is HTTP/2 from its first byte, as it is not unless something else is said.
CURLcode latch_curl_assume_http2(CURL *easy, long assumes);

/// Whether codings are taken off the content of answers, as they are unless something else is said.
static inline void latch_curl_set_decoding(CURL *easy, long decodes) {
    curl_easy_setopt(easy, CURLOPT_HTTP_CONTENT_DECODING, decodes);
}

/// Whether the content ends where the connection says so, whatever length was announced.
static inline void latch_curl_ignore_length(CURL *easy, long ignores) {
    curl_easy_setopt(easy, CURLOPT_IGNORE_CONTENT_LENGTH, ignores);
}

/// What a handle asks of, and shows to, the host of its next transfer; NULL for nothing. libcurl copies all of it.
typedef struct {
    /// "sha256//base64", several with semicolons between them.
    const char *pins;
    /// "PEM", with a key, or "P12", with the key inside.
    const char *kind;
    const void *certificate;
    size_t certificate_size;
    const void *key;
    size_t key_size;
    const char *passphrase;
} latch_curl_tls;

CURLcode latch_curl_prepare_tls(CURL *easy, const latch_curl_tls *tls);

/// One mail: what a handle needs to submit it (RFC 6409).
typedef struct {
    void *transfer;
    curl_write_callback on_reply;
    curl_read_callback on_read;
    void *content;
    int64_t content_size;
    const char *url;
    const char *sender;
    struct curl_slist *recipients;
    const char *user;
    const char *password;
    const char *authorities;
    int requires_tls;
    long timeout_ms;
} latch_curl_mail;

CURLcode latch_curl_prepare_mail(CURL *easy, const latch_curl_mail *mail);

/// The code of the server's last reply, 0 where there was none.
static inline long latch_curl_reply_code(CURL *easy) {
    long value = 0;
    return curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &value) == CURLE_OK ? value : 0;
}

/// A socket as libcurl would have opened it, closed on exec and never blocking.
curl_socket_t latch_curl_open_socket(const struct curl_sockaddr *address);

int latch_epoll_create(void);

/// A counter that can be waited for; it blocks its reader only if it `blocks`.
int latch_eventfd_create(int blocks);

/// epoll_wait with a time in nanoseconds; a negative time waits until something happens.
int latch_epoll_wait(int epoll, void *events, int capacity, int64_t nanoseconds);
