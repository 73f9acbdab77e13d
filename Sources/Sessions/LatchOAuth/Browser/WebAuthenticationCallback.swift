// SPDX-License-Identifier: Apache-2.0

import LatchCore
public import LatchFoundation

/// The kind of URL by which a page of the system returns to an app (RFC 8252 §7.1 and §7.2).
public enum WebAuthenticationCallback: Sendable, Hashable {
    /// A URL with a scheme of the app, such as `com.example.notes`.
    case customScheme(String)
    /// An https URL of a domain that is associated with the app; no other app can receive it.
    case https(host: String, path: String)

    /// Creates the callback of a redirect URI.
    ///
    /// - Throws: `OAuthError.browserUnavailable` if no app can receive such a URL: plain http, a script, or an https
    ///   URL without a host or with a port.
    public init(_ redirectURI: URL) throws(OAuthError) {
        let scheme = redirectURI.scheme?.lowercasedASCII() ?? ""
        guard scheme == "https" else {
            guard !scheme.isEmpty, !Self.foreign.contains(scheme) else {
                throw .browserUnavailable(
                    "an app cannot receive its redirect URI; use the app's custom scheme, or https")
            }
            self = .customScheme(scheme)
            return
        }
        guard let host = redirectURI.host(percentEncoded: false), !host.isEmpty, redirectURI.port == nil else {
            throw .browserUnavailable("its redirect URI names no domain that an app can be associated with")
        }
        let path = redirectURI.path(percentEncoded: false)
        self = .https(host: host, path: path.isEmpty ? "/" : path)
    }

    /// The schemes that belong to the system or to all pages.
    private static let foreign: Set<String> = [
        "http", "ws", "wss", "ftp", "file", "data", "javascript", "about", "blob", "mailto", "tel", "sms",
    ]
}

extension URL {
    /// Whether a callback was sent to a redirect URI: it has the same scheme, host and path, and no additional part.
    ///
    /// Scheme and host are compared without case (RFC 3986 §6.2.2.1), the path byte by byte. After an authority, an
    /// empty path equals `/` (§6.2.3), which browsers and systems write.
    package func isCallback(to redirectURI: URL) -> Bool {
        CallbackTarget(self) == CallbackTarget(redirectURI)
    }
}

/// A URL up to its query.
private struct CallbackTarget: Equatable {
    let place: [UInt8]
    let path: [UInt8]

    init(_ url: URL) {
        let bytes = Array(url.absoluteString.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") })
        let slash = UInt8(ascii: "/")
        let afterScheme = (bytes.firstIndex(of: UInt8(ascii: ":")) ?? -1) + 1
        let hasAuthority = bytes[afterScheme...].starts(with: [slash, slash])
        let start = hasAuthority ? afterScheme + 2 : afterScheme
        let end = hasAuthority ? bytes[start...].firstIndex(of: slash) ?? bytes.endIndex : start
        place = bytes[..<end].map(asciiLowercased)
        path = hasAuthority && end == bytes.endIndex ? [slash] : Array(bytes[end...])
    }
}
