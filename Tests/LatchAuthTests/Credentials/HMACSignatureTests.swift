// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAuth
import LatchCore
import LatchCrypto
import LatchHTTP
import TestTags
import TestVectors
import Testing

@Suite struct HMACSignatureTests {
    private let credential = HMACSignature(
        apiKey: "client-1", secret: "s3cr€t", clock: .standing(at: 1_700_000_000.75))

    /// The code of a message of four lines, made here by the primitive alone.
    private func code(_ lines: String...) -> String {
        let key = SymmetricKey(data: Array("s3cr€t".utf8))
        return HMAC<SHA256>.authenticationCode(for: Array(lines.joined(separator: "\n").utf8), using: key)
            .map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    @Test(.tags(.hmacSignatures)) func `An HMAC signature of a request is in three fields`() async throws {
        let request = try await HTTPRequest.example(.post, "/v1/notes?page=2", body: HTTPBody("hello"))
            .authorized(by: credential)
        expectEqual(request.fields.map(\.name.rawName), ["X-API-Key", "X-Timestamp", "X-Signature"])
        expectEqual(request.fields["x-api-key"], "client-1")
        expectEqual(request.fields["x-timestamp"], "1700000000")
        let hello = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
        expectEqual(request.fields["x-signature"], code("POST", "/v1/notes?page=2", "1700000000", hello))
        expectEqual(request.credentialFields, ["X-API-Key", "X-Timestamp", "X-Signature"])
    }

    @Test(.tags(.hmacSignatures))
    func `An HMAC signature of a request has an empty fourth line without content, as the seed has it`() async throws {
        let request = try await HTTPRequest.example(.get, "/a").authorized(by: credential)
        expectEqual(request.fields["x-signature"], code("GET", "/a", "1700000000", ""))
    }

    @Test(.tags(.hmacSignatures))
    func `An HMAC signature of a request has the digest of empty content if the server wants that`() async throws {
        var form = HMACSignature.Form()
        form.hashesEmptyContent = true
        let credential = HMACSignature(
            apiKey: "client-1", secret: "s3cr€t", form: form, clock: .standing(at: 1_700_000_000))
        let request = try await HTTPRequest.example(.get, "/a").authorized(by: credential)
        let nothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        expectEqual(request.fields["x-signature"], code("GET", "/a", "1700000000", nothing))
    }

    @Test(
        .tags(.hmacSignatures), arguments: ["/a?b=1&c=2", "/a?c=2&b=1", "/a?", "/a", "/a%20b?x=%C3%BC", "/%61", "//a"])
    func `An HMAC signature of a request covers path and query as they are on the wire`(path: String) async throws {
        let request = try await HTTPRequest.example(.get, path).authorized(by: credential)
        expectEqual(request.fields["x-signature"], code("GET", path, "1700000000", ""))
    }

    @Test(.tags(.hmacSignatures))
    func `An HMAC signature of a request leaves the query out if the server wants that`() async throws {
        var form = HMACSignature.Form()
        form.signsQuery = false
        let credential = HMACSignature(
            apiKey: "client-1", secret: "s3cr€t", form: form, clock: .standing(at: 1_700_000_000))
        let request = try await HTTPRequest.example(.get, "/a?b=1").authorized(by: credential)
        expectEqual(request.fields["x-signature"], code("GET", "/a", "1700000000", ""))
    }

    @Test(.tags(.hmacSignatures))
    func `An HMAC signature of a request has other fields if the server names them so`() async throws {
        var form = HMACSignature.Form()
        (form.keyField, form.timestampField, form.signatureField) = ("X-Id", "X-Time", "X-Sig")
        let credential = HMACSignature(apiKey: "me", secret: "s", form: form)
        let request = try await HTTPRequest.example(fields: ["x-sig": "old"]).authorized(by: credential)
        expectEqual(Set(request.fields.map(\.name)), ["X-Id", "X-Time", "X-Sig"])
        expectEqual(request.fields["X-Sig"]?.utf8.count, 64)
        expectEqual(Set(request.credentialFields), ["X-Id", "X-Time", "X-Sig"])
    }

    @Test(.tags(.hmacSignatures))
    func `An HMAC signature of a request is made again with the time of each attempt`() async throws {
        let credential = HMACSignature(
            apiKey: "client-1", secret: "s3cr€t", clock: .ticking(from: 1_700_000_000))
        let first = try await HTTPRequest.example(.get, "/a").authorized(by: credential)
        let second = try await first.authorized(by: credential)
        expectEqual(first.fields["x-timestamp"], "1700000000")
        expectEqual(second.fields["x-timestamp"], "1700000001")
        expectEqual(second.fields["x-signature"], code("GET", "/a", "1700000001", ""))
        expectEqual(second.fields.count, 3)
    }

    @Test(.tags(.hmacSignatures))
    func `An HMAC signature of a request covers a stream that can be read again, in any pieces`() async throws {
        let whole = try await HTTPRequest.example(.put, "/f", body: HTTPBody("hello")).authorized(by: credential)
        for pieces in [["hello"], ["he", "llo"], ["h", "e", "l", "l", "o"]] {
            let streamed = try await HTTPRequest.example(.put, "/f", body: HTTPBody(.pieces(pieces)))
                .authorized(by: credential)
            expectEqual(streamed.fields, whole.fields)
            try await expectEqual(streamed.body.collected(upTo: 10), Array("hello".utf8))
        }
    }

    @Test(.tags(.hmacSignatures))
    func `An HMAC signature of a request is not made over a stream that can be read once`() async throws {
        let request = HTTPRequest.example(.put, "/f", body: HTTPBody(.once("hello")))
        await #expect(throws: AuthError.unsignableContent) { try await request.authorized(by: credential) }
        try await expectEqual(request.body.collected(upTo: 10), Array("hello".utf8))
    }

    @Test(arguments: [-Double.infinity, .infinity, .nan, -5, 1e300])
    func `An HMAC signature of a request is made at any time of a clock`(seconds: Double) async throws {
        let credential = HMACSignature(apiKey: "a", secret: "b", clock: .standing(at: seconds))
        let request = try await HTTPRequest.example().authorized(by: credential)
        #expect(request.fields["x-timestamp"].flatMap { Int64($0) } != nil)
    }
}

@Suite(.enabled(if: PythonCommand.isPresent, Comment(rawValue: PythonCommand.hint)))
struct HMACSignaturePythonTests {
    /// Reads lines of method, target, time, content and secret in hexadecimal, and prints the code.
    private static let program = """
        import hashlib, hmac, sys
        for line in open(sys.argv[1]):
            method, target, time, content, secret = [bytes.fromhex(x) for x in line.strip().split(',')]
            digest = hashlib.sha256(content).hexdigest().encode() if content else b''
            message = b'\\n'.join([method, target, time, digest])
            print(hmac.new(secret, message, hashlib.sha256).hexdigest())
        """

    @Test(.tags(.hmacSignatures)) func `HMAC signatures are the same as Python's for random requests`() async throws {
        var random = SeededGenerator(seed: 12)
        var (input, ours): (String, [String]) = ("", [])
        for _ in 0..<200 {
            let method: HTTPMethod = ["GET", "POST", "PUT", "DELETE", "PATCH"].randomElement(using: &random) ?? .get
            let path = "/" + hex(random.bytes(Int.random(in: 0...9, using: &random))) + "?q=%2B&\(random.next())"
            let content = random.bytes(Int.random(in: 0...300, using: &random))
            let secret = hex(random.bytes(Int.random(in: 1...100, using: &random)))
            let seconds = Int.random(in: 0...4_000_000_000, using: &random)
            let credential = HMACSignature(
                apiKey: "k", secret: secret, clock: .standing(at: Double(seconds)))
            let request = try await HTTPRequest.example(method, path, body: HTTPBody(content))
                .authorized(by: credential)
            ours.append(request.fields["x-signature"] ?? "")
            let parts = [
                Array(method.rawValue.utf8), Array(path.utf8), Array("\(seconds)".utf8), content, Array(secret.utf8),
            ]
            input += parts.map(hex).joined(separator: ",") + "\n"
        }
        let theirs = try await PythonCommand.run(Self.program, input: input).split(separator: "\n").map(String.init)
        expectEqual(ours, theirs)
    }

    private func hex(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    @Test(.tags(.hmacSignatures))
    func `An HMAC signature is not made with an empty secret, such as that of an unset variable`() async throws {
        let credential = HMACSignature(apiKey: "client-1", secret: "")
        await #expect(throws: AuthError.invalidCredential) {
            try await HTTPRequest.example(.get, "/a").authorized(by: credential)
        }
    }
}
