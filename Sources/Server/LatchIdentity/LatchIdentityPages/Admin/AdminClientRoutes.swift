// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchFoundation
import LatchHTTP
package import LatchIdentityAccounts
package import LatchIdentityProvider
import LatchIdentityStorage
package import LatchServer
import LatchSignIn
import LatchTexts

/// The pages on which administrators register and change the clients in the store.
///
/// Administrators see them. Only a `super_admin` changes them, since a client of the operator can get tokens of every
/// user.
package struct AdminClientRoutes: Sendable {
    static let path = "/admin/clients"
    /// It is not below the path of the clients, which may have any name.
    private static let creation = "\(AdminRoutes.path)/new-client"

    package let limits: RateLimits
    package let clients: ClientService
    package let admins: AdminSessions

    package init(limits: RateLimits, clients: ClientService, admins: AdminSessions) {
        self.limits = limits
        self.clients = clients
        self.admins = admins
    }

    /// The kinds of clients that the page registers; any other is a matter of `latch admin client`.
    private enum Kind: String, CaseIterable {
        /// An application with a server, which keeps a secret.
        case web
        /// An app on a device or a page without a server, which keeps none.
        case app
        /// A service that acts for no user.
        case service

        var phrase: Phrase {
            switch self {
            case .web: Phrase("page.admin.client.web")
            case .app: Phrase("page.admin.client.app")
            case .service: Phrase("page.admin.client.service")
            }
        }

        /// The members that the kind has, besides what the form asks for.
        var members: JSONObject {
            switch self {
            case .web: ["confidential": true, "grants": ["authorization_code", "refresh_token"]]
            case .app: ["grants": ["authorization_code", "refresh_token"]]
            case .service: ["confidential": true, "grants": ["client_credentials"]]
            }
        }
    }

    package func add(to router: inout Router) {
        router.group(interceptors: limits.pages(limiting: .page, in: admins.context)) { reads in
            reads.get(Self.path, list)
            reads.get(Self.creation, showCreation)
            reads.get("\(Self.path)/{client}", show)
            reads.get("\(Self.path)/{client}/edit", showEditor)
        }
        router.group(interceptors: limits.pages(limiting: .link, in: admins.context)) { changes in
            changes.post(Self.creation, create)
            changes.post("\(Self.path)/{client}", press)
            changes.post("\(Self.path)/{client}/edit", edit)
        }
    }

    private static func path(of id: String) -> String {
        "\(path)/\(PercentEncoding.encode(id.utf8))"
    }

    // MARK: The list

    @Sendable private func list(_ request: HTTPRequest) async throws -> HTTPResponse {
        try await admins.visiting(Self.path, request) { session throws(IdentityError) in
            let after = request.queryItems["after"]
            let found = try await clients.list(after: after, limit: 51)
            let context = admins.context.accepting(request)
            let texts = context.texts
            let shown = found.prefix(50)
            let next = found.count > 50 ? shown.last : nil
            return HTMLPage(
                Phrase("page.admin.clients.title"), text: Phrase("page.admin.clients.text"),
                sections: [
                    HTMLSection(
                        texts(Phrase("page.admin.clients.stored")),
                        text: shown.isEmpty ? texts(Phrase("page.admin.clients.none")) : nil,
                        entries: shown.map { registered in
                            let name = registered.client.presentation.name(in: texts.language)
                            return .init(
                                name ?? registered.client.id,
                                details: [
                                    registered.client.id, registered.problem,
                                    texts(Phrase("page.admin.users.created", .date(registered.row.createdAt))),
                                ].compactMap(\.self),
                                mark: registered.row.isSelfRegistered
                                    ? texts(Phrase("page.admin.clients.self")) : nil,
                                links: [
                                    HTMLPage.Link(
                                        context.url(Self.path(of: registered.client.id)),
                                        texts(Phrase("page.account.show")))
                                ])
                        })
                ],
                links: [
                    next.map {
                        ("\(Self.path)?\(FormEncoding.encode([("after", $0.client.id)]))", Phrase("page.admin.next"))
                    },
                    session.account.isSuperAdministrator ? (Self.creation, Phrase("page.admin.client.create")) : nil,
                    (AdminRoutes.path, Phrase("page.admin.back")),
                ].compactMap(\.self), in: context
            ).response()
        }
    }

    // MARK: A new client

    @Sendable private func showCreation(_ request: HTTPRequest) async throws -> HTTPResponse {
        try await admins.visiting(Self.creation, request, needsRecentLogin: true) { session throws(IdentityError) in
            try session.account.requireSuperAdministrator()
            return try creationPage(in: session, request)
        }
    }

    @Sendable private func create(_ request: HTTPRequest) async throws -> HTTPResponse {
        try await admins.changing(
            Self.creation, request,
            orShowing: { submission, error throws(IdentityError) in
                try creationPage(in: submission.session, request, submission, problem: error)
            }
        ) { submission, own in
            try own.account.requireSuperAdministrator()
            guard let kind = Kind(rawValue: try submission.text("kind")) else { throw IdentityError.invalidInput }
            var members = kind.members
            members["id"] = .string(try submission.text("id"))
            let name = try submission.text("name")
            if !name.isEmpty { members["client_name"] = .string(name) }
            let redirects = try submission.text("redirects").utf8.split { " \t\r\n".utf8.contains($0) }
            if !redirects.isEmpty { members["redirects"] = .array(redirects.map { .string(String(Substring($0))) }) }
            let client = try OAuthClient.reading(members) { .invalidInput($0) }
            let made = try await ClientService.stating { () throws(IdentityError) in
                try await clients.create(client, by: own.accountID)
            }
            return secretPage(made, request)
        }
    }

    private func creationPage(
        in session: ActivePageSession, _ request: HTTPRequest, _ submission: AccountSessions.Submission? = nil,
        problem: IdentityError? = nil
    ) throws(IdentityError) -> HTTPResponse {
        try admins.sessions.form(Self.creation, in: session, request, problem: problem) { token, context in
            let texts = context.texts
            func typed(_ name: String) -> String { submission?.fields[name] ?? "" }
            return HTMLPage(
                Phrase("page.admin.client.create"), text: Phrase("page.admin.client.text"),
                problem: problem.map(Self.problem),
                action: (Self.creation, Phrase("page.admin.client.submit")), carrying: token,
                fields: [
                    .choice(
                        "kind", label: texts(Phrase("page.admin.client.kind")),
                        options: Kind.allCases.map { ($0.rawValue, texts($0.phrase)) }, value: typed("kind")),
                    .identifier("id", label: texts(Phrase("page.admin.client.id")), value: typed("id")),
                    .title(
                        "name", label: texts(Phrase("page.account.name")),
                        hint: texts(Phrase("page.admin.client.name.hint")), value: typed("name")),
                    .lines(
                        "redirects", label: texts(Phrase("page.admin.client.redirects")),
                        hint: texts(Phrase("page.admin.client.redirects.hint")), value: typed("redirects")),
                ],
                links: [(Self.path, Phrase("page.admin.clients.title"))], in: context)
        }
    }

    /// Returns the page with the ID and the secret of a client, which is shown only here.
    private func secretPage(
        _ made: ClientService.Registered, _ request: HTTPRequest
    ) -> HTTPResponse {
        let context = admins.context.accepting(request)
        let texts = context.texts
        let issuer = admins.sessions.signInPages.accessTokens.issuer
        let values: [(String?, String)] = [
            (made.client.id, "page.admin.client.id"), (made.secret, "page.admin.client.secret.label"),
            (issuer, "page.admin.client.issuer"),
            (issuer.map { "\($0.withoutFinalSlash)/.well-known/openid-configuration" }, "page.admin.client.discovery"),
        ]
        return HTMLPage(
            Phrase("page.admin.client.made"),
            text: made.secret == nil ? Phrase("page.admin.client.public") : Phrase("page.admin.client.secret"),
            sections: [
                HTMLSection(
                    texts(Phrase("page.admin.client.codes")),
                    entries: values.compactMap { value, label in
                        value.map { .init($0, details: [texts(Phrase(label))]) }
                    })
            ],
            links: [
                (Self.path(of: made.client.id), Phrase("page.admin.client.show")),
                (Self.path, Phrase("page.admin.clients.title")),
            ], in: context
        ).response()
    }

    // MARK: One client

    @Sendable private func show(_ request: HTTPRequest) async throws -> HTTPResponse {
        let id = request.pathParameter("client") ?? ""
        return try await admins.visiting(Self.path(of: id), request) { session throws(IdentityError) in
            try await page(of: id, in: session, request)
        }
    }

    /// Handles a button.
    @Sendable private func press(_ request: HTTPRequest) async throws -> HTTPResponse {
        let id = request.pathParameter("client") ?? ""
        return try await admins.changing(
            Self.path(of: id), request,
            orShowing: { submission, error throws(IdentityError) in
                try await page(of: id, in: submission.session, request, problem: error)
            }
        ) { submission, own in
            try own.account.requireSuperAdministrator()
            if let pressed = try submission.fields.single("rotate").map(PressedButton.init) {
                guard pressed.isSure else {
                    return try admins.question(
                        Self.path(of: id), Phrase("page.admin.client.rotation"),
                        rotation(pressed.value, admins.context.accepting(request)), in: submission.session, request)
                }
                let made = try await clients.rotateSecret(of: id, from: pressed.value, by: own.accountID)
                return secretPage(made, request)
            }
            guard let pressed = try submission.fields.single("remove").map(PressedButton.init) else {
                return try await page(of: id, in: submission.session, request)
            }
            guard pressed.isSure else {
                _ = try await clients.listed(id)
                return try admins.question(
                    Self.path(of: id), Phrase("page.admin.client.removal", .text(id)),
                    removal(admins.context.accepting(request)), in: submission.session, request)
            }
            try await clients.delete(id, by: own.accountID)
            return .seeOther(admins.context.url(Self.path))
        }
    }

    /// The button that makes another secret of the client of a version: a second press would end the one in use.
    private func rotation(_ version: String, _ context: PageContext) -> HTMLPage.Button<String> {
        .init("rotate", context.texts(Phrase("page.admin.client.rotate")), value: version)
    }

    private func removal(_ context: PageContext) -> HTMLPage.Button<String> {
        .init("remove", context.texts(Phrase("page.admin.client.remove")))
    }

    private func page(
        of id: String, in session: ActivePageSession, _ request: HTTPRequest, notice: Phrase? = nil,
        problem: IdentityError? = nil
    ) async throws(IdentityError) -> HTTPResponse {
        let registered = try await clients.listed(id)
        let context = admins.context.accepting(request)
        let texts = context.texts
        let client = registered.client
        let members = client.table.filter { $0.key != "id" }.map { member in
            HTMLSection.Entry(member.key, details: [String(decoding: member.value.serialized(), as: UTF8.self)])
        }
        let secrets = registered.row.secrets.map { secret in
            HTMLSection.Entry(
                texts(Phrase("page.admin.users.created", .date(secret.createdAt))),
                details: [secret.endsAt.map { texts(Phrase("page.admin.client.ends", .text($0.textInUTC))) }]
                    .compactMap(\.self))
        }
        let mayChange = session.account.isSuperAdministrator
        return try admins.page(
            Self.path(of: id),
            Phrase("page.admin.title.of", .text(client.presentation.name(in: texts.language) ?? id)),
            text: Phrase("page.admin.client.idIs", .text(id)),
            sections: [
                HTMLSection(
                    texts(Phrase("page.admin.client.members")), text: registered.problem, entries: members),
                HTMLSection(
                    texts(Phrase("page.admin.client.secrets")),
                    text: secrets.isEmpty ? texts(Phrase("page.admin.client.noSecret")) : nil, entries: secrets,
                    button: mayChange && !secrets.isEmpty ? rotation(registered.row.version, context) : nil),
            ],
            others: mayChange ? [removal(context)] : [],
            links: mayChange && registered.problem == nil
                ? [(Self.editing(id), Phrase("page.admin.client.edit"))] : [],
            back: (Self.path, Phrase("page.admin.clients.title")), in: session, request, notice: notice,
            problem: problem)
    }

    // MARK: Changes

    private static func editing(_ id: String) -> String { "\(path(of: id))/edit" }

    @Sendable private func showEditor(_ request: HTTPRequest) async throws -> HTTPResponse {
        let id = request.pathParameter("client") ?? ""
        return try await admins.visiting(Self.editing(id), request, needsRecentLogin: true) {
            session throws(IdentityError) in
            try session.account.requireSuperAdministrator()
            let registered = try await clients.client(id)
            var members = registered.client.table
            members["id"] = nil
            return try editor(
                of: id, JSONValue.object(members).indentedText, version: registered.row.version, in: session, request)
        }
    }

    /// Replaces the members of a client by those of the form.
    @Sendable private func edit(_ request: HTTPRequest) async throws -> HTTPResponse {
        let id = request.pathParameter("client") ?? ""
        return try await admins.changing(
            Self.editing(id), request,
            orShowing: { submission, error throws(IdentityError) in
                try editor(
                    of: id, submission.fields["members"] ?? "", version: submission.fields["version"] ?? "",
                    in: submission.session, request, problem: error)
            }
        ) { submission, own in
            try own.account.requireSuperAdministrator()
            var members: JSONObject
            do {
                guard case .object(let typed) = try JSONValue(parsing: Array(try submission.text("members").utf8))
                else {
                    throw IdentityError.invalidInput("the members are not a JSON object")
                }
                members = typed
            } catch let error as JSONError {
                throw IdentityError.invalidInput("the members are not JSON: \(error)")
            }
            members["id"] = .string(id)
            let client = try OAuthClient.reading(members) { .invalidInput($0) }
            let version = try submission.text("version")
            let made = try await ClientService.stating { () throws(IdentityError) in
                try await clients.update(client, from: version, by: own.accountID)
            }
            // A client that now authenticates with a secret has its first one.
            guard made.secret == nil else { return secretPage(made, request) }
            return try await page(
                of: id, in: submission.session, request, notice: Phrase("page.admin.client.changed"))
        }
    }

    private func editor(
        of id: String, _ members: String, version: String, in session: ActivePageSession, _ request: HTTPRequest,
        problem: IdentityError? = nil
    ) throws(IdentityError) -> HTTPResponse {
        try admins.sessions.form(Self.editing(id), in: session, request, problem: problem) { token, context in
            HTMLPage(
                Phrase("page.admin.client.edit"), text: Phrase("page.admin.client.idIs", .text(id)),
                problem: problem.map(Self.problem), invalidFields: ["members"],
                action: (Self.editing(id), Phrase("page.admin.client.save")), carrying: token,
                fields: [
                    .hidden("version", version),
                    .lines(
                        "members", label: context.texts(Phrase("page.admin.client.json")),
                        hint: context.texts(Phrase("page.admin.client.json.hint")), value: members, rows: 16),
                ],
                links: [(Self.path(of: id), Phrase("page.admin.client.show"))], in: context)
        }
    }

    /// Returns an error about a member of a client with its own message, which is in English, for developers.
    private static func problem(_ error: IdentityError) -> Phrase {
        [.invalidInput, .unusableSetting("", "")].contains(error)
            ? Phrase("page.admin.client.unusable", .text(error.message)) : error.pageProblem
    }
}
