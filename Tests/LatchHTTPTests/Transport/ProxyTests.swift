// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchHTTP
import LatchTesting
import TestSupport
import Testing

// The environment belongs to a whole process, so each of these runs in one of its own.
@Suite struct ProxyTests {
    @Test func `The proxy of the environment is used for hosts elsewhere and not for this machine`() async {
        await #expect(processExitsWith: .success) {
            alarm(120)
            let proxy = try RawHTTPServer { _ in .response(body: "through the proxy") }
            let server = try RawHTTPServer { _ in .response(body: "direct") }
            setenv("http_proxy", proxy.url, 1)
            let transport = CurlTransport()
            let elsewhere = HTTPRequest(scheme: "http", authority: "host.invalid", path: "/x")
            try await expectEqual(transport.respond(to: elsewhere).body.text, "through the proxy")
            expectEqual(proxy.requests.map(\.line), ["GET http://host.invalid/x HTTP/1.1"])
            try await expectEqual(transport.respond(to: server.request()).body.text, "direct")
            try await expectEqual(transport.respond(to: elsewhere).body.text, "through the proxy")
        }
    }

    @Test func `The proxy of the environment is not used for its exceptions`() async {
        await #expect(processExitsWith: .success) {
            alarm(120)
            let proxy = try RawHTTPServer { _ in .response(body: "through the proxy") }
            setenv("http_proxy", proxy.url, 1)
            setenv("no_proxy", "internal.invalid", 1)
            let error = await #expect(throws: HTTPError.self) {
                try await CurlTransport().respond(
                    to: HTTPRequest(scheme: "http", authority: "api.internal.invalid", path: "/"))
            }
            expectEqual(error?.isConnectivity, true)
            #expect(proxy.requests.isEmpty)
        }
    }

    // Report 19 in Documentation/PublicReports.md.
    @Test(arguments: [407, 403, 502])
    func `The proxy of the environment is named if it refuses to connect`(status: Int) async {
        await #expect(processExitsWith: .success) { [status] in
            alarm(120)
            let proxy = try RawHTTPServer { _ in .response(status, body: "no") }
            setenv("https_proxy", proxy.url, 1)
            let error = await #expect(throws: HTTPError.self) {
                try await CurlTransport().respond(to: HTTPRequest(authority: "id.invalid", path: "/"))
            }
            #expect(error?.isConnectivity == true && error?.isUnsent == true)
            expectEqual(error?.message, "The proxy refused to connect to id.invalid, with status \(status).")
            expectEqual(error?.hint?.contains("password"), status == 407)
            expectEqual(proxy.requests.first?.line, "CONNECT id.invalid:443 HTTP/1.1")
        }
    }
}
