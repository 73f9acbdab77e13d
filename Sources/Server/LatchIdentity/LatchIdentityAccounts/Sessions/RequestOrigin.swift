// SPDX-License-Identifier: Apache-2.0

import LatchCore
package import LatchHTTP
package import LatchIdentityStorage
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
    /// The fields of the request, for its language; none for a caller in the same process.
    private let fields: HTTPFields

    package init(address: String, userAgent: String?, deviceName: String? = nil, fields: HTTPFields = HTTPFields()) {
        self.address = address
        self.userAgent = userAgent
        self.deviceName = deviceName
        self.fields = fields
    }

    /// The language of the request's mails: the preferred one of the available languages; nil for the server's default.
    package var language: String? { Texts.available(fields.languages) }

    /// The request as the cause of an email.
    package var mailCause: MailCause {
        MailCause(
            language: language, address: address == Self.inProcess ? nil : address,
            userAgent: userAgent?.sanitized(200))
    }
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
            fields: fields)
    }
}

extension HTTPFields {
    /// The cookie with the language that the user has chosen on a page.
    package static let languageCookie = "latch-language"

    /// The language that the user has chosen on a page.
    package var chosenLanguage: String? { cookie(Self.languageCookie) }

    /// The languages of the client as BCP 47 tags: the user's choice, then those of Accept-Language.
    package var languages: [String] {
        [chosenLanguage].compactMap(\.self) + (self[.acceptLanguage].map { Array(Preferences($0).languages) } ?? [])
    }

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
