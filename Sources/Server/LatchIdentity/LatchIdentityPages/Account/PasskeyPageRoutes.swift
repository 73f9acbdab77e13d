// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
package import LatchIdentityAccounts
package import LatchIdentityProvider
import LatchIdentityStorage
package import LatchServer
import LatchSignIn
import LatchTexts

/// The pages on which users add a passkey, and name one.
package struct PasskeyPageRoutes: Sendable {
    static let path = "\(AccountOverview.path)/passkeys"

    /// Returns the path of the page that names a passkey.
    static func path(of passkey: Passkey) -> String { "\(path)/\(passkey.publicID)" }

    /// Returns the path of a request for such a page.
    private static func path(_ request: HTTPRequest) throws(IdentityError) -> String {
        let id = request.pathParameter("id") ?? ""
        guard Passkey.id(fromPublicID: id) != nil else { throw .noSuchPasskey }
        return "\(path)/\(id)"
    }

    package let limits: RateLimits
    package let passkeys: PasskeyService
    package let overview: AccountOverview

    package init(limits: RateLimits, passkeys: PasskeyService, overview: AccountOverview) {
        self.limits = limits
        self.passkeys = passkeys
        self.overview = overview
    }

    private var sessions: AccountSessions { overview.sessions }

    package func add(to router: inout Router) {
        let context = sessions.signInPages.context
        // A Well-known URL for Relying Party Passkey Endpoints (W3C) §3: password managers lead their users there.
        router.group(interceptors: limits.limiting(.other)) { $0.get("/.well-known/passkey-endpoints", endpoints) }
        router.group(interceptors: limits.pages(limiting: .page, in: context)) { reads in
            reads.get(Self.path, showCreation)
            reads.get("\(Self.path)/{id}", showName)
        }
        router.group(interceptors: limits.pages(limiting: .link, in: context)) { changes in
            changes.post(Self.path, create)
            changes.post("\(Self.path)/{id}", rename)
        }
    }

    @Sendable private func endpoints(_ request: HTTPRequest) async throws -> HTTPResponse {
        guard overview.permitted.relyingPartyID != nil, let issuer = sessions.signInPages.accessTokens.issuer else {
            throw IdentityError.passkeysUnavailable
        }
        let server = issuer.withoutFinalSlash
        var response = HTTPResponse.json([
            "enroll": .string(server + Self.path), "manage": .string(server + AccountOverview.path),
        ])
        response.fields[.cacheControl] = "public, max-age=300"
        return response
    }

    // MARK: A new passkey

    @Sendable private func showCreation(_ request: HTTPRequest) async throws -> HTTPResponse {
        try await sessions.visiting(Self.path, request, needsRecentLogin: true) { session throws(IdentityError) in
            try await creationPage(in: session, request)
        }
    }

    /// Registers the passkey of the browser's response.
    @Sendable private func create(_ request: HTTPRequest) async throws -> HTTPResponse {
        try await sessions.changing(
            Self.path, request,
            orShowing: { submission, error throws(IdentityError) in
                try await creationPage(in: submission.session, request, problem: error)
            }
        ) { submission in
            _ = try await passkeys.register(
                PasskeySignInService.credential(parsing: try submission.text(PasskeyScript.field)), name: nil,
                for: sessions.authenticated(submission.session), from: submission.origin)
            return try await overview.page(
                after: submission.session, notice: Phrase("page.account.done.addPasskey"), request)
        }
    }

    /// Returns the page whose button creates a passkey; without a script that can do it, it has no button.
    private func creationPage(
        in session: ActivePageSession, _ request: HTTPRequest, problem: IdentityError? = nil
    ) async throws(IdentityError) -> HTTPResponse {
        let options = try await passkeys.creationOptions(for: sessions.authenticated(session))
        return try sessions.form(Self.path, in: session, request, problem: problem) { token, context in
            HTMLPage(
                Phrase("page.account.passkeys.title"), text: Phrase("page.account.passkeys.text"),
                problem: problem?.pageProblem, action: (Self.path, nil), carrying: token,
                scriptedButton: .newPasskey(options, in: context), links: AccountSessions.back, in: context)
        }
    }

    // MARK: The name

    @Sendable private func showName(_ request: HTTPRequest) async throws -> HTTPResponse {
        let path = try Self.path(request)
        return try await sessions.visiting(path, request) { session throws(IdentityError) in
            let own = try await passkeys.passkeys(of: sessions.authenticated(session))
            let passkey = own.first { $0.publicID == request.pathParameter("id") }
            guard let passkey else { throw .noSuchPasskey }
            return try namePage(passkey.name, at: path, in: session, request)
        }
    }

    @Sendable private func rename(_ request: HTTPRequest) async throws -> HTTPResponse {
        let path = try Self.path(request)
        return try await sessions.changing(
            path, request,
            orShowing: { submission, error throws(IdentityError) in
                guard error != .noSuchPasskey else {
                    return try await overview.page(in: submission.session, request, problem: error)
                }
                return try namePage(
                    submission.fields["name"] ?? "", at: path, in: submission.session, request, problem: error)
            }
        ) { submission in
            _ = try await passkeys.rename(
                request.pathParameter("id") ?? "", to: try submission.text("name"),
                for: sessions.authenticated(submission.session))
            return try await overview.page(
                in: submission.session, request, notice: Phrase("page.account.done.renamePasskey"))
        }
    }

    private func namePage(
        _ name: String, at path: String, in session: ActivePageSession, _ request: HTTPRequest,
        problem: IdentityError? = nil
    ) throws(IdentityError) -> HTTPResponse {
        try sessions.form(path, in: session, request, problem: problem) { token, context in
            HTMLPage(
                Phrase("page.account.rename.title"), text: Phrase("page.account.rename.text"),
                problem: problem?.pageProblem, invalidFields: problem == .invalidInput ? ["name"] : [],
                action: (path, Phrase("page.account.save")), carrying: token,
                fields: [.passkeyName(label: context.texts(Phrase("page.account.name")), value: name)],
                links: AccountSessions.back, in: context)
        }
    }
}
