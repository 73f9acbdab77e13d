// SPDX-License-Identifier: Apache-2.0

import LatchCore
package import LatchHTTP
package import LatchIdentityAccounts
import LatchIdentityStorage
import LatchServer
package import LatchTexts

/// The language of a request's pages, the name of their service, and the path of its public URL.
///
/// The one of the server has no preferred languages, and each request derives its own. It is a class, so that handlers
/// copy a reference and not its texts.
package final class PageContext: Sendable {
    /// The preferred languages as BCP 47 tags, the first one most.
    private let languages: [String]
    /// The language of requests that prefer none of the available languages.
    private let defaultLanguage: String
    package let serviceName: String
    /// The path of the public URL, where a proxy serves the server, without a slash at the end.
    private let basePath: String

    private init(_ languages: [String], defaultLanguage: String, serviceName: String, basePath: String) {
        self.languages = languages
        (self.defaultLanguage, self.serviceName, self.basePath) = (defaultLanguage, serviceName, basePath)
    }

    /// Creates the context of a server.
    package convenience init(_ configuration: IdentityConfiguration) {
        let parts = (configuration.issuer ?? "").withoutFinalSlash.utf8.split(
            separator: UInt8(ascii: "/"), maxSplits: 3, omittingEmptySubsequences: false)
        self.init(
            [], defaultLanguage: configuration.defaultLanguage, serviceName: configuration.serviceName,
            basePath: parts.count == 4 ? "/\(String(Substring(parts[3])))" : "")
    }

    /// Returns the context of a request, in the languages that its client accepts.
    package func accepting(_ request: HTTPRequest) -> PageContext { accepting(request.fields[.acceptLanguage]) }

    /// Returns the context in the languages of an Accept-Language field (RFC 9110 §12.5.4).
    package func accepting(_ field: String?) -> PageContext {
        guard let field else { return self }
        return PageContext(
            languages + Preferences(field).languages, defaultLanguage: defaultLanguage, serviceName: serviceName,
            basePath: basePath)
    }

    /// Returns the context for the pages of a client with preferred languages (OpenID Connect Core §3.1.2.1,
    /// `ui_locales`).
    func preferring(_ languages: [String]?) -> PageContext {
        guard let languages, !languages.isEmpty else { return self }
        return PageContext(
            languages + self.languages, defaultLanguage: defaultLanguage, serviceName: serviceName,
            basePath: basePath)
    }

    /// Returns the URL path of a page or form of the server, below the path of the public URL.
    package func url(_ path: String) -> String { path.utf8.first == UInt8(ascii: "/") ? basePath + path : path }

    /// The writer of phrases in the language of the request (RFC 4647 §3.4).
    package var texts: Texts { Texts(languages: languages + [defaultLanguage]) }
}
