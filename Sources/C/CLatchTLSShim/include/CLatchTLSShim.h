// SPDX-License-Identifier: Apache-2.0
// The server's side of TLS over a non-blocking socket: most of libssl's settings are macros, which Swift cannot call.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The results of reading and writing if no bytes were moved.
enum {
    latch_tls_closed = 0,
    latch_tls_would_block = -1,
    latch_tls_failed = -2,
};

/// A context from a PEM chain and its PEM key, or NULL with the reason in `why`; clients may choose HTTP/2 if
/// `offers_http2`.
void *latch_tls_context_make(const uint8_t *chain, size_t chain_count, const uint8_t *key, size_t key_count,
                             int offers_http2, char *why, size_t why_size);
void latch_tls_context_free(void *context);

/// The bytes of certificates that a client may send.
enum { latch_tls_largest_certificates = 16384 };

/// Makes the sessions of a new context request a certificate, which clients may omit; only those with that server name
/// if `host` is not NULL. Any certificate is accepted. Returns 0 without memory, or for a host that is too long.
int latch_tls_context_request_certificates(void *context, const char *host);

/// Copies the client's certificate (index 0) or the one after it in its chain, in DER; returns its size, or 0 if there
/// is none. Nothing is copied if the size exceeds the capacity.
ptrdiff_t latch_tls_certificate(void *session, int index, uint8_t *bytes, size_t capacity);

/// The certificates of authorities, in PEM; NULL without one, or if one is malformed.
void *latch_tls_authorities_make(const uint8_t *pem, size_t count);
void latch_tls_authorities_free(void *authorities);

/// Whether authorities vouch for a client's certificate now; DER certificates in a row, the client's first.
int latch_tls_authorities_verify(void *authorities, const uint8_t *bytes, size_t count);

/// Reads when the certificate of a context and its chain are all valid, in seconds since 1970; 0 if that cannot be
/// read.
int latch_tls_context_validity(void *context, int64_t *begin, int64_t *end);

/// Whether the certificate of a context is for a host, a name or an IP address (RFC 9525).
int latch_tls_context_is_for(void *context, const char *host);

/// The seconds for which a session can be resumed by its ticket (RFC 8446 §4.6.1, RFC 5077).
enum { latch_tls_ticket_lifetime = 3600 };

/// Creates a new key for a context's tickets, keeps the last one for decrypting, and erases the one before it. Without
/// randomness it returns 0 and does not change the keys.
int latch_tls_context_rotate_tickets(void *context);

/// A session on a connected socket, which the caller still owns; the handshake happens during the first reads.
void *latch_tls_session_make(void *context, int socket);
/// Ends the session and frees everything; first tells the client, if requested and possible without waiting.
void latch_tls_session_free(void *session, bool with_alert);

/// Whether the handshake selected HTTP/2.
int latch_tls_is_http2(void *session);

/// Whether the handshake requested a certificate of the client.
int latch_tls_has_requested_certificate(void *session);

ptrdiff_t latch_tls_read(void *session, void *bytes, size_t count);
ptrdiff_t latch_tls_write(void *session, const void *bytes, size_t count);
