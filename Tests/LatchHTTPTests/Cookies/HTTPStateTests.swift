// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchHTTP
import LatchTesting
import TestVectors
import Testing

@Suite(.enabled(if: VectorSet.httpState.isPresent, Comment(rawValue: VectorSet.hint)))
struct HTTPStateTests {
    /// The cases in which the suite of RFC 6265 differs from RFC 6265bis: the case, today's result, and the reason.
    static let changed: [String: String] = {
        // A pair without `=` was ignored, and is a value without a name (RFC 6265bis §5.6 step 3).
        var cases = [
            "0004": "foo", "0021": "a=b; x; c=d", "0023": "foo", "0024": "foo", "0025": "foo", "0026": "foo",
            "0027": "bar", "0028": "foo", "chromium0009": "BLAHHH", "chromium0010": #""BLA\"HHH""#,
            "chromium0012": "ABC", "mozilla0012": #"test="fubar! = foo; five"#, "mozilla0014": "six",
            "mozilla0015": "seven", "mozilla0016": "eight", "mozilla0017": "eight; test=six", "name0017": "a=bar",
            "name0023": "foo", "name0025": "==a=bar", "name0028": "a", "name0031": #""foo"#,
            "name0032": #""foo\"bar"#, "name0033": "aaa",
        ]
        // An empty Domain was no attribute, and now takes back those before it (§5.6.3, §5.7 step 10).
        cases["optional-domain0042"] = "foo=bar"
        // A name and a value of more than 4,096 bytes together were allowed (§5.6 step 5).
        cases["disabled-chromium0020"] = ""
        return cases
    }()

    /// Cases that the suite itself has switched off: browsers end a field at a line break, and no field has one here.
    static let switchedOff: Set<String> = ["disabled-chromium0022", "disabled-chromium0023", "disabled-path0029"]

    static let names = VectorSet.httpState.files(endingWith: "-test").map { String($0.dropLast(5)) }

    @Test func `The http-state suite is complete`() {
        expectEqual(Self.names.count, 222)
        #expect(Self.switchedOff.union(Self.changed.keys).isSubset(of: Self.names))
    }

    @Test(arguments: names.filter { !switchedOff.contains($0) })
    func `The http-state suite holds for the case`(name: String) throws {
        try expectEqual(cookies(of: name), Self.changed[name] ?? expected(of: name))
    }

    /// The suite is from 2011, and its dates of expiry are after that.
    private func cookies(of name: String) throws -> String {
        let clock = ManualClock(Date(timeIntervalSince1970: 1_325_376_000))
        let jar = CookieJar(clock: clock.wallClock())
        var response = HTTPResponse(status: .ok)
        var target = "/cookie-parser-result?\(name)"
        for line in try VectorSet.httpState.text("\(name)-test").split(separator: "\n") {
            if line.hasPrefix("Set-Cookie:") { response.fields.append(String(line.dropFirst(11)), for: .setCookie) }
            if line.hasPrefix("Location: ") { target = String(line.dropFirst(10)) }
        }
        jar.receive(response, to: try request("/cookie-parser?\(name)"))
        return jar.cookies(for: try request(target))
            .map { $0.name.isEmpty ? $0.value : "\($0.name)=\($0.value)" }.joined(separator: "; ")
    }

    private func request(_ target: String) throws -> HTTPRequest {
        let url = target.hasPrefix("/") ? "http://home.example.org:8888\(target)" : target
        return try HTTPRequest(url: #require(URL(string: url)))
    }

    private func expected(of name: String) throws -> String {
        let line = try VectorSet.httpState.text("\(name)-expected").split(separator: "\n").first ?? ""
        return String(line.dropFirst("Cookie: ".count))
    }
}
