// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchHTTP
import LatchTesting
import Testing

@Suite struct ChallengeTests {
    private func parse(_ line: String) throws -> [Challenge] { try #require(Challenge.parse(line)) }

    /// A challenge as `scheme token68 name=value|name=value`, for comparing.
    private func plain(_ line: String) -> [String]? {
        Challenge.parse(line)?.map { challenge in
            let parameters = challenge.parameters.map { "\($0.name)=\($0.value)" }.joined(separator: "|")
            return [challenge.scheme, challenge.token68 ?? "-", parameters].joined(separator: " ")
        }
    }

    @Test func `A challenge has a scheme and parameters that compare without case`() throws {
        let challenge = try #require(try parse(#"Basic REALM="a b", charset=UTF-8"#).first)
        #expect(challenge.isScheme("basic"))
        #expect(!challenge.isScheme("basi"))
        expectEqual(challenge["realm"], "a b")
        expectEqual(challenge["Charset"], "UTF-8")
        expectNil(challenge["nonce"])
    }

    @Test(arguments: [
        // RFC 9110 §11.6.1, the example of three challenges that share commas with their parameters.
        (
            #"Basic realm="simple", Newauth realm="apps", type=1, title="Login to \"apps\"""#,
            ["Basic - realm=simple", #"Newauth - realm=apps|type=1|title=Login to "apps""#]
        ),
        ("Negotiate", ["Negotiate - "]),
        ("Negotiate, Basic realm=x", ["Negotiate - ", "Basic - realm=x"]),
        ("Negotiate , Basic realm=x", ["Negotiate - ", "Basic - realm=x"]),
        ("Negotiate YII=", ["Negotiate YII= "]),
        ("Negotiate a-._~+/9==, Foo", ["Negotiate a-._~+/9== ", "Foo - "]),
        ("Foo a=b", ["Foo - a=b"]),
        ("Foo a=", ["Foo a= "]),
        ("Foo a", ["Foo a "]),
        ("Foo a = b , c=\td", ["Foo - a=b|c=d"]),
        ("Foo ,a=b", ["Foo - a=b"]),
        (",, Foo a=b,, ,c=d,", ["Foo - a=b|c=d"]),
        (#"Foo a="", b="\"\\""#, [#"Foo - a=|b="\"#]),
        (#"Foo a="b,c=d", Bar"#, ["Foo - a=b,c=d", "Bar - "]),
        (#"Foo a="b, Bar x=\"y\"""#, [#"Foo - a=b, Bar x="y""#]),
        ("Foo a==, b", ["Foo a== ", "b - "]), ("", []), (" , ,\t", []),
    ])
    func `A challenge is separated from the next one and from its parameters`(line: String, expected: [String]) {
        expectEqual(plain(line), expected)
    }

    @Test(arguments: [
        "realm=x", #"="x""#, "Foo bar baz", "Foo a=b c=d", #"Foo a="b" Bar"#, "Foo a=b=", "Foo a==b", "Foo a=b, a=c",
        "Foo A=b, a=c", #"Foo a="b"#, #"Foo a="b\"#, "Foo a=\"b\u{1}\"", "Foo YII=, a=b", "Foo a, b=c", "Foo\ta=b",
        "Foo/ a=b", "Foo a=b;c=d", "Foo a=@", "Foo =b", "F\u{F6}o", "Foo a=b,c\u{301}=d",
    ])
    func `A challenge is not guessed from an ambiguous line`(line: String) {
        expectNil(Challenge.parse(line))
    }

    @Test func `A challenge comes from one line or from several, and a bad line spoils no other`() {
        let response = HTTPResponse(
            status: .unauthorized,
            fields: [
                .wwwAuthenticate: #"Bearer error="insufficient_user_authentication", acr_values="mfa""#,
                .wwwAuthenticate: "realm=broken", "www-authenticate": #"DPoP algs="ES256 EdDSA", Basic realm="x""#,
                "Proxy-Authenticate": "Basic realm=proxy",
            ])
        expectEqual(response.challenges().map(\.scheme), ["Bearer", "DPoP", "Basic"])
        expectEqual(response.challenges().first { $0.isScheme("bearer") }?["acr_values"], "mfa")
        expectEqual(response.challenges().first { $0.isScheme("dpop") }?["algs"], "ES256 EdDSA")
        expectEqual(response.challenges(in: "Proxy-Authenticate").first?["realm"], "proxy")
    }

    @Test func `A challenge is not read from a line that no server would send`() {
        expectNil(Challenge.parse(String(repeating: "a", count: 16_385)))
        expectNil(Challenge.parse(Array(repeating: "Foo", count: 65).joined(separator: ",")))
        expectEqual(Challenge.parse(Array(repeating: "Foo", count: 64).joined(separator: ","))?.count, 64)
    }

    @Test(arguments: [UInt64](0..<300))
    func `A challenge reads back as it was written`(seed: UInt64) throws {
        var random = SplitMix64(state: seed)
        let token = Array("abcXYZ019!#$%&'*+-.^_`|~")
        let any = Array("ab \t\"\\,=;é")
        func word(_ letters: [Character], from least: Int, _ random: inout SplitMix64) -> String {
            String((0..<(least + random.below(6))).map { _ in random.pick(letters) })
        }
        var expected: [String] = []
        var line = ""
        for number in 0..<(1 + random.below(4)) {
            let scheme = word(token, from: 1, &random)
            if number > 0 { line += random.pick([",", ", ", " , ,"]) }
            line += scheme
            var parameters: [String] = []
            for index in 0..<random.below(4) {
                let (name, value) = ("p\(index)" + word(token, from: 0, &random), word(any, from: 0, &random))
                let quoted = value.map { "\"\\".contains($0) ? "\\\($0)" : "\($0)" }.joined()
                line += (index == 0 ? " " : random.pick([",", ", ", ",,\t"])) + "\(name)=\"\(quoted)\""
                parameters.append("\(name)=\(value)")
            }
            expected.append("\(scheme) - \(parameters.joined(separator: "|"))")
        }
        expectEqual(plain(line), expected, "\(line)")
    }
}
