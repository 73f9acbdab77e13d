// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
internal import CLatchOpenSSL

/// Contexts of one key, prepared for one operation and kept for the next caller.
///
/// Preparing a context costs as much as an RSA verification, so it is done once for each concurrent thread.
final class EVPContextPool: Sendable {
    /// The operation that the contexts are prepared for; one context cannot do both.
    enum Operation: Sendable { case sign, verify }

    /// A prepared context, which a failed operation does not change.
    private final class Context: @unchecked Sendable {
        let pointer: OpaquePointer

        init(owning pointer: OpaquePointer) { self.pointer = pointer }

        deinit { EVP_PKEY_CTX_free(pointer) }
    }

    private let key: EVPKey
    private let operation: Operation
    /// Sets padding and digest of a new context; false means that OpenSSL rejected them.
    private let configure: @Sendable (OpaquePointer) -> Bool
    private let idle = IdlePool<Context>()

    /// Creates a pool; the first caller creates the first context.
    init(
        _ key: EVPKey, for operation: Operation,
        configure: @escaping @Sendable (OpaquePointer) -> Bool = { _ in true }
    ) {
        self.key = key
        self.operation = operation
        self.configure = configure
    }

    /// Returns whether the signature is valid for the digest; false after any failure.
    func verifies(_ signature: UnsafeBufferPointer<UInt8>, digest: UnsafeMutableBufferPointer<UInt8>) -> Bool {
        let answer = idle.withElement(newContext) { context in
            EVP_PKEY_verify(
                context.pointer, signature.baseAddress, signature.count, digest.baseAddress, digest.count)
        }
        // 0 is a wrong signature, a negative number a malformed one; either leaves an error in this thread's queue.
        if answer != 1 { ERR_clear_error() }
        return answer == 1
    }

    /// Signs a digest; the signature has at most `capacity` bytes.
    func signature(of digest: UnsafeMutableBufferPointer<UInt8>, capacity: Int) throws(CryptoError) -> [UInt8] {
        var count = capacity
        var bytes = [UInt8](repeating: 0, count: capacity)
        let answer = idle.withElement(newContext) { context in
            EVP_PKEY_sign(context.pointer, &bytes, &count, digest.baseAddress, digest.count)
        }
        guard answer == 1, count <= capacity else { throw .openSSL("signing") }
        bytes.removeLast(capacity - count)
        return bytes
    }

    private func newContext() -> Context? {
        guard let pointer = EVP_PKEY_CTX_new_from_pkey(nil, key.pointer, nil) else { return nil }
        let context = Context(owning: pointer)
        let started = operation == .sign ? EVP_PKEY_sign_init(pointer) : EVP_PKEY_verify_init(pointer)
        return started == 1 && configure(pointer) ? context : nil
    }
}
#endif
