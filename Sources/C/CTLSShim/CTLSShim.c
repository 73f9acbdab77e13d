// SPDX-License-Identifier: Apache-2.0
#include "CTLSShim.h"

#include <limits.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <stdio.h>
#include <string.h>

// A key with a passphrase is refused: asking on a terminal would block the server.
static int no_passphrase(char *buffer, int size, int writing, void *user) {
    (void)buffer, (void)size, (void)writing, (void)user;
    return -1;
}

static int fail(char *why, size_t size, const char *what) {
    snprintf(why, size, "%s", what);
    ERR_clear_error();
    return 0;
}

static int use_chain(SSL_CTX *context, BIO *pem, char *why, size_t size) {
    X509 *own = PEM_read_bio_X509(pem, NULL, no_passphrase, NULL);
    if (!own) return fail(why, size, "there is no PEM certificate in it");
    int ok = SSL_CTX_use_certificate(context, own);
    X509_free(own);
    if (ok != 1) return fail(why, size, "the certificate is too weak or malformed");
    X509 *next;
    while ((next = PEM_read_bio_X509(pem, NULL, no_passphrase, NULL))) {
        if (SSL_CTX_add0_chain_cert(context, next) != 1) {
            X509_free(next);
            return fail(why, size, "the chain behind the certificate is malformed");
        }
    }
    ERR_clear_error();
    return 1;
}

static int use_key(SSL_CTX *context, BIO *pem, char *why, size_t size) {
    EVP_PKEY *key = PEM_read_bio_PrivateKey(pem, NULL, no_passphrase, NULL);
    if (!key) return fail(why, size, "there is no PEM private key without a passphrase in it");
    int ok = SSL_CTX_use_PrivateKey(context, key) == 1 && SSL_CTX_check_private_key(context) == 1;
    EVP_PKEY_free(key);
    return ok ? 1 : fail(why, size, "the private key does not belong to the certificate");
}

// RFC 7301 §3.2: a client that speaks none of the server's protocols is refused, so that nobody can make it talk to a server of
// another one.
static int choose_protocol(SSL *session, const unsigned char **chosen, unsigned char *chosen_count,
                           const unsigned char *offered, unsigned int offered_count, void *user) {
    (void)session;
    static const unsigned char supported[] = "\x02h2\x08http/1.1\x08http/1.0";
    size_t skipped = user ? 0 : 3;
    int result = SSL_select_next_proto((unsigned char **)chosen, chosen_count, supported + skipped,
                                       sizeof supported - 1 - skipped, offered, offered_count);
    return result == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

static SSL_CTX *context_with_settings(int offers_http2) {
    SSL_CTX *context = SSL_CTX_new(TLS_server_method());
    if (!context) return NULL;
    // RFC 8996: TLS 1.0 and 1.1 are not to be used.
    SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
    SSL_CTX_set_options(context, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION | SSL_OP_CIPHER_SERVER_PREFERENCE);
    SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                  SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_alpn_select_cb(context, choose_protocol, offers_http2 ? context : NULL);
    return context;
}

void *latch_tls_context_make(const uint8_t *chain, size_t chain_count, const uint8_t *key, size_t key_count,
                             int offers_http2, char *why, size_t why_size) {
    if (chain_count > INT_MAX || key_count > INT_MAX) return fail(why, why_size, "it is too large"), NULL;
    SSL_CTX *context = context_with_settings(offers_http2);
    BIO *chain_pem = BIO_new_mem_buf(chain, (int)chain_count);
    BIO *key_pem = BIO_new_mem_buf(key, (int)key_count);
    int ok = context && chain_pem && key_pem ? 1 : fail(why, why_size, "there is no memory for it");
    ok = ok && use_chain(context, chain_pem, why, why_size) && use_key(context, key_pem, why, why_size);
    BIO_free(chain_pem);
    BIO_free(key_pem);
    if (ok) return context;
    SSL_CTX_free(context);
    return NULL;
}

void latch_tls_context_free(void *context) { SSL_CTX_free(context); }

void *latch_tls_session_make(void *context, int socket) {
    SSL *session = SSL_new(context);
    if (!session) return NULL;
    if (SSL_set_fd(session, socket) != 1) {
        SSL_free(session);
        return NULL;
    }
    SSL_set_accept_state(session);
    return session;
}

void latch_tls_session_free(void *session) {
    ERR_clear_error();
    if (SSL_is_init_finished(session)) SSL_shutdown(session);
    SSL_free(session);
    ERR_clear_error();
}

static ptrdiff_t result(SSL *session, int count) {
    if (count > 0) return count;
    switch (SSL_get_error(session, count)) {
    case SSL_ERROR_WANT_READ:
    case SSL_ERROR_WANT_WRITE: return latch_tls_would_block;
    case SSL_ERROR_ZERO_RETURN: return latch_tls_closed;
    default: return latch_tls_failed;
    }
}

int latch_tls_is_http2(void *session) {
    const unsigned char *chosen;
    unsigned int count;
    SSL_get0_alpn_selected(session, &chosen, &count);
    return count == 2 && memcmp(chosen, "h2", 2) == 0;
}

ptrdiff_t latch_tls_read(void *session, void *bytes, size_t count) {
    ERR_clear_error();
    return result(session, SSL_read(session, bytes, count > INT_MAX ? INT_MAX : (int)count));
}

ptrdiff_t latch_tls_write(void *session, const void *bytes, size_t count) {
    ERR_clear_error();
    return result(session, SSL_write(session, bytes, count > INT_MAX ? INT_MAX : (int)count));
}
