// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchHTTP
import LatchTesting
import TestSupport
import Testing

@Suite struct ServedLatchTests {
    @Test func `A served latch answers at its stated address, and ends on request`() async throws {
        try await withTemporaryFolder { folder in
            let served = try await ServedLatch.start(in: folder)
            expectEqual(served.url.host, "127.0.0.1")
            let client = Client(baseURL: served.url)
            let response = try await client.respond(to: HTTPRequest(url: served.url.appending(path: "readyz")))
            expectEqual(response.status, .ok)
            #expect(FileManager.default.fileExists(atPath: "\(folder)/identity.sqlite"))
            try expectNil(served.mail(containing: "anything"))
            let status = await served.terminate()
            expectEqual(status, 0)
            try await served.kill()
        }
    }

    @Test func `A served latch that cannot serve has the message of the process`() async throws {
        try await withTemporaryFolder { folder in
            let failure = await #expect(throws: ServedLatch.Failure.self) {
                try await ServedLatch.start(in: folder, listen: "203.0.113.7:1")
            }
            expectEqual(failure?.description.contains("does not serve"), true)
            expectEqual(failure?.description.contains("203.0.113.7:1"), true)
        }
    }

    @Test func `A served latch finds the newest mail that holds the words`() async throws {
        try await withTemporaryFolder { folder in
            let served = try await ServedLatch.start(in: folder)
            try FileManager.default.createDirectory(atPath: "\(folder)/mails", withIntermediateDirectories: true)
            for (name, text) in [("1.eml", "code 111"), ("2.eml", "code 222"), ("3.eml", "other")] {
                try text.write(toFile: "\(folder)/mails/\(name)", atomically: true, encoding: .utf8)
            }
            try expectEqual(served.mail(containing: "code"), "code 222")
            try expectNil(served.mail(containing: "nothing of it"))
        }
    }
}

@Suite struct TemporaryFolderTests {
    struct Mishap: Error {}

    @Test func `A temporary folder exists for the body and not afterwards, whatever its outcome`() async throws {
        let kept = try await withTemporaryFolder { path in
            try "x".write(toFile: "\(path)/file", atomically: true, encoding: .utf8)
            return path
        }
        #expect(!FileManager.default.fileExists(atPath: kept))
        var seen = ""
        await #expect(throws: Mishap.self) {
            try await withTemporaryFolder { path in
                seen = path
                throw Mishap()
            }
        }
        #expect(!seen.isEmpty)
        #expect(!FileManager.default.fileExists(atPath: seen))
    }

    @Test func `A temporary folder is a new one each time`() async throws {
        try await withTemporaryFolder { outer in
            try await withTemporaryFolder { inner in expectNotEqual(inner, outer) }
        }
    }
}
