// SPDX-License-Identifier: Apache-2.0

import ConnectConformance
import Expectations
import Foundation
import LatchRPC
import LatchServer
import Testing

@Suite(.timeLimit(.minutes(3))) struct ClientDriverTests {
    /// Our server for as long as `body` runs.
    private func serving(_ body: (ServerCompatResponse) async throws -> Void) async throws {
        let (server, place) = try await ConformanceServer.start(ServerCompatRequest(httpVersion: .httpVersion1))
        do {
            try await body(place)
        } catch {
            await server.shutdown(grace: .zero)
            throw error
        }
        await server.shutdown(grace: .zero)
    }

    @Test(arguments: ConformanceStyle.all) func `The conformance client reports the response to each kind of call`(
        style: ConformanceStyle
    ) async throws {
        try await serving { place in
            let cases = try ConformanceCases.all(style)
            let answers = try await DriverProcess.answers(
                to: cases.map { each in
                    var request = each.request
                    (request.host, request.port) = (place.host, place.port)
                    return request
                })
            for each in cases { try each.check(answers[each.request.testName]) }
        }
    }

    @Test func `The conformance client reports unsupported features`() async throws {
        let style = ConformanceStyle(protocol: .connect, codec: .proto, compression: .identity)
        let usual = try style.request("usual", "Unary", .unary, [UnaryRequest()])
        let changes: [(String, (inout ClientCompatRequest) -> Void)] = [
            ("a raw request", { $0.rawRequest = RawHTTPRequest(verb: "GET") }),
            ("brotli", { $0.compression = .br }),
            ("no protocol", { $0.protocol = .unspecified }),
            ("no such method", { $0.method = "Nothing" }),
            ("no message", { $0.requestMessages = [] }),
            ("two messages", { $0.requestMessages += $0.requestMessages }),
            ("another message", { $0.method = "ServerStream" }),
        ]
        let answers = try await DriverProcess.answers(
            to: changes.map { name, change in
                var request = usual
                request.testName = name
                change(&request)
                return request
            })
        for (name, _) in changes {
            guard case .error(let error) = answers[name]?.result else {
                Issue.record("\(name): \(String(describing: answers[name]))")
                continue
            }
            #expect(!error.message.isEmpty)
        }
    }

    @Test func `The conformance client reports an absent server as unavailable`() async throws {
        let style = ConformanceStyle(protocol: .connect, codec: .proto, compression: .identity)
        var request = try style.request("nobody", "Unary", .unary, [UnaryRequest()])
        // RFC 1078's port, where nobody listens; one that a server has left may be another's by now.
        (request.host, request.port) = ("127.0.0.1", 1)
        let answer = try await DriverProcess.answers(to: [request])["nobody"]
        guard case .response(let result) = answer?.result else {
            Issue.record("\(String(describing: answer))")
            return
        }
        expectEqual(result.error?.code, .unavailable)
        #expect(result.payloads.isEmpty)
    }
}
