// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAuth
import LatchCore
import LatchCrypto
import LatchHTTP
import LatchTesting
import Synchronization
import TestSupport
import TestTags
import Testing

/// Sends each request twice, as a retry does.
private struct Twice: Interceptor {
    func intercept(_ request: HTTPRequest, next: any Handler) async throws -> HTTPResponse {
        _ = try await next.respond(to: request)
        return try await next.respond(to: request)
    }
}

/// Adds to each request, as another interceptor may.
private struct Adding: Interceptor {
    func intercept(_ request: HTTPRequest, next: any Handler) async throws -> HTTPResponse {
        var request = request
        request.path += "?added=1"
        request.fields["X-Added"] = "1"
        return try await next.respond(to: request)
    }
}

@Suite struct CredentialWireTests {
    private let hmac = HMACSignature(apiKey: "client-1", secret: "secret", clock: .ticking(from: 1_700_000_000))

    private func client(_ base: String, _ interceptors: [any Interceptor]) throws -> Client {
        Client(baseURL: try #require(URL(string: base)), interceptors: interceptors)
    }

    /// The code that a request on the wire has to carry, made from what was received alone.
    private func code(_ request: RawHTTPServer.Request) -> String {
        let words = request.line.split(separator: " ")
        let digest = request.body.isEmpty ? "" : SHA256.hash(data: request.body).map(hex).joined()
        let message = "\(words[0])\n\(words[1])\n\(request.values(of: "x-timestamp").joined())\n\(digest)"
        let key = SymmetricKey(data: Array("secret".utf8))
        return HMAC<SHA256>.authenticationCode(for: Array(message.utf8), using: key).map(hex).joined()
    }

    private func hex(_ byte: UInt8) -> String { (byte < 16 ? "0" : "") + String(byte, radix: 16) }

    /// Every request has exactly one signature, which is right for it and for no other.
    private func expectSigned(_ requests: [RawHTTPServer.Request], count: Int) {
        expectEqual(requests.count, count)
        for request in requests { expectEqual(request.values(of: "x-signature"), [code(request)], "\(request.line)") }
        expectEqual(Set(requests.flatMap { $0.values(of: "x-timestamp") }).count, count)
        expectEqual(Set(requests.flatMap { $0.values(of: "x-signature") }).count, count)
    }

    @Test(.tags(.hmacSignatures), arguments: [true, false])
    func `A credential on the wire signs each attempt again, on either side of the retries`(isOutside: Bool)
        async throws
    {
        let server = try RawHTTPServer { _ in .response(200) }
        let signing = CredentialInterceptor(hmac, for: .host("127.0.0.1"))
        let client = try client(server.url, isOutside ? [Twice(), signing] : [signing, Twice()])
        _ = try await client.respond(to: client.request(.post, "notes", body: HTTPBody(#"{"a":1}"#)))
        expectSigned(server.requests, count: 2)
        expectEqual(server.requests.map(\.body), [Array(#"{"a":1}"#.utf8), Array(#"{"a":1}"#.utf8)])
    }

    @Test(.tags(.hmacSignatures))
    func `A credential on the wire signs the path that a redirect within the origin leads to`() async throws {
        let server = try RawHTTPServer { request in
            request.line.contains("/old")
                ? .response(307, fields: ["Location: /new%20place?x=%2B&y=1"]) : .response(200)
        }
        let client = try client(server.url, [CredentialInterceptor(hmac, for: .host("127.0.0.1"))])
        _ = try await client.respond(to: client.request(.put, "old", body: HTTPBody("content")))
        expectEqual(server.requests.map(\.line), ["PUT /old HTTP/1.1", "PUT /new%20place?x=%2B&y=1 HTTP/1.1"])
        expectSigned(server.requests, count: 2)
    }

    @Test(.tags(.hmacSignatures))
    func `A credential on the wire signs a request that a redirect has made a GET without content`() async throws {
        let server = try RawHTTPServer { request in
            request.line.contains("/old") ? .response(303, fields: ["Location: /new"]) : .response(200)
        }
        let client = try client(server.url, [CredentialInterceptor(hmac, for: .host("127.0.0.1"))])
        _ = try await client.respond(to: client.request(.post, "old", body: HTTPBody("content")))
        expectEqual(server.requests.map(\.line), ["POST /old HTTP/1.1", "GET /new HTTP/1.1"])
        expectSigned(server.requests, count: 2)
    }

    @Test(.tags(.hmacSignatures), arguments: [true, false])
    func `A credential on the wire covers what interceptors add, on either side of them`(isFirst: Bool) async throws {
        let server = try RawHTTPServer { _ in .response(200) }
        let signing = CredentialInterceptor(hmac, for: .host("127.0.0.1"))
        let client = try client(server.url, isFirst ? [signing, Adding()] : [Adding(), signing])
        _ = try await client.respond(to: client.request(.get, "notes"))
        expectEqual(server.requests.map(\.line), ["GET /notes?added=1 HTTP/1.1"])
        expectSigned(server.requests, count: 1)
    }

    @Test(.tags(.hmacSignatures))
    func `A credential on the wire covers fields that interceptors add after it, for AWS`() async throws {
        let server = try RawHTTPServer { _ in .response(200) }
        let aws = SigV4Signature(accessKeyID: "AKID", secretAccessKey: "secret", region: "r", service: "s")
        let client = try client(server.url, [CredentialInterceptor(aws, for: .host("127.0.0.1")), Adding()])
        _ = try await client.respond(to: client.request(.get, "notes"))
        let sent = try #require(server.requests.first)
        expectEqual(sent.values(of: "authorization").first?.contains("host;x-added;x-amz-date"), true)
        // Signed again from what arrived, at the time that it says, it is the same.
        var arrived = HTTPRequest(
            scheme: "http", authority: try #require(sent.values(of: "host").first), path: "/notes?added=1")
        for name in ["X-Added", "X-Amz-Date", "Accept"] {
            arrived.fields[HTTPFieldName(name)] = sent.values(of: name).first
        }
        let names = SigV4CanonicalRequest.signedNames(of: arrived)
        expectEqual(
            sent.values(of: "authorization").first?.contains(";\(names.suffix(2).joined(separator: ";")),"), true)
    }

    @Test(.tags(.tokenDestination))
    func `A credential on the wire does not follow a redirect to another origin`() async throws {
        let other = try RawHTTPServer { _ in .response(200) }
        let server = try RawHTTPServer { _ in .response(307, fields: ["Location: http://localhost:\(other.port)/x"]) }
        let scope = CredentialScope.host("127.0.0.1")
        let everything: [any Credential] = try [
            hmac, APIKey("canary-key"), APIKey("canary-query", inQuery: "key"), BearerToken("canary-bearer"),
            HeaderCredential(["X-One": "canary-one"]),
        ]
        let client = try client(server.url, everything.map { CredentialInterceptor($0, for: scope) })
        _ = try await client.respond(to: client.request(.get, "a"))
        let first = try #require(server.requests.first)
        expectEqual(first.line, "GET /a?key=canary-query HTTP/1.1")
        for name in ["x-signature", "x-api-key", "x-timestamp", "x-one", "authorization"] {
            expectEqual(first.values(of: name).count, 1, "\(name)")
        }
        let second = try #require(other.requests.first)
        expectEqual(second.line, "GET /x HTTP/1.1")
        for name in ["x-signature", "x-api-key", "x-timestamp", "x-one", "authorization"] {
            #expect(second.values(of: name).isEmpty, "\(name)")
        }
        #expect(!second.head.contains("canary"))
    }

    @Test(.tags(.tokenDestination))
    func `A credential on the wire does not come along to another port of its host`() async throws {
        let other = try RawHTTPServer { _ in .response(200) }
        let server = try RawHTTPServer { _ in .response(302, fields: ["Location: \(other.url)/x"]) }
        let client = try client(server.url, [CredentialInterceptor(hmac, for: .host("127.0.0.1"))])
        _ = try await client.respond(to: client.request(.get, "a"))
        expectEqual(server.requests.first?.values(of: "x-signature").count, 1)
        expectEqual(other.requests.count, 1)
        expectEqual(other.requests.first?.values(of: "x-signature"), [])
        expectEqual(other.requests.first?.values(of: "x-api-key"), [])
    }

    @Test(.tags(.tokenDestination))
    func `A credential on the wire does not come back from another origin`() async throws {
        let back = Mutex<String>("")
        let other = try RawHTTPServer { _ in
            .response(302, fields: ["Location: \(back.withLock { $0 })/again"])
        }
        let server = try RawHTTPServer { request in
            request.line.contains("/again")
                ? .response(200) : .response(302, fields: ["Location: http://localhost:\(other.port)/x"])
        }
        back.withLock { $0 = server.url }
        let client = try client(server.url, [CredentialInterceptor(APIKey("canary"), for: .host("127.0.0.1"))])
        _ = try await client.respond(to: client.request(.get, "a"))
        expectEqual(server.requests.first?.values(of: "x-api-key"), ["canary"])
        expectEqual(other.requests.first?.values(of: "x-api-key"), [])
        // Nor is it set again at its own origin: another one has chosen the path and the method there.
        expectEqual(server.requests.last?.line, "GET /again HTTP/1.1")
        expectEqual(server.requests.last?.values(of: "x-api-key"), [])
    }

    @Test(.tags(.apiKeys)) func `A credential on the wire is sent once, and a refusal is the answer`() async throws {
        let server = try RawHTTPServer { _ in .response(401) }
        let client = try client(
            server.url, [CredentialInterceptor(APIKey("a+b&c", inQuery: "key"), for: .host("127.0.0.1"))])
        let response = try await client.respond(to: client.request(.get, "a", query: [("q", "1")]))
        expectEqual(response.status, .unauthorized)
        expectEqual(server.requests.map(\.line), ["GET /a?q=1&key=a%2Bb%26c HTTP/1.1"])
    }

    @Test func `A credential on the wire does not stay on the request that was asked for`() async throws {
        let server = try RawHTTPServer { _ in .response(200) }
        let client = try client(
            server.url, [CredentialInterceptor(APIKey("k", inQuery: "key"), for: .host("127.0.0.1"))])
        let request = try client.request(.get, "a")
        _ = try await client.respond(to: request)
        _ = try await client.respond(to: request)
        expectEqual(request.path, "/a")
        expectEqual(server.requests.map(\.line), Array(repeating: "GET /a?key=k HTTP/1.1", count: 2))
    }

    @Test func `A credential on the wire that cannot sign keeps the request from being sent`() async throws {
        let server = try RawHTTPServer { _ in .response(200) }
        let client = try client(server.url, [CredentialInterceptor(hmac, for: .host("127.0.0.1"))])
        let request = try client.request(.put, "a", body: HTTPBody(.once("x")))
        await #expect(throws: AuthError.unsignableContent) { try await client.respond(to: request) }
        #expect(server.requests.isEmpty)
    }
}
