// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
internal import COpenSSL
internal import LatchCore
import Synchronization

/// Contexts of one key, prepared for one operation and kept for the next caller.
///
/// Preparing a context costs as much as an RSA verification, so it is done once for each thread that works at the same
/// time. A context serves one caller at a time; the lock guards the list, and not the arithmetic.
final class EVPContextPool: Sendable {
    /// The operation that the contexts are prepared for; one context cannot do both.
    enum Operation: Sendable { case sign, verify }

    // Whoever took a context from the list is alone with it, which is what makes handing it over safe.
    /// An idle context, on its way between threads.
    private struct Idle: @unchecked Sendable { let context: OpaquePointer }

    /// The maximum number of idle contexts, of some hundred bytes each; further ones are freed.
    private static let mostKept = 64

    private let key: EVPKey
    private let operation: Operation
    /// Sets padding and digest on a fresh context, once; false means that OpenSSL refused.
    private let configure: @Sendable (OpaquePointer) -> Bool
    private let idle = Mutex<[Idle]>([])

    /// Prepares nothing yet: the first caller makes the first context.
    init(
        _ key: EVPKey, for operation: Operation,
        configure: @escaping @Sendable (OpaquePointer) -> Bool = { _ in true }
    ) {
        self.key = key
        self.operation = operation
        self.configure = configure
    }

    deinit { idle.withLock { for one in $0 { EVP_PKEY_CTX_free(one.context) } } }

    /// Whether the signature is one of the digest; anything but OpenSSL's clear yes is a no.
    func verifies(_ signature: UnsafeBufferPointer<UInt8>, digest: UnsafeMutableBufferPointer<UInt8>) -> Bool {
        guard let context = take() else { return false }
        let answer = EVP_PKEY_verify(
            context, signature.baseAddress, signature.count, digest.baseAddress, digest.count)
        // 0 is a wrong signature, less is a malformed one; either leaves a note in this thread's queue.
        if answer != 1 { ERR_clear_error() }
        give(context)
        return answer == 1
    }

    /// Signs a digest; the signature has at most `capacity` bytes.
    func signature(of digest: UnsafeMutableBufferPointer<UInt8>, capacity: Int) throws(CryptoError) -> [UInt8] {
        guard let context = take() else { throw .openSSL("preparing a signature") }
        defer { give(context) }
        var count = capacity
        var bytes = [UInt8](repeating: 0, count: capacity)
        guard EVP_PKEY_sign(context, &bytes, &count, digest.baseAddress, digest.count) == 1, count <= capacity
        else {
            throw .openSSL("signing")
        }
        bytes.removeLast(capacity - count)
        return bytes
    }

    /// Returns a context for the exclusive use of the caller, until it returns it; nil if OpenSSL cannot prepare one.
    private func take() -> OpaquePointer? {
        if let one = idle.withLock({ $0.popLast() }) { return one.context }
        guard let context = EVP_PKEY_CTX_new_from_pkey(nil, key.pointer, nil) else { return nil }
        let started = operation == .sign ? EVP_PKEY_sign_init(context) : EVP_PKEY_verify_init(context)
        guard started == 1, configure(context) else {
            EVP_PKEY_CTX_free(context)
            ERR_clear_error()
            return nil
        }
        return context
    }

    /// Takes a context back, or frees it where enough are kept.
    ///
    /// A context whose operation failed is as good as any: EVP_PKEY_verify and EVP_PKEY_sign keep nothing of a call.
    private func give(_ context: OpaquePointer) {
        let one = Idle(context: context)
        let isKept = idle.withLock { kept in
            guard kept.count < Self.mostKept else { return false }
            kept.append(one)
            return true
        }
        if !isKept { EVP_PKEY_CTX_free(context) }
    }
}
#endif
