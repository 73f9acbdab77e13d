// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP

/// The check of a URL of an app that the browser returns to after a sign-in, a deep link or a page of a web app.
///
/// Requests name it, and only those that the configuration lists are used: the same characters, and no prefix (RFC 9700
/// §2.1).
enum AppRedirect {
    /// The schemes that a browser runs or shows itself.
    private static let forbidden: Set<String> = [
        "javascript", "data", "vbscript", "file", "blob", "about", "filesystem", "view-source", "ws", "wss", "ftp",
    ]

    /// Returns whether a text is a URL that may be configured: of a scheme of an app's own (RFC 8252 §7.1), https, or http
    /// on this machine (§7.3), without a query and a fragment.
    static func isValid(_ text: String) -> Bool {
        guard text.utf8.count <= 500, let separator = text.utf8.firstRange(of: "://".utf8) else { return false }
        let scheme = String(text[..<separator.lowerBound])
        guard let first = scheme.utf8.first, (0x61...0x7A).contains(first), scheme.isWord(maximum: 60, also: "+-."),
            scheme == scheme.lowercasedASCII(), !forbidden.contains(scheme)
        else { return false }
        guard scheme != "https" else { return PublicURL.isValid(text) }
        guard scheme != "http" else {
            return PublicURL.isValid(text) && isLoopback(text)
        }
        let rest = text[separator.upperBound...]
        let escaped = Array("\"<>\\^`{|}?#@;,".utf8)
        return !rest.isEmpty && rest.utf8.allSatisfy { (0x21...0x7E).contains($0) && !escaped.contains($0) }
    }

    private static func isLoopback(_ text: String) -> Bool {
        do { return try HTTPOrigin.split(text).origin.isLoopback } catch { return false }
    }

    /// Whether no other app of the device can take the URL: https is claimed by its host (RFC 8252 §7.2), and a scheme of an
    /// app's own, like a port of this machine, by whoever comes first (§8.6).
    static func isClaimed(_ target: String) -> Bool { target.utf8.starts(with: "https://".utf8) }

    /// Returns the URL with parameters of a response.
    static func url(_ target: String, _ parameters: [(String, String)]) -> String {
        "\(target)?\(FormEncoding.encode(parameters))"
    }

    /// Returns the source expression that lets a form of a page lead there (Content Security Policy Level 3 §2.3.1).
    static func source(_ target: String) -> String {
        guard !PublicURL.isValid(target) else {
            let parts = target.unicodeScalars.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
            return parts.prefix(3).map { String($0) }.joined(separator: "/")
        }
        return "\(String(target.unicodeScalars.prefix { $0 != ":" })):"
    }
}
