// SPDX-License-Identifier: Apache-2.0
#include "CLatchCryptoShim.h"

#if defined(__linux__)
#include <openssl/crypto.h>

// OpenSSL frees its tables when a program ends. Threads of Swift's pool may still encrypt then, and the program would
// crash after all its work. Without the cleanup the kernel frees the tables. The first call decides
// (OPENSSL_init_crypto(3)), so it comes before main.
__attribute__((constructor)) static void leave_tables_at_exit(void) {
    OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL);
}
#endif
