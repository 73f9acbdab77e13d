// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
/// By what an item of the Secret Service is found again.
struct SecretServiceKey: Sendable {
    /// What kind of item it is, in the words of the service (`xdg:schema`).
    enum Schema: String {
        case secret = "org.latchwork.Secret"
        /// Damaged items, which are no secrets any more and are not listed among them.
        case setAside = "org.latchwork.SetAside"
    }

    let schema: Schema
    let service: String
    let name: String

    /// What a person reads in the list of the keyring.
    var label: String { "\(service): \(name)" }

    /// A text as an attribute: the interface ends it at the first zero byte, so control characters and `%` are escaped.
    static func attribute(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 < 0x20 || $0 == 0x25 || $0 == 0x7F }) else { return text }
        let bytes = text.utf8.flatMap { byte -> [UInt8] in
            guard byte < 0x20 || byte == 0x25 || byte == 0x7F else { return [byte] }
            return [0x25] + Array((byte < 16 ? "0" : "").utf8) + Array(String(byte, radix: 16).utf8)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The name that an attribute stands for; what nobody escaped stands for itself.
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
