// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CLatchSecret.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "library.h"

// Values of enumerations of GLib and libsecret, which are part of their ABI.
enum {
    search_all = 1 << 1,
    search_load_secrets = 1 << 3,
    open_session = 1 << 1,
    create_replace = 1 << 1,
    error_is_locked = 2,
    dbus_service_unknown = 2,
    dbus_name_has_no_owner = 3,
    dbus_access_denied = 9,
    dbus_spawn_service_not_found = 29,
    /// The time for a user to respond to a prompt.
    prompt_milliseconds = 300000,
};

/// The functions of the library, loaded once for the process.
static struct {
#define LATCH_MEMBER(result, name, parameters) result(*name) parameters;
    LATCH_SECRET_FUNCTIONS(LATCH_MEMBER)
#undef LATCH_MEMBER
} lib;
/// The reason why the library cannot be used; empty if it can.
static char load_failure[256];
static _Thread_local char reason[256];

/// The thread that cancels the calls of a connection when their time is over. Neither GLib nor libsecret can limit all
/// calls.
typedef struct {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    /// The end of the time, by the monotonic clock.
    struct timespec end;
    bool is_over;
    /// NULL until the thread has begun.
    void *cancellable;
} latch_watch;

struct latch_secret_service {
    latch_watch watch;
    /// The time for calls that do not wait for a user.
    int64_t milliseconds;
    /// The context that receives the service's notifications.
    void *context;
    void *service;
};

static void load(void) {
    // GLib keeps threads and types for the life of the process, so it must never be unloaded.
    void *handle = dlopen("libsecret-1.so.0", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!handle) {
        const char *message = dlerror();
        snprintf(load_failure, sizeof load_failure, "%s", message ? message : "libsecret-1.so.0 cannot be loaded");
        return;
    }
    // A lookup in the library also finds the functions of GLib, since the library is linked with it.
#define LATCH_FIND(result, name, parameters)                                                                           \
    if (!(lib.name = (__typeof__(lib.name))dlsym(handle, #name))) {                                                    \
        snprintf(load_failure, sizeof load_failure, "libsecret-1.so.0 has no " #name);                                 \
        return;                                                                                                        \
    }
    LATCH_SECRET_FUNCTIONS(LATCH_FIND)
#undef LATCH_FIND
}

const char *latch_secret_reason(void) { return reason; }

static int fail(int result, const char *why) {
    snprintf(reason, sizeof reason, "%s", why);
    return result;
}

static void *watch(void *context) {
    latch_watch *watch = context;
    pthread_mutex_lock(&watch->lock);
    while (!watch->is_over) {
        if (pthread_cond_timedwait(&watch->changed, &watch->lock, &watch->end) != ETIMEDOUT) continue;
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        bool is_late = now.tv_sec > watch->end.tv_sec ||
                       (now.tv_sec == watch->end.tv_sec && now.tv_nsec >= watch->end.tv_nsec);
        if (watch->is_over || !is_late) continue;
        lib.g_cancellable_cancel(watch->cancellable);
        break;
    }
    pthread_mutex_unlock(&watch->lock);
    return NULL;
}

/// Sets the remaining time.
static void limit(latch_watch *watch, int64_t milliseconds) {
    pthread_mutex_lock(&watch->lock);
    clock_gettime(CLOCK_MONOTONIC, &watch->end);
    int64_t nanoseconds = watch->end.tv_nsec + milliseconds % 1000 * 1000000;
    watch->end.tv_sec += (time_t)(milliseconds / 1000 + nanoseconds / 1000000000);
    watch->end.tv_nsec = (long)(nanoseconds % 1000000000);
    pthread_cond_signal(&watch->changed);
    pthread_mutex_unlock(&watch->lock);
}

/// Begins to watch; returns whether that was possible.
static bool begin_watch(latch_watch *made, int64_t milliseconds) {
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_mutex_init(&made->lock, NULL);
    pthread_cond_init(&made->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    limit(made, milliseconds);
    made->cancellable = lib.g_cancellable_new();
    // Signals are for the program's threads.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    bool is_running = pthread_create(&made->thread, NULL, watch, made) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (is_running) return true;
    lib.g_object_unref(made->cancellable);
    pthread_cond_destroy(&made->changed);
    pthread_mutex_destroy(&made->lock);
    return false;
}

static void end_watch(latch_watch *watch) {
    pthread_mutex_lock(&watch->lock);
    watch->is_over = true;
    pthread_cond_signal(&watch->changed);
    pthread_mutex_unlock(&watch->lock);
    pthread_join(watch->thread, NULL);
    pthread_cond_destroy(&watch->changed);
    pthread_mutex_destroy(&watch->lock);
    lib.g_object_unref(watch->cancellable);
}

/// Releases an error, and returns the corresponding result.
static int failure(latch_secret_service *service, latch_error *error) {
    if (!error) return fail(latch_secret_failed, "libsecret gave no reason");
    int result = fail(latch_secret_failed, error->message);
    if (error->domain == lib.secret_error_get_quark() && error->code == error_is_locked) result = latch_secret_locked;
    if (strstr(error->message, "org.freedesktop.Secret.Error.IsLocked")) result = latch_secret_locked;
    if (error->domain == lib.g_dbus_error_quark()) {
        switch (error->code) {
        case dbus_service_unknown:
        case dbus_name_has_no_owner:
        case dbus_spawn_service_not_found: result = latch_secret_no_service; break;
        case dbus_access_denied: result = latch_secret_denied; break;
        }
    }
    lib.g_error_free(error);
    if (lib.g_cancellable_is_cancelled(service->watch.cancellable)) return fail(latch_secret_silent, "it did not answer");
    return result;
}

int latch_secret_open(latch_secret_service **opened, int64_t milliseconds) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    if (*load_failure) return fail(latch_secret_no_library, load_failure);
    latch_secret_service *service = calloc(1, sizeof *service);
    if (!service) return fail(latch_secret_failed, "no memory");
    if (!begin_watch(&service->watch, milliseconds)) {
        free(service);
        return fail(latch_secret_failed, "no thread");
    }
    service->milliseconds = milliseconds;
    // Otherwise notifications would accumulate in a context that no thread runs, or disturb the program's context.
    service->context = lib.g_main_context_new();
    lib.g_main_context_push_thread_default(service->context);
    latch_error *error = NULL;
    service->service = lib.secret_service_open_sync(lib.secret_service_get_type(), NULL, open_session,
                                                    service->watch.cancellable, &error);
    if (!service->service) {
        int result = failure(service, error);
        latch_secret_close(service);
        return result == latch_secret_failed ? latch_secret_no_service : result;
    }
    // GLib's connection to the bus would end the process when the bus ends.
    lib.g_dbus_connection_set_exit_on_close(lib.g_dbus_proxy_get_connection(service->service), false);
    *opened = service;
    return latch_secret_done;
}

void latch_secret_close(latch_secret_service *service) {
    if (service->service) lib.g_object_unref(service->service);
    while (lib.g_main_context_iteration(service->context, false)) {
    }
    lib.g_main_context_pop_thread_default(service->context);
    lib.g_main_context_unref(service->context);
    end_watch(&service->watch);
    free(service);
}

/// The attributes of a key, borrowed from it.
static void *attributes_of(latch_secret_key key) {
    void *table = lib.g_hash_table_new((void *)lib.g_str_hash, (void *)lib.g_str_equal);
    lib.g_hash_table_insert(table, "service", key.service);
    if (key.name) lib.g_hash_table_insert(table, "name", key.name);
    return table;
}

static latch_schema schema_of(latch_secret_key key) {
    return (latch_schema){.name = key.schema, .attributes = {{"service", 0}, {"name", 0}}};
}

static void free_items(latch_list *items) {
    for (latch_list *item = items; item; item = item->next) lib.g_object_unref(item->data);
    lib.g_list_free(items);
}

/// The items with a key's attributes, in all collections, locked ones without their secrets.
static int search(latch_secret_service *service, latch_secret_key key, int flags, latch_list **items) {
    latch_schema schema = schema_of(key);
    void *attributes = attributes_of(key);
    latch_error *error = NULL;
    *items = lib.secret_service_search_sync(service->service, &schema, attributes, search_all | flags, service->watch.cancellable, &error);
    lib.g_hash_table_unref(attributes);
    return error ? failure(service, error) : latch_secret_done;
}

/// The newest of several items: another program may have changed the default collection.
static void *newest(latch_list *items) {
    void *best = NULL;
    for (latch_list *item = items; item; item = item->next)
        if (!best || lib.secret_item_get_modified(item->data) > lib.secret_item_get_modified(best)) best = item->data;
    return best;
}

/// The default collection; NULL with `latch_secret_done` if there is none.
static int default_collection(latch_secret_service *service, void **collection) {
    latch_error *error = NULL;
    *collection = lib.secret_collection_for_alias_sync(service->service, "default", 0, service->watch.cancellable, &error);
    return error ? failure(service, error) : latch_secret_done;
}

/// Returns `meaning` unless the default collection is locked: a service may not even know the attributes of its items.
static int nothing_found(latch_secret_service *service, int meaning) {
    void *collection = NULL;
    int result = default_collection(service, &collection);
    if (result != latch_secret_done || !collection) return result == latch_secret_done ? meaning : result;
    bool is_locked = lib.secret_collection_get_locked(collection);
    lib.g_object_unref(collection);
    return is_locked ? fail(latch_secret_locked, "the default collection is locked") : meaning;
}

/// Unlocks a collection by a prompt.
static int ask(latch_secret_service *service, void *collection) {
    latch_list objects = {collection, NULL, NULL};
    latch_list *unlocked = NULL;
    latch_error *error = NULL;
    int count = lib.secret_service_unlock_sync(service->service, &objects, service->watch.cancellable, &unlocked, &error);
    free_items(unlocked);
    if (error) return failure(service, error);
    return count > 0 ? latch_secret_done : fail(latch_secret_denied, "the prompt for its password was dismissed");
}

static int unlock(latch_secret_service *service, bool asks) {
    void *collection = NULL;
    int result = default_collection(service, &collection);
    if (result != latch_secret_done) return result;
    if (!collection) {
        if (!asks) return fail(latch_secret_no_collection, "there is no default collection");
        latch_error *error = NULL;
        collection = lib.secret_collection_create_sync(service->service, "Default keyring", "default", 0, service->watch.cancellable, &error);
        if (!collection && error) return failure(service, error);
        if (!collection) return fail(latch_secret_denied, "the prompt for a new password was dismissed");
    }
    if (lib.secret_collection_get_locked(collection))
        result = asks ? ask(service, collection) : fail(latch_secret_locked, "the default collection is locked");
    lib.g_object_unref(collection);
    return result;
}

int latch_secret_unlock(latch_secret_service *service, bool asks) {
    if (!asks) return unlock(service, false);
    limit(&service->watch, prompt_milliseconds);
    int result = unlock(service, true);
    limit(&service->watch, service->milliseconds);
    return result == latch_secret_silent ? fail(latch_secret_denied, "its prompt was not answered") : result;
}

/// Copies an item's secret out of the library's memory.
static int copy_secret(void *item, uint8_t **bytes, size_t *count) {
    if (lib.secret_item_get_locked(item)) return fail(latch_secret_locked, "the item is locked");
    void *value = lib.secret_item_get_secret(item);
    if (!value) return fail(latch_secret_failed, "the service did not return the secret");
    const char *content = lib.secret_value_get(value, count);
    *bytes = malloc(*count ? *count : 1);
    if (*bytes) memcpy(*bytes, content, *count);
    lib.secret_value_unref(value);
    return *bytes ? latch_secret_done : fail(latch_secret_failed, "no memory");
}

int latch_secret_read(latch_secret_service *service, latch_secret_key key, uint8_t **bytes, size_t *count) {
    latch_list *items = NULL;
    int result = search(service, key, search_load_secrets, &items);
    if (result != latch_secret_done) return result;
    void *item = newest(items);
    result = item ? copy_secret(item, bytes, count) : nothing_found(service, latch_secret_missing);
    free_items(items);
    return result;
}

/// Creates an item in the default collection; one with the same attributes is replaced.
static int create(latch_secret_service *service, latch_secret_key key, const char *label, void *value) {
    void *collection = NULL;
    int result = default_collection(service, &collection);
    if (result != latch_secret_done) return result;
    if (!collection) return fail(latch_secret_no_collection, "there is no default collection");
    latch_schema schema = schema_of(key);
    void *attributes = attributes_of(key);
    latch_error *error = NULL;
    void *item =
        lib.secret_item_create_sync(collection, &schema, attributes, label, value, create_replace, service->watch.cancellable, &error);
    lib.g_hash_table_unref(attributes);
    lib.g_object_unref(collection);
    if (!item) return failure(service, error);
    lib.g_object_unref(item);
    return latch_secret_done;
}

int latch_secret_write(latch_secret_service *service, latch_secret_key key, const char *label, const uint8_t *bytes,
                       size_t count) {
    latch_list *items = NULL;
    int result = search(service, key, 0, &items);
    if (result != latch_secret_done) return result;
    void *value = lib.secret_value_new((const char *)bytes, (ptrdiff_t)count, "text/plain");
    void *item = newest(items);
    latch_error *error = NULL;
    if (!item)
        result = create(service, key, label, value);
    else if (lib.secret_item_get_locked(item))
        result = fail(latch_secret_locked, "the item is locked");
    else if (!lib.secret_item_set_secret_sync(item, value, service->watch.cancellable, &error))
        result = failure(service, error);
    lib.secret_value_unref(value);
    free_items(items);
    return result;
}

int latch_secret_remove(latch_secret_service *service, latch_secret_key key) {
    latch_list *items = NULL;
    int result = search(service, key, 0, &items);
    if (result == latch_secret_done && !items) return nothing_found(service, latch_secret_done);
    for (latch_list *item = items; item && result == latch_secret_done; item = item->next) {
        latch_error *error = NULL;
        if (lib.secret_item_get_locked(item->data))
            result = fail(latch_secret_locked, "the item is locked");
        else if (!lib.secret_item_delete_sync(item->data, service->watch.cancellable, &error))
            result = failure(service, error);
    }
    free_items(items);
    return result;
}

int latch_secret_names(latch_secret_service *service, latch_secret_key key,
                       void (*found)(void *context, const char *name), void *context) {
    latch_list *items = NULL;
    key.name = NULL;
    int result = search(service, key, 0, &items);
    if (result == latch_secret_done && !items) return nothing_found(service, latch_secret_done);
    for (latch_list *item = items; item; item = item->next) {
        void *attributes = lib.secret_item_get_attributes(item->data);
        const char *name = attributes ? lib.g_hash_table_lookup(attributes, "name") : NULL;
        if (name) found(context, name);
        if (attributes) lib.g_hash_table_unref(attributes);
    }
    free_items(items);
    return result;
}

void latch_secret_free(uint8_t *bytes, size_t count) {
    if (!bytes) return;
    volatile uint8_t *wiped = bytes;
    for (size_t index = 0; index < count; index++) wiped[index] = 0;
    free(bytes);
}
