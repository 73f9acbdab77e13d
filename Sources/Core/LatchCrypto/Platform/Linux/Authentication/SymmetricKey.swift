// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
/// The secret bytes of a symmetric key, wiped from memory when the last copy of the value goes.
///
/// It compares in constant time and prints redacted.
public struct SymmetricKey: Sendable, Equatable {
    private let secret: SecretBytes

    /// A key of these bytes.
    ///
    /// They are copied; wiping the original is up to the caller.
    public init(data: some Collection<UInt8>) { secret = SecretBytes(data) }

    /// A fresh random key.
    public init(size: SymmetricKeySize) { secret = SecretBytes(SecureRandom.bytes(size.bitCount / 8)) }

    /// How many bits the key has.
    public var bitCount: Int { secret.count * 8 }

    /// Lends the bytes for the duration of `body`.
    ///
    /// A pointer that is kept longer points to wiped or foreign memory.
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

/// How large a symmetric key is.
public struct SymmetricKeySize: Sendable, Hashable {
    /// The size in bits.
    public let bitCount: Int

    /// A size in bits, rounded down to whole bytes.
    public init(bitCount: Int) { self.bitCount = max(bitCount, 0) }

    /// 128 bits.
    public static let bits128 = SymmetricKeySize(bitCount: 128)

    /// 192 bits.
    public static let bits192 = SymmetricKeySize(bitCount: 192)

    /// 256 bits.
    public static let bits256 = SymmetricKeySize(bitCount: 256)
}

extension SymmetricKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The size, and nothing of the key.
    public var description: String { "SymmetricKey(\(bitCount) bits, redacted)" }

    /// The size, and nothing of the key.
    public var debugDescription: String { description }

    /// A mirror without children, so that `dump` shows nothing of the key.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
#endif
