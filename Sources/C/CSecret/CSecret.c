// SPDX-License-Identifier: Apache-2.0
#include "CSecret.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "library.h"

// Values of GLib's and libsecret's enumerations, which are part of their ABI.
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
};

struct latch_secret_service {
    const latch_secret_library *lib;
    /// Where news of the service arrives.
    void *context;
    void *service;
};

/// Takes an error over: its text to `why`, and what kind it is as the result.
static int failure(const latch_secret_library *lib, latch_error *error, char *why, size_t why_size) {
    if (!error) {
        snprintf(why, why_size, "libsecret gave no reason");
        return latch_secret_failed;
    }
    snprintf(why, why_size, "%s", error->message);
    int result = latch_secret_failed;
    if (error->domain == lib->secret_error_get_quark() && error->code == error_is_locked) result = latch_secret_locked;
    if (strstr(error->message, "org.freedesktop.Secret.Error.IsLocked")) result = latch_secret_locked;
    if (error->domain == lib->g_dbus_error_quark() &&
        (error->code == dbus_service_unknown || error->code == dbus_name_has_no_owner ||
         error->code == dbus_spawn_service_not_found))
        result = latch_secret_no_service;
    if (error->domain == lib->g_dbus_error_quark() && error->code == dbus_access_denied) result = latch_secret_denied;
    lib->g_error_free(error);
    return result;
}

int latch_secret_open(latch_secret_service **opened, char *why, size_t why_size) {
    const latch_secret_library *lib = latch_secret_load(why, why_size);
    if (!lib) return latch_secret_no_library;
    latch_secret_service *made = calloc(1, sizeof *made);
    if (!made) {
        snprintf(why, why_size, "no memory");
        return latch_secret_failed;
    }
    // News of the service would wait for ever in a context that nobody runs, or disturb one that somebody does.
    *made = (latch_secret_service){.lib = lib, .context = lib->g_main_context_new()};
    lib->g_main_context_push_thread_default(made->context);
    latch_error *error = NULL;
    made->service = lib->secret_service_open_sync(lib->secret_service_get_type(), NULL, open_session, NULL, &error);
    if (!made->service) {
        int result = failure(lib, error, why, why_size);
        latch_secret_close(made);
        return result == latch_secret_failed ? latch_secret_no_service : result;
    }
    // GLib's connection to the bus would end the process when the bus goes away.
    lib->g_dbus_connection_set_exit_on_close(lib->g_dbus_proxy_get_connection(made->service), false);
    *opened = made;
    return latch_secret_done;
}

void latch_secret_close(latch_secret_service *service) {
    const latch_secret_library *lib = service->lib;
    if (service->service) lib->g_object_unref(service->service);
    while (lib->g_main_context_iteration(service->context, false)) {
    }
    lib->g_main_context_pop_thread_default(service->context);
    lib->g_main_context_unref(service->context);
    free(service);
}

/// The attributes of a key, borrowed from it.
static void *attributes_of(const latch_secret_library *lib, latch_secret_key key) {
    void *table = lib->g_hash_table_new((void *)lib->g_str_hash, (void *)lib->g_str_equal);
    lib->g_hash_table_insert(table, "service", key.service);
    if (key.name) lib->g_hash_table_insert(table, "name", key.name);
    return table;
}

static latch_schema schema_of(latch_secret_key key) {
    return (latch_schema){.name = key.schema, .attributes = {{"service", 0}, {"name", 0}}};
}

static void free_items(const latch_secret_library *lib, latch_list *items) {
    for (latch_list *item = items; item; item = item->next) lib->g_object_unref(item->data);
    lib->g_list_free(items);
}

/// The items with a key's attributes, in all collections, locked ones without their secrets.
static int search(latch_secret_service *service, latch_secret_key key, int flags, latch_list **items, char *why,
                  size_t why_size) {
    const latch_secret_library *lib = service->lib;
    latch_schema schema = schema_of(key);
    void *attributes = attributes_of(lib, key);
    latch_error *error = NULL;
    *items = lib->secret_service_search_sync(service->service, &schema, attributes, search_all | flags, NULL, &error);
    lib->g_hash_table_unref(attributes);
    return error ? failure(lib, error, why, why_size) : latch_secret_done;
}

/// The newest of several items, where another program has changed the default collection meanwhile.
static void *newest(const latch_secret_library *lib, latch_list *items) {
    void *best = NULL;
    for (latch_list *item = items; item; item = item->next)
        if (!best || lib->secret_item_get_modified(item->data) > lib->secret_item_get_modified(best)) best = item->data;
    return best;
}

/// The default collection; NULL with `latch_secret_done` where there is none.
static int default_collection(latch_secret_service *service, void **collection, char *why, size_t why_size) {
    latch_error *error = NULL;
    *collection = service->lib->secret_collection_for_alias_sync(service->service, "default", 0, NULL, &error);
    return error ? failure(service->lib, error, why, why_size) : latch_secret_done;
}

/// What "no such item" means: a service may not even know the attributes of what lies in a locked collection.
static int nothing_found(latch_secret_service *service, int meaning, char *why, size_t why_size) {
    void *collection = NULL;
    int result = default_collection(service, &collection, why, why_size);
    if (result != latch_secret_done || !collection) return result == latch_secret_done ? meaning : result;
    bool is_locked = service->lib->secret_collection_get_locked(collection);
    service->lib->g_object_unref(collection);
    if (!is_locked) return meaning;
    snprintf(why, why_size, "the default collection is locked");
    return latch_secret_locked;
}

/// Asks the person to unlock a collection.
static int ask(latch_secret_service *service, void *collection, char *why, size_t why_size) {
    const latch_secret_library *lib = service->lib;
    latch_list objects = {collection, NULL, NULL};
    latch_list *unlocked = NULL;
    latch_error *error = NULL;
    int count = lib->secret_service_unlock_sync(service->service, &objects, NULL, &unlocked, &error);
    free_items(lib, unlocked);
    if (error) return failure(lib, error, why, why_size);
    if (count > 0) return latch_secret_done;
    snprintf(why, why_size, "the question for its password was closed");
    return latch_secret_denied;
}

int latch_secret_unlock(latch_secret_service *service, bool asks, char *why, size_t why_size) {
    const latch_secret_library *lib = service->lib;
    void *collection = NULL;
    int result = default_collection(service, &collection, why, why_size);
    if (result != latch_secret_done) return result;
    if (!collection) {
        if (!asks) {
            snprintf(why, why_size, "there is no default collection");
            return latch_secret_no_collection;
        }
        latch_error *error = NULL;
        collection =
            lib->secret_collection_create_sync(service->service, "Default keyring", "default", 0, NULL, &error);
        if (!collection && error) return failure(lib, error, why, why_size);
        if (!collection) {
            snprintf(why, why_size, "the question for a new password was closed");
            return latch_secret_denied;
        }
    }
    if (lib->secret_collection_get_locked(collection)) {
        snprintf(why, why_size, "the default collection is locked");
        result = asks ? ask(service, collection, why, why_size) : latch_secret_locked;
    }
    lib->g_object_unref(collection);
    return result;
}

/// Copies an item's secret out of the library's memory.
static int copy_secret(const latch_secret_library *lib, void *item, uint8_t **bytes, size_t *count, char *why,
                       size_t why_size) {
    if (lib->secret_item_get_locked(item)) {
        snprintf(why, why_size, "the item is locked");
        return latch_secret_locked;
    }
    void *value = lib->secret_item_get_secret(item);
    if (!value) {
        snprintf(why, why_size, "the service did not hand out the secret");
        return latch_secret_failed;
    }
    const char *content = lib->secret_value_get(value, count);
    *bytes = malloc(*count ? *count : 1);
    if (*bytes) memcpy(*bytes, content, *count);
    lib->secret_value_unref(value);
    if (*bytes) return latch_secret_done;
    snprintf(why, why_size, "no memory");
    return latch_secret_failed;
}

int latch_secret_read(latch_secret_service *service, latch_secret_key key, uint8_t **bytes, size_t *count, char *why,
                      size_t why_size) {
    latch_list *items = NULL;
    int result = search(service, key, search_load_secrets, &items, why, why_size);
    if (result != latch_secret_done) return result;
    void *item = newest(service->lib, items);
    result = item ? copy_secret(service->lib, item, bytes, count, why, why_size)
                  : nothing_found(service, latch_secret_missing, why, why_size);
    free_items(service->lib, items);
    return result;
}

/// Makes an item in the default collection; one with the same attributes is replaced.
static int create(latch_secret_service *service, latch_secret_key key, const char *label, void *value, char *why,
                  size_t why_size) {
    const latch_secret_library *lib = service->lib;
    void *collection = NULL;
    int result = default_collection(service, &collection, why, why_size);
    if (result != latch_secret_done) return result;
    if (!collection) {
        snprintf(why, why_size, "there is no default collection");
        return latch_secret_no_collection;
    }
    latch_schema schema = schema_of(key);
    void *attributes = attributes_of(lib, key);
    latch_error *error = NULL;
    void *item =
        lib->secret_item_create_sync(collection, &schema, attributes, label, value, create_replace, NULL, &error);
    lib->g_hash_table_unref(attributes);
    lib->g_object_unref(collection);
    if (!item) return failure(lib, error, why, why_size);
    lib->g_object_unref(item);
    return latch_secret_done;
}

int latch_secret_write(latch_secret_service *service, latch_secret_key key, const char *label, const uint8_t *bytes,
                       size_t count, char *why, size_t why_size) {
    const latch_secret_library *lib = service->lib;
    latch_list *items = NULL;
    int result = search(service, key, 0, &items, why, why_size);
    if (result != latch_secret_done) return result;
    void *value = lib->secret_value_new((const char *)bytes, (ptrdiff_t)count, "text/plain");
    void *item = newest(lib, items);
    if (!item) {
        result = create(service, key, label, value, why, why_size);
    } else if (lib->secret_item_get_locked(item)) {
        snprintf(why, why_size, "the item is locked");
        result = latch_secret_locked;
    } else {
        latch_error *error = NULL;
        if (!lib->secret_item_set_secret_sync(item, value, NULL, &error)) result = failure(lib, error, why, why_size);
    }
    lib->secret_value_unref(value);
    free_items(lib, items);
    return result;
}

int latch_secret_remove(latch_secret_service *service, latch_secret_key key, char *why, size_t why_size) {
    const latch_secret_library *lib = service->lib;
    latch_list *items = NULL;
    int result = search(service, key, 0, &items, why, why_size);
    if (result == latch_secret_done && !items) return nothing_found(service, latch_secret_done, why, why_size);
    for (latch_list *item = items; item && result == latch_secret_done; item = item->next) {
        latch_error *error = NULL;
        if (lib->secret_item_get_locked(item->data)) {
            snprintf(why, why_size, "the item is locked");
            result = latch_secret_locked;
        } else if (!lib->secret_item_delete_sync(item->data, NULL, &error)) {
            result = failure(lib, error, why, why_size);
        }
    }
    free_items(lib, items);
    return result;
}

int latch_secret_names(latch_secret_service *service, latch_secret_key key,
                       void (*found)(void *context, const char *name), void *context, char *why, size_t why_size) {
    const latch_secret_library *lib = service->lib;
    latch_list *items = NULL;
    key.name = NULL;
    int result = search(service, key, 0, &items, why, why_size);
    if (result == latch_secret_done && !items) return nothing_found(service, latch_secret_done, why, why_size);
    for (latch_list *item = items; item; item = item->next) {
        void *attributes = lib->secret_item_get_attributes(item->data);
        const char *name = attributes ? lib->g_hash_table_lookup(attributes, "name") : NULL;
        if (name) found(context, name);
        if (attributes) lib->g_hash_table_unref(attributes);
    }
    free_items(lib, items);
    return result;
}

void latch_secret_free(uint8_t *bytes, size_t count) {
    if (!bytes) return;
    volatile uint8_t *wiped = bytes;
    for (size_t index = 0; index < count; index++) wiped[index] = 0;
    free(bytes);
}
