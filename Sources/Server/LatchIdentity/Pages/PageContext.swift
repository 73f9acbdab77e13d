// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
import LatchServer
import LatchTexts

/// The language and the service name of a request's pages and mails.
///
/// It is a class, so that binding it for a request copies a reference and not its texts.
package final class PageContext: Sendable {
    /// The languages that the client of the request prefers for its pages.
    private let languages: [String]
    /// The Accept-Language field of the request; nil if it has none, or outside of a request.
    let acceptLanguage: String?
    /// The language of requests that prefer none of the available languages.
    let defaultLanguage: String
    let serviceName: String
    /// The path of the public URL, where a proxy serves the server, without a slash at the end.
    private let basePath: String

    /// The context of the current request; nil outside of one, as for the operator's commands.
    @TaskLocal static var ofRequest: PageContext?

    /// The language of the current request; nil outside of one.
    package static var languageOfRequest: String? { ofRequest?.texts.language }

    init(
        _ acceptLanguage: String?, languages: [String] = [], defaultLanguage: String, serviceName: String,
        basePath: String
    ) {
        (self.acceptLanguage, self.languages, self.defaultLanguage) = (acceptLanguage, languages, defaultLanguage)
        (self.serviceName, self.basePath) = (serviceName, basePath)
    }

    /// Returns the context with an Accept-Language field, if the request has one.
    func accepting(_ field: String?) -> PageContext {
        guard let field else { return self }
        return PageContext(
            field, defaultLanguage: defaultLanguage, serviceName: serviceName, basePath: basePath)
    }

    /// Returns the URL path of a page or form of the server, below the path of the public URL.
    func url(_ path: String) -> String { path.utf8.first == UInt8(ascii: "/") ? basePath + path : path }

    /// Returns the context for the pages of a client with preferred languages (OpenID Connect Core §3.1.2.1,
    /// `ui_locales`).
    func preferring(_ languages: [String]?) -> PageContext {
        guard let languages, !languages.isEmpty else { return self }
        return PageContext(
            acceptLanguage, languages: languages, defaultLanguage: defaultLanguage, serviceName: serviceName,
            basePath: basePath)
    }

    /// The writer of phrases in the language of the request (RFC 9110 §12.5.4, RFC 4647 §3.4).
    var texts: Texts {
        // After `*`, all languages are equally acceptable.
        let wanted = acceptLanguage.map { Preferences($0).accepted.prefix { $0 != "*" } } ?? []
        return Texts(languages: languages + wanted + [defaultLanguage])
    }
}
