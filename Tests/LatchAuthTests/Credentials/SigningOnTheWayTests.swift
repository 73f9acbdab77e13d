// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAuth
import LatchHTTP
import LatchJOSE
import LatchTesting
import TestSupport
import TestTags
import Testing

/// The schemes that sign, at a server that redirects: what goes out second is signed for what it is.
@Suite struct SigningOnTheWayTests {
    private func send(
        _ credential: any Credential, status: Int, _ method: HTTPMethod = .post
    ) async throws -> [RawHTTPServer.Request] {
        let server = try RawHTTPServer { request in
            request.line.contains("/old")
                ? .response(status, fields: ["Location: /new/../new%20place?b=2&a=1"]) : .response(200)
        }
        let client = Client(
            baseURL: try #require(URL(string: server.url)),
            interceptors: [CredentialInterceptor(credential, for: .host("127.0.0.1"))])
        _ = try await client.respond(to: client.request(method, "old", body: HTTPBody("content")))
        return server.requests
    }

    /// The request as it arrived, without its signature.
    private func arrived(_ request: RawHTTPServer.Request, fields: [String]) throws -> HTTPRequest {
        let words = request.line.split(separator: " ")
        var arrived = HTTPRequest(
            method: HTTPMethod(rawValue: String(words[0])), scheme: "http",
            authority: try #require(request.values(of: "host").first), path: String(words[1]),
            body: HTTPBody(request.body))
        for name in fields {
            for value in request.values(of: name) { arrived.fields.append(value, for: HTTPFieldName(name)) }
        }
        return arrived
    }

    @Test(.tags(.hmacSignatures), arguments: [301, 302, 303, 307, 308])
    func `A signature of a redirected request is correct for AWS, however the redirect changes the request`(status: Int)
        async throws
    {
        let aws = SigV4Signature(
            accessKeyID: "AKID", secretAccessKey: "secret", region: "r", service: "execute-api",
            clock: .standing(at: 1_700_000_000))
        let requests = try await send(aws, status: status)
        expectEqual(requests.count, 2)
        for request in requests {
            var again = try arrived(request, fields: ["content-type", "accept"])
            // What the transport adds of its own was not there to be signed.
            if request.values(of: "authorization").first?.contains("accept;") != true { again.fields[.accept] = nil }
            try await aws.authorize(&again)
            expectEqual(request.values(of: "authorization"), [again.fields[.authorization]], "\(request.line)")
        }
        expectEqual(Set(requests.flatMap { $0.values(of: "authorization") }).count, 2)
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func `A signature of a redirected request is correct for RFC 9421, however the redirect changes it`(status: Int)
        async throws
    {
        let key = try Key.generate(.eddsa, id: "k")
        let requests = try await send(MessageSignature(key), status: status)
        expectEqual(requests.count, 2)
        let verifier = MessageVerifier(keys: KeySet([key]))
        for request in requests {
            let arrived = try arrived(request, fields: ["signature", "signature-input", "content-digest"])
            let signature = try await verifier.verify(arrived)
            expectEqual(signature.components.contains("content-digest"), !request.body.isEmpty)
            expectEqual(request.values(of: "content-digest").count, request.body.isEmpty ? 0 : 1)
        }
    }

    @Test(.tags(.tokenTypes))
    func `A plain credential of a redirected request is also sent with the second request`() async throws {
        let basic = try BasicCredential(user: "user", password: "pass")
        for request in try await send(basic, status: 307) {
            expectEqual(request.values(of: "authorization"), ["Basic dXNlcjpwYXNz"])
        }
        for request in try await send(BearerToken("abc"), status: 303) {
            expectEqual(request.values(of: "authorization"), ["Bearer abc"])
        }
        let keys = try await send(APIKey("k", inQuery: "key"), status: 307)
        #expect(keys.map(\.line).allSatisfy { $0.contains("key=k ") && !$0.contains("key=k&key") })
        expectEqual(keys.last?.line.hasSuffix("?b=2&a=1&key=k HTTP/1.1"), true)
    }
}
