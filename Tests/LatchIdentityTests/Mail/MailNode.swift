// SPDX-License-Identifier: Apache-2.0

import Foundation
import IdentityTestSupport
import LatchCore
import LatchHTTP
import LatchTesting
import TestSupport

@testable import LatchIdentity

/// A server over a store that outlives it, with a mail server of its own.
struct MailNode {
    let identity: Identity
    let folder: TemporaryFolder
    let clock: ManualClock
    let mailer: UnreliableMailer

    init(
        in folder: TemporaryFolder, clock: ManualClock = ManualClock(noon), mailer: UnreliableMailer,
        change: (inout IdentityConfiguration) -> Void = { _ in }
    ) async throws {
        var configuration = IdentityConfiguration()
        configuration.argon2MemoryKiB = 64
        configuration.argon2Passes = 1
        configuration.issuer = "https://id.example.com"
        change(&configuration)
        self.folder = folder
        self.clock = clock
        self.mailer = mailer
        identity = try await Identity(
            configuration: configuration, storePath: folder.file(), mailer: mailer, clock: clock.wallClock())
    }

    private func send(_ method: HTTPMethod, _ path: String, _ json: JSONValue? = nil) async throws -> Response {
        Response(
            try await identity.handler.respond(
                to: HTTPRequest(
                    method: method, scheme: "https", authority: "id.example.com", path: path,
                    fields: json == nil ? [:] : [.contentType: "application/json"],
                    body: json.map { HTTPBody($0.serialized()) } ?? .empty)))
    }

    func post(_ path: String, _ json: JSONValue) async throws -> Response { try await send(.post, path, json) }
    func get(_ path: String) async throws -> Response { try await send(.get, path) }

    func forget(_ email: String) async throws -> Int {
        try await post("/api/auth/forgot-password", ["email": .string(email)]).status
    }

    /// The number of waiting mails, as the health check shows it.
    var waiting: Int? {
        get async throws {
            guard case .integer(let count)? = try await get("/healthz").json["mail"]?.objectValue?["waiting"] else {
                return nil
            }
            return Int(count)
        }
    }

    /// Lets time pass in steps in which attempts fall due.
    func pass(_ seconds: Int, step: Int = 60) async {
        for _ in 0..<(seconds / step) {
            clock.advance(by: .seconds(step))
            await identity.services.mails.flush()
        }
    }

    func audited() async throws -> [String] {
        let store = identity.services.store
        return try await store.all("SELECT event FROM audit ORDER BY id", []) { row throws(IdentityError) in
            try row.text(0)
        }
    }
}
