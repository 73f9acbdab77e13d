// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
internal import CLatchOpenSSL

/// The secret bytes of a symmetric key, wiped from memory with the last copy of the value.
///
/// It compares in constant time and prints redacted.
public struct SymmetricKey: Sendable, Equatable {
    private let secret: SecretBytes

    /// Creates a key from bytes.
    ///
    /// They are copied; the caller wipes the original.
    public init(data: some Collection<UInt8>) { secret = SecretBytes(data) }

    /// Creates a random key.
    public init(size: SymmetricKeySize) {
        var bytes = SecureRandom.bytes(size.bitCount / 8)
        defer { wipe(&bytes) }
        secret = SecretBytes(bytes)
    }

    /// The size of the key in bits.
    public var bitCount: Int { secret.count * 8 }

    /// Calls `body` with the bytes.
    ///
    /// The pointer is only valid until `body` returns.
    public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try secret.withUnsafeBytes(body)
    }

    /// Compares in constant time.
    public static func == (left: SymmetricKey, right: SymmetricKey) -> Bool {
        left.secret.withUnsafeBytes { left in
            right.secret.withUnsafeBytes { right in constantTimeEquals(left, right) }
        }
    }
}

/// The length of a new random key.
public struct SymmetricKeySize: Sendable, Hashable {
    /// The size in bits.
    public let bitCount: Int

    /// Creates a size in bits, rounded down to whole bytes.
    public init(bitCount: Int) { self.bitCount = max(bitCount, 0) }

    /// A key of 16 bytes, for AES-128.
    public static let bits128 = SymmetricKeySize(bitCount: 128)

    /// A key of 24 bytes, for AES-192.
    public static let bits192 = SymmetricKeySize(bitCount: 192)

    /// A key of 32 bytes, for AES-256.
    public static let bits256 = SymmetricKeySize(bitCount: 256)
}

extension SymmetricKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The size; the key is redacted.
    public var description: String { "SymmetricKey(\(bitCount) bits, redacted)" }

    /// The size; the key is redacted.
    public var debugDescription: String { description }

    /// A mirror without children, so that `dump` shows nothing of the key.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// Bytes that are overwritten before their memory is freed.
///
/// They are allocated outside of any array. An array is copied when it grows or changes, and the old copy would not be
/// wiped. The memory is not locked, so it may be swapped out.
final class SecretBytes: Sendable {
    // Written once, in the initializer, before the object is shared.
    nonisolated(unsafe) private let bytes: UnsafeMutableRawBufferPointer

    /// The number of bytes, which is not secret.
    var count: Int { bytes.count }

    /// Copies bytes to separately allocated memory.
    ///
    /// The caller wipes the original.
    init(_ content: some Collection<UInt8>) {
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: content.count, alignment: 1)
        let copied: Void? = content.withContiguousStorageIfAvailable {
            bytes.copyMemory(from: UnsafeRawBufferPointer($0))
        }
        if copied == nil { bytes.copyBytes(from: content) }
        self.bytes = bytes
    }

    deinit {
        // OPENSSL_cleanse is a wipe that no optimizer removes.
        OPENSSL_cleanse(bytes.baseAddress, bytes.count)
        bytes.deallocate()
    }

    /// Calls `body` with the bytes, which are valid until it returns; several threads can read them concurrently.
    func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try body(UnsafeRawBufferPointer(bytes))
    }
}
#endif
