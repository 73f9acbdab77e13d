// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchFoundation
import LatchHTTP
package import LatchIdentityAccounts
package import LatchIdentityProvider
package import LatchIdentityStorage
import LatchJOSE
package import LatchServer

/// The routes with which administrators and their programs see and change what the server itself has.
package struct ServerAdministrationRoutes: Sendable {
    /// The number of emails in a response.
    private static let shownMails = 500

    package let limits: RateLimits
    package let store: IdentityStore
    package let accessTokens: AccessTokenIssuer
    package let mails: MailQueue
    package let keys: SigningKeyService
    package let upstreams: UpstreamClients
    package let notes: OperatorNotes
    package let audit: AuditService
    package let access: AdministrationAccess

    package init(
        limits: RateLimits, store: IdentityStore, accessTokens: AccessTokenIssuer, mails: MailQueue,
        keys: SigningKeyService, upstreams: UpstreamClients, notes: OperatorNotes, audit: AuditService,
        access: AdministrationAccess
    ) {
        self.limits = limits
        self.store = store
        self.accessTokens = accessTokens
        self.mails = mails
        self.keys = keys
        self.upstreams = upstreams
        self.notes = notes
        self.audit = audit
        self.access = access
    }

    /// Adds the routes.
    package func add(to router: inout Router) {
        router.group(prefix: "/api/admin", interceptors: limits.limiting(.token)) { routes in
            routes.get("/audit", .listAudit, listAudit)
            routes.get("/audit/verification", .verifyAudit, verifyAudit)
            routes.get("/mails", .listMails, listMails)
            routes.post("/mails/retry", .retryMails, retryMails)
            routes.get("/keys", .listKeys, listKeys)
            routes.post("/keys/rotate", .rotateKeys, rotateKeys)
            routes.get("/providers", .listProviders, listProviders)
            routes.post("/providers/{provider}/test", .testProvider, testProvider)
            routes.get("/settings", .listSettings, listSettings)
        }
    }

    // MARK: Audit

    @Sendable private func listAudit(_ request: HTTPRequest) async throws -> HTTPResponse {
        _ = try await access.administrator(request, for: .readAudit)
        let fields = request.queryItems
        func number(_ name: String, _ range: ClosedRange<Int64>) throws(IdentityError) -> Int64? {
            guard let text = fields[name] else { return nil }
            guard let number = Int64(text), range.contains(number) else {
                throw .invalid(name, "is not a number from \(range.lowerBound) to \(range.upperBound)")
            }
            return number
        }
        var query = AuditQuery(limit: Int(try number("limit", 1...1000) ?? 100))
        query.before = try number("before", 1...Int64.max)
        query.accountID = fields["account_id"]
        query.event = fields["event"]
        query.since = try fields["since"].map { text throws(IdentityError) in
            do { return try Date(text, strategy: .iso8601) } catch {
                throw .invalid("since", "is not a date such as 2026-11-23T07:00:00Z")
            }
        }
        let records = try await audit.records(query)
        return .json([
            "entries": .array(records.map(\.administrationJSON)),
            "next": records.count == query.limit ? records.last.map { .integer($0.id) } ?? .null : .null,
        ])
    }

    /// Checks that the entries were changed, removed or added only by the server.
    @Sendable private func verifyAudit(_ request: HTTPRequest) async throws -> HTTPResponse {
        _ = try await access.administrator(request, for: .readAudit)
        switch try await audit.verify() {
        case .intact(let count, let digest):
            return .json([
                "intact": true, "entries": .integer(Int64(count)), "digest": .string(Hex.encode(digest)),
            ])
        case .damaged(let id, let reason):
            return .json(["intact": false, "damaged_at": .integer(id), "reason": .string(reason)])
        }
    }

    // MARK: Emails

    @Sendable private func listMails(_ request: HTTPRequest) async throws -> HTTPResponse {
        _ = try await access.administrator(request, for: .readServer)
        let waiting = try await store.waitingMails(limit: Self.shownMails)
        return .json([
            "mails": .array(waiting.map(\.administrationJSON)),
            "total": .integer(Int64(try await store.mailCount())),
            "failing": .bool(mails.isFailing),
        ])
    }

    /// Sends the emails that wait without waiting any longer.
    @Sendable private func retryMails(_ request: HTTPRequest) async throws -> HTTPResponse {
        let caller = try await access.administrator(request, for: .writeServer)
        try await mails.retry(by: caller.actor.text)
        return .removed
    }

    // MARK: Keys

    @Sendable private func listKeys(_ request: HTTPRequest) async throws -> HTTPResponse {
        _ = try await access.administrator(request, for: .readServer)
        return .json(["keys": .array(try await keys.list().map(\.administrationJSON))])
    }

    /// Adds a signing key after the one in `after`, so that a repeated request makes no second one.
    @Sendable private func rotateKeys(_ request: HTTPRequest) async throws -> HTTPResponse {
        let caller = try await access.administrator(request, for: .writeServer)
        try caller.account.requireSuperAdministrator()
        let newest = try request.jsonObject().text("after")
        let id = try await keys.rotate(afterSeen: newest, by: caller.actor.text)
        return .json(["id": .string(id)], status: .created)
    }

    // MARK: Providers and settings

    @Sendable private func listProviders(_ request: HTTPRequest) async throws -> HTTPResponse {
        _ = try await access.administrator(request, for: .readServer)
        guard let issuer = accessTokens.issuer else { throw IdentityError.notReady }
        let list = upstreams.all.map { client -> JSONValue in
            [
                "name": .string(client.provider.name), "display_name": .string(client.provider.displayName),
                "callback_url": .string(UpstreamSignInService.callback(issuer, client.provider)),
            ]
        }
        return .json(["providers": .array(list)])
    }

    /// Requests the metadata and the keys of a provider, and checks the client and its secret.
    @Sendable private func testProvider(_ request: HTTPRequest) async throws -> HTTPResponse {
        _ = try await access.administrator(request, for: .writeServer)
        let name = request.pathParameter("provider") ?? ""
        guard let client = upstreams[name] else { throw IdentityError.noSuchProvider }
        return .json(await client.check(redirectURI: accessTokens.issuer).json)
    }

    @Sendable private func listSettings(_ request: HTTPRequest) async throws -> HTTPResponse {
        _ = try await access.administrator(request, for: .readServer)
        let settings = notes.settings.map { setting -> JSONValue in
            [
                "key": .string(setting.key), "value": .string(setting.value), "source": .string(setting.source),
                "is_default": .bool(setting.isStandard),
            ]
        }
        let warnings = notes.warnings.map { warning -> JSONValue in
            ["message": .string(warning.message), "hint": .string(warning.hint)]
        }
        return .json(["settings": .array(settings), "warnings": .array(warnings)])
    }
}
