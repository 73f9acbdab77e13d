// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import LatchHTTP

/// The attributes that identify an item of the Secret Service.
struct SecretServiceKey: Sendable {
    /// The schema of an item (`xdg:schema`).
    enum Schema: String {
        case secret = "org.latchwork.Secret"
        /// The schema of damaged items, which are not listed among the secrets.
        case setAside = "org.latchwork.SetAside"
    }

    let schema: Schema
    let service: String
    let name: String

    /// Escapes control characters and `%` in an attribute, because the C interface ends it at the first zero byte.
    static func attribute(_ text: String) -> String {
        PercentEncoding.encode(text.utf8) { $0 >= 0x20 && $0 != 0x25 && $0 != 0x7F }
    }

    /// Returns the name in an attribute; an unescaped string is returned unchanged.
    static func name(in attribute: String) -> String {
        String(decoding: PercentEncoding.decode(attribute.utf8, plusIsSpace: false), as: UTF8.self)
    }
}
#endif
