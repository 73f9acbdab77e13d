// SPDX-License-Identifier: Apache-2.0

internal import LatchCrypto
internal import LatchFoundation
internal import LatchJOSE

/// A signing secret of a credential: wiped when released, compared in constant time, encoded as base64url.
struct StoredSecret: Sendable, Equatable, Codable {
    let key: SymmetricKey

    init(_ bytes: some Collection<UInt8>) { key = SymmetricKey(data: Array(bytes)) }

    init(from decoder: any Decoder) throws {
        self.init(try Base64URL.decode(try decoder.singleValueContainer().decode(String.self)))
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(key.withUnsafeBytes { Base64URL.encode(Array($0)) })
    }

    /// Returns the HMAC-SHA-256 of a message.
    func authenticationCode(for message: String) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: Array(message.utf8), using: key))
    }
}
