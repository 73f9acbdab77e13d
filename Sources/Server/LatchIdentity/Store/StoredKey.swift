// SPDX-License-Identifier: Apache-2.0

package import PortableFoundation

/// A signing key as the store keeps it; it prints as its id alone.
package struct StoredKey: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    package let id: String
    /// The private JWK (RFC 7517), as JSON.
    package let privateJWK: [UInt8]
    package let createdAt: Date

    /// A key under its name, which is the `kid` of what it signs (RFC 7515 §4.1.4).
    package init(id: String, privateJWK: [UInt8], createdAt: Date) {
        self.id = id
        self.privateJWK = privateJWK
        self.createdAt = createdAt
    }

    package var description: String { "StoredKey(\(id))" }
    package var customMirror: Mirror { Mirror(self, children: ["id": id]) }
}
