// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
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

    /// The label of the item in the keyring's list.
    var label: String { "\(service): \(name)" }

    /// Escapes control characters and `%` in an attribute, since the C interface ends it at the first zero byte.
    static func attribute(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 < 0x20 || $0 == 0x25 || $0 == 0x7F }) else { return text }
        let bytes = text.utf8.flatMap { byte -> [UInt8] in
            guard byte < 0x20 || byte == 0x25 || byte == 0x7F else { return [byte] }
            return [0x25] + Array((byte < 16 ? "0" : "").utf8) + Array(String(byte, radix: 16).utf8)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns the name of an attribute; an unescaped text stands for itself.
    static func name(in attribute: String) -> String {
        var bytes: [UInt8] = []
        var rest = Array(attribute.utf8)[...]
        while let byte = rest.popFirst() {
            let digits = String(decoding: rest.prefix(2), as: UTF8.self)
            if byte == 0x25, digits.utf8.count == 2, let escaped = UInt8(digits, radix: 16) {
                rest = rest.dropFirst(2)
                bytes.append(escaped)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
#endif
