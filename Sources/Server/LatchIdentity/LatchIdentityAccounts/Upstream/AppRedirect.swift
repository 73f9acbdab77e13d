// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
import LatchIdentityStorage

/// The check of an app's URL that the browser returns to after a sign-in: a deep link or a page of a web app.
///
/// Requests name the URL, and only URLs in the configuration are used. They must be equal in all characters (RFC 9700
/// §2.1).
package enum AppRedirect {
    /// The schemes that a browser runs or shows itself.
    private static let forbidden: Set<String> = [
        "javascript", "data", "vbscript", "file", "blob", "about", "filesystem", "view-source", "ws", "wss", "ftp",
    ]

    /// Returns whether a text is a URL that may be configured.
    ///
    /// It is https, or http on this machine (RFC 8252 §7.3), with an optional query (RFC 6749 §3.1.2). Or it has an
    /// app's custom scheme, like `com.example.app:/callback` (RFC 8252 §7.1) and `app://callback`. It has no fragment.
    package static func isValid(_ text: String) -> Bool {
        guard text.utf8.count <= 500, let separator = text.utf8.firstRange(of: ":/".utf8) else { return false }
        let scheme = String(text[..<separator.lowerBound])
        guard let first = scheme.utf8.first, (0x61...0x7A).contains(first), scheme.isWord(maximum: 60, also: "+-."),
            scheme == scheme.lowercasedASCII(), !forbidden.contains(scheme)
        else { return false }
        guard scheme != "https" else { return isLink(text) }
        guard scheme != "http" else { return isLink(text) && isLoopback(text) }
        var rest = text[separator.upperBound...].utf8
        if rest.first == UInt8(ascii: "/") { rest = rest.dropFirst() }
        let escaped = Array("\"<>\\^`{|}?#@;,".utf8)
        return !rest.isEmpty && rest.allSatisfy { (0x21...0x7E).contains($0) && !escaped.contains($0) }
    }

    /// Whether a text is a URL of a web page without the separators of a list in the configuration.
    private static func isLink(_ text: String) -> Bool {
        guard PublicURL.isLink(text), !text.utf8.contains(where: { "#,;\\^`{|}".utf8.contains($0) }) else {
            return false
        }
        guard let start = text.utf8.firstIndex(of: UInt8(ascii: "?")) else { return true }
        // A parameter of the response would then occur twice.
        let names = text[start...].utf8.dropFirst().split(separator: UInt8(ascii: "&")).map { pair in
            String(Substring(pair.prefix { $0 != UInt8(ascii: "=") }))
        }
        return !names.contains { ["code", "state", "iss", "response", "id_token", "access_token"].contains($0) }
            && !names.contains { $0.utf8.starts(with: "error".utf8) }
    }

    static func isLoopback(_ text: String) -> Bool {
        do { return try HTTPOrigin.split(text).origin.isLoopback } catch { return false }
    }

    /// Whether a browser can post a form to the URL: it is https, or http on this machine.
    package static func takesForms(_ target: String) -> Bool {
        isSecure(target) || target.utf8.starts(with: "http://".utf8)
    }

    /// Whether no other app of the device can receive the URL.
    ///
    /// The host claims https (RFC 8252 §7.2). The first program to register a custom scheme, or to open a port of this
    /// machine, can claim it, also by https with a certificate that this machine trusts. So the user must see which
    /// client asks (§8.6).
    package static func isClaimed(_ target: String) -> Bool { isSecure(target) && !isLoopback(target) }

    /// Whether a text is an https URL, perhaps of this machine.
    package static func isSecure(_ target: String) -> Bool { target.utf8.starts(with: "https://".utf8) }

    /// Returns the part of a URL that its receiver is recognized by, such as `https://app.example.com`.
    ///
    /// It has no port of this machine, which the system chooses. A custom scheme is the whole origin.
    package static func origin(_ target: String) -> String {
        let scheme = String(target.unicodeScalars.prefix { $0 != ":" })
        guard takesForms(target) else { return "\(scheme):" }
        let authority = target.utf8.dropFirst(scheme.utf8.count + 3).prefix { !"/?".utf8.contains($0) }
        let host = isClaimed(target) ? authority : Self.host(authority)
        return "\(scheme)://\(String(Substring(host)))"
    }

    private static func host(_ authority: Substring.UTF8View) -> Substring.UTF8View {
        guard let bracket = authority.lastIndex(of: UInt8(ascii: "]")) else {
            return authority.prefix { $0 != UInt8(ascii: ":") }
        }
        return authority[...bracket]
    }

    /// Returns the URL with the parameters of a response after its own (RFC 6749 §3.1.2).
    package static func url(_ target: String, _ parameters: [(String, String)]) -> String {
        let separator =
            !target.utf8.contains(UInt8(ascii: "?")) ? "?" : target.utf8.last == UInt8(ascii: "?") ? "" : "&"
        return target + separator + FormEncoding.encode(parameters)
    }
}
