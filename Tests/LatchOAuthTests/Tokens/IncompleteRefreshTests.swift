// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAuth
import LatchCore
import LatchHTTP
import LatchTesting
import Synchronization
import TestSupport
import Testing

@testable import LatchOAuth

@Suite struct IncompleteRefreshTests {
    let issuer = ScriptedIssuer()
    static let sent = Tokens(access: "a0", refresh: "r0", idToken: "i0", userID: "u0")

    /// The error of a refresh that is answered with `body`.
    private func failure(
        _ body: [UInt8], status: HTTPStatus = .ok, byJSON: Bool = false
    ) async throws -> any Error {
        issuer.on(byJSON ? "/oauth/token/refresh" : "/oauth/token") { _ in
            HTTPResponse(status: status, body: HTTPBody(body))
        }
        return try #require(
            await #expect(throws: (any Error).self) {
                try await issuer.endpoint(jsonRefresh: byJSON).refresh(Self.sent)
            })
    }

    private static let flaws: [(String, OAuthError)] = [
        (#"{"access_token":"a1","refresh_token":"r1","token_type":"JWT"}"#, .unacceptableTokenType),
        (#"{"access_token":"a1","refresh_token":"r1","token_type":"DPoP"}"#, .unacceptableTokenType),
        (#"{"access_token":"a1","refresh_token":"r1","scope":"a","scope":"b"}"#, .invalidResponse),
        (#"{"refresh_token":"r0","access_token":"a1","refresh_token":"r1"}"#, .invalidResponse),
        (#"{"access_token":"a1","expires_in":NaN,"refresh_token":"r1"}"#, .invalidResponse),
        (#"{"access_token":"a1","expires_in":0x10,"refresh_token":"r1"}"#, .invalidResponse),
        (#"{"access_token":"a1","expires_in":01,"refresh_token":"r1"}"#, .invalidResponse),
        ("{\"note\":\"a\tb\",\"access_token\":\"a1\",\"refresh_token\":\"r1\"}", .invalidResponse),
        (#"{"note":"\ud800","access_token":"a1","refresh_token":"r1"}"#, .invalidResponse),
        (#"{"note":"\x","access_token":"a1","refresh_token":"r1"}"#, .invalidResponse),
        (#"{"access_token":"a1","refresh_token":"r1"};"#, .invalidResponse),
        (#"{"access_token":"a1","refresh_token":"r1"}{}"#, .invalidResponse),
        (#"{"access_token":"a1","refresh_token":"r1""#, .invalidResponse),
        (#"{"access_token":"a1","refresh_token":"r1","x":"#, .invalidResponse),
        (#"{"access_token":"a1" "refresh_token":"r1"}"#, .invalidResponse),
        (#"{"refresh_token":"r1"}"#, .invalidResponse),
        (#"{"access_token":null,"refresh_token":"r1"}"#, .invalidResponse),
        (#"{"access_token":"ä","refresh_token":"r1"}"#, .invalidResponse),
        (#"{"access_token":"a1","refresh_token":"r1","refresh_token":""}"#, .invalidResponse),
        (#"[{"refresh_token":"r1"}]"#, .invalidResponse), (#"<script>{"refresh_token":"r1"}"#, .invalidResponse),
        ("<b>Notice</b>: unused\n{\"access_token\":\"a1\",\"refresh_token\":\"r1\"}", .invalidResponse),
        (")]}',\n{\"access_token\":\"a1\",\"refresh_token\":\"r1\"}", .invalidResponse),
        (#"{"refresh\u005ftoken":"\u0072\u0031","access_token":7}"#, .invalidResponse),
        (#"{"x":{"refresh_token":"no"},"y":["refresh_token","no"],"refresh_token":"r1"}"#, .invalidResponse),
        (#"{"error":"server_error","refresh_token":"r1"}"#, .serverFailed),
    ]

    @Test(arguments: flaws, [false, true])
    func `The refresh token of a flawed answer is thrown with the error, in the sent tokens`(
        flaw: (body: String, error: OAuthError), byJSON: Bool
    ) async throws {
        let failure = try await failure(Array(flaw.body.utf8), byJSON: byJSON)
        let incomplete = try #require(failure as? IncompleteRefresh<Tokens>, "\(flaw.body): \(failure)")
        var expected = Self.sent
        expected.refresh = "r1"
        expectEqual(incomplete.grant, expected)
        expectEqual(incomplete.error as? OAuthError, flaw.error)
    }

    @Test(arguments: [
        "", "{}", "null", "<html>",
        #""refresh_token":"r1""#, #"{"refresh_token":"r0"}"#, #"{"refresh_token":""}"#, #"{"refresh_token":"r1"#,
        #"{"refresh_token":"r1\"#, #"{"refresh_token":7,"x":"r1"}"#, #"{"refresh_token":7 "r1"}"#,
        #"{"refresh_token":"r"1"}"#, #"{"refresh_token":"r\x1"}"#, #"{"refresh_token":"r\ud8001"}"#,
        #"{"refresh_token":{"x":"r1"}}"#, #"{"x":"refresh_token","y":"r1"}"#, #"{"x":{"refresh_token":"r1"}}"#,
        #"{"Refresh_Token":"r1"}"#,
    ])
    func `The refresh token of a flawed answer is not guessed, and then the error is the usual one`(body: String)
        async throws
    {
        try await expectEqual(failure(Array(body.utf8)) as? OAuthError, .invalidResponse)
    }

    @Test(arguments: [400, 401, 403, 500, 503, 302] as [HTTPStatus])
    func `The refresh token of a flawed answer is not read in an answer that is not a success`(status: HTTPStatus)
        async throws
    {
        let body = #"{"error":"invalid_grant","refresh_token":"r1"}"#
        #expect(try await failure(Array(body.utf8), status: status) is OAuthError)
    }

    @Test func `The refresh token of a flawed answer is read with the rest after a byte order mark`() async throws {
        issuer.on(.ok, "\u{FEFF}" + #"{"access_token":"a1","refresh_token":"r1"}"#)
        let tokens = try await issuer.endpoint().refresh(Self.sent).tokens
        expectEqual(tokens.access, "a1")
        expectEqual(tokens.refresh, "r1")
    }

    @Test
    func `The refresh token of a flawed answer is kept with the key and for the resource of the request`() async throws
    {
        var sent = Self.sent
        sent.key = try DPoPKey.generate()
        issuer.on(.ok, #"{"access_token":"a1","refresh_token":"r1","token_type":"Bearer"}"#)
        let target = TokenTarget(resource: "https://api.example.com")
        let error = await #expect(throws: IncompleteRefresh<Tokens>.self) {
            try await issuer.endpoint().refresh(sent, for: target)
        }
        sent.refresh = "r1"
        expectEqual(error?.grant, sent)
        expectEqual(error?.error as? OAuthError, .unacceptableTokenType)
    }

    @Test(arguments: 0..<8 as Range<UInt64>)
    func `The refresh token of a flawed answer is a string of the answer, after any damage`(seed: UInt64) {
        var random = SplitMix64(state: seed)
        let answer = #"{"access_token":"eyJ.a\/b","note":"\ud83d\ude00 ü","refresh_token":"r1-._~+","x":[{"y":1}]}"#
        let pieces: [[UInt8]] = [
            "\"", "\\", "{", "}", "[", "]", ":", ",", "\\u", "\\ud800", "refresh_token", "\u{0}", "é",
        ]
        .map { Array($0.utf8) }
        for _ in 0..<250 {
            var bytes = Array(answer.utf8)
            for _ in 0...random.below(6) {
                let start = random.below(bytes.count + 1)
                let end = min(bytes.count, start + random.below(6))
                switch random.below(4) {
                case 0: bytes.replaceSubrange(start..<end, with: random.pick(pieces))
                case 1: bytes.removeSubrange(start..<end)
                case 2: bytes.insert(UInt8(truncatingIfNeeded: random.next()), at: start)
                default: bytes.removeSubrange(start...)
                }
            }
            var (whole, single) = (
                RefreshTokenScan(names: ["refresh_token"]), RefreshTokenScan(names: ["refresh_token"])
            )
            whole.read(bytes)
            for byte in bytes { single.read(CollectionOfOne(byte)) }
            expectEqual(whole.token, single.token, "seed \(seed): \(bytes)")
            guard let token = whole.token else { continue }
            let isQuoted = bytes.contains(subsequence: Array("\"\(token)\"".utf8))
            #expect(isQuoted || bytes.contains(UInt8(ascii: "\\")), "seed \(seed): \(bytes)")
        }
    }

    @Test func `The refresh token of a flawed answer is found at any length`() {
        for filler in ["\"", "\\", "{", "}", "[", ":", ",", "\\ud800", "\"refresh_token\":", " "] {
            let bytes = Array(("{" + String(repeating: filler, count: (1 << 15) / filler.utf8.count)).utf8)
            var scan = RefreshTokenScan(names: ["refresh_token"])
            scan.read(bytes)
            expectNil(scan.token)
        }
        let long = String(repeating: "r", count: 1 << 15)
        var scan = RefreshTokenScan(names: ["refresh_token"])
        scan.read(Array(#"{"refresh_token":"\#(long)"}"#.utf8))
        expectEqual(scan.token, long)
    }
}

@Suite struct RefreshSocketTests {
    static let sent = Tokens(access: "a0", refresh: "r0")
    private static let tokens = #"{"access_token":"a1","refresh_token":"r1"}"#
    private static let head = "HTTP/1.1 200 OK\r\n"

    private func endpoint(
        _ server: RawHTTPServer, timeout: Duration? = nil, clock: WallClock = .system
    ) throws -> TokenEndpoint {
        TokenEndpoint(server: .latchwork(at: try #require(URL(string: server.url))), timeout: timeout, clock: clock)
    }

    private static var chunk: String { "\(String(tokens.utf8.count, radix: 16))\r\n\(tokens)" }

    @Test(arguments: [
        "Transfer-Encoding: chunked\r\n\r\n\(chunk)", "Transfer-Encoding: chunked\r\n\r\n\(chunk)\r\n",
        "Transfer-Encoding: chunked\r\n\r\n\(chunk)\r\n0\r\n",
        "Content-Length: \(tokens.utf8.count + 1)\r\n\r\n\(tokens)", "Content-Length: 9000000000\r\n\r\n\(tokens)",
        "Content-Length: 90\r\n\r\n{\"refresh_token\":\"r1\",\"access",
    ])
    func `A refresh answer on a socket gives its refresh token though the connection ends before it`(rest: String)
        async throws
    {
        let server = try RawHTTPServer { _ in .closing(after: Self.head + rest) }
        let error = await #expect(throws: IncompleteRefresh<Tokens>.self) {
            try await endpoint(server).refresh(Self.sent)
        }
        expectEqual(error?.grant.refresh, "r1")
        #expect(error?.error is HTTPError)
    }

    @Test(arguments: [
        "Transfer-Encoding: chunked\r\n\r\n\(chunk)\r\n", "Content-Length: \(tokens.utf8.count + 1)\r\n\r\n\(tokens)",
    ])
    func `A refresh answer on a socket gives its refresh token though the server never ends it`(rest: String)
        async throws
    {
        let server = try RawHTTPServer { _ in .text(Self.head + rest) }
        let clock = ManualClock()
        async let refresh = endpoint(server, clock: clock.wallClock()).refresh(Self.sent)
        await expectEqual(clock.wakeNext(), .seconds(5))
        do {
            _ = try await refresh
            Issue.record("the answer has an end")
        } catch let error as IncompleteRefresh<Tokens> {
            expectEqual(error.grant.refresh, "r1")
            expectEqual(error.error as? HTTPError, .timeout)
        }
    }

    @Test(arguments: ["", "Content-Length: 90\r\n\r\n{\"access_token\":\"a1\",\"refresh_token\":\"r1"])
    func `A refresh answer on a socket gives nothing if no refresh token has arrived`(rest: String) async throws {
        let server = try RawHTTPServer { _ in .closing(after: rest.isEmpty ? "" : Self.head + rest) }
        await #expect(throws: HTTPError.self) { try await endpoint(server).refresh(Self.sent) }
    }

    @Test(
        arguments: [
            (400, #"{"error":"invalid_grant"}"#, .invalidGrant), (401, "", .unauthorized),
            (503, "<html>", .temporarilyUnavailable), (400, #"{"error":"invalid_request"}"#, .invalidRequest),
        ] as [(Int, String, OAuthError)], [false, true])
    func `A refresh answer on a socket is an error if it is not a success`(
        answer: (status: Int, body: String, error: OAuthError), isTrickled: Bool
    ) async throws {
        let server = try RawHTTPServer { _ in
            var response = RawHTTPServer.Response.response(answer.status, body: answer.body)
            response.isTrickled = isTrickled
            return response
        }
        // Its time does not pass on a busy machine.
        let endpoint = try endpoint(server, clock: ManualClock().wallClock())
        for _ in 0..<2 {
            await #expect(throws: answer.error) { try await endpoint.refresh(Self.sent) }
        }
        expectEqual(server.connectionCount, 1)
    }

    /// Reads the content of each response, as logs do.
    private final class Reader: Interceptor {
        let read = Mutex<[String]>([])

        func intercept(_ request: HTTPRequest, next: any Handler) async throws -> HTTPResponse {
            var response = try await next.respond(to: request)
            let bytes = try await response.body.collected(upTo: 1 << 20)
            read.withLock { $0.append(String(decoding: bytes, as: UTF8.self)) }
            response.body = HTTPBody(bytes)
            return response
        }
    }

    @Test func `A refresh answer on a socket can also be read by an interceptor`() async throws {
        let server = try RawHTTPServer { _ in .response(body: Self.tokens) }
        let reader = Reader()
        let endpoint = TokenEndpoint(
            server: .latchwork(at: try #require(URL(string: server.url))), interceptors: [reader])
        try await expectEqual(endpoint.refresh(Self.sent).tokens.refresh, "r1")
        expectEqual(reader.read.withLock { $0 }, [Self.tokens])
    }

    @Test
    func `A refresh answer on a socket that wants a nonce in the proof is followed by another request`() async throws {
        let server = try RawHTTPServer { request in
            guard request.number > 0 else {
                return .response(
                    400, fields: ["DPoP-Nonce: n1", "Content-Type: application/json"],
                    body: #"{"error":"use_dpop_nonce"}"#)
            }
            return .response(body: #"{"access_token":"a1","refresh_token":"r1","token_type":"DPoP"}"#)
        }
        var sent = Self.sent
        (sent.tokenType, sent.key) = (.dpop, try DPoPKey.generate())
        let tokens = try await endpoint(server).refresh(sent).tokens
        expectEqual(tokens.refresh, "r1")
        expectEqual(server.requests.count, 2)
    }

    @Test func `A refresh answer on a socket is read up to a megabyte`() async throws {
        let body = #"{"refresh_token":"r1","access_token":"a1","x":""# + String(repeating: "x", count: 2 << 20) + "\"}"
        let server = try RawHTTPServer { _ in .response(body: body) }
        let error = await #expect(throws: IncompleteRefresh<Tokens>.self) {
            try await endpoint(server).refresh(Self.sent)
        }
        expectEqual(error?.grant.refresh, "r1")
        expectEqual(error?.error as? HTTPError, .tooLarge)
    }

    @Test func `A refresh answer on a socket keeps its connection for the next one`() async throws {
        let server = try RawHTTPServer { _ in .response(body: Self.tokens) }
        // Its time does not pass on a busy machine.
        let endpoint = try endpoint(server, clock: ManualClock().wallClock())
        for _ in 0..<3 { try await expectEqual(endpoint.refresh(Self.sent).tokens.refresh, "r1") }
        expectEqual(server.connectionCount, 1)
    }

    @Test(arguments: [false, true])
    func `A refresh answer on a socket is not lost if the task is canceled`(isTrickled: Bool) async throws {
        let task = Mutex<Task<TokenResponse, any Error>?>(nil)
        let (isSet, set) = AsyncStream.makeStream(of: Void.self)
        let server = try RawHTTPServer { _ in
            // The request has arrived, and its answer has not.
            task.withLock { $0 }?.cancel()
            var answer = RawHTTPServer.Response.response(body: Self.tokens)
            answer.isTrickled = isTrickled
            return answer
        }
        let endpoint = try endpoint(server)
        let refresh = Task {
            for await _ in isSet {}
            return try await endpoint.refresh(Self.sent)
        }
        task.withLock { $0 = refresh }
        set.finish()
        try await expectEqual(refresh.value.tokens.refresh, "r1")
    }
}

@Suite struct TimeLimitTests {
    let issuer = ScriptedIssuer()

    private func endpoint(byJSON: Bool = false) -> TokenEndpoint {
        var server = AuthorizationServer.latchwork(at: ScriptedIssuer.url)
        if byJSON { server.jsonRefreshEndpoint = ScriptedIssuer.url.appending(path: "oauth/token/refresh") }
        // Both limits of an app: that of the endpoint, and that of an interceptor.
        return TokenEndpoint(
            server: server, transport: issuer,
            interceptors: [TimeoutInterceptor(.seconds(5), clock: issuer.clock.wallClock())],
            timeout: .seconds(7), clock: issuer.clock.wallClock())
    }

    @Test(arguments: [false, true])
    func `A limit of time does not end a refresh that was sent`(byJSON: Bool) async throws {
        let clock = issuer.clock
        issuer.on(byJSON ? "/oauth/token/refresh" : "/oauth/token") { request in
            #expect(request.timeLimit(usual: .seconds(60)) > .seconds(86_400))
            #expect(request.wantsStream)
            clock.advance(by: .seconds(3_600))
            return HTTPResponse(status: .ok, body: HTTPBody(#"{"access_token":"a1","refresh_token":"r1"}"#))
        }
        let tokens = try await endpoint(byJSON: byJSON).refresh(Tokens(access: "a0", refresh: "r0")).tokens
        expectEqual(tokens.refresh, "r1")
    }

    @Test func `A limit of time ends every other request`() async throws {
        issuer.on("/oauth/token") { request in
            #expect(request.timeLimit(usual: .seconds(60)) <= .seconds(7))
            return HTTPResponse(status: .ok, body: HTTPBody(#"{"access_token":"a1"}"#))
        }
        issuer.on("/oauth/revoke") { request in
            #expect(request.timeLimit(usual: .seconds(60)) <= .seconds(7))
            return HTTPResponse(status: .ok)
        }
        _ = try await endpoint().tokens(for: PasswordGrant(username: "u", password: "p"))
        _ = try await endpoint().tokens(for: RefreshGrant(refreshToken: "r0"))
        try await endpoint().revoke("r0")
        expectEqual(issuer.requests.count, 3)
    }
}

extension [UInt8] {
    fileprivate func contains(subsequence other: [UInt8]) -> Bool {
        indices.contains { self[$0...].starts(with: other) }
    }
}
