// SPDX-License-Identifier: Apache-2.0

import PortableFoundation
import LatchCore

/// Answers in the files of a folder of their own, one for each request, readable for their owner alone.
public struct FileAnswerStore: AnswerStore {
    private static let prefix = "answer-"
    private let folder: String

    /// A store in a folder, which is made when the first answer is kept.
    public init(folder: String) { self.folder = folder }

    /// Reads the file of a request.
    public func answer(to request: AnswerKey) async throws -> KeptAnswer? {
        guard let bytes = try file(of: request).read() else { return nil }
        return Self.answer(in: bytes, to: request)
    }

    /// Writes the file of a request, as a whole or not at all.
    public func keep(_ answer: KeptAnswer, to request: AnswerKey) async throws {
        let file = file(of: request)
        try file.makeFolder()
        try file.replace(with: Self.bytes(of: answer, to: request))
    }

    /// Removes the files, and nothing else that is in the folder.
    public func removeAll() async throws {
        guard FileManager.default.fileExists(atPath: folder) else { return }
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) where name.hasPrefix(Self.prefix) {
            try AtomicFile("\(folder)/\(name)").remove()
        }
    }

    /// The file of a request: requests whose hashes are equal share one, in which the later one stands.
    private func file(of request: AnswerKey) -> AtomicFile {
        // FNV-1a, 64 bits: nobody gains by two requests with one hash, since the file says whose answer it holds.
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in request.head { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return AtomicFile("\(folder)/\(Self.prefix)\(String(hash, radix: 16))")
    }

    private static func bytes(of answer: KeptAnswer, to request: AnswerKey) -> [UInt8] {
        request.head + answer.time.bitPattern.bigEndianBytes + answer.bytes
    }

    /// What a file holds; nil where it is another request's, or no answer at all.
    private static func answer(in bytes: [UInt8], to request: AnswerKey) -> KeptAnswer? {
        let head = request.head
        guard bytes.count >= head.count + 8, bytes.starts(with: head) else { return nil }
        let bits = bytes[head.count..<(head.count + 8)].reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        return KeptAnswer(bytes: Array(bytes[(head.count + 8)...]), time: Double(bitPattern: bits))
    }
}

extension AnswerKey {
    /// The action and the request, each with its length, so that two keys never read alike.
    fileprivate var head: [UInt8] {
        let action = Array(action.utf8)
        return UInt64(action.count).bigEndianBytes + action + UInt64(request.count).bigEndianBytes + request
    }
}

extension UInt64 {
    fileprivate var bigEndianBytes: [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: self >> (56 - 8 * $0)) } }
}
