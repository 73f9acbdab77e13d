// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Remembers what happened, from any thread.
final class Recording<Entry: Sendable>: Sendable {
    private let list = Mutex<[Entry]>([])

    var entries: [Entry] { list.withLock { $0 } }

    func add(_ entry: Entry) { list.withLock { $0.append(entry) } }
}
