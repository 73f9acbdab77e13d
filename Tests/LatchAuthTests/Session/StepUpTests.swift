// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchCore
import LatchHTTP
import LatchTesting
import SessionSimulation
import Synchronization
import Testing

@testable import LatchAuth

/// A resource of which one part wants a better authentication (RFC 9470).
@Suite final class StepUpTests: Sendable {
    static let asked = StepUpRequirement(contextClasses: ["gold"], maximumAge: .seconds(60))

    /// The requirement of the resource, and its requests.
    private struct Resource: Sendable {
        var good: Set<String> = ["access-0", "gold"]
        var requests: [String] = []
    }

    private let resource = Mutex(Resource())
    let fixture = SessionFixture()

    private var requests: [String] { resource.withLock { $0.requests } }

    /// Answers `/gold` only to `gold`, everything else to what it accepts, and `/scope` to none.
    private func handler(
        _ session: Session<Tokens>, stepUp: Session<Tokens>.StepUp? = nil, refreshes: Bool = true
    ) -> any Handler {
        let handler = ClosureHandler { request in
            let token = String((request.fields[.authorization] ?? "none").split(separator: " ").last ?? "")
            let isGood = self.resource.withLock { resource in
                resource.requests.append("\(request.path) \(token)")
                return resource.good.contains(token)
            }
            try await self.fixture.simulation.clock.sleep(for: .milliseconds(20))
            guard isGood else { return HTTPResponse(status: .unauthorized) }
            if request.path == "/scope" {
                return Self.refusal(401, #"Bearer error="insufficient_scope", scope="admin""#)
            }
            guard request.path != "/gold" || token == "gold" else {
                let challenge = #"Bearer error="insufficient_user_authentication", acr_values="gold", max_age=60"#
                return Self.refusal(401, challenge)
            }
            return HTTPResponse(status: .ok, body: HTTPBody(token))
        }
        let auth = SessionInterceptor(session, for: .host("api.example.com"), refreshes: refreshes, stepUp: stepUp)
        return handler.intercepted(by: [auth])
    }

    private static func refusal(_ status: Int, _ challenge: String) -> HTTPResponse {
        HTTPResponse(status: HTTPStatus(rawValue: status), fields: [.wwwAuthenticate: challenge])
    }

    private func signedIn() throws -> Session<Tokens> {
        let session = fixture.makeSession()
        let tokens = fixture.tokens(0)
        try fixture.run { try await session.signIn(tokens) }
        return session
    }

    private func gold() -> Tokens {
        Tokens(access: "gold", refresh: "gold-0", expiry: fixture.simulation.now.addingTimeInterval(900))
    }

    private func collect(_ session: Session<Tokens>) -> @Sendable () -> [StepUpRequirement?] {
        let seen = Mutex<[StepUpRequirement?]>([])
        let stepUps = session.stepUps
        fixture.simulation.spawn { for await stepUp in stepUps { seen.withLock { $0.append(stepUp) } } }
        return { seen.withLock { $0 } }
    }

    private func settle() { _ = fixture.simulation.run(horizon: .zero) }

    @Test(arguments: [true, false])
    func `A session that has to step up fails the request, refreshes nothing and signs no user out`(refreshes: Bool)
        throws
    {
        let session = try signedIn()
        let client = handler(session, refreshes: refreshes)
        let error = #expect(throws: AuthError.stepUpRequired) {
            try fixture.run { try await client.respond(to: .example(.get, "/gold")) }
        }
        expectEqual(error?.requirement, Self.asked)
        expectEqual(session.stepUp, Self.asked)
        expectEqual(session.currentState, .signedIn(fixture.stored ?? Tokens(access: "")))
        expectEqual(fixture.refreshes, 0)
        expectEqual(requests, ["/gold access-0"])
        try expectEqual(fixture.run { try await client.respond(to: .example(.get, "/plain")) }.status, .ok)
    }

    @Test func `A session that has to step up lets observers see each requirement and its end once`() throws {
        let session = try signedIn()
        let client = handler(session)
        let seen = collect(session)
        for _ in 0..<3 {
            #expect(throws: AuthError.stepUpRequired) {
                try fixture.run { try await client.respond(to: .example(.get, "/gold")) }
            }
        }
        settle()
        expectEqual(seen(), [nil, Self.asked])
        let gold = gold()
        try fixture.run { try await session.stepUp(to: gold) }
        settle()
        expectEqual(seen(), [nil, Self.asked, nil])
        try expectEqual(fixture.run { try await client.respond(to: .example(.get, "/gold")) }.body.text, "gold")
        expectEqual(session.broadcast.watcherCount, 0)
    }

    @Test
    func `A session that has to step up asks the user once for all requests, and sends each of them once more`() throws
    {
        let session = try signedIn()
        let asked = Mutex<[StepUpRequirement]>([])
        let gold = gold()
        let client = handler(session) { requirement in
            asked.withLock { $0.append(requirement) }
            try await self.fixture.simulation.clock.sleep(for: .seconds(30))
            return gold
        }
        try fixture.run {
            try await withThrowingTaskGroup { group in
                for _ in 0..<20 {
                    group.addTask {
                        let response = try await client.respond(to: .example(.post, "/gold", body: HTTPBody("content")))
                        expectEqual(response.body.text, "gold")
                    }
                }
                try await group.waitForAll()
            }
        }
        expectEqual(asked.withLock { $0 }, [Self.asked])
        expectEqual(requests.count, 40)
        expectNil(session.stepUp)
        expectEqual(fixture.refreshes, 0)
        expectEqual(fixture.stored, gold)
    }

    @Test func `A session that has to step up does not ask again for a refusal that comes late`() throws {
        let session = try signedIn()
        let count = Mutex(0)
        let gold = gold()
        let client = handler(session) { _ in
            count.withLock { $0 += 1 }
            return gold
        }
        try fixture.run {
            async let late = client.respond(to: .example(.get, "/gold"))
            // The first request is on its way when the user steps up unasked.
            try await self.fixture.simulation.clock.sleep(for: .milliseconds(10))
            try await session.stepUp(to: gold)
            try await expectEqual(late.body.text, "gold")
        }
        expectEqual(count.withLock { $0 }, 0)
        expectNil(session.stepUp)
    }

    @Test func `A session that has to step up reports the user's refusal, and asks again next time`() throws {
        struct Declined: Error {}
        let session = try signedIn()
        let count = Mutex(0)
        let client = handler(session) { _ in
            count.withLock { $0 += 1 }
            throw Declined()
        }
        for _ in 0..<2 {
            let error = #expect(throws: AuthError.stepUpRequired) {
                try fixture.run { try await client.respond(to: .example(.get, "/gold")) }
            }
            #expect(error?.cause is Declined)
            expectEqual(error?.requirement, Self.asked)
        }
        expectEqual(count.withLock { $0 }, 2)
        #expect(session.currentState.isSignedIn)
        expectEqual(session.stepUp, Self.asked)
    }

    @Test func `A session that has to step up asks once for a request, although the server refuses again`() throws {
        let session = try signedIn()
        resource.withLock { _ = $0.good.insert("silver") }
        let silver = Tokens(access: "silver")
        let client = handler(session) { _ in silver }
        #expect(throws: AuthError.stepUpRequired) {
            try fixture.run { try await client.respond(to: .example(.get, "/gold")) }
        }
        expectEqual(requests, ["/gold access-0", "/gold silver"])
        // RFC 6749 §6: a response without a refresh token leaves the old one valid.
        expectEqual(session.currentState, .signedIn(Tokens(access: "silver", refresh: "refresh-0")))
        expectEqual(session.stepUp, Self.asked)
    }

    @Test func `A session that has to step up refreshes first if the credential is refused for both reasons`() throws {
        let session = try signedIn()
        resource.withLock { $0.good = ["access-1", "gold"] }
        let gold = gold()
        let client = handler(session) { _ in gold }
        try expectEqual(fixture.run { try await client.respond(to: .example(.get, "/gold")) }.body.text, "gold")
        expectEqual(requests, ["/gold access-0", "/gold access-1", "/gold gold"])
        expectEqual(fixture.refreshes, 1)
    }

    @Test
    func `A session that has to step up returns a refusal for lack of a scope as it is, without a refresh`() throws {
        let session = try signedIn()
        let response = try fixture.run { try await self.handler(session).respond(to: .example(.get, "/scope")) }
        expectEqual(response.status, .unauthorized)
        expectEqual(requests.count, 1)
        expectEqual(fixture.refreshes, 0)
        expectNil(session.stepUp)
    }
}
