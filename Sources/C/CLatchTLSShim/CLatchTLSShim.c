// SPDX-License-Identifier: Apache-2.0
#include "CLatchTLSShim.h"

#include <limits.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

// A key with a passphrase is rejected: a prompt on a terminal would block the server.
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
    // At the end no further certificate begins; anything else is an incomplete certificate.
    int whole = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
    ERR_clear_error();
    return whole ? 1 : fail(why, size, "the chain behind the certificate is malformed");
}

static int use_key(SSL_CTX *context, BIO *pem, char *why, size_t size) {
    EVP_PKEY *key = PEM_read_bio_PrivateKey(pem, NULL, no_passphrase, NULL);
    if (!key) return fail(why, size, "there is no PEM private key without a passphrase in it");
    int ok = SSL_CTX_use_PrivateKey(context, key) == 1 && SSL_CTX_check_private_key(context) == 1;
    EVP_PKEY_free(key);
    return ok ? 1 : fail(why, size, "the private key does not belong to the certificate");
}

// RFC 7301 §3.2: a client without a protocol of the server is rejected. So an attacker cannot make it talk to a server
// of another protocol.
static int choose_protocol(SSL *session, const unsigned char **chosen, unsigned char *chosen_count,
                           const unsigned char *offered, unsigned int offered_count, void *user) {
    (void)session;
    static const unsigned char supported[] = "\x02h2\x08http/1.1\x08http/1.0";
    size_t skipped = user ? 0 : 3;
    int result = SSL_select_next_proto((unsigned char **)chosen, chosen_count, supported + skipped,
                                       sizeof supported - 1 - skipped, offered, offered_count);
    return result == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

// The keys of tickets: the current one encrypts, and the earlier one can still decrypt.
struct ticket_key {
    unsigned char name[16], cipher[32], mac[32];
};
struct context_state {
    CRYPTO_RWLOCK *lock;
    struct ticket_key current, earlier;
    // The host whose clients are asked for a certificate; empty for none.
    char certificate_host[256];
};

static int state_index = -1;

static void free_state(void *context, void *data, CRYPTO_EX_DATA *all, int index, long number, void *user) {
    (void)context, (void)all, (void)index, (void)number, (void)user;
    struct context_state *state = data;
    if (state) CRYPTO_THREAD_lock_free(state->lock);
    OPENSSL_clear_free(state, sizeof *state);
}

static void make_index(void) { state_index = SSL_CTX_get_ex_new_index(0, NULL, NULL, NULL, free_state); }

static struct context_state *state_of(SSL_CTX *context) {
    static CRYPTO_ONCE once = CRYPTO_ONCE_STATIC_INIT;
    if (!CRYPTO_THREAD_run_once(&once, make_index) || state_index < 0) return NULL;
    return SSL_CTX_get_ex_data(context, state_index);
}

// Freed with the context, which outlives its sessions.
static int add_state(SSL_CTX *context) {
    if (state_of(context) || state_index < 0) return 0;
    struct context_state *keys = OPENSSL_zalloc(sizeof *keys);
    if (keys) keys->lock = CRYPTO_THREAD_lock_new();
    if (keys && keys->lock && RAND_priv_bytes((unsigned char *)&keys->current, sizeof keys->current) == 1 &&
        RAND_priv_bytes((unsigned char *)&keys->earlier, sizeof keys->earlier) == 1 &&
        SSL_CTX_set_ex_data(context, state_index, keys) == 1)
        return 1;
    free_state(NULL, keys, NULL, 0, 0, NULL);
    return 0;
}

int latch_tls_context_rotate_tickets(void *context) {
    struct context_state *keys = state_of(context);
    struct ticket_key next;
    int ok = keys && RAND_priv_bytes((unsigned char *)&next, sizeof next) == 1 && CRYPTO_THREAD_write_lock(keys->lock);
    if (ok) {
        keys->earlier = keys->current;
        keys->current = next;
        CRYPTO_THREAD_unlock(keys->lock);
    }
    OPENSSL_cleanse(&next, sizeof next);
    return ok;
}

// Copies the key that encrypts, or the key with that name; returns the same codes as ticket_key.
static int find_key(struct context_state *keys, const unsigned char *name, int encrypts, struct ticket_key *key) {
    if (!keys || !CRYPTO_THREAD_read_lock(keys->lock)) return -1;
    int found = 0;
    if (encrypts || memcmp(name, keys->current.name, sizeof keys->current.name) == 0) {
        *key = keys->current;
        found = 1;
    } else if (memcmp(name, keys->earlier.name, sizeof keys->earlier.name) == 0) {
        *key = keys->earlier;
        found = 2;
    }
    CRYPTO_THREAD_unlock(keys->lock);
    return found;
}

// RFC 5077 §4: AES-256-CBC, then HMAC with SHA-256. Returns 1 for a key, and 2 for a key after which the client gets a
// new ticket. Returns 0 for a ticket with an unknown key, which causes a full handshake, and -1 for an error.
static int ticket_key(SSL *session, unsigned char *name, unsigned char *iv, EVP_CIPHER_CTX *cipher, EVP_MAC_CTX *mac,
                      int encrypts) {
    // A session with a certificate is not resumed: a copy of its ticket would not prove the certificate again.
    if (encrypts && SSL_get0_peer_certificate(session)) return 0;
    struct ticket_key key;
    int found = find_key(state_of(SSL_get_SSL_CTX(session)), name, encrypts, &key);
    if (found <= 0) return found;
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_KEY, key.mac, sizeof key.mac),
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, (char *)"SHA256", 0),
        OSSL_PARAM_construct_end(),
    };
    int ok = EVP_MAC_CTX_set_params(mac, parameters);
    if (encrypts) {
        memcpy(name, key.name, sizeof key.name);
        ok = ok && RAND_bytes(iv, EVP_CIPHER_get_iv_length(EVP_aes_256_cbc())) == 1;
    }
    ok = ok && EVP_CipherInit_ex(cipher, EVP_aes_256_cbc(), NULL, key.cipher, iv, encrypts) == 1;
    OPENSSL_cleanse(&key, sizeof key);
    return ok ? found : -1;
}

// Accepts any certificate whose key the client proves: the handler of a request decides on it. It is not resumed.
static int accept_certificate(X509_STORE_CTX *certificates, void *user) {
    (void)user;
    SSL *session = X509_STORE_CTX_get_ex_data(certificates, SSL_get_ex_data_X509_STORE_CTX_idx());
    return session && SSL_set_num_tickets(session, 0) == 1;
}

// Requests a certificate from a client that names the host (RFC 6066 §3).
static int request_certificate(SSL *session, int *alert, void *user) {
    (void)alert, (void)user;
    const char *host = SSL_get_servername(session, TLSEXT_NAMETYPE_host_name);
    struct context_state *state = state_of(SSL_get_SSL_CTX(session));
    if (host && state && OPENSSL_strcasecmp(host, state->certificate_host) == 0)
        SSL_set_verify(session, SSL_VERIFY_PEER, NULL);
    return SSL_TLSEXT_ERR_OK;
}

int latch_tls_context_request_certificates(void *context, const char *host) {
    static const unsigned char purpose[] = "latch";
    struct context_state *state = state_of(context);
    if (!state || SSL_CTX_set_session_id_context(context, purpose, sizeof purpose - 1) != 1) return 0;
    SSL_CTX_set_max_cert_list(context, latch_tls_largest_certificates);
    SSL_CTX_set_cert_verify_callback(context, accept_certificate, NULL);
    if (!host) {
        SSL_CTX_set_verify(context, SSL_VERIFY_PEER, NULL);
        return 1;
    }
    if (OPENSSL_strlcpy(state->certificate_host, host, sizeof state->certificate_host) >= sizeof state->certificate_host)
        return 0;
    return SSL_CTX_set_tlsext_servername_callback(context, request_certificate) == 1;
}

static SSL_CTX *context_with_settings(int offers_http2) {
    SSL_CTX *context = SSL_CTX_new(TLS_server_method());
    if (!context) return NULL;
    // RFC 8996: TLS 1.0 and 1.1 must not be used.
    SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
    SSL_CTX_set_options(context, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION | SSL_OP_CIPHER_SERVER_PREFERENCE);
    SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                  SSL_MODE_RELEASE_BUFFERS);
    // RFC 9113 §9.2.2: TLS 1.2 only with ephemeral keys and authenticated encryption; TLS 1.3 has nothing else.
    int ok = SSL_CTX_set_cipher_list(context, "ECDHE+AESGCM:ECDHE+CHACHA20") == 1 && add_state(context) &&
             SSL_CTX_set_tlsext_ticket_key_evp_cb(context, ticket_key) == 1;
    if (!ok) {
        SSL_CTX_free(context);
        return NULL;
    }
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_timeout(context, latch_tls_ticket_lifetime);
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

static int seconds_since(const ASN1_TIME *epoch, const ASN1_TIME *time, int64_t *seconds) {
    int days, rest;
    if (ASN1_TIME_diff(&days, &rest, epoch, time) != 1) return 0;
    *seconds = (int64_t)days * 86400 + rest;
    return 1;
}

int latch_tls_context_validity(void *context, int64_t *begin, int64_t *end) {
    STACK_OF(X509) *chain = NULL;
    ASN1_TIME *epoch = ASN1_TIME_set(NULL, 0);
    X509 *next = SSL_CTX_get0_certificate(context);
    int ok = epoch && next && SSL_CTX_get0_chain_certs(context, &chain) == 1;
    *begin = INT64_MIN;
    *end = INT64_MAX;
    for (int index = 0; ok && next; index++) {
        int64_t first, last;
        ok = seconds_since(epoch, X509_get0_notBefore(next), &first) && seconds_since(epoch, X509_get0_notAfter(next), &last);
        if (ok && first > *begin) *begin = first;
        if (ok && last < *end) *end = last;
        next = index < sk_X509_num(chain) ? sk_X509_value(chain, index) : NULL;
    }
    ASN1_TIME_free(epoch);
    ERR_clear_error();
    return ok;
}

int latch_tls_context_is_for(void *context, const char *host) {
    X509 *own = SSL_CTX_get0_certificate(context);
    int ok = own && (X509_check_ip_asc(own, host, 0) == 1 || X509_check_host(own, host, 0, 0, NULL) == 1);
    ERR_clear_error();
    return ok;
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

void latch_tls_session_free(void *session, bool with_alert) {
    ERR_clear_error();
    if (with_alert && SSL_is_init_finished(session)) SSL_shutdown(session);
    SSL_free(session);
    ERR_clear_error();
}

// Tells a client that speaks plain HTTP about the error, since it understands no alert. OpenSSL recognizes GET, HEAD,
// POST and PUT.
static void answer_plain_request(SSL *session) {
    static const char response[] =
        "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\nContent-Length: 33\r\nConnection: close\r\n\r\n"
        "This port speaks https, not http.";
    send(SSL_get_fd(session), response, sizeof response - 1, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static ptrdiff_t result(SSL *session, int count) {
    if (count > 0) return count;
    switch (SSL_get_error(session, count)) {
    case SSL_ERROR_WANT_READ:
    case SSL_ERROR_WANT_WRITE: return latch_tls_would_block;
    case SSL_ERROR_ZERO_RETURN: return latch_tls_closed;
    case SSL_ERROR_SSL:
        if (ERR_GET_REASON(ERR_peek_error()) == SSL_R_HTTP_REQUEST) answer_plain_request(session);
        return latch_tls_failed;
    default: return latch_tls_failed;
    }
}

ptrdiff_t latch_tls_certificate(void *session, int index, uint8_t *bytes, size_t capacity) {
    // The chain of a server's client lacks the client's own certificate.
    X509 *found = index == 0 ? SSL_get0_peer_certificate(session) : NULL;
    STACK_OF(X509) *chain = SSL_get_peer_cert_chain(session);
    if (index > 0 && index <= sk_X509_num(chain)) found = sk_X509_value(chain, index - 1);
    int count = found ? i2d_X509(found, NULL) : 0;
    if (count > 0 && (size_t)count <= capacity) i2d_X509(found, &bytes);
    ERR_clear_error();
    return count > 0 ? count : 0;
}

void *latch_tls_authorities_make(const uint8_t *pem, size_t count) {
    X509_STORE *store = X509_STORE_new();
    BIO *file = count <= INT_MAX ? BIO_new_mem_buf(pem, (int)count) : NULL;
    int ok = store && file, found = 0;
    X509 *next;
    while (ok && (next = PEM_read_bio_X509(file, NULL, no_passphrase, NULL))) {
        ok = X509_STORE_add_cert(store, next) == 1;
        X509_free(next);
        found++;
    }
    ok = ok && found && ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
    // An intermediate certificate of the file is trusted without its root.
    ok = ok && X509_STORE_set_flags(store, X509_V_FLAG_PARTIAL_CHAIN) == 1;
    BIO_free(file);
    ERR_clear_error();
    if (ok) return store;
    X509_STORE_free(store);
    return NULL;
}

void latch_tls_authorities_free(void *authorities) { X509_STORE_free(authorities); }

int latch_tls_authorities_verify(void *authorities, const uint8_t *bytes, size_t count) {
    const uint8_t *end = bytes + count;
    X509 *own = count <= latch_tls_largest_certificates ? d2i_X509(NULL, &bytes, (long)count) : NULL;
    STACK_OF(X509) *chain = sk_X509_new_null();
    X509_STORE_CTX *check = X509_STORE_CTX_new();
    int ok = own && chain && check;
    while (ok && bytes < end) {
        X509 *next = d2i_X509(NULL, &bytes, end - bytes);
        ok = next && sk_X509_push(chain, next) > 0;
        if (!ok) X509_free(next);
    }
    ok = ok && X509_STORE_CTX_init(check, authorities, own, chain) == 1 &&
         X509_STORE_CTX_set_default(check, "ssl_client") == 1;
    if (ok) {
        X509_VERIFY_PARAM *rules = X509_STORE_CTX_get0_param(check);
        // The strength that TLS requires of a server's certificate: 112 bits.
        X509_VERIFY_PARAM_set_auth_level(rules, 2);
        X509_VERIFY_PARAM_set_depth(rules, 8);
        ok = X509_verify_cert(check) == 1;
    }
    X509_STORE_CTX_free(check);
    sk_X509_pop_free(chain, X509_free);
    X509_free(own);
    ERR_clear_error();
    return ok;
}

int latch_tls_is_http2(void *session) {
    const unsigned char *chosen;
    unsigned int count;
    SSL_get0_alpn_selected(session, &chosen, &count);
    return count == 2 && memcmp(chosen, "h2", 2) == 0;
}

int latch_tls_has_requested_certificate(void *session) { return (SSL_get_verify_mode(session) & SSL_VERIFY_PEER) != 0; }

ptrdiff_t latch_tls_read(void *session, void *bytes, size_t count) {
    ERR_clear_error();
    return result(session, SSL_read(session, bytes, count > INT_MAX ? INT_MAX : (int)count));
}

ptrdiff_t latch_tls_write(void *session, const void *bytes, size_t count) {
    ERR_clear_error();
    return result(session, SSL_write(session, bytes, count > INT_MAX ? INT_MAX : (int)count));
}
