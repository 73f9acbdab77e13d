// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchProto

/// Files that come into their folders together, written by several threads.
///
/// What fails while they are written leaves the folders as they were.
final class StagedOutput {
    /// A file, and what it will hold.
    typealias File = (path: String, text: String)

    /// One file of each folder, with all folders that had to be made.
    private var first = StagedFiles()
    /// All others, which find their folders.
    private var others: [Part] = []

    // Folders can be removed once nothing is in them.
    deinit { others = [] }

    /// Writes files under other names.
    func stage(_ files: [File]) throws(FileFailure) {
        var (folders, rest) = (Set<String>(), [File]())
        for file in files {
            guard folders.insert(AtomicFile(file.path).folder).inserted else {
                rest.append(file)
                continue
            }
            try first.stage(Array(file.text.utf8), as: file.path)
        }
        others = Parallel.map(Self.parts(of: rest), Part.init)
        for part in others { if let failure = part.failure { throw failure } }
    }

    /// Puts all of them into their places.
    func commit() throws(FileFailure) {
        try first.commit()
        for part in others { try part.files.commit() }
    }

    /// Parts that are worth a thread's time.
    private static func parts(of files: [File]) -> [ArraySlice<File>] {
        let size = max(32, files.count / 8)
        return stride(from: 0, to: files.count, by: size).map { files[$0..<min($0 + size, files.count)] }
    }

    /// What one thread has written.
    private final class Part {
        var files = StagedFiles()
        private(set) var failure: FileFailure?

        init(_ all: ArraySlice<File>) {
            do throws(FileFailure) {
                for file in all { try files.stage(Array(file.text.utf8), as: file.path) }
            } catch {
                failure = error
            }
        }
    }
}
