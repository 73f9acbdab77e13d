// SPDX-License-Identifier: Apache-2.0

public import Foundation
import LatchCore
public import LatchRPC
import Synchronization

/// The output of responses, one at a time from concurrent writers.
public final class DelimitedOutput: Sendable {
    private let handle: Mutex<FileHandle>

    /// An output of a file.
    public init(_ handle: FileHandle) { self.handle = Mutex(handle) }

    /// Writes a message with its length before it.
    public func write(_ message: some Message) throws {
        let bytes = try DelimitedMessages.framed(message)
        try handle.withLock { try $0.write(contentsOf: bytes) }
    }
}
