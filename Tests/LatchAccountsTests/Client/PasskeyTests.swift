// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAuth
import LatchCore
import LatchHTTP
import LatchJOSE
import LatchTesting
import Synchronization
import Testing

@testable import LatchAccounts

/// The device's part, as a test decides it.
private final class ScriptedPasskeys: PasskeyProvider {
    let asked = Mutex<[(PasskeyRequestOptions, PasskeyMediation)]>([])
    private let sign: @Sendable (Int) async throws -> PasskeyAssertion

    /// Creates a provider whose `sign` gets the number of the request, from 1.
    init(_ sign: @escaping @Sendable (Int) async throws -> PasskeyAssertion) { self.sign = sign }

    func create(_ options: PasskeyCreationOptions) async throws -> PasskeyRegistration {
        PasskeyRegistration(
            credentialID: [1, 2], clientDataJSON: options.challenge, attestationObject: options.user.handle)
    }

    func get(_ options: PasskeyRequestOptions, mediation: PasskeyMediation) async throws -> PasskeyAssertion {
        let count = asked.withLock {
            $0.append((options, mediation))
            return $0.count
        }
        return try await sign(count)
    }
}

@Suite(.timeLimit(.minutes(1))) struct PasskeyTests {
    private let folder = "/api/auth/passkeys"
    private static let assertion = PasskeyAssertion(
        credentialID: [1, 2], clientDataJSON: [3], authenticatorData: [4], signature: [5], userHandle: [6])

    private func signIns(_ backend: ScriptedBackend) {
        backend.on(
            "\(folder)/sign-in/options", .ok,
            ["publicKey": ["challenge": "AQID", "rpId": "id.example.com", "timeout": 300_000]])
        backend.on("\(folder)/sign-in", .ok, ["accessToken": "a", "refreshToken": "r"])
    }

    @Test func `A client with passkeys signs in by the signature of a challenge, without a name`() async throws {
        let backend = ScriptedBackend()
        signIns(backend)
        let passkeys = ScriptedPasskeys { _ in Self.assertion }
        let auth = try backend.client()
        try await auth.signIn(withPasskeyFrom: passkeys)
        expectEqual(auth.session.currentState.credential?.refresh, "r")
        let asked = passkeys.asked.withLock { $0 }
        #expect(asked.map(\.1) == [.modal] && asked.first?.0.challenge == [1, 2, 3])
        #expect(asked.first?.0.relyingPartyID == "id.example.com" && asked.first?.0.userVerification == "preferred")
        let sent = try #require(try backend.contents(of: "\(folder)/sign-in").first?["credential"])
        #expect(sent["id"] == "AQI" && sent["rawId"] == "AQI" && sent["type"] == "public-key")
        expectEqual(
            sent["response"],
            [
                "clientDataJSON": "Aw", "authenticatorData": "BA", "signature": "BQ", "userHandle": "Bg",
            ])
        expectEqual(sent["clientExtensionResults"], [:])
        #expect(backend.requests.allSatisfy { $0.fields[.authorization] == nil })
        #expect(!"\(Self.assertion)".contains("BQ") && Self.assertion.customMirror.children.isEmpty)
    }

    @Test(arguments: [AccountError.passkeyCancelled, .noPasskey])
    func `A client with passkeys stores nothing if the user chooses another way`(
        error: AccountError
    ) async throws {
        let backend = ScriptedBackend()
        signIns(backend)
        let auth = try backend.client()
        await #expect(throws: error) { try await auth.signIn(withPasskeyFrom: ScriptedPasskeys { _ in throw error }) }
        #expect(!auth.session.currentState.isSignedIn && backend.requests.count == 1)
    }

    @Test func `A client with passkeys says that the server refuses a passkey`() async throws {
        let backend = ScriptedBackend()
        signIns(backend)
        backend.on("\(folder)/sign-in", .unauthorized, ["code": "aCodeOfTheServer"])
        backend.on("/api/auth/reauthenticate", .unauthorized, ["code": "aCodeOfTheServer"])
        let auth = try backend.client()
        let passkeys = ScriptedPasskeys { _ in Self.assertion }
        await #expect(throws: AccountError.passkeyRefused) { try await auth.signIn(withPasskeyFrom: passkeys) }
        backend.on("\(folder)/sign-in/options", .ok, ["publicKey": ["challenge": "AQID"]])
        await #expect(throws: AccountError.invalidResponse) { try await auth.signIn(withPasskeyFrom: passkeys) }
    }

    @Test
    func `A client with passkeys waits for a suggestion as long as needed, always with a fresh challenge`() async throws
    {
        let backend = ScriptedBackend()
        signIns(backend)
        // The first request ends with its challenge, the second one by the user's choice.
        let passkeys = ScriptedPasskeys { number in
            if number == 1 { try await untilCancelled() }
            return Self.assertion
        }
        let waits = Mutex<[Duration]>([])
        let auth = try backend.client(
            clock: ManualClock().leapingClock { wait in waits.withLock { $0.append(wait) } })
        try await expectEqual(auth.passkeyAssertion(from: passkeys, mediation: .conditional), Self.assertion)
        expectEqual(waits.withLock { $0.first }, .seconds(225))
        expectEqual(backend.requests(to: "\(folder)/sign-in/options").count, 2)
        expectEqual(passkeys.asked.withLock { $0.map(\.1) }, [.conditional, .conditional])
    }

    @Test func `A client with passkeys ends a suggestion with its task`() async throws {
        let backend = ScriptedBackend()
        signIns(backend)
        let auth = try backend.client(clock: ManualClock().wallClock())
        let (started, starts) = AsyncStream.makeStream(of: Void.self)
        let passkeys = ScriptedPasskeys { _ in
            starts.finish()
            try await untilCancelled()
            return Self.assertion
        }
        let task = Task { try await auth.signIn(withPasskeyFrom: passkeys, mediation: .conditional) }
        for await _ in started {}
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(backend.requests(to: "\(folder)/sign-in").isEmpty)
    }

    @Test func `A client with passkeys adds, lists, renames and removes passkeys of the signed-in user`() async throws {
        let backend = ScriptedBackend()
        let options: JSONValue = [
            "rp": ["id": "id.example.com", "name": "Notes"], "challenge": "AQID",
            "user": ["id": "Bw", "name": "ada@example.com", "displayName": "Ada"],
            "excludeCredentials": [["id": "CA", "type": "public-key"]],
            "authenticatorSelection": ["userVerification": "required"],
        ]
        let passkey: JSONValue = [
            "id": "AQI", "name": "Phone", "createdAt": "2026-01-02T03:04:05Z", "isBackedUp": true, "isSynced": true,
        ]
        backend.on("\(folder)/options", .ok, ["publicKey": options])
        backend.on(folder) { request in
            let json: JSONValue = request.method == .get ? ["passkeys": [passkey]] : passkey
            return HTTPResponse(status: request.method == .get ? .ok : .created, body: HTTPBody(json.serialized()))
        }
        backend.on("\(folder)/a%2Fb") { request in
            let json: JSONValue = request.method == .patch ? passkey : ["message": "removed"]
            return HTTPResponse(status: .ok, body: HTTPBody(json.serialized()))
        }
        let auth = try backend.client()
        try await auth.session.signIn(Tokens(access: "a", refresh: "r"))
        let added = try await auth.addPasskey(from: ScriptedPasskeys { _ in Self.assertion }, named: "Phone")
        #expect(added.id == "AQI" && added.isSynced && added.isBackedUp && added.lastUsedAt == nil)
        expectEqual(added.createdAt, Date(timeIntervalSince1970: 1_767_323_045))
        try await expectEqual(auth.passkeys(), [added])
        try await expectEqual(auth.renamePasskey("a/b", to: "Phone"), added)
        try await auth.removePasskey("a/b")
        let sent = try JSONValue(parsing: backend.requests(to: folder)[0].body.bytes)
        #expect(sent["name"] == "Phone" && sent["credential"]?["response"]?["attestationObject"] == "Bw")
        #expect(backend.requests.allSatisfy { $0.fields[.authorization] == "Bearer a" })
        let parsed = try PasskeyCreationOptions(json: try #require(options.objectValue))
        #expect(parsed.excludedCredentialIDs == [[8]] && parsed.userVerification == "required")
        #expect(parsed.user.displayName == "Ada" && parsed.json == options.objectValue)
    }

    @Test
    func `A client with passkeys distinguishes a known passkey, a last way to sign in and a taken address`()
        async throws
    {
        let backend = ScriptedBackend()
        backend.on(
            "\(folder)/options", .ok,
            ["publicKey": ["rp": ["id": "x"], "challenge": "AQ", "user": ["id": "AQ", "name": "ada"]]])
        backend.on(folder, .conflict, [:])
        backend.on("\(folder)/1", .conflict, ["code": "lastSignIn"])
        let auth = try backend.client()
        try await auth.session.signIn(Tokens(access: "a", refresh: "r"))
        await #expect(throws: AccountError.passkeyExists) {
            try await auth.addPasskey(from: ScriptedPasskeys { _ in Self.assertion })
        }
        await #expect(throws: AccountError.lastSignInMethod) { try await auth.removePasskey("1") }
    }

    @Test(
        arguments: [
            ["challenge": "AQ", "user": ["id": "AQ", "name": "ada"]],
            ["rp": ["id": "x"], "user": ["id": "AQ", "name": "ada"]],
            ["rp": ["id": "x"], "challenge": "A=", "user": ["id": "AQ", "name": "ada"]],
            ["rp": ["id": "x"], "challenge": "AQ", "user": ["id": "", "name": "ada"]],
            ["rp": ["id": "x"], "challenge": "AQ", "user": ["id": "AQ"]],
        ] as [JSONObject])
    func `A client with passkeys refuses options that no device can use`(json: JSONObject) {
        #expect(throws: AccountError.invalidResponse) { try PasskeyCreationOptions(json: json) }
    }

    @Test func `A client with passkeys refuses an authenticator's JSON without a credential`() {
        #expect(throws: AccountError.passkeysUnavailable) { try PasskeyAssertion(json: ["id": "AQ"]) }
        #expect(throws: AccountError.passkeysUnavailable) { try PasskeyRegistration(json: ["response": [:]]) }
    }

    @Test(
        arguments: [
            (1001, .modal, .passkeyCancelled), (1001, .conditional, .passkeyCancelled), (1001, .immediate, .noPasskey),
            (1005, .modal, .noPasskey), (1006, .modal, .passkeyExists), (1004, .modal, .passkeysUnavailable),
            (0, .modal, .passkeysUnavailable), (nil, .modal, .passkeysUnavailable),
        ] as [(Int?, PasskeyMediation, AccountError)])
    func `A client with passkeys names the system's errors`(
        code: Int?, mediation: PasskeyMediation, error: AccountError
    ) {
        expectEqual(AccountError(passkeyErrorCode: code, mediation: mediation).code, error.code)
    }
}
