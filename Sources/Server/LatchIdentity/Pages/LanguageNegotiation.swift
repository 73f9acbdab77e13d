// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
import LatchServer
import LatchTexts

/// The language of a request's pages, the name of their service, and the path of its public URL.
///
/// The one of the server has no preferred languages, and each request derives its own. It is a class, so that handlers
/// copy a reference and not its texts.
final class PageContext: Sendable {
    /// The preferred languages as BCP 47 tags, the first one most.
    private let languages: [String]
    /// The language of requests that prefer none of the available languages.
    private let defaultLanguage: String
    let serviceName: String
    /// The path of the public URL, where a proxy serves the server, without a slash at the end.
    private let basePath: String

    private init(_ languages: [String], defaultLanguage: String, serviceName: String, basePath: String) {
        self.languages = languages
        (self.defaultLanguage, self.serviceName, self.basePath) = (defaultLanguage, serviceName, basePath)
    }

    /// Creates the context of a server.
    convenience init(_ configuration: IdentityConfiguration) {
        let parts = (configuration.issuer ?? "").withoutFinalSlash.utf8.split(
            separator: UInt8(ascii: "/"), maxSplits: 3, omittingEmptySubsequences: false)
        self.init(
            [], defaultLanguage: configuration.defaultLanguage, serviceName: configuration.serviceName,
            basePath: parts.count == 4 ? "/\(String(Substring(parts[3])))" : "")
    }

    /// Returns the context of a request, in the languages that its client accepts.
    func accepting(_ request: HTTPRequest) -> PageContext { accepting(request.fields[.acceptLanguage]) }

    /// Returns the context in the languages of an Accept-Language field (RFC 9110 §12.5.4).
    func accepting(_ field: String?) -> PageContext {
        guard let field else { return self }
        return PageContext(
            languages + acceptedLanguages(field), defaultLanguage: defaultLanguage, serviceName: serviceName,
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
    func url(_ path: String) -> String { path.utf8.first == UInt8(ascii: "/") ? basePath + path : path }

    /// The writer of phrases in the language of the request (RFC 4647 §3.4).
    var texts: Texts { Texts(languages: languages + [defaultLanguage]) }
}

/// Returns the languages of an Accept-Language field, the preferred one first.
///
/// After `*`, all languages are equally acceptable.
private func acceptedLanguages(_ field: String) -> some Sequence<String> {
    Preferences(field).accepted.prefix { $0 != "*" }
}

extension RequestOrigin {
    /// The language of the request's mails: the preferred one of the available languages; nil for the server's default.
    var language: String? { acceptLanguage.flatMap { Texts.available(acceptedLanguages($0)) } }
}

/// An interceptor that shows the router's own errors as pages to browsers.
struct PageErrorInterceptor: Filter {
    let context: PageContext

    func filter(_ request: inout HTTPRequest) -> Filtering<HTTPFields> { .proceed(request.fields) }

    func complete(_ outcome: inout Outcome, _ fields: consuming HTTPFields) {
        guard outcome.error == nil, let error = Self.pageError(outcome.response.status),
            Self.prefersPage(fields[.accept]), !outcome.response.isPage
        else { return }
        var page = context.accepting(fields[.acceptLanguage]).failure(error)
        page.status = outcome.response.status
        page.fields["Allow"] = outcome.response.fields["Allow"]
        outcome.response = page
    }

    /// Returns the error for a status that the router itself responds with; nil for any other status.
    private static func pageError(_ status: HTTPStatus) -> IdentityError? {
        switch status {
        case .notFound: .noSuchPage
        case .methodNotAllowed: .notAPage
        default: nil
        }
    }

    /// Returns whether a request accepts HTML at least as much as JSON, as the navigation of a browser does.
    private static func prefersPage(_ field: String?) -> Bool {
        guard let field else { return false }
        let preferences = Preferences(field)
        guard let html = preferences.weight(of: "text/html"), html > 0 else { return false }
        let json = preferences.weight(of: "application/json") ?? preferences.weight(of: "*/*") ?? 0
        return html >= json
    }
}

extension HTTPFieldName {
    /// RFC 9110 §12.5.4.
    static let acceptLanguage: HTTPFieldName = "Accept-Language"
}

extension HTTPResponse {
    fileprivate var isPage: Bool { fields[.contentType]?.utf8.starts(with: "text/html".utf8) ?? false }
}
