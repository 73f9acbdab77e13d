// SPDX-License-Identifier: Apache-2.0

import LatchHTTP
package import LatchIdentityAccounts
import LatchIdentityProvider
import LatchIdentityStorage
package import LatchServer
import LatchSignIn
import LatchTexts

/// The pages on which administrators make and end API keys.
package struct AdminKeyRoutes: Sendable {
    static let path = "\(AdminRoutes.path)/api-keys"
    private static let creation = "\(path)/new"
    /// The lifetimes in days that the form offers.
    private static let days = [1, 30, 90, 365]

    package let limits: RateLimits
    package let keys: APIKeyService
    package let admins: AdminSessions

    package init(limits: RateLimits, keys: APIKeyService, admins: AdminSessions) {
        self.limits = limits
        self.keys = keys
        self.admins = admins
    }

    package func add(to router: inout Router) {
        router.group(interceptors: limits.pages(limiting: .page, in: admins.context)) { reads in
            reads.get(Self.path, list)
            reads.get(Self.creation, showCreation)
        }
        router.group(interceptors: limits.pages(limiting: .link, in: admins.context)) { changes in
            changes.post(Self.path, press)
            changes.post(Self.creation, create)
        }
    }

    // MARK: The list

    @Sendable private func list(_ request: HTTPRequest) async throws -> HTTPResponse {
        try await admins.visiting(Self.path, request) { session throws(IdentityError) in
            try await page(in: session, request)
        }
    }

    /// Handles a button, which ends a key.
    @Sendable private func press(_ request: HTTPRequest) async throws -> HTTPResponse {
        try await admins.changing(
            Self.path, request,
            orShowing: { submission, error throws(IdentityError) in
                try await page(in: submission.session, request, problem: error)
            }
        ) { submission, own in
            guard let pressed = try submission.fields.single("end").map(PressedButton.init) else {
                return try await page(in: submission.session, request)
            }
            guard pressed.isSure else {
                return try admins.question(
                    Self.path, Phrase("page.admin.apiKey.ending"), ending(pressed.value, request),
                    in: submission.session, request)
            }
            try await keys.remove(pressed.value, by: own.actor)
            return try await page(in: submission.session, request, notice: Phrase("page.admin.apiKey.ended"))
        }
    }

    private func ending(_ id: String, _ request: HTTPRequest) -> HTMLPage.Button<String> {
        .init("end", admins.context.accepting(request).texts(Phrase("page.admin.apiKey.end")), value: id)
    }

    private func page(
        in session: ActivePageSession, _ request: HTTPRequest, notice: Phrase? = nil, problem: IdentityError? = nil
    ) async throws(IdentityError) -> HTTPResponse {
        let found = try await keys.list(for: session.account)
        let texts = admins.context.accepting(request).texts
        let entries = found.map { key in
            HTMLSection.Entry(
                key.name,
                details: [
                    key.scope, texts(Phrase("page.admin.users.created", .date(key.createdAt))),
                    texts(Phrase("page.admin.client.ends", .text(key.expiresAt.textInUTC))),
                    key.lastUsedAt.map { texts(Phrase("page.admin.apiKey.used", .text($0.textInUTC))) }
                        ?? texts(Phrase("page.admin.apiKey.unused")),
                ], button: ending(key.id, request))
        }
        return try admins.page(
            Self.path, Phrase("page.admin.apiKeys.title"), text: Phrase("page.admin.apiKeys.text"),
            sections: [
                HTMLSection(
                    texts(Phrase("page.admin.apiKeys.list")),
                    text: entries.isEmpty ? texts(Phrase("page.admin.apiKeys.none")) : nil, entries: entries)
            ],
            links: [(Self.creation, Phrase("page.admin.apiKey.create"))], in: session, request, notice: notice,
            problem: problem)
    }

    // MARK: A new key

    @Sendable private func showCreation(_ request: HTTPRequest) async throws -> HTTPResponse {
        try await admins.visiting(Self.creation, request, needsRecentLogin: true) { session throws(IdentityError) in
            try creationPage(in: session, request)
        }
    }

    @Sendable private func create(_ request: HTTPRequest) async throws -> HTTPResponse {
        try await admins.changing(
            Self.creation, request,
            orShowing: { submission, error throws(IdentityError) in
                try creationPage(in: submission.session, request, submission, problem: error)
            }
        ) { submission, own in
            let scopes = try AdministrationScope.allCases.map(\.rawValue).filter {
                try submission.fields.single($0) != nil
            }
            guard let days = Int(try submission.text("days")), Self.days.contains(days) else {
                throw IdentityError.invalidInput
            }
            let made = try await keys.make(
                try submission.text("name"), scopes: scopes, lifetime: days * 86_400, for: own.account, by: own.actor,
                causedBy: submission.origin.mailCause)
            let context = admins.context.accepting(request)
            return HTMLPage(
                Phrase("page.admin.apiKey.made"), text: Phrase("page.admin.apiKey.once"),
                sections: [
                    HTMLSection(
                        made.key.name,
                        entries: [
                            .init(
                                made.text,
                                details: [
                                    made.key.scope,
                                    context.texts(
                                        Phrase("page.admin.client.ends", .text(made.key.expiresAt.textInUTC))),
                                ])
                        ])
                ],
                links: [(Self.path, Phrase("page.admin.apiKeys.title"))], in: context
            ).response()
        }
    }

    private func creationPage(
        in session: ActivePageSession, _ request: HTTPRequest, _ submission: AccountSessions.Submission? = nil,
        problem: IdentityError? = nil
    ) throws(IdentityError) -> HTTPResponse {
        try admins.sessions.form(Self.creation, in: session, request, problem: problem) { token, context in
            let texts = context.texts
            let boxes = AdministrationScope.allCases.filter { session.account.role >= $0.minimumRole }.map { scope in
                HTMLField.box(
                    scope.rawValue, label: "\(texts(scope.phrase)) (\(scope.rawValue))",
                    isChecked: submission?.fields[scope.rawValue] != nil)
            }
            return HTMLPage(
                Phrase("page.admin.apiKey.create"), text: Phrase("page.admin.apiKey.text"),
                problem: problem.map { $0.field == nil ? $0.pageProblem : Phrase("page.admin.apiKey.incomplete") },
                action: (Self.creation, Phrase("page.admin.apiKey.submit")), carrying: token,
                fields: [
                    .title(
                        "name", label: texts(Phrase("page.account.name")),
                        hint: texts(Phrase("page.admin.apiKey.name.hint")), value: submission?.fields["name"] ?? ""),
                    .choice(
                        "days", label: texts(Phrase("page.admin.apiKey.lifetime")),
                        options: Self.days.map { ("\($0)", texts(Phrase("page.admin.apiKey.days", .count($0)))) },
                        value: submission?.fields["days"] ?? "90"),
                ] + boxes,
                links: [(Self.path, Phrase("page.admin.apiKeys.title"))], in: context)
        }
    }
}

extension AdministrationScope {
    fileprivate var phrase: Phrase {
        switch self {
        case .readUsers: Phrase("page.admin.scope.readUsers")
        case .writeUsers: Phrase("page.admin.scope.writeUsers")
        case .readClients: Phrase("page.admin.scope.readClients")
        case .writeClients: Phrase("page.admin.scope.writeClients")
        case .readServer: Phrase("page.admin.scope.readServer")
        case .writeServer: Phrase("page.admin.scope.writeServer")
        case .readAudit: Phrase("page.admin.scope.readAudit")
        }
    }
}
