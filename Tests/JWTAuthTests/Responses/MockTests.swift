// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import JWTAuthDependencies
import LatchCore
import LatchHTTP
import LatchTesting
import Synchronization
import Testing

extension HTTPRequestClient {
    /// A client as the original's page about tests makes it.
    fileprivate static func mock(
        _ response: some Encodable & Sendable, status: Int = 200, id: UUID = UUID(),
        seen: @escaping @Sendable (URLRequest) -> Void = { _ in }
    ) -> HTTPRequestClient {
        HTTPRequestClient { request, _ in
            seen(request)
            let url = try #require(request.url)
            let head = HTTPURLResponse(url: url, statusCode: status, httpVersion: nil, headerFields: ["X-A": "b"])
            return (try JSONEncoder().encode(response), try #require(head), id)
        }
    }
}

@Suite struct MockTests {
    let backend: Backend

    init() throws { backend = try Backend() }

    @Test
    func `A mocked request client receives the request as it is sent, with the token and the identifier`() async throws
    {
        let tokens = try backend.issue()
        let id = UUID()
        let seen = Mutex<[URLRequest]>([])
        try await withDependencies {
            $0.context = .test
            $0.wallClock = backend.clock.wallClock()
            $0.jwtAuthClient = JWTAuthClient(baseURL: { "https://test.api/v1" }, refresh: { $0 })
            $0.httpRequestClient = .mock(Profile(name: "Test User"), id: id) { request in
                seen.withLock { $0.append(request) }
            }
            $0.authSession = .valid(tokens)
        } operation: {
            @Dependency(\.jwtAuthClient) var authClient
            let response: SuccessResponse<Profile> = try await authClient.sendAuthenticated(
                .get("/user/profile").query("a", "b"), cachePolicy: .reloadIgnoringLocalCacheData, timeoutInterval: 7)
            expectEqual(response.data.name, "Test User")
            expectEqual(response.requestID, id)
            expectEqual(response.response.value(forHTTPHeaderField: "X-A"), "b")
        }
        let request = try #require(seen.withLock { $0 }.first)
        expectEqual(request.url?.absoluteString, "https://test.api/v1/user/profile?a=b")
        expectEqual(request.value(forHTTPHeaderField: "Authorization"), "Bearer \(tokens.access)")
        expectEqual(request.value(forHTTPHeaderField: "X-Request-Id")?.isEmpty, false)
        expectEqual(request.value(forHTTPHeaderField: "Accept"), "application/json")
        expectEqual(request.cachePolicy, .reloadIgnoringLocalCacheData)
        expectEqual(request.timeoutInterval, 7)
    }

    @Test func `A mocked request client answers with its own errors, which are passed on unchanged`() async throws {
        struct Broken: Error, Equatable {}
        let id = UUID()
        let failing = HTTPRequestClient { _, _ in throw Broken() }
        guard
            case HTTPRequestClient.Error.other(_, let cause)? = await failure({
                try await failing.send(.get("/x"), baseURL: "https://test.api")
            })
        else {
            Issue.record("not told")
            return
        }
        expectEqual(cause as? Broken, Broken())
        let named = HTTPRequestClient { _, _ in throw HTTPRequestClient.Error.invalidHTTPResponse(id) }
        guard
            case HTTPRequestClient.Error.invalidHTTPResponse(id)? = await failure({
                try await named.send(.get("/x"), baseURL: "https://test.api")
            })
        else {
            Issue.record("not told")
            return
        }
        let cancelled = HTTPRequestClient { _, _ in throw URLError(.timedOut) }
        guard
            case HTTPRequestClient.Error.other(_, let time)? = await failure({
                try await cancelled.send(.get("/x"), baseURL: "https://test.api")
            })
        else {
            Issue.record("not told")
            return
        }
        expectEqual(time as? HTTPError, .timeout)
    }

    @Test func `A mocked request client can be used to refresh, and can refuse`() async throws {
        let expired = try backend.issue(life: -10)
        let fresh = try backend.issue()
        let seen = Mutex<[String]>([])
        try await withDependencies {
            $0.context = .test
            $0.wallClock = backend.clock.wallClock()
            $0.jwtAuthClient = JWTAuthClient(baseURL: { "https://test.api" }, refresh: Backend.refresh)
            $0.httpRequestClient = .mock(fresh) { request in seen.withLock { $0.append(request.url?.path ?? "") } }
            $0.authSession = .expired(expired)
        } operation: {
            @Dependency(\.jwtAuthClient) var authClient
            @Shared(.authSession) var session
            try await authClient.refreshExpiredTokens()
            expectEqual(session, .valid(fresh))
            try await withDependencies {
                $0.httpRequestClient = .mock(Refusal(message: "no"), status: 418)
            } operation: {
                let result: Response<Profile, Refusal> = try await Dependency(\.jwtAuthClient).wrappedValue
                    .sendAuthenticated(.get("/user/profile"))
                expectEqual(result.error, Refusal(message: "no"))
            }
        }
        expectEqual(seen.withLock { $0 }, ["/auth/refresh"])
    }
}

@Suite struct RequestErrorTests {
    private struct Deep: Decodable { let items: [[String: Int]] }

    private func told(_ json: String) throws -> DecodingError {
        let error = #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(Deep.self, from: Data(json.utf8))
        }
        return try #require(error)
    }

    @Test(arguments: [
        (#"{"items":[{},{"a":"canary"}]}"#, "items[1].a"), (#"{"items":[{"a":null}]}"#, "items[0].a"),
        (#"{}"#, "items"), ("canary", "at its top"),
    ])
    func `An error of a request names the place of unexpected content, and does not show the content`(
        json: String, place: String
    ) throws {
        let id = UUID()
        let error = try told(json)
        for text in [
            error.debugDescription(for: id), "\(HTTPRequestClient.Error.decodingError(id, error))",
            HTTPRequestClient.Error.decodingError(id, error).localizedDescription,
        ] {
            #expect(text.contains(place), "\(text)")
            #expect(!text.contains("canary"))
        }
        #expect(error.debugDescription(for: id).contains(id.uuidString.lowercased()))
    }

    @Test func `An error of a request names its request and says in a sentence what happened`() {
        let id = UUID()
        struct Foreign: Error { let secret = "canary" }
        let all: [(HTTPRequestClient.Error, String)] = [
            (.invalidHTTPResponse(id), "The response is not HTTP."),
            (.badResponse(id, 503, "canary"), "The server responded with status 503."),
            (.other(id, HTTPError.timeout), "The server did not respond in time."),
            (.other(id, Foreign()), "The request failed: Foreign."),
        ]
        for (error, text) in all {
            expectEqual(error.requestID, id)
            expectEqual(error.errorDescription, text)
            expectEqual(error.description, "\(text) (request \(id.uuidString.lowercased()))")
        }
    }
}
