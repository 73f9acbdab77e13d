// SPDX-License-Identifier: Apache-2.0

package import PortableFoundation

/// The storage of the server's own keys and secrets.
package protocol KeyStore: Sendable {
    /// Returns the signing keys, the newest first.
    func signingKeys() async throws(IdentityError) -> [StoredKey]

    /// Returns the signing keys, the newest first; the proposal becomes the first key of an empty store.
    ///
    /// When several nodes start on an empty store, exactly one creates the key, and all of them sign with it.
    func signingKeys(proposing key: StoredKey) async throws(IdentityError) -> [StoredKey]

    /// Returns the secret of that name; the proposal becomes the secret if there is none.
    func secret(named name: String, proposing: [UInt8]) async throws(IdentityError) -> [UInt8]
}

/// A stored signing key; its description is the id alone.
package struct StoredKey: Sendable, Hashable, Redacted {
    /// The `kid` of signatures by this key (RFC 7515 §4.1.4).
    package let id: String
    /// The private JWK (RFC 7517), as JSON.
    package let privateJWK: [UInt8]
    package let createdAt: Date

    package var description: String { "StoredKey(\(id))" }
}
