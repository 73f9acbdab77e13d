// SPDX-License-Identifier: Apache-2.0
// The freedesktop Secret Service through libsecret, which is loaded when it is first used and not before: a program
// that never asks for it starts without GLib, and runs where the library is not installed.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// What came of a call.
enum {
    latch_secret_done = 0,
    /// There is no such item.
    latch_secret_missing = 1,
    /// The collection that holds it, or should, is locked.
    latch_secret_locked = 2,
    /// The person closed the question for the password, nobody could ask it, or the bus refuses us.
    latch_secret_denied = 3,
    /// libsecret is not installed.
    latch_secret_no_library = 4,
    /// No bus, or nobody on it who keeps secrets.
    latch_secret_no_service = 5,
    /// The service has no default collection, and making one needs a person.
    latch_secret_no_collection = 6,
    /// Everything else; the reason is in the text.
    latch_secret_failed = 7,
};

/// One item of the service, by its attributes; `name` is NULL for all items of `service`.
typedef struct {
    const char *schema;
    const char *service;
    const char *name;
} latch_secret_key;

/// A connection to the service, used by the thread that opened it.
typedef struct latch_secret_service latch_secret_service;

/// Connects to the service on the session's bus. `why` gets a reason of at most `why_size` bytes, here and below.
///
/// The bus is the one that the environment names: where it names none, GLib would start one, so look before.
int latch_secret_open(latch_secret_service **opened, char *why, size_t why_size);
/// Ends what latch_secret_open began, on the same thread.
void latch_secret_close(latch_secret_service *service);

/// Whether the default collection is there and unlocked; with `asks`, a person is asked to unlock or make it.
int latch_secret_unlock(latch_secret_service *service, bool asks, char *why, size_t why_size);

/// The newest item's secret, in memory to be given back with latch_secret_free.
int latch_secret_read(latch_secret_service *service, latch_secret_key key, uint8_t **bytes, size_t *count, char *why,
                      size_t why_size);
/// Replaces an item in place, or makes it in the default collection.
int latch_secret_write(latch_secret_service *service, latch_secret_key key, const char *label, const uint8_t *bytes,
                       size_t count, char *why, size_t why_size);
/// Removes all items with these attributes.
int latch_secret_remove(latch_secret_service *service, latch_secret_key key, char *why, size_t why_size);

/// Calls `found` with the name of each item of the key's service.
int latch_secret_names(latch_secret_service *service, latch_secret_key key,
                       void (*found)(void *context, const char *name), void *context, char *why, size_t why_size);

/// Wipes memory and gives it back.
void latch_secret_free(uint8_t *bytes, size_t count);
