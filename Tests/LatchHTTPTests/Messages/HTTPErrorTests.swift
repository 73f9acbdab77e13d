// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchHTTP
import Testing

@Suite struct HTTPErrorTests {
    private static let all: [HTTPError] = [
        .invalidURL, .insecureURL, .invalidField, .offline, .timeout, .cancelled, .tls, .tooLarge, .malformedMessage,
        .unacceptableStatus, .undecodable, .unencodable, .redirectRefused,
    ]

    @Test func `An error of HTTP has a unique code and a sentence`() {
        expectEqual(Set(Self.all.map(\.code)).count, Self.all.count)
        for error in Self.all {
            #expect(error.message.hasSuffix(".") && !error.message.isEmpty, "\(error.code)")
            expectNotEqual(error.hint?.hasSuffix("."), false, "\(error.code)")
            expectNil(error.response)
        }
    }

    @Test func `An error of HTTP is matched by its static member with any context`() {
        let response = HTTPResponse(status: 404)
        let made: [(HTTPError, HTTPError)] = [
            (.invalidURL("it is odd"), .invalidURL), (.invalidField("X"), .invalidField), (.offline("Gone."), .offline),
            (.tls("Old."), .tls), (.redirectRefused("Far."), .redirectRefused),
            (.malformedMessage("Bad."), .malformedMessage), (.unacceptableStatus(response), .unacceptableStatus),
            (.undecodable("at 'a' it is malformed.", response: response), .undecodable),
        ]
        for (error, pattern) in made {
            expectEqual(Self.all.filter { $0 ~= error }.map(\.code), [pattern.code])
            expectEqual(error, pattern)
        }
    }

    @Test func `An error of HTTP is the network's if trying again can help`() {
        expectEqual(Self.all.filter(\.isConnectivity), [.offline, .timeout])
        #expect(!HTTPError.mailRefused("550").isConnectivity)
    }

    @Test(arguments: [
        ("X-A", "X-A"), ("X\r\nEvil: 1", "XEvil:1"), ("\u{0}\u{1B}[31m", "[31m"), ("Ünï", "n"), ("", ""),
        (String(repeating: "a", count: 200), String(repeating: "a", count: 64)),
    ])
    func `An error of HTTP shows only the printable part of a field's name`(name: String, shown: String) {
        #expect(HTTPError.invalidField(name).message.contains("'\(shown)'"))
    }
}
