// SPDX-License-Identifier: Apache-2.0

import Expectations
import IdentityTestSupport
import LatchCore
import LatchHTTP
import LatchTesting
import Synchronization
import Testing

@testable import LatchIdentity

@Suite struct StoreFailureTests {
    @Test func `A failure of a store is reported once a minute for each code, with the store's message`() {
        let watch = StoreFailures()
        let start = ContinuousClock.now
        watch.note(.storeFull, in: "rotate", at: start)
        let reported = Mutex<[String]>([])
        watch.report { error, operation in reported.withLock { $0.append("\(error.code) \(operation)") } }
        for (seconds, error) in [(0, IdentityError.storeFull), (1, .storeBusy), (59, .storeFull), (60, .storeFull)] {
            watch.note(error, in: "write\(seconds)", at: start + .seconds(seconds))
        }
        watch.report(by: nil)
        watch.note(.storeFull, in: "late", at: start + .seconds(1000))
        expectEqual(reported.withLock { $0 }, ["storeFull write0", "storeBusy write1", "storeFull write60"])
    }

    @Test func `A failure of a store is reported, but neither a refusal of a client nor its end`() async throws {
        let site = try await Site()
        let reported = Mutex<[String]>([])
        site.identity.reportStoreFailures { error, operation in
            reported.withLock { $0.append("\(operation): \(error.message)") }
        }
        try await site.signUp()
        await #expect(throws: IdentityError.self) { try await site.signUp() }
        let store = site.identity.services.store
        await #expect(throws: IdentityError.self) {
            try await store.read { _ throws(IdentityError) in throw .cancelled }
        }
        try SQLiteConnection(path: site.folder.file(), access: .readWrite).run("DROP TABLE heartbeat")
        try await expectEqual(site.get("/healthz").status, 503)
        await site.identity.services.store.close()
        try await expectEqual(site.logIn().status, 503)
        let lines = reported.withLock { $0 }
        #expect(lines.count == 1 && lines.first?.hasPrefix("checkHealth: ") == true, "\(lines)")
        expectEqual(lines.first?.contains("heartbeat"), true, "\(lines)")
    }
}
