// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
internal import COpenSSL

/// Bytes that are overwritten before their memory is given back.
final class SecretBytes: Sendable {
    // Written once, in the initialiser, before anyone else can see it.
    nonisolated(unsafe) private let bytes: UnsafeMutableRawBufferPointer

    var count: Int { bytes.count }

    init(_ content: some Collection<UInt8>) {
        bytes = .allocate(byteCount: content.count, alignment: 1)
        bytes.copyBytes(from: content)
    }

    deinit {
        // OPENSSL_cleanse is the wipe that no optimiser removes.
        OPENSSL_cleanse(bytes.baseAddress, bytes.count)
        bytes.deallocate()
    }

    func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try body(UnsafeRawBufferPointer(bytes))
    }
}
#endif
