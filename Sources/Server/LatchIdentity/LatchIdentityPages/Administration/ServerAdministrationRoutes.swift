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
    package let store: IdentityStore
    package let accessTokens: AccessTokenIssuer
    package let mails: MailQueue
    package let keys: SigningKeyService
    package let upstreams: UpstreamClients
    package let notes: OperatorNotes
    package let audit: AuditService
    package let access: AdministrationAccess

    package init(
        store: IdentityStore, accessTokens: AccessTokenIssuer, mails: MailQueue,
        keys: SigningKeyService, upstreams: UpstreamClients, notes: OperatorNotes, audit: AuditService,
        access: AdministrationAccess
    ) {
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
        router.group(prefix: "/api/admin", interceptors: access.limiting(.token)) { routes in
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
        let range = try ListRange(fields)
        var query = AuditQuery(limit: range.readLimit)
        query.before = try range.after.map { text throws(IdentityError) in
            guard let id = Int64(text), id > 0 else { throw .invalidCursor }
            return id
        }
        query.accountID = fields["account_id"]
        query.event = fields["event"]
        query.since = try fields["since"].map { text throws(IdentityError) in
            do { return try Date(text, strategy: .iso8601) } catch {
                throw .invalid("since", "is not a date such as 2026-11-23T07:00:00Z")
            }
        }
        let records = try await audit.records(query)
        return range.response("entries", records) {
            $0.last.map { "\($0.id)" } ?? ""
        } json: {
            $0.administrationJSON
        }
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
        let caller = try await access.administrator(request, for: .readServer)
        let range = try ListRange(request.queryItems)
        let position = try range.after.map { text throws(IdentityError) in
            let position = try DatedPosition(text)
            guard let count = UInt32(position.rest) else { throw .invalidCursor }
            return (date: position.date, count: Int(count))
        }
        let waiting = try await store.waitingMails(
            from: position?.date, passingOver: position?.count ?? 0, limit: range.readLimit)
        let members: JSONObject = [
            "total": .integer(Int64(try await store.mailCount())),
            // The operator's command sends no emails.
            "failing": caller.account == nil ? .null : .bool(mails.isFailing),
        ]
        return range.response("mails", waiting, adding: members) { shown in
            guard let last = shown.last?.nextAttemptAt else { return "" }
            let count = shown.count { $0.nextAttemptAt == last }
            return DatedPosition(last, "\(count + (position?.date == last ? position?.count ?? 0 : 0))").text
        } json: {
            $0.administrationJSON
        }
    }

    /// Sends the emails that wait without waiting any longer.
    @Sendable private func retryMails(_ request: HTTPRequest) async throws -> HTTPResponse {
        let caller = try await access.administrator(request, for: .writeServer)
        try await mails.retry(by: caller.name)
        return .removed
    }

    // MARK: Keys

    @Sendable private func listKeys(_ request: HTTPRequest) async throws -> HTTPResponse {
        _ = try await access.administrator(request, for: .readServer)
        let algorithm = keys.algorithmOfAccessTokens
        let list = try await keys.list().map { $0.administrationJSON(signingAccessTokensWith: algorithm) }
        return .json(["keys": .array(list)])
    }

    /// Adds a signing key after the one in `after`, so that a repeated request makes no second one.
    ///
    /// `compromised` ends the keys before it.
    @Sendable private func rotateKeys(_ request: HTTPRequest) async throws -> HTTPResponse {
        let caller = try await access.administrator(request, for: .writeServer)
        if let account = caller.account { try account.requireSuperAdministrator() }
        let body = try request.jsonObject()
        let (newest, isCompromised) = (try body.text("after"), try body.flag("compromised") ?? false)
        let id = try await keys.rotate(afterSeen: newest, isCompromised: isCompromised, by: caller.actor?.text)
        // A key is shown in the list only.
        return access.created(["id": .string(id)], at: "/api/admin/keys")
    }

    // MARK: Providers and settings

    @Sendable private func listProviders(_ request: HTTPRequest) async throws -> HTTPResponse {
        let caller = try await access.administrator(request, for: .readServer)
        let issuer = accessTokens.issuer
        // The operator may have no public URL yet.
        guard issuer != nil || caller.account == nil else { throw IdentityError.notReady }
        let list = upstreams.all.map { client -> JSONValue in
            var json: JSONObject = [
                "name": .string(client.provider.name), "display_name": .string(client.provider.displayName),
            ]
            json["callback_url"] = issuer.map { .string(UpstreamSignInService.callback($0, client.provider)) }
            return .object(json)
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
