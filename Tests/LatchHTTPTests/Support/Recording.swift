// SPDX-License-Identifier: Apache-2.0

import LatchHTTP
import Synchronization

/// Remembers what happened, from any thread.
final class Recording<Entry: Sendable>: Sendable {
    private let list = Mutex<[Entry]>([])

    var entries: [Entry] { list.withLock { $0 } }

    func add(_ entry: Entry) { list.withLock { $0.append(entry) } }
}

/// A sink that keeps all samples.
final class SampleRecorder: MetricsSink {
    private let recording = Recording<RequestSample>()
    private let inFlightCount = Mutex(0)

    var samples: [RequestSample] { recording.entries }
    var inFlight: Int { inFlightCount.withLock { $0 } }

    func began() { inFlightCount.withLock { $0 += 1 } }

    func ended(_ sample: RequestSample) {
        inFlightCount.withLock { $0 -= 1 }
        recording.add(sample)
    }
}
