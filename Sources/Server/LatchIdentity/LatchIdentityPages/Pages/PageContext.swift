// SPDX-License-Identifier: Apache-2.0

import LatchCore
package import LatchHTTP
package import LatchIdentityAccounts
import LatchIdentityStorage
import LatchServer
package import LatchSignIn
package import LatchTexts

/// The language of a request's pages, and the service that they belong to.
///
/// The one of the server has no preferred languages, and each request derives its own. It is a class, so that handlers
/// copy a reference and not its texts.
package final class PageContext: Sendable {
    /// What all requests of a server share.
    private final class Service: Sendable {
        let configuration: IdentityConfiguration
        /// The path of the public URL, where a proxy serves the server, without a slash at the end.
        let basePath: String
        let brand: PageBrand

        init(_ configuration: IdentityConfiguration, basePath: String, brand: PageBrand) {
            (self.configuration, self.basePath, self.brand) = (configuration, basePath, brand)
        }
    }

    private let service: Service
    /// The preferred languages as BCP 47 tags, the first one most.
    private let languages: [String]
    /// The path and the query of the request; nil if a browser cannot open it again.
    private let page: String?

    private init(_ service: Service, languages: [String], page: String?) {
        (self.service, self.languages, self.page) = (service, languages, page)
    }

    /// Creates the context of a server.
    package convenience init(_ configuration: IdentityConfiguration) {
        let basePath = configuration.issuer.map(PublicURL.path) ?? ""
        let brand = PageBrand(
            serviceName: configuration.serviceName,
            logo: configuration.logo == nil ? nil : basePath + BrandRoutes.logoPath,
            icon: basePath + BrandRoutes.iconPath,
            style: PageStyle(
                accent: configuration.accentColor.flatMap(PageColor.init),
                background: configuration.backgroundColor.flatMap(PageColor.init)))
        self.init(Service(configuration, basePath: basePath, brand: brand), languages: [], page: nil)
    }

    /// Returns the context of a request, in the languages that its user has chosen or its client accepts.
    package func accepting(_ request: HTTPRequest) -> PageContext {
        // Decision 0122: no choice on a page that the browser cannot open again. Providers return to
        // /api/auth/NAME/callback.
        let isPage = request.method.isSafe && !request.path.utf8.starts(with: "/api/".utf8)
        return PageContext(service, languages: request.fields.languages, page: isPage ? request.path : nil)
    }

    /// Returns the context with another path and query at which the page can be opened again; nil for none.
    func opened(at page: String?) -> PageContext { PageContext(service, languages: languages, page: page) }

    /// Returns the context of a request by its fields; its page has no choice of language.
    package func accepting(_ fields: HTTPFields) -> PageContext {
        PageContext(service, languages: fields.languages, page: nil)
    }

    /// Returns the context for the pages of a client with preferred languages (OpenID Connect Core §3.1.2.1,
    /// `ui_locales`).
    ///
    /// They come after the choice of the user, and before the languages of the browser.
    func preferring(_ preferred: [String]?, in request: HTTPRequest) -> PageContext {
        guard let preferred, !preferred.isEmpty else { return self }
        let chosen = [request.fields.chosenLanguage].compactMap(\.self)
        return PageContext(service, languages: chosen + preferred + languages, page: page)
    }

    package var serviceName: String { service.configuration.serviceName }

    /// Returns the URL path of a page or form of the server, below the path of the public URL.
    package func url(_ path: String) -> String { path.utf8.first == UInt8(ascii: "/") ? service.basePath + path : path }

    /// The writer of phrases in the language of the request (RFC 4647 §3.4).
    package var texts: Texts { Texts(languages: languages + [service.configuration.defaultLanguage]) }

    /// Gives a page the language, the brand and the footer of the request.
    package func finish(_ page: inout HTMLPage) {
        let texts = texts
        page.language = texts.language
        page.isRightToLeft = texts.isRightToLeft
        page.brand = service.brand
        page.footer = footer(texts)
    }

    private func footer(_ texts: Texts) -> PageFooter {
        let configuration = service.configuration
        let links: [(url: String?, label: Phrase)] = [
            (configuration.supportURL, Phrase("page.link.support")),
            (configuration.termsURL, Phrase("page.link.terms")),
            (configuration.privacyURL, Phrase("page.link.privacy")),
        ]
        return PageFooter(
            links: links.compactMap { link in link.url.map { .init(configured: $0, texts(link.label)) } },
            languages: page.map { page in
                .init(
                    action: url(BrandRoutes.languagePath), page: page, label: texts(Phrase("page.language")),
                    choices: Self.languageNames)
            })
    }

    /// The available languages, each with its own name.
    private static let languageNames = Texts.languages.map { language in
        (language: language, name: Texts(languages: [language])(Phrase("page.language.name")))
    }
}
