// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchCore
import LatchHTTP
import LatchTesting
import Synchronization
import TestTags
import Testing

@testable import LatchIdentity

/// A program of the operator that is told of events.
final class EventProgram: Handler {
    private struct State {
        var messages: [JSONObject] = []
        var requests: [HTTPRequest] = []
        var status = HTTPStatus.ok
        var fields: HTTPFields = [:]
        var isDown = false
    }

    private let state = Mutex(State())

    /// The messages that were accepted or refused, in the order of their arrival.
    var messages: [JSONObject] { state.withLock { $0.messages } }
    var requests: [HTTPRequest] { state.withLock { $0.requests } }
    var types: [String] { messages.compactMap { $0["type"]?.stringValue } }
    var ids: [String] { messages.compactMap { $0["data"]?["id"]?.stringValue } }

    func respond(with status: HTTPStatus, _ fields: HTTPFields = [:]) {
        state.withLock { ($0.status, $0.fields) = (status, fields) }
    }

    func set(isDown: Bool) { state.withLock { $0.isDown = isDown } }

    func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        let content = try await request.body.collected(upTo: 1 << 20)
        let message = try JSONValue(parsing: content).objectValue ?? [:]
        return try state.withLock { state throws(HTTPError) in
            if state.isDown { throw .timeout }
            state.messages.append(message)
            state.requests.append(request)
            return HTTPResponse(status: state.status, fields: state.fields)
        }
    }
}

/// Code of a program that embeds the server, which throws at first.
private final class ToldEvents: Sendable {
    private struct NotNow: Error {}
    private struct State {
        var events: [IdentityEvent] = []
        var fails = true
    }

    private let state = Mutex(State())

    var events: [IdentityEvent] { state.withLock { $0.events } }

    func succeed() { state.withLock { $0.fails = false } }

    func add(_ event: IdentityEvent) throws {
        let fails = state.withLock { state in
            state.events.append(event)
            return state.fails
        }
        if fails { throw NotNow() }
    }
}

@Suite struct EventTests {
    static let secret = "whsec_" + Data(repeating: 7, count: 32).base64EncodedString()

    static func configure(_ configuration: inout IdentityConfiguration) {
        var hook = Hook(name: "crm", at: .events, url: "https://crm.example.com/latch?tenant=a")
        hook.events = ["account.*", "device.*", "event.*"]
        configuration.hooks = [hook]
        configuration.hookSecrets = ["crm": secret]
    }

    private func site(_ program: EventProgram) async throws -> Site {
        try await Site(.inProcess, upstream: program) { Self.configure(&$0) }
    }

    /// Lets the clock pass, and tells what is due.
    private func pass(_ seconds: Double, _ site: Site) async {
        site.clock.advance(by: seconds)
        await site.identity.flushEvents()
    }

    private func waiting(_ site: Site) async throws -> Int {
        try await site.identity.services.store.eventBacklog().count
    }

    @Test func `A program is told of a sign-up and a sign-in, with signatures and without a secret`() async throws {
        let program = EventProgram()
        let site = try await site(program)
        try await site.signUp("ada@example.com")
        await site.identity.flushEvents()
        #expect(program.types.starts(with: ["account.created"]), "\(program.types)")
        let message = try #require(program.messages.first)
        #expect(message["timestamp"]?.stringValue?.hasPrefix("20") == true)
        let data = try #require(message["data"]?.objectValue)
        #expect(data["id"]?.stringValue?.hasPrefix("evt_") == true)
        #expect(data["user_id"]?.stringValue != nil)
        #expect(Set(data.keys) == ["id", "user_id", "detail"])
        let request = try #require(program.requests.first)
        expectEqual(request.fields["webhook-id"], data["id"]?.stringValue)
        #expect(request.fields["webhook-signature"]?.hasPrefix("v1,") == true)
        #expect(request.fields["Signature-Input"]?.contains("latch-hook") == true)
        let texts = program.messages.map { String(decoding: JSONValue.object($0).serialized(), as: UTF8.self) }.joined()
        for secret in [Site.password, "ada@example.com", Self.secret] { #expect(!texts.contains(secret)) }
        try await expectEqual(waiting(site), 0)
        await site.close()
    }

    @Test func `Events arrive in the order of their account while the program fails now and then`() async throws {
        let program = EventProgram()
        let site = try await site(program)
        let ada = try await site.signUp("ada@example.com")
        await site.identity.flushEvents()
        program.respond(with: .serviceUnavailable)
        let store = site.identity.services.store
        for number in 0..<40 {
            try await store.audit("account.changed", account: ada.id, detail: "\(number)", at: site.clock.now)
        }
        await site.identity.flushEvents()
        program.respond(with: .ok)
        await pass(6, site)
        await pass(11, site)
        var seen: [String] = []
        for message in program.messages where message["type"] == "account.changed" {
            if let detail = message["data"]?["detail"]?.stringValue, !seen.contains(detail) { seen.append(detail) }
        }
        expectEqual(seen, (0..<40).map { "\($0)" })
        // Only what has failed is repeated.
        #expect(program.ids.count > Set(program.ids).count)
        try await expectEqual(waiting(site), 0)
        await site.close()
    }

    @Test(arguments: [400, 410] as [HTTPStatus])
    func `An event that the program refuses five times is given up, and does not block its account`(
        status: HTTPStatus
    ) async throws {
        let program = EventProgram()
        let site = try await site(program)
        let ada = try await site.signUp("ada@example.com")
        await site.identity.flushEvents()
        let before = program.messages.count
        program.respond(with: status)
        let store = site.identity.services.store
        try await store.audit("account.changed", account: ada.id, detail: nil, at: site.clock.now)
        await site.identity.flushEvents()
        for _ in 0..<8 { await pass(301, site) }
        // A proxy may refuse everything for minutes.
        try await expectEqual(waiting(site), 1)
        await pass(3600, site)
        #expect(program.messages.count - before > ListenerQueue.maximumRefusals)
        let entries = try await store.auditRecords(AuditQuery(limit: 5))
        let entry = try #require(entries.first { $0.event == "event.undelivered" })
        expectEqual(entry.accountID, ada.id)
        #expect(entry.detail?.hasPrefix("crm account.changed evt_") == true)
        // The program gets all events of this name but this one.
        try await expectEqual(waiting(site), 0)
        await site.close()
    }

    @Test(arguments: [401, 404] as [HTTPStatus])
    func `An event is kept while the program answers that URL or secret are wrong`(status: HTTPStatus) async throws {
        let program = EventProgram()
        let site = try await site(program)
        let ada = try await site.signUp("ada@example.com")
        await site.identity.flushEvents()
        program.respond(with: status)
        try await site.identity.services.store.audit(
            "account.changed", account: ada.id, detail: nil, at: site.clock.now)
        for _ in 0..<30 { await pass(3600, site) }
        try await expectEqual(waiting(site), 1)
        program.respond(with: .ok)
        await pass(301, site)
        try await expectEqual(waiting(site), 0)
        await site.close()
    }

    @Test func `A pause that the program asks for is kept, up to an hour`() async throws {
        let program = EventProgram()
        let site = try await site(program)
        program.respond(with: .tooManyRequests, ["Retry-After": "7200"])
        let store = site.identity.services.store
        try await store.audit("account.changed", account: nil, detail: nil, at: site.clock.now)
        await site.identity.flushEvents()
        expectEqual(program.messages.count, 1)
        program.respond(with: .ok)
        await pass(3500, site)
        expectEqual(program.messages.count, 1)
        await pass(101, site)
        expectEqual(program.messages.count, 2)
        await site.close()
    }

    @Test func `An event without an answer is kept for three days, and an outage costs few attempts`() async throws {
        let program = EventProgram()
        program.set(isDown: true)
        let site = try await site(program)
        let store = site.identity.services.store
        for number in 0..<200 {
            try await store.audit("account.changed", account: nil, detail: "\(number)", at: site.clock.now)
        }
        await site.identity.flushEvents()
        let failed = try await store.all("SELECT attempts FROM event_delivery", []) { row throws(IdentityError) in
            try row.integer(0)
        }
        expectEqual(failed.count, 200)
        #expect(failed.count { $0 > 0 } <= 128, "events that were not sent count no attempt")
        site.clock.advance(by: ListenerQueue.maximumAge - 60)
        await site.identity.flushEvents()
        try await expectEqual(waiting(site), 200)
        program.set(isDown: false)
        for _ in 0..<10 { await pass(301, site) }
        expectEqual(Set(program.messages.compactMap { $0["data"]?["detail"]?.stringValue }).count, 200)
        await site.close()
    }

    @Test func `An event without an answer for three days is given up`() async throws {
        let program = EventProgram()
        program.set(isDown: true)
        let site = try await site(program)
        let store = site.identity.services.store
        try await store.audit("account.changed", account: nil, detail: nil, at: site.clock.now)
        await site.identity.flushEvents()
        await pass(ListenerQueue.maximumAge + 1, site)
        try await expectEqual(waiting(site), 0)
        try await expectEqual(store.auditRecords(AuditQuery(limit: 1)).first?.event, "event.undelivered")
        await site.close()
    }

    @Test func `Code of the program is told with typed values, and again after it has thrown`() async throws {
        let told = ToldEvents()
        var hooks = IdentityHooks()
        hooks.event = { try told.add($0) }
        let (folder, clock) = (try TemporaryFolder(), ManualClock(noon))
        let identity = try await Identity(
            configuration: IdentityConfiguration(), store: try await IdentityStore.open(folder.file()),
            mailer: MemoryMailer(), hooks: hooks, clock: clock.wallClock())
        await identity.flushEvents()
        // The keys of the first start.
        let first = try #require(told.events.first { $0.type == "key.created" })
        #expect(first.userID == nil && first.detail != nil)
        told.succeed()
        clock.advance(by: 6)
        await identity.flushEvents()
        #expect(told.events.count { $0 == first } >= 2, "the same event has the same values")
        try await expectEqual(identity.services.store.eventBacklog().count, 0)
        await identity.close()
    }

    @Test func `Code and a hook cannot have one name`() async throws {
        var (configuration, hooks) = (IdentityConfiguration(), IdentityHooks())
        Self.configure(&configuration)
        configuration.hooks = [Hook(name: "program", at: .events, url: "https://crm.example.com/")]
        configuration.hookSecrets = ["program": Self.secret]
        hooks.event = { _ in }
        let folder = try TemporaryFolder()
        await #expect(throws: IdentityError.self) {
            _ = try await Identity(
                configuration: configuration, store: try await IdentityStore.open(folder.file()),
                mailer: MemoryMailer(), hooks: hooks)
        }
    }

    @Test func `A reload tells the listeners of the new configuration`() async throws {
        let program = EventProgram()
        let site = try await site(program)
        program.set(isDown: true)
        let store = site.identity.services.store
        try await store.audit("account.changed", account: nil, detail: nil, at: site.clock.now)
        var configuration = site.identity.services.configuration
        configuration.hooks = []
        configuration.hookSecrets = [:]
        let next = try await site.identity.reconfigured(configuration)
        await next.services.events.removeOthers()
        try await expectEqual(waiting(site), 0)
        try await store.audit("account.changed", account: nil, detail: nil, at: site.clock.now)
        try await expectEqual(waiting(site), 0)
        await next.close()
    }

    // MARK: Administration

    @Test func `Administrators list, test and replay hooks`() async throws {
        let program = EventProgram()
        let site = try await Site.administered(upstream: program) { Self.configure(&$0) }
        let key = try await site.key([.readServer, .writeServer])
        await site.identity.flushEvents()
        let (told, ids) = (program.messages.count, Set(program.ids))
        let list = try await site.get("/api/admin/hooks", bearer: key).json["hooks"]?.arrayValue
        let hook = try #require(list?.first)
        expectEqual(hook["name"], "crm")
        expectEqual(hook["url"], "https://crm.example.com/latch")
        expectEqual(hook["waiting"], 0)
        let test = try await site.call(.post, "/api/admin/hooks/crm/test", bearer: key)
        expectEqual(test.json["works"], true)
        expectEqual(program.types.last, "test")
        program.respond(with: .unauthorized)
        let failed = try await site.call(.post, "/api/admin/hooks/crm/test", bearer: key)
        expectEqual(failed.json["works"], false)
        expectEqual(failed.json["problem"], "it answered with the status 401")
        program.respond(with: .ok)
        try await expectEqual(site.call(.post, "/api/admin/hooks/none/test", bearer: key).status, 404)
        let since = JSONValue.string((noon - 60).formatted(.iso8601))
        let replay = try await site.call(.post, "/api/admin/hooks/crm/replay", bearer: key, ["since": since])
        await site.identity.flushEvents()
        let repeated = program.ids.dropFirst(told)
        // One more is the replay itself.
        expectEqual(program.types.count { $0 == "event.replayed" }, 1)
        expectEqual(replay.json["events"], .integer(numericCast(repeated.count - 1)))
        #expect(Set(repeated).isSuperset(of: ids), "each event is told again with its identifier")
        try await expectEqual(
            site.call(.post, "/api/admin/hooks/crm/replay", bearer: key, ["since": "yesterday"]).string("field"),
            "since")
        try await expectEqual(
            site.call(.post, "/api/admin/hooks/crm/replay", bearer: key, ["since": since, "event": "a b"])
                .string("field"), "event")
        await site.close()
    }
}
