// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchCrypto
import LatchFoundation

/// A key outside the store that encrypts the server's keys and secrets in the store (AES-256-GCM).
package struct StoreKey: Sendable {
    /// The identifier in sealed rows, derived from the key without revealing it.
    package let id: String
    /// The key that encrypts rows, derived for this purpose.
    private let key: SymmetricKey

    /// Parses 64 hexadecimal digits.
    ///
    /// - Throws: `IdentityError.invalidSetting`.
    package init(_ text: String) throws(IdentityError) {
        guard let bytes = Hex.decode(text, count: 32) else { throw .invalidSetting("store_key", Self.expected) }
        let root = SymmetricKey(data: bytes)
        key = root.derived(for: "latch store row")
        id = Hex.encode(root.derived(for: "latch store key id").withUnsafeBytes { Array($0.prefix(8)) })
    }

    /// The expected text, for error messages.
    package static let expected = "64 hexadecimal digits, as 'openssl rand -hex 32' prints them"

    /// Encrypts the content of a row, bound to the row, so that it cannot be moved to another row.
    ///
    /// - Throws: `IdentityError.encryptionFailed`.
    package func seal(_ content: [UInt8], of row: String) throws(IdentityError) -> [UInt8] {
        let box = try? AES.GCM.seal(content, using: key, authenticating: Array(row.utf8))
        guard let bytes = box?.combined else { throw .encryptionFailed }
        return Array(bytes)
    }

    /// Decrypts a row's content.
    ///
    /// - Throws: `IdentityError.corruptStore` if the content was manipulated or belongs to another row;
    ///   `.encryptionFailed`.
    package func open(_ sealed: [UInt8], of row: String) throws(IdentityError) -> [UInt8] {
        do {
            let box = try AES.GCM.SealedBox(combined: sealed)
            return Array(try AES.GCM.open(box, using: key, authenticating: Array(row.utf8)))
        } catch CryptoError.engineFailure {
            throw .encryptionFailed
        } catch {
            throw .corruptStore("a key cannot be decrypted")
        }
    }
}

extension StoreKey: Redacting {}
