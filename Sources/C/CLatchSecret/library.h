// SPDX-License-Identifier: Apache-2.0
// The functions of libsecret and GLib that are used. They are declared here and found at run time, so that building
// needs no headers of the libraries.
#pragma once
#include <stddef.h>
#include <stdint.h>

typedef struct latch_list {
    void *data;
    struct latch_list *next, *previous;
} latch_list;  // GList

typedef struct {
    uint32_t domain;
    int code;
    char *message;
} latch_error;  // GError

typedef struct {
    const char *name;
    int flags;
    struct {
        const char *name;
        int type;
    } attributes[32];
    int reserved;
    void *reserved_more[7];
} latch_schema;  // SecretSchema

/// One function in each line: result, name, parameters.
#define LATCH_SECRET_FUNCTIONS(F)                                                                                      \
    F(void, g_error_free, (latch_error *))                                                                             \
    F(void, g_object_unref, (void *))                                                                                  \
    F(void *, g_cancellable_new, (void))                                                                               \
    F(void, g_cancellable_cancel, (void *))                                                                            \
    F(int, g_cancellable_is_cancelled, (void *))                                                                       \
    F(void, g_list_free, (latch_list *))                                                                               \
    F(void *, g_hash_table_new, (void *hash, void *equal))                                                             \
    F(int, g_hash_table_insert, (void *, const void *key, const void *value))                                          \
    F(void *, g_hash_table_lookup, (void *, const void *key))                                                          \
    F(void, g_hash_table_unref, (void *))                                                                              \
    F(unsigned, g_str_hash, (const void *))                                                                            \
    F(int, g_str_equal, (const void *, const void *))                                                                  \
    F(void *, g_main_context_new, (void))                                                                              \
    F(void, g_main_context_unref, (void *))                                                                            \
    F(void, g_main_context_push_thread_default, (void *))                                                              \
    F(void, g_main_context_pop_thread_default, (void *))                                                               \
    F(int, g_main_context_iteration, (void *, int may_block))                                                          \
    F(void *, g_dbus_proxy_get_connection, (void *))                                                                   \
    F(void, g_dbus_connection_set_exit_on_close, (void *, int exits))                                                  \
    F(uint32_t, g_dbus_error_quark, (void))                                                                            \
    F(uint32_t, secret_error_get_quark, (void))                                                                        \
    F(size_t, secret_service_get_type, (void))                                                                         \
    F(void *, secret_service_open_sync,                                                                                \
      (size_t type, const char *bus_name, int flags, void *cancellable, latch_error **))                               \
    F(latch_list *, secret_service_search_sync,                                                                        \
      (void *, const latch_schema *, void *attributes, int flags, void *cancellable, latch_error **))                  \
    F(int, secret_service_unlock_sync,                                                                                 \
      (void *, latch_list *objects, void *cancellable, latch_list **unlocked, latch_error **))                         \
    F(void *, secret_collection_for_alias_sync,                                                                        \
      (void *, const char *alias, int flags, void *cancellable, latch_error **))                                       \
    F(void *, secret_collection_create_sync,                                                                           \
      (void *, const char *label, const char *alias, int flags, void *cancellable, latch_error **))                    \
    F(int, secret_collection_get_locked, (void *))                                                                     \
    F(void *, secret_item_create_sync,                                                                                 \
      (void *collection, const latch_schema *, void *attributes, const char *label, void *value, int flags,            \
       void *cancellable, latch_error **))                                                                             \
    F(int, secret_item_set_secret_sync, (void *, void *value, void *cancellable, latch_error **))                      \
    F(int, secret_item_delete_sync, (void *, void *cancellable, latch_error **))                                       \
    F(int, secret_item_get_locked, (void *))                                                                           \
    F(uint64_t, secret_item_get_modified, (void *))                                                                    \
    F(void *, secret_item_get_attributes, (void *))                                                                    \
    F(void *, secret_item_get_secret, (void *))                                                                        \
    F(void *, secret_value_new, (const char *, ptrdiff_t count, const char *type))                                     \
    F(const char *, secret_value_get, (void *, size_t *count))                                                         \
    F(void, secret_value_unref, (void *))
