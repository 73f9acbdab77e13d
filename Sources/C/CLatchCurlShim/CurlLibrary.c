// SPDX-License-Identifier: Apache-2.0
#ifdef __linux__
// libcurl depends on thirty libraries (TLS, Kerberos, LDAP, SSH). Loading them takes longer than the rest of a short
// command. So libcurl is loaded with the first request. The functions below have libcurl's names, are visible only to
// this program, and forward to the library.
#define CURL_DISABLE_TYPECHECK
#include "CLatchCurlShim.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stddef.h>

#undef curl_easy_setopt
#undef curl_easy_getinfo
#undef curl_multi_setopt

#define FORWARDED __attribute__((visibility("hidden")))

// Each function with a fixed number of arguments: its result, name, parameters and arguments, and its result if the
// library cannot be loaded.
#define FUNCTIONS(F)                                                                                                  \
    F(CURLcode, curl_global_init, (long flags), (flags), CURLE_FAILED_INIT)                                           \
    F(curl_version_info_data *, curl_version_info, (CURLversion version), (version), &no_version)                     \
    F(CURL *, curl_easy_init, (void), (), NULL)                                                                       \
    F(void, curl_easy_cleanup, (CURL * easy), (easy), (void)0)                                                        \
    F(CURLcode, curl_easy_pause, (CURL * easy, int mask), (easy, mask), CURLE_FAILED_INIT)                            \
    F(const char *, curl_easy_strerror, (CURLcode code), (code), "libcurl.so.4 is not installed")                     \
    F(struct curl_slist *, curl_slist_append, (struct curl_slist * list, const char *text), (list, text), NULL)       \
    F(void, curl_slist_free_all, (struct curl_slist * list), (list), (void)0)                                         \
    F(CURLM *, curl_multi_init, (void), (), NULL)                                                                     \
    F(CURLMcode, curl_multi_cleanup, (CURLM * multi), (multi), CURLM_BAD_HANDLE)                                      \
    F(CURLMcode, curl_multi_add_handle, (CURLM * multi, CURL * easy), (multi, easy), CURLM_BAD_HANDLE)                \
    F(CURLMcode, curl_multi_remove_handle, (CURLM * multi, CURL * easy), (multi, easy), CURLM_BAD_HANDLE)             \
    F(CURLMsg *, curl_multi_info_read, (CURLM * multi, int *count), (multi, count), NULL)                             \
    F(CURLMcode, curl_multi_socket_action, (CURLM * multi, curl_socket_t socket, int events, int *running),           \
      (multi, socket, events, running), CURLM_BAD_HANDLE)

static curl_version_info_data no_version;

#define POINTER(result, name, parameters, arguments, otherwise) result(*name) parameters;
static struct {
    FUNCTIONS(POINTER)
    CURLcode (*curl_easy_setopt)(CURL *, CURLoption, ...);
    CURLcode (*curl_easy_getinfo)(CURL *, CURLINFO, ...);
    CURLMcode (*curl_multi_setopt)(CURLM *, CURLMoption, ...);
    CURLcode (*curl_global_trace)(const char *);
#if LIBCURL_VERSION_NUM >= 0x075400
    CURLHcode (*curl_easy_header)(CURL *, const char *, size_t, unsigned int, int, struct curl_header **);
#endif
} library;

static int is_loaded;

static void load(void) {
    void *handle = dlopen("libcurl.so.4", RTLD_LAZY | RTLD_LOCAL);
    if (handle == NULL) return;
    is_loaded = 1;
#define FIND(name)                                                                                                    \
    *(void **)&library.name = dlsym(handle, #name);                                                                   \
    if (library.name == NULL) is_loaded = 0;
#define FIND_LISTED(result, name, parameters, arguments, otherwise) FIND(name)
    FUNCTIONS(FIND_LISTED)
    FIND(curl_easy_setopt)
    FIND(curl_easy_getinfo)
    FIND(curl_multi_setopt)
    // Available since 8.3.
    *(void **)&library.curl_global_trace = dlsym(handle, "curl_global_trace");
#if LIBCURL_VERSION_NUM >= 0x075400
    *(void **)&library.curl_easy_header = dlsym(handle, "curl_easy_header");
#endif
}

static int is_available(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return is_loaded;
}

#define FORWARD(result, name, parameters, arguments, otherwise)                                                       \
    FORWARDED result name parameters { return is_available() ? library.name arguments : otherwise; }
FUNCTIONS(FORWARD)

void latch_curl_trace(const char *components) {
    if (is_available() && library.curl_global_trace != NULL) library.curl_global_trace(components);
}

// The functions below take a handle, which only a loaded library can have returned.

#if LIBCURL_VERSION_NUM >= 0x075400
FORWARDED CURLHcode curl_easy_header(CURL *easy, const char *name, size_t index, unsigned int origin, int request,
                                     struct curl_header **header) {
    if (library.curl_easy_header == NULL) return CURLHE_NOT_BUILT_IN;
    return library.curl_easy_header(easy, name, index, origin, request, header);
}
#endif

// The range of an option determines the type of its argument (curl.h, CURLOPTTYPE_LONG and similar).
#define FORWARD_OPTION(function, handle, option)                                                                      \
    va_list list;                                                                                                     \
    va_start(list, option);                                                                                           \
    switch (option / 10000) {                                                                                         \
    case CURLOPTTYPE_LONG / 10000: code = function(handle, option, va_arg(list, long)); break;                        \
    case CURLOPTTYPE_OFF_T / 10000: code = function(handle, option, va_arg(list, curl_off_t)); break;                 \
    default: code = function(handle, option, va_arg(list, void *)); break;                                            \
    }                                                                                                                 \
    va_end(list);

FORWARDED CURLcode curl_easy_setopt(CURL *easy, CURLoption option, ...) {
    CURLcode code;
    FORWARD_OPTION(library.curl_easy_setopt, easy, option)
    return code;
}

FORWARDED CURLMcode curl_multi_setopt(CURLM *multi, CURLMoption option, ...) {
    CURLMcode code;
    FORWARD_OPTION(library.curl_multi_setopt, multi, option)
    return code;
}

FORWARDED CURLcode curl_easy_getinfo(CURL *easy, CURLINFO info, ...) {
    va_list list;
    va_start(list, info);
    CURLcode code = library.curl_easy_getinfo(easy, info, va_arg(list, void *));
    va_end(list);
    return code;
}
#endif
