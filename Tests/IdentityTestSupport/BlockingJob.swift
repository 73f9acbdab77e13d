// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Work that holds a pool's thread until it is let go.
package final class BlockingJob: Sendable {
    private let gate = DispatchSemaphore(value: 0)
    private let begun = AsyncStream.makeStream(of: Void.self)

    package init() {}

    package func work() {
        begun.continuation.finish()
        gate.wait()
    }

    package func untilBegun() async {
        for await _ in begun.stream {}
    }

    package func release() { gate.signal() }
}
