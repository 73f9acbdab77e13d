// SPDX-License-Identifier: Apache-2.0
// A resolver whose name server never answers for hosts below hung.test, for LD_PRELOAD (HungNameTests.swift).
#define _GNU_SOURCE
#include <dlfcn.h>
#include <netdb.h>
#include <string.h>
#include <unistd.h>

int getaddrinfo(const char *name, const char *service, const struct addrinfo *hints, struct addrinfo **result) {
    size_t length = name == NULL ? 0 : strlen(name);
    if (length >= 9 && strcmp(name + length - 9, "hung.test") == 0) {
        for (;;) sleep(1000);
    }
    int (*next)(const char *, const char *, const struct addrinfo *, struct addrinfo **);
    *(void **)&next = dlsym(RTLD_NEXT, "getaddrinfo");
    return next(name, service, hints, result);
}
