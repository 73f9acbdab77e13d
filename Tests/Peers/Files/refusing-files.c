// SPDX-License-Identifier: Apache-2.0
// A file system without hard links, owners and permissions below $LATCH_REFUSING_FOLDER, in which `mounted` cannot be replaced, for
// LD_PRELOAD (RefusingFileSystemTests.swift).
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int is_refused(const char *path) {
    const char *folder = getenv("LATCH_REFUSING_FOLDER");
    return folder != NULL && strncmp(path, folder, strlen(folder)) == 0;
}

static int is_refused_file(int file) {
    char name[64], path[4096];
    snprintf(name, sizeof name, "/proc/self/fd/%d", file);
    ssize_t length = readlink(name, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return is_refused(path);
}

static int refuse(int number) {
    errno = number;
    return -1;
}

int link(const char *old, const char *new) {
    if (is_refused(new)) return refuse(EPERM);
    int (*next)(const char *, const char *);
    *(void **)&next = dlsym(RTLD_NEXT, "link");
    return next(old, new);
}

int fchmod(int file, mode_t mode) {
    if (is_refused_file(file)) return refuse(EPERM);
    int (*next)(int, mode_t);
    *(void **)&next = dlsym(RTLD_NEXT, "fchmod");
    return next(file, mode);
}

int fchown(int file, uid_t user, gid_t group) {
    if (is_refused_file(file)) return refuse(EINVAL);
    int (*next)(int, uid_t, gid_t);
    *(void **)&next = dlsym(RTLD_NEXT, "fchown");
    return next(file, user, group);
}

int rename(const char *old, const char *new) {
    const char *name = strrchr(new, '/');
    if (is_refused(new) && name != NULL && strcmp(name, "/mounted") == 0) return refuse(EBUSY);
    int (*next)(const char *, const char *);
    *(void **)&next = dlsym(RTLD_NEXT, "rename");
    return next(old, new);
}
