// SPDX-License-Identifier: Apache-2.0

/// A phone number with its country code: `+` and 7 to 15 digits (ITU-T E.164 §6.2.1), such as `+4930123456`.
package struct PhoneNumber: Sendable, Hashable {
    package let text: String

    package init(text: String) { self.text = text }

    /// Parses a number as it was typed; spaces, hyphens, dots, slashes and brackets are ignored.
    ///
    /// - Throws: `IdentityError.invalidPhone`.
    package init(_ typed: String) throws(IdentityError) {
        guard typed.utf8.count <= 64 else { throw .invalidPhone }
        let text = String(
            decoding: typed.trimmingSpace().utf8.filter { !" -./()".utf8.contains($0) }, as: UTF8.self)
        guard text.utf8.first == UInt8(ascii: "+"), (8...16).contains(text.utf8.count),
            text.utf8.dropFirst().allSatisfy({ (0x30...0x39).contains($0) }),
            text.utf8.dropFirst().first != UInt8(ascii: "0")
        else { throw .invalidPhone }
        self.text = text
    }
}
