// SPDX-License-Identifier: Apache-2.0
#ifdef __linux__
#define _GNU_SOURCE
#include "CLatchCurlShim.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

long latch_curl_early_status(CURL *easy) {
#if LIBCURL_VERSION_NUM >= 0x075400
    struct curl_header *header = NULL;
    if (curl_easy_header(easy, ":status", 0, CURLH_PSEUDO, -1, &header) != CURLHE_OK) return 0;
    return strtol(header->value, NULL, 10);
#else
    return 0;
#endif
}

long latch_curl_port(const struct curl_sockaddr *address) {
    // In both address families the port follows the family.
    return ntohs(((const struct sockaddr_in *)&address->addr)->sin_port);
}

int latch_curl_address(const struct curl_sockaddr *address, uint8_t bytes[16]) {
    // libcurl's structure has room for each address family behind its generic member.
    const void *storage = &address->addr;
    if (address->family == AF_INET) {
        memcpy(bytes, &((const struct sockaddr_in *)storage)->sin_addr, 4);
        return 4;
    }
    if (address->family != AF_INET6) return 0;
    memcpy(bytes, &((const struct sockaddr_in6 *)storage)->sin6_addr, 16);
    return 16;
}

int latch_epoll_wait(int epoll, void *events, int capacity, int64_t nanoseconds) {
    if (nanoseconds < 0) return epoll_wait(epoll, events, capacity, -1);
    if (nanoseconds == 0) return epoll_wait(epoll, events, capacity, 0);
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 35)
    struct timespec time = {.tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000};
    int count = epoll_pwait2(epoll, events, capacity, &time, NULL);
    // Kernels before 5.11 do not have it.
    if (count >= 0 || errno != ENOSYS) return count;
#endif
    int64_t milliseconds = (nanoseconds + 999999) / 1000000;
    return epoll_wait(epoll, events, capacity, milliseconds > INT32_MAX ? INT32_MAX : (int)milliseconds);
}
#endif
