// SPDX-License-Identifier: Apache-2.0

import LatchCore
public import LatchFoundation
import LatchHTTP

/// A link in an email that opens the app.
///
/// Its token is a secret: descriptions omit it, and the screen removes it when a request takes it.
public struct ScreenLink: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The purpose of a link, by the last part of its path.
    public enum Purpose: String, Hashable, Sendable, CaseIterable {
        /// The verification of an address.
        case verifyEmail = "verify"
        /// The choice of a new password.
        case resetPassword = "reset"
    }

    /// The screen that the link belongs to.
    public let purpose: Purpose
    /// The secret in the link, which a server accepts once.
    public let token: String

    /// Creates a link.
    public init(_ purpose: Purpose, token: String) {
        self.purpose = purpose
        self.token = token
    }

    /// Creates the link from a URL directly below one of the app's base URLs; nil for any other URL.
    ///
    /// Other apps and web pages can open the app with any URL of its scheme. Other universal links of the app may have
    /// the same last path component.
    ///
    /// - Parameters:
    ///   - url: The URL that has opened the app, such as `https://id.example.com/verify?token=…` or
    ///     `notes://verify?token=…`.
    ///   - bases: The base URLs of the links, such as `https://id.example.com` or `notes://`.
    public init?(_ url: URL, below bases: [URL]) {
        self.init(url)
        let target = Self.target(url)
        guard bases.contains(where: { Self.target($0) + [purpose.rawValue] == target }) else { return nil }
    }

    /// Returns the parts of a URL that identify its target: scheme, authority and path components.
    private static func target(_ url: URL) -> [String] {
        let path = parts(of: url.absoluteString).path
        let scheme = String(path.unicodeScalars.prefix { $0 != ":" }).lowercasedASCII()
        let rest = path.utf8.dropFirst(scheme.utf8.count + 1)
        let components = rest.split(separator: UInt8(ascii: "/")).compactMap { String($0) }
        guard scheme == "https" || scheme == "http" else { return [scheme] + components }
        // A web URL without an origin is not valid.
        guard let origin = HTTPOrigin(url) else { return [] }
        return [origin.description] + components.dropFirst()
    }

    /// Creates the link from a URL of any origin, such as a pasted one; nil without a purpose and a token.
    package init?(_ url: URL) {
        let (path, query) = Self.parts(of: url.absoluteString)
        // `myapp://reset?token=…` has the purpose in place of a host.
        let last = path.utf8.split(separator: UInt8(ascii: "/")).last.flatMap { String($0) }
        guard let purpose = last.flatMap(Purpose.init(rawValue:)) else { return nil }
        let items = query.utf8.split(separator: UInt8(ascii: "&")).compactMap { String($0) }
        let prefix = "token="
        guard let item = items.first(where: { $0.utf8.starts(with: prefix.utf8) }) else { return nil }
        let token = String(item.unicodeScalars.dropFirst(prefix.unicodeScalars.count))
        // Tokens are base64url, and nothing in them is escaped.
        let isToken = token.utf8.allSatisfy { $0.isBase64URL }
        guard !token.isEmpty, isToken else { return nil }
        self.init(purpose, token: token)
    }

    private static func parts(of url: String) -> (path: String, query: String) {
        let text = url.unicodeScalars.prefix { $0 != "#" }
        let path = text.prefix { $0 != "?" }
        return (String(path), String(text.dropFirst(path.count + 1)))
    }

    /// The purpose, with the token redacted.
    public var description: String { "\(purpose.rawValue) <redacted>" }
    /// A mirror with only the purpose.
    public var customMirror: Mirror { Mirror(self, children: ["purpose": purpose]) }
}

extension UInt8 {
    /// Whether the byte is a letter, a digit, or one of the other characters of tokens.
    fileprivate var isBase64URL: Bool {
        switch self {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."): true
        default: false
        }
    }
}
