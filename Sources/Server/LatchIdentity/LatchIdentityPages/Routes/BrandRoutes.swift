// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
package import LatchIdentityAccounts
import LatchIdentityStorage
package import LatchServer
import LatchSignIn
import LatchTexts

/// The images of the pages, and the choice of their language.
package struct BrandRoutes: Sendable {
    package static let logoPath = "/logo"
    package static let iconPath = "/favicon.ico"
    package static let languagePath = "/language"

    package let configuration: IdentityConfiguration
    package let limits: RateLimits
    package let signInPages: SignInPages

    package init(configuration: IdentityConfiguration, limits: RateLimits, signInPages: SignInPages) {
        (self.configuration, self.limits, self.signInPages) = (configuration, limits, signInPages)
    }

    /// Adds the routes.
    package func add(to router: inout Router) {
        let (icon, logo) = (icon, configuration.logo.map { Self.response($0.bytes, $0.mediaType) })
        router.group(interceptors: limits.limiting(.other)) { images in
            images.get(Self.iconPath) { _ in icon }
            if let logo { images.get(Self.logoPath) { _ in logo } }
        }
        router.group(interceptors: limits.pages(limiting: .other, in: signInPages.context)) { pages in
            pages.post(Self.languagePath, chooseLanguage)
        }
    }

    // MARK: Images

    /// The icon of the browser's tab: the configured image, or the first letter of the service's name.
    private var icon: HTTPResponse {
        if let image = configuration.favicon ?? configuration.logo {
            return Self.response(image.bytes, image.mediaType)
        }
        let accent = configuration.accentColor.flatMap(PageColor.init)?.text ?? PageStyle.accent
        let letter = HTMLContext.text.escape(
            configuration.serviceName.unicodeScalars.first?.properties.uppercaseMapping ?? "")
        let svg = """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" \
            fill="\(accent)"/><text x="16" y="23" font-size="20" font-weight="700" \
            font-family="system-ui,sans-serif" text-anchor="middle" fill="#fff">\(letter)</text></svg>
            """
        return Self.response(Array(svg.utf8), "image/svg+xml")
    }

    /// Returns an image, whose own scripts and links a browser that opens it ignores.
    private static func response(_ bytes: [UInt8], _ mediaType: String) -> HTTPResponse {
        HTTPResponse(
            status: .ok,
            fields: [
                .contentType: mediaType, .cacheControl: "public, max-age=300", "X-Content-Type-Options": "nosniff",
                "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
                "Cross-Origin-Resource-Policy": "same-origin",
            ], body: HTTPBody(bytes))
    }

    // MARK: Language

    /// Keeps the chosen language in a cookie, and opens the page of the form again.
    @Sendable private func chooseLanguage(_ request: HTTPRequest) async throws -> HTTPResponse {
        try signInPages.requireOwnPage(request)
        let form = try request.formFields()
        let language = try form.single("language") ?? ""
        guard Texts.languages.contains(language) else { throw IdentityError.invalidInput }
        let typed = try form.single("page") ?? "/"
        let isPage = HTMLContext.isLocal(typed) && typed.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        let context = signInPages.context
        let path = context.url("/")
        let secure =
            configuration.issuer?.lowercasedASCII().utf8.starts(with: "https://".utf8) == true ? "; Secure" : ""
        return HTTPResponse.seeOther(context.url(isPage ? typed : "/")).setting(
            """
            \(HTTPFields.languageCookie)=\(language); Path=\(path); Max-Age=31536000; HttpOnly; SameSite=Lax\(secure)
            """)
    }
}
