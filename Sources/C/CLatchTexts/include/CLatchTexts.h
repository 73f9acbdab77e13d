// SPDX-License-Identifier: Apache-2.0
// The string catalog of LatchTexts, as the bytes of its file.
#pragma once
#include <stddef.h>
#include <stdint.h>

/// Returns the catalog, which lives as long as the program, and its size in bytes.
const uint8_t *latch_catalog(size_t *count);
