// SPDX-License-Identifier: Apache-2.0

import LatchHTTP

/// A place in an HTML page that takes text.
///
/// The text is escaped byte by byte: a quotation mark with a combining accent is a single `Character`, and still ends
/// an attribute.
package enum HTMLContext {
    /// The content of an element (HTML §13.1.2).
    case text
    /// A value between double quotation marks (HTML §13.1.2.3).
    case attribute
    /// The value of an attribute that a browser follows, such as `action` and `href`.
    case url

    /// Returns HTML that stands for exactly this text in the context.
    ///
    /// A URL that is neither a path of this server nor http or https becomes `#`, which leads nowhere.
    package func escape(_ text: String) -> String {
        if self == .url, !Self.isFollowed(text.utf8) { return "#" }
        // Most texts stay as they are.
        guard text.utf8.contains(where: isChanged) else { return text }
        var result: [UInt8] = []
        for byte in text.utf8 { append(byte, to: &result) }
        return String(decoding: result, as: UTF8.self)
    }

    /// Whether a byte is not written as it is.
    private func isChanged(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "&"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""), UInt8(ascii: "'"), 0x00, 0x0D:
            true
        default: self == .url && (!(0x21...0x7E).contains(byte) || byte == UInt8(ascii: "\\"))
        }
    }

    private func append(_ byte: UInt8, to result: inout [UInt8]) {
        switch byte {
        case UInt8(ascii: "&"): result += "&amp;".utf8
        case UInt8(ascii: "<"): result += "&lt;".utf8
        case UInt8(ascii: ">"): result += "&gt;".utf8
        case UInt8(ascii: "\""): result += "&quot;".utf8
        case UInt8(ascii: "'"): result += "&#39;".utf8
        // RFC 3986 §2: bytes that a URL cannot contain, which browsers drop or change before they follow it.
        case _ where self == .url && (!(0x21...0x7E).contains(byte) || byte == UInt8(ascii: "\\")):
            result += PercentEncoding.encode([byte]).utf8
        // HTML §13.2.3.5 and §13.2.5: characters that parsers change.
        case 0x00: result += "\u{FFFD}".utf8
        case 0x0D: result += "&#13;".utf8
        default: result.append(byte)
        }
    }

    /// Returns whether a URL is a path of this server; `//host` would be another server.
    package static func isLocal(_ url: String) -> Bool {
        guard url.utf8.first == UInt8(ascii: "/") else { return false }
        // WHATWG URL §4.4: a browser treats a backslash as a slash, and drops tabs and line ends.
        return url.utf8.dropFirst().first.map { !"/\\\t\r\n".utf8.contains($0) } ?? true
    }

    /// Whether a URL is a path of this server or has a scheme of the web.
    private static func isFollowed(_ url: String.UTF8View) -> Bool {
        if url.first == UInt8(ascii: "/") { return isLocal(String(url)) }
        let scheme = url.prefix { $0 != UInt8(ascii: ":") }.map { $0 | 0x20 }
        return ["https", "http"].contains { scheme.elementsEqual($0.utf8) && url.dropFirst(scheme.count).first != nil }
    }
}
