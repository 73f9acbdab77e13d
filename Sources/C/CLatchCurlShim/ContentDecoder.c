// SPDX-License-Identifier: Apache-2.0
#ifdef __linux__
// The three libraries are those that libcurl uses. Like libcurl, they are loaded when they are needed. A program
// without requests never loads them, nor does one whose servers send no such content. Their interfaces have been stable
// for longer than any supported system has existed, so their headers are not needed.
#include "ContentDecoder.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

// MARK: Libraries

// zlib.h: z_stream; zlib checks its size.
typedef struct {
    const uint8_t *next_in;
    unsigned int avail_in;
    unsigned long total_in;
    uint8_t *next_out;
    unsigned int avail_out;
    unsigned long total_out;
    const char *message;
    void *state;
    void *allocate, *release, *opaque;
    int data_type;
    unsigned long adler;
    unsigned long reserved;
} zlib_stream;

enum { zlib_ok = 0, zlib_stream_end = 1, zlib_buffer_error = -5, zlib_no_flush = 0, zlib_largest_window = 15 };

// zstd.h: ZSTD_inBuffer and ZSTD_outBuffer.
typedef struct { const void *bytes; size_t size, position; } zstd_input;
typedef struct { void *bytes; size_t size, position; } zstd_output;

enum { zstd_window_limit_parameter = 100, zstd_window_limit = 23 };

enum { brotli_error = 0, brotli_success = 1 };

static struct {
    int has_zlib, has_brotli, has_zstd;
    const char *(*zlib_version)(void);
    int (*inflate_init)(zlib_stream *, int window, const char *version, int size);
    int (*inflate)(zlib_stream *, int flush);
    int (*inflate_reset)(zlib_stream *);
    int (*inflate_end)(zlib_stream *);
    void *(*brotli_create)(void *, void *, void *);
    int (*brotli_decode)(void *, size_t *, const uint8_t **, size_t *, uint8_t **, size_t *);
    void (*brotli_free)(void *);
    void *(*zstd_create)(void);
    size_t (*zstd_set)(void *, int parameter, int value);
    size_t (*zstd_decode)(void *, zstd_output *, zstd_input *);
    unsigned (*zstd_is_error)(size_t);
    size_t (*zstd_free)(void *);
} library;

static void *find(void *handle, const char *name, int *is_complete) {
    void *symbol = handle == NULL ? NULL : dlsym(handle, name);
    if (symbol == NULL) *is_complete = 0;
    return symbol;
}

static void load(void) {
    int *is_complete;
    void *handle;
#define FIND(member, name) *(void **)&library.member = find(handle, name, is_complete)
    handle = dlopen("libz.so.1", RTLD_LAZY | RTLD_LOCAL);
    *(is_complete = &library.has_zlib) = 1;
    FIND(zlib_version, "zlibVersion");
    FIND(inflate_init, "inflateInit2_");
    FIND(inflate, "inflate");
    FIND(inflate_reset, "inflateReset");
    FIND(inflate_end, "inflateEnd");
    handle = dlopen("libbrotlidec.so.1", RTLD_LAZY | RTLD_LOCAL);
    *(is_complete = &library.has_brotli) = 1;
    FIND(brotli_create, "BrotliDecoderCreateInstance");
    FIND(brotli_decode, "BrotliDecoderDecompressStream");
    FIND(brotli_free, "BrotliDecoderDestroyInstance");
    handle = dlopen("libzstd.so.1", RTLD_LAZY | RTLD_LOCAL);
    *(is_complete = &library.has_zstd) = 1;
    FIND(zstd_create, "ZSTD_createDStream");
    FIND(zstd_set, "ZSTD_DCtx_setParameter");
    FIND(zstd_decode, "ZSTD_decompressStream");
    FIND(zstd_is_error, "ZSTD_isError");
    FIND(zstd_free, "ZSTD_freeDStream");
#undef FIND
}

int latch_decoder_is_available(int coding) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    switch (coding) {
    case latch_coding_gzip:
    case latch_coding_deflate: return library.has_zlib;
    case latch_coding_brotli: return library.has_brotli;
    case latch_coding_zstd: return library.has_zstd;
    default: return 0;
    }
}

// MARK: Decoders

struct latch_decoder {
    int coding;
    /// Whether a byte has arrived, whether a member or frame has ended since, and whether only zeros may follow.
    int has_begun, has_ended, is_padding;
    zlib_stream zlib;
    int has_zlib_state;
    /// The first bytes of a deflated content, which show its form.
    uint8_t start[2];
    size_t start_count;
    /// The state of libbrotlidec or libzstd.
    void *state;
};

latch_decoder *latch_decoder_create(int coding) {
    if (!latch_decoder_is_available(coding)) return NULL;
    latch_decoder *decoder = calloc(1, sizeof *decoder);
    if (decoder == NULL) return NULL;
    decoder->coding = coding;
    if (coding == latch_coding_brotli) decoder->state = library.brotli_create(NULL, NULL, NULL);
    if (coding == latch_coding_zstd) {
        decoder->state = library.zstd_create();
        // A server that chooses the window size could exhaust the client's memory.
        if (decoder->state != NULL) library.zstd_set(decoder->state, zstd_window_limit_parameter, zstd_window_limit);
    }
    if ((coding == latch_coding_brotli || coding == latch_coding_zstd) && decoder->state == NULL) {
        free(decoder);
        return NULL;
    }
    return decoder;
}

void latch_decoder_free(latch_decoder *decoder) {
    if (decoder == NULL) return;
    if (decoder->has_zlib_state) library.inflate_end(&decoder->zlib);
    if (decoder->coding == latch_coding_brotli) library.brotli_free(decoder->state);
    if (decoder->coding == latch_coding_zstd) library.zstd_free(decoder->state);
    free(decoder);
}

int latch_decoder_is_at_end(const latch_decoder *decoder) { return !decoder->has_begun || decoder->has_ended; }

/// The input and room of one call; each step advances them.
typedef struct {
    const uint8_t *input;
    size_t count;
    uint8_t *room;
    size_t size;
} step;

/// Inflates; returns 0 for malformed content.
static int inflate_step(latch_decoder *decoder, step *step, int window) {
    zlib_stream *stream = &decoder->zlib;
    if (!decoder->has_zlib_state) {
        if (library.inflate_init(stream, window, library.zlib_version(), (int)sizeof *stream) != zlib_ok) return 0;
        decoder->has_zlib_state = 1;
    }
    // zlib counts by int; the rest comes with the next step.
    unsigned int count = step->count > 1u << 30 ? 1u << 30 : (unsigned int)step->count;
    unsigned int size = step->size > 1u << 30 ? 1u << 30 : (unsigned int)step->size;
    (stream->next_in = step->input), (stream->avail_in = count);
    (stream->next_out = step->room), (stream->avail_out = size);
    int code = library.inflate(stream, zlib_no_flush);
    step->input += count - stream->avail_in, step->count -= count - stream->avail_in;
    step->room += size - stream->avail_out, step->size -= size - stream->avail_out;
    if (code == zlib_stream_end) decoder->has_ended = 1;
    return code == zlib_ok || code == zlib_stream_end || code == zlib_buffer_error;
}

/// Inflates a content whose first two bytes show whether it has the head of RFC 1950 §2.2.
static int deflate_step(latch_decoder *decoder, step *whole) {
    while (decoder->start_count < 2 && whole->count > 0) {
        decoder->start[decoder->start_count++] = *whole->input++;
        whole->count--;
        if (decoder->start_count < 2) continue;
        int head = decoder->start[0] << 8 | decoder->start[1];
        int has_head = (decoder->start[0] & 15) == 8 && head % 31 == 0;
        step first = {decoder->start, 2, whole->room, whole->size};
        if (!inflate_step(decoder, &first, has_head ? zlib_largest_window : -zlib_largest_window)) return 0;
        // Two bytes fill no window, and both are always taken unless the content ends within them.
        if (first.count > 0) return 0;
        (whole->room = first.room), (whole->size = first.size);
    }
    if (decoder->start_count < 2 || decoder->has_ended) return 1;
    return inflate_step(decoder, whole, zlib_largest_window);
}

static int brotli_step(latch_decoder *decoder, step *step) {
    int result = library.brotli_decode(
        decoder->state, &step->count, &step->input, &step->size, &step->room, NULL);
    if (result == brotli_success) decoder->has_ended = 1;
    return result != brotli_error;
}

static int zstd_step(latch_decoder *decoder, step *step) {
    zstd_input input = {step->input, step->count, 0};
    zstd_output output = {step->room, step->size, 0};
    size_t rest = library.zstd_decode(decoder->state, &output, &input);
    if (library.zstd_is_error(rest)) return 0;
    step->input += input.position, step->count -= input.position;
    step->room += output.position, step->size -= output.position;
    decoder->has_ended = rest == 0;
    return 1;
}

/// Begins the part after an end: another member or frame, or padding. Returns 0 for anything else.
static int continue_after_end(latch_decoder *decoder, step *step) {
    if (decoder->is_padding || (*step->input == 0 && decoder->coding != latch_coding_zstd)) {
        decoder->is_padding = 1;
        while (step->count > 0 && *step->input == 0) step->input++, step->count--;
        return step->count == 0;
    }
    switch (decoder->coding) {
    case latch_coding_gzip: // RFC 1952 §2.2
        decoder->has_ended = 0;
        return library.inflate_reset(&decoder->zlib) == zlib_ok;
    case latch_coding_zstd: // RFC 8878 §3
        decoder->has_ended = 0;
        return 1;
    default: return 0;
    }
}

ptrdiff_t latch_decoder_run(
    latch_decoder *decoder, const uint8_t *input, size_t count, size_t *taken, uint8_t *room, size_t size) {
    step step = {input, count, room, size};
    if (count > 0) decoder->has_begun = 1;
    while (step.size > 0) {
        if (decoder->has_ended) {
            if (step.count == 0) break;
            if (!continue_after_end(decoder, &step)) return -1;
            if (decoder->has_ended) continue;
        }
        size_t count_before = step.count, size_before = step.size;
        int is_valid = 0;
        switch (decoder->coding) {
        case latch_coding_gzip: is_valid = inflate_step(decoder, &step, zlib_largest_window + 16); break;
        case latch_coding_deflate: is_valid = deflate_step(decoder, &step); break;
        case latch_coding_brotli: is_valid = brotli_step(decoder, &step); break;
        case latch_coding_zstd: is_valid = zstd_step(decoder, &step); break;
        }
        if (!is_valid) return -1;
        // Further input is needed; all pending output was written.
        if (step.count == count_before && step.size == size_before && !decoder->has_ended) break;
    }
    *taken = count - step.count;
    return (ptrdiff_t)(size - step.size);
}
#endif
