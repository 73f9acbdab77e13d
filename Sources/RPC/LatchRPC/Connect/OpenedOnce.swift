// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
import Synchronization

/// A source that is opened when it is first asked, for one reader.
final class OpenedOnce: Sendable {
    private let open: @Sendable () async throws -> HTTPBodyStream.Source
    private let source = Mutex<HTTPBodyStream.Source?>(nil)

    init(_ open: @escaping @Sendable () async throws -> HTTPBodyStream.Source) { self.open = open }

    /// The next piece; nil at the end.
    func next() async throws -> [UInt8]? {
        if let source = source.withLock({ $0 }) { return try await source() }
        let opened = try await open()
        source.withLock { $0 = opened }
        return try await opened()
    }
}
