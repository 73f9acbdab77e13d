// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchFoundation
import LatchHTTP
import LatchIdentity
import LatchJOSE
import LatchServer
import LatchSignIn
import Synchronization

/// The pages of `latch serve --dev` below `/dev`: a demo client that signs users in, and the emails of the server.
final class DevSite: Sendable {
    static let path = "/dev"
    private static let signInPath = "\(path)/sign-in"
    private static let callbackPath = "\(path)/callback"
    private static let mailPath = "\(path)/mails"
    /// The number of sign-ins that may be open.
    private static let maximumSignIns = 100

    let mails = DevMails()
    private let state = Mutex(State())

    private struct State {
        var identity: Identity?
        /// The PKCE verifiers of open sign-ins by `state`, and these in the order of their begin.
        var verifiers: [String: String] = [:]
        var order: [String] = []
    }

    /// Serves the pages for this server from now on.
    func use(_ identity: Identity) { state.withLock { $0.identity = identity } }

    /// Returns a handler of these pages, and of all others by `next`.
    func serving(_ next: any Handler) -> any Handler {
        var router = Router()
        router.get(Self.path) { [self] _ in try await overview() }
        router.get(Self.signInPath) { [self] _ in try begin() }
        router.get(Self.callbackPath) { [self] request in try await finish(request, at: next) }
        router.get("\(Self.mailPath)/{id}") { [self] request in try mail(request) }
        let pages = router
        return ClosureHandler { request in
            let path = request.pathWithoutQuery.utf8
            let isOwn = path.elementsEqual(Self.path.utf8) || path.starts(with: "\(Self.path)/".utf8)
            guard isOwn else { return try await next.respond(to: request) }
            // A site whose name resolves to this machine (DNS rebinding), or a tunnel to it, would read the emails.
            guard request.isFromThisMachine else { return HTTPResponse(status: .notFound) }
            return try await pages.respond(to: request)
        }
    }

    private var identity: Identity {
        get throws(IdentityError) {
            guard let identity = state.withLock({ $0.identity }) else { throw .notReady }
            return identity
        }
    }

    private var issuer: String {
        get throws(IdentityError) { try identity.issuer.map { String($0.withoutFinalSlash) } ?? "" }
    }

    // MARK: The overview

    private func overview() async throws -> HTTPResponse {
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
        let origins =
            ["http://127.0.0.1", "http://[::1]"] + [issuer.map { String($0.withoutFinalSlash) }].compactMap(\.self)
        return try OAuthClient.reading([
            "id": "demo", "client_name": "Demo", "redirects": .array(origins.map { .string("\($0)\(callbackPath)") }),
            "grants": ["authorization_code"], "id_token_claims": true,
        ]) { .invalidInput($0) }
    }

    private func begin() throws -> HTTPResponse {
        let random = RandomSource.system
        let (name, verifier) = (random.identifier(), Base64URL.encode(random.bytes(32)))
        state.withLock { state in
            state.verifiers[name] = verifier
            state.order.append(name)
            if state.order.count > Self.maximumSignIns { state.verifiers[state.order.removeFirst()] = nil }
        }
        let query = FormEncoding.encode([
            ("response_type", "code"), ("client_id", "demo"), ("redirect_uri", try issuer + Self.callbackPath),
            ("scope", "openid profile email"), ("state", name), ("code_challenge", Base64URL.encode(verifier.digest)),
            ("code_challenge_method", "S256"),
        ])
        return HTTPResponse(status: .seeOther, fields: ["Location": "\(try issuer)/oauth/authorize?\(query)"])
    }

    /// Exchanges the code, and shows the claims of the ID token.
    private func finish(_ request: HTTPRequest, at server: any Handler) async throws -> HTTPResponse {
        let items = request.queryItems
        let verifier = state.withLock { $0.verifiers.removeValue(forKey: items["state"] ?? "") }
        guard let code = items["code"], let verifier else {
            return page("The sign-in has failed", items["error_description"] ?? items["error"] ?? "It is not open.", [])
        }
        var exchange = HTTPRequest(
            method: .post, scheme: request.scheme, authority: request.authority, path: "/oauth/token",
            fields: [.contentType: "application/x-www-form-urlencoded"],
            body: HTTPBody(
                FormEncoding.encode([
                    ("grant_type", "authorization_code"), ("client_id", "demo"), ("code", code),
                    ("redirect_uri", try issuer + Self.callbackPath), ("code_verifier", verifier),
                ])))
        exchange.context = request.context
        let answer = try await server.respond(to: exchange)
        let content = try JSONValue(parsing: try await answer.body.collected(upTo: 1 << 20))
        guard let token = content["id_token"]?.stringValue,
            let payload = token.split(separator: ".").dropFirst().first,
            case .object(let claims) = try JSONValue(parsing: try Base64URL.decode(payload))
        else {
            return page("The sign-in has failed", content["error_description"]?.stringValue ?? "No ID token came.", [])
        }
        return page(
            "You are signed in", "The demo client has an ID token with these claims, and an access token.",
            claims.map { claim in
                .init(
                    claim.key,
                    details: [claim.value.stringValue ?? String(decoding: claim.value.serialized(), as: UTF8.self)])
            })
    }

    private func page(_ title: String, _ text: String, _ entries: [HTMLSection.Entry]) -> HTTPResponse {
        HTMLPage(
            title, text: text, sections: entries.isEmpty ? [] : [HTMLSection("Claims", entries: entries)],
            links: [
                .init(Self.path, "Back"), .init(Self.signInPath, "Sign in again"),
                .init("/account", "Open the account"),
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
