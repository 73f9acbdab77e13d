// SPDX-License-Identifier: Apache-2.0
// Functions that replace libcurl's variadic setters and getters, which Swift cannot call: one for each argument type.
#pragma once
#include "ContentDecoder.h"
#include <curl/curl.h>
#include <stdint.h>
#ifdef __linux__
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#endif

static inline CURLcode latch_curl_set_long(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode latch_curl_set_size(CURL *easy, CURLoption option, int64_t value) {
    return curl_easy_setopt(easy, option, (curl_off_t)value);
}

static inline CURLcode latch_curl_set_pointer(CURL *easy, CURLoption option, const void *value) {
    return curl_easy_setopt(easy, option, (void *)value);
}

static inline CURLMcode latch_curl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

static inline CURLMcode latch_curl_multi_set_pointer(CURLM *multi, CURLMoption option, const void *value) {
    return curl_multi_setopt(multi, option, (void *)value);
}

// Constants that Swift does not see, or whose type depends on the version of libcurl.
static const CURLversion latch_curl_version = CURLVERSION_NOW;
static const long latch_curl_no_netrc = CURL_NETRC_IGNORED;
static const long latch_curl_http2_over_tls = CURL_HTTP_VERSION_2TLS;
static const long latch_curl_http2_prior_knowledge = CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE;
static const long latch_curl_tls12 = CURL_SSLVERSION_TLSv1_2;
static const long latch_curl_tls13 = CURL_SSLVERSION_TLSv1_3;
static const long latch_curl_with_offered_tls = CURLUSESSL_TRY;
static const long latch_curl_with_tls = CURLUSESSL_ALL;

/// The pointer that was stored with CURLOPT_PRIVATE.
static inline void *latch_curl_private(CURL *easy) {
    char *value = NULL;
    return curl_easy_getinfo(easy, CURLINFO_PRIVATE, &value) == CURLE_OK ? value : NULL;
}

/// A size; `otherwise` if it is unknown.
static inline int64_t latch_curl_get_size(CURL *easy, CURLINFO info, int64_t otherwise) {
    curl_off_t value = otherwise;
    return curl_easy_getinfo(easy, info, &value) == CURLE_OK ? value : otherwise;
}

/// The code of the server's last response; 0 if there was none.
static inline long latch_curl_response_code(CURL *easy) {
    long value = 0;
    return curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &value) == CURLE_OK ? value : 0;
}

/// The status of a proxy's last response to CONNECT; 0 if there was none.
static inline long latch_curl_connect_status(CURL *easy) {
    long value = 0;
    return curl_easy_getinfo(easy, CURLINFO_HTTP_CONNECTCODE, &value) == CURLE_OK ? value : 0;
}

/// The socket of an ended transfer, if the transfer opened it; −1 otherwise.
static inline curl_socket_t latch_curl_new_socket(CURL *easy) {
    long count = 0;
    curl_socket_t value = CURL_SOCKET_BAD;
    if (curl_easy_getinfo(easy, CURLINFO_NUM_CONNECTS, &count) != CURLE_OK || count == 0) return CURL_SOCKET_BAD;
    return curl_easy_getinfo(easy, CURLINFO_ACTIVESOCKET, &value) == CURLE_OK ? value : CURL_SOCKET_BAD;
}

/// Whether a transfer uses a connection that was open before it.
static inline int latch_curl_reuses_connection(CURL *easy) {
    long count = 1;
    return curl_easy_getinfo(easy, CURLINFO_NUM_CONNECTS, &count) == CURLE_OK && count == 0;
}

/// The number of sent bytes of heads and content, including connections that were lost.
static inline long latch_curl_sent_bytes(CURL *easy) {
    long value = 0;
    return curl_easy_getinfo(easy, CURLINFO_REQUEST_SIZE, &value) == CURLE_OK ? value : 0;
}

/// The status that arrived over HTTP/2, even if libcurl did not deliver its head; 0 if there is none.
long latch_curl_early_status(CURL *easy);

/// Lets handles that report (CURLOPT_VERBOSE) also report the details of some components of libcurl, if it supports
/// that.
void latch_curl_trace(const char *components);

/// The port of an IPv4 or IPv6 address.
long latch_curl_port(const struct curl_sockaddr *address);

/// Writes the bytes of an IPv4 or IPv6 address, and returns their number; 0 for any other family.
int latch_curl_address(const struct curl_sockaddr *address, uint8_t bytes[16]);

/// epoll_wait with a time in nanoseconds; a negative time waits without limit.
int latch_epoll_wait(int epoll, void *events, int capacity, int64_t nanoseconds);
