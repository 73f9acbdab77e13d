// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchCrypto

/// The SHA-256 digest of a file, which shows whether the file was edited after its generation.
struct FileDigest: Sendable, Hashable {
    /// The digest in hexadecimal digits.
    let text: String

    init(text: String) { self.text = text }

    /// Computes the digest of a text in UTF-8.
    init(of text: String) { self.init(of: Array(text.utf8)) }

    init(of bytes: [UInt8]) { text = Hex.encode(SHA256.hash(data: bytes)) }
}
