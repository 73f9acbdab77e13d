// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAuth
import LatchHTTP
import TestVectors
import Testing

@Suite(.enabled(if: VectorSet.sigV4.isPresent, Comment(rawValue: VectorSet.fetchHint)))
struct SigV4VectorTests {
    @Test func `Amazon's cases of Signature Version 4 are signed as they say`() async throws {
        let names = VectorSet.sigV4.files(endingWith: ".req").map { $0.dropLast(4) }
        expectEqual(names.count, 34)
        for name in names {
            let test = try SigV4Case(String(name))
            let signed = try await test.request.authorized(by: test.credential)
            expectEqual(signed.fields[.authorization], test.authorization, "\(name)")
        }
    }

    @Test func `Amazon's cases of Signature Version 4 have the stated canonical form and string to sign`() throws {
        for name in VectorSet.sigV4.files(endingWith: ".req").map({ $0.dropLast(4) }) {
            let test = try SigV4Case(String(name))
            var request = test.request
            if let token = test.credential.sessionToken { request.fields["X-Amz-Security-Token"] = token }
            let lines = test.canonicalRequest.split(separator: "\n", omittingEmptySubsequences: false)
            let canonical = SigV4CanonicalRequest(
                request, names: SigV4CanonicalRequest.signedNames(of: request), payload: String(lines.last ?? ""),
                keepsPath: false)
            expectEqual(canonical.text, test.canonicalRequest, "\(name)")
            expectEqual(test.credential.stringToSign(canonical, date: "20150830T123600Z"), test.stringToSign, "\(name)")
        }
    }
}

/// One case of the suite, in the layout of its files.
private struct SigV4Case {
    let request: HTTPRequest
    let canonicalRequest: String
    let stringToSign: String
    let authorization: String
    let credential: SigV4Signature

    init(_ path: String) throws {
        func text(_ suffix: String) throws -> String {
            try VectorSet.sigV4.text(path + suffix).replacing("\r", with: "")
        }
        request = try Self.request(text(".req"))
        canonicalRequest = try text(".creq")
        stringToSign = try text(".sts")
        authorization = try text(".authz")
        // Whether a case has a token is told by what it signs, as in the suite's own runner.
        let token = canonicalRequest.split(separator: "\n").first { $0.hasPrefix("x-amz-security-token:") }
        credential = SigV4Signature(
            accessKeyID: "AKIDEXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
            sessionToken: token.map { String($0.dropFirst("x-amz-security-token:".count)) }, region: "us-east-1",
            service: "service", clock: .standing(at: 1_440_938_160))
    }

    /// The raw request; a line that begins with space continues the one before (RFC 9112 §5.2).
    private static func request(_ text: String) -> HTTPRequest {
        let parts = text.split(separator: "\n\n", maxSplits: 1, omittingEmptySubsequences: false)
        var lines: [Substring] = []
        for line in parts[0].split(separator: "\n") {
            if line.first == " ", let last = lines.popLast() { lines.append(last + line) } else { lines.append(line) }
        }
        let words = lines[0].split(separator: " ")
        var request = HTTPRequest(
            method: HTTPMethod(rawValue: String(words[0])), authority: "",
            path: words.dropFirst().dropLast().joined(separator: " "),
            body: HTTPBody(parts.count > 1 ? String(parts[1]) : ""))
        for line in lines.dropFirst() {
            let pair = line.split(separator: ":", maxSplits: 1)
            request.fields.append(String(pair[1]), for: HTTPFieldName(String(pair[0])))
        }
        request.authority = request.fields[.host] ?? ""
        return request
    }
}
