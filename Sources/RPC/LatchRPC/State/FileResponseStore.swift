// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchFoundation

/// A response store in a folder, with one file per request that only its owner can read.
public struct FileResponseStore: ResponseStore {
    private static let prefix = "answer-"
    private let folder: String

    /// Creates a store in a folder, which is created with the first response.
    public init(folder: String) { self.folder = folder }

    /// Reads the file of a request; nil if it is missing or not readable as a response.
    public func response(for request: ResponseCacheKey) async throws -> CachedResponse? {
        guard let bytes = try file(of: request).read() else { return nil }
        return Self.decode(bytes, for: request)
    }

    /// Writes the file of a request atomically.
    public func store(_ response: CachedResponse, for request: ResponseCacheKey) async throws {
        let file = file(of: request)
        try file.makeFolder()
        try file.replace(with: Self.encode(response, for: request))
    }

    /// Removes the store's files, and nothing else from the folder.
    public func removeAll() async throws {
        guard FileManager.default.fileExists(atPath: folder) else { return }
        for name in try FileManager.default.contentsOfDirectory(atPath: folder)
        where name.utf8.starts(with: Self.prefix.utf8) {
            try AtomicFile("\(folder)/\(name)").remove()
        }
    }

    /// Returns the file of a request; if two requests have the same hash, the file contains the later response.
    private func file(of request: ResponseCacheKey) -> AtomicFile {
        // FNV-1a, 64 bits: collisions are harmless, because the file names its request.
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in request.header { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return AtomicFile("\(folder)/\(Self.prefix)\(String(hash, radix: 16))")
    }

    private static func encode(_ response: CachedResponse, for request: ResponseCacheKey) -> [UInt8] {
        request.header + response.time.bitPattern.bigEndianBytes + response.bytes
    }

    /// Decodes the content of a file; nil if it belongs to another request or is damaged.
    private static func decode(_ bytes: [UInt8], for request: ResponseCacheKey) -> CachedResponse? {
        let header = request.header
        guard bytes.count >= header.count + 8, bytes.starts(with: header) else { return nil }
        let bits = bytes[header.count..<(header.count + 8)].reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        return CachedResponse(bytes: Array(bytes[(header.count + 8)...]), time: Double(bitPattern: bits))
    }
}

extension ResponseCacheKey {
    /// The action and the request, each with its length, so that different keys have different headers.
    fileprivate var header: [UInt8] {
        let action = Array(action.utf8)
        return UInt64(action.count).bigEndianBytes + action + UInt64(request.count).bigEndianBytes + request
    }
}

extension UInt64 {
    fileprivate var bigEndianBytes: [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: self >> (56 - 8 * $0)) } }
}
