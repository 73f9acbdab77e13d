// SPDX-License-Identifier: Apache-2.0

import Foundation
public import LatchCore

/// A folder of published test vectors, read from outside of the repository.
public struct VectorSet: Sendable {
    /// Where it may be: among the shared vectors, and where Scripts/fetch-vectors puts what those may lack.
    private let folders: [URL]

    private init(_ name: String) {
        folders = [Self.root, Self.fetched].map { $0.appending(path: name, directoryHint: .isDirectory) }
    }

    /// Project Wycheproof's attacks on signatures and codes.
    public static let wycheproof = VectorSet("wycheproof")

    /// The examples of RFC 7520, RFC 7797 and RFC 8037.
    public static let joseCookbook = VectorSet("jose-cookbook")

    /// The HTTP working group's cases of structured fields (RFC 9651).
    public static let structuredFields = VectorSet("structured-fields")

    /// The examples of RFC 9421, appendix B.2.
    public static let messageSignatures = VectorSet("rfc9421")

    /// Amazon's cases of Signature Version 4.
    public static let sigV4 = VectorSet("aws4_testsuite")

    /// The working group's suite for cookies, of pairs `NNNN-test` and `NNNN-expected`.
    public static let httpState = VectorSet("http-state")

    /// What a skipped suite says.
    public static let hint = "put the published vectors into ../shared/vectors, or name their folder in LATCH_VECTORS"

    /// What a skipped suite says whose vectors a script fetches.
    public static let fetchHint = "run Scripts/fetch-vectors"

    /// Whether the set is there.
    public var isPresent: Bool { folders.contains { FileManager.default.fileExists(atPath: $0.path) } }

    /// Whether the set is there with these files, which older copies of it may lack.
    public func has(_ files: String...) -> Bool {
        files.allSatisfy { FileManager.default.fileExists(atPath: place(of: $0).path) }
    }

    /// Where a file is; where it would be among the shared vectors if it is nowhere.
    private func place(of file: String) -> URL {
        let places = folders.map { $0.appending(path: file) }
        return places.first { FileManager.default.fileExists(atPath: $0.path) } ?? places[0]
    }

    /// A file of the set, as JSON.
    public func json(_ file: String) throws -> JSONValue {
        try JSONValue(parsing: [UInt8](Data(contentsOf: place(of: file))))
    }

    /// A file of the set, as text.
    public func text(_ file: String) throws -> String {
        String(decoding: try Data(contentsOf: place(of: file)), as: UTF8.self)
    }

    /// The paths of the set's files whose names end so, in order.
    public func files(endingWith suffix: String) -> [String] {
        let folder = folders.first { FileManager.default.fileExists(atPath: $0.path) } ?? folders[0]
        let paths = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
        return paths.filter { $0.hasSuffix(suffix) }.sorted()
    }

    /// The cases of a file in Wycheproof's layout, each with its group.
    public func cases(_ file: String) throws -> [(group: JSONValue, test: JSONValue)] {
        try (json(file)["testGroups"]?.arrayValue ?? []).flatMap { group in
            (group["tests"]?.arrayValue ?? []).map { (group: group, test: $0) }
        }
    }

    static let root: URL = {
        if let named = ProcessInfo.processInfo.environment["LATCH_VECTORS"] { return URL(filePath: named) }
        // Tests/TestVectors/VectorSet.swift lies three levels below the repository's root.
        return URL(filePath: #filePath).appending(path: "../../../../shared/vectors").standardized
    }()

    /// Where Scripts/fetch-vectors puts what it fetches.
    private static let fetched = URL(filePath: #filePath).appending(path: "../../../.build/vectors").standardized
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
