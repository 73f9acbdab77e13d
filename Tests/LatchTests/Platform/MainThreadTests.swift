// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import LatchCommand
@testable import latch

@Suite struct `The main thread` {
    @Test func `is free for the main actor when that was wanted before it began to wait`() async {
        let signals = Signals.disconnected
        signals.releaseMainThread()
        signals.releaseMainThread()
        // Returns; it waited for ever where the wish had come first.
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                signals.deliver()
                continuation.resume()
            }
        }
    }
}
