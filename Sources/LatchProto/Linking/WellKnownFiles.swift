// SPDX-License-Identifier: Apache-2.0

/// The files that every compiler of Protocol Buffers brings along.
enum WellKnownFiles {
    static func bytes(of name: String) -> [UInt8]? { nil }
}
