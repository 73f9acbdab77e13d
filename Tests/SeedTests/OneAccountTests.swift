// SPDX-License-Identifier: Apache-2.0

import AuthPackage
import AxiomArchitecture
import Expectations
import Foundation
import JWTAuthDependencies
import LatchAuth
import LatchHTTP
import LatchTesting
import LaziOAuth
import Nevod
import TestSupport
import Testing
import UserService

/// What each library asks the server for.
private struct Person: Codable, Sendable { let email: String }

/// An app with all five libraries over one session, at a process of `latch serve`.
private struct FiveLibraries: Sendable {
    let url: URL
    /// The identifier of the user.
    let id: String
    let authPackage: AuthClient
    let session: Session<Tokens>
    let jwtAuth: JWTAuthClient
    let lazi: OAuthService
    let nevod: NetworkProvider
    let axiom: UserServiceStub

    static let (email, password) = ("ada@example.com", "a long enough password")

    init(_ server: ServedLatch) async throws {
        let url = server.url
        authPackage = AuthClient(config: AuthConfiguration(baseURL: url), tokenStore: InMemoryTokenStore())
        let session = authPackage.session
        jwtAuth = JWTAuthClient(baseURL: { url.absoluteString }, session: session)
        lazi = await OAuthService(baseURL: url, session: session)
        nevod = NetworkProvider(
            config: NetworkConfig(environments: [DefaultDomain.default: SimpleEnvironment(baseURL: url)]),
            session: session, logger: nil)
        let origin = try #require(HTTPOrigin(url))
        axiom = UserServiceStub(
            try RPCChannel(url.absoluteString, interceptors: [SessionInterceptor(session, for: .origin(origin))]))
        (self.url, self.session) = (url, session)
        id = try await authPackage.register(email: Self.email, password: Self.password).id
    }

    /// The requests of the signed-in user, one by each library: the address that the server knows it by.
    var requests: [@Sendable () async throws -> String] {
        [
            { [authPackage] in try await authPackage.core.profile().email },
            { [jwtAuth] in
                let response: SuccessResponse<Person> = try await jwtAuth.sendAuthenticated(.get("/user/profile"))
                return response.data.email
            },
            { [lazi] in
                let response = try await lazi.http.respond(to: lazi.http.request(.get, "user/profile"))
                return try JSONDecoder().decode(Person.self, from: Data(response.body.bytes)).email
            },
            { [nevod] in try await (nevod.get("/user/profile") as Person).email },
            { [axiom, id] in try await axiom.getProfile(GetProfileRequest(userId: id)).email },
        ]
    }

    /// The sign-outs, one by each library, and whether the server is told: not by those whose documents end the session on the
    /// device.
    var signOuts: [(tellsServer: Bool, run: @Sendable () async throws -> Void)] {
        [
            (true, { [authPackage] in try await authPackage.logout() }),
            (false, { [jwtAuth] in try await jwtAuth.session.signOut() }),
            (true, { [lazi] in await lazi.logout() }),
            (false, { [nevod] in try await nevod.session?.signOut() }),
            (false, { [session] in try await session.signOut() }),
        ]
    }

    func signIn() async throws { _ = try await authPackage.login(email: Self.email, password: Self.password) }

    /// The refreshes that have reached the server.
    func refreshes() async throws -> Int {
        let client = Client(baseURL: url)
        let text = try await client.respond(to: client.request(.get, "metrics")).body.text ?? ""
        let line = text.split(separator: "\n").first {
            $0.hasPrefix(#"latch_tokens_issued_total{grant="refresh_token"}"#)
        }
        return line?.split(separator: " ").last.flatMap { Int($0) } ?? 0
    }

    static func with(_ body: @Sendable (FiveLibraries) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            let server = try await ServedLatch.start(in: folder)
            let five = try await FiveLibraries(server)
            try await five.signIn()
            try await body(five)
            await expectEqual(server.terminate(), 0)
        }
    }
}

@Suite struct OneAccountTests {
    @Test
    func `Five libraries over one session refresh an expired token once for fifty requests of all`() async throws {
        try await FiveLibraries.with { five in
            var tokens = try await five.session.credential()
            tokens.expiry = .distantPast
            try await five.session.signIn(tokens)
            let requests = five.requests
            let emails = await withTaskGroup(of: String?.self) { group in
                for number in 0..<50 { group.addTask { try? await requests[number % requests.count]() } }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(emails.count == 50 && emails.allSatisfy { $0 == FiveLibraries.email })
            try await expectEqual(five.refreshes(), 1)
        }
    }

    @Test
    func `Five libraries over one session sign out together by any of them, and in again together`() async throws {
        try await FiveLibraries.with { five in
            for (number, signOut) in five.signOuts.enumerated() {
                let old = try await five.session.credential()
                try await signOut.run()
                #expect(five.authPackage.tokens == nil && five.authPackage.currentUser == nil, "\(number)")
                #expect(await !five.lazi.isAuthenticated, "\(number)")
                await expectNil(five.lazi.currentUser, "\(number)")
                expectEqual(five.jwtAuth.session.currentState, .signedOut(.user), "\(number)")
                for request in five.requests {
                    await #expect(throws: (any Error).self, "\(number)") { try await request() }
                }
                let stale = Client(baseURL: five.url)
                var request = try stale.request(.get, "user/profile")
                request.fields["Authorization"] = "Bearer \(old.accessToken)"
                let status: HTTPStatus = signOut.tellsServer ? .unauthorized : .ok
                try await expectEqual(stale.respond(to: request).status, status, "\(number)")
                try await five.signIn()
                for request in five.requests { try await expectEqual(request(), FiveLibraries.email, "\(number)") }
                #expect(await five.lazi.isAuthenticated)
            }
        }
    }

    @Test func `Five libraries over one session show the session of each facade as the same`() async throws {
        try await FiveLibraries.with { five in
            #expect(five.authPackage.core.session === five.session && five.lazi.session === five.session)
            #expect(five.jwtAuth.session === five.session && five.nevod.session === five.session)
        }
    }
}
