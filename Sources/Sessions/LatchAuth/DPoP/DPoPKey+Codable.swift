// SPDX-License-Identifier: Apache-2.0

internal import LatchCore
internal import LatchJOSE

extension DPoPKey: Codable {
    /// Writes the key with its secret as a JSON Web Key, for a store that keeps secrets.
    public func encode(to encoder: any Encoder) throws {
        try JSONValue.object(jwkWithSecretsForStorage()).encode(to: encoder)
    }

    /// Reads what ``encode(to:)`` wrote; the clock is the system's then.
    ///
    /// - Throws: `AuthError.invalidCredential` where it is no key for proofs.
    public init(from decoder: any Decoder) throws {
        let jwk = try JSONValue(from: decoder).objectValue ?? [:]
        let key: Key
        do { key = try Key(jwk: jwk) } catch { throw AuthError.invalidCredential("its key cannot be read") }
        try self.init(key)
    }
}

extension DPoPKey: Hashable {
    /// Whether both are the same key: a public half has one private half.
    public static func == (one: DPoPKey, other: DPoPKey) -> Bool { one.thumbprint == other.thumbprint }

    /// By the thumbprint.
    public func hash(into hasher: inout Hasher) { hasher.combine(thumbprint) }
}

extension DPoPKey: Redacting {
    /// The algorithm and the thumbprint, which is public.
    public var description: String { "DPoPKey(\(algorithm), \(thumbprint), redacted)" }
}
