// SPDX-License-Identifier: Apache-2.0

import Foundation
public import LatchCore

/// A folder of published test vectors, read from outside of the repository.
public struct VectorSet: Sendable {
    private let folder: URL

    private init(_ name: String) { folder = Self.root.appending(path: name, directoryHint: .isDirectory) }

    /// Project Wycheproof's attacks on signatures and codes.
    public static let wycheproof = VectorSet("wycheproof")

    /// The examples of RFC 7520, RFC 7797 and RFC 8037.
    public static let joseCookbook = VectorSet("jose-cookbook")

    /// What a skipped suite says.
    public static let hint = "put the published vectors into ../shared/vectors, or name their folder in LATCH_VECTORS"

    /// Whether the set is there.
    public var isPresent: Bool { FileManager.default.fileExists(atPath: folder.path) }

    /// A file of the set, as JSON.
    public func json(_ file: String) throws -> JSONValue {
        try JSONValue(parsing: [UInt8](Data(contentsOf: folder.appending(path: file))))
    }

    /// The cases of a file in Wycheproof's layout, each with its group.
    public func cases(_ file: String) throws -> [(group: JSONValue, test: JSONValue)] {
        try (json(file)["testGroups"]?.arrayValue ?? []).flatMap { group in
            (group["tests"]?.arrayValue ?? []).map { (group: group, test: $0) }
        }
    }

    private static let root: URL = {
        if let named = ProcessInfo.processInfo.environment["LATCH_VECTORS"] { return URL(filePath: named) }
        // Tests/TestVectors/VectorSet.swift lies three levels below the repository's root.
        return URL(filePath: #filePath).appending(path: "../../../../shared/vectors").standardized
    }()
}

extension JSONValue {
    /// The bytes of a member that is written in hexadecimal.
    public func hex(_ key: String) -> [UInt8] {
        let digits = Array((self[key]?.stringValue ?? "").utf8)
        return stride(from: 0, to: digits.count - 1, by: 2).compactMap { place in
            UInt8(String(decoding: digits[place...place + 1], as: UTF8.self), radix: 16)
        }
    }
}
