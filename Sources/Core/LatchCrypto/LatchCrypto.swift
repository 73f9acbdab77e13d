// SPDX-License-Identifier: Apache-2.0

// LatchCrypto: digests, authentication codes, signatures, encryption, key derivation, password hashing, random bytes.
//
// For: one set of names, CryptoKit's, on every platform. On Apple's they are CryptoKit's own types; on Linux the types
// here stand on OpenSSL 3 and libargon2, and this is the only module that imports those. Bytes go in as `[UInt8]`, which
// both sides accept, and what comes out converts to `[UInt8]` by `Array(_:)`.
// Must not know: tokens, JSON, HTTP, files. It chooses no algorithm for anyone: LatchJOSE and LatchIdentity do.
//
// Nothing here traps. What cannot fail (digests, HMAC, HKDF, random) does not throw, which is why SHA-2 runs on the
// functions of OpenSSL that keep their state in our memory; everything else checks each return code and throws CryptoError.
// Keys own their EVP_PKEY, wipe their bytes when they go, print redacted, and keep prepared contexts so that a
// verification costs no more than its arithmetic.
