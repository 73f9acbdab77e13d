// SPDX-License-Identifier: Apache-2.0

/// The name under which a storage keeps something.
public struct StorageKey: Hashable, Sendable, ExpressibleByStringLiteral {
    /// The name; it is no secret.
    public let value: String

    /// A key.
    public init(value: String) { self.value = value }

    /// A key from a literal.
    public init(stringLiteral value: String) { self.value = value }

    /// Where a `TokenStorage` keeps its token unless told otherwise.
    public static let token = StorageKey(value: "com.nevod.token")

    /// Where something that could not be read is set aside.
    var setAside: StorageKey { StorageKey(value: value + ".damaged") }
}
