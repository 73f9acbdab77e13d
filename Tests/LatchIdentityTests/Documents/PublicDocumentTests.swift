// SPDX-License-Identifier: Apache-2.0

import Expectations
import IdentityTestSupport
import LatchCore
import LatchHTTP
import LatchTesting
import Synchronization
import TestTags
import Testing

@testable import LatchIdentity

@Suite struct PublicDocumentTests {
    /// A host that counts its requests, and responds as it is told.
    private final class Host: Sendable {
        let clock = ManualClock(noon)
        let state = Mutex<(response: HTTPResponse?, count: Int)>((.json(["a": 1]), 0))

        var count: Int { state.withLock { $0.count } }

        func use(_ response: HTTPResponse?) { state.withLock { $0.response = response } }

        func documents() -> PublicDocuments {
            let transport = PublicTransport(
                transport: ClosureHandler { _ in
                    let response = self.state.withLock { state in
                        state.count += 1
                        return state.response
                    }
                    guard let response else { throw HTTPError.offline }
                    return response
                })
            return PublicDocuments(transport: transport, clock: clock.wallClock())
        }
    }

    private static let url = "https://app.example/client"

    @Test(arguments: [
        ("max-age=300", 300), ("max-age=1", 60), ("no-store", 60), ("max-age=9999999", 86_400), ("", 600),
    ])
    func `A document is used as long as its response says, within bounds`(control: String, seconds: Int) async throws {
        let host = Host()
        var response = HTTPResponse.json(["a": 1])
        response.fields[.cacheControl] = control.isEmpty ? nil : control
        host.use(response)
        let documents = host.documents()
        try await expectEqual(documents.document(at: Self.url), ["a": 1])
        host.clock.advance(by: .seconds(seconds - 1))
        try await expectEqual(documents.document(at: Self.url), ["a": 1])
        expectEqual(host.count, 1)
        host.clock.advance(by: .seconds(1))
        host.use(.json(["a": 2]))
        try await expectEqual(documents.document(at: Self.url), ["a": 2])
        expectEqual(host.count, 2)
    }

    @Test(.tags(.serverSideRequest))
    func `A document that cannot be read is not requested again for a minute`() async throws {
        let host = Host()
        host.use(nil)
        let documents = host.documents()
        for _ in 0..<3 {
            await #expect(throws: DocumentError.unreachable) { try await documents.document(at: Self.url) }
        }
        expectEqual(host.count, 1)
        host.clock.advance(by: PublicDocuments.failureLife)
        host.use(.json(["a": 2]))
        try await expectEqual(documents.document(at: Self.url), ["a": 2])
        expectEqual(host.count, 2)
    }

    @Test(arguments: ["[]", "1", "", "{", "{\"a\": 1, \"a\": 2}", "\u{FEFF}{}"])
    func `A document is a JSON object`(text: String) async throws {
        let host = Host()
        var response = HTTPResponse.json([:])
        response.body = HTTPBody(text)
        host.use(response)
        let documents = host.documents()
        let error = await #expect(throws: DocumentError.self) { try await documents.document(at: Self.url) }
        guard case .content = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test(arguments: ["https://a@app.example/x", "ftp://app.example/x", "https:///x", "x", "https://app.example:22/"])
    func `A document with an unusable URL is not requested`(url: String) async throws {
        let host = Host()
        let documents = host.documents()
        await #expect(throws: DocumentError.url) { try await documents.document(at: url) }
        expectEqual(host.count, 0)
    }

    @Test(.tags(.serverSideRequest))
    func `A document that many tasks want is requested once, and the end of one task ends it for no other`()
        async throws
    {
        let (gate, begun) = (SharedResult<Void>(), SharedResult<Void>())
        let count = Mutex(0)
        let transport = PublicTransport(
            transport: ClosureHandler { _ in
                count.withLock { $0 += 1 }
                begun.finish(.success(()))
                try await gate.value()
                return .json(["a": 1])
            })
        let documents = PublicDocuments(transport: transport, clock: ManualClock(noon).wallClock())
        let first = Task { try await documents.document(at: Self.url) }
        try await begun.value()
        let others = (0..<20).map { _ in Task { try await documents.document(at: Self.url) } }
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        gate.finish(.success(()))
        for task in others { try await expectEqual(task.value, ["a": 1]) }
        expectEqual(count.withLock { $0 }, 1)
    }

    @Test func `A document makes room for others when there are too many`() async throws {
        let host = Host()
        let documents = host.documents()
        for number in 0...PublicDocuments.maximumCount {
            _ = try await documents.document(at: "https://app.example/\(number)")
            host.clock.advance(by: .milliseconds(1))
        }
        expectEqual(host.count, PublicDocuments.maximumCount + 1)
        _ = try await documents.document(at: "https://app.example/\(PublicDocuments.maximumCount)")
        expectEqual(host.count, PublicDocuments.maximumCount + 1)
        _ = try await documents.document(at: "https://app.example/0")
        expectEqual(host.count, PublicDocuments.maximumCount + 2)
    }
}
