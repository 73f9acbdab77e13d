// SPDX-License-Identifier: Apache-2.0

import LatchIdentityStorage

/// An app on Android and the certificate that signs it.
package struct AndroidApp {
    /// The name of the package, such as `com.example.notes`.
    package let package: String
    /// The SHA-256 fingerprint of the certificate: 32 bytes in hexadecimal, in capitals and with colons.
    package let fingerprint: String

    /// Parses `com.example.notes=AB:CD:…`; nil for any other text.
    package init?(_ text: String) {
        let parts = text.utf8.split(separator: 0x3D, omittingEmptySubsequences: false).map { String(Substring($0)) }
        guard parts.count == 2, parts[0].isWord(maximum: 255, also: "._") else { return nil }
        let bytes = parts[1].utf8.split(separator: 0x3A, omittingEmptySubsequences: false)
        let isHex = { (byte: UInt8) in (0x30...0x39).contains(byte) || (0x41...0x46).contains(byte & 0xDF) }
        guard bytes.count == 32, bytes.allSatisfy({ $0.count == 2 && $0.allSatisfy(isHex) }) else { return nil }
        package = parts[0]
        fingerprint = String(decoding: parts[1].utf8.map { $0 >= 0x61 ? $0 & 0xDF : $0 }, as: UTF8.self)
    }
}
