// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchAuth
import LatchCore
import LatchHTTP
import LatchJOSE
import LatchTesting
import Testing

@testable import LatchIdentity

/// A user with an authenticator, and the session of an app.
struct PasskeyUser {
    let site: Site
    let authenticator: VirtualAuthenticator
    var origin = Site.issuer
    var access = ""

    /// Signs up an account, signs in by its password, and registers a passkey.
    static func registered(
        at site: Site, as email: String = "ada@example.com", behavior: VirtualAuthenticator.Behavior = .init()
    ) async throws -> PasskeyUser {
        let user = try await signedIn(at: site, as: email, behavior: behavior)
        try await expectEqual(user.register().status, 201)
        return user
    }

    /// Signs up an account, and signs in by its password.
    static func signedIn(
        at site: Site, as email: String = "ada@example.com", behavior: VirtualAuthenticator.Behavior = .init()
    ) async throws -> PasskeyUser {
        try await site.signUp(email)
        return PasskeyUser(
            site: site, authenticator: VirtualAuthenticator(behavior: behavior),
            access: try await site.logIn(email).access)
    }

    /// The options of a new passkey.
    func creationOptions() async throws -> JSONValue {
        let response = try await site.call(.post, "/api/auth/passkeys/options", bearer: access, [:])
        return try #require(response.json["publicKey"], "\(response.text)")
    }

    /// The options of a sign-in.
    func requestOptions() async throws -> JSONValue {
        try #require(try await site.post("/api/auth/passkeys/sign-in/options", [:]).json["publicKey"])
    }

    func created(_ options: JSONValue) throws -> JSONValue {
        try JSONValue(parsing: authenticator.create(Data(options.serialized()), origin: origin))
    }

    func signed(_ options: JSONValue) throws -> JSONValue {
        try JSONValue(parsing: authenticator.get(Data(options.serialized()), origin: origin))
    }

    /// A new response to the options of a sign-in.
    func assertion() async throws -> JSONValue { try signed(try await requestOptions()) }

    func send(_ created: JSONValue, name: String? = nil) async throws -> Response {
        var content: JSONObject = ["credential": created]
        if let name { content["name"] = .string(name) }
        return try await site.call(.post, "/api/auth/passkeys", bearer: access, .object(content))
    }

    func register(name: String? = nil) async throws -> Response {
        try await send(try created(try await creationOptions()), name: name)
    }

    func signIn(_ assertion: JSONValue, fields: HTTPFields = [:]) async throws -> Response {
        try await site.post("/api/auth/passkeys/sign-in", ["credential": assertion], fields: fields)
    }

    func signIn() async throws -> Response { try await signIn(try await assertion()) }

    func reauthenticate(_ assertion: JSONValue) async throws -> Response {
        try await site.call(.post, "/api/auth/reauthenticate", bearer: access, ["credential": assertion])
    }

    /// The passkeys, as the list has them.
    func list() async throws -> [JSONValue] {
        try #require(try await site.call(.get, "/api/auth/passkeys", bearer: access).json["passkeys"]?.arrayValue)
    }

    func remove(_ id: String) async throws -> Response {
        try await site.call(.delete, "/api/auth/passkeys/\(id)", bearer: access)
    }

    /// The identifier of the newest passkey.
    var newest: String { authenticator.credentialIDs.last ?? "" }
}

extension Site {
    /// A site whose public URL permits passkeys.
    static func withPasskeys(
        in folder: TemporaryFolder? = nil, hooks: IdentityHooks = IdentityHooks(),
        change: (inout IdentityConfiguration) -> Void = { _ in }
    ) async throws -> Site {
        try await Site(in: folder, hooks: hooks) {
            $0.issuer = issuer
            change(&$0)
        }
    }

    /// The newest entry of the audit log with an event; nil if there is none.
    func audited(_ event: String) async throws -> AuditRecord? {
        try await identity.audit.records(limit: 500).first { $0.event == event }
    }

    /// The subjects of the mails to an address.
    func mailSubjects(to email: String = "ada@example.com") async -> [String] {
        await identity.flushMails()
        return mailer.messages.filter { $0.recipient == email }.map(\.subject)
    }
}
