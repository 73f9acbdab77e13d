// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchConformanceTestee
import LatchRPC

/// Speaks with protobuf's conformance runner: each message has its length before it, in four bytes, the lowest first.
///
///     conformance_test_runner --enforce_recommended .build/debug/conformance-driver
@main struct ConformanceDriver {
    static func main() throws {
        while let request = try next() {
            let answer = LatchConformanceTestee.answer(try ConformanceRequest(serialized: request))
            let bytes = try answer.serialized()
            let length = (0..<4).map { UInt8(truncatingIfNeeded: bytes.count >> ($0 * 8)) }
            try FileHandle.standardOutput.write(contentsOf: Data(length + bytes))
        }
    }

    /// The next request; nil at the end of the input.
    private static func next() throws -> [UInt8]? {
        guard let length = try read(4) else { return nil }
        return try read(length.reversed().reduce(0) { $0 << 8 | Int($1) })
    }

    private static func read(_ count: Int) throws -> [UInt8]? {
        var bytes = Data()
        while bytes.count < count {
            guard let more = try FileHandle.standardInput.read(upToCount: count - bytes.count), !more.isEmpty else {
                return nil
            }
            bytes += more
        }
        return Array(bytes)
    }
}
