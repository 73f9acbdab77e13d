// SPDX-License-Identifier: Apache-2.0

import Expectations
import IdentityTestSupport
import Synchronization
import Testing

@testable import LatchIdentity

/// Returns an address in the frame of the call.
@inline(never) private func stackAddress() -> Int {
    var local = 0
    return withUnsafePointer(to: &local) { Int(bitPattern: $0) }
}

@Suite struct StatementWatchTests {
    @Test func `The watch over slow statements reports a statement from its threshold on`() {
        let watch = StatementWatch()
        let reported = Mutex<[String]>([])
        expectNil(watch.begin("SELECT 1"))
        watch.report(slowerThan: .zero) { statement, _ in reported.withLock { $0.append(statement) } }
        watch.begin("SELECT 2")?.end()
        watch.report(slowerThan: .seconds(3600)) { statement, _ in reported.withLock { $0.append(statement) } }
        watch.begin("SELECT 3")?.end()
        watch.ended(after: .seconds(3599), ["SELECT 5"])
        watch.ended(after: .seconds(3600), ["SELECT 6"])
        watch.report(slowerThan: .zero, by: nil)
        expectNil(watch.begin("SELECT 4"))
        watch.ended(after: .seconds(3600), ["SELECT 7"])
        expectEqual(reported.withLock { $0 }, ["SELECT 2", "SELECT 6"])
    }

    /// A closure that each statement had wrapped once more took the stack of its thread at the first slow one.
    @Test func `The watch over slow statements calls its function as directly after many statements as after one`() {
        let watch = StatementWatch()
        let addresses = Mutex<[Int]>([])
        watch.report(slowerThan: .zero) { _, _ in addresses.withLock { $0.append(stackAddress()) } }
        for count in [1, 1000] {
            for _ in 1..<count { _ = watch.begin("SELECT 1") }
            watch.begin("SELECT 1")?.end()
        }
        let depths = addresses.withLock { $0 }
        #expect(depths.count == 2 && abs(depths[0] - depths[depths.count - 1]) < 4096)
    }
}
