// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import LatchRPC

/// Messages with their length before them, in four bytes, the highest first: how the runner speaks with its drivers.
public enum DelimitedMessages {
    /// A message with its length before it.
    public static func framed(_ message: some Message) throws(ProtoError) -> Data {
        let bytes = try message.serialized()
        return Data([24, 16, 8, 0].map { UInt8(truncatingIfNeeded: bytes.count >> $0) } + bytes)
    }

    /// The next message; nil at the end of the input.
    public static func next<Content: Message>(_ type: Content.Type, from input: FileHandle) throws -> Content? {
        guard let length = try read(4, from: input) else { return nil }
        guard let bytes = try read(length.reduce(0) { $0 << 8 | Int($1) }, from: input) else { return nil }
        return try Content(serialized: bytes)
    }

    private static func read(_ count: Int, from input: FileHandle) throws -> [UInt8]? {
        var bytes = Data()
        while bytes.count < count {
            guard let more = try input.read(upToCount: count - bytes.count), !more.isEmpty else { return nil }
            bytes += more
        }
        return Array(bytes)
    }
}
