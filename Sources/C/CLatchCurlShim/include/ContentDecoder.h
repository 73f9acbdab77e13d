// SPDX-License-Identifier: Apache-2.0
// Decoders of content codings (RFC 9110 §8.4.1), which detect incomplete content; libcurl's do not.
#pragma once
#ifdef __linux__
#include <stddef.h>
#include <stdint.h>

/// The content codings, in the order of the raw values of ContentCoding in Swift.
enum {
    /// RFC 1952, with all members and zero padding.
    latch_coding_gzip,
    /// RFC 1950, and RFC 1951 without it, as many servers send.
    latch_coding_deflate,
    /// RFC 7932.
    latch_coding_brotli,
    /// RFC 8878, with all frames, and windows of up to 8 MiB (RFC 9659 §3).
    latch_coding_zstd,
};

typedef struct latch_decoder latch_decoder;

/// Whether the library of a coding is installed; the first call loads it.
int latch_decoder_is_available(int coding);

/// A decoder at the beginning of a content; NULL without the library or without memory.
latch_decoder *latch_decoder_create(int coding);
void latch_decoder_free(latch_decoder *decoder);

/// Decodes until the input is used up or the room is full.
///
/// Returns the number of bytes in the room, or -1 for malformed content. `taken` is the number of input bytes that were
/// used. If the room is full, a further call may return more, even without input.
ptrdiff_t latch_decoder_run(
    latch_decoder *decoder, const uint8_t *input, size_t count, size_t *taken, uint8_t *room, size_t size);

/// Whether the content may end here: it has not begun, or its coding has ended.
int latch_decoder_is_at_end(const latch_decoder *decoder);
#endif
