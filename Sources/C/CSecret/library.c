// SPDX-License-Identifier: Apache-2.0
#include "library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>

static latch_secret_library library;
static bool is_loaded;
static char reason[256];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
    // GLib keeps threads and types for the life of the process, so it must never be unloaded.
    void *handle = dlopen("libsecret-1.so.0", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!handle) {
        const char *message = dlerror();
        snprintf(reason, sizeof reason, "%s", message ? message : "libsecret-1.so.0 cannot be loaded");
        return;
    }
    // A look-up in the library also finds what it was linked with, which is GLib.
#define LATCH_FIND(result, name, parameters)                                                                           \
    if (!(library.name = (__typeof__(library.name))dlsym(handle, #name))) {                                            \
        snprintf(reason, sizeof reason, "libsecret-1.so.0 has no " #name);                                             \
        return;                                                                                                        \
    }
    LATCH_SECRET_FUNCTIONS(LATCH_FIND)
#undef LATCH_FIND
    is_loaded = true;
}

const latch_secret_library *latch_secret_load(char *why, size_t why_size) {
    pthread_once(&once, load);
    if (!is_loaded) snprintf(why, why_size, "%s", reason);
    return is_loaded ? &library : NULL;
}
