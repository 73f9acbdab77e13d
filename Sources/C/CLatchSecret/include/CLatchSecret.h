// SPDX-License-Identifier: Apache-2.0
// The freedesktop Secret Service through libsecret, which is loaded at its first use. A program that never uses it
// starts without GLib, and runs even if the library is not installed.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The result of a call.
enum {
    latch_secret_done = 0,
    /// The item does not exist.
    latch_secret_missing = 1,
    /// The item or its collection is locked.
    latch_secret_locked = 2,
    /// The user dismissed the prompt, no program could show it, or the bus denies access.
    latch_secret_denied = 3,
    /// libsecret is not installed.
    latch_secret_no_library = 4,
    /// There is no bus, or no Secret Service on it.
    latch_secret_no_service = 5,
    /// The service has no default collection, and creating one needs a prompt.
    latch_secret_no_collection = 6,
    /// Any other failure.
    latch_secret_failed = 7,
    /// The bus or the service did not respond in time.
    latch_secret_silent = 8,
};

/// The attributes of an item; `name` is NULL for all items of `service`.
typedef struct {
    const char *schema;
    const char *service;
    const char *name;
} latch_secret_key;

/// A connection to the service, used by the thread that opened it.
typedef struct latch_secret_service latch_secret_service;

/// The reason for the last failure on this thread, until the next one.
const char *latch_secret_reason(void);

/// Connects to the service on the session's bus.
///
/// The environment names the bus. If it names none, GLib would start one, so the caller checks that first.
/// `milliseconds` limits the total time of this call and all calls on the connection, without prompts.
int latch_secret_open(latch_secret_service **opened, int64_t milliseconds);
/// Closes a connection, on the thread that opened it.
void latch_secret_close(latch_secret_service *service);

/// Whether the default collection exists and is unlocked; with `asks`, a prompt unlocks or creates it within five
/// minutes.
int latch_secret_unlock(latch_secret_service *service, bool asks);

/// Returns the newest item's secret, in memory that the caller releases with latch_secret_free.
int latch_secret_read(latch_secret_service *service, latch_secret_key key, uint8_t **bytes, size_t *count);
/// Replaces an item in place, or creates it in the default collection.
int latch_secret_write(latch_secret_service *service, latch_secret_key key, const char *label, const uint8_t *bytes,
                       size_t count);
/// Removes all items with these attributes.
int latch_secret_remove(latch_secret_service *service, latch_secret_key key);

/// Calls `found` with the name of each item of the key's service.
int latch_secret_names(latch_secret_service *service, latch_secret_key key,
                       void (*found)(void *context, const char *name), void *context);

/// Wipes and releases memory.
void latch_secret_free(uint8_t *bytes, size_t count);
