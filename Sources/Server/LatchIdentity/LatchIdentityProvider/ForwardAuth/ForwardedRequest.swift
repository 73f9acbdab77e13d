// SPDX-License-Identifier: Apache-2.0

import LatchCore
package import LatchHTTP
import LatchIdentityAccounts
package import LatchIdentityStorage
package import LatchServer

/// A request to a protected application, as the fields of the proxy that has received it describe it.
///
/// Only the four fields `X-Forwarded-Method`, `-Proto`, `-Host` and `-Uri` are read. A proxy that sets these passes on
/// all other ones as the client has sent them.
package struct ForwardedRequest: Sendable {
    package let method: HTTPMethod
    /// The origin of the application in the spelling of browsers (RFC 6454 §6.2).
    package let origin: String
    /// The path and the query.
    package let target: String
    /// Whether a browser shows the response as a page, so that a redirect can lead to the sign-in.
    package let isNavigation: Bool
    /// Whether the user has opened the URL, or a page of the application has.
    package let isSameOrigin: Bool

    /// The greatest length of a target in bytes.
    private static let longestTarget = 8192

    /// Reads the fields of a request.
    ///
    /// - Throws: `IdentityError.untrustedProxy` for a request that no trusted proxy has sent; `.invalidInput` for a field
    ///   that is missing, occurs twice, or cannot be one of a proxy.
    package init(_ request: HTTPRequest) throws(IdentityError) {
        guard request.context[ProxyAddress.self] != nil else { throw .untrustedProxy }
        func value(_ name: String) throws(IdentityError) -> String {
            let values = request.fields.values(of: HTTPFieldName(name))
            guard values.count == 1, let value = values.first, !value.isEmpty else {
                throw .invalid(name, "must occur once")
            }
            return value
        }
        let method = try value("X-Forwarded-Method")
        guard method.isWord(maximum: 30, also: "-") else { throw .invalid("X-Forwarded-Method", "is not a method") }
        let scheme = try value("X-Forwarded-Proto").lowercasedASCII()
        guard scheme == "https" || scheme == "http" else { throw .invalid("X-Forwarded-Proto", "is not https or http") }
        // Two hosts in a list are refused, too: the first one would be the client's.
        let url = "\(scheme)://\(try value("X-Forwarded-Host"))"
        guard PublicURL.isOrigin(url), !url.utf8.contains(UInt8(ascii: ",")), url.utf8.last != UInt8(ascii: "/"),
            let origin = PublicURL.origin(of: url)
        else { throw .invalid("X-Forwarded-Host", "is not a host") }
        let target = try value("X-Forwarded-Uri")
        guard target.utf8.first == UInt8(ascii: "/"), target.utf8.count <= Self.longestTarget,
            target.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "#") })
        else { throw .invalid("X-Forwarded-Uri", "is not a path with a query") }
        self.method = HTTPMethod(rawValue: method)
        self.origin = origin
        self.target = target
        isNavigation = method == "GET" && Self.isNavigation(request)
        isSameOrigin = ["same-origin", "none"].contains(request.fields["Sec-Fetch-Site"])
    }

    /// Returns whether a browser has sent a GET for a page, and not for a part of one (Fetch Metadata Request Headers
    /// §2.1 and §2.2).
    ///
    /// Browsers before 2023 send no such fields, but they accept HTML.
    private static func isNavigation(_ request: HTTPRequest) -> Bool {
        guard request.fields["Upgrade"] == nil, !request.isPrefetch else { return false }
        if let mode = request.fields["Sec-Fetch-Mode"] {
            return mode == "navigate" && ["document", "empty"].contains(request.fields["Sec-Fetch-Dest"] ?? "document")
        }
        let accepted = (request.fields["Accept"] ?? "").lowercasedASCII()
        return request.fields["X-Requested-With"] == nil && accepted.utf8.firstRange(of: "text/html".utf8) != nil
    }

    /// The path without the query.
    package var path: String { String(Substring(target.utf8.prefix { $0 != UInt8(ascii: "?") })) }

    /// The parameters of the query.
    package var parameters: FormFields { HTTPRequest(authority: "", path: target).queryItems }

    /// The URL without the query, as a proof of a key names it (RFC 9449 §4.2).
    var url: String { origin + path }
}
