// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchCore
package import LatchHTTP
package import LatchIdentity
package import LatchJOSE
import LatchTesting

/// A browser with cookies, in front of a site.
package struct UserAgent: Sendable {
    package let site: Site
    package var cookies: [String: String] = [:]
    /// The Set-Cookie fields of the last response.
    package private(set) var received: [String] = []

    package init(_ site: Site) { self.site = site }

    package mutating func send(
        _ method: HTTPMethod, _ path: String, fields: HTTPFields = [:], body: HTTPBody = .empty
    ) async throws -> Response {
        var fields = fields
        if !cookies.isEmpty {
            let pairs = cookies.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            fields["Cookie"] = pairs.joined(separator: "; ")
        }
        let response = try await site.send(method, path, fields: fields, body: body)
        received = Array(response.response.fields.values(of: .setCookie))
        for field in received {
            let parts = field.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }
            let pair = parts[0].split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            cookies[pair[0]] = parts.contains("Max-Age=0") ? nil : pair[1]
        }
        return response
    }

    package mutating func get(_ path: String) async throws -> Response { try await send(.get, path) }

    package mutating func post(_ path: String, form: String) async throws -> Response {
        try await send(.post, path, fields: [.contentType: "application/x-www-form-urlencoded"], body: HTTPBody(form))
    }
}

extension UserAgent {
    /// Sends the form of a page.
    package mutating func answer(_ page: Response, _ more: [(String, String)] = []) async throws -> Response {
        try await post(page.formAction, form: FormEncoding.encode([("token", page.formToken)] + more))
    }
}

/// An app that signs users in through a provider.
package struct UpstreamApp: Sendable {
    package var redirect: String
    package var verifier = Base64URL.encode((0..<32).map { _ in UInt8.random(in: 0...255) })

    package init(redirect: String = "notes://auth/callback") { self.redirect = redirect }

    /// The path that the app opens in a browser.
    package func path(_ provider: String = "staff", _ more: [(String, String)] = []) -> String {
        let challenge = Base64URL.encode(verifier.digest)
        let parameters = [
            ("redirect", redirect), ("code_challenge", challenge), ("code_challenge_method", "S256"),
        ]
        return "/api/auth/\(provider)?\(FormEncoding.encode(parameters + more))"
    }
}

extension Response {
    /// The title of a page.
    package var title: String { between("<h1>", "</h1>") }
    /// The text of a page before its footer.
    package var content: String { text.range(of: "<footer>").map { String(text[..<$0.lowerBound]) } ?? text }
    /// The path that the form of a page is sent to.
    package var formAction: String { between("action=\"", "\"") }
    /// The hidden field of that form.
    package var formToken: String { between("name=\"token\" value=\"", "\"") }

    package func between(_ start: String, _ end: String) -> String {
        guard let first = text.range(of: start), let last = text[first.upperBound...].range(of: end) else { return "" }
        return String(text[first.upperBound..<last.lowerBound])
    }

    /// The URL that the browser is sent to.
    package var location: String { field("Location") ?? "" }
    /// The parameters of that URL.
    package var parameters: [String: String] { ScriptedUpstream.parameters(location) }
}

extension Site {
    package static let issuer = "https://id.latch.example"
    package static let ada: Claims = [
        "sub": "ada-1", "email": "ada@example.com", "email_verified": true, "name": "Ada",
    ]

    /// A site with a provider `staff`, unless `words` names others.
    package static func brokering(
        _ upstream: ScriptedUpstream, _ words: String = "staff;issuer=https://sso.example.com;client_id=latch",
        secrets: String = "staff=s3cret", storedAt location: String? = nil, hooks: IdentityHooks = IdentityHooks(),
        change: (inout IdentityConfiguration) -> Void = { _ in }
    ) async throws -> Site {
        let configured = try IdentityConfiguration(values: [
            "upstreams": words, "upstream_secrets": secrets, "sign_in_redirects": "notes://auth/callback",
        ])
        return try await Site(storedAt: location, upstream: upstream, hooks: hooks) { configuration in
            configuration.issuer = issuer
            configuration.upstreams = configured.upstreams
            configuration.upstreamSecrets = configured.upstreamSecrets
            configuration.signInRedirects = configured.signInRedirects
            change(&configuration)
        }
    }

    /// Goes through the pages of a provider, and returns the response to its redirect.
    ///
    /// - Parameter confirming: Whether the user continues where this server asks whether the app is theirs.
    package func visit(
        _ agent: inout UserAgent, _ upstream: ScriptedUpstream, _ app: UpstreamApp, _ provider: String = "staff",
        as claims: Claims = Site.ada, _ more: [(String, String)] = [], confirming: Bool = true
    ) async throws -> Response {
        let begun = try await agent.get(app.path(provider, more))
        guard begun.status == 302 else { return begun }
        let returned = try await agent.get(
            "/api/auth/\(provider)/callback?\(upstream.approve(begun.location, as: claims))")
        guard confirming, returned.title.hasPrefix("Continue to") || returned.title.hasPrefix("Link your") else {
            return returned
        }
        return try await agent.answer(returned)
    }

    /// Signs in through a provider in a new browser, and returns the response to the app's exchange.
    package func signIn(
        through upstream: ScriptedUpstream, _ provider: String = "staff", as claims: Claims = Site.ada
    ) async throws -> Response {
        let app = UpstreamApp()
        var agent = UserAgent(self)
        let returned = try await visit(&agent, upstream, app, provider, as: claims)
        guard let code = returned.parameters["code"] else { return returned }
        let answer = try await exchange(code, app)
        // A worker that still sends would take the mails of the next node over this store.
        await identity.flushMails()
        return answer
    }

    package func exchange(_ code: String, _ app: UpstreamApp) async throws -> Response {
        try await post("/api/auth/exchange", ["code": .string(code), "code_verifier": .string(app.verifier)])
    }

    /// The code of a finished sign-in for a link.
    package func linkCode(
        _ upstream: ScriptedUpstream, _ app: UpstreamApp, _ provider: String = "staff", as claims: Claims = Site.ada
    ) async throws -> String {
        var agent = UserAgent(self)
        let returned = try await visit(&agent, upstream, app, provider, as: claims, [("intent", "link")])
        return returned.parameters["code"] ?? ""
    }

    package func link(_ code: String, _ app: UpstreamApp, bearer: String) async throws -> Response {
        let answer = try await call(
            .post, "/api/auth/links", bearer: bearer,
            ["code": .string(code), "code_verifier": .string(app.verifier)])
        await identity.flushMails()
        return answer
    }

    package func accountID(_ email: String) async throws -> String? {
        try await identity.administration.account(email: email)?.id
    }
}
