// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchCrypto
import LatchFoundation
import LatchHTTP
import LatchIdentity
import LatchJOSE
import LatchOAuth
import LatchServer
import LatchSignIn
import Synchronization

/// The pages of `latch serve --dev` below `/dev`: a demo client that signs users in, and the emails of the server.
final class DevSite: Sendable {
    static let path = "/dev"
    private static let signInPath = "\(path)/sign-in"
    private static let mailPath = "\(path)/mails"
    private static let clientID = "demo"

    let mails = DevMails()
    /// The key of the cookies of sign-ins, which end with the process.
    private let key = SymmetricKey(size: .bits256)
    private let pages = Mutex<Router?>(nil)

    /// Serves the pages for a server whose issuer is known, from now on.
    ///
    /// The demo client reaches the server within the process.
    func use(_ identity: Identity) throws {
        let origin = try HTTPOrigin.split(identity.issuer ?? "").origin
        guard let issuer = URL(encodingOnce: identity.issuer ?? ""),
            let url = URL(encodingOnce: "\(origin)\(Self.signInPath)")
        else {
            throw IdentityError.notReady
        }
        var router = Router()
        router.get(Self.path) { [self] _ in try await overview(of: identity) }
        router.get("\(Self.mailPath)/{id}") { [self] request in try mail(request) }
        let client = AuthorizationClient(
            OAuthConfiguration(issuer: issuer, clientID: Self.clientID), transport: identity.handler)
        try SignInRoutes(client, at: url, key: key).add(to: &router) { user, _ in Self.page(of: user) }
        pages.withLock { $0 = router }
    }

    /// Returns a handler of these pages, and of all others by `next`.
    func serving(_ next: any Handler) -> any Handler {
        ClosureHandler { [self] request in
            let path = request.pathWithoutQuery.utf8
            let isOwn = path.elementsEqual(Self.path.utf8) || path.starts(with: "\(Self.path)/".utf8)
            guard isOwn else { return try await next.respond(to: request) }
            // A site whose name resolves to this machine (DNS rebinding), or a tunnel to it, would read the emails.
            guard request.isFromThisMachine else { return HTTPResponse(status: .notFound) }
            guard let pages = pages.withLock(\.self) else { return HTTPResponse(status: .serviceUnavailable) }
            return try await pages.respond(to: request)
        }
    }

    // MARK: The overview

    private func overview(of identity: Identity) async throws -> HTTPResponse {
        let administration = try await identity.firstAdministratorLink().map { link in
            HTMLSection.Entry(
                "This server has no administrator yet.", links: [.init(link, "Become the administrator")])
        }
        let page = HTMLPage(
            "Try Latchwork",
            text: "This server runs with --dev: it sends no emails, and it has a demo client.",
            sections: [
                HTMLSection(
                    "Sign in",
                    entries: [
                        .init(
                            "The demo client signs you in, and shows what it gets. Sign up on the way.",
                            links: [.init(Self.signInPath, "Sign in with the demo client")]),
                        .init("Your account on the server.", links: [.init("/account", "Open the account")]),
                    ]),
                HTMLSection(
                    "Administration",
                    entries: [
                        administration
                            ?? .init(
                                "Users, clients, emails and keys.", links: [.init("/admin", "Open the administration")])
                    ]),
                HTMLSection(
                    "Emails", text: mails.all.isEmpty ? "No email so far. Reload this page for new ones." : nil,
                    entries: mails.all.reversed().map { message in
                        .init(
                            message.subject, details: [message.recipient],
                            links: [.init("\(Self.mailPath)/\(message.id)", "Read")])
                    }),
            ])
        return page.response()
    }

    private func mail(_ request: HTTPRequest) throws -> HTTPResponse {
        let id = request.pathParameter("id")
        guard let message = mails.all.first(where: { $0.id == id }) else { return HTTPResponse(status: .notFound) }
        let lines = message.text.split(separator: "\n").map { line in
            HTMLSection.Entry(
                String(line), links: line.utf8.starts(with: "http".utf8) ? [.init(String(line), "Open")] : [])
        }
        return HTMLPage(
            message.subject, text: "To \(message.recipient)", sections: [HTMLSection("Text", entries: lines)],
            links: [.init(Self.path, "All emails")]
        ).response()
    }

    // MARK: The demo client

    /// The client of the pages, for the configuration of the server.
    ///
    /// - Parameter issuer: The configured issuer; nil for the address that the server listens on.
    static func client(issuer: String?) throws(IdentityError) -> OAuthClient {
        var origins = ["http://127.0.0.1", "http://[::1]"]
        if let issuer {
            do throws(HTTPError) { origins.append(try HTTPOrigin.split(issuer).origin.description) } catch {
                throw .invalidSetting("issuer", "a URL")
            }
        }
        return try OAuthClient.reading([
            "id": .string(clientID), "client_name": "Demo",
            "redirects": .array(origins.map { .string("\($0)\(signInPath)/callback") }),
            "grants": ["authorization_code"], "id_token_claims": true,
        ]) { .invalidInput($0) }
    }

    /// Returns the page with the claims of the ID token.
    private static func page(of user: SignInRoutes.User) -> HTTPResponse {
        let claims = (user.claims?.members ?? [:]).map { claim in
            HTMLSection.Entry(
                claim.key,
                details: [claim.value.stringValue ?? String(decoding: claim.value.serialized(), as: UTF8.self)])
        }
        return HTMLPage(
            "You are signed in", text: "The demo client has an access token, and an ID token with these claims.",
            sections: [HTMLSection("Claims", entries: claims)],
            links: [
                .init(path, "Back"), .init(signInPath, "Sign in again"), .init("/account", "Open the account"),
            ]
        ).response()
    }
}

/// The emails of `latch serve --dev`, which nothing sends.
final class DevMails: Mailer {
    private static let maximumCount = 100
    private let messages = Mutex<[MailMessage]>([])

    /// The newest emails, the oldest of them first.
    var all: [MailMessage] { messages.withLock(\.self) }

    func send(_ message: MailMessage) async throws {
        messages.withLock { messages in
            // An attempt after a crash repeats an email.
            guard !messages.contains(where: { $0.id == message.id }) else { return }
            if messages.count == Self.maximumCount { messages.removeFirst() }
            messages.append(message)
        }
    }
}
