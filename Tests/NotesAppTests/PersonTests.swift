// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAccounts
import LatchAuth
import LatchHTTP
import LatchIdentity
import LatchIdentityTesting
import LatchOAuth
import LatchServer
import LatchTesting
import LatchTexts
import LatchUI
import NotesApp
import NotesService
import Synchronization
import Testing

/// A person's taps on the controls of the notes app, over the auth server and the server of the notes.
@MainActor @Suite struct PersonTests {
    private let email = "ada@example.com"
    private let password = "a long enough password"

    @Test
    func `A person with the notes app signs up, takes notes offline, changes the account, and signs out`() async throws
    {
        let stage = try await Stage()
        let app = stage.app()
        await app.open()
        try await signUp(app, stage)
        let secret = try await setUpSecondFactor(app, stage)
        try await takeNotes(app, stage)
        try await changeAccount(app, stage)
        try await signOut(app, stage, secret)
        try stage.removeFolder()
    }

    @Test
    func `A person with the notes app adds a passkey, signs out, and signs in with it to the same notes`() async throws
    {
        let stage = try await Stage(passkeys: VirtualPasskeys())
        let app = stage.app()
        await app.open()
        try await stage.identity.client().signUp(email: email, password: password)
        await app.type([.email: email, .password: password], thenTap: .submit)
        await app.tap(.submit)
        await app.tap(.done)
        expectNil(app.auth.screen)
        let notes = try #require(app.notes)
        notes.send(.appear)
        await notes.type([.text: "Buy milk"], thenTap: .submit)
        app.auth.menu?.press(.signOut)
        await app.settled()
        expectNil(app.notes)

        await app.tap(.passkey)
        app.notes?.send(.appear)
        await app.notes?.settled()
        #expect(app.notes?.texts == ["Buy milk"] && app.auth.screen == nil)
        app.auth.menu?.press(.profile)
        await app.tap(.passkeys)
        expectEqual(app.auth.screen?.model.controls.filter { $0.id.name == "passkey" }.count, 1)
        try stage.removeFolder()
    }

    @Test func `A person with the notes app can edit, repeat or discard a refused note`() async throws {
        let stage = try await Stage()
        let app = stage.app()
        await app.open()
        try await signUp(app, stage)
        let notes = try #require(app.notes)
        notes.send(.appear)

        // A note that the service does not take (400).
        let text = String(repeating: "x", count: 10_001)
        await notes.type([.text: text], thenTap: .submit)
        #expect(notes.texts.isEmpty && notes.screen.notes?.waiting == 0 && notes.control(.text)?.text.value == "")
        let long = try #require(notes.screen.notes?.refused.first)
        #expect(long.note?.text == text && !long.isForbidden && notes.control(.sendAgain(long.id)) == nil)
        await notes.type(thenTap: .refresh)
        expectEqual(notes.screen.notes?.refused, [long], "it is neither lost nor sent again")
        await notes.type(thenTap: .editNote(long.id))
        expectEqual(notes.control(.text)?.text.value, text)
        await notes.type([.text: "Shorter"], thenTap: .submit)
        #expect(notes.texts == ["Shorter"] && notes.screen.notes?.refused == [])

        // One that the user may not have (403), also after a restart.
        for text in ["Two", "Three", "Four"] { await notes.type([.text: text], thenTap: .submit) }
        expectEqual(notes.texts, ["Shorter", "Two", "Three"])
        let restarted = stage.app()
        await restarted.open()
        let later = try #require(restarted.notes)
        later.send(.appear)
        await later.settled()
        let fourth = try #require(later.screen.notes?.refused.first)
        #expect(fourth.isForbidden && fourth.note?.text == "Four" && later.control(.editNote(fourth.id)) != nil)
        await later.type(thenTap: .sendAgain(fourth.id))
        expectEqual(later.screen.notes?.refused, [fourth])
        await later.type(thenTap: .deleteNote(try #require(later.screen.notes?.notes.first?.id)))
        await later.type(thenTap: .sendAgain(fourth.id))
        #expect(later.texts == ["Two", "Three", "Four"] && later.screen.notes?.refused == [])

        await later.type([.text: "Five"], thenTap: .submit)
        await later.type(thenTap: .discard(try #require(later.screen.notes?.refused.first?.id)))
        #expect(later.texts == ["Two", "Three", "Four"] && later.screen.notes?.refused == [])
        try stage.removeFolder()
    }

    private func signUp(_ app: NotesAppModel, _ stage: Stage) async throws {
        await app.tap(.register)
        await app.type([.name: "Ada", .email: email, .newPassword: password], thenTap: .submit)
        app.auth.open(try await stage.identity.link(to: email).url)
        await app.settled()
        await app.tap(.done)
        await app.type([.password: password], thenTap: .submit)
        #expect(app.auth.isSignedIn && app.notes != nil)
    }

    private func setUpSecondFactor(_ app: NotesAppModel, _ stage: Stage) async throws -> String {
        app.auth.menu?.press(.profile)
        await app.tap(.secondFactor)
        await app.tap(.submit)
        let secret = try #require(app.auth.screen?.model.control(.secret)?.text.value)
        await app.type([.code: try stage.code(secret)], thenTap: .submit)
        await app.tap(.done)
        await app.tap(.done)
        expectNil(app.auth.screen)
        return secret
    }

    private func takeNotes(_ app: NotesAppModel, _ stage: Stage) async throws {
        let notes = try #require(app.notes)
        notes.send(.appear)
        await notes.type([.text: "Buy milk"], thenTap: .submit)
        #expect(notes.texts == ["Buy milk"] && notes.control(.notice) == nil)
        expectEqual(notes.control(.text)?.text.value, "")

        stage.isOffline = true
        await notes.type([.text: "Call Grace"], thenTap: .submit)
        #expect(notes.texts == ["Buy milk", "Call Grace"] && notes.screen.notes?.waiting == 1)
        #expect(notes.control(.notice) != nil && app.auth.connection.isOffline)

        // Ended by the system, and started again without a network: the notes are those of the cache.
        let restarted = stage.app()
        await restarted.open()
        let cached = try #require(restarted.notes)
        cached.send(.appear)
        await cached.settled()
        #expect(cached.texts == ["Buy milk", "Call Grace"] && cached.screen.notes?.isOffline == true)

        stage.isOffline = false
        notes.send(.activate)
        await notes.settled()
        #expect(notes.texts == ["Buy milk", "Call Grace"] && notes.screen.notes?.waiting == 0)
        #expect(!app.auth.connection.isOffline)
        let milk = try #require(notes.screen.notes?.notes.first)
        await notes.type(thenTap: .deleteNote(milk.id))
        expectEqual(notes.texts, ["Call Grace"])
    }

    private func changeAccount(_ app: NotesAppModel, _ stage: Stage) async throws {
        try await stage.identity.client().signUp(email: "bob@example.com", password: password)
        app.auth.menu?.press(.accounts)
        await app.tap(.addAccount)
        await app.type([.email: "bob@example.com", .password: password], thenTap: .submit)
        let notes = try #require(app.notes)
        notes.send(.appear)
        await notes.settled()
        #expect(notes.texts.isEmpty && app.auth.profile?.email == "bob@example.com")

        app.auth.menu?.press(.accounts)
        await app.settled()
        let rows = app.auth.screen?.model.controls.flatMap(\.withActions) ?? []
        await app.tap(try #require(rows.first { $0.id.name == "useAccount" }?.id))
        app.notes?.send(.appear)
        await app.notes?.settled()
        expectEqual(app.notes?.texts, ["Call Grace"])
    }

    private func signOut(_ app: NotesAppModel, _ stage: Stage, _ secret: String) async throws {
        app.auth.menu?.press(.signOut)
        await app.settled()
        #expect(app.notes == nil && app.failure == nil)
        let files = try FileManager.default.contentsOfDirectory(atPath: stage.folder)
        expectEqual(files.count, 1, "only the notes of the other account are left")

        // The other account is offered; the first one signs in again, with its second factor.
        await app.tap(.addAccount)
        await app.type([.email: email, .password: password], thenTap: .submit)
        stage.identity.clock.advance(by: .seconds(31))
        await app.type([.code: try stage.code(secret)], thenTap: .submit)
        app.notes?.send(.appear)
        await app.notes?.settled()
        expectEqual(app.notes?.texts, ["Call Grace"])
    }
}

/// Starts the auth server, whose tokens are for the server of the notes.
private nonisolated func makeServer(audience: String) async throws -> IdentityServer {
    try await IdentityServer.inMemory {
        $0.scopes = ["notes:read", "notes:write"]
        $0.defaultScopes = ["notes:read", "notes:write"]
        $0.audience = audience
    }
}

/// The auth server, the server of the notes, and the network between them and one device.
@MainActor
private final class Stage {
    let identity: IdentityServer
    let folder: String
    private let service: URL
    private let network: Network
    private let secrets = InMemorySecretStore()
    private let passkeys: VirtualPasskeys?

    init(passkeys: VirtualPasskeys? = nil) async throws {
        self.passkeys = passkeys
        let url = try #require(URL(string: "https://notes.test"))
        identity = try await makeServer(audience: url.absoluteString)
        folder = FileManager.default.temporaryDirectory.path + "/latch-notes-\(UUID().uuidString)"
        service = url
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        let verifier = try RemoteJWTVerifier(
            issuer: identity.url, audience: url.absoluteString, transport: identity,
            clock: identity.clock.wallClock())
        let resource = try ProtectedResource(url: url, authorizationServers: [identity.url])
        network = Network(
            identity: identity, notes: NotesService(resource, verifier: verifier, greatestCount: 3).router)
    }

    func removeFolder() throws { try FileManager.default.removeItem(atPath: folder) }

    var isOffline: Bool {
        get { network.isOffline.withLock { $0 } }
        set { network.isOffline.withLock { $0 = newValue } }
    }

    /// Starts the app on the device.
    func app() -> NotesAppModel {
        let auth = AuthModel(server: identity.url, service: "com.example.notes") {
            $0.secrets = secrets
            $0.transport = network
            $0.clock = identity.clock.wallClock()
            $0.passkeys = passkeys
        }
        return NotesAppModel(
            auth, service: service, folder: URL(fileURLWithPath: folder), transport: network)
    }

    /// The code that an authenticator app shows now.
    func code(_ secret: String) throws -> String {
        try #require(AuthenticatorApp(secret: secret)).code(at: identity.clock.now)
    }
}

/// A network with two servers, which a test cuts.
private final class Network: Handler {
    let isOffline = Mutex(false)
    private let identity: IdentityServer
    private let notes: Router

    init(identity: IdentityServer, notes: Router) {
        self.identity = identity
        self.notes = notes
    }

    func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        if isOffline.withLock({ $0 }) { throw HTTPError.offline }
        return request.origin == HTTPOrigin(identity.url)
            ? try await identity.respond(to: request) : try await notes.respond(to: request)
    }
}

extension NotesAppModel {
    /// Starts, as the gate does when it appears.
    func open() async {
        await auth.restore()
        await settled()
    }

    func settled() async {
        await auth.settled()
        followAccount()
    }

    func tap(_ id: ControlID) async { await type(thenTap: id) }

    func type(_ texts: [ControlID: String] = [:], thenTap id: ControlID) async {
        await settled()
        await auth.screen?.model.type(texts, thenTap: id)
        await settled()
    }
}

extension AnyScreenModel {
    /// Types into fields and presses a button, if it is there.
    func type(_ texts: [ControlID: String] = [:], thenTap id: ControlID) async {
        await settled()
        if control(id) == nil {
            // The view shows the screen, which may load its content then.
            send(.appear)
            await settled()
        }
        for (field, text) in texts { edit(field, text) }
        if control(id) == nil { Issue.record("there is no \(id) among \(controls.map(\.id))") }
        press(id)
        await settled()
    }
}

extension ScreenModel where S == NotesScreen {
    /// The notes on the screen.
    var texts: [String] { screen.notes?.notes.map(\.text) ?? [] }
}
