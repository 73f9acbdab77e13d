// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
internal import COpenSSL

/// Bytes that are overwritten before their memory is given back.
///
/// They are allocated outside of any array, because an array is copied when it grows or is changed, and such copies
/// would not be wiped. The memory is not locked: it may be swapped out.
final class SecretBytes: Sendable {
    // Written once, in the initialiser, before anyone else can see it.
    nonisolated(unsafe) private let bytes: UnsafeMutableRawBufferPointer

    /// How many bytes there are, which is no secret.
    var count: Int { bytes.count }

    /// Copies bytes to memory of its own.
    ///
    /// The original is the caller's to wipe.
    init(_ content: some Collection<UInt8>) {
        bytes = .allocate(byteCount: content.count, alignment: 1)
        bytes.copyBytes(from: content)
    }

    deinit {
        // OPENSSL_cleanse is the wipe that no optimiser removes.
        OPENSSL_cleanse(bytes.baseAddress, bytes.count)
        bytes.deallocate()
    }

    /// Lends the bytes, which are valid until `body` returns and may be read by several threads at once.
    func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try body(UnsafeRawBufferPointer(bytes))
    }
}
#endif
