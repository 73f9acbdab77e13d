// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchHTTP
import LatchProcess
import LatchTesting
import TestSupport
import Testing

@testable import LatchCommand
@testable import latch

@Suite struct RepeatedSignalTests {
    private static let content = #"{"email":"ada@example.com","password":"a horse walks into a library"}"#

    /// The head of a request with JSON.
    private static func post(_ path: String, _ content: String, port: Int, _ fields: String = "") -> String {
        """
        POST \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nContent-Type: application/json\r\n\(fields)\
        Content-Length: \(content.utf8.count)\r\n\r\n
        """
    }

    /// Serves, with one request half sent and the drain begun by `first`, and lets `body` go on from there.
    private func draining(
        by first: Signal, _ body: (_ process: ChildProcess, _ busy: RawClient, _ folder: String) async throws -> Void
    ) async throws {
        // The drain would last ten minutes, so that whoever ends within the test did not wait for it.
        let slow = ["LATCH_SHUTDOWN_GRACE": "600", "LATCH_ARGON2_MEMORY_KIB": "64", "LATCH_ARGON2_PASSES": "1"]
        try await withTemporaryFolder { folder in
            try await BuiltProgram.serving(in: folder, environment: slow) { process, url in
                let port = try #require(url.split(separator: ":").last.flatMap { Int($0) })
                let (busy, idle) = (try RawClient(port: port), try RawClient(port: port))
                let answered = Self.content.replacing("ada@", with: "grace@")
                await busy.send(Self.post("/api/clients/register", answered, port: port) + answered)
                await expectEqual(busy.receiveResponse()?.status, .created)
                await busy.send(
                    Self.post("/api/clients/register", Self.content, port: port, "Expect: 100-continue\r\n"))
                await expectEqual(busy.receiveResponse()?.status, 100)
                process.send(first.number)
                // The end of the idle connection shows that the drain has begun.
                #expect(await idle.receiveAll().isEmpty)
                expectNil(process.ending)
                try await body(process, busy, folder)
            }
        }
    }

    @Test(
        arguments: [
            (.terminate, .terminate, 143), (.interrupt, .interrupt, 130), (.terminate, .interrupt, 130),
            (.interrupt, .terminate, 143),
        ] as [(Signal, Signal, Int32)])
    func `A served process with an open request ends at once at the second signal, and names it`(
        first: Signal, second: Signal, code: Int32
    ) async throws {
        try await draining(by: first) { process, busy, folder in
            process.send(second.number)
            await expectEqual(process.end(), .exited(code))
            #expect(await busy.receiveAll().isEmpty)
            #expect(BuiltProgram.lines(of: folder + "/error").isEmpty)
        }
    }

    @Test func `A served process with an open request does not take a hang-up for a second signal`() async throws {
        try await draining(by: .terminate) { process, busy, _ in
            process.hangUp()
            await busy.send(Self.content)
            await expectEqual(busy.receiveResponse()?.status, .created)
            await expectEqual(process.end(), .exited(0))
        }
    }

    @Test
    func `A served process with an open request loses no answered request, and begins nothing else`() async throws {
        try await draining(by: .terminate) { process, _, folder in
            process.send(Signal.terminate.number)
            await expectEqual(process.end(), .exited(143))
            try await BuiltProgram.serving(in: folder) { again, url in
                let port = try #require(url.split(separator: ":").last.flatMap { Int($0) })
                let answered = Self.content.replacing("ada@", with: "grace@")
                for (content, status) in [(answered, HTTPStatus.ok), (Self.content, .unauthorized)] {
                    let client = try RawClient(port: port)
                    await client.send(Self.post("/api/auth/clients/login", content, port: port) + content)
                    await expectEqual(client.receiveResponse()?.status, status)
                }
                again.terminate()
                await expectEqual(again.end(), .exited(0))
            }
        }
    }
}
