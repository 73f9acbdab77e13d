// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A file of published test vectors, read from outside of the repository.
public struct VectorFile: Sendable {
    private let place: URL

    /// What protobuf's conformance runner asked, and what passed as an answer.
    public static let protobufConformance = VectorFile(name: "protobuf-conformance-35.1.bin")

    private init(name: String) { place = VectorSet.root.appending(path: name) }

    /// Whether the file is there.
    public var isPresent: Bool { FileManager.default.fileExists(atPath: place.path) }

    /// What is in it.
    public func bytes() throws -> [UInt8] { Array(try Data(contentsOf: place)) }
}
