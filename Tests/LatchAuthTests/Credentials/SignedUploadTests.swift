// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAuth
import LatchCore
import LatchCrypto
import LatchHTTP
import LatchJOSE
import LatchTesting
import Synchronization
import TestSupport
import TestTags
import Testing

/// The received request is rebuilt and verified from the wire alone.
@Suite struct SignedUploadTests {
    private func client(_ server: RawHTTPServer, _ credentials: any Credential...) throws -> Client {
        Client(
            baseURL: try #require(URL(string: server.url)),
            interceptors: credentials.map { CredentialInterceptor($0, for: .host("127.0.0.1")) })
    }

    /// The request as a server would understand it.
    private func arrived(_ request: RawHTTPServer.Request) throws -> HTTPRequest {
        let words = request.line.split(separator: " ")
        var arrived = HTTPRequest(
            method: HTTPMethod(rawValue: String(words[0])), scheme: "http",
            authority: try #require(request.values(of: "host").first), path: String(words[1]),
            body: HTTPBody(request.body))
        for line in request.head.split(separator: "\r\n").dropFirst() {
            let pair = line.split(separator: ":", maxSplits: 1)
            arrived.fields.append(String(pair[1].drop { $0 == " " }), for: HTTPFieldName(String(pair[0])))
        }
        return arrived
    }

    /// Uploads a file, which is read once to be signed and once to be sent.
    private func upload(_ credential: any Credential, bytes: Int = 700_000) async throws -> HTTPRequest {
        let server = try RawHTTPServer { _ in .response(200) }
        return try await withTemporaryFolder { folder in
            let content = (0..<bytes).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            try Data(content).write(to: URL(filePath: "\(folder)/file"))
            let client = try client(server, credential)
            let body = HTTPBody(try .file(at: "\(folder)/file"))
            _ = try await client.respond(to: client.request(.put, "files/a b", body: body))
            let arrived = try arrived(#require(server.requests.first))
            // Not by the macro, which would search for the differences of two long lists.
            let isSame = arrived.body.bytes == content
            #expect(isSame, "\(arrived.body.bytes.count) bytes arrived")
            return arrived
        }
    }

    @Test(.tags(.hmacSignatures))
    func `A signed request at a server has the HMAC of a file that was streamed from disk`() async throws {
        let arrived = try await upload(HMACSignature(apiKey: "k", secret: "secret"))
        let digest = SHA256.hash(data: arrived.body.bytes).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        let lines = ["PUT", "/files/a%20b", arrived.fields["x-timestamp"] ?? "", digest]
        let code = HMAC<SHA256>.authenticationCode(
            for: Array(lines.joined(separator: "\n").utf8), using: SymmetricKey(data: Array("secret".utf8)))
        expectEqual(arrived.fields["x-signature"], code.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())
    }

    @Test
    func `A signed request at a server has the message signature of a file that was streamed from disk`() async throws {
        let key = try Key.generate(.es256, id: "k")
        let arrived = try await upload(MessageSignature(key))
        let signature = try await MessageVerifier(keys: KeySet([key])).verify(arrived)
        #expect(signature.components.contains("content-digest"))
        var changed = arrived
        changed.body = HTTPBody(arrived.body.bytes.dropLast() + [0])
        await #expect(throws: AuthError.digestMismatch) {
            try await MessageVerifier(keys: KeySet([key])).verify(changed)
        }
    }

    @Test
    func `A signed request at a server has the AWS signature of a file that was streamed from disk`() async throws {
        let aws = SigV4Signature(
            accessKeyID: "AKID", secretAccessKey: "secret", region: "r", service: "s3",
            clock: .standing(at: 1_440_938_160))
        let arrived = try await upload(aws)
        let digest = SHA256.hash(data: arrived.body.bytes).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        expectEqual(arrived.fields["x-amz-content-sha256"], digest)
        // Signed again from nothing but what arrived and what it says it covers, it has the same signature.
        var again = arrived
        for line in arrived.fields where !["X-Amz-Date", "X-Amz-Content-Sha256", "Host"].contains(line.name) {
            let isCovered = arrived.fields[.authorization]?.contains("\(line.name.canonicalName);") == true
            if !isCovered { again.fields[line.name] = nil }
        }
        try await aws.authorize(&again)
        expectEqual(again.fields[.authorization], arrived.fields[.authorization])
    }

    @Test
    func `A signed request at a server is signed by each of several credentials, and none covers less for it`()
        async throws
    {
        let server = try RawHTTPServer { _ in .response(200) }
        let key = try Key.generate(.eddsa, id: "k")
        let message = try MessageSignature(
            key, covering: SignatureComponent.requestDefaults + ["x-api-key", "authorization"])
        let client = try client(server, APIKey("key"), BearerToken("token"), APIKey("q", inQuery: "k"), message)
        _ = try await client.respond(to: client.request(.post, "a", body: HTTPBody("x")))
        let arrived = try arrived(#require(server.requests.first))
        expectEqual(arrived.path, "/a?k=q")
        var policy = SignaturePolicy()
        policy.required += ["x-api-key", "authorization"]
        try await expectEqual(MessageVerifier(keys: KeySet([key]), policy: policy).verify(arrived).label, "sig1")
    }

    @Test func `A signed request with a nonce is accepted once, and each repeat has its own nonce`() async throws {
        let server = try RawHTTPServer { request in
            request.number == 0 ? .response(307, fields: ["Location: /a?again"]) : .response(200)
        }
        let key = try Key.generate(.hs256, id: "k")
        let client = try client(server, MessageSignature(key, hasNonce: true))
        _ = try await client.respond(to: client.request(.post, "a", body: HTTPBody("x")))
        _ = try await client.respond(to: client.request(.post, "a", body: HTTPBody("x")))
        let seen = Mutex<Set<String>>([])
        var policy = SignaturePolicy()
        policy.isFresh = { nonce, _ in seen.withLock { $0.insert(nonce).inserted } }
        let verifier = MessageVerifier(keys: KeySet([key]), policy: policy)
        #expect(server.requests.count >= 3)
        for request in server.requests { _ = try await verifier.verify(arrived(request)) }
        await #expect(throws: AuthError.refusedSignature) {
            try await verifier.verify(arrived(#require(server.requests.first)))
        }
    }
}

/// Two clients of one process, each with a scheme and a secret of its own.
@Suite struct CredentialSeparationTests {
    @Test(.tags(.tokenDestination))
    func `Credentials of two clients never mix, even with concurrent requests to one host`() async throws {
        let server = try RawHTTPServer { _ in .response(200) }
        let url = try #require(URL(string: server.url))
        let first = Client(
            baseURL: url, interceptors: [CredentialInterceptor(APIKey("canary-a"), for: .host("127.0.0.1"))])
        let second = Client(
            baseURL: url, interceptors: [CredentialInterceptor(BearerToken("canary-b"), for: .host("127.0.0.1"))])
        try await withThrowingTaskGroup { group in
            for number in 0..<40 {
                let client = number.isMultiple(of: 2) ? first : second
                group.addTask { _ = try await client.respond(to: client.request(.get, "\(number)")) }
            }
            try await group.waitForAll()
        }
        expectEqual(server.requests.count, 40)
        for request in server.requests {
            let isFirst =
                request.line.split(separator: " ")[1].dropFirst().last?.wholeNumberValue?.isMultiple(of: 2) == true
            expectEqual(request.values(of: "x-api-key"), isFirst ? ["canary-a"] : [])
            expectEqual(request.values(of: "authorization"), isFirst ? [] : ["Bearer canary-b"])
        }
    }

    @Test(.tags(.tokenDestination))
    func `Credentials of two clients are asked for only within their scope`() async throws {
        let asked = Mutex(0)
        let recorded = Recorded()
        let handler = recorded.intercepted(by: [
            CredentialInterceptor(for: .subdomains(of: "x.com")) {
                asked.withLock { $0 += 1 }
                return BearerToken("token")
            }
        ])
        for authority in ["api.x.com", "evilx.com", "x.com", "x.com.evil.com"] {
            _ = try await handler.respond(to: HTTPRequest(authority: authority, path: "/"))
        }
        expectEqual(asked.withLock { $0 }, 2)
        expectEqual(recorded.requests.map { $0.fields[.authorization] }, ["Bearer token", nil, "Bearer token", nil])
    }

    @Test func `Credentials of two clients can be absent, and the request is sent without`() async throws {
        let recorded = Recorded()
        let handler = recorded.intercepted(by: [CredentialInterceptor(for: .host("x.com")) { nil }])
        _ = try await handler.respond(to: HTTPRequest(authority: "x.com", path: "/"))
        expectEqual(recorded.requests.first?.fields.isEmpty, true)
    }
}
