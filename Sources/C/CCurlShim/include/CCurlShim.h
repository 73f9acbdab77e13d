// SPDX-License-Identifier: Apache-2.0
// What Swift cannot call: libcurl's variadic setters and getters, one function per argument type.
#pragma once
#include <curl/curl.h>

static inline CURLcode latch_curl_set_long(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}
