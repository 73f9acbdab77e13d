// SPDX-License-Identifier: Apache-2.0

import LatchCore
package import LatchHTTP
import LatchIdentityStorage
package import LatchServer
import LatchTexts

/// The known origin of a request.
package struct RequestOrigin: Sendable {
    /// The address of a caller in the same process.
    package static let inProcess = "in process"

    /// The peer of the connection, or the client that a trusted proxy names.
    package let address: String
    /// The User-Agent field for the list of devices.
    ///
    /// At most 200 characters of it are kept.
    package let userAgent: String?
    /// The client's name for the device, for the same list and with the same limit.
    package var deviceName: String?
    /// The Accept-Language field; nil if the request has none, as for a caller in the same process.
    package var acceptLanguage: String?

    package init(address: String, userAgent: String?, deviceName: String? = nil, acceptLanguage: String? = nil) {
        self.address = address
        self.userAgent = userAgent
        self.deviceName = deviceName
        self.acceptLanguage = acceptLanguage
    }

    /// The language of the request's mails: the preferred one of the available languages; nil for the server's default.
    package var language: String? { acceptLanguage.flatMap { Texts.available(Preferences($0).languages) } }
}

extension Preferences {
    /// The languages of an Accept-Language field, the preferred one first (RFC 9110 §12.5.4).
    ///
    /// After `*`, all languages are equally acceptable.
    package var languages: some Sequence<String> { accepted.prefix { $0 != "*" } }
}

extension HTTPRequest {
    /// The address of the peer, the user agent and the languages of the request.
    package var requestOrigin: RequestOrigin {
        RequestOrigin(
            address: remoteAddress ?? RequestOrigin.inProcess, userAgent: fields[.userAgent],
            acceptLanguage: fields[.acceptLanguage])
    }
}

extension HTTPFields {
    /// An access token, and its authentication scheme.
    package struct AccessToken {
        let text: String
        /// Whether the scheme is that of a token with a proof (RFC 9449 §7.1).
        let isBound: Bool

        /// The refusal of the token.
        var refusal: IdentityError { isBound ? .invalidBoundToken : .invalidToken }
    }

    /// The access token of the Authorization field (RFC 6750 §2.1, RFC 9449 §7.1).
    var accessToken: AccessToken? {
        guard let value = self[.authorization], value.utf8.count < 16 << 10 else { return nil }
        let parts = value.unicodeScalars.split(separator: " ", maxSplits: 1).map { String($0) }
        guard parts.count == 2, ["bearer", "dpop"].contains(parts[0].lowercasedASCII()) else { return nil }
        return AccessToken(text: String(parts[1]), isBound: parts[0].lowercasedASCII() == "dpop")
    }

    /// The access token of a request that ends its session, for which no proof is needed.
    package var endedToken: String? { accessToken?.text }

    /// The access token of a request that proves no key.
    package var bearerToken: String? {
        guard let token = accessToken, !token.isBound else { return nil }
        return token.text
    }
}

extension HTTPFieldName {
    /// RFC 9110 §12.5.4.
    package static let acceptLanguage: HTTPFieldName = "Accept-Language"
}
