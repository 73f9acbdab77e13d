// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAuth
import LatchHTTP
import TestVectors
import Testing

@Suite(.enabled(if: PythonCommand.isPresent, Comment(rawValue: PythonCommand.hint)))
struct SigV4PythonTests {
    /// Signature Version 4 by the words of its documentation: reads lines of nine parts in hexadecimal, prints signatures.
    private static let program = """
        import hashlib, hmac, sys, urllib.parse
        quote = lambda text, safe: urllib.parse.quote(text, safe=safe)
        mac = lambda key, text: hmac.new(key, text.encode(), hashlib.sha256).digest()
        for line in open(sys.argv[1]):
            parts = [bytes.fromhex(x) for x in line.strip('\\n').split(',')]
            method, path, query, names, date, region, service, secret = [x.decode() for x in parts[:8]]
            content = hashlib.sha256(parts[8]).hexdigest()
            fields = sorted(x.split(':', 1) for x in names.split('\\n'))
            if service == 's3':
                path = '/'.join(quote(urllib.parse.unquote_to_bytes(x), '-_.~') for x in path.split('/'))
            else:
                kept = []
                for segment in path.split('/'):
                    if segment == '..':
                        kept = kept[:-1]
                    elif segment not in ('', '.'):
                        kept.append(quote(segment, '-_.~'))
                path = '/' + '/'.join(kept) + ('/' if kept and path.endswith('/') else '')
            pairs = []
            for pair in query.split('&') if query else []:
                name, _, value = pair.partition('=')
                pairs.append(tuple(quote(urllib.parse.unquote_to_bytes(x), '-_.~') for x in (name, value)))
            query = '&'.join('='.join(pair) for pair in sorted(pairs))
            signed = ';'.join(name for name, _ in fields)
            lines = ''.join(name + ':' + ' '.join(value.split()) + '\\n' for name, value in fields)
            request = '\\n'.join([method, path, query, lines, signed, content])
            scope = '/'.join([date[:8], region, service, 'aws4_request'])
            text = '\\n'.join(['AWS4-HMAC-SHA256', date, scope, hashlib.sha256(request.encode()).hexdigest()])
            key = ('AWS4' + secret).encode()
            for part in (date[:8], region, service, 'aws4_request'):
                key = mac(key, part)
            print(hmac.new(key, text.encode(), hashlib.sha256).hexdigest())
        """

    private static let segments = ["a", "..", ".", "", "b%20c", "%C3%BC", "x+y", "d~e", "$f", "%2F", "..."]
    private static let pieces = ["a=1", "b", "a=%2B", "c=x%20y", "=z", "d=e=f", "A=2", "%61=3", "~=*", "a-b=1"]

    private struct Case {
        var request: HTTPRequest
        let credential: SigV4Signature
        let secret: String
        let date: String

        init(_ random: inout SeededGenerator) {
            let length = Int.random(in: 0...5, using: &random)
            var path =
                "/" + (0..<length).map { _ in segments.randomElement(using: &random) ?? "" }.joined(separator: "/")
            let query = (0..<Int.random(in: 0...4, using: &random)).map { _ in
                pieces.randomElement(using: &random) ?? ""
            }
            if !query.isEmpty { path += "?" + query.joined(separator: "&") }
            let method: HTTPMethod = ["GET", "PUT", "POST"].randomElement(using: &random) ?? .get
            request = HTTPRequest(
                method: method, authority: "h\(random.next() % 100).example.com:8443", path: path,
                fields: ["X-Spaces": "  a   b\tc ", "Content-Type": "text/plain; x=\(random.next())"],
                body: HTTPBody(random.bytes(Int.random(in: 0...200, using: &random))))
            secret = "s\(random.next())"
            let seconds = Double(Int.random(in: 0...4_000_000_000, using: &random))
            date = HTTPDate(Date(timeIntervalSince1970: seconds)).basicText
            credential = SigV4Signature(
                accessKeyID: "AKID", secretAccessKey: secret, region: "r\(random.next() % 9)",
                service: Bool.random(using: &random) ? "s3" : "execute-api", clock: .standing(at: seconds))
        }

        /// The input for Python, from the signed request.
        func line(_ signed: HTTPRequest) -> String {
            let names = signed.fields.filter { $0.name != .authorization }.map {
                "\($0.name.canonicalName):\($0.value)"
            }
            let texts = [
                signed.method.rawValue, String(signed.pathWithoutQuery), String(signed.query ?? ""),
                (names + ["host:\(signed.authority)"]).joined(separator: "\n"), date, credential.region,
                credential.service, secret,
            ]
            return (texts.map { Array($0.utf8) } + [signed.body.bytes]).map { bytes in
                bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            }.joined(separator: ",")
        }
    }

    @Test func `AWS signatures are the same as Python's for random requests`() async throws {
        var random = SeededGenerator(seed: 4)
        var (input, ours): (String, [Substring]) = ("", [])
        for _ in 0..<300 {
            let test = Case(&random)
            let signed = try await test.request.authorized(by: test.credential)
            input += test.line(signed) + "\n"
            ours.append((signed.fields[.authorization] ?? "").suffix(64))
        }
        let theirs = try await PythonCommand.run(Self.program, input: input).split(separator: "\n")
        expectEqual(theirs.count, 300)
        for (place, line) in input.split(separator: "\n").enumerated() {
            expectEqual(ours[place], theirs[place], "\(line)")
        }
    }
}
