// SPDX-License-Identifier: Apache-2.0
#ifdef __linux__
// libcurl brings thirty libraries with it (TLS, Kerberos, LDAP, SSH), whose loading takes longer than everything else that
// a short command does. It is therefore loaded with the first request and not with the program: these functions have the
// names of libcurl's own, are visible to this program alone, and forward to the library.
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stddef.h>

#undef curl_easy_setopt
#undef curl_easy_getinfo
#undef curl_multi_setopt

#define FORWARDED __attribute__((visibility("hidden")))

// Each forwarded function: its result, its name, and the types of its parameters.
#define FUNCTIONS(F)                                                                                                  \
    F(CURLcode, curl_global_init, (long))                                                                             \
    F(curl_version_info_data *, curl_version_info, (CURLversion))                                                     \
    F(CURL *, curl_easy_init, (void))                                                                                 \
    F(void, curl_easy_cleanup, (CURL *))                                                                              \
    F(CURLcode, curl_easy_setopt, (CURL *, CURLoption, ...))                                                          \
    F(CURLcode, curl_easy_getinfo, (CURL *, CURLINFO, ...))                                                           \
    F(CURLcode, curl_easy_pause, (CURL *, int))                                                                       \
    F(const char *, curl_easy_strerror, (CURLcode))                                                                   \
    F(struct curl_slist *, curl_slist_append, (struct curl_slist *, const char *))                                    \
    F(void, curl_slist_free_all, (struct curl_slist *))                                                               \
    F(CURLM *, curl_multi_init, (void))                                                                               \
    F(CURLMcode, curl_multi_cleanup, (CURLM *))                                                                       \
    F(CURLMcode, curl_multi_setopt, (CURLM *, CURLMoption, ...))                                                      \
    F(CURLMcode, curl_multi_add_handle, (CURLM *, CURL *))                                                            \
    F(CURLMcode, curl_multi_remove_handle, (CURLM *, CURL *))                                                         \
    F(CURLMsg *, curl_multi_info_read, (CURLM *, int *))                                                              \
    F(CURLMcode, curl_multi_socket_action, (CURLM *, curl_socket_t, int, int *))

#define POINTER(result, name, parameters) result(*name) parameters;
static struct {
    FUNCTIONS(POINTER)
#if LIBCURL_VERSION_NUM >= 0x075400
    CURLHcode (*curl_easy_header)(CURL *, const char *, size_t, unsigned int, int, struct curl_header **);
#endif
} library;

static int is_loaded;

static void load(void) {
    void *handle = dlopen("libcurl.so.4", RTLD_LAZY | RTLD_LOCAL);
    if (handle == NULL) return;
    is_loaded = 1;
#define FIND(result, name, parameters)                                                                                \
    *(void **)&library.name = dlsym(handle, #name);                                                                   \
    if (library.name == NULL) is_loaded = 0;
    FUNCTIONS(FIND)
#if LIBCURL_VERSION_NUM >= 0x075400
    *(void **)&library.curl_easy_header = dlsym(handle, "curl_easy_header");
#endif
}

// A caller gets its first handle or list from one of the functions that load the library, so that the others need no check.
static int is_available(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return is_loaded;
}

FORWARDED CURLcode curl_global_init(long flags) {
    return is_available() ? library.curl_global_init(flags) : CURLE_FAILED_INIT;
}

FORWARDED CURL *curl_easy_init(void) { return is_available() ? library.curl_easy_init() : NULL; }

FORWARDED CURLM *curl_multi_init(void) { return is_available() ? library.curl_multi_init() : NULL; }

FORWARDED curl_version_info_data *curl_version_info(CURLversion version) {
    static curl_version_info_data none;
    return is_available() ? library.curl_version_info(version) : &none;
}

FORWARDED struct curl_slist *curl_slist_append(struct curl_slist *list, const char *text) {
    return is_available() ? library.curl_slist_append(list, text) : NULL;
}

FORWARDED void curl_slist_free_all(struct curl_slist *list) {
    if (list != NULL) library.curl_slist_free_all(list);
}

FORWARDED const char *curl_easy_strerror(CURLcode code) {
    return is_available() ? library.curl_easy_strerror(code) : "libcurl.so.4 is not installed";
}

FORWARDED void curl_easy_cleanup(CURL *easy) {
    if (easy != NULL) library.curl_easy_cleanup(easy);
}

FORWARDED CURLcode curl_easy_pause(CURL *easy, int mask) { return library.curl_easy_pause(easy, mask); }

FORWARDED CURLMcode curl_multi_cleanup(CURLM *multi) { return library.curl_multi_cleanup(multi); }

FORWARDED CURLMcode curl_multi_add_handle(CURLM *multi, CURL *easy) {
    return library.curl_multi_add_handle(multi, easy);
}

FORWARDED CURLMcode curl_multi_remove_handle(CURLM *multi, CURL *easy) {
    return library.curl_multi_remove_handle(multi, easy);
}

FORWARDED CURLMsg *curl_multi_info_read(CURLM *multi, int *count) {
    return library.curl_multi_info_read(multi, count);
}

FORWARDED CURLMcode curl_multi_socket_action(CURLM *multi, curl_socket_t socket, int events, int *running) {
    return library.curl_multi_socket_action(multi, socket, events, running);
}

#if LIBCURL_VERSION_NUM >= 0x075400
FORWARDED CURLHcode curl_easy_header(CURL *easy, const char *name, size_t index, unsigned int origin, int request,
                                     struct curl_header **header) {
    if (library.curl_easy_header == NULL) return CURLHE_NOT_BUILT_IN;
    return library.curl_easy_header(easy, name, index, origin, request, header);
}
#endif

// The range of an option says which type its argument has (curl.h, CURLOPTTYPE_LONG and its kin).
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
